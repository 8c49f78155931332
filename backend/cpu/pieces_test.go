package cpu_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/halo-xla/halo/xla/shape"
)

// choice writes random programs that only choose elements: ops on ops on parameters.
type choice struct {
	movement
	lines []string
	count int
}

// line adds an instruction and returns its name.
func (g *choice) line(out []int64, format string, args ...any) string {
	name := fmt.Sprintf("v%d", len(g.lines))
	g.lines = append(g.lines, fmt.Sprintf("%s = %s %s", name, g.array(out), fmt.Sprintf(format, args...)))
	return name
}

// array returns the name of one of sizes dims that is made by so many ops, one on the other.
func (g *choice) of(dims []int64, depth int) string {
	if depth == 0 || len(dims) == 0 {
		g.count++
		return g.line(dims, "parameter(%d)", g.count-1)
	}
	return []func([]int64, int) string{g.concatenated, g.concatenated, g.sliced, g.reversed, g.transposed, g.spread,
		g.reshaped}[g.r.IntN(7)](dims, depth-1)
}

func (g *choice) concatenated(dims []int64, depth int) string {
	d, left := g.r.IntN(len(dims)), int64(0)
	left = dims[d]
	var list []string
	for left > 0 || len(list) == 0 {
		part := slices.Clone(dims)
		part[d] = g.r.Int64N(left + 1)
		left -= part[d]
		list = append(list, g.of(part, depth))
	}
	return g.line(dims, "concatenate(%s), dimensions={%d}", strings.Join(list, ", "), d)
}

func (g *choice) sliced(dims []int64, depth int) string {
	from, text := make([]int64, len(dims)), make([]string, len(dims))
	for d, n := range dims {
		start, stride := g.r.Int64N(4), 1+g.r.Int64N(3)
		limit := start + max((n-1)*stride+1, 0)
		from[d] = limit + g.r.Int64N(3)
		text[d] = fmt.Sprintf("[%d:%d:%d]", start, limit, stride)
	}
	return g.line(dims, "slice(%s), slice={%s}", g.of(from, depth), strings.Join(text, ", "))
}

func (g *choice) reversed(dims []int64, depth int) string {
	at := perm(g.r, len(dims))[:g.r.IntN(len(dims)+1)]
	return g.line(dims, "reverse(%s), dimensions={%s}", g.of(dims, depth), ints(at))
}

func (g *choice) transposed(dims []int64, depth int) string {
	p, from := perm(g.r, len(dims)), make([]int64, len(dims))
	for i, d := range p {
		from[d] = dims[i]
	}
	return g.line(dims, "transpose(%s), dimensions={%s}", g.of(from, depth), ints(p))
}

func (g *choice) spread(dims []int64, depth int) string {
	at := ascending(g.r, len(dims), g.r.IntN(len(dims)+1))
	from := make([]int64, len(at))
	for i, d := range at {
		if from[i] = dims[d]; g.r.IntN(4) == 0 {
			from[i] = 1
		}
	}
	return g.line(dims, "broadcast(%s), dimensions={%s}", g.of(from, depth), ints(at))
}

func (g *choice) reshaped(dims []int64, depth int) string {
	return g.line(dims, "reshape(%s)", g.of(slices.Insert(slices.Clone(dims), g.r.IntN(len(dims)+1), 1), depth))
}

// TestPieces concatenates what is chosen from arrays in every way, small ones of every type and some of several tasks.
func TestPieces(t *testing.T) {
	r := newRand(t)
	program := func(typ shape.ElementType, most int64, depth int) string {
		g := &choice{movement: movement{r, typ, most}}
		dims := g.dims(1 + r.IntN(4))
		root := g.concatenated(dims, depth)
		return fmt.Sprintf("ENTRY e {\n%s\nROOT r = %s copy(%s) }", strings.Join(g.lines, "\n"), g.array(dims), root)
	}
	for _, typ := range arrayTypes() {
		for range 12 {
			same(t, r, program(typ, 9, 3), nil)
		}
	}
	for _, typ := range []shape.ElementType{shape.U8, shape.BF16, shape.F32, shape.C64} {
		for done := 0; done < 3; {
			if text := program(typ, 90, 2); fits(text) {
				same(t, r, text, nil)
				done++
			}
		}
	}
}
