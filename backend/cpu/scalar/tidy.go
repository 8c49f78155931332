package scalar

// tidied returns the code without the instructions that only write registers which nothing reads, with all jumps to
// where they went.
func tidied(code []Instr) []Instr {
	for {
		read := readRegisters(code)
		to, kept := make([]int32, len(code)+1), make([]Instr, 0, len(code))
		for i := range code {
			to[i] = int32(len(kept))
			if in := &code[i]; !in.onlyWrites() || read[in.D] {
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
		in := &code[i]
		a, b, c := in.reading()
		for k, r := range [3]uint16{in.A, in.B, in.C} {
			if is := [3]bool{a, b, c}[k]; is {
				read[r] = true
				read[r+1] = read[r+1] || in.pairs()
			}
		}
		for r, run := 0, in.readsRun(); r < run.n; r++ {
			read[run.first+uint16(r)] = true
		}
	}
	return read
}

func (in *Instr) readsRun() registerRun {
	read, _ := in.runs()
	return read
}
