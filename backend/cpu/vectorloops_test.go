package cpu_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/halo-xla/halo/backend/cpu"
	"github.com/halo-xla/halo/backend/cpu/scalar"
	"github.com/halo-xla/halo/cgo/loops/run"
	"github.com/halo-xla/halo/xla/exec"
	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/literal"
)

// vectorBody writes the body of a loop on vectors of n numbers at random: values by type and shape.
type vectorBody struct {
	*rand.Rand
	n, count int
	text     strings.Builder
	values   map[string][]string // by shape
	comps    []string
}

func (b *vectorBody) shape(t string) string { return fmt.Sprintf("%s[%d]", t, b.n) }

func (b *vectorBody) op(shape, op, attrs string, operands ...string) string {
	b.count++
	name := fmt.Sprintf("v%d", b.count)
	if attrs != "" {
		attrs = ", " + attrs
	}
	fmt.Fprintf(&b.text, "  %s = %s %s(%s)%s\n", name, shape, op, strings.Join(operands, ", "), attrs)
	b.values[shape] = append(b.values[shape], name)
	return name
}

// any returns a value of a shape; there is one of each.
func (b *vectorBody) any(shape string) string { return b.pick(b.values[shape]) }

func (b *vectorBody) pick(list []string) string { return list[b.IntN(len(list))] }

func (b *vectorBody) index() string { return b.any("s32[]") }

// step writes one operation.
func (b *vectorBody) step() {
	t := b.pick([]string{"s32", "u32", "f32"})
	v, p, one := b.shape(t), b.shape("pred"), t+"[]"
	x := func() string { return b.any(v) }
	ints := []string{"and", "or", "xor", "shift-left", "shift-right-logical", "shift-right-arithmetic", "divide",
		"remainder", "maximum", "minimum", "multiply"}
	floats := []string{"add", "subtract", "multiply", "divide", "maximum", "minimum"}
	switch b.IntN(17) {
	case 0, 1:
		b.op(v, b.pick([]string{"add", "subtract", "multiply"}), "", x(), x())
	case 2:
		if t == "f32" {
			b.op(v, b.pick(floats), "", x(), x())
		} else {
			b.op(v, b.pick(ints), "", x(), x())
		}
	case 3:
		b.op(p, "compare", "direction="+b.pick([]string{"EQ", "NE", "LT", "LE", "GT", "GE"}), x(), x())
	case 4:
		b.op(v, "select", "", b.any(p), x(), x())
	case 5:
		from := b.pick([]string{"s32", "u32", "f32", "pred"})
		b.op(v, "convert", "", b.any(b.shape(from)))
	case 6:
		b.op(v, "broadcast", "dimensions={}", b.any(one))
	case 7:
		b.op(one, "reshape", "", b.op(t+"[1]", "dynamic-slice", "dynamic_slice_sizes={1}", x(), b.index()))
	case 8:
		b.op(v, "dynamic-update-slice", "", x(), b.op(t+"[1]", "reshape", "", b.any(one)), b.index())
	case 9:
		b.op(one, b.pick([]string{"add", "subtract", "multiply"}), "", b.any(one), b.any(one))
	case 10:
		m := 1 + b.IntN(b.n-1)
		left := b.op(fmt.Sprintf("%s[%d]", t, m), "slice", fmt.Sprintf("slice={[%d:%d]}", b.n-m, b.n), x())
		right := b.op(fmt.Sprintf("%s[%d]", t, b.n-m), "slice", fmt.Sprintf("slice={[0:%d]}", b.n-m), x())
		b.op(v, "concatenate", "dimensions={0}", left, right)
	case 11:
		m := 1 + b.IntN(b.n)
		w := fmt.Sprintf("%s[%d]", t, m)
		u := b.op(w, "dynamic-slice", fmt.Sprintf("dynamic_slice_sizes={%d}", m), x(), b.index())
		b.op(v, "dynamic-update-slice", "", x(), u, b.index())
	case 12:
		op := b.pick([]string{"add", "maximum", "minimum"})
		if t == "f32" {
			op = b.pick([]string{"maximum", "minimum"})
		}
		b.count++
		b.comps = append(b.comps, fmt.Sprintf("r%d {\n  a = %s parameter(0)\n  b = %s parameter(1)\n  ROOT c = %s %s(a, b)\n}\n",
			b.count, one, one, one, op))
		b.op(one, "reduce", fmt.Sprintf("dimensions={0}, to_apply=r%d", b.count), x(), b.any(one))
	case 13:
		if b.op(v, "negate", "", x()); t != "u32" {
			b.op(v, "abs", "", x())
		}
	case 14:
		b.op(p, b.pick([]string{"and", "or", "xor"}), "", b.any(p), b.any(p))
		b.op(p, "not", "", b.any(p))
	case 15:
		b.branch(v)
	case 16:
		b.rows(t)
	}
}

// rows writes a reduction of the rows of a matrix to a vector, or to the greatest of each column and where it is.
// Few rows: registers are few, too.
func (b *vectorBody) rows(t string) {
	v, rows := b.shape(t), 1+b.IntN(min(max(160/b.n, 1), b.n-1))
	m := fmt.Sprintf("%s[%d,%d]", t, rows, b.n)
	few := b.op(fmt.Sprintf("%s[%d]", t, rows), "slice", fmt.Sprintf("slice={[0:%d]}", rows), b.any(v))
	columns, lines := b.op(m, "broadcast", "dimensions={0}", few), b.op(m, "broadcast", "dimensions={1}", b.any(v))
	x := b.op(m, "subtract", "", columns, lines)
	b.count++
	attrs := fmt.Sprintf("dimensions={0}, to_apply=r%d", b.count)
	if b.IntN(2) == 0 {
		b.comps = append(b.comps, fmt.Sprintf("r%[1]d {\n  a = %[2]s[] parameter(0)\n  b = %[2]s[] parameter(1)\n"+
			"  ROOT c = %[2]s[] %[3]s(b, a)\n}\n", b.count, t, b.pick([]string{"maximum", "subtract"})))
		b.op(v, "reduce", attrs, x, b.any(t+"[]"))
		return
	}
	b.comps = append(b.comps, fmt.Sprintf("r%[1]d {\n  a = %[2]s[] parameter(0)\n  p = s32[] parameter(1)\n"+
		"  b = %[2]s[] parameter(2)\n  q = s32[] parameter(3)\n  g = pred[] compare(a, b), direction=GE\n"+
		"  c = %[2]s[] select(g, a, b)\n  d = s32[] select(g, p, q)\n  ROOT e = (%[2]s[], s32[]) tuple(c, d)\n}\n",
		b.count, t))
	places := b.op(fmt.Sprintf("s32[%d,%d]", rows, b.n), "iota", "iota_dimension=0")
	both := b.op(fmt.Sprintf("(%s, %s)", v, b.shape("s32")), "reduce", attrs, x, places, b.any(t+"[]"), b.index())
	b.op(v, "get-tuple-element", "index=0", both)
	b.op(b.shape("s32"), "get-tuple-element", "index=1", both)
}

// branch writes a conditional that does one of two things to a vector.
func (b *vectorBody) branch(v string) {
	b.count++
	for k, op := range []string{"add", "subtract"} {
		second := b.pick([]string{"a", "b"})
		b.comps = append(b.comps, fmt.Sprintf("b%d_%d {\n  s = (%s, %s) parameter(0)\n  a = %s get-tuple-element(s), index=0\n"+
			"  b = %s get-tuple-element(s), index=1\n  ROOT c = %s %s(a, %s)\n}\n", b.count, k, v, v, v, v, v, op, second))
	}
	n := b.count
	pair := b.op(fmt.Sprintf("(%s, %s)", v, v), "tuple", "", b.any(v), b.any(v))
	b.op(v, "conditional", fmt.Sprintf("branch_computations={b%d_0, b%d_1}", n, n), b.index(), pair, pair)
}

// vectorLoop returns a program with a random loop.
func vectorLoop(r *rand.Rand) string {
	n := []int{9, 15, 16, 17, 31, 32, 33, 64, 100, 127, 256, 300, 512}[r.IntN(13)]
	b := &vectorBody{Rand: r, n: n, values: map[string][]string{}}
	var state []string
	for _, t := range []string{"s32", "u32", "f32", "pred"} {
		state = append(state, b.shape(t))
	}
	state = append(state, "s32[]", "u32[]", "f32[]", b.shape("s32"), b.shape("f32"))
	tuple := "(s32[], " + strings.Join(state, ", ") + ")"
	for k, s := range state {
		b.op(s, "get-tuple-element", fmt.Sprintf("index=%d", k+1), "s")
	}
	b.values["s32[]"] = append(b.values["s32[]"], "i")
	for range 3 + r.IntN(14) {
		b.step()
	}
	next, names, parameters := []string{"k"}, []string{}, ""
	for k, s := range state {
		next, names = append(next, b.any(s)), append(names, fmt.Sprintf("p%d", k))
		parameters += fmt.Sprintf("  p%d = %s parameter(%d)\n", k, s, k)
	}
	return fmt.Sprintf("HloModule m\n%sbody {\n  s = %s parameter(0)\n  i = s32[] get-tuple-element(s), index=0\n"+
		"  one = s32[] constant(1)\n  k = s32[] add(i, one)\n%s  ROOT t = %s tuple(%s)\n}\n"+
		"more {\n  s = %s parameter(0)\n  i = s32[] get-tuple-element(s), index=0\n  n = s32[] constant(5)\n"+
		"  ROOT c = pred[] compare(i, n), direction=LT\n}\nENTRY e {\n  i = s32[] constant(0)\n%s"+
		"  s = %s tuple(i, %s)\n  ROOT w = %s while(s), condition=more, body=body\n}\n",
		strings.Join(b.comps, ""), tuple, b.text.String(), tuple, strings.Join(next, ", "), tuple, parameters, tuple,
		strings.Join(names, ", "), tuple)
}

// functionLoop applies a function to numbers that move on by a place in each of 64 rounds.
const functionLoop = `HloModule m
body {
  s = (s32[], f32[64], f32[64]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  x = f32[64] get-tuple-element(s), index=1
  one = s32[] constant(1)
  k = s32[] add(i, one)
  a = f32[63] slice(x), slice={[1:64]}
  b = f32[1] slice(x), slice={[0:1]}
  c = f32[64] concatenate(a, b), dimensions={0}
  y = f32[64] FUNCTION(c)
  ROOT t = (s32[], f32[64], f32[64]) tuple(k, c, y)
}
more {
  s = (s32[], f32[64], f32[64]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  n = s32[] constant(64)
  ROOT c = pred[] compare(i, n), direction=LT
}
ENTRY e {
  i = s32[] constant(0)
  x = f32[64] parameter(0)
  s = (s32[], f32[64], f32[64]) tuple(i, x, x)
  ROOT w = (s32[], f32[64], f32[64]) while(s), condition=more, body=body
}
`

// TestVectorFunctions holds the functions of vectors against the reference.
func TestVectorFunctions(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 9))
	for _, f := range []string{"exponential", "exponential-minus-one", "log", "log-plus-one", "logistic", "tanh", "erf",
		"sine", "cosine", "rsqrt", "sqrt", "floor", "ceil", "round-nearest-afz", "round-nearest-even", "sign", "abs"} {
		m, err := hlo.Parse([]byte(strings.Replace(functionLoop, "FUNCTION", f, 1)), "m.hlo")
		if err != nil {
			t.Fatal(err)
		}
		loop, err := scalar.CompileLoop(m.Entry.Root, nil)
		if run.Available() && (err != nil || !strings.Contains(loop.String(), "VecStore")) {
			t.Errorf("a loop with %s is no program on vectors: %v", f, err)
		}
		holdFunction(t, r, f, m)
	}
}

// TestLoopsOfPairs runs loops with functions of two numbers, which vectors have no instructions for.
func TestLoopsOfPairs(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 10))
	for _, f := range []string{"power", "atan2", "remainder"} {
		m, err := hlo.Parse([]byte(strings.Replace(functionLoop, "FUNCTION(c)", f+"(c, x)", 1)), "m.hlo")
		if err != nil {
			t.Fatal(err)
		}
		if loop, err := scalar.CompileLoop(m.Entry.Root, nil); err == nil && strings.Contains(loop.String(), "VecStore") {
			t.Fatalf("a loop with %s is a program on vectors", f)
		}
		holdFunction(t, r, f, m)
	}
}

// holdFunction holds loops with function f against the reference, for numbers of all sizes and what is none.
func holdFunction(t *testing.T, r *rand.Rand, f string, m *hlo.Module) {
	t.Helper()
	for range 20 {
		x := anyBits(r, m.Entry.Parameters[0].Shape)
		if r.IntN(2) == 0 {
			x = random(r, x.Shape())
		}
		args := [][]*literal.Literal{{x}}
		want, err := hlo.EvaluateAll(context.Background(), m, args, hlo.EvalOptions{}, 1, 1)
		if err != nil {
			t.Fatal(err)
		}
		p, err := cpu.New(cpu.Options{Threads: 1}).Compile(context.Background(), m, exec.Options{})
		if err != nil {
			t.Fatal(err)
		}
		got, err := p.Run(context.Background(), args, exec.RunOptions{})
		p.Close()
		if err != nil {
			t.Fatal(err)
		}
		if d := literal.Compare(got[0], want[0], literal.Tolerance{ULP: 3}); d != nil {
			t.Errorf("%s: %v", f, d)
		}
	}
}

// TestVectorLoops runs random loops on vectors of numbers of 32 bits as the reference does, of which elements, windows
// and sums are taken and branches are chosen.
func TestVectorLoops(t *testing.T) {
	const seeds = 250
	programs := 0
	for seed := range uint64(seeds) {
		text := vectorLoop(rand.New(rand.NewPCG(seed, 21)))
		m, err := hlo.Parse([]byte(text), "m.hlo")
		if err == nil {
			err = hlo.Verify(m)
		}
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, text)
		}
		r := rand.New(rand.NewPCG(seed, 5))
		var args []*literal.Literal
		for _, in := range m.Entry.Parameters {
			args = append(args, random(r, in.Shape))
		}
		if p, err := scalar.CompileLoop(m.Entry.Root, nil); err == nil && strings.Contains(p.String(), "VecStore") {
			programs++
		}
		want, err := hlo.EvaluateAll(context.Background(), m, [][]*literal.Literal{args}, hlo.EvalOptions{}, 1, 1)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		p, err := cpu.New(cpu.Options{Threads: 2}).Compile(context.Background(), m, exec.Options{})
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		got, err := p.Run(context.Background(), [][]*literal.Literal{args}, exec.RunOptions{})
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		p.Close()
		if d := literal.Compare(got[0], want[0], literal.Tolerance{}); d != nil {
			t.Errorf("seed %d: %v\n%s", seed, d, text)
			return
		}
	}
	if run.Available() && programs < seeds*3/4 {
		t.Errorf("only %d of %d loops are programs on vectors", programs, seeds)
	}
}

// TestVectorMachine runs such loops in Go, as those are that native code lacks an instruction for.
func TestVectorMachine(t *testing.T) {
	ran := 0
	for seed := range uint64(60) {
		m, err := hlo.Parse([]byte(vectorLoop(rand.New(rand.NewPCG(seed, 22)))), "m.hlo")
		if err != nil {
			t.Fatal(err)
		}
		p, err := scalar.CompileLoop(m.Entry.Root, nil)
		if err != nil || !strings.Contains(p.String(), "VecStore") {
			continue
		}
		ran++
		r, streams := rand.New(rand.NewPCG(seed, 5)), []scalar.Stream{{Data: make([]byte, 4)}} // the loop begins with 0
		var args []*literal.Literal
		for _, in := range m.Entry.Parameters {
			args = append(args, random(r, in.Shape))
			streams = append(streams, scalar.Stream{Data: args[len(args)-1].Bytes()})
		}
		want, err := hlo.EvaluateAll(context.Background(), m, [][]*literal.Literal{args}, hlo.EvalOptions{}, 1, 1)
		if err != nil {
			t.Fatal(err)
		}
		got := literal.Zeros(m.Entry.Root.Shape)
		for _, l := range got.Leaves() {
			streams = append(streams, scalar.Stream{Data: l.Bytes()})
		}
		if err := p.Machine(context.Background()).Apply(1, streams); err != nil {
			t.Fatal(err)
		}
		if d := literal.Compare(got, want[0], literal.Tolerance{}); d != nil {
			t.Errorf("seed %d: %v", seed, d)
		}
	}
	if run.Available() && ran == 0 {
		t.Error("no loop is a program on vectors")
	}
}
