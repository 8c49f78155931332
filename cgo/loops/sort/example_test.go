package sort_test

import (
	"fmt"
	"runtime"
	"unsafe"

	"github.com/halo-xla/halo/cgo/loops/run"
	"github.com/halo-xla/halo/cgo/loops/sort"
)

// Signed numbers, the largest first.
func ExampleRows_Sort() {
	dst, src := make([]int32, 5), []int32{3, -1, 7, 0, 3}
	if !run.Available() {
		fmt.Println([]int32{7, 3, 3, 0, -1})
		return
	}
	s := run.NewSegment([]run.Record{sort.Rows{N: 5, Stride: 1, Count: 1}.Sort(run.Level(),
		[]sort.Array{{Dst: run.Ref{Slot: 0}, Src: run.Ref{Slot: 1}, Width: 4}},
		[]sort.Key{{LogWidth: 2, Flags: sort.Signed | sort.Descending}}, nil, run.Ref{})})
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
	// Output: [7 3 3 0 -1]
}
