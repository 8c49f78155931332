package cpu_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// integers returns n numbers of type t whose sizes are spread over all that there are, near powers of two, and among the
// first of them each of the ends of the type with each.
func integers(t *testing.T, r *rand.Rand, et shape.ElementType, n int, second bool) *literal.Literal {
	t.Helper()
	bits := et.Bits()
	ends := []uint64{0, 1, 2, 3, 7, ^uint64(0), ^uint64(1), ^uint64(6), 1 << (bits - 1), 1<<(bits-1) - 1, 1<<(bits-1) + 1,
		1<<(bits/2) - 1, 1 << (bits / 2), 1<<(bits-2) + 1, 1<<(bits*3/4) - 1, ^uint64(0) << (bits * 3 / 4)}
	var data []byte
	for i := range n {
		v := r.Uint64() >> r.IntN(64)
		switch i % 4 {
		case 0:
			v = -v
		case 1:
			v = 1<<r.IntN(64) + uint64(r.IntN(5)) - 2
		}
		if k := i; k < len(ends)*len(ends) {
			if second {
				k /= len(ends)
			}
			v = ends[k%len(ends)]
		}
		for b := range et.Bytes() {
			data = append(data, byte(v>>(8*b)))
		}
	}
	l, err := literal.FromBytes(shape.Array(et, int64(n)), data)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

var integerTypes = []shape.ElementType{shape.S8, shape.U8, shape.S16, shape.U16, shape.S32, shape.U32, shape.S64,
	shape.U64}

// TestElementwiseQuotients divides numbers of all sizes by each other and by known ones.
func TestElementwiseQuotients(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 9))
	const n = 5000
	for _, et := range integerTypes {
		a, b := integers(t, r, et, n, false), integers(t, r, et, n, true)
		for _, op := range []string{"divide", "remainder"} {
			both(t, fmt.Sprintf("ENTRY e { a = %s[%d] parameter(0) b = %[1]s[%[2]d] parameter(1) ROOT y = %[1]s[%[2]d] %s(a, b) }",
				et, n, op), 1, 0, a, b)
			for _, c := range []string{"0", "1", "3", "7", "10", "60", "100", "127"} {
				both(t, fmt.Sprintf(`ENTRY e { a = %s[%d] parameter(0) c = %[1]s[] constant(%[3]s)
  b = %[1]s[%[2]d] broadcast(c), dimensions={} ROOT y = %[1]s[%[2]d] %[4]s(a, b) }`, et, n, c, op), 1, 0, a)
			}
		}
	}
	for _, et := range []shape.ElementType{shape.S32, shape.U32} {
		a := integers(t, r, et, n, false)
		for _, c := range knownDivisors {
			if c = strings.Replace(c, "least", "-2147483648", 1); c[0] == '-' && et == shape.U32 {
				c = map[string]string{"-2147483648": "2147483648", "-1": "4294967295"}[c]
			}
			if c == "" {
				continue
			}
			both(t, fmt.Sprintf(`ENTRY e { a = %s[%d] parameter(0) c = %[1]s[] constant(%[3]s)
  b = %[1]s[%[2]d] broadcast(c), dimensions={} q = %[1]s[%[2]d] divide(a, b) r = %[1]s[%[2]d] remainder(a, b)
  ROOT y = (%[1]s[%[2]d], %[1]s[%[2]d]) tuple(r, q) }`, et, n, c), 1, 0, a)
		}
	}
	all := codes(t, shape.U8)
	for _, et := range []shape.ElementType{shape.S8, shape.U8} {
		for _, op := range []string{"divide", "remainder"} {
			both(t, fmt.Sprintf(`ENTRY e { p = u8[256] parameter(0) q = %s[256] bitcast-convert(p)
  a = %[1]s[256,256] broadcast(q), dimensions={0} b = %[1]s[256,256] broadcast(q), dimensions={1}
  ROOT y = %[1]s[256,256] %s(a, b) }`, et, op), 1, 0, all)
		}
	}
}

// knownDivisors are at the ends of what there is, powers of two and beside them, and what multipliers are hard to find for.
var knownDivisors = []string{"1", "2", "3", "4", "5", "6", "9", "11", "13", "25", "125", "128", "255", "257", "625", "641",
	"3600", "65535", "65536", "65537", "86400", "1000000007", "1073741823", "1073741824", "1073741825", "2147483646",
	"2147483647", "-1", "-2", "-3", "-7", "-64", "-65537", "-2147483647", "least"}

// floors are Python's // and % of x by y, of which y is known or not, as jax.numpy has them: over the array type $T.
const floors = `ENTRY e { x = $T parameter(0) $Y zero = $S constant(0) zeros = $T broadcast(zero), dimensions={}
  one = $S constant(1) ones = $T broadcast(one), dimensions={}
  q = $T divide(x, y) r = $T remainder(x, y) sx = $T sign(x) sy = $T sign(y) less = $T subtract(q, ones)
  differ = $P compare(sx, sy), direction=NE rest = $P compare(r, zeros), direction=NE down = $P and(differ, rest)
  d = $T select(down, less, q) low = $P compare(r, zeros), direction=LT minus = $P compare(y, zeros), direction=LT
  other = $P compare(low, minus), direction=NE wrong = $P and(other, rest) more = $T add(r, y) m = $T select(wrong, more, r)
  ROOT t = ($T, $T) tuple(d, m) }`

// TestElementwiseFloors has quotients that are rounded down, and their remainders.
func TestElementwiseFloors(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 10))
	const n = 5000
	for _, et := range integerTypes {
		if !et.IsSigned() {
			continue
		}
		a, b := integers(t, r, et, n, false), integers(t, r, et, n, true)
		both(t, floorsOf(et, n, "y = $T parameter(1)"), 1, 0, a, b)
		for _, c := range []string{"1", "2", "7", "10", "60", "127", "-1", "-3", "-128"} {
			both(t, floorsOf(et, n, "c = $S constant("+c+") y = $T broadcast(c), dimensions={}"), 1, 0, a)
		}
	}
	a := integers(t, r, shape.S32, n, false)
	for _, c := range knownDivisors {
		c = strings.Replace(c, "least", "-2147483648", 1)
		both(t, floorsOf(shape.S32, n, "c = $S constant("+c+") y = $T broadcast(c), dimensions={}"), 1, 0, a)
	}
}

// floorsOf is a program of floors for n numbers of type et, with the divisor y that is said.
func floorsOf(et shape.ElementType, n int, y string) string {
	text := strings.Replace(floors, "$Y", y, 1)
	return strings.NewReplacer("$T", fmt.Sprintf("%s[%d]", et, n), "$S", et.String()+"[]", "$P",
		fmt.Sprintf("pred[%d]", n)).Replace(text)
}
