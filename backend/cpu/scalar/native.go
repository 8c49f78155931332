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
	return native.Code{Registers: image, Instructions: code, Streams: len(p.Params) + len(p.Results)}.Pack()
}

// nativeOnly are the numbers of the instructions that only native code has, by name.
var nativeOnly = sync.OnceValue(func() map[string]Op {
	m := map[string]Op{}
	for i, name := range native.Joined() {
		m[name] = numOps + Op(i)
	}
	return m
})
