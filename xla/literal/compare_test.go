package literal

import (
	"math"
	"testing"

	"github.com/halo-xla/halo/xla/shape"
)

func TestCompare(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	dynamic := Zeros(shape.Shape{Type: shape.F64, Dims: []int64{3}, Dynamic: []bool{true}})
	dynamic.SetDynamicSize(0, 2)
	for _, c := range []struct {
		name      string
		got, want *Literal
		tol       Tolerance
		diff      string // "" if they pass
	}{
		{"equal", vec(1.0, nan, inf), vec(1.0, nan, inf), Tolerance{}, ""},
		{"zeros", vec(0.0), vec(math.Copysign(0, -1)), Tolerance{}, ""},
		{"zero bits", vec(0.0), vec(math.Copysign(0, -1)), Tolerance{Bits: true},
			"element [0]: got 0, want -0 (0 ULPs); 1 of 1 differ"},
		{"NaN differs", vec(nan), vec(nan), Tolerance{NaNsDiffer: true}, "element [0]: got nan, want nan; 1 of 1 differ"},
		{"NaN", vec(1, nan), vec(1, 2.0), Tolerance{ATol: 100}, "element [1]: got nan, want 2; 1 of 2 differ"},
		{"inf", vec(inf), vec(-inf), Tolerance{RTol: 1},
			"element [0]: got inf, want -inf (9223372036854775807 ULPs); 1 of 1 differ"},
		{"inf bound", vec(1e308), vec(inf), Tolerance{RTol: 1},
			"element [0]: got 1e+308, want inf (3996778354718560 ULPs); 1 of 1 differ"},
		{"atol", vec(1.5, 2), vec(1.25, 2), Tolerance{ATol: 0.25}, ""},
		{"rtol", vec(101.0), vec(100.0), Tolerance{RTol: 0.01}, ""},
		{"rtol of want", vec(100.0), vec(99.0), Tolerance{RTol: 0.01},
			"element [0]: got 100, want 99 (70368744177664 ULPs); 1 of 1 differ"},
		{"ulp", vec[float32](1, 2), vec(1, math.Float32frombits(0x40000003)), Tolerance{ULP: 3}, ""},
		{"ulp 4", vec[float32](1, 2), vec(1, math.Float32frombits(0x40000004)), Tolerance{ULP: 3},
			"element [1]: got 2, want 2.000001 (4 ULPs); 1 of 2 differ"},
		{"worst", arr([]float32{1, 9, 3, 7}, 2, 2), arr([]float32{1, 8, 3, 4}, 2, 2), Tolerance{},
			"element [0,1]: got 9, want 8 (1048576 ULPs); 2 of 4 differ, the worst is [1,1]: got 7, want 4 (6291456 ULPs)"},
		{"integers", vec[int32](5), vec[int32](6), Tolerance{ATol: 10, RTol: 10},
			"element [0]: got 5, want 6; 1 of 1 differ"},
		{"large", vec[int64](1 << 60), vec[int64](1<<60 + 1), Tolerance{},
			"element [0]: got 1152921504606846976, want 1152921504606846977; 1 of 1 differ"},
		{"pred", vec(true, false), vec(true, true), Tolerance{}, "element [1]: got false, want true; 1 of 2 differ"},
		{"complex", vec(3 + 4i), vec(3.3 + 4i), Tolerance{RTol: 0.07}, ""},
		{"complex by part", vec(0.1 + 4i), vec(0.0 + 4i), Tolerance{RTol: 0.001},
			"element [0]: got (0.1, 4), want (0, 4); 1 of 1 differ"},
		{"complex inf", vec(complex(inf, 1)), vec(complex(inf, 1.0001)), Tolerance{RTol: 0.01}, ""},
		{"abs", vec(-1.0, 2), vec(1.0, -2), Tolerance{Abs: true}, ""},
		{"abs complex", vec(3 + 4i), vec(5i), Tolerance{Abs: true}, ""},
		{"shape only", vec(1.0), vec(2.0), Tolerance{ShapeOnly: true}, ""},
		{"type", vec(1.0), vec[float32](1), Tolerance{ShapeOnly: true}, "got f64[1], want f32[1]"},
		{"sizes", vec(1.0), vec(1.0, 2), Tolerance{}, "got f64[1], want f64[2]"},
		{"dynamic", dynamic, vec(0.0, 0), Tolerance{}, ""},
		{"dynamic size", dynamic, vec(0.0, 0, 0), Tolerance{}, "got f64[2], want f64[3]"},
		{"tuple", NewTuple(vec(1.0), NewTuple(NewToken(), vec(2.0))), NewTuple(vec(1.0), NewTuple(NewToken(), vec(2.5))),
			Tolerance{}, "tuple element [1 1]: element [0]: got 2, want 2.5 (1125899906842624 ULPs); 1 of 1 differ"},
		{"arity", NewTuple(vec(1.0)), NewTuple(), Tolerance{}, "got (f64[1]), want ()"},
	} {
		got := ""
		if d := Compare(c.got, c.want, c.tol); d != nil {
			got = d.String()
		}
		if got != c.diff {
			t.Errorf("%s: got %q, want %q", c.name, got, c.diff)
		}
	}
}

func TestCompareIgnoresLayout(t *testing.T) {
	a := arr([]int32{1, 2, 3, 4, 5, 6}, 2, 3)
	b, err := a.Relayout(&shape.Layout{MinorToMajor: []int64{0, 1}, PaddedDims: []int64{4, 5},
		PaddingValue: shape.UnknownPad})
	if err != nil {
		t.Fatal(err)
	}
	b.Bytes()[8] = 99 // padding
	if !Equal(a, b) {
		t.Errorf("got %v", Compare(a, b, Tolerance{}))
	}
}

func TestULPDistance(t *testing.T) {
	for _, c := range []struct {
		t    shape.ElementType
		a, b float64
		want int64
	}{
		{shape.F32, 1, 1, 0},
		{shape.F32, 0, math.Copysign(0, -1), 0},
		{shape.F32, -0x1p-149, 0x1p-149, 2},
		{shape.F32, math.MaxFloat32, math.Inf(1), 1},
		{shape.BF16, 1, 1.0078125, 1},
		{shape.F64, math.Inf(-1), math.Inf(1), math.MaxInt64},
		{shape.F64, math.NaN(), 1, math.MaxInt64},
		{shape.F8E8M0FNU, 1, 8, 3},
	} {
		if got := ULPDistance(c.t, c.a, c.b); got != c.want {
			t.Errorf("%s %v %v: got %d, want %d", c.t, c.a, c.b, got, c.want)
		}
	}
}

func TestSliceBroadcast(t *testing.T) {
	l := arr([]int32{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, 3, 4)
	col, err := l.Relayout(&shape.Layout{MinorToMajor: []int64{0, 1}})
	if err != nil {
		t.Fatal(err)
	}
	s, err := col.Slice([]int64{0, 1}, []int64{3, 4}, []int64{2, 2})
	if err != nil || s.String() != "s32[2,2] { { 1, 3 }, { 9, 11 } }" {
		t.Errorf("slice: got %v, %v", s, err)
	}
	if s, err := l.Slice([]int64{0, 1}, []int64{3, 5}, nil); err == nil {
		t.Errorf("slice past the end: got %v", s)
	}
	b, err := vec[int32](1, 2).Broadcast([]int64{2, 2, 2}, []int64{1})
	if err != nil || b.String() != "s32[2,2,2] { { { 1, 1 }, { 2, 2 } }, { { 1, 1 }, { 2, 2 } } }" {
		t.Errorf("broadcast: got %v, %v", b, err)
	}
	b, err = arr([]int32{7, 8}, 2, 1).Broadcast([]int64{2, 3}, []int64{0, 1})
	if err != nil || b.String() != "s32[2,3] { { 7, 7, 7 }, { 8, 8, 8 } }" {
		t.Errorf("broadcast of size 1: got %v, %v", b, err)
	}
	for _, mapping := range [][]int64{{0, 0}, {0, 2}, {1, 0}, {0}} {
		if b, err := arr([]int32{7, 8}, 2, 1).Broadcast([]int64{2, 3}, mapping); err == nil {
			t.Errorf("broadcast by %v: got %v", mapping, b)
		}
	}
}
