package scalar

import (
	"unsafe"

	native "github.com/halo-xla/halo/cgo/loops/scalar"
)

// Pack returns the program as native kernels take it, in the arguments of a record. It may be called only for a Native
// program where package run is Available.
func (p *Program) Pack() []byte {
	code := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(p.code))), len(p.code)*int(unsafe.Sizeof(Instr{})))
	return native.Code{Registers: p.image, Instructions: code, Streams: len(p.Params) + len(p.Results)}.Pack()
}
