package scalar

import (
	"math"

	"github.com/halo-xla/halo/xla/shape"
)

// bounds are the integers from lo to hi, of which a register holds one.
type bounds struct{ lo, hi int64 }

var (
	anything = bounds{math.MinInt64, math.MaxInt64}
	truth    = bounds{0, 1}
)

func (s bounds) within(o bounds) bool { return s.lo >= o.lo && s.hi <= o.hi }

// single reports whether s has one number.
func (s bounds) single() bool { return s.lo == s.hi }

// boundsOf is what registers of type t hold.
func boundsOf(t shape.ElementType) bounds {
	switch {
	case t == shape.Pred:
		return truth
	case t.IsInteger():
		return boundsOfBits(int32(8*t.Bytes()), t.IsSigned())
	}
	return anything
}

// boundsOfBits is what registers hold of integers of so many bits, signed or not.
func boundsOfBits(bits int32, signed bool) bounds {
	switch {
	case signed:
		return bounds{-1 << (bits - 1), 1<<(bits-1) - 1}
	case bits < 64:
		return bounds{0, 1<<bits - 1}
	}
	return anything
}

// known returns what register r holds as far as the code so far says.
func (c *compiler) known(r uint16) bounds {
	if s, ok := c.bounds[r]; ok {
		return s
	}
	return anything
}

// knows notes what register r holds from here on.
func (c *compiler) knows(r uint16, s bounds) {
	if s == anything {
		delete(c.bounds, r)
	} else {
		c.bounds[r] = s
	}
}

// fold returns a register that holds what op of a and b makes, if there is one.
func (c *compiler) fold(op Op, imm int32, a, b uint16) (uint16, bool) {
	x, y := c.known(a), c.known(b)
	switch op {
	case MaxS:
		return pick(x.lo >= y.hi, a, y.lo >= x.hi, b)
	case MinS:
		return pick(x.hi <= y.lo, a, y.hi <= x.lo, b)
	case MinU:
		return pick(x.lo >= 0 && x.hi <= y.lo, a, y.lo >= 0 && y.hi <= x.lo, b)
	case AddS, AddU, Or:
		return pick(y == bounds{}, a, x == bounds{}, b)
	case MulS:
		return pick(y == bounds{1, 1}, a, x == bounds{1, 1}, b)
	case And:
		return pick(x == bounds{} || y == bounds{1, 1} && x.within(truth), a,
			y == bounds{} || x == bounds{1, 1} && y.within(truth), b)
	case Extend, Cut:
		return a, x.within(boundsOfBits(imm, op == Extend))
	case NotZero:
		return a, x.within(truth)
	case NeS:
		if x.within(truth) && (y == bounds{}) {
			return a, true
		}
	}
	s := compared(op, x, y)
	if s.single() {
		return c.constant(uint64(s.lo)), true
	}
	return 0, false
}

// pick returns the register that is what an instruction would make.
func pick(first bool, a uint16, second bool, b uint16) (uint16, bool) {
	if first {
		return a, true
	}
	return b, second
}

// compared is what a comparison of a number of x and one of y makes; of all other instructions, anything.
func compared(op Op, x, y bounds) bounds {
	apart := x.hi < y.lo || y.hi < x.lo
	switch op {
	case LtS:
		return decided(x.hi < y.lo, x.lo >= y.hi)
	case LeS:
		return decided(x.hi <= y.lo, x.lo > y.hi)
	case LtU:
		positive := x.lo >= 0 && y.lo >= 0
		return decided(positive && x.hi < y.lo, positive && x.lo >= y.hi)
	case LeU:
		positive := x.lo >= 0 && y.lo >= 0
		return decided(positive && x.hi <= y.lo, positive && x.lo > y.hi)
	case EqS:
		return decided(x == y && x.single(), apart)
	case NeS:
		return decided(apart, x == y && x.single())
	}
	if op >= NotZero && op <= LeD || op == FiniteF || op == FiniteD {
		return truth
	}
	return anything
}

func decided(yes, no bool) bounds {
	switch {
	case yes:
		return bounds{1, 1}
	case no:
		return bounds{}
	}
	return truth
}

// makes is what op of numbers of x and y makes.
func makes(op Op, imm int32, x, y bounds) bounds {
	switch op {
	case AddS, AddU:
		return sum(x, y, imm, op == AddS)
	case SubS:
		if y.lo != math.MinInt64 {
			return sum(x, bounds{-y.hi, -y.lo}, imm, true)
		}
		return boundsOfBits(imm, true)
	case MaxS:
		return bounds{max(x.lo, y.lo), max(x.hi, y.hi)}
	case MinS:
		return bounds{min(x.lo, y.lo), min(x.hi, y.hi)}
	case And, Or, Xor:
		return bitwise(op, x, y)
	case RemS, RemU:
		return remainder(x, y)
	case Extend:
		return boundsOfBits(imm, true)
	case Cut:
		return boundsOfBits(imm, false)
	}
	return compared(op, x, y)
}

// sum is what a sum of so many bits is; one that may not fit can be anything of that width.
func sum(x, y bounds, bits int32, signed bool) bounds {
	const far = 1 << 61
	all, small := boundsOfBits(bits, signed), bounds{-far, far}
	if s := (bounds{x.lo + y.lo, x.hi + y.hi}); x.within(small) && y.within(small) && s.within(all) {
		return s
	}
	return all
}

// remainder is what a remainder of division by a positive constant is.
func remainder(x, y bounds) bounds {
	switch {
	case !y.single() || y.lo <= 0:
		return anything
	case x.lo >= 0:
		return bounds{0, y.lo - 1}
	}
	return bounds{1 - y.lo, y.lo - 1}
}

func bitwise(op Op, x, y bounds) bounds {
	switch {
	case x.within(truth) && y.within(truth):
		return truth
	case op == And && x.lo >= 0 && y.lo >= 0:
		return bounds{0, min(x.hi, y.hi)}
	case op == And && x.lo >= 0:
		return bounds{0, x.hi}
	case op == And && y.lo >= 0:
		return bounds{0, y.hi}
	}
	return anything
}

// chosen returns a register with what a holds if that of chooses is not 0, else what b holds.
func (c *compiler) chosen(chooses, a, b uint16) uint16 {
	switch s := c.known(chooses); {
	case s == bounds{} || a == b:
		return b
	case s.lo > 0 || s.hi < 0:
		return a
	}
	if n := max(c.vectors[chooses], c.vectors[a], c.vectors[b]); n > 0 {
		return c.onLanes(Select, 0, [3]uint16{chooses, a, b}, n)
	}
	d := c.reserve(1)
	c.emit(Instr{Op: Select, D: d, A: chooses, B: a, C: b})
	x, y := c.known(a), c.known(b)
	c.knows(d, bounds{min(x.lo, y.lo), max(x.hi, y.hi)})
	return d
}
