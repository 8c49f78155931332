package cpu_test

import (
	"fmt"
	"math"
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

// bytewise is all that lanes of a byte have stages for, and an array in pieces, a row and a number for all rows.
const bytewise = `HloModule m
ENTRY e {
  a = T[R,C] parameter(0)
  b = T[R,C] parameter(1)
  p = pred[R,C] parameter(2)
  row = T[C] parameter(3)
  yes = pred[] parameter(4)
  rows = T[R,C] broadcast(row), dimensions={1}
  all = pred[R,C] broadcast(yes), dimensions={}
  three = T[] constant(3)
  threes = T[R,C] broadcast(three), dimensions={}
  back = T[R,C] reverse(b), dimensions={0,1}
  sum = T[R,C] add(a, rows)
  difference = T[R,C] subtract(threes, sum)
  product = T[R,C] multiply(difference, back)
  most = T[R,C] maximum(product, a)
  least = T[R,C] minimum(product, rows)
  less = pred[R,C] compare(most, b), direction=LT
  more = pred[R,C] compare(least, a), direction=GE
  equal = pred[R,C] compare(sum, b), direction=EQ
  other = pred[R,C] xor(p, equal)
  both = pred[R,C] and(less, more)
  either = pred[R,C] or(both, other)
  none = pred[R,C] not(either)
  same = pred[R,C] compare(none, all), direction=NE
  ordered = pred[R,C] compare(none, p), direction=LE
  chosen = T[R,C] select(same, most, least)
  again = T[R,C] select(ordered, rows, chosen)
  up = T[R,C] shift-left(chosen, threes)
  down = T[R,C] shift-right-logical(again, sum)
  sign = T[R,C] shift-right-arithmetic(a, b)
  left = T[R,C] and(up, down)
  right = T[R,C] xor(sign, left)
  clamped = T[R,C] clamp(threes, right, rows)
  turned = O[R,C] convert(right)
  size = O[R,C] OF(turned)
  whether = pred[R,C] convert(size)
  ones = T[R,C] convert(whether)
  last = T[R,C] or(ones, clamped)
  minus = T[R,C] negate(last)
  ROOT result = (T[R,C], pred[R,C], O[R,C], pred[R,C], T[R,C], T[R,C]) tuple(minus, same, size, whether, again, right)
}`

// TestBytes compares programs of bytes and predicates with the reference: with rows that are blocks, and that are not.
func TestBytes(t *testing.T) {
	r := newRand(t)
	for _, names := range [][3]string{{"s8", "u8", "not"}, {"u8", "s8", "abs"}, {"u8", "s8", "sign"}, {"s8", "s8", "negate"}} {
		for _, dims := range [][2]int{{0, 7}, {1, 1}, {5, 7}, {3, 512}, {9, 1000}, {64, 256}, {1100, 2000}} {
			text := strings.NewReplacer("T[", names[0]+"[", "O[", names[1]+"[", "OF(", names[2]+"(").Replace(bytewise)
			text = strings.NewReplacer("R,", fmt.Sprint(dims[0], ","), "C]", fmt.Sprint(dims[1], "]")).Replace(text)
			t.Run(fmt.Sprint(names, dims), func(t *testing.T) {
				same(t, r, text, func(_ int, s shape.Shape) *literal.Literal { return anyBits(r, s) })
			})
		}
	}
}

// TestSaturating converts floats around the ends of integers of up to 16 bits, and such that are no numbers.
func TestSaturating(t *testing.T) {
	r := newRand(t)
	edges := []float64{0, 0.5, 0.999, 1, 7, 7.5, 8, 15, 15.9, 16, 127, 127.5, 128, 255, 255.5, 256, 32767, 32767.5, 32768,
		65535, 65536, 1e9, 0x1p31, 0x1p32, 3e38, math.Inf(1), math.NaN()}
	for _, from := range []shape.ElementType{shape.F32, shape.F64, shape.BF16, shape.F16} {
		for _, to := range []string{"s8", "u8", "s16", "u16", "s4", "u4", "s32", "u32"} {
			same(t, r, fmt.Sprintf(`ENTRY e { p = %s[1025] parameter(0) ROOT y = %s[1025] convert(p) }`, from, to),
				func(_ int, s shape.Shape) *literal.Literal {
					l, n := literal.Zeros(s), from.Bytes()
					for i := range s.Dims[0] {
						x := edges[r.IntN(len(edges))]
						if r.IntN(2) == 0 {
							x = -x
						}
						for b, bits := 0, from.FromFloat64(x); b < n; b++ {
							l.Bytes()[int(i)*n+b] = byte(bits >> (8 * b))
						}
					}
					return l
				})
		}
	}
}

// TestStrides has elements of each size three, four and five places apart.
func TestStrides(t *testing.T) {
	r := newRand(t)
	for _, kind := range []string{"u8", "s16", "f32", "s64"} {
		for _, n := range []int{5, 64, 517, 3000} {
			text := fmt.Sprintf("HloModule m\nENTRY e {\n  a = %s[%d] parameter(0)\n", kind, 5*n)
			for by := 3; by <= 5; by++ {
				text += fmt.Sprintf("  x%d = %s[%d] slice(a), slice={[%d:%d:%[1]d]}\n", by, kind, n, by-3, by*(n-1)+by-2)
			}
			text += fmt.Sprintf("  y = %[1]s[%[2]d] subtract(x3, x4)\n  ROOT z = %[1]s[%[2]d] add(y, x5)\n}", kind, n)
			same(t, r, text, func(_ int, s shape.Shape) *literal.Literal { return fewBits(r, s) })
		}
	}
}
