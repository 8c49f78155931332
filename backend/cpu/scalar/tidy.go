package scalar

import "slices"

// tidied returns the code without moves of what can be made where it goes and without the instructions that only write
// registers which nothing reads, with all jumps to where they went. It changes the code that it is given.
func tidied(code []Instr) []Instr {
	if len(code) <= maxTidied {
		direct(code)
	}
	for {
		read := readRegisters(code)
		to, kept := make([]int32, len(code)+1), make([]Instr, 0, len(code))
		for i := range code {
			to[i] = int32(len(kept))
			if in := &code[i]; !in.onlyWrites() || read[in.D] && (!in.moves() || in.A != in.D) {
				kept = append(kept, *in)
			}
		}
		if len(kept) == len(code) {
			return code
		}
		for i := range kept {
			if in := &kept[i]; in.Op.jumps() {
				in.Imm = to[in.Imm]
			}
		}
		code = kept
	}
}

// onlyWrites reports whether all that the instruction does is to write register D, from others or a stream.
func (in *Instr) onlyWrites() bool {
	_, many := in.runs()
	return in.writes(in.D) && many.n == 0 && !in.pairs()
}

// readRegisters returns which registers the code reads.
func readRegisters(code []Instr) map[uint16]bool {
	read := map[uint16]bool{}
	for i := range code {
		code[i].eachRead(func(r uint16) { read[r] = true })
	}
	return read
}

// maxTidied bounds the code whose moves are looked at, each of which takes a walk through it.
const maxTidied = 1 << 10

// direct lets what makes the value of a move, and of nothing else, write to where the move would bring it. The move
// becomes one of a register to itself, which nothing reads.
func direct(code []Instr) {
	reads, writers := map[uint16]int{}, map[uint16][]int{}
	for i := range code {
		code[i].eachRead(func(r uint16) { reads[r]++ })
		code[i].eachWritten(func(r uint16) { writers[r] = append(writers[r], i) })
	}
	for m := range code {
		move := &code[m]
		if !move.moves() || move.A == move.D || reads[move.A] != 1 || len(writers[move.A]) == 0 {
			continue
		}
		if makers := writers[move.A]; allFree(code, makers, m) && renewed(code, makers, m) {
			for _, w := range makers {
				code[w].D = move.D
			}
			others := slices.DeleteFunc(writers[move.D], func(w int) bool { return w == m })
			writers[move.D] = append(others, makers...)
			*move = Instr{Op: Move, D: move.A, A: move.A}
		}
	}
}

// moves reports whether the instruction moves a register or vector.
func (in *Instr) moves() bool { return in.Op == Move || in.Op == VecMove }

// allFree reports whether all instructions at the places makers may write to the register that the move at place m
// writes: nothing looks at that one on the way from them to the move.
func allFree(code []Instr, makers []int, m int) bool {
	for _, w := range makers {
		in := &code[w]
		if in.D != code[m].A || in.pairs() || in.spans(in.D) || in.Op == Put || in.elsewhere() || !untouched(code, w+1, m) {
			return false
		}
	}
	return true
}

// untouched reports whether no way from place at on looks at or writes the register that the move at place m writes,
// before it gets there.
func untouched(code []Instr, at, m int) bool {
	r := code[m].D
	return walk(code, at, func(i int) (bool, bool) { return i != m, i == m || !code[i].reads(r) && !code[i].writes(r) })
}

// renewed reports whether every way from the move at place m back to it goes through one of makers.
func renewed(code []Instr, makers []int, m int) bool {
	return walk(code, m+1, func(i int) (bool, bool) { return !slices.Contains(makers, i), i != m })
}

// walk goes all ways through the code from place at on, each as far as visit says, and reports whether visit says of
// all places that they are right.
func walk(code []Instr, at int, visit func(i int) (goOn, right bool)) bool {
	seen, ways := make([]bool, len(code)), []int{at}
	for len(ways) > 0 {
		at, ways = ways[len(ways)-1], ways[:len(ways)-1]
		if seen[at] {
			continue
		}
		seen[at] = true
		goOn, right := visit(at)
		if !right {
			return false
		}
		in := &code[at]
		if goOn && in.Op.jumps() {
			ways = append(ways, int(in.Imm))
		}
		if goOn && in.Op != Jump && in.Op != Next {
			ways = append(ways, at+1)
		}
	}
	return true
}
