package hlo

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/halo-xla/halo/internal/testfile"
	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// comparator is "lhs k direction rhs k" of scalars of the given types.
func comparator(t *testing.T, k int, a CompareAttrs, types ...shape.ElementType) *Computation {
	t.Helper()
	return build(t, "comparator", func(b *Builder) *Instruction {
		var p []*Instruction
		for i, typ := range types {
			p = append(p, b.Parameter(int64(2*i), shape.Array(typ), ""), b.Parameter(int64(2*i+1), shape.Array(typ), ""))
		}
		return b.add(Compare, &a, shape.Shape{}, p[2*k], p[2*k+1])
	})
}

func float32s(t *testing.T, b *Builder, v ...float32) *Instruction {
	t.Helper()
	l, err := literal.FromSlice(v)
	if err != nil {
		t.Fatal(err)
	}
	return b.ConstantLiteral(l)
}

// TestSortGolden is the example of row 105.
func TestSortGolden(t *testing.T) {
	out := run(t, build(t, "main", func(b *Builder) *Instruction {
		c := comparator(t, 0, CompareAttrs{Direction: Lt}, shape.S32, shape.S32, shape.F32)
		return b.Sort([]*Instruction{ints(t, b, dims(2), 3, 1), ints(t, b, dims(2), 42, 50), float32s(t, b, -3, 1.1)}, c, -1, false)
	}))
	wantElems[int32](t, "keys", out.Elems()[0], 1, 3)
	wantElems[int32](t, "values", out.Elems()[1], 50, 42)
	wantElems[float32](t, "more values", out.Elems()[2], 1.1, -3)
}

func TestSort(t *testing.T) {
	lt, gt, ge := CompareAttrs{Direction: Lt}, CompareAttrs{Direction: Gt}, CompareAttrs{Direction: Ge}
	for _, c := range []struct {
		name  string
		build func(b *Builder) *Instruction
		want  []int32
	}{
		{"default", func(b *Builder) *Instruction {
			return b.Sort([]*Instruction{ints(t, b, dims(4), 3, -1, 2, -7)}, nil, -1, false)
		},
			[]int32{-7, -1, 2, 3}},
		{"descending", func(b *Builder) *Instruction {
			return b.Sort([]*Instruction{ints(t, b, dims(3), 1, 3, 2)}, comparator(t, 0, gt, shape.S32), 0, false)
		}, []int32{3, 2, 1}},
		{"first dimension", func(b *Builder) *Instruction {
			return b.Sort([]*Instruction{ints(t, b, dims(3, 2), 3, 1, 2, 2, 1, 3)}, nil, 0, false)
		}, []int32{1, 1, 2, 2, 3, 3}},
		{"last of two", func(b *Builder) *Instruction {
			return b.Sort([]*Instruction{ints(t, b, dims(2, 3), 3, 1, 2, 2, 1, 3)}, nil, -1, false)
		}, []int32{1, 2, 3, 1, 2, 3}},
		{"greater or equal is no order, and still ends", func(b *Builder) *Instruction {
			return b.Sort([]*Instruction{ints(t, b, dims(3), 2, 2, 2)}, comparator(t, 0, ge, shape.S32), 0, false)
		}, []int32{2, 2, 2}},
		{"scalar", func(b *Builder) *Instruction { return b.Sort([]*Instruction{scalarInt(b, 5)}, nil, -1, false) }, []int32{5}},
		{"nothing", func(b *Builder) *Instruction { return b.Sort([]*Instruction{count(t, b, 2, 0)}, nil, -1, false) }, nil},
		{"by the second", func(b *Builder) *Instruction {
			s := b.Sort([]*Instruction{ints(t, b, dims(3), 1, 2, 3), ints(t, b, dims(3), 9, 7, 8)},
				comparator(t, 1, lt, shape.S32, shape.S32), 0, false)
			return b.add(GetTupleElement, &GetTupleElementAttrs{Index: 0}, shape.Shape{}, s)
		}, []int32{2, 3, 1}},
	} {
		t.Run(c.name, func(t *testing.T) { wantElems(t, c.name, run(t, build(t, "main", c.build)), c.want...) })
	}
}

func TestSortTotalOrder(t *testing.T) {
	nan, inf, zero := float32(math.NaN()), float32(math.Inf(1)), float32(math.Copysign(0, -1))
	out := run(t, build(t, "main", func(b *Builder) *Instruction {
		return b.Sort([]*Instruction{float32s(t, b, nan, 0, zero, inf, -nan, -inf, 1)}, nil, -1, false)
	}))
	got := elems[float32](t, out)
	want := []float32{-nan, -inf, zero, 0, 1, inf, nan}
	for i := range want {
		if math.Float32bits(got[i])>>22 != math.Float32bits(want[i])>>22 {
			t.Fatalf("got %v, want %v with the signs of zeros and NaN", got, want)
		}
	}
}

// nonsense is a comparator without any order: the parity of the xor of both sides.
func nonsense(t *testing.T) *Computation {
	t.Helper()
	return build(t, "nonsense", func(b *Builder) *Instruction {
		x, y := b.Parameter(0, s32S, ""), b.Parameter(1, s32S, "")
		c := b.add(Compare, &CompareAttrs{Direction: Ne}, shape.Shape{}, x, y)
		d := b.add(Compare, &CompareAttrs{Direction: Gt}, shape.Shape{}, x, scalarInt(b, 500))
		return b.add(Or, nil, shape.Shape{}, c, d)
	})
}

// TestSortUnderAnyComparator sorts by comparators that are no orders: the result must be a permutation.
func TestSortUnderAnyComparator(t *testing.T) {
	seed := testfile.Seed(t)
	r := rand.New(rand.NewPCG(seed, 0))
	v := make([]int32, 1000)
	for i := range v {
		v[i] = int32(r.IntN(1000))
	}
	for _, c := range []*Computation{nonsense(t), comparator(t, 0, CompareAttrs{Direction: Ge}, shape.S32),
		comparator(t, 0, CompareAttrs{Direction: Ne}, shape.S32)} {
		got := elems[int32](t, run(t, build(t, "main", func(b *Builder) *Instruction {
			return b.Sort([]*Instruction{ints(t, b, dims(1000), v...)}, c, 0, false)
		})))
		got, want := slices.Sorted(slices.Values(got)), slices.Sorted(slices.Values(v))
		if !slices.Equal(got, want) {
			t.Fatalf("seed %d: the result is no permutation of the operand", seed)
		}
	}
}

// TestSortIsStable compares both ways to sort with the standard library's stable sort.
func TestSortIsStable(t *testing.T) {
	seed := testfile.Seed(t)
	r := rand.New(rand.NewPCG(seed, 0))
	v := make([]int32, 3000)
	want := make([]int32, len(v))
	for i := range v {
		v[i], want[i] = int32(r.IntN(50)), int32(i)
	}
	slices.SortStableFunc(want, func(a, b int32) int { return int(v[a] - v[b]) })
	slow := build(t, "slow", func(b *Builder) *Instruction { // less, written so that no key is found
		x, y := b.Parameter(0, s32S, ""), b.Parameter(1, s32S, "")
		b.Parameter(2, s32S, "")
		b.Parameter(3, s32S, "")
		return b.add(Not, nil, shape.Shape{}, b.add(Compare, &CompareAttrs{Direction: Ge}, shape.Shape{}, x, y))
	})
	for _, c := range []*Computation{nil, slow} {
		out := run(t, build(t, "main", func(b *Builder) *Instruction {
			return b.Sort([]*Instruction{ints(t, b, dims(3000), v...), b.IotaVector(shape.S32, 3000)}, c, 0, true)
		}))
		if got := elems[int32](t, out.Elems()[1]); !slices.Equal(got, want) {
			t.Errorf("seed %d: equal elements change their order", seed)
		}
	}
}

func TestSortErrors(t *testing.T) {
	less := comparator(t, 0, CompareAttrs{Direction: Lt}, shape.S32)
	for _, c := range []struct {
		name  string
		build func(b *Builder)
		want  string
	}{
		{"no operands C1", func(b *Builder) { b.Sort(nil, less, 0, false) }, "got no operands"},
		{"sizes C2", func(b *Builder) { b.Sort([]*Instruction{count(t, b, 2), count(t, b, 3)}, nil, 0, false) }, "sizes differ"},
		{"dimension C4", func(b *Builder) { b.Sort([]*Instruction{count(t, b, 2)}, less, 1, false) }, "sorted dimension: got 1, want -1 to 0"},
		{"negative dimension C4", func(b *Builder) { b.Sort([]*Instruction{count(t, b, 2)}, less, -2, false) }, "sorted dimension: got -2"},
		{"arity C5", func(b *Builder) { v := count(t, b, 2); b.Sort([]*Instruction{v, v}, less, 0, false) }, "takes 2 parameters, want 4"},
		{"types C5", func(b *Builder) { b.Sort([]*Instruction{b.IotaVector(shape.F32, 2)}, less, 0, false) }, "parameter 0 is s32[], want f32[]"},
		{"result C5", func(b *Builder) { b.Sort([]*Instruction{count(t, b, 2)}, second(t, 1, shape.S32), 0, false) }, "returns s32[], want pred[]"},
	} {
		wantError(t, c.name, buildError(t, c.build), c.want)
	}
}

func TestTopK(t *testing.T) {
	for _, c := range []struct {
		name    string
		largest bool
		k       int64
		values  []int32
		places  []int32
	}{
		{"largest", true, 2, []int32{7, 7, 6, 5}, []int32{1, 2, 2, 0}},
		{"smallest", false, 1, []int32{1, 4}, []int32{0, 1}},
		{"all", true, 3, []int32{7, 7, 1, 6, 5, 4}, []int32{1, 2, 0, 2, 0, 1}},
		{"none", true, 0, nil, nil},
	} {
		out := run(t, build(t, "main", func(b *Builder) *Instruction {
			return b.TopK(ints(t, b, dims(2, 3), 1, 7, 7, 5, 4, 6), c.k, c.largest)
		}))
		wantElems(t, c.name, out.Elems()[0], c.values...)
		wantElems(t, c.name+": places", out.Elems()[1], c.places...)
	}
	out := run(t, build(t, "main", func(b *Builder) *Instruction {
		return b.TopK(float32s(t, b, float32(math.Copysign(0, -1)), 0, float32(math.NaN())), 3, true)
	}))
	wantElems[int32](t, "total order", out.Elems()[1], 2, 1, 0)
}

func TestTopKErrors(t *testing.T) {
	for _, c := range []struct {
		name  string
		build func(b *Builder)
		want  string
	}{
		{"scalar", func(b *Builder) { b.TopK(scalarInt(b, 1), 0, true) }, "want rank 1 or more"},
		{"k above the size", func(b *Builder) { b.TopK(count(t, b, 3), 4, true) }, "k: got 4, want 0 to 3"},
		{"negative k", func(b *Builder) { b.TopK(count(t, b, 3), -1, true) }, "k: got -1"},
		{"complex", func(b *Builder) { b.TopK(b.IotaVector(shape.C64, 3), 1, true) }, "want elements that have an order"},
	} {
		wantError(t, c.name, buildError(t, c.build), c.want)
	}
}
