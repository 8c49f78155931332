package exec

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// randomClasses makes n classes that live at random times; some are results, which live to the end.
func randomClasses(r *rand.Rand, n, positions int) []*class {
	var list []*class
	for i := range n {
		c := &class{slots: []int32{int32(i)}, size: int64(r.IntN(5000)), own: NoSlot, host: NoSlot}
		for at := r.IntN(positions); at < positions && len(c.spans) < 3; at += 2 + r.IntN(10) {
			last := min(at+r.IntN(8), positions-1)
			c.spans = append(c.spans, span{int32(at), int32(last)})
			at = last
		}
		if r.IntN(8) == 0 {
			c.own, c.spans = int32(i), []span{{int32(r.IntN(positions)), int32(positions)}}
		}
		list = append(list, c)
	}
	return list
}

// TestPlace wants classes that live at one time to lie in different bytes, hosts not to be left, and arenas that are
// not much larger than they must be.
func TestPlace(t *testing.T) {
	const seed, positions = 1, 60
	r := rand.New(rand.NewPCG(seed, 0))
	for round := range 200 {
		classes := randomClasses(r, 1+r.IntN(60), positions)
		most, peak := bound(classes, positions+1)
		end := placeBest(lodge(classes, peak))
		var results int64
		for i, a := range classes {
			if a.own != NoSlot {
				results += aligned64(a.size)
			}
			if limit := roomOf(classes, a, end); a.offset+a.size > limit {
				t.Errorf("round %d: class %d ends at %d of %d", round, i, a.offset+a.size, limit)
			}
			for k, b := range classes[:i] {
				if clash(a, b) {
					t.Errorf("round %d: classes %d and %d live in the same bytes at the same time", round, i, k)
				}
			}
		}
		if float64(end+results) > 1.5*float64(most) || end+results < most {
			t.Errorf("round %d: the arena has %d bytes beside %d of results, and any needs %d", round, end, results, most)
		}
	}
}

// TestPlaceMany wants more classes than can look at each other to lie in different bytes too while they live, in an
// arena that is not much larger than it must be.
func TestPlaceMany(t *testing.T) {
	const seed, n = 1, 15000 // n*n/2 looks are more than mostLooks
	r := rand.New(rand.NewPCG(seed, 0))
	var classes []*class
	for i := range int32(n) {
		classes = append(classes, &class{slots: []int32{i}, size: int64(r.IntN(5000)), own: NoSlot, host: NoSlot,
			spans: []span{{i, i + r.Int32N(20)}}})
	}
	most, peak := bound(classes, n+20)
	end := placeBest(lodge(slices.Clone(classes), peak))
	for i, a := range classes {
		for _, b := range classes[i+1 : min(i+20, n)] {
			if clash(a, b) {
				t.Errorf("classes %d and %d live in the same bytes at the same time", a.slots[0], b.slots[0])
			}
		}
		if a.offset+a.size > end {
			t.Errorf("class %d ends at %d of %d", i, a.offset+a.size, end)
		}
	}
	if end > 4*most {
		t.Errorf("the arena has %d bytes, and any needs %d", end, most)
	}
}

// roomOf is the size of the memory in which c lies.
func roomOf(classes []*class, c *class, arena int64) int64 {
	switch {
	case c.own != NoSlot:
		return c.size
	case c.host == NoSlot:
		return arena
	}
	for _, h := range classes {
		if h.own == c.host {
			return h.size
		}
	}
	return -1
}

// clash reports whether a and b have bytes in common at some time.
func clash(a, b *class) bool {
	if max(a.own, a.host) != max(b.own, b.host) || a.size == 0 || b.size == 0 {
		return false
	}
	if a.offset+a.size <= b.offset || b.offset+b.size <= a.offset {
		return false
	}
	points, ok := overlap(a.spans, b.spans)
	return !ok || len(points) > 0
}

// TestBound wants the bound of programs that are known: a large temporary that fits into no result, a small one that is
// free to lie in one, and results that take more than ever lives.
func TestBound(t *testing.T) {
	temporary := func(size int64, first, last int32) *class {
		return &class{size: size, spans: []span{{first, last}}, own: NoSlot, host: NoSlot}
	}
	result := func(size int64, first int32) *class {
		return &class{size: size, spans: []span{{first, 9}}, own: 1, host: NoSlot}
	}
	for _, c := range []struct {
		what    string
		classes []*class
		want    int64
	}{
		{"large beside", []*class{temporary(2048, 0, 3), result(640, 5)}, 2048 + 640},
		{"small inside", []*class{temporary(600, 0, 3), result(640, 5)}, 640},
		{"small at the same time", []*class{temporary(600, 0, 5), result(640, 5)}, 640 + 640},
		{"two, and room for one", []*class{temporary(640, 0, 3), temporary(640, 2, 4), result(640, 5)}, 1280},
		{"lines count whole", []*class{temporary(65, 0, 3), result(1, 5)}, 128 + 64},
	} {
		if got, _ := bound(c.classes, 10); got != c.want {
			t.Errorf("%s: got %d, want %d", c.what, got, c.want)
		}
	}
}

func TestOverlap(t *testing.T) {
	for _, c := range []struct {
		a, b   []span
		points int
		single bool
	}{
		{[]span{{0, 3}}, []span{{4, 5}}, 0, true},
		{[]span{{0, 3}}, []span{{3, 5}}, 1, true},
		{[]span{{0, 3}, {7, 9}}, []span{{3, 7}}, 2, true},
		{[]span{{0, 4}}, []span{{3, 5}}, 0, false},
		{nil, []span{{3, 5}}, 0, true},
	} {
		points, single := overlap(c.a, c.b)
		if len(points) != c.points || single != c.single {
			t.Errorf("overlap(%v, %v): got %v, %v, want %d points, %v", c.a, c.b, points, single, c.points, c.single)
		}
	}
}
