package hlo

import (
	"strings"
	"testing"

	"github.com/halo-xla/halo/xla/shape"
)

func TestCheckDims(t *testing.T) {
	for _, c := range []struct {
		dims           []int64
		rank           int
		unique, sorted bool
		want           string // part of the error, "" for none
	}{
		{nil, 0, true, true, ""},
		{[]int64{0, 2}, 3, true, true, ""},
		{[]int64{2, 0, 2}, 3, false, false, ""},
		{[]int64{3}, 3, false, false, "dimension 3 is out of range, want 0 to 2"},
		{[]int64{-1}, 3, false, false, "dimension -1 is out of range"},
		{[]int64{1, 1}, 3, true, false, "dimension 1 is there twice in {1, 1}"},
		{[]int64{2, 0}, 3, true, true, "got {2, 0}, want ascending dimensions"},
	} {
		err := checkDims("dims", c.dims, c.rank, c.unique, c.sorted)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("checkDims(%v, rank %d): got %v, want %q", c.dims, c.rank, err, c.want)
		}
	}
	if err := checkPermutation("permutation", []int64{0, 1}, 3); err == nil {
		t.Error("two dimensions passed for a permutation of three")
	}
}

// The table of section 2.2 for operands of equal rank.
func TestJoinDims(t *testing.T) {
	static := func(n int64) shape.Shape { return shape.Array(shape.F32, n) }
	bounded := func(n int64) shape.Shape {
		return shape.Shape{Type: shape.F32, Dims: []int64{n}, Dynamic: []bool{true}}
	}
	unknown := static(shape.Unbounded)
	for _, c := range []struct {
		a, b shape.Shape
		want string // "" if they do not go together
	}{
		{static(3), static(3), "f32[3]"},
		{static(3), static(4), ""},
		{static(3), bounded(3), "f32[<=3]"},
		{bounded(3), bounded(3), "f32[<=3]"},
		{bounded(3), bounded(4), ""},
		{unknown, unknown, "f32[?]"},
		{static(3), unknown, "f32[3]"},
		{bounded(3), unknown, "f32[?]"},
		{static(3), shape.Array(shape.F32), ""},
	} {
		for range 2 {
			got, ok := joinDims(c.a, c.b)
			if ok != (c.want != "") || ok && got.String() != c.want {
				t.Errorf("%v with %v: got %v, %v, want %q", c.a, c.b, got, ok, c.want)
			}
			c.a, c.b = c.b, c.a
		}
	}
}

func TestCheckScalarComputation(t *testing.T) {
	f32, s32 := shape.Array(shape.F32), shape.Array(shape.S32)
	x := &Instruction{Name: "x", Op: Parameter, Shape: f32, Attrs: &ParameterAttrs{}}
	c := &Computation{Name: "id", Instructions: []*Instruction{x}, Root: x, Parameters: []*Instruction{x}}
	for _, k := range []struct {
		c       *Computation
		params  []shape.Shape
		results []shape.Shape
		want    string
	}{
		{c, []shape.Shape{f32}, []shape.Shape{f32}, ""},
		{nil, nil, nil, "computation is missing"},
		{c, []shape.Shape{f32, f32}, []shape.Shape{f32}, "id takes 1 parameters, want 2"},
		{c, []shape.Shape{s32}, []shape.Shape{f32}, "parameter 0 is f32[], want s32[]"},
		{c, []shape.Shape{f32}, []shape.Shape{s32}, "returns f32[], want s32[]"},
		{c, []shape.Shape{f32}, []shape.Shape{f32, f32}, "returns f32[], want (f32[], f32[])"},
	} {
		err := checkScalarComputation(k.c, k.params, k.results...)
		if k.want == "" && err != nil || k.want != "" && (err == nil || !strings.Contains(err.Error(), k.want)) {
			t.Errorf("got %v, want %q", err, k.want)
		}
	}
}
