package cpu

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/halo-xla/halo/cgo/loops/run"
	"github.com/halo-xla/halo/xla/exec"
	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// widenedProgram is the product of a vector of k terms and a matrix of n by k, or k by n if it is across, that is
// converted from a type, by way of others; the vector comes first or last.
func widenedProgram(n, k int, across, last bool, from string, by ...string) string {
	dims, contracted := fmt.Sprintf("[%d,%d]", n, k), 1
	if across {
		dims, contracted = fmt.Sprintf("[%d,%d]", k, n), 0
	}
	text, matrix := fmt.Sprintf("ENTRY e { x = f32[1,%d] parameter(0)  w = %s%s parameter(1)\n", k, from, dims), "w"
	for i, t := range append(by, "f32") {
		text += fmt.Sprintf("  c%d = %s%s convert(%s)\n", i, t, dims, matrix)
		matrix = fmt.Sprintf("c%d", i)
	}
	if last {
		return text + fmt.Sprintf("  ROOT r = f32[%d,1] dot(%s, x), lhs_contracting_dims={%d}, rhs_contracting_dims={1} }", n,
			matrix, contracted)
	}
	return text + fmt.Sprintf("  ROOT r = f32[1,%d] dot(x, %s), lhs_contracting_dims={1}, rhs_contracting_dims={%d} }", n,
		matrix, contracted)
}

// matrixOf is a matrix of any bytes, each the lowest of an integer, or of small floats, NaN and infinities among them.
func matrixOf(r *rand.Rand, s shape.Shape) *literal.Literal {
	if s.Type.IsFloat() {
		l := small(r, s)
		sprinkle(r, l)
		return l
	}
	l := literal.Zeros(s)
	for i := 0; i < len(l.Bytes()); i += s.Type.Bytes() {
		l.Bytes()[i] = byte(r.Uint32())
	}
	return l
}

// TestWidenedMatrix wants products of a vector and a matrix of narrower elements to be one step, with what the reference
// gives, matrices known before or not: of all columns and some, in parts, and of special elements.
func TestWidenedMatrix(t *testing.T) {
	r := rand.New(rand.NewPCG(36, 1))
	types := [][]string{{"s8"}, {"u8"}, {"bf16"}, {"s8", "bf16"}, {"u8", "f16"}, {"s8", "s32"}}
	for i, s := range [][2]int{{128, 128}, {1000, 133}, {4099, 67}, {77, 2050}, {8200, 300}, {33, 511}, {6001, 3}, {3003, 13}} {
		for j := range 4 {
			by := types[(i+j)%len(types)]
			text := widenedProgram(s[0], s[1], j%2 == 0, j > 1, by[0], by[1:]...)
			m, reference := compile(t, exec.Reference(), text)
			args := []*literal.Literal{small(r, m.Entry.Parameters[0].Shape), matrixOf(r, m.Entry.Parameters[1].Shape)}
			want := executeAll(t, reference, args...)
			for _, threads := range []int{1, 3} {
				p := compileBound(t, New(Options{Threads: threads}), m, nil)
				alike(t, text, executeAll(t, p, args...), want)
				if n := len(p.Report()); run.Available() && n != 1 {
					t.Errorf("%s: got %d steps, want 1", text, n)
				}
				p = compileBound(t, New(Options{Threads: threads}), m, map[int64]*literal.Literal{1: args[1]})
				alike(t, text, executeAll(t, p, args[0]), want)
			}
		}
	}
}

// TestNotWidened wants matrices that no kernel widens, that lose something on the way, or that are both operands, to be
// converted first.
func TestNotWidened(t *testing.T) {
	r := rand.New(rand.NewPCG(36, 2))
	for _, text := range []string{
		widenedProgram(200, 130, true, false, "s32"), widenedProgram(200, 130, false, true, "f32", "bf16"),
		widenedProgram(200, 130, true, true, "s16", "bf16"), widenedProgram(200, 130, false, false, "f16"),
		widenedProgram(7, 13, true, false, "s8"),
		`ENTRY e { x = f32[3,128] parameter(0)  w = s8[128,300] parameter(1)  c = f32[128,300] convert(w)
  ROOT r = f32[3,300] dot(x, c), lhs_contracting_dims={1}, rhs_contracting_dims={0} }`,
		`ENTRY e { x = f64[1,128] parameter(0)  w = f32[128,300] parameter(1)  c = f64[128,300] convert(w)
  ROOT r = f64[1,300] dot(x, c), lhs_contracting_dims={1}, rhs_contracting_dims={0} }`,
		`ENTRY e { x = f32[128] parameter(0)  w = s8[128,128] parameter(1)  c = f32[128,128] convert(w)
  y = f32[128] dot(c, c), lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={1}, rhs_contracting_dims={1}
  ROOT r = f32[128] multiply(x, y) }`,
	} {
		m, reference := compile(t, exec.Reference(), text)
		args := []*literal.Literal{small(r, m.Entry.Parameters[0].Shape), matrixOf(r, m.Entry.Parameters[1].Shape)}
		p := compileBound(t, New(Options{Threads: 2}), m, nil)
		alike(t, text, executeAll(t, p, args...), executeAll(t, reference, args...))
		if n := len(p.Report()); n < 2 {
			t.Errorf("%s: got %d steps, want a conversion", text, n)
		}
	}
}

// TestWiderMatrix wants products of a vector and a matrix of f64 that give f32 not to be read as elements of one type.
func TestWiderMatrix(t *testing.T) {
	r := rand.New(rand.NewPCG(36, 3))
	for _, text := range []string{
		`ENTRY e { x = f32[1,128] parameter(0)  w = f64[128,200] parameter(1)
  ROOT r = f32[1,200] dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0} }`,
		`ENTRY e { x = f64[200,128] parameter(0)  w = f32[128] parameter(1)
  ROOT r = f32[200] dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0} }`,
	} {
		m, reference := compile(t, exec.Reference(), text)
		args := []*literal.Literal{small(r, m.Entry.Parameters[0].Shape), small(r, m.Entry.Parameters[1].Shape)}
		p := compileBound(t, New(Options{Threads: 2}), m, nil)
		alike(t, text, executeAll(t, p, args...), executeAll(t, reference, args...))
	}
}
