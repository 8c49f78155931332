package scalar

// effort is about what a round of the program's loops takes, in cheap instructions of the machine.
func (p *Program) effort() int {
	n, begin, end := 0, len(p.code), -1
	for i := range p.code {
		if in := &p.code[i]; in.Op >= Again && in.Op <= AgainNeS {
			begin, end = min(begin, int(in.Imm)), i
		}
	}
	for i := begin; i <= end; i++ {
		n += p.code[i].effort()
	}
	return n
}

func (in *Instr) effort() int {
	switch op := in.Op; {
	case op == Vec && in.E >= uint16(numOps):
		return partsIn(int(in.Imm&(1<<24-1))) * effortOf[Call]
	case op == Vec:
		return partsIn(int(in.Imm&(1<<24-1))) * effortOf[in.E]
	case op == VecDot:
		return int(in.E) * partsIn(int(in.Imm)) * effortOf[op]
	}
	return effortOf[in.Op]
}

// effortOf is that of instructions by their number. Vectors that are put together of parts make who reads them wait.
var effortOf [numOps]int

func init() {
	for op := range effortOf {
		effortOf[op] = 1
	}
	for op, n := range map[Op]int{Call: 40, MinF: 5, MaxF: 5, MinD: 5, MaxD: 5, DivF: 4, DivD: 4, SqrtF: 4, SqrtD: 4,
		VecFetch: 3, VecPut: 10, VecCopy: 10, VecWindow: 10, VecPutWindow: 10, VecFold: 20, VecDot: 2, VecTranspose: 100} {
		effortOf[op] = n
	}
}
