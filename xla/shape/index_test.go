package shape

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/halo-xla/halo/internal/testfile"
)

func mustParse(t testing.TB, text string) Shape {
	t.Helper()
	s, err := Parse(text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return s
}

func TestMultiIndexToLinear(t *testing.T) {
	for _, c := range []struct {
		shape string
		index []int64
		want  int64
	}{
		{"f32[]", nil, 0},
		{"f32[2,3]", []int64{1, 2}, 5},
		{"f32[2,3]{1,0}", []int64{1, 0}, 3},
		{"f32[2,3]{0,1}", []int64{1, 0}, 1},
		{"f32[2,3]{0,1}", []int64{0, 2}, 4},
		{"f32[2,3,4]{1,2,0}", []int64{1, 2, 3}, 23},
		{"f32[2,3,4]{1,2,0}", []int64{0, 1, 2}, 7},
		{"f32[2,3]{0,1:PAD(3,5)=zero}", []int64{1, 2}, 7},
		{"f32[2,3]{1,0:PAD(3,5)=zero}", []int64{1, 2}, 7},
		{"f32[3,5]{1,0:T(2,2)}", []int64{2, 3}, 17},
		{"f32[3,5]{1,0:T(4)}", []int64{2, 4}, 20},
		{"f32[]{:T(8)}", nil, 0},
		{"f32[5]{0:T(2,2)}", []int64{4}, 8},
		{"f32[3,3]{1,0:T(*,2)}", []int64{2, 2}, 8},
	} {
		s := mustParse(t, c.shape)
		got, err := s.MultiIndexToLinear(c.index)
		if err != nil || got != c.want {
			t.Errorf("%s %v: got %d, %v; want %d", c.shape, c.index, got, err, c.want)
			continue
		}
		if back, err := s.LinearToMultiIndex(got); err != nil || !slices.Equal(back, c.index) {
			t.Errorf("%s %d: got %v, %v; want %v", c.shape, got, back, err, c.index)
		}
	}
}

// The formulas are written out by hand for two layouts of several tiles.
func TestTileFormulas(t *testing.T) {
	s := mustParse(t, "bf16[16,256]{1,0:T(8,128)(2,1)}")
	x, err := NewIndexer(s)
	if err != nil {
		t.Fatal(err)
	}
	for r := range int64(16) {
		for c := range int64(256) {
			want := (r/8*2+c/128)*1024 + r%8/2*256 + c%128*2 + r%2
			if got := x.Linear([]int64{r, c}); got != want {
				t.Fatalf("%s (%d,%d): got %d, want %d", s.Text(), r, c, got, want)
			}
		}
	}
	s = mustParse(t, "f32[3,3,2]{2,1,0:T(2,*,4)}")
	if x, err = NewIndexer(s); err != nil {
		t.Fatal(err)
	}
	for i := range int64(3) {
		for jk := range int64(6) {
			want := (i/2*2+jk/4)*8 + i%2*4 + jk%4
			if got := x.Linear([]int64{i, jk / 2, jk % 2}); got != want {
				t.Fatalf("%s (%d,%d): got %d, want %d", s.Text(), i, jk, got, want)
			}
		}
	}
	if x.Size() != 32 {
		t.Errorf("%s: got size %d, want 32", s.Text(), x.Size())
	}
}

func TestByteSize(t *testing.T) {
	for _, c := range []struct {
		shape string
		want  int64 // -1: an error
	}{
		{"f32[]", 4}, {"f32[2,3]{0,1:PAD(3,5)=zero}", 60}, {"f32[3,5]{1,0:T(2,2)}", 96}, {"s4[5]{0}",
			5}, {"s4[5]{0:E(4)}", 3},
		{"u2[5]{0:E(2)}", 2}, {"f6e3m2fn[4]{0:E(6)}", 3}, {"s4[3,3]{1,0:T(2,2)E(4)}", 8}, {"pred[9]{0:E(1)}",
			2}, {"c128[0,9]", 0},
		{"f32[5]{0:L(4)}", 32}, {"f32[5]{0:E(32)}", 20}, {"bf16[<=7]", 14}, {"s8[4]{0:E(4)}", -1}, {"f32[?]",
			-1}, {"token[]", -1},
		{"f32[1000000000,1000000000]", 4e18}, {"f32[2]{0:T(4000000000000000000)}", -1},
		{"f32[2]{0:PAD(4000000000000000000)=one}", -1}, {"f32[2]{0:T(3000000000,3000000000,3)}",
			-1}, {"u8[1]{0:L(9223372036854775807)}", -1},
	} {
		got, err := mustParse(t, c.shape).ByteSize()
		if err != nil {
			got = -1
		}
		if got != c.want {
			t.Errorf("%s: got %d, %v; want %d", c.shape, got, err, c.want)
		}
	}
}

// randomLayout returns a random layout for dims: plain, padded, or with up to three tiles.
func randomLayout(r *rand.Rand, dims []int64) *Layout {
	l := &Layout{}
	for _, d := range r.Perm(len(dims)) {
		l.MinorToMajor = append(l.MinorToMajor, int64(d))
	}
	switch r.IntN(3) {
	case 0:
		l.PaddingValue = PaddingValue(1 + r.IntN(5))
		l.PaddedDims = []int64{}
		for _, d := range dims {
			l.PaddedDims = append(l.PaddedDims, d+r.Int64N(3))
		}
	case 1:
		for range 1 + r.IntN(3) {
			var tile Tile
			for range 1 + r.IntN(3) {
				tile = append(tile, 1+r.Int64N(4))
			}
			if len(tile) > 1 && r.IntN(4) == 0 {
				tile[r.IntN(len(tile)-1)] = CombineDim
			}
			l.Tiles = append(l.Tiles, tile)
		}
	}
	return l
}

// The position is a bijection of the elements onto those positions that are no padding.
func TestIndexerBijection(t *testing.T) {
	seed := testfile.Seed(t)
	r := rand.New(rand.NewPCG(seed, 0))
	for range 3000 {
		dims := make([]int64, r.IntN(5))
		for d := range dims {
			dims[d] = r.Int64N(6)
			if r.IntN(10) != 0 {
				dims[d]++
			}
		}
		s := Array(F32, dims...).WithLayout(randomLayout(r, dims))
		x, err := NewIndexer(s)
		if err != nil {
			t.Fatalf("seed %d: %s: %v", seed, s.Text(), err)
		}
		taken := make([]bool, x.Size())
		index, back := make([]int64, len(dims)), make([]int64, len(dims))
		for more := s.Size() > 0; more; more = s.BumpIndices(index) {
			pos := x.Linear(index)
			if pos < 0 || pos >= x.Size() || taken[pos] {
				t.Fatalf("seed %d: %s %v is at %d of %d, which is outside or taken", seed, s.Text(), index, pos, x.Size())
			}
			taken[pos] = true
			if !x.Multi(pos, back) || !slices.Equal(back, index) {
				t.Fatalf("seed %d: %s %v is at %d, which holds %v", seed, s.Text(), index, pos, back)
			}
		}
		for pos, used := range taken {
			if x.Multi(int64(pos), back) != used {
				t.Fatalf("seed %d: %s: position %d: element %v, want padding", seed, s.Text(), pos, back)
			}
		}
	}
}

func TestIndexUtil(t *testing.T) {
	s := mustParse(t, "f32[2,3]{0,1}")
	var seen [][2]int64
	for index, more := []int64{0, 0}, true; more; more = s.BumpIndices(index) {
		seen = append(seen, [2]int64(index))
	}
	if want := [][2]int64{{0, 0}, {0, 1}, {0, 2}, {1, 0}, {1, 1}, {1, 2}}; !slices.Equal(seen, want) {
		t.Errorf("bump: got %v, want %v", seen, want)
	}
	for _, c := range []struct {
		shape     string
		dim, want int64 // want -1: an error
	}{
		{"f32[2,3]{0,1}", 0, 1}, {"f32[2,3]{0,1}", 1, 2}, {"f32[2,3]", -1, 1}, {"f32[2,3]", -2, 3}, {"f32[2,3]", 2, -1},
		{"f32[2,3]{0,1:PAD(3,5)=one}", 1, 3}, {"f32[2,3]{1,0:T(2)}", 1, -1},
	} {
		got, err := mustParse(t, c.shape).DimensionStride(c.dim)
		if err != nil {
			got = -1
		}
		if got != c.want {
			t.Errorf("stride %d of %s: got %d, %v; want %d", c.dim, c.shape, got, err, c.want)
		}
	}
	for _, c := range []struct {
		index []int64
		want  bool
	}{{[]int64{1, 2}, true}, {[]int64{2, 0}, false}, {[]int64{0, -1}, false}, {[]int64{0}, false}} {
		if got := s.IndexInBounds(c.index); got != c.want {
			t.Errorf("in bounds %v: got %v, want %v", c.index, got, c.want)
		}
		if _, err := s.MultiIndexToLinear(c.index); (err == nil) != c.want {
			t.Errorf("position of %v: got error %v", c.index, err)
		}
	}
	// the larger one on the left gives -1
	if a, b, c := CompareIndices([]int64{1, 0}, []int64{0, 9}), CompareIndices([]int64{0, 1}, []int64{0, 2}),
		CompareIndices([]int64{1}, []int64{1}); a != -1 || b != 1 || c != 0 {
		t.Errorf("compare: got %d, %d, %d, want -1, 1, 0", a, b, c)
	}
}

func TestDimensionNames(t *testing.T) {
	for _, c := range []struct {
		rank, dim int
		want      string
	}{{1, 0, "x"}, {2, 0, "y"}, {2, 1, "x"}, {3, 0, "z"}, {4, 0, "p"}, {4, 3, "x"}, {5, 0, ""}, {2, 2, ""}, {0, 0, ""}} {
		got, ok := DimLetter(c.rank, c.dim)
		if got != c.want || ok != (c.want != "") {
			t.Errorf("dimension %d of %d: got %q, %v; want %q", c.dim, c.rank, got, ok, c.want)
		}
		if d, found := DimByLetter(c.rank, c.want); ok && (!found || d != c.dim) {
			t.Errorf("dimension %q of %d: got %d, want %d", c.want, c.rank, d, c.dim)
		}
	}
	if d, ok := DimByLetter(2, "z"); ok {
		t.Errorf("dimension z of 2: got %d", d)
	}
	s := Array(F32, 1, 5, 1, 2, 0)
	if got := s.TrueRank(); got != 2 {
		t.Errorf("true rank of %s: got %d, want 2", s, got)
	}
	if d, ok := s.NormalizeDim(-5); d != 0 || !ok {
		t.Errorf("dimension -5: got %d, %v", d, ok)
	}
	if d, ok := s.NormalizeDim(-6); ok {
		t.Errorf("dimension -6: got %d", d)
	}
}
