package cpu_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// narrow has elements of type T that are read once and twice, and results of that type, one of them an array that is
// there and one twice.
const narrow = `HloModule m
ENTRY e {
  a = T[N] parameter(0)
  b = T[N] parameter(1)
  c = T[N] parameter(2)
  p = pred[N] compare(a, b), direction=NE
  opposite = T[N] OPPOSITE(c)
  first = T[N] select(p, opposite, b)
  second = T[N] select(p, first, a)
  wide = W[N] convert(first)
  again = T[N] convert(wide)
  ROOT all = (T[N], T[N], W[N], pred[N], T[N], T[N]) tuple(first, second, wide, p, again, first)
}`

// TestNarrow compares programs whose stages convert elements on their way with the reference, of each type that has
// less bits than a lane: with blocks that are not whole, and of so many elements that results go past the caches.
func TestNarrow(t *testing.T) {
	r := newRand(t)
	fill := func(_ int, s shape.Shape) *literal.Literal { return fewBits(r, s) }
	for kind, wide := range map[string]string{"pred": "s32", "s8": "f32", "u8": "s32", "s16": "f32", "u16": "u32",
		"bf16": "f32", "f16": "f32", "s32": "f64", "u32": "s64", "f32": "f64", "s4": "f32"} {
		for _, n := range []int{0, 1, 64, 256, 517, 2_200_011} {
			opposite := "negate"
			if kind == "pred" {
				opposite = "not"
			}
			text := strings.NewReplacer("T[N]", kind+"[N]", "W[N]", wide+"[N]", "OPPOSITE", opposite).Replace(narrow)
			text = strings.ReplaceAll(text, "[N]", fmt.Sprintf("[%d]", n))
			t.Run(fmt.Sprint(kind, n), func(t *testing.T) { same(t, r, text, fill) })
		}
	}
}

// TestRounded wants blocks with NaN and without to become the reference's bf16.
func TestRounded(t *testing.T) {
	r := newRand(t)
	for _, n := range []int{100, 1000, 2_200_064} {
		text := fmt.Sprintf(`HloModule m
ENTRY e {
  a = f32[%[1]d] parameter(0)
  b = bf16[%[1]d] convert(a)
  ROOT all = (bf16[%[1]d], bf16[%[1]d]) tuple(b, b)
}`, n)
		same(t, r, text, func(_ int, s shape.Shape) *literal.Literal {
			l := anyBits(r, s)
			for i, v := range l.Bytes() {
				if i < 4*n/2 && i%4 == 3 && v&0x7f == 0x7f { // the first half has no NaN
					l.Bytes()[i] ^= 1
				}
			}
			return l
		})
	}
}
