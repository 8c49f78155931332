package cpu

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/halo-xla/halo/backend/cpu/tile"
	"github.com/halo-xla/halo/cgo/loops/pipeline"
	"github.com/halo-xla/halo/cgo/loops/run"
	"github.com/halo-xla/halo/internal/testfile"
	"github.com/halo-xla/halo/xla/exec"
	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
	"github.com/halo-xla/halo/xla/stablehlo"
)

func runModule(t *testing.T, m *hlo.Module, a *literal.Literal, backend exec.Backend) *literal.Literal {
	t.Helper()
	p, err := backend.Compile(context.Background(), m, exec.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	out, err := p.Run(context.Background(), [][]*literal.Literal{{a}}, exec.RunOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return out[0]
}

// TestIdiomFunctions compares what programs ask for with the functions, from which the operations are up to 66 units;
// the inverse of erf, where 1-x^2 is rounded, with its operations.
func TestIdiomFunctions(t *testing.T) {
	testfile.Native(t, run.Available())
	const count = 1 << 15
	x := make([]float32, count)
	for i := range x {
		if x[i] = float32(i-count/2) / (count / 18); i%3 == 0 {
			x[i] = float32(math.Ldexp(float64(x[i]), -i%30))
		}
	}
	a := vector(t, x)
	for op, truth := range map[string]func(float64) float64{"erfc": math.Erfc, "erf_inv": nil, "sinh": math.Sinh,
		"cosh": math.Cosh} {
		m := parsed(t, op, a)
		want := runModule(t, m, a, exec.Reference())
		if truth != nil {
			want = vector(t, applied(truth, x))
		}
		if d := literal.Compare(runModule(t, m, a, New(Options{})), want, literal.Tolerance{ULP: 2}); d != nil {
			t.Errorf("%s: %v at %v", op, d, x[d.First.Index[0]])
		}
	}
}

// TestInverseErfOfF64 compares the stage with the operations, whose logarithm and polynomials round more often.
func TestInverseErfOfF64(t *testing.T) {
	testfile.Native(t, run.Available())
	x := []float64{0, math.Copysign(0, -1), 1, -1, 2, math.Inf(1), math.NaN(), 1 - 0x1p-53, 1e-300, 5e-324}
	for i := range 30000 {
		x = append(x, float64(i-15000)/15000, math.Copysign(1-math.Exp(-float64(i)/900), float64(i%2)-0.5))
	}
	a, err := literal.FromSlice(x)
	if err != nil {
		t.Fatal(err)
	}
	m := parsed(t, "erf_inv", a)
	want := runModule(t, m, a, exec.Reference())
	if d := literal.Compare(runModule(t, m, a, New(Options{})), want, literal.Tolerance{ULP: 4}); d != nil {
		t.Errorf("%v at %v", d, x[d.First.Index[0]])
	}
}

// TestAbsoluteValuesOfParts compares the stage with the operations on pairs of numbers of all sizes.
func TestAbsoluteValuesOfParts(t *testing.T) {
	testfile.Native(t, run.Available())
	sizes := []float64{0, math.Copysign(0, -1), 1, -3, 1e-45, 1e-30, 1e-310, 1e30, 3e38, -1e300, math.Inf(1), math.Inf(-1),
		math.NaN()}
	for _, x := range absIdioms() {
		et := x.pattern.Parameters[0].Shape.Type
		w := literal.MakeWide(shape.FloatClass, 2*len(sizes)*len(sizes))
		n := len(w.F) / 2
		for i := range n {
			w.F[i], w.F[n+i] = sizes[i%len(sizes)], sizes[i/len(sizes)]
		}
		b := builder{hlo.NewBuilder("main")}
		all := b.Parameter(0, shape.Array(et, int64(2*n)), "all")
		re, im := b.SliceInDim(all, 0, int64(n), 1, 0), b.SliceInDim(all, int64(n), int64(2*n), 1, 0)
		c, err := b.Build(b.Map([]*hlo.Instruction{re, im}, x.pattern, []int64{0}))
		if err != nil {
			t.Fatal(err)
		}
		m := hlo.NewModule("abs", c)
		a := literal.FromWide(shape.Array(et, int64(2*n)), w)
		want := runModule(t, m, a, exec.Reference())
		if d := literal.Compare(runModule(t, m, a, New(Options{})), want, literal.Tolerance{ULP: 2}); d != nil {
			t.Errorf("%s: %v", et, d)
		}
	}
}

// parsed is a program of one function of CHLO.
func parsed(t *testing.T, op string, a *literal.Literal) *hlo.Module {
	t.Helper()
	text := fmt.Sprintf("func.func @main(%%x: %[1]s) -> %[1]s {\n%%r = chlo.%[2]s %%x : %[1]s -> %[1]s\n"+
		"return %%r : %[1]s }", a.Shape().MLIR(), op)
	p, err := stablehlo.Parse(stablehlo.Text{File: "test.mlir", Line: 1, Source: text})
	if err != nil {
		t.Fatal(err)
	}
	return p.Module
}

func vector(t *testing.T, x []float32) *literal.Literal {
	t.Helper()
	a, err := literal.FromSlice(x)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// applied is f of each element of x, rounded.
func applied(f func(float64) float64, x []float32) []float32 {
	y := make([]float32, len(x))
	for i, v := range x {
		y[i] = float32(f(float64(v)))
	}
	return y
}

// TestGelusAreFound wants the stage of GELU where erfc is multiplied by its argument and has no other use.
func TestGelusAreFound(t *testing.T) {
	for _, tc := range []struct {
		name  string
		want  string
		other func(b builder, x, y, e *hlo.Instruction) *hlo.Instruction
	}{
		{"x*erfc(-c*x)", "gelu_erfc", func(b builder, x, y, e *hlo.Instruction) *hlo.Instruction { return b.Mul(x, e) }},
		{"erfc(-c*x)*(x/2)", "gelu_erfc", func(b builder, x, y, e *hlo.Instruction) *hlo.Instruction {
			return b.Mul(e, b.Mul(b.number(0.5), x))
		}},
		{"erfc(-c*x)*y", "erfc", func(b builder, x, y, e *hlo.Instruction) *hlo.Instruction { return b.Mul(y, e) }},
		{"x*erfc(-c*x)+erfc(-c*x)", "erfc", func(b builder, x, y, e *hlo.Instruction) *hlo.Instruction {
			return b.Add(b.Mul(x, e), e)
		}},
	} {
		b := builder{hlo.NewBuilder("gelu")}
		x, y := b.Parameter(0, shape.Array(shape.F32), "x"), b.Parameter(1, shape.Array(shape.F32), "y")
		c, err := b.Build(tc.other(b, x, y, erfcOperations(b, b.Mul(b.Neg(x), b.number(math.Sqrt2/2)))))
		if err != nil {
			t.Fatal(err)
		}
		f := &fused{nodes: []node{{op: hlo.Parameter, t: shape.F32}, {op: hlo.Parameter, t: shape.F32}}}
		n, err := f.inline(c, []int{0, 1})
		if err != nil {
			t.Fatal(err)
		}
		f.roots = []int{n}
		f.useIdioms()
		if !slices.ContainsFunc(f.nodes, func(nd node) bool { return nd.stage == tc.want }) {
			t.Errorf("%s has no stage %s", tc.name, tc.want)
		}
	}
}

// TestIdiomsAreFound wants each pattern to become its stage.
func TestIdiomsAreFound(t *testing.T) {
	for _, idiom := range idioms() {
		f, args := &fused{}, []int{}
		for i, p := range idiom.pattern.Parameters {
			f.nodes, args = append(f.nodes, node{op: hlo.Parameter, t: p.Shape.Type}), append(args, i)
		}
		n, err := f.inline(idiom.pattern, args)
		if err != nil {
			t.Fatal(err)
		}
		f.roots = []int{n}
		f.useIdioms()
		if last := f.nodes[len(f.nodes)-1]; last.stage != idiom.stage {
			t.Errorf("%s is not found", idiom.stage)
		}
	}
}

// TestScalesAreOperands wants a number times a parameter to load the parameter, whichever stands first: sweeps have it so.
func TestScalesAreOperands(t *testing.T) {
	testfile.Native(t, run.Available())
	for _, first := range []bool{true, false} {
		b := builder{hlo.NewBuilder("scaled")}
		args := []*hlo.Instruction{b.Parameter(0, shape.Array(shape.F32), "x"), b.number(0.5)}
		if first {
			slices.Reverse(args)
		}
		c, err := b.Build(b.Mul(args[0], args[1]))
		if err != nil {
			t.Fatal(err)
		}
		f := &fused{dims: []int64{8}, nodes: []node{{op: hlo.Parameter, t: shape.F32, access: tile.Access{Strides: []int64{1}}}},
			inputs: make([]exec.Slice, 1), pack: func([]byte) exec.Slice { return exec.Slice{} }}
		n, err := f.inline(c, []int{0})
		if err != nil {
			t.Fatal(err)
		}
		f.roots = []int{n}
		p, ok := f.program(make([]exec.Slice, 1))
		if !ok || p.Stages[0].Name != "load" || p.Inputs[p.Stages[0].A].Kind == pipeline.Immediate {
			t.Errorf("the number first: %v: got %+v, want a load of the parameter", first, p)
		}
	}
}
