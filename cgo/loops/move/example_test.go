package move_test

import (
	"fmt"
	"runtime"
	"unsafe"

	"github.com/halo-xla/halo/cgo/loops/move"
	"github.com/halo-xla/halo/cgo/loops/run"
)

// A transpose of 2x3 bytes: the destination's rows are the source's columns.
func ExampleBoxes() {
	dst, src := make([]byte, 6), []byte{1, 2, 3, 4, 5, 6}
	if !run.Available() {
		fmt.Println([]byte{1, 4, 2, 5, 3, 6})
		return
	}
	s := run.NewSegment([]run.Record{move.Boxes(run.Base, false, move.Box{
		Dst: run.Ref{Slot: 0}, Src: run.Ref{Slot: 1}, Kind: 2, Tasks: 1,
		Axes: []move.Axis{{N: 3, Dst: 2, Src: 1, Part: 3}, {N: 2, Dst: 1, Src: 3, Part: 2}},
	})})
	defer s.Close()
	var pins runtime.Pinner
	defer pins.Unpin()
	table, cancel := []unsafe.Pointer{unsafe.Pointer(&dst[0]), unsafe.Pointer(&src[0])}, new(uint32)
	for _, p := range []any{&dst[0], &src[0], &table[0], cancel} {
		pins.Pin(p)
	}
	if err := s.Run(unsafe.Pointer(&table[0]), cancel, 1, 0); err != nil {
		fmt.Println(err)
	}
	fmt.Println(dst)
	// Output: [1 4 2 5 3 6]
}
