package scalar

import (
	"sync"
	"unsafe"

	native "github.com/halo-xla/halo/cgo/loops/scalar"
)

// Pack returns the program as native kernels take it, in the arguments of a record. It may be called only for a Native
// program where package run is Available.
func (p *Program) Pack() []byte {
	instrs, image := p.joined()
	code := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(instrs))), len(instrs)*int(unsafe.Sizeof(Instr{})))
	return native.Code{Registers: image, Instructions: code, Streams: len(p.Params) + len(p.Results),
		Cost: cost(p.code)}.Pack()
}

// cost is about what the code costs once, in instructions on registers.
func cost(code []Instr) int {
	n := len(code)
	for i := range code {
		if in := &code[i]; in.Op == Vec {
			n += int(in.Imm&(1<<24-1)) / lanesInOne[in.E >= uint16(numOps)]
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
