package index_test

import (
	"fmt"
	"runtime"
	"unsafe"

	"github.com/halo-xla/halo/cgo/loops/index"
	"github.com/halo-xla/halo/cgo/loops/move"
	"github.com/halo-xla/halo/cgo/loops/run"
)

// Bytes at indices; those beyond the end are the last.
func ExamplePlan_Gather() {
	dst, src, at := make([]byte, 4), []byte{10, 11, 12}, []int32{2, 0, 7, 1}
	if !run.Available() {
		fmt.Println([]byte{12, 10, 12, 11})
		return
	}
	p := index.Plan{Starts: run.Ref{Slot: 2}, LogBytes: 2, Signed: true, Count: 4,
		Batches: []index.Batch{{N: 4, Start: 1, Windowed: 1}}, Entries: []index.Entry{{Stride: 1, Last: 2}}}
	one := move.Axis{N: 1, Part: 1}
	s := run.NewSegment([]run.Record{p.Gather(run.Base, run.Ref{Slot: 0}, run.Ref{Slot: 1},
		index.Window{Tasks: 1, Part: 4, Element: true, Axes: []move.Axis{one, one}})})
	defer s.Close()
	var pins runtime.Pinner
	defer pins.Unpin()
	table := []unsafe.Pointer{unsafe.Pointer(&dst[0]), unsafe.Pointer(&src[0]), unsafe.Pointer(&at[0])}
	cancel := new(uint32)
	for _, p := range []any{&dst[0], &src[0], &at[0], &table[0], cancel} {
		pins.Pin(p)
	}
	if err := s.Run(unsafe.Pointer(&table[0]), cancel, 1, 0); err != nil {
		fmt.Println(err)
	}
	fmt.Println(dst)
	// Output: [12 10 12 11]
}
