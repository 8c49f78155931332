package xla_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/halo-xla/halo/internal/testfile"
	"github.com/halo-xla/halo/xla"
	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/pass"
	"github.com/halo-xla/halo/xla/shape"
)

// exportedSizes are the sizes of the arguments of the programs in testdata/dynamic, which scripts/export/dynamic.py
// makes: three lists for each.
var exportedSizes = map[string][3]string{
	"arithmetic":  {"f32[2,2]", "f32[5,8]", "f32[10,18]"},
	"attention":   {"f32[2,4] f32[2,4]", "f32[7,3] f32[7,3]", "f32[16,8] f32[16,8]"},
	"constrained": {"f32[2,8]", "f32[3,8]", "f32[17,8]"},
	"convolution": {"f32[1,5,5,2] f32[3,3,2,4]", "f32[2,8,8,2] f32[3,3,2,4]", "f32[3,11,11,2] f32[3,3,2,4]"},
	"dense":       {"f32[1,6] f32[6,4]", "f32[5,6] f32[6,4]", "f32[64,6] f32[6,4]"},
	"divisible":   {"f32[4,3]", "f32[12,3]", "f32[40,3]"},
	"extremes":    {"f32[3,5]", "f32[7,2]", "f32[4,4]"},
	"gradients":   {"f32[2,3] f32[3,2]", "f32[1,1] f32[1,1]", "f32[6,4] f32[4,6]"},
	"indexing":    {"f32[3,4] s32[1]", "f32[8,4] s32[5]", "f32[2,4] s32[30]"},
	"loops":       {"f32[2,2]", "f32[5,5]", "f32[12,12]"},
	"recurrence":  {"f32[1,3] f32[3,3]", "f32[6,4] f32[4,4]", "f32[20,2] f32[2,2]"},
	"sorting":     {"f32[2]", "f32[9]", "f32[33]"},
}

// TestRefineExported refines programs of JAX with symbolic dimensions: the static program has the answers, to the bit,
// that the evaluator has for the dynamic one, instruction by instruction.
func TestRefineExported(t *testing.T) {
	for name, sizes := range exportedSizes {
		m := readModule(t, filepath.Join("testdata", "dynamic", name+".mlir.bc"))
		for _, list := range sizes {
			t.Run(name+" "+list, func(t *testing.T) {
				var args []*literal.Literal
				for i, text := range strings.Fields(list) {
					args = append(args, drawn(t, text, uint64(i)+1))
				}
				sameWhenRefined(t, m, args)
			})
		}
	}
}

// TestRefineConformance does so with the dynamic programs of the StableHLO project: all unknown sizes are alike, and the
// scalars that say them hold them.
func TestRefineConformance(t *testing.T) {
	folder := filepath.Join(testfile.Conformance(t), "conformance", "stablehlo", "testdata", "dynamic")
	files, err := filepath.Glob(filepath.Join(folder, "*.mlir"))
	if err != nil || len(files) == 0 {
		t.Fatal(folder + " has no programs")
	}
	calls, err := filepath.Glob(filepath.Join(testfile.Conformance(t), "conformance", "jax", "*dynamic*", "module.mlir"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range append(files, calls...) {
		for _, n := range []int64{2, 3, 5} {
			t.Run(fmt.Sprintf("%s %d", strings.TrimPrefix(path, folder), n), func(t *testing.T) {
				m := readModule(t, path)
				var args []*literal.Literal
				for i, p := range m.Entry.Parameters {
					args = append(args, ofSize(t, p.Shape, n, uint64(i)+1))
				}
				sameWhenRefined(t, m, args)
			})
		}
	}
}

func readModule(t *testing.T, path string) *hlo.Module {
	t.Helper()
	src, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	m, err := xla.Read(xla.Program{Name: path, Source: src})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// ofSize is an argument whose unknown dimensions have n elements; a scalar integer is n.
func ofSize(t *testing.T, s shape.Shape, n int64, seed uint64) *literal.Literal {
	t.Helper()
	if s.IsScalar() && s.Type.IsInteger() {
		return literal.ScalarOfInt(s.Type, n)
	}
	dims := slices.Clone(s.Dims)
	for d := range dims {
		if dims[d] == shape.Unbounded {
			dims[d] = n
		}
	}
	return drawn(t, shape.Array(s.Type, dims...).String(), seed)
}

// drawn is an array of small random numbers.
func drawn(t *testing.T, text string, seed uint64) *literal.Literal {
	t.Helper()
	s, err := shape.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	wide := literal.Zeros(s.WithType(shape.F64).WithoutLayout())
	v, err := literal.View[float64](wide)
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(seed, 7))
	for i := range v {
		if v[i] = r.NormFloat64(); !s.Type.IsFloat() && !s.Type.IsComplex() {
			v[i] = float64(r.IntN(40))
		}
	}
	l, err := literal.Convert(wide, s.Type)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// sameWhenRefined refines m for args and evaluates both programs.
func sameWhenRefined(t *testing.T, m *hlo.Module, args []*literal.Literal) {
	t.Helper()
	known := make([]pass.Argument, len(args))
	for i, a := range args {
		known[i].Shape = a.Shape()
	}
	static, err := pass.Refine(m, known)
	var needs *pass.NeedsValues
	for errors.As(err, &needs) {
		for _, i := range needs.Parameters {
			if known[i].Value != nil {
				t.Fatalf("%v, which it has", err)
			}
			known[i].Value = args[i]
		}
		static, err = pass.Refine(m, known)
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := hlo.Verify(static); err != nil {
		t.Fatalf("%v in\n%s", err, static.Text())
	}
	for _, c := range static.Computations {
		for _, in := range c.Instructions {
			if in.IsDynamic() || hlo.TakesSizes(in.Op) {
				t.Errorf("%s %s %v is dynamic still", in.Name, in.Op, in.Shape)
			}
		}
	}
	want, err := hlo.Evaluate(context.Background(), m, args, hlo.EvalOptions{})
	if err != nil {
		t.Fatalf("the dynamic program: %v", err)
	}
	got, err := hlo.Evaluate(context.Background(), static, args, hlo.EvalOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if d := literal.Compare(got, want, literal.Tolerance{Bits: true}); d != nil {
		t.Errorf("%v\n%s", d, static.Text())
	}
}

// TestDynamicExecutable runs one executable at several sizes: each has a static program, and there is a bound on them.
func TestDynamicExecutable(t *testing.T) {
	c := newClient(t, xla.ClientOptions{})
	exe, err := c.Compile(context.Background(), xla.Program{Name: "sum.mlir", Source: []byte(`
func.func @main(%x: tensor<?xf32>) -> (tensor<f32>, tensor<i32>) {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %s = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [0] : (tensor<?xf32>, tensor<f32>) -> tensor<f32>
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?xf32>) -> tensor<i32>
  return %s, %n : tensor<f32>, tensor<i32>
}`)}, xla.CompileOptions{AllowReference: true})
	if err != nil {
		t.Fatal(err)
	}
	defer exe.Close()
	for n := range int64(70) {
		n %= 40
		x := make([]float32, n)
		for i := range x {
			x[i] = float32(i)
		}
		sum, size := runSum(t, c, exe, x)
		if want := float32(n*(n-1)) / 2; sum != want || size != int32(n) {
			t.Errorf("%d elements: got sum %v and size %d, want %v", n, sum, size, want)
		}
		for _, s := range exe.Report() {
			if strings.Contains(s.Kernel, "dynamic") {
				t.Errorf("%s runs on %s, want a static program", s.Op, s.Kernel)
			}
		}
	}
}

func runSum(t *testing.T, c *xla.Client, exe *xla.Executable, x []float32) (sum float32, size int32) {
	t.Helper()
	l, err := literal.FromSlice(x, int64(len(x)))
	if err != nil {
		t.Fatal(err)
	}
	b, err := c.FromLiteral(l)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	var sums [1]float32
	var sizes [1]int32
	if err := exe.ExecuteInto(context.Background(), xla.RunOptions{}, []any{sums[:], sizes[:]}, b); err != nil {
		t.Fatal(err)
	}
	return sums[0], sizes[0]
}

// TestDynamicForms runs small programs that refine in their own ways, or not at all.
func TestDynamicForms(t *testing.T) {
	cases := []struct{ name, text, in, want string }{
		{"sizes from a scalar argument", `
func.func @main(%n: tensor<i32>) -> tensor<?xi32> {
  %s = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %r = stablehlo.dynamic_iota %s, dim = 0 : (tensor<1xi32>) -> tensor<?xi32>
  return %r : tensor<?xi32>
}`, "s32[]=3", "s32[3] {0, 1, 2}"},
		{"sizes from data run as they are", `
func.func @main(%x: tensor<?xi32>) -> tensor<?xi32> {
  %z = stablehlo.constant dense<0> : tensor<i32>
  %n = stablehlo.reduce(%x init: %z) applies stablehlo.maximum across dimensions = [0] : (tensor<?xi32>, tensor<i32>) -> tensor<i32>
  %s = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %r = stablehlo.dynamic_iota %s, dim = 0 : (tensor<1xi32>) -> tensor<?xi32>
  return %r : tensor<?xi32>
}`, "s32[100]=2", "s32[2] {0, 1}"},
		{"a loop that grows its array runs as it is", `
func.func @main(%x: tensor<?xi32>) -> tensor<?xi32> {
  %four = stablehlo.constant dense<9> : tensor<i32>
  %0 = stablehlo.while(%a = %x) : tensor<?xi32>
  cond {
    %n = stablehlo.get_dimension_size %a, dim = 0 : (tensor<?xi32>) -> tensor<i32>
    %p = stablehlo.compare LT, %n, %four : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %b = stablehlo.concatenate %a, %a, dim = 0 : (tensor<?xi32>, tensor<?xi32>) -> tensor<?xi32>
    stablehlo.return %b : tensor<?xi32>
  }
  %n = stablehlo.get_dimension_size %0, dim = 0 : (tensor<?xi32>) -> tensor<i32>
  %s = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %r = stablehlo.dynamic_iota %s, dim = 0 : (tensor<1xi32>) -> tensor<?xi32>
  return %r : tensor<?xi32>
}`, "s32[5]=1", "s32[10] {0, 1, 2, 3, 4, 5, 6, 7, 8, 9}"},
		{"a loop whose size is carried", `
func.func @main(%x: tensor<?xi32>) -> tensor<?xi32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?xi32>) -> tensor<i32>
  %0:3 = stablehlo.while(%a = %x, %m = %n, %i = %zero) : tensor<?xi32>, tensor<i32>, tensor<i32>
  cond {
    %p = stablehlo.compare LT, %i, %m : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %s = stablehlo.reshape %m : (tensor<i32>) -> tensor<1xi32>
    %b = stablehlo.dynamic_broadcast_in_dim %i, %s, dims = [] : (tensor<i32>, tensor<1xi32>) -> tensor<?xi32>
    %c = stablehlo.add %a, %b : tensor<?xi32>
    %j = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %c, %m, %j : tensor<?xi32>, tensor<i32>, tensor<i32>
  }
  return %0#0 : tensor<?xi32>
}`, "s32[3]=5", "s32[3] {8, 8, 8}"},
		{"an assertion that fails", `
func.func @main(%x: tensor<?xi32>) -> tensor<?xi32> {
  %c = stablehlo.constant dense<4> : tensor<i32>
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?xi32>) -> tensor<i32>
  %p = stablehlo.compare GE, %n, %c : (tensor<i32>, tensor<i32>) -> tensor<i1>
  stablehlo.custom_call @shape_assertion(%p, %n) {error_message = "want 4 or more, got {0}", has_side_effect = true} : (tensor<i1>, tensor<i32>) -> ()
  return %x : tensor<?xi32>
}`, "s32[3]=5", "shape assertion failed: want 4 or more, got 3"},
		{"a custom call with the sizes of its result", `
func.func @main(%x: tensor<?xi32>) -> tensor<?xi32> {
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?xi32>) -> tensor<i32>
  %s = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %r = stablehlo.custom_call @operands(%x, %s) {indices_of_shape_operands = dense<[1]> : tensor<1xi64>} : (tensor<?xi32>, tensor<1xi32>) -> tensor<?xi32>
  return %r : tensor<?xi32>
}`, "s32[3]=5", "s32[3] {1, 1, 1}"},
		{"a top-k whose k is a size", topK("", "", ""), "s32[4]=5", "s32[3] {3, 2, 1}"},
		{"a top-k with k and the sizes of its results",
			topK(", %t, %t", ", tensor<1xi32>, tensor<1xi32>", "indices_of_shape_operands = dense<[5, 6]> : tensor<2xi64>, "),
			"s32[4]=5", "s32[3] {3, 2, 1}"},
		{"branches of one size", `
func.func @main(%p: tensor<i1>, %x: tensor<?xi32>) -> tensor<?xi32> {
  %0 = "stablehlo.if"(%p) ({
    %a = stablehlo.add %x, %x : tensor<?xi32>
    stablehlo.return %a : tensor<?xi32>
  }, {
    stablehlo.return %x : tensor<?xi32>
  }) : (tensor<i1>) -> tensor<?xi32>
  return %0 : tensor<?xi32>
}`, "pred[]=true s32[2]=5", "s32[2] {10, 10}"},
	}
	c := newClient(t, xla.ClientOptions{Handlers: xla.HandlerMap{"operands": countOperands}})
	for _, k := range cases {
		t.Run(k.name, func(t *testing.T) {
			if got := runForm(t, c, k.text, k.in); !strings.Contains(got, k.want) {
				t.Errorf("%s of %s: got %s, want %s", k.text, k.in, got, k.want)
			}
		})
	}
}

// topK is a program of a top-k whose k is a size, with more operands, of the types, and attributes.
func topK(operands, types, attributes string) string {
	return `
func.func private @greater(%a: tensor<i32>, %b: tensor<i32>, %i: tensor<i32>, %j: tensor<i32>) -> tensor<i1> {
  %0 = stablehlo.compare GT, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>
  return %0 : tensor<i1>
}
func.func @main(%x: tensor<?xi32>) -> tensor<?xi32> {
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?xi32>) -> tensor<i32>
  %s = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %i = stablehlo.dynamic_iota %s, dim = 0 : (tensor<1xi32>) -> tensor<?xi32>
  %m = stablehlo.constant dense<-1> : tensor<i32>
  %k = stablehlo.add %n, %m : tensor<i32>
  %t = stablehlo.reshape %k : (tensor<i32>) -> tensor<1xi32>
  %r:2 = stablehlo.custom_call @stablehlo.dynamic_approx_top_k(%i, %i, %m, %m, %k` + operands + `) {` + attributes + `
    called_computations = [@greater],
    mhlo.backend_config = {aggregate_to_topk = true, recall_target = 0.9 : f32, reduction_dim = 0 : i64}} :
    (tensor<?xi32>, tensor<?xi32>, tensor<i32>, tensor<i32>, tensor<i32>` + types + `) -> (tensor<?xi32>, tensor<?xi32>)
  return %r#0 : tensor<?xi32>
}`
}

// countOperands fills its result with the number of its operands.
func countOperands(_ context.Context, c *hlo.Instruction, args []*literal.Literal) (*literal.Literal, error) {
	n, _ := c.Shape.CheckedSize()
	return literal.FromSlice(slices.Repeat([]int32{int32(len(args))}, int(n)), c.Shape.Dims...)
}

// runForm runs a program on arrays that are filled with a number each, and returns its result or its error as text.
func runForm(t *testing.T, c *xla.Client, text, in string) string {
	t.Helper()
	exe, err := c.Compile(context.Background(), xla.Program{Source: []byte(text)}, xla.CompileOptions{AllowReference: true})
	if err != nil {
		t.Fatal(err)
	}
	defer exe.Close()
	var args []*xla.Buffer
	for _, word := range strings.Fields(in) {
		name, value, _ := strings.Cut(word, "=")
		s, err := shape.Parse(name)
		if err != nil {
			t.Fatal(err)
		}
		one, err := literal.ParseElement(s.Type, value)
		if err != nil {
			t.Fatal(err)
		}
		n, _ := s.CheckedSize()
		l, err := literal.FromBytes(s.WithoutLayout(), slices.Repeat(one, int(n)))
		if err != nil {
			t.Fatal(err)
		}
		b, err := c.FromLiteral(l)
		if err != nil {
			t.Fatal(err)
		}
		defer b.Close()
		args = append(args, b)
	}
	out, err := exe.Execute(context.Background(), args...)
	if err != nil {
		return err.Error()
	}
	defer out[0].Close()
	l, err := out[0].Literal()
	if err != nil {
		t.Fatal(err)
	}
	return l.String()
}

// TestRefineNestedLoops wants loops in loops to be given up, not followed for ever: each level has a value of its own
// that changes, so that its body is gone through twice.
func TestRefineNestedLoops(t *testing.T) {
	var b strings.Builder
	b.WriteString("HloModule nest\nmore (p: (s32[], s32[?])) -> pred[] {\n p = (s32[], s32[?]) parameter(0)\n" +
		" ROOT n = pred[] constant(false)\n}\n")
	body := "p = (s32[], s32[?]) parameter(0)\n i = s32[] get-tuple-element(p), index=0\n" +
		" x = s32[?] get-tuple-element(p), index=1\n one = s32[] constant(1)\n j = s32[] add(i, one)\n" +
		" t = (s32[], s32[?]) tuple(one, x)\n"
	for k := range 40 {
		inner := " ROOT r = (s32[], s32[?]) tuple(j, x)\n"
		if k > 0 {
			inner = fmt.Sprintf(" ROOT r = (s32[], s32[?]) while(t), condition=more, body=b%d\n", k-1)
		}
		fmt.Fprintf(&b, "b%d (p: (s32[], s32[?])) -> (s32[], s32[?]) {\n %s%s}\n", k, body, inner)
	}
	b.WriteString("ENTRY main (x: s32[?]) -> (s32[], s32[?]) {\n x = s32[?] parameter(0)\n z = s32[] constant(0)\n" +
		" t = (s32[], s32[?]) tuple(z, x)\n ROOT w = (s32[], s32[?]) while(t), condition=more, body=b39\n}\n")
	m, err := hlo.Parse([]byte(b.String()), "nest.hlo")
	if err != nil {
		t.Fatal(err)
	}
	_, err = pass.Refine(m, []pass.Argument{{Shape: shape.Array(shape.S32, 3)}})
	if !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("got %v, want that it is given up", err)
	}
}
