package hlo

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/halo-xla/halo/internal/testfile"
	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// randomScalars makes a computation of a few random ops on scalars of random types.
type randomScalars struct {
	r      *rand.Rand
	b      *Builder
	values []*Instruction
}

var scalarTypes = []shape.ElementType{shape.Pred, shape.S8, shape.S32, shape.S64, shape.U4, shape.U16, shape.U64,
	shape.F16,
	shape.BF16, shape.F32, shape.F64, shape.C64, shape.C128, shape.F8E4M3FN}

// one returns a value of type t made before, or a conversion of one.
func (g *randomScalars) one(t shape.ElementType) *Instruction {
	start := g.r.IntN(len(g.values))
	for i := range g.values {
		if v := g.values[(start+i)%len(g.values)]; v.Shape.Type == t {
			return v
		}
	}
	return g.b.ConvertElementType(g.values[start], t)
}

func (g *randomScalars) step() *Instruction {
	t := scalarTypes[g.r.IntN(len(scalarTypes))]
	switch g.r.IntN(8) {
	case 0:
		x := g.one(t)
		return g.b.Compare(x, g.one(t), CompareAttrs{Direction: Direction(g.r.IntN(2))})
	case 1:
		return g.b.Select(g.one(shape.Pred), g.one(t), g.one(t))
	case 2:
		return g.b.GetTupleElement(g.b.Tuple(g.one(t), g.one(shape.F32)), 0)
	case 3:
		if t.IsFloat() {
			return g.b.IsFinite(g.one(t))
		}
		return g.b.Copy(g.one(t))
	case 4:
		if t.IsFloat() && t.Bits() > 8 {
			return g.b.ReducePrecision(g.one(t), int64(1+g.r.IntN(8)), int64(g.r.IntN(10)))
		}
		if !t.IsComplex() {
			return g.b.Clamp(g.one(t), g.one(t), g.one(t))
		}
		return g.b.Complex(g.b.Real(g.one(t)), g.b.Imag(g.one(t)))
	case 5:
		return g.b.BitcastConvertType(g.one(shape.F32), shape.S32)
	}
	for {
		op := Opcode(g.r.IntN(int(NumOps)))
		s := op.Info().Scalar
		if s == nil || !s.defines(t.Class()) {
			continue
		}
		if n, _ := op.Info().Arity(); n == 1 {
			return g.b.unary(op, g.one(t))
		}
		return g.b.binary(op, nil, g.one(t), g.one(t), nil)
	}
}

func randomLiteral(r *rand.Rand, t shape.ElementType) *literal.Literal {
	special := []float64{0, math.Copysign(0, -1), 1, -1, 0.5, 3, -7.25, 300, 1e10, math.Inf(1), math.NaN()}
	v := special[r.IntN(len(special))]
	if r.IntN(2) == 0 {
		v = r.NormFloat64() * 10
	}
	return literal.ScalarOf(t, v)
}

// The compiled form of a computation and a call of it agree, bit for bit but for NaNs.
func TestApplierAgainstCall(t *testing.T) {
	seed := testfile.Seed(t)
	r := rand.New(rand.NewPCG(seed, 0))
	e := &Evaluator{ctx: context.Background()}
	for range 2000 {
		g := &randomScalars{r: r, b: NewBuilder("random")}
		params := []shape.ElementType{scalarTypes[r.IntN(len(scalarTypes))], shape.F32, shape.S32}
		for i, p := range params {
			g.values = append(g.values, g.b.Parameter(int64(i), shape.Array(p), ""))
		}
		for range 1 + r.IntN(6) {
			g.values = append(g.values, g.step())
		}
		c, err := g.b.Build(g.b.Tuple(g.values...))
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		checkApplier(t, e, c, r, seed)
	}
}

func checkApplier(t *testing.T, e *Evaluator, c *Computation, r *rand.Rand, seed uint64) {
	t.Helper()
	ap, err := e.applier(c)
	if err != nil {
		t.Fatal(err)
	}
	if ap.plain != nil {
		t.Fatalf("seed %d: computation did not compile", seed)
	}
	for range 3 {
		var in []Cell
		var args []*literal.Literal
		for _, p := range c.Parameters {
			l := randomLiteral(r, p.Shape.Type)
			args, in = append(args, l), append(in, cellAt(l.Wide(), 0))
		}
		got, want := make([]Cell, len(c.Root.Operands)), make([]Cell, len(c.Root.Operands))
		if err := ap.apply(in, got); err != nil {
			t.Fatal(err)
		}
		result, err := e.Call(c, args)
		if err != nil {
			t.Fatal(err)
		}
		cellsOf(result, want)
		for i, o := range c.Root.Operands {
			g, w := got[i], want[i]
			if g.I != w.I || !sameFloat(g.F, w.F) || !sameFloat(g.Im, w.Im) {
				t.Fatalf("seed %d: %v %s of %v: compiled gives %v, a call gives %v", seed, o.Shape, o.Op, in, g, w)
			}
		}
	}
}

// TestApplierMagnitude wants magnitudes in compiled computations to be those of a call, where math.Hypot is off.
func TestApplierMagnitude(t *testing.T) {
	b := NewBuilder("magnitude")
	c, err := b.Build(b.Abs(b.Parameter(0, shape.Array(shape.C128), "")))
	if err != nil {
		t.Fatal(err)
	}
	ap, err := (&Evaluator{ctx: context.Background()}).applier(c)
	if err != nil {
		t.Fatal(err)
	}
	got := make([]Cell, 1)
	if err := ap.apply([]Cell{{F: 255, Im: 0.38830788879776007}}, got); err != nil {
		t.Fatal(err)
	}
	if want := 255.00029565280214; got[0].F != want { // 255.000295652802141165 by exact arithmetic
		t.Errorf("got %v, want %v", got[0].F, want)
	}
}

// A computation with an op that has no step runs all the same.
func TestApplierFallsBack(t *testing.T) {
	b := NewBuilder("body")
	x := b.Parameter(0, shape.Array(shape.S32), "x")
	c, err := b.Build(b.Reshape(b.Slice(b.Broadcast(x, []int64{3}), []int64{1}, []int64{2}, []int64{1}), nil))
	if err != nil {
		t.Fatal(err)
	}
	ap, err := (&Evaluator{ctx: context.Background()}).applier(c)
	if err != nil {
		t.Fatal(err)
	}
	out := make([]Cell, 1)
	if err := ap.apply([]Cell{{I: 5}}, out); err != nil || out[0].I != 5 {
		t.Errorf("got %v, %v, want 5", out, err)
	}
}

// A chain of computations that each call the one before twice would take forever to inline.
func TestApplierBounds(t *testing.T) {
	b := NewBuilder("leaf")
	c, err := b.Build(b.Parameter(0, shape.Array(shape.F32), "x"))
	if err != nil {
		t.Fatal(err)
	}
	for range 60 {
		b := NewBuilder("twice")
		c, err = b.Build(b.Call(c, b.Call(c, b.Parameter(0, shape.Array(shape.F32), "x"))))
		if err != nil {
			t.Fatal(err)
		}
	}
	ap, err := (&Evaluator{ctx: context.Background()}).applier(c)
	if err != nil || ap.plain == nil {
		t.Errorf("got %v, %v, want an applier that calls", ap, err)
	}
}

func TestApplierDoesNotAllocate(t *testing.T) {
	b := NewBuilder("body")
	x, y := b.Parameter(0, shape.Array(shape.F32), "x"), b.Parameter(1, shape.Array(shape.F32), "y")
	c, err := b.Build(b.Select(b.Ge(x, y), b.Mul(x, y), b.Tanh(y)))
	if err != nil {
		t.Fatal(err)
	}
	ap, err := (&Evaluator{ctx: context.Background()}).applier(c)
	if err != nil {
		t.Fatal(err)
	}
	in, out := []Cell{{F: 1}, {F: 2}}, make([]Cell, 1)
	if n := testing.AllocsPerRun(100, func() { _ = ap.apply(in, out) }); n != 0 {
		t.Errorf("%v allocations a run, want none", n)
	}
}

func TestSimpleReducer(t *testing.T) {
	build := func(f func(b *Builder, x, y *Instruction) *Instruction) *Computation {
		b := NewBuilder("body")
		x, y := b.Parameter(0, shape.Array(shape.F32), "x"), b.Parameter(1, shape.Array(shape.F32), "y")
		c, err := b.Build(f(b, x, y))
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	for _, k := range []struct {
		name string
		c    *Computation
		op   Opcode
		ok   bool
	}{
		{"add", build(func(b *Builder, x, y *Instruction) *Instruction { return b.Add(x, y) }), Add, true},
		{"max, swapped", build(func(b *Builder, x, y *Instruction) *Instruction { return b.Max(y, x) }), Maximum, true},
		{"sub", build(func(b *Builder, x, y *Instruction) *Instruction { return b.Sub(x, y) }), 0, false},
		{"one side", build(func(b *Builder, x, _ *Instruction) *Instruction { return b.Add(x, x) }), 0, false},
		{"more", build(func(b *Builder, x, y *Instruction) *Instruction { return b.Add(b.Neg(x), y) }), 0, false},
	} {
		if op, ok := simpleReducer(k.c); ok != k.ok || ok && op != k.op {
			t.Errorf("%s: got %v, %v, want %v, %v", k.name, op, ok, k.op, k.ok)
		}
	}
}
