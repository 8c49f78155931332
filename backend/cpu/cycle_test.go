package cpu_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/halo-xla/halo/xla/shape"
)

// TestCycles adds rows that repeat themselves, alone and several, of lengths around those of blocks and of what is loaded
// once, as they are and of types that are converted.
func TestCycles(t *testing.T) {
	r := rand.New(rand.NewPCG(31, 1))
	for _, n := range []int{1, 3, 6, 64, 96, 100, 127, 128, 129, 1000, 2048, 2049} {
		rows := 70_000/n + 3
		for _, typ := range []shape.ElementType{shape.S32, shape.S64, shape.U8, shape.S16} {
			same(t, r, fmt.Sprintf(`HloModule m
ENTRY e { x = %[1]v[2,%[2]d,%[3]d] parameter(0)
  a = %[1]v[%[3]d] parameter(1)
  b = %[1]v[%[2]d,%[3]d] parameter(2)
  w = %[1]v[2,%[2]d,%[3]d] broadcast(a), dimensions={2}
  v = %[1]v[2,%[2]d,%[3]d] broadcast(b), dimensions={1,2}
  y = %[1]v[2,%[2]d,%[3]d] multiply(x, w)
  z = %[1]v[2,%[2]d,%[3]d] subtract(y, v)
  ROOT q = %[1]v[2,%[2]d,%[3]d] xor(z, w) }`, typ, rows, n), nil)
		}
	}
}

// TestManyCycles has more rows that repeat themselves than are loaded once.
func TestManyCycles(t *testing.T) {
	text, last := "HloModule m\nENTRY e { x0 = s32[900,100] parameter(0)\n", "x0"
	for i := 1; i < 9; i++ {
		text += fmt.Sprintf("a%[1]d = s32[100] parameter(%[1]d)\nb%[1]d = s32[900,100] broadcast(a%[1]d), dimensions={1}\n"+
			"x%[1]d = s32[900,100] subtract(b%[1]d, %[2]s)\n", i, last)
		last = fmt.Sprint("x", i)
	}
	same(t, rand.New(rand.NewPCG(31, 2)), text+"ROOT r = s32[900,100] negate("+last+") }", nil)
}
