package cpu_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// TestQuotients divides rows by their largest number, which is exact, and wants the evaluator's bits: rows of numbers of
// all sizes, of sizes for which the corrected product is taken, of special values, and mantissas near both ends.
func TestQuotients(t *testing.T) {
	const rows, row = 96, 400
	r := rand.New(rand.NewPCG(11, 5))
	x := make([]float32, rows*row)
	special := randomElements(r, shape.F32, rows, row).Wide().F
	for i := range x {
		switch i / row % 4 {
		case 0:
			x[i] = float32(r.NormFloat64())
		case 1:
			x[i] = float32(math.Ldexp(r.Float64()-0.5, r.IntN(130)-65))
		case 2: // just below a power of two, or just above one
			x[i] = math.Float32frombits(uint32(100+r.IntN(50))<<23 + uint32(r.IntN(16)-8))
		case 3:
			x[i] = float32(special[i])
		}
	}
	flat, err := literal.FromSlice(x)
	if err != nil {
		t.Fatal(err)
	}
	l, err := flat.WithShape(shape.Array(shape.F32, rows, row))
	if err != nil {
		t.Fatal(err)
	}
	both(t, `max { p = f32[] parameter(0)  q = f32[] parameter(1)  ROOT m = f32[] maximum(p, q) }
		ENTRY e { x = f32[96,400] parameter(0)  z = f32[] constant(-inf)
		m = f32[96] reduce(x, z), dimensions={1}, to_apply=max  b = f32[96,400] broadcast(m), dimensions={0}
		y = f32[96,400] add(x, x)
		ROOT d = f32[96,400] divide(y, b) }`, 1, 0, l)
}
