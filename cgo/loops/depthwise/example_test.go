package depthwise_test

import (
	"fmt"
	"runtime"
	"unsafe"

	"github.com/halo-xla/halo/cgo/loops/depthwise"
	"github.com/halo-xla/halo/cgo/loops/run"
)

// Windows of three along a line of four places with one feature: their ends stick out.
func ExampleConvolution() {
	image, weights, result := []float32{1, 2, 3, 4}, []float32{1, 10, 100}, make([]float32, 4)
	if !run.Available() {
		fmt.Println([]float32{210, 321, 432, 43})
		return
	}
	c := depthwise.Convolution{Image: run.Ref{Slot: 0}, Weights: run.Ref{Slot: 1}, Result: run.Ref{Slot: 2}, Channels: 1,
		Rows: 1, Task: 1, Y: depthwise.Axis{In: 1, Out: 1, Window: 1, Stride: 1, Dilation: 1},
		X: depthwise.Axis{In: 4, Out: 4, Window: 3, Stride: 1, Dilation: 1, Pad: 1}}
	s := run.NewSegment([]run.Record{c.Record(run.Level())})
	defer s.Close()
	var pins runtime.Pinner
	defer pins.Unpin()
	table := []unsafe.Pointer{unsafe.Pointer(&image[0]), unsafe.Pointer(&weights[0]), unsafe.Pointer(&result[0])}
	cancel := new(uint32)
	for _, p := range []any{&image[0], &weights[0], &result[0], &table[0], cancel} {
		pins.Pin(p)
	}
	if err := s.Run(unsafe.Pointer(&table[0]), cancel, 1, 0); err != nil {
		fmt.Println(err)
	}
	fmt.Println(result)
	// Output: [210 321 432 43]
}
