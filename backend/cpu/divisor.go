package cpu

import (
	"math"
	"math/bits"

	"github.com/halo-xla/halo/cgo/loops/run"
	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// knownStages are the stages that find quotients of integers of 32 bits by a number that is known, from 2 on, by those
// that divide by any; rest says that what is left is wanted.
var knownStages = map[string]struct {
	stage string
	rest  bool
}{
	"div_s": {"div_by", false}, "div_u": {"div_by_u", false}, "div_floor": {"floor_by", false},
	"rem_s": {"div_by", true}, "rem_u": {"div_by_u", true}, "rem_floor": {"floor_by", true},
}

// divided is a quotient by a number, of node x.
type divided struct {
	stage string
	x     int
	d     int64
}

// useDivisors finds what is divided by numbers that are known, which products with something near their inverses take
// the place of: integers of 32 bits, whose quotient is found once for what is left, too, and short ones as floats.
func (f *fused) useDivisors() bool {
	if f.lane() != 4 {
		return false
	}
	quotients, found := map[divided]int{}, false
	for n := range len(f.nodes) {
		if nd := &f.nodes[n]; len(nd.args) == 2 && f.nodes[nd.args[1]].op == hlo.Constant {
			found = f.useWhole(n, quotients) || f.useInverse(n) || found
		}
	}
	return found
}

// useWhole makes stages of node n if it divides integers.
func (f *fused) useWhole(n int, quotients map[divided]int) bool {
	nd := f.nodes[n]
	name := nd.stage
	if name == "" && (nd.op == hlo.Divide || nd.op == hlo.Remainder) {
		name = plainStages[nd.op].of(nd.from(0))
	}
	k, ok := knownStages[name]
	if !ok || nd.t.Bits() != 32 {
		return false
	}
	d := wideInt(f.nodes[nd.args[1]].value.Wide())
	size := max(d, -d)
	if size < 2 || d < 0 && k.stage == "floor_by" {
		return false
	}
	q := f.quotient(divided{k.stage, nd.args[0], size}, nd, quotients)
	switch {
	case k.rest:
		args := []int{q, f.number(literal.Scalar(uint32(size)))}
		p := f.append(node{op: hlo.Multiply, in: nd.in, t: nd.t, stage: "mul", args: args})
		f.nodes[n] = node{op: hlo.Subtract, in: nd.in, t: nd.t, stage: "sub", args: []int{nd.args[0], p}}
	case d < 0:
		f.nodes[n] = node{op: hlo.Negate, in: nd.in, t: nd.t, stage: "neg", args: []int{q}}
	default:
		f.exchange(n, q)
	}
	return true
}

// quotient is the node of a quotient, which has the type of nd.
func (f *fused) quotient(k divided, nd node, quotients map[divided]int) int {
	if q, ok := quotients[k]; ok {
		return q
	}
	m, shift := multiplier(uint64(k.d), k.stage == "div_by_u")
	args := []int{k.x, f.number(literal.Scalar(m))}
	quotients[k] = f.append(node{op: hlo.Divide, in: nd.in, t: nd.t, stage: k.stage, imm: shift, args: args})
	return quotients[k]
}

// multiplier is what finds quotients by d, from 2 to 2^31, of numbers up to 2^31: the upper half of the product with m,
// shifted down. It is 2^(32+shift)/d rounded up, where d is above 2^shift and at most twice that: what rounding adds,
// less than d for d, comes to less than 2^shift/d in a product that is shifted. Numbers of 32 bits take one bit more,
// which m lacks on top.
func multiplier(d uint64, plain bool) (m uint32, shift int) {
	shift = bits.Len64(d-1) - 1
	if plain {
		return uint32((2<<shift-d)<<32/d) + 1, shift
	}
	return uint32((1<<(32+shift) + d - 1) / d), shift
}

// useInverse makes a product and a sum of node n if it divides a short integer as a float and they come to the quotient
// of each: with the inverse, and with what rounding that has lost.
func (f *fused) useInverse(n int) bool {
	nd := f.nodes[n]
	x, y := &f.nodes[nd.args[0]], &f.nodes[nd.args[1]]
	if nd.op != hlo.Divide || nd.stage != "" || nd.t != shape.F32 || x.op != hlo.Convert || x.stage != "" ||
		!x.from(0).IsInteger() || x.from(0).Bits() > 16 || run.Level() == run.Base {
		return false
	}
	d := float32(y.value.Wide().F[0])
	inverse := 1 / d
	lost := float32(1/float64(d) - float64(inverse))
	if !isQuotient(x.from(0), d, inverse, lost) {
		return false
	}
	p := f.append(node{op: hlo.Multiply, in: nd.in, t: nd.t, args: []int{nd.args[0], f.number(literal.Scalar(lost))}})
	f.nodes[n].stage, f.nodes[n].args = "fused_f", []int{nd.args[0], f.number(literal.Scalar(inverse)), p}
	return true
}

// isQuotient reports whether x*inverse + x*lost, rounded after the second product and in the end, is x/d for all x.
func isQuotient(t shape.ElementType, d, inverse, lost float32) bool {
	least, most := 0, 1<<t.Bits()-1
	if t.IsSigned() {
		least, most = -1<<(t.Bits()-1), most/2
	}
	for i := least; i <= most; i++ {
		x := float32(i)
		p, low := float64(x)*float64(inverse), float64(x*lost)
		sum := p + low
		if sum-p != low || math.Float32bits(float32(sum)) != math.Float32bits(x/d) {
			return false
		}
	}
	return true
}

// append adds a node, number a constant; order puts them where they belong.
func (f *fused) append(n node) int {
	f.nodes = append(f.nodes, n)
	return len(f.nodes) - 1
}

func (f *fused) number(l *literal.Literal) int {
	return f.append(constantNode(l))
}

// exchange has node q take the place of n.
func (f *fused) exchange(n, q int) {
	for i := range f.nodes {
		exchangeIn(f.nodes[i].args, n, q)
	}
	exchangeIn(f.roots, n, q)
}

func exchangeIn(list []int, n, q int) {
	for i, a := range list {
		if a == n {
			list[i] = q
		}
	}
}
