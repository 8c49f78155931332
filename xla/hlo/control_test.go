package hlo

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

var (
	predS = shape.Array(shape.Pred)
	s32S  = shape.Array(shape.S32)
	f32S  = shape.Array(shape.F32)
)

// build makes a computation of the root that f returns.
func build(t *testing.T, name string, f func(b *Builder) *Instruction) *Computation {
	t.Helper()
	b := NewBuilder(name)
	c, err := b.Build(f(b))
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return c
}

// buildError returns the error of a computation that must not build.
func buildError(t *testing.T, f func(b *Builder)) string {
	t.Helper()
	b := NewBuilder("bad")
	f(b)
	if b.Err() == nil {
		t.Fatal("got no error")
	}
	return b.Err().Error()
}

func identity(t *testing.T, s shape.Shape) *Computation {
	return build(t, "identity", func(b *Builder) *Instruction { return b.Parameter(0, s, "p") })
}

// run evaluates c as the entry of a module.
func run(t *testing.T, c *Computation, args ...*literal.Literal) *literal.Literal {
	t.Helper()
	m := NewModule("m", c)
	if err := Verify(m); err != nil {
		t.Fatal(err)
	}
	out, err := Evaluate(context.Background(), m, args, EvalOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// elems returns the elements of l.
func elems[T literal.Element](t *testing.T, l *literal.Literal) []T {
	t.Helper()
	v, err := literal.View[T](l)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func wantElems[T literal.Element](t *testing.T, what string, l *literal.Literal, want ...T) {
	t.Helper()
	got := elems[T](t, l)
	if len(got) != len(want) {
		t.Fatalf("%s: got %v, want %v", what, got, want)
	}
	for i := range got {
		if got[i] != want[i] {
			t.Fatalf("%s: got %v, want %v", what, got, want)
		}
	}
}

func wantError(t *testing.T, what, got string, parts ...string) {
	t.Helper()
	for _, p := range parts {
		if !strings.Contains(got, p) {
			t.Errorf("%s: got error %q, want %q in it", what, got, p)
		}
	}
}

// shifting is a while over (pred, pred, pred, s32, s32): it goes on as long as the first is true; the body shifts the
// predicates down and swaps the numbers, so it swaps as often as predicates are true before the first false one.
func shifting(t *testing.T) *Computation {
	state := shape.TupleOf(predS, predS, predS, s32S, s32S)
	cond := build(t, "cond", func(b *Builder) *Instruction { return b.GetTupleElement(b.Parameter(0, state, "s"), 0) })
	body := build(t, "body", func(b *Builder) *Instruction {
		p := b.Parameter(0, state, "s")
		g := func(i int64) *Instruction { return b.GetTupleElement(p, i) }
		return b.Tuple(g(1), g(2), ConstantR0(b, false), g(4), g(3))
	})
	return build(t, "main", func(b *Builder) *Instruction {
		var p [3]*Instruction
		for i := range p {
			p[i] = b.Parameter(int64(i), predS, "")
		}
		init := b.Tuple(p[0], p[1], p[2], ConstantR0(b, int32(7)), ConstantR0(b, int32(9)))
		return b.While(cond, body, init)
	})
}

func TestWhile(t *testing.T) {
	c := shifting(t)
	for _, tc := range []struct {
		preds [3]bool
		a, b  int32
	}{
		{[3]bool{false, true, true}, 7, 9}, // not once
		{[3]bool{true, false, true}, 9, 7},
		{[3]bool{true, true, false}, 7, 9},
		{[3]bool{true, true, true}, 9, 7}, // a body that swaps must not read what it wrote
	} {
		p := tc.preds
		out := run(t, c, literal.Scalar(p[0]), literal.Scalar(p[1]), literal.Scalar(p[2]))
		wantElems(t, "first", out.Elems()[3], tc.a)
		wantElems(t, "second", out.Elems()[4], tc.b)
	}
}

func TestWhileIsStopped(t *testing.T) {
	forever := build(t, "main", func(b *Builder) *Instruction {
		yes := build(t, "yes", func(b *Builder) *Instruction { b.Parameter(0, s32S, "p"); return ConstantR0(b, true) })
		return b.While(yes, identity(t, s32S), ConstantR0(b, int32(1)))
	})
	m := NewModule("forever", forever)
	if _, err := Evaluate(context.Background(), m, nil, EvalOptions{MaxSteps: 1000}); !errors.Is(err, ErrLimit) {
		t.Errorf("with a limit of steps: got %v, want ErrLimit", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() {
		_, err := Evaluate(ctx, m, nil, EvalOptions{})
		done <- err
	}()
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: got %v, want context.Canceled", err)
	}
}

func TestWhileErrors(t *testing.T) {
	id := identity(t, s32S)
	yes := build(t, "yes", func(b *Builder) *Instruction { b.Parameter(0, s32S, "p"); return ConstantR0(b, true) })
	two := build(t, "two", func(b *Builder) *Instruction {
		b.Parameter(0, s32S, "p")
		b.Parameter(1, s32S, "q")
		return ConstantR0(b, true)
	})
	vector := build(t, "vector", func(b *Builder) *Instruction {
		b.Parameter(0, s32S, "p")
		return ConstantR1(b, true, false)
	})
	toFloat := build(t, "toFloat", func(b *Builder) *Instruction {
		b.Parameter(0, s32S, "p")
		return ConstantR0(b, float32(1))
	})
	for _, tc := range []struct {
		name, want string
		cond, body *Computation
	}{
		{"condition no predicate", "condition identity returns s32[], want pred[]", id, id},
		{"condition a vector", "condition vector returns pred[2], want pred[]", vector, id},
		{"condition of two", "condition two takes 2 parameters, want 1", two, id},
		{"body of two", "body two takes 2 parameters, want 1", yes, two},
		{"body result", "body toFloat returns f32[], want s32[] as init", yes, toFloat},
		{"body parameter", "the parameter of body identity is f32[], want s32[] as init", yes, identity(t, f32S)},
		{"condition parameter", "the parameter of condition identity is pred[], want s32[]", identity(t, predS), id},
		{"no body", "body is missing", yes, nil},
	} {
		wantError(t, tc.name, buildError(t, func(b *Builder) { b.While(tc.cond, tc.body, ConstantR0(b, int32(0))) }), tc.want)
	}
}

// constant returns a computation that takes an s32 and returns v.
func constant(t *testing.T, v float32) *Computation {
	return build(t, "branch", func(b *Builder) *Instruction { b.Parameter(0, s32S, "p"); return ConstantR0(b, v) })
}

func TestConditional(t *testing.T) {
	c := build(t, "main", func(b *Builder) *Instruction {
		p, i := b.Parameter(0, predS, "p"), b.Parameter(1, s32S, "i")
		x := ConstantR0(b, float32(5))
		two := b.Conditional(p, x, identity(t, f32S), i, constant(t, 6)) // the operands differ in type
		three := b.ConditionalIndexed(i, []*Computation{constant(t, 1), constant(t, 2), constant(t, 3)},
			[]*Instruction{i, i, i})
		one := b.ConditionalIndexed(i, []*Computation{constant(t, 4)}, []*Instruction{i})
		return b.Tuple(two, three, one)
	})
	for _, tc := range []struct {
		p     bool
		i     int32
		two   float32
		three float32
	}{
		{true, 0, 5, 1}, {false, 1, 6, 2}, {true, 2, 5, 3},
		{true, 3, 5, 3}, {true, -1, 5, 3}, {true, 1 << 30, 5, 3}, // out of range: the last
	} {
		out := run(t, c, literal.Scalar(tc.p), literal.Scalar(tc.i)).Elems()
		wantElems(t, "predicate form", out[0], tc.two)
		wantElems(t, "indexed form", out[1], tc.three)
		wantElems(t, "one branch", out[2], float32(4))
	}
}

func TestConditionalErrors(t *testing.T) {
	one := constant(t, 1)
	for _, tc := range []struct {
		name, want string
		f          func(b *Builder, i *Instruction)
	}{
		{"index u32", "branch index: got u32[], want pred[] or s32[]", func(b *Builder, i *Instruction) {
			b.ConditionalIndexed(ConstantR0(b, uint32(0)), []*Computation{one}, []*Instruction{i})
		}},
		{"index a vector", "branch index: got s32[1], want pred[] or s32[]", func(b *Builder, i *Instruction) {
			b.ConditionalIndexed(ConstantR1(b, int32(0)), []*Computation{one}, []*Instruction{i})
		}},
		{"predicate with three", "got 3 branches, want 2 with a predicate", func(b *Builder, i *Instruction) {
			b.ConditionalIndexed(ConstantR0(b, true), []*Computation{one, one, one}, []*Instruction{i, i, i})
		}},
		{"predicate form with s32", "predicate: got s32[], want pred[]", func(b *Builder, i *Instruction) {
			b.Conditional(i, i, one, i, one)
		}},
		{"none", "there are no branches", func(b *Builder, i *Instruction) { b.ConditionalIndexed(i, nil, nil) }},
		{"operands missing", "got 1 branch operands, want 2", func(b *Builder, i *Instruction) {
			b.ConditionalIndexed(i, []*Computation{one, one}, []*Instruction{i})
		}},
		{"operand type", "the operand of branch 1 is f32[], want s32[]", func(b *Builder, i *Instruction) {
			b.ConditionalIndexed(i, []*Computation{one, one}, []*Instruction{i, ConstantR0(b, float32(1))})
		}},
		{"results differ", "branch 1 returns s32[], want f32[] as branch 0", func(b *Builder, i *Instruction) {
			b.ConditionalIndexed(i, []*Computation{one, identity(t, s32S)}, []*Instruction{i, i})
		}},
		{"no parameter", "takes 0 parameters, want 1", func(b *Builder, i *Instruction) {
			none := build(t, "none", func(b *Builder) *Instruction { return ConstantR0(b, float32(1)) })
			b.ConditionalIndexed(i, []*Computation{none}, []*Instruction{i})
		}},
	} {
		wantError(t, tc.name, buildError(t, func(b *Builder) { tc.f(b, ConstantR0(b, int32(0))) }), tc.want)
	}
}

func TestCall(t *testing.T) {
	second := build(t, "second", func(b *Builder) *Instruction {
		p, q := b.Parameter(0, f32S, "p"), b.Parameter(1, s32S, "q")
		return b.Tuple(q, p)
	})
	nothing := build(t, "nothing", func(b *Builder) *Instruction { return b.Tuple() })
	main := build(t, "main", func(b *Builder) *Instruction {
		x, y := ConstantR0(b, float32(2)), ConstantR0(b, int32(3))
		comp := b.CompositeCall(second, []*Instruction{x, y}, "my.swap", "", 1)
		if v, _ := comp.Common.Frontend.Lookup("composite.attributes"); v != "{}" {
			t.Errorf("attributes: got %q, want {}", v)
		}
		if v, _ := comp.Common.Frontend.Lookup("composite.version"); v != "1" {
			t.Errorf("version: got %q, want 1", v)
		}
		return b.Tuple(b.GetTupleElement(b.Call(second, x, y), 0), b.GetTupleElement(comp, 1), b.Call(nothing))
	})
	out := run(t, main).Elems()
	wantElems(t, "call", out[0], int32(3))
	wantElems(t, "composite", out[1], float32(2))
	if n := len(out[2].Elems()); n != 0 || !out[2].Shape().IsTuple() {
		t.Errorf("got %v, want the empty tuple", out[2].Shape())
	}
	wantError(t, "count", buildError(t, func(b *Builder) { b.Call(second, ConstantR0(b, float32(1))) }),
		"got 1 operands, want 2 as computation second takes")
	wantError(t, "shape", buildError(t, func(b *Builder) {
		b.Call(second, ConstantR1(b, float32(1)), ConstantR0(b, int32(1)))
	}), "operand 0: got f32[1], want f32[] as computation second takes")
}

func TestTuples(t *testing.T) {
	main := build(t, "main", func(b *Builder) *Instruction {
		inner := b.Tuple(ConstantR0(b, int32(1)), b.Tuple())
		outer := b.OptimizationBarrier(b.Copy(b.Tuple(ConstantR2(b, []int32{1, 2}, []int32{3, 4}), inner)))
		return b.Tuple(b.GetTupleElement(outer, 0), b.GetTupleElement(b.GetTupleElement(outer, 1), 0))
	})
	out := run(t, main).Elems()
	wantElems(t, "matrix", out[0], int32(1), 2, 3, 4)
	wantElems(t, "nested", out[1], int32(1))
	wantError(t, "no tuple", buildError(t, func(b *Builder) { b.GetTupleElement(ConstantR0(b, int32(1)), 0) }),
		"operand: got s32[], want a tuple")
	for _, i := range []int64{-1, 1} {
		wantError(t, "range", buildError(t, func(b *Builder) { b.GetTupleElement(b.Tuple(ConstantR0(b, int32(1))), i) }),
			"is out of range for a tuple of 1 elements")
	}
	wantError(t, "ragged rows", buildError(t, func(b *Builder) { ConstantR2(b, []int32{1, 2}, []int32{3}) }),
		"row 1 has 1 elements, want 2")
	wantError(t, "count", buildError(t, func(b *Builder) { ConstantFromArray(b, []int32{1, 2, 3}, 2, 2) }),
		"s32[2,2]", "3 elements")
}

func TestConstantWithLayout(t *testing.T) {
	main := build(t, "main", func(b *Builder) *Instruction {
		columns := &shape.Layout{MinorToMajor: []int64{0, 1}}
		return ConstantFromArrayWithLayout(b, []int32{1, 2, 3, 4, 5, 6}, columns, 2, 3)
	})
	if got := main.Root.Shape.Text(); got != "s32[2,3]{0,1}" {
		t.Errorf("shape: got %s, want s32[2,3]{0,1}", got)
	}
	l := main.Root.Attrs.(*ConstantAttrs).Literal
	if b := l.Bytes(); b[4] != 4 { // the second element in memory is the one below the first
		t.Errorf("memory: got %d after the first element, want 4", b[4])
	}
	wantElems(t, "value", run(t, main), int32(1), 2, 3, 4, 5, 6)
}

func TestParameterNumbers(t *testing.T) {
	for _, tc := range []struct {
		numbers []int64
		want    string
	}{
		{[]int64{0, 0}, "used twice"},
		{[]int64{0, 2}, "without gaps"},
		{[]int64{1}, "want 0 to 0"},
		{[]int64{-1}, "want 0 or more"},
	} {
		b := NewBuilder("main")
		for _, n := range tc.numbers {
			b.Parameter(n, s32S, "")
		}
		_, err := b.Build(nil)
		if err == nil {
			t.Fatalf("numbers %v: got no error", tc.numbers)
		}
		wantError(t, "numbers", err.Error(), tc.want)
	}
}
