package pipeline_test

import (
	"fmt"

	"github.com/halo-xla/halo/cgo/loops/pipeline"
)

// A program is data: it squares what is more than one half.
func ExampleProgram() {
	p := &pipeline.Program{
		Dims:    []int64{1000},
		Lane:    4,
		Inputs:  []pipeline.Stream{{Size: 4, Strides: []int64{1}}, {Kind: pipeline.Immediate, Value: 0x3f000000}},
		Outputs: []pipeline.Stream{{Size: 4}},
		Stages:  []pipeline.Stage{{Name: "load", A: 0}, {Name: "max_f", A: 1}, {Name: "mul_f", A: 0}, {Name: "store", A: 2}},
		Task:    1 << 15,
	}
	fmt.Println(p.Elements(), p.Fits())
	// Output: 1000 true
}
