package shape

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/halo-xla/halo/internal/testfile"
)

func TestLayoutUtil(t *testing.T) {
	row, col, mixed := MakeDescendingLayout(3), MakeAscendingLayout(3), MakeLayout(1, 2, 0)
	for _, c := range []struct {
		l            *Layout
		minor, major bool
	}{{row, false, true}, {col, true, false}, {mixed, false, false}, {MakeLayout(0), true, true}} {
		if a, b := c.l.IsMonotonicWithDim0Minor(), c.l.IsMonotonicWithDim0Major(); a != c.minor || b != c.major {
			t.Errorf("%s: got %v, %v; want %v, %v", c.l, a, b, c.minor, c.major)
		}
	}
	if a, b := mixed.MinorDim(0), mixed.MajorDim(0); a != 1 || b != 0 {
		t.Errorf("%s: minor %d, major %d, want 1 and 0", mixed, a, b)
	}
	s := mustParse(t, "(f32[2,3], (s32[4]{0}, token[]))")
	if s.HasLayout() {
		t.Errorf("%s has layouts", s.Text())
	}
	d := s.WithDefaultLayout()
	if !d.HasLayout() || d.Text() != "(f32[2,3]{1,0}, (s32[4]{0}, token[]))" {
		t.Errorf("default layouts: got %s", d.Text())
	}
	if !s.LayoutsEqual(d) || !s.Equal(d) {
		t.Errorf("%s and %s differ", s.Text(), d.Text())
	}
	c, err := s.CopyLayouts(mustParse(t, "(f32[5,6]{0,1}, (s32[9], token[]))"))
	if err != nil || c.Text() != "(f32[2,3]{0,1}, (s32[4], token[]))" || c.Equal(s) || !c.Compatible(s) {
		t.Errorf("copied layouts: got %s, %v", c.Text(), err)
	}
	for _, from := range []string{"f32[2,3]", "(f32[2], (s32[4], token[]))", "(f32[2,3], s32[4])",
		"(f32[1,1]{1,0:PAD(1,1)=one}, (s32[4], token[]))"} {
		if c, err := s.CopyLayouts(mustParse(t, from)); err == nil {
			t.Errorf("copied layouts of %s: got %s", from, c.Text())
		}
	}
}

func TestLayoutEqual(t *testing.T) {
	texts := []string{"{1,0}", "{0,1}", "{1,0:T(2)}", "{1,0:T(2)(2)}", "{1,0:T(2,2)}", "{1,0:E(4)}", "{1,0:S(1)}",
		"{1,0:L(2)}", "{1,0:M(4)}",
		"{1,0:#(u8)}", "{1,0:*(u8)}", "{1,0:SC(0:1)}", "{1,0:SC(0:2)}", "{1,0:D(D,C)}", "{1,0:P(f32[2])}",
		"{1,0:PAD(2,2)=zero}", "{1,0:PAD(2,2)=one}"}
	for i, a := range texts {
		for j, b := range texts {
			la, err := ParseLayout(a)
			if err != nil {
				t.Fatalf("%s: %v", a, err)
			}
			lb, err := ParseLayout(b)
			if err != nil {
				t.Fatalf("%s: %v", b, err)
			}
			if la.Equal(*lb) != (i == j) {
				t.Errorf("%s and %s: equal is %v", a, b, la.Equal(*lb))
			}
		}
		if l, _ := ParseLayout(a); l.IsDefault() != (i == 0) || !l.Clone().Equal(*l) {
			t.Errorf("%s: default is %v, clone %s", a, l.IsDefault(), l.Clone())
		}
	}
}

func TestSubshape(t *testing.T) {
	s := mustParse(t, "(f32[2], (s32[], token[]), ())")
	for _, c := range []struct {
		index ShapeIndex
		want  string
	}{{nil, s.String()}, {ShapeIndex{0}, "f32[2]"}, {ShapeIndex{1, 1}, "token[]"}, {ShapeIndex{2}, "()"},
		{ShapeIndex{3}, ""}, {ShapeIndex{0, 0}, ""}, {ShapeIndex{1, -1}, ""}} {
		got, err := s.Subshape(c.index)
		if (err == nil) != (c.want != "") || err == nil && got.String() != c.want {
			t.Errorf("%v: got %s, %v; want %q", c.index, got, err, c.want)
		}
	}
	var seen string
	stop := errors.New("stop")
	err := s.ForEachSubshape(func(index ShapeIndex, sub Shape) error {
		seen += fmt.Sprint(index)
		if sub.IsToken() {
			return stop
		}
		return nil
	})
	if seen != "[][0][1][1 0][1 1]" || err != stop {
		t.Errorf("got %s, %v", seen, err)
	}
	if n := s.LeafCount(); n != 3 {
		t.Errorf("leaves: got %d, want 3", n)
	}
	leaves := ""
	for _, l := range s.Leaves() {
		leaves += l.String() + " "
	}
	if leaves != "f32[2] s32[] token[] " {
		t.Errorf("leaves: got %s", leaves)
	}
}

func TestByteSizeOf(t *testing.T) {
	for text, want := range map[string]int64{"(f32[2], s32[])": 16, "token[]": 0, "opaque[]": 8, "f32[3]": 12,
		"b(s8[5])": 5, "()": 0} {
		if got, err := mustParse(t, text).ByteSizeOf(8); err != nil || got != want {
			t.Errorf("%s: got %d, %v; want %d", text, got, err, want)
		}
	}
}

func TestCompatible(t *testing.T) {
	for _, c := range []struct {
		a, b                        string
		equal, compatible, ignoring bool
	}{
		{"f32[2]", "f32[2]{0}", true, true, true},
		{"f32[2,3]{0,1}", "f32[2,3]", false, true, true},
		{"f32[2]", "s32[2]", false, false, true},
		{"f32[2]", "f32[<=2]", false, false, false},
		{"f32[?]", "f32[?]", true, true, true},
		{"(f32[2], s32[])", "(f32[2], f32[])", false, false, true},
		{"(f32[2])", "f32[2]", false, false, false},
		{"(f32[2])", "(f32[2], f32[2])", false, false, false},
		{"token[]", "token[]", true, true, true},
		{"token[]", "opaque[]", false, false, false},
		{"token[]", "f32[]", false, false, false},
	} {
		a, b := mustParse(t, c.a), mustParse(t, c.b)
		for range 2 {
			if a.Equal(b) != c.equal || a.Compatible(b) != c.compatible || a.CompatibleIgnoringType(b) != c.ignoring {
				t.Errorf("%s and %s: got %v, %v, %v", c.a, c.b, a.Equal(b), a.Compatible(b), a.CompatibleIgnoringType(b))
			}
			a, b = b, a
		}
	}
}

func TestPermuteDims(t *testing.T) {
	s := mustParse(t, "f32[2,<=3,4]{0,2,1:PAD(2,5,4)=one}")
	if got, want := s.PermuteDims([]int64{2, 0, 1}).Text(), "f32[4,2,<=3]{1,0,2:PAD(4,2,5)=one}"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestBitcasts(t *testing.T) {
	for _, c := range []struct {
		from, to string
		perm     []int64 // nil: a reshape
		want     bool
	}{
		{"f32[2,3]{1,0}", "f32[3,2]{0,1}", []int64{1, 0}, true},
		{"f32[2,3]{1,0}", "f32[3,2]{1,0}", []int64{1, 0}, false},
		{"f32[1,3]{1,0}", "f32[3,1]{1,0}", []int64{1, 0}, true},
		{"f32[2,3]{1,0}", "s32[3,2]{0,1}", []int64{1, 0}, false},
		{"f32[2,3]{1,0:T(2)}", "f32[3,2]{0,1:T(2)}", []int64{1, 0}, true},
		{"f32[2,3]{1,0:T(2)}", "f32[3,2]{0,1:T(4)}", []int64{1, 0}, false},
		{"f32[2,3]{1,0:PAD(2,5)=one}", "f32[3,2]{0,1:PAD(5,2)=one}", []int64{1, 0}, true},
		{"f32[6]", "f32[2,3]", nil, true},
		{"f32[6]", "f32[2,3]{0,1}", nil, false},
		{"f32[2,1,3]{0,1,2}", "f32[2,3]{0,1}", nil, true},
		{"f32[2,3,4]{2,1,0}", "f32[6,4]", nil, true},
		{"f32[4,6]{0,1}", "f32[4,2,3]{0,2,1}", nil, true},
		{"f32[4,6]{0,1}", "f32[2,2,6]{1,0,2}", nil, true},
		{"f32[4,6]{0,1}", "f32[24]", nil, false},
		{"f32[0,3]", "f32[3,0]{0,1}", nil, true},
		{"f32[6]", "f32[7]", nil, false},
		{"s4[6]{0:E(4)}", "s4[2,3]{1,0}", nil, false},
		{"f32[2,2]{1,0:PAD(2,3)=one}", "f32[4]", nil, false},
	} {
		from, to := mustParse(t, c.from), mustParse(t, c.to)
		got := false
		if c.perm != nil {
			got = TransposeIsBitcast(from, to, c.perm)
		} else {
			got = ReshapeIsBitcast(from, to)
		}
		if got != c.want {
			t.Errorf("%s to %s by %v: got %v, want %v", c.from, c.to, c.perm, got, c.want)
		}
	}
}

// A random reshape is a bitcast if and only if all positions are the same.
func TestReshapeIsBitcastRandom(t *testing.T) {
	seed := testfile.Seed(t)
	r := rand.New(rand.NewPCG(seed, 0))
	options := [][]int64{{24}, {2, 12}, {4, 6}, {2, 3, 4}, {1, 24}, {6, 1, 4}, {2, 2, 2, 3}}
	bitcasts := 0
	for range 3000 {
		var s [2]Shape
		var x [2]*Indexer
		for k := range s {
			dims := options[r.IntN(len(options))]
			y := &Layout{}
			for _, d := range r.Perm(len(dims)) {
				y.MinorToMajor = append(y.MinorToMajor, int64(d))
			}
			s[k] = Array(F32, dims...).WithLayout(y)
			x[k], _ = NewIndexer(s[k])
		}
		want := true
		a, b := make([]int64, s[0].Rank()), make([]int64, s[1].Rank())
		for range 24 {
			want = want && x[0].Linear(a) == x[1].Linear(b)
			s[0].BumpIndices(a)
			s[1].BumpIndices(b)
		}
		if want {
			bitcasts++
		}
		if got := ReshapeIsBitcast(s[0], s[1]); got != want {
			t.Fatalf("seed %d: %s to %s: got %v, want %v", seed, s[0].Text(), s[1].Text(), got, want)
		}
	}
	if bitcasts < 100 {
		t.Errorf("seed %d: only %d bitcasts", seed, bitcasts)
	}
}

func TestInsertedOrDeleted1SizedDims(t *testing.T) {
	for _, c := range []struct {
		from, to          []int64
		deleted, inserted []int64
		ok                bool
	}{
		{[]int64{2, 3}, []int64{2, 3}, nil, nil, true},
		{[]int64{2, 1, 3}, []int64{2, 3}, []int64{1}, nil, true},
		{[]int64{2, 3}, []int64{1, 2, 3, 1}, nil, []int64{0, 3}, true},
		{[]int64{1, 2}, []int64{2, 1}, []int64{0}, []int64{1}, true},
		{[]int64{2, 3}, []int64{3, 2}, nil, nil, false},
		{[]int64{6}, []int64{2, 3}, nil, nil, false},
		{[]int64{}, []int64{1}, nil, []int64{0}, true},
	} {
		d, i, ok := InsertedOrDeleted1SizedDims(Array(F32, c.from...), Array(F32, c.to...))
		if !slices.Equal(d, c.deleted) || !slices.Equal(i, c.inserted) || ok != c.ok {
			t.Errorf("%v to %v: got %v, %v, %v", c.from, c.to, d, i, ok)
		}
	}
}
