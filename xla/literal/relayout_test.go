package literal

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/halo-xla/halo/internal/testfile"
	"github.com/halo-xla/halo/xla/shape"
)

// randomLayout returns a random layout for dims: plain, padded, or with up to three tiles; packed for S4.
func randomLayout(r *rand.Rand, t shape.ElementType, dims []int64) *shape.Layout {
	l := &shape.Layout{}
	for _, d := range r.Perm(len(dims)) {
		l.MinorToMajor = append(l.MinorToMajor, int64(d))
	}
	switch r.IntN(3) {
	case 0:
		l.PaddingValue = shape.PaddingValue(1 + r.IntN(5))
		l.PaddedDims = []int64{}
		for _, d := range dims {
			l.PaddedDims = append(l.PaddedDims, d+r.Int64N(3))
		}
	case 1:
		for range 1 + r.IntN(2) {
			var tile shape.Tile
			for range 1 + r.IntN(3) {
				tile = append(tile, 1+r.Int64N(20))
			}
			if len(tile) > 1 && r.IntN(4) == 0 {
				tile[r.IntN(len(tile)-1)] = shape.CombineDim
			}
			l.Tiles = append(l.Tiles, tile)
		}
		l.Tail = r.Int64N(5)
	}
	if t == shape.S4 {
		l.ElementBits = 4 * r.Int64N(2)
	}
	return l
}

func randomArray(r *rand.Rand) *Literal {
	types := []shape.ElementType{shape.S4, shape.U8, shape.BF16, shape.F32, shape.S64, shape.C128}
	dims := make([]int64, r.IntN(5))
	for d := range dims {
		dims[d] = r.Int64N(12)
		if r.IntN(10) != 0 {
			dims[d]++
		}
	}
	if len(dims) == 2 {
		dims[0] += r.Int64N(100)
		dims[1] += r.Int64N(100)
	}
	l := Zeros(shape.Array(types[r.IntN(len(types))], dims...))
	for i := range l.data {
		l.data[i] = byte(r.Uint32())
	}
	l.data = Canonical(l.shape.Type, l.data)
	return l
}

// An array goes from its layout to a random one, from there to another, and back to the same bytes; in each, every
// element is where the index arithmetic says.
func TestRelayoutRandom(t *testing.T) {
	seed := testfile.Seed(t)
	r := rand.New(rand.NewPCG(seed, 0))
	for range 1500 {
		l := randomArray(r)
		dims := l.shape.Dims
		a, err := l.Relayout(randomLayout(r, l.shape.Type, dims))
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		b, err := a.Relayout(randomLayout(r, l.shape.Type, dims))
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		for _, m := range []*Literal{a, b} {
			if back := m.RowMajor(); !bytes.Equal(back.data, l.data) {
				t.Fatalf("seed %d: %s via %s via %s comes back wrong", seed, l.shape, a.shape.Text(), b.shape.Text())
			}
			if n, err := m.shape.ByteSize(); err != nil || n != int64(len(m.data)) {
				t.Fatalf("seed %d: %s has %d bytes, want %d, %v", seed, m.shape.Text(), len(m.data), n, err)
			}
			checkPlaces(t, seed, l, m)
		}
	}
}

// checkPlaces compares each element of m with the row-major l, and its padding with what the layout says.
func checkPlaces(t *testing.T, seed uint64, l, m *Literal) {
	t.Helper()
	x, err := shape.NewIndexer(m.shape)
	if err != nil {
		t.Fatalf("seed %d: %v", seed, err)
	}
	w := int64(m.shape.Type.Bytes())
	data, index := m.unpacked(x.Size()), make([]int64, m.shape.Rank())
	pad := make([]byte, w)
	if y := m.shape.Layout; y.PaddedDims != nil {
		switch y.PaddingValue {
		case shape.OnePad:
			pad = One(m.shape.Type).data
		case shape.LowestPad:
			pad = mustConvert(MinValue(m.shape.Type.Component()), m.shape.Type).data
		case shape.HighestPad:
			pad = mustConvert(MaxValue(m.shape.Type.Component()), m.shape.Type).data
		}
	}
	for pos := range x.Size() {
		want := pad
		if x.Multi(pos, index) {
			at := int64(0)
			for d, i := range index {
				at = at*m.shape.Dims[d] + i
			}
			want = l.data[at*w : (at+1)*w]
		}
		if got := data[pos*w : (pos+1)*w]; !bytes.Equal(got, want) {
			t.Fatalf("seed %d: %s: position %d is %x, want %x", seed, m.shape.Text(), pos, got, want)
		}
	}
}

func TestRelayoutRefuses(t *testing.T) {
	l := arr([]float32{1, 2}, 2)
	for name, y := range map[string]*shape.Layout{
		"rank":     {MinorToMajor: []int64{1, 0}},
		"too long": {MinorToMajor: []int64{0}, Tiles: []shape.Tile{{MaxBytes}}},
		"tile":     {MinorToMajor: []int64{0}, Tiles: []shape.Tile{{-5}}},
	} {
		if got, err := l.Relayout(y); err == nil {
			t.Errorf("%s: got %s", name, got.shape.Text())
		}
	}
	if got, err := NewTuple(l).Relayout(nil); err == nil {
		t.Errorf("tuple: got %s", got)
	}
	col, err := arr([]int32{1, 2, 3, 4}, 2, 2).Relayout(shape.MakeAscendingLayout(2))
	if err != nil {
		t.Fatal(err)
	}
	tuple := NewTuple(l, col)
	if got := tuple.RowMajor(); got == tuple || got.Elems()[0] != l || got.Elems()[1].Shape().Layout != nil {
		t.Errorf("tuple in row-major order: got %s", got.Shape().Text())
	}
}

func TestView(t *testing.T) {
	l := arr([]float32{1, 2, 3, 4}, 2, 2)
	v, err := View[float32](l)
	if err != nil || !slices.Equal(v, []float32{1, 2, 3, 4}) || &asBytes(v)[0] != &l.data[0] {
		t.Errorf("got %v, %v", v, err)
	}
	if v, err := View[int32](l); err == nil {
		t.Errorf("f32 as int32: got %v", v)
	}
	col, _ := l.Relayout(shape.MakeAscendingLayout(2))
	if v, err := View[float32](col); err == nil {
		t.Errorf("column-major: got %v", v)
	}
	if v, err := View[uint16](FromWide(shape.Array(shape.BF16, 1), Wide{Class: shape.FloatClass,
		F: []float64{1}})); err != nil || v[0] != 0x3F80 {
		t.Errorf("bf16: got %v, %v", v, err)
	}
	bad, _ := FromBytes(shape.Array(shape.Pred, 2), []byte{1, 2})
	if v, err := View[bool](bad); err == nil {
		t.Errorf("pred of 2: got %v", v)
	}
	odd, _ := FromBytes(shape.Array(shape.S64, 1), asBytes(make([]int64, 2))[1:9])
	if v, err := View[int64](odd); err == nil {
		t.Errorf("not aligned: got %v", v)
	}
	if w := odd.Wide(); len(w.I) != 1 || w.I[0] != 0 {
		t.Errorf("not aligned: got %v", w)
	}
	if v, err := View[uint8](NewTuple()); err == nil {
		t.Errorf("tuple: got %v", v)
	}
}

func bench(b *testing.B, s shape.Shape, to *shape.Layout) {
	l := Zeros(s)
	for i := range l.data {
		l.data[i] = byte(i)
	}
	b.SetBytes(int64(len(l.data)))
	for b.Loop() {
		if _, err := l.Relayout(to); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkRelayout(b *testing.B) {
	f32 := shape.Array(shape.F32, 4096, 4096)
	b.Run("transpose", func(b *testing.B) { bench(b, f32, shape.MakeAscendingLayout(2)) })
	b.Run("transpose u8", func(b *testing.B) {
		bench(b, shape.Array(shape.U8, 8192, 8192),
			shape.MakeAscendingLayout(2))
	})
	b.Run("tiles", func(b *testing.B) {
		bench(b, f32, &shape.Layout{MinorToMajor: []int64{1, 0}, Tiles: []shape.Tile{{8, 128}}})
	})
	b.Run("small tiles", func(b *testing.B) {
		bench(b, f32, &shape.Layout{MinorToMajor: []int64{1, 0}, Tiles: []shape.Tile{{8, 128}, {2, 1}}})
	})
	b.Run("padding", func(b *testing.B) {
		bench(b, f32, &shape.Layout{MinorToMajor: []int64{1, 0}, PaddedDims: []int64{4096, 4100},
			PaddingValue: shape.ZeroPad})
	})
	b.Run("nhwc to nchw", func(b *testing.B) {
		bench(b, shape.Array(shape.F32, 64, 112, 112, 16),
			shape.MakeLayout(2, 1, 3, 0))
	})
}

func BenchmarkWide(b *testing.B) {
	const n = 1 << 22
	for _, t := range []shape.ElementType{shape.F32, shape.BF16, shape.F16, shape.S32, shape.F8E4M3FN, shape.Pred,
		shape.C64} {
		l := Zeros(shape.Array(t, n))
		w := l.Wide()
		for i := range w.F {
			w.F[i] = float64(i) * 0.37
		}
		b.Run(t.String()+" widen", func(b *testing.B) {
			b.SetBytes(n) // so MB/s are million elements a second
			for b.Loop() {
				l.Wide()
			}
		})
		b.Run(t.String()+" narrow", func(b *testing.B) {
			b.SetBytes(n)
			for b.Loop() {
				FromWide(l.shape, w)
			}
		})
	}
}

// TestRowMajorContext wants a move to end with its context, and nothing of it to be shown.
func TestRowMajorContext(t *testing.T) {
	l, err := Zeros(shape.Array(shape.F32, 300, 400)).Relayout(&shape.Layout{MinorToMajor: []int64{0, 1}})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	if _, err := l.RowMajorContext(ctx); err != nil {
		t.Errorf("got %v before the context ends", err)
	}
	cancel()
	if _, err := l.RowMajorContext(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want %v", err, context.Canceled)
	}
}
