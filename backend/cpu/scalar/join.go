package scalar

import "slices"

// joiner makes native code of a program: of instructions those whose width or constants are known, and of two one,
// where native code has it: cgo/loops/scalar/joined.h lists them.
type joiner struct {
	code    []Instr
	image   []uint64
	ops     map[string]Op
	reads   []int  // how often the code reads a register
	written []bool // whether it writes it
	begins  []bool // whether a jump goes to an instruction
	taken   []bool // by the one that it is joined to
	pairs   []pair
}

// pair is how an instruction is joined with the one that makes an operand of it; first is -1 if it is not.
type pair struct {
	first int
	op    Op
	other uint16 // the operand that the first does not make
}

// joined returns the native code and the registers' first contents.
func (p *Program) joined() ([]Instr, []uint64) {
	j := &joiner{code: p.code, image: slices.Clone(p.image), ops: nativeOnly()}
	j.count()
	j.pairs, j.taken = make([]pair, len(p.code)), make([]bool, len(p.code))
	for i := range j.pairs {
		j.pairs[i].first = -1
	}
	for _, loads := range []bool{false, true} { // what waits for a sum gains more than what waits for memory
		for i := range j.code {
			if p := j.find(i, loads); p.first >= 0 {
				j.pairs[i], j.taken[p.first] = p, true
			}
		}
	}
	return j.emitted(), j.image
}

// count looks at what the code reads and writes.
func (j *joiner) count() {
	j.reads, j.written = make([]int, len(j.image)+2), make([]bool, len(j.image)+2)
	j.begins = make([]bool, len(j.code)+1)
	for i := range j.code {
		in := &j.code[i]
		if in.Op.jumps() {
			j.begins[in.Imm] = true
		}
		in.eachRead(func(r uint16) { j.reads[r]++ })
		in.eachWritten(func(r uint16) { j.written[r] = true })
	}
}

// name is the native name of an instruction: that of its width, if there is one.
func (j *joiner) name(in *Instr) string {
	name := operations[in.Op].name
	if n, ok := sizedNames[sized{in.Op, in.Imm}]; ok {
		name = n
	}
	switch in.Op {
	case VecFetch:
		name += [...]string{"U", "S"}[in.E]
	case RemS, RemU:
		if j.divides(in) {
			name += "32By"
		}
	case ShiftLeftS, ShiftLeftU, ShiftRightS, ShiftLogicalU:
		if !j.constant(in.B) || j.image[in.B] >= uint64(in.Imm) {
			return operations[in.Op].name
		}
	}
	return name
}

// sized is an instruction of a width.
type sized struct {
	op   Op
	bits int32
}

// sizedNames are the native names of instructions of a width. Shifts must be by constants.
var sizedNames = map[sized]string{
	{AddS, 32}: "AddS32", {SubS, 32}: "SubS32", {MulS, 32}: "MulS32", {AddU, 32}: "AddU32", {SubU, 32}: "SubU32",
	{MulU, 32}: "MulU32", {AddS, 64}: "Add64", {SubS, 64}: "Sub64", {MulS, 64}: "Mul64", {AddU, 64}: "Add64",
	{SubU, 64}: "Sub64", {MulU, 64}: "Mul64", {ShiftLeftS, 32}: "ShiftLeftS32", {ShiftLeftU, 32}: "ShiftLeftU32",
	{ShiftRightS, 8}: "ShiftRight", {ShiftRightS, 16}: "ShiftRight", {ShiftRightS, 32}: "ShiftRight",
	{ShiftRightS, 64}: "ShiftRight", {ShiftLogicalU, 8}: "ShiftLogical", {ShiftLogicalU, 16}: "ShiftLogical",
	{ShiftLogicalU, 32}: "ShiftLogical", {ShiftLogicalU, 64}: "ShiftLogical",
}

// constant reports whether register r always holds what it holds at first.
func (j *joiner) constant(r uint16) bool { return !j.written[r] }

// divides reports whether a remainder is that of division by a positive constant of numbers of up to 32 bits.
func (j *joiner) divides(in *Instr) bool {
	d := j.image[in.B]
	return in.Imm <= 32 && j.constant(in.B) && d > 0 && d < 1<<31
}

// find returns how instruction i is joined, with a load or with something else.
func (j *joiner) find(i int, loads bool) pair {
	in := &j.code[i]
	if j.begins[i] || j.taken[i] || j.pairs[i].first >= 0 {
		return pair{first: -1}
	}
	a, b, _ := in.reading()
	if a {
		if p := j.match(i, in.A, in.B, "", loads); p.first >= 0 {
			return p
		}
	}
	if b && in.Op != Select {
		return j.match(i, in.B, in.A, "r", loads)
	}
	return pair{first: -1}
}

// commutes are the instructions whose operands may change places.
var commutes = map[Op]bool{AddS: true, AddU: true, MulS: true, MulU: true, And: true, Or: true, Xor: true, MinS: true,
	MaxS: true, EqS: true, NeS: true, AddF: true, MulF: true, AddD: true, MulD: true}

// match looks for the instruction that makes register r, an operand of instruction i, and can be joined to it.
func (j *joiner) match(i int, r, other uint16, side string, loads bool) pair {
	in := &j.code[i]
	if side != "" && commutes[in.Op] {
		side = ""
	}
	counts := in.Op == AgainLtS || in.Op == AgainNeS
	if !counts && j.reads[r] != 1 || side != "" && in.Op.jumps() {
		return pair{first: -1}
	}
	for k := i - 1; k >= 0; k-- {
		if first := &j.code[k]; first.writes(r) {
			op, ok := j.ops[j.name(first)+"_"+side+j.name(in)]
			free := !j.taken[k] && j.pairs[k].first < 0 && !first.spans(r)
			if ok && free && first.Op.loadsElement() == loads && j.passes(k, i, counts) {
				return pair{k, op, other}
			}
			break
		}
		if j.begins[k] || j.code[k].Op.jumps() {
			break
		}
	}
	return pair{first: -1}
}

// passes reports whether instruction k may run where i is. What counts also writes its own register there.
func (j *joiner) passes(k, i int, counts bool) bool {
	first := &j.code[k]
	load := first.Op.loadsElement()
	for m := k + 1; m < i; m++ {
		in := &j.code[m]
		other := in.writes(first.B) || (!load || first.Op == VecFetch) && in.writes(first.A)
		if other || load && !in.onlyWrites() || counts && in.reads(first.D) {
			return false
		}
	}
	return true
}

// loadsElement reports whether o loads an element of an array in memory, or a lane of a vector.
func (o Op) loadsElement() bool { return o >= Load8UAt && o <= LoadSmallAt || o == VecFetch }

// emitted returns the code with the pairs joined and jumps to where they went.
func (j *joiner) emitted() []Instr {
	to, out := make([]int32, len(j.code)+1), make([]Instr, 0, len(j.code))
	for i := range j.code {
		to[i] = int32(len(out))
		if !j.taken[i] {
			out = append(out, j.instruction(i))
		}
	}
	for i, k := 0, 0; i < len(j.code); i++ {
		if j.taken[i] {
			continue
		}
		if j.code[i].Op.jumps() {
			out[k].Imm = to[j.code[i].Imm]
		}
		k++
	}
	return out
}

// instruction returns instruction i as native code has it.
func (j *joiner) instruction(i int) Instr {
	in, p := j.code[i], j.pairs[i]
	if p.first < 0 {
		if op, ok := j.ops[j.name(&in)]; ok {
			in.Op = op
			if j.code[i].Op == RemS || j.code[i].Op == RemU {
				in.C = j.inverse(in.B)
			}
		}
		return in
	}
	first := j.code[p.first]
	out := Instr{Op: p.op, D: in.D, A: first.A, B: first.B, C: p.other, Imm: in.Imm}
	switch {
	case in.Op == RemS || in.Op == RemU:
		out.E = j.inverse(in.B)
	case in.Op == Select:
		out.E = in.C
	case in.Op == AgainLtS || in.Op == AgainNeS:
		out.D = first.D
	}
	if !in.Op.jumps() {
		out.Imm = first.Imm
	}
	return out
}

// inverse returns a register with 2^64/d, rounded up, of the constant d in register r.
func (j *joiner) inverse(r uint16) uint16 {
	j.image = append(j.image, ^uint64(0)/j.image[r]+1)
	return uint16(len(j.image) - 1)
}
