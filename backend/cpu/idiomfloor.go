package cpu

import "github.com/halo-xla/halo/xla/hlo"

// useFloors finds quotients that are rounded down and remainders with the divisor's sign, which Python's // and % are,
// in what programs make of those that are rounded toward 0.
func (f *fused) useFloors() bool {
	found := false
	for n := range f.nodes {
		nd := &f.nodes[n]
		if nd.op != hlo.Select || !nd.t.IsSigned() || nd.stage != "" {
			continue
		}
		of := &f.nodes[nd.args[2]]
		switch {
		case of.stage != "":
		case of.op == hlo.Divide && f.isOneLess(nd.args[1], nd.args[2]) && f.isFloorCase(nd.args[0], of.args):
			nd.stage, nd.args, found = "div_floor", of.args, true
		case of.op == hlo.Remainder && f.isSumOf(nd.args[1], nd.args[2], of.args[1]) &&
			f.isOtherSign(nd.args[0], nd.args[2], of.args[1]):
			nd.stage, nd.args, found = "rem_floor", of.args, true
		}
	}
	return found
}

// is reports whether node n is an operation of its own stage.
func (f *fused) is(n int, op hlo.Opcode) bool { return f.nodes[n].op == op && f.nodes[n].stage == "" }

// isNumber reports whether node n is the integer v.
func (f *fused) isNumber(n int, v int64) bool {
	nd := &f.nodes[n]
	return nd.op == hlo.Constant && nd.t.IsInteger() && wideInt(nd.value.Wide()) == v
}

// either reports whether a pair in one of its orders is as wanted.
func either(args []int, wanted func(x, y int) bool) bool {
	return len(args) == 2 && (wanted(args[0], args[1]) || wanted(args[1], args[0]))
}

// isOneLess reports whether node n is that of q less 1.
func (f *fused) isOneLess(n, q int) bool {
	args := f.nodes[n].args
	return f.is(n, hlo.Subtract) && args[0] == q && f.isNumber(args[1], 1) ||
		f.is(n, hlo.Add) && either(args, func(x, y int) bool { return x == q && f.isNumber(y, -1) })
}

func (f *fused) isSumOf(n, a, b int) bool {
	return f.is(n, hlo.Add) && either(f.nodes[n].args, func(x, y int) bool { return x == a && y == b })
}

// isFloorCase reports whether node n says of x and y that their signs differ and that there is a remainder.
func (f *fused) isFloorCase(n int, of []int) bool {
	x, y := of[0], of[1]
	return f.is(n, hlo.And) && either(f.nodes[n].args, func(signs, rest int) bool {
		return f.differ(signs, func(a, b int) bool { return f.isSignOf(a, x) && f.isSignOf(b, y) }) &&
			f.differ(rest, func(a, b int) bool {
				r := &f.nodes[a]
				return f.is(a, hlo.Remainder) && r.args[0] == x && r.args[1] == y && f.isNumber(b, 0)
			})
	})
}

// isOtherSign reports whether node n says of the remainder r by y that it is not 0 and has not the sign of y.
func (f *fused) isOtherSign(n, r, y int) bool {
	return f.is(n, hlo.And) && either(f.nodes[n].args, func(signs, rest int) bool {
		return f.differ(rest, func(a, b int) bool { return a == r && f.isNumber(b, 0) }) &&
			(f.isBelow0(signs, r) && f.isPositive(y) ||
				f.differ(signs, func(a, b int) bool { return f.isBelow0(a, r) && f.isBelow0(b, y) }))
	})
}

// differ reports whether node n says that two values differ, which are as wanted in one of their orders.
func (f *fused) differ(n int, wanted func(a, b int) bool) bool {
	return f.compares(n, hlo.Ne) && either(f.nodes[n].args, wanted)
}

func (f *fused) compares(n int, d hlo.Direction) bool {
	return f.is(n, hlo.Compare) && f.nodes[n].in.Attrs.(*hlo.CompareAttrs).Direction == d
}

func (f *fused) isBelow0(n, x int) bool {
	args := f.nodes[n].args
	return f.compares(n, hlo.Lt) && args[0] == x && f.isNumber(args[1], 0)
}

func (f *fused) isPositive(n int) bool {
	nd := &f.nodes[n]
	return nd.op == hlo.Constant && wideInt(nd.value.Wide()) > 0
}

// isSignOf reports whether node n is the sign of x: 1 or -1 of a known one.
func (f *fused) isSignOf(n, x int) bool {
	nd := &f.nodes[x]
	if nd.op != hlo.Constant || !nd.t.IsInteger() {
		return f.is(n, hlo.Sign) && f.nodes[n].args[0] == x
	}
	v := wideInt(nd.value.Wide())
	return v > 0 && f.isNumber(n, 1) || v < 0 && f.isNumber(n, -1)
}
