package tile_test

import (
	"fmt"

	"github.com/halo-xla/halo/backend/cpu/tile"
	"github.com/halo-xla/halo/xla/shape"
)

// A program of one step doubles numbers, and takes them in reverse.
func ExampleProgram() {
	p := &tile.Program{
		Dims:      []int64{3},
		Registers: []shape.Class{shape.SignedClass, shape.SignedClass},
		Loads:     []tile.Load{{Access: tile.Access{Offset: 2, Strides: []int64{-1}}, Register: 0, Type: shape.U8}},
		Steps:     []tile.Step{tile.Loop(tile.Add[int64], 1, 0, 0)},
		Stores:    []tile.Store{{Register: 1, Type: shape.U8}},
	}
	out := make([]byte, 3)
	p.Run(0, [][]byte{{1, 2, 3}}, [][]byte{out})
	fmt.Println(out)
	// Output: [6 4 2]
}
