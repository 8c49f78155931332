package shape_test

import (
	"fmt"

	"github.com/halo-xla/halo/xla/shape"
)

func ExampleParse() {
	s, err := shape.Parse("f32[2,3]{0,1}")
	if err != nil {
		panic(err)
	}
	bytes, err := s.ByteSize()
	fmt.Println(s.Type, s.Dims, s.Layout.MinorToMajor, bytes, err)
	// Output: f32 [2 3] [0 1] 24 <nil>
}

// In tiles of 2 by 2, element (2, 3) of a 3 by 5 array is the 18th in memory.
func ExampleIndexer() {
	s, err := shape.Parse("f32[3,5]{1,0:T(2,2)}")
	if err != nil {
		panic(err)
	}
	x, err := shape.NewIndexer(s)
	if err != nil {
		panic(err)
	}
	fmt.Println(x.Linear([]int64{2, 3}))
	// Output: 17
}
