package cpu_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// bytePairs are all pairs of bytes, in two arrays.
func bytePairs(t *testing.T, et shape.ElementType) (x, y *literal.Literal) {
	t.Helper()
	a, b := make([]byte, 1<<16), make([]byte, 1<<16)
	for i := range a {
		a[i], b[i] = byte(i), byte(i>>8)
	}
	s := shape.Array(et, 1<<16)
	x, err := literal.FromBytes(s, a)
	if err != nil {
		t.Fatal(err)
	}
	if y, err = literal.FromBytes(s, b); err != nil {
		t.Fatal(err)
	}
	return x, y
}

// TestPairsOfBytes shifts all bytes by all, and raises all to the power of all.
func TestPairsOfBytes(t *testing.T) {
	for _, et := range []shape.ElementType{shape.S8, shape.U8} {
		x, y := bytePairs(t, et)
		for _, op := range []string{"shift-left", "shift-right-logical", "shift-right-arithmetic", "power"} {
			both(t, fmt.Sprintf("ENTRY e { x = %[1]s[65536] parameter(0) y = %[1]s[65536] parameter(1) "+
				"ROOT z = %[1]s[65536] %[2]s(x, y) }", et, op), 2, 0, x, y)
		}
	}
}

// TestPowersOfIntegers has powers that are negative, small and as large as the type has.
func TestPowersOfIntegers(t *testing.T) {
	r := rand.New(rand.NewPCG(14, 4))
	for _, et := range arrays() {
		if !et.IsInteger() {
			continue
		}
		for _, n := range []int64{0, 1, 63, 1003} {
			x, y := randomElements(r, et, n), randomElements(r, et, n)
			text := fmt.Sprintf("ENTRY e { x = %[1]s[%[2]d] parameter(0) y = %[1]s[%[2]d] parameter(1) "+
				"p = %[1]s[%[2]d] power(x, y) k = %[1]s[] constant(1) s = %[1]s[%[2]d] broadcast(k), dimensions={} "+
				"q = %[1]s[%[2]d] power(p, s) ROOT all = (%[1]s[%[2]d], %[1]s[%[2]d]) tuple(p, q) }", et, n)
			both(t, text, 2, 0, x, y)
		}
	}
}
