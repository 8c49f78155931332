package scalar

// pairs reports whether the instruction reads and writes complex numbers, a register and the next.
func (in *Instr) pairs() bool { return in.Op == CallC64 || in.Op == CallC128 || in.Op == MulC64 }

// reading returns which of A, B and C are registers that the instruction reads.
func (in *Instr) reading() (a, b, c bool) {
	switch op := in.Op; {
	case op == Next || op == Jump || op >= Load8U && op <= LoadSmall || op >= MoveMany && op <= StoreMany ||
		op == CopyArray:
		return false, false, false
	case op == AgainLtS || op == AgainNeS:
		return true, true, false
	case op < Load8U:
		return true, false, false
	case op >= Vec && op < numOps:
		return in.readingLanes()
	case op >= Store8 && op <= StoreSmall || op == Fetch || op >= Load8UAt && op <= LoadSmallAt:
		return false, true, false
	case op >= Store8At && op <= StoreSmallAt:
		return false, true, true
	case op == Select:
		return true, true, true
	case op == ReducePrecision:
		return true, false, false
	}
	return true, true, false // of one operand B is 0 or what A is: reading too much is safe
}

// readingLanes is reading for instructions on vectors, which are as one register.
func (in *Instr) readingLanes() (a, b, c bool) {
	switch in.Op {
	case Vec:
		return true, true, true
	case VecMove, VecFold, VecCopy, VecTranspose:
		return true, false, false
	case VecStore, VecLoadAt:
		return false, true, false
	case VecStoreAt:
		return false, true, true
	case VecLoad:
		return false, false, false
	}
	return true, true, false
}

// updates reports whether the instruction writes some of a vector's lanes.
func (in *Instr) updates() bool { return in.Op == VecPut || in.Op == VecCopy || in.Op == VecPutWindow }

// elsewhere reports whether lanes that the instruction writes may be others than it reads for them.
func (in *Instr) elsewhere() bool {
	return in.updates() || in.Op == VecWindow || in.Op == VecDot || in.Op == VecTranspose
}

// registerRun is n registers from the first on.
type registerRun struct {
	first uint16
	n     int
}

func (s registerRun) has(r uint16) bool { return r >= s.first && int(r) < int(s.first)+s.n }

// runs returns the registers that the instruction reads and writes, or may, besides those of its operand fields.
func (in *Instr) runs() (read, written registerRun) {
	switch in.Op {
	case MoveMany:
		return registerRun{in.A, int(in.Imm)}, registerRun{in.D, int(in.Imm)}
	case LoadMany:
		written = registerRun{in.D, int(in.C)}
	case StoreMany:
		read = registerRun{in.B, int(in.C)}
	case Fetch:
		read = registerRun{in.A, int(in.Imm) + 1}
	case Put:
		written = registerRun{in.D, int(in.Imm) + 1}
	}
	return read, written
}

// spans reports whether register r is one of several that the instruction reads or writes.
func (in *Instr) spans(r uint16) bool {
	read, written := in.runs()
	return read.has(r) || written.has(r)
}

// touches reports whether the operand field x is register r, or of a pair.
func (in *Instr) touches(x, r uint16) bool { return x == r || in.pairs() && x+1 == r }

// reads reports whether the instruction reads register r.
func (in *Instr) reads(r uint16) bool {
	a, b, c := in.reading()
	read, _ := in.runs()
	return read.has(r) || in.updates() && in.D == r || a && in.touches(in.A, r) || b && in.touches(in.B, r) ||
		c && in.touches(in.C, r)
}

// writes reports whether the instruction writes register r.
func (in *Instr) writes(r uint16) bool {
	op := in.Op
	if op < Load8U || op >= Store8 && op <= StoreSmall || op == StoreMany || op == CopyArray ||
		op == VecStore || op == VecStoreAt ||
		op >= Store8At && op <= StoreSmallAt {
		return false
	}
	_, written := in.runs()
	return written.has(r) || in.touches(in.D, r)
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

// eachRead calls f with every register that the instruction reads, as often as it does.
func (in *Instr) eachRead(f func(r uint16)) {
	a, b, c := in.reading()
	for k, r := range [3]uint16{in.A, in.B, in.C} {
		if is := [3]bool{a, b, c}[k]; is {
			f(r)
			if in.pairs() {
				f(r + 1)
			}
		}
	}
	if in.updates() {
		f(in.D)
	}
	read, _ := in.runs()
	for k := range read.n {
		f(read.first + uint16(k))
	}
}

// eachWritten calls f with every register that the instruction writes, or may.
func (in *Instr) eachWritten(f func(r uint16)) {
	_, written := in.runs()
	for k := range written.n {
		f(written.first + uint16(k))
	}
	if in.writes(in.D) && written.n == 0 {
		f(in.D)
		if in.pairs() {
			f(in.D + 1)
		}
	}
}
