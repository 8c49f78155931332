package scalar

import (
	"sync"
	"unsafe"

	"github.com/halo-xla/halo/cgo/loops/run"
	native "github.com/halo-xla/halo/cgo/loops/scalar"
	"github.com/halo-xla/halo/internal/code"
)

// Pack returns the program as native kernels take it, in the arguments of a record. It may be called only for a Native
// program where package run is Available.
func (p *Program) Pack() []byte { return p.packed(p.machine()) }

func (p *Program) packed(machine unsafe.Pointer) []byte {
	instrs, image := p.joined()
	return native.Code{Registers: image, Instructions: run.Bytes(instrs), Streams: len(p.Params) + len(p.Results),
		Cost: cost(p.code), Machine: machine}.Pack()
}

// machine returns the program's machine code, or nil if there is none: of programs without loops, which others run too
// few times, on machines without AVX2, or where the system gives no memory for it.
func (p *Program) machine() unsafe.Pointer {
	if !p.Loops() {
		return nil
	}
	return p.placed()
}

func (p *Program) placed() unsafe.Pointer {
	if level := run.Level(); level != run.AVX2 && level != run.AVX512 || code.Memory() != nil {
		return nil
	}
	text := p.assembled()
	if text == nil {
		return nil
	}
	return code.Place(text)
}

// cost is about what the code costs once, in instructions on registers.
func cost(code []Instr) int {
	n := len(code)
	for i := range code {
		switch in := &code[i]; in.Op {
		case Vec:
			n += int(in.Imm&(1<<24-1)) / lanesInOne[in.E >= uint16(numOps)]
		case VecDot:
			n += int(in.E) * int(in.Imm) / lanesInOne[false]
		}
	}
	return n
}

// lanesInOne is how many lanes cost what an instruction on registers does: of functions, and of all else.
var lanesInOne = map[bool]int{true: 1, false: 8}

// nativeOnly are the numbers of the instructions that only native code has, by name.
var nativeOnly = sync.OnceValue(func() map[string]Op {
	m := map[string]Op{}
	for i, name := range native.Joined() {
		m[name] = numOps + Op(i)
	}
	return m
})
