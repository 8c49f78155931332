package hlo

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/halo-xla/halo/internal/testfile"
	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// ints is a constant of s32 elements.
func ints(t *testing.T, b *Builder, dims []int64, v ...int32) *Instruction {
	t.Helper()
	l, err := literal.FromSlice(v, dims...)
	if err != nil {
		t.Fatal(err)
	}
	return b.ConstantLiteral(l)
}

// count is a constant of the numbers 0, 1, 2, ...
func count(t *testing.T, b *Builder, dims ...int64) *Instruction {
	t.Helper()
	v := make([]int32, shape.Array(shape.S32, dims...).Size())
	for i := range v {
		v[i] = int32(i)
	}
	return ints(t, b, slices.Concat([]int64{}, dims), v...)
}

func scalarInt(b *Builder, v int32) *Instruction { return b.ConstantLiteral(literal.Scalar(v)) }

func dims(d ...int64) []int64 { return d }

// cube is the array of row 57's examples: f32[4,2,3] with the elements 10, 11, 12, 15, 16, 17, 20, ...
func cube(t *testing.T, b *Builder) *Instruction {
	t.Helper()
	var v []int32
	for i := range int32(4) {
		for j := range int32(2) {
			for k := range int32(3) {
				v = append(v, 10+10*i+5*j+k)
			}
		}
	}
	return ints(t, b, dims(4, 2, 3), v...)
}

var movementCases = []struct {
	name  string
	build func(t *testing.T, b *Builder) *Instruction
	dims  []int64
	want  []int32
}{
	{"broadcast in front", func(t *testing.T, b *Builder) *Instruction {
		return b.Broadcast(ints(t, b, dims(2), 7, 8), dims(3))
	}, dims(3, 2), []int32{7, 8, 7, 8, 7, 8}},
	{"broadcast to nothing", func(t *testing.T, b *Builder) *Instruction {
		return b.Broadcast(ints(t, b, dims(2), 7, 8), dims(0))
	}, dims(0, 2), nil},
	{"broadcast in dim stretches", func(t *testing.T, b *Builder) *Instruction {
		return b.BroadcastInDim(ints(t, b, dims(2, 1), 7, 8), dims(2, 2, 3), dims(0, 2))
	}, dims(2, 2, 3), []int32{7, 7, 7, 7, 7, 7, 8, 8, 8, 8, 8, 8}},
	{"broadcast 1 to 0", func(t *testing.T, b *Builder) *Instruction {
		return b.BroadcastInDim(ints(t, b, dims(1), 7), dims(0), dims(0))
	}, dims(0), nil},
	{"reshape", func(t *testing.T, b *Builder) *Instruction {
		return b.Reshape(count(t, b, 2, 3), dims(3, 2))
	}, dims(3, 2), []int32{0, 1, 2, 3, 4, 5}},
	{"reshape to scalar", func(t *testing.T, b *Builder) *Instruction {
		return b.Reshape(ints(t, b, dims(1, 1), 5), nil)
	}, nil, []int32{5}},
	{"reshape of nothing", func(t *testing.T, b *Builder) *Instruction {
		return b.Reshape(count(t, b, 0, 3), dims(7, 0))
	}, dims(7, 0), nil},
	{"reshape in order, to 24", func(t *testing.T, b *Builder) *Instruction {
		return b.ReshapeInOrder(cube(t, b), dims(0, 1, 2), dims(24))
	}, dims(24), []int32{10, 11, 12, 15, 16, 17, 20, 21, 22, 25, 26, 27, 30, 31, 32, 35, 36, 37, 40, 41, 42, 45, 46, 47}},
	{"reshape in order, permuted to 24", func(t *testing.T, b *Builder) *Instruction {
		return b.ReshapeInOrder(cube(t, b), dims(1, 2, 0), dims(24))
	}, dims(24), []int32{10, 20, 30, 40, 11, 21, 31, 41, 12, 22, 32, 42, 15, 25, 35, 45, 16, 26, 36, 46, 17, 27, 37, 47}},
	{"reshape in order, permuted to 8x3", func(t *testing.T, b *Builder) *Instruction {
		return b.ReshapeInOrder(cube(t, b), dims(1, 2, 0), dims(8, 3))
	}, dims(8, 3), []int32{10, 20, 30, 40, 11, 21, 31, 41, 12, 22, 32, 42, 15, 25, 35, 45, 16, 26, 36, 46, 17, 27, 37, 47}},
	{"reshape in order, permuted to 2x6x2", func(t *testing.T, b *Builder) *Instruction {
		return b.ReshapeInOrder(cube(t, b), dims(1, 2, 0), dims(2, 6, 2))
	}, dims(2, 6, 2), []int32{10, 20, 30, 40, 11, 21, 31, 41, 12, 22, 32, 42, 15, 25, 35, 45, 16, 26, 36, 46, 17, 27, 37, 47}},
	{"reshape with an inferred dimension that is static", func(t *testing.T, b *Builder) *Instruction {
		return b.ReshapeWithInferredDimension(count(t, b, 4), dims(2, 2), 1)
	}, dims(2, 2), []int32{0, 1, 2, 3}},
	{"collapse", func(t *testing.T, b *Builder) *Instruction {
		return b.Collapse(count(t, b, 2, 1, 3), dims(1, 2))
	}, dims(2, 3), []int32{0, 1, 2, 3, 4, 5}},
	{"collapse of one", func(t *testing.T, b *Builder) *Instruction {
		return b.Collapse(count(t, b, 2), dims(0))
	}, dims(2), []int32{0, 1}},
	{"transpose", func(t *testing.T, b *Builder) *Instruction {
		return b.Transpose(count(t, b, 1, 2, 3), dims(2, 0, 1))
	}, dims(3, 1, 2), []int32{0, 3, 1, 4, 2, 5}},
	{"transpose of a scalar", func(t *testing.T, b *Builder) *Instruction {
		return b.Transpose(scalarInt(b, 3), nil)
	}, nil, []int32{3}},
	{"reverse", func(t *testing.T, b *Builder) *Instruction {
		return b.Rev(count(t, b, 2, 3), dims(1, 0))
	}, dims(2, 3), []int32{5, 4, 3, 2, 1, 0}},
	{"reverse nothing", func(t *testing.T, b *Builder) *Instruction {
		return b.Rev(count(t, b, 2), nil)
	}, dims(2), []int32{0, 1}},
	{"concatenate", func(t *testing.T, b *Builder) *Instruction {
		return b.ConcatInDim([]*Instruction{count(t, b, 2, 2), count(t, b, 2, 0), count(t, b, 2, 1)}, 1)
	}, dims(2, 3), []int32{0, 1, 0, 2, 3, 1}},
	{"pad", func(t *testing.T, b *Builder) *Instruction {
		return b.Pad(ints(t, b, dims(3), 1, 2, 3), scalarInt(b, 9), Padding{{1, 2, 1}})
	}, dims(8), []int32{9, 1, 9, 2, 9, 3, 9, 9}},
	{"negative padding lands between elements", func(t *testing.T, b *Builder) *Instruction {
		return b.Pad(ints(t, b, dims(3), 1, 2, 3), scalarInt(b, 9), Padding{{-1, -1, 1}})
	}, dims(3), []int32{9, 2, 9}},
	{"padding crops all and pads", func(t *testing.T, b *Builder) *Instruction {
		return b.Pad(ints(t, b, dims(2), 1, 2), scalarInt(b, 9), Padding{{-3, 3, 0}})
	}, dims(2), []int32{9, 9}},
	{"high padding crops low padding", func(t *testing.T, b *Builder) *Instruction {
		return b.Pad(ints(t, b, dims(2), 1, 2), scalarInt(b, 9), Padding{{3, -3, 0}})
	}, dims(2), []int32{9, 9}},
	{"padding nothing", func(t *testing.T, b *Builder) *Instruction {
		return b.PadInDim(count(t, b, 0, 2), scalarInt(b, 9), 0, 1, 0)
	}, dims(1, 2), []int32{9, 9}},
	{"iota", func(_ *testing.T, b *Builder) *Instruction {
		return b.Iota(shape.Array(shape.S32, 2, 3), 1)
	}, dims(2, 3), []int32{0, 1, 2, 0, 1, 2}},
	{"iota vector", func(_ *testing.T, b *Builder) *Instruction { return b.IotaVector(shape.S32, 3) }, dims(3), []int32{0, 1, 2}},
	{"slice", func(t *testing.T, b *Builder) *Instruction {
		return b.Slice(count(t, b, 3, 4), dims(1, 0), dims(3, 4), dims(1, 3))
	}, dims(2, 2), []int32{4, 7, 8, 11}},
	{"slice without strides, empty", func(t *testing.T, b *Builder) *Instruction {
		return b.Slice(count(t, b, 3), dims(3), dims(3), nil)
	}, dims(0), nil},
	{"slice in dim", func(t *testing.T, b *Builder) *Instruction {
		return b.SliceInDim(count(t, b, 2, 5), 1, 5, 2, 1)
	}, dims(2, 2), []int32{1, 3, 6, 8}},
	{"dynamic slice moves into range", func(t *testing.T, b *Builder) *Instruction {
		return b.DynamicSlice(count(t, b, 3, 4), []*Instruction{scalarInt(b, 9), scalarInt(b, -9)}, dims(2, 2))
	}, dims(2, 2), []int32{4, 5, 8, 9}},
	{"dynamic slice at a vector", func(t *testing.T, b *Builder) *Instruction {
		return b.DynamicSlice(count(t, b, 5), []*Instruction{ints(t, b, dims(1), 2)}, dims(2))
	}, dims(2), []int32{2, 3}},
	{"dynamic slice at an unsigned index", func(t *testing.T, b *Builder) *Instruction {
		return b.DynamicSlice(count(t, b, 5), []*Instruction{b.ConstantLiteral(literal.Scalar(uint64(math.MaxUint64)))}, dims(2))
	}, dims(2), []int32{3, 4}},
	{"dynamic update slice", func(t *testing.T, b *Builder) *Instruction {
		return b.DynamicUpdateSlice(count(t, b, 2, 3), ints(t, b, dims(1, 2), -1, -2), []*Instruction{scalarInt(b, 1), scalarInt(b, 7)})
	}, dims(2, 3), []int32{0, 1, 2, 3, -1, -2}},
	{"dynamic update of nothing", func(t *testing.T, b *Builder) *Instruction {
		return b.DynamicUpdateSlice(count(t, b, 2), count(t, b, 0), []*Instruction{scalarInt(b, 1)})
	}, dims(2), []int32{0, 1}},
}

func TestMovement(t *testing.T) {
	for _, c := range movementCases {
		t.Run(c.name, func(t *testing.T) {
			l := run(t, build(t, "main", func(b *Builder) *Instruction { return c.build(t, b) }))
			if !slices.Equal(l.Shape().Dims, c.dims) {
				t.Errorf("got %v, want sizes %v", l.Shape(), c.dims)
			}
			wantElems(t, c.name, l, c.want...)
		})
	}
}

// naive is the meaning of a copy, element by element.
func naive(dst, src []byte, width int, at, from int64, axes []axis) {
	if len(axes) == 0 {
		w := int64(width)
		copy(dst[at*w:(at+1)*w], src[from*w:])
		return
	}
	for i := range axes[0].n {
		naive(dst, src, width, at+i*axes[0].dst, from+i*axes[0].src, axes[1:])
	}
}

func TestCopierIsTheNaiveCopy(t *testing.T) {
	seed := testfile.Seed(t)
	r := rand.New(rand.NewPCG(seed, 0))
	for range 2000 {
		rank := r.IntN(5)
		sizes := make([]int64, rank)
		for d := range sizes {
			if sizes[d] = 1 + r.Int64N(5); r.IntN(8) == 0 {
				sizes[d] = r.Int64N(70)
			}
		}
		to, from := shape.Strides(sizes), make([]int64, rank)
		n, start := int64(1), int64(0)
		for _, d := range r.Perm(rank) { // any order of memory in the source, some dimensions reversed or repeated
			from[d] = n
			switch r.IntN(4) {
			case 0:
				from[d] = 0
			case 1:
				start += n * max(sizes[d]-1, 0)
				from[d] = -n
			}
			n *= max(sizes[d], 1) + r.Int64N(2)
		}
		axes := make([]axis, rank)
		for d := range axes {
			axes[d] = axis{sizes[d], to[d], from[d]}
		}
		width := 1 << r.IntN(5)
		src := make([]byte, (n+start)*int64(width))
		for i := range src {
			src[i] = byte(r.Uint32())
		}
		size := shape.Array(shape.U8, sizes...).Size()
		want, got := make([]byte, size*int64(width)), make([]byte, size*int64(width))
		naive(want, src, width, 0, start, axes)
		newCopier(width, axes).copy(got, src, 0, start)
		if !slices.Equal(got, want) {
			t.Fatalf("seed %d: width %d, axes %v: copies differ", seed, width, axes)
		}
	}
}

func TestMovementKeepsBits(t *testing.T) {
	for typ := range shape.NumElementTypes {
		if !typ.IsArray() {
			continue
		}
		s := shape.Array(typ, 2, 3)
		data := make([]byte, 6*typ.Bytes())
		for i := range data {
			if data[i] = byte(i*37 + 129); typ == shape.Pred {
				data[i] &= 1
			}
		}
		l, err := literal.FromBytes(s, data)
		if err != nil {
			t.Fatal(err)
		}
		c := build(t, "main", func(b *Builder) *Instruction {
			p := b.Parameter(0, s, "p")
			p = b.Rev(b.Transpose(p, dims(1, 0)), dims(0))
			p = b.ConcatInDim([]*Instruction{p, p}, 0)
			return b.Slice(p, dims(3, 1), dims(6, 2), nil)
		})
		got := run(t, c, l).Bytes()
		w := typ.Bytes()
		want := slices.Concat(data[5*w:], data[4*w:5*w], data[3*w:4*w])
		if !slices.Equal(got, want) {
			t.Errorf("%v: got bytes %v, want %v", typ, got, want)
		}
	}
}

func TestIotaByType(t *testing.T) {
	iota := func(typ shape.ElementType, n int64) literal.Wide {
		return run(t, build(t, "main", func(b *Builder) *Instruction { return b.IotaVector(typ, n) })).Wide()
	}
	if got := iota(shape.S8, 130).I[129]; got != -127 {
		t.Errorf("s8: got %d, want -127", got)
	}
	if got := iota(shape.U4, 18).U[17]; got != 1 {
		t.Errorf("u4: got %d, want 1", got)
	}
	if got := iota(shape.F16, 2050).F[2049]; got != 2048 {
		t.Errorf("f16: got %v, want 2048", got)
	}
	if got := iota(shape.C64, 4).C[3]; got != 3 {
		t.Errorf("c64: got %v, want 3", got)
	}
}

// TestLimitComesFirst wants results that are too large refused before they are made: no machine has the terabyte that
// they take.
func TestLimitComesFirst(t *testing.T) {
	wide := func(b *Builder) *Instruction { return b.IotaVector(shape.F32, 1<<19) }
	for name, f := range map[string]func(b *Builder) *Instruction{
		"broadcast": func(b *Builder) *Instruction {
			return b.Broadcast(b.ConstantLiteral(literal.Scalar(float32(1))), dims(1<<38))
		},
		"dot": func(b *Builder) *Instruction { return b.DotGeneral(wide(b), wide(b), DotAttrs{}) },
	} {
		_, err := Evaluate(context.Background(), NewModule("m", build(t, name, f)), nil, EvalOptions{MaxBytes: 1 << 23})
		if !errors.Is(err, ErrLimit) {
			t.Errorf("%s: a result of 1 TiB under a limit of 8 MiB: got error %v, want %v", name, err, ErrLimit)
		}
	}
}

func BenchmarkTranspose(b *testing.B) {
	e := &Evaluator{ctx: context.Background()}
	l := literal.Zeros(shape.Array(shape.F32, 1024, 1024))
	b.SetBytes(4 << 20)
	for b.Loop() {
		if _, err := e.transpose(l, dims(1, 0)); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkBroadcastScalar(b *testing.B) {
	e := &Evaluator{ctx: context.Background()}
	l := literal.Scalar(float32(1))
	b.SetBytes(4 << 20)
	for b.Loop() {
		if _, err := e.broadcast(l, shape.Array(shape.F32, 1024, 1024), nil); err != nil {
			b.Fatal(err)
		}
	}
}
