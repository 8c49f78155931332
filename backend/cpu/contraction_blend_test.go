package cpu

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/halo-xla/halo/cgo/loops/index"
	"github.com/halo-xla/halo/cgo/loops/run"
	"github.com/halo-xla/halo/internal/testfile"
	"github.com/halo-xla/halo/xla/exec"
	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// blends are dots of an image x of some rows and columns by a matrix w with few numbers other than 0: of its rows, of
// its columns with features behind them, which are transposed, and of the rows of several.
var blends = []struct{ x, w, out, text string }{
	{"40,9,33", "64,40", "64,9,33", "y = f32[64,9,33] dot(w, x), lhs_contracting_dims={1}, rhs_contracting_dims={0}"},
	{"40,700", "33,40", "33,700", "y = f32[33,700] dot(w, x), lhs_contracting_dims={1}, rhs_contracting_dims={0}"},
	{"40,700", "40,35", "35,700", "y = f32[35,700] dot(w, x), lhs_contracting_dims={0}, rhs_contracting_dims={0}"},
	{"2,40,500", "40,31", "2,31,500", `d = f32[2,500,31] dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}
		y = f32[2,31,500] transpose(d), dimensions={0,2,1}`},
	{"7,2,40,67", "70,40", "2,7,70,67", `d = f32[70,7,2,67] dot(w, x), lhs_contracting_dims={1}, rhs_contracting_dims={2}
		y = f32[2,7,70,67] transpose(d), dimensions={2,1,0,3}`},
	{"3,16,40,33", "1,20,2,40", "1,20,2,3,16,33",
		"y = f32[1,20,2,3,16,33] dot(w, x), lhs_contracting_dims={3}, rhs_contracting_dims={2}"},
	{"5,60,40", "40,83", "5,60,83", "y = f32[5,60,83] dot(x, w), lhs_contracting_dims={2}, rhs_contracting_dims={0}"},
	{"5,30,40,3", "40,67", "5,30,67,3", `d = f32[5,30,3,67] dot(x, w), lhs_contracting_dims={2}, rhs_contracting_dims={0}
		y = f32[5,30,67,3] transpose(d), dimensions={0,1,3,2}`},
	{"7,40,40", "67,40", "40,7,67", `d = f32[67,7,40] dot(w, x), lhs_contracting_dims={1}, rhs_contracting_dims={2}
		y = f32[40,7,67] transpose(d), dimensions={2,1,0}`},
}

// inLanes is the first of blends whose rows are short or lie apart: with many terms they may be multiplied as they are.
const inLanes = 6

// TestBlends multiplies by matrices with up to so many numbers other than 0 for each sum, as the reference does to the
// bit: sums are exact. Zeros times what is infinite or NaN are NaN.
func TestBlends(t *testing.T) {
	r := rand.New(rand.NewPCG(47, 2))
	for i := range blends {
		for _, taps := range []int{2, 3, maxTaps, maxTaps + 1} {
			blendCase{i, taps}.check(t, r)
		}
	}
}

type blendCase struct{ form, taps int }

// program is the dot, with something done to its result afterwards.
func (c blendCase) program() string {
	f := blends[c.form]
	return fmt.Sprintf("ENTRY e { x = f32[%s] parameter(0) w = f32[%s] parameter(1) %s ROOT r = f32[%s] negate(y) }", f.x,
		f.w, f.text, f.out)
}

func (c blendCase) check(t *testing.T, r *rand.Rand) {
	m, reference := compile(t, exec.Reference(), c.program())
	args := smallArguments(r, m)
	c.empty(r, m, args[1])
	spoiled, rare := small(r, args[0].Shape()), small(r, args[0].Shape())
	sprinkle(r, spoiled)
	binary.LittleEndian.PutUint32(rare.Bytes()[4*r.IntN(len(rare.Bytes())/4):], math.Float32bits(float32(math.Inf(-1))))
	for _, threads := range []int{1, 2, 3, 7} {
		p := compileBound(t, New(Options{Threads: threads}), m, map[int64]*literal.Literal{1: args[1]})
		for _, x := range []*literal.Literal{args[0], spoiled, rare} {
			want := execute(t, reference, x, args[1])
			if d := literal.Compare(execute(t, p, x), want, literal.Tolerance{}); d != nil {
				t.Fatalf("%d taps, %d threads: %v\n%s", c.taps, threads, d, c.program())
			}
		}
		k, many := p.Report()[0].Kernel, c.taps == maxTaps && c.form >= inLanes
		if run.Available() && !many && (k == "loops blend") != (c.taps <= maxTaps) {
			t.Errorf("%d taps: got %s\n%s", c.taps, k, c.program())
		}
	}
}

// empty leaves as many numbers as there are taps in what makes up each sum, and one in each row that is multiplied.
func (c blendCase) empty(r *rand.Rand, m *hlo.Module, w *literal.Literal) {
	dot := m.Entry.Instructions[2]
	d := dotOf(dot)
	matrix := d.RHS
	if dot.Operands[1].Name == "x" {
		matrix = d.LHS
	}
	clear(w.Bytes())
	columns := matrix.Columns.Offsets()
	for i, row := range matrix.Rows.Offsets() {
		for k := range c.taps {
			at := (2*i + k) % len(columns)
			value := float32(1+r.IntN(3)) * float32(1-2*(k%2))
			binary.LittleEndian.PutUint32(w.Bytes()[4*(row+columns[at]):], math.Float32bits(value))
		}
	}
}

// TestBlendsWeights has matrices that are multiplied by as they are: with a number that is not finite, with a row of the
// other array that no sum has, with short rows of that.
func TestBlendsWeights(t *testing.T) {
	testfile.Native(t, run.Available())
	eye := func(values ...float32) *literal.Literal {
		l := literal.Zeros(shape.Array(shape.F32, 40, 40))
		for i := range 40 {
			value := float32(1)
			if i < len(values) {
				value = values[i]
			}
			binary.LittleEndian.PutUint32(l.Bytes()[41*4*i:], math.Float32bits(value))
		}
		return l
	}
	for _, c := range []struct {
		w     *literal.Literal
		width int
		taken bool
	}{{eye(), 500, true}, {eye(0), 500, false}, {eye(2, float32(math.Inf(1))), 500, false},
		{eye(2, float32(math.NaN())), 500, false}, {eye(), 12, false}} {
		text := fmt.Sprintf(`ENTRY e { x = f32[40,%d] parameter(0) w = f32[40,40] parameter(1)
			ROOT y = f32[40,%[1]d] dot(w, x), lhs_contracting_dims={1}, rhs_contracting_dims={0} }`, c.width)
		m, _ := compile(t, exec.Reference(), text)
		p := compileBound(t, New(Options{Threads: 1}), m, map[int64]*literal.Literal{1: c.w})
		if k := p.Report()[0].Kernel; (k == "loops blend") != c.taken {
			t.Errorf("rows of %d: got %s, taken: %v", c.width, k, c.taken)
		}
	}
}

// TestLanesStayInTheirSpan wants no term to read beyond the floats that sums are made of, whichever it begins at.
func TestLanesStayInTheirSpan(t *testing.T) {
	const width, span = 1, 11
	b := &blend{taps: make([][]index.Tap, abreast)}
	for first := range int64(span) {
		for l := range b.taps {
			b.taps[l] = []index.Tap{{At: 4 * min(first+int64(l), span-1), Weight: 1}}
		}
		for _, term := range b.lanesOf(0, width, span) {
			if term.At < 0 || term.At > 4*(span-abreast) {
				t.Errorf("from float %d on: eight from byte %d on, want no more than %d bytes", first, term.At, 4*span)
			}
		}
	}
}
