package straight_test

import (
	"fmt"

	"github.com/halo-xla/halo/backend/cpu/straight"
	"github.com/halo-xla/halo/cgo/loops/pipeline"
	"github.com/halo-xla/halo/cgo/loops/run"
)

// A function takes a program's place where the level has instructions for all of its stages.
func ExampleMake() {
	p := &pipeline.Program{
		Dims:    []int64{1000},
		Lane:    4,
		Inputs:  []pipeline.Stream{{Size: 4, Strides: []int64{1}}},
		Outputs: []pipeline.Stream{{Size: 4}},
		Stages:  []pipeline.Stage{{Name: "load", A: 0}, {Name: "tanh"}, {Name: "store", A: 1}},
		Task:    1 << 15,
	}
	fmt.Println(straight.Make(p, run.AVX2).Plain == nil, straight.Make(p, run.Base).Plain == nil)
	// Output: true true
}
