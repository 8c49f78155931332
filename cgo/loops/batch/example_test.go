package batch_test

import (
	"fmt"

	"github.com/halo-xla/halo/cgo/loops/batch"
	"github.com/halo-xla/halo/cgo/loops/run"
)

// A thousand products of matrices 3 by 3 with vectors.
func ExampleProduct() {
	if !run.Available() {
		fmt.Println("a record")
		return
	}
	p := batch.Product{A: batch.Matrix{At: run.Ref{Slot: 0}, Row: 3, Column: 1},
		B: batch.Matrix{At: run.Ref{Slot: 1}, Row: 1, Column: 1}, C: batch.Matrix{At: run.Ref{Slot: 2}, Row: 1, Column: 1},
		M: 3, N: 1, K: 3, Batch: 1000}
	if r := p.Record(run.Level()); r.Fn != nil {
		fmt.Println("a record")
	}
	// Output: a record
}
