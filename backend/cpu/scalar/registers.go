package scalar

// pairs reports whether the instruction reads and writes complex numbers, a register and the next.
func (in *Instr) pairs() bool { return in.Op == CallC64 || in.Op == CallC128 || in.Op == MulC64 }

// reading returns which of A, B and C are registers that the instruction reads.
func (in *Instr) reading() (a, b, c bool) {
	switch op := in.Op; {
	case op == Next || op == Jump || op >= Load8U && op <= LoadSmall:
		return false, false, false
	case op == AgainLtS || op == AgainNeS:
		return true, true, false
	case op < Load8U:
		return true, false, false
	case op >= Store8 && op <= StoreSmall:
		return false, true, false
	case op == Select:
		return true, true, true
	case op == ReducePrecision:
		return true, false, false
	}
	return true, true, false // of one operand B is 0 or what A is: reading too much is safe
}

// touches reports whether the operand field x is register r, or of a pair.
func (in *Instr) touches(x, r uint16) bool { return x == r || in.pairs() && x+1 == r }

// reads reports whether the instruction reads register r.
func (in *Instr) reads(r uint16) bool {
	a, b, c := in.reading()
	return a && in.touches(in.A, r) || b && in.touches(in.B, r) || c && in.touches(in.C, r)
}

// writes reports whether the instruction writes register r.
func (in *Instr) writes(r uint16) bool {
	op := in.Op
	if op < Load8U || op >= Store8 && op <= StoreSmall {
		return false
	}
	return in.touches(in.D, r)
}

// rename makes the instruction read register to instead of r.
func (in *Instr) rename(r, to uint16) {
	a, b, c := in.reading()
	if a && in.A == r {
		in.A = to
	}
	if b && in.B == r {
		in.B = to
	}
	if c && in.C == r {
		in.C = to
	}
}
