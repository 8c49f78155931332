package cpu_test

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// fewBits fills an array with elements of which many are equal: of floats zeros of both signs, infinite ones and NaN.
func fewBits(r *rand.Rand, s shape.Shape) *literal.Literal {
	t := s.Type
	if t.Bits() <= 8 {
		return anyBits(r, s)
	}
	sign := uint64(1) << (t.Bits() - 1)
	list := []uint64{0, sign, 1, sign | 1, 77, sign | 77}
	if t.IsFloat() {
		infinite := (uint64(1)<<t.ExponentBits() - 1) << t.MantissaBits()
		list = append(list, infinite, sign|infinite, infinite|1<<(t.MantissaBits()-1))
	}
	l, size := literal.Zeros(s), t.Bytes()
	for at := 0; at < len(l.Bytes()); at += size {
		copy(l.Bytes()[at:at+size], binary.LittleEndian.AppendUint64(nil, list[r.IntN(len(list))]))
	}
	return l
}

// choices are selects by the comparison of a and b, of arrays and of what is computed from them on either side.
const choices = `HloModule m
ENTRY e {
  a = T[1003] parameter(0)
  b = T[1003] parameter(1)
  x = T[1003] parameter(2)
  y = T[1003] parameter(3)
  number = T[] parameter(4)
  one = T[1003] broadcast(number), dimensions={}
  p = pred[1003] compare(a, b), direction=WAY
  plain = T[1003] select(p, x, y)
  q = pred[1003] compare(plain, one), direction=WAY
  most = T[1003] OPPOSITE(plain)
  first = T[1003] select(q, most, y)
  least = T[1003] OPPOSITE(first)
  o = pred[1003] compare(y, least), direction=WAY
  second = T[1003] select(o, a, least)
  both = pred[1003] compare(second, first), direction=WAY
  third = T[1003] select(both, second, first)
  fourth = T[1003] select(both, b, third)
  ROOT all = (T[1003], T[1003], T[1003]) tuple(second, third, fourth)
}`

// TestChoices compares selects by comparisons in every direction with the reference, of each type.
func TestChoices(t *testing.T) {
	r := newRand(t)
	fill := func(_ int, s shape.Shape) *literal.Literal { return fewBits(r, s) }
	for _, kind := range arrayTypes() {
		if kind.IsComplex() || kind.IsFloat() && kind.Bits() <= 8 {
			continue // have no order; have NaN of many bits, which computing changes
		}
		for _, way := range strings.Fields("EQ NE LT LE GT GE") {
			name, opposite := kind.String(), "negate"
			if kind == shape.Pred {
				opposite = "not"
			}
			text := strings.NewReplacer("T[", name+"[", "WAY", way, "OPPOSITE", opposite).Replace(choices)
			t.Run(fmt.Sprint(name, way), func(t *testing.T) { same(t, r, text, fill) })
		}
	}
}
