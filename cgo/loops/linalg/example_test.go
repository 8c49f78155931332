package linalg_test

import (
	"fmt"

	"github.com/halo-xla/halo/cgo/loops/linalg"
	"github.com/halo-xla/halo/cgo/loops/run"
)

// The Cholesky factors of four matrices of f64, over the matrices themselves.
func ExampleCholesky() {
	if !run.Available() {
		fmt.Println("a record")
		return
	}
	c := linalg.Cholesky{Dst: run.Ref{Slot: 0}, Src: run.Ref{Slot: 0}, N: 100, Batch: 4, Lower: true, Wide: true}
	if r := c.Record(run.Level()); r.Fn != nil {
		fmt.Println("a record")
	}
	// Output: a record
}
