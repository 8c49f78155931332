package literal_test

import (
	"fmt"

	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

func ExampleFromSlice() {
	l, err := literal.FromSlice([]float32{1, 2, 3, 4, 5, 6}, 2, 3)
	if err != nil {
		panic(err)
	}
	fmt.Println(l)
	// Output: f32[2,3] { { 1, 2, 3 }, { 4, 5, 6 } }
}

// A conversion rounds once, to the nearest and to even on a tie, and keeps to the range of integers.
func ExampleConvert() {
	l, err := literal.FromSlice([]float32{1.00390625, 3e9, -1.9}, 3)
	if err != nil {
		panic(err)
	}
	for _, t := range []shape.ElementType{shape.BF16, shape.S32} {
		c, err := literal.Convert(l, t)
		fmt.Println(c, err)
	}
	// Output:
	// bf16[3] {1, 3.003e+09, -1.898} <nil>
	// s32[3] {1, 2147483647, -1} <nil>
}

func ExampleCompare() {
	got := literal.Scalar(float32(1.0000002))
	want := literal.Scalar(float32(1))
	fmt.Println(literal.Compare(got, want, literal.Tolerance{}))
	fmt.Println(literal.Compare(got, want, literal.Tolerance{ULP: 2}) == nil)
	// Output:
	// element []: got 1.0000002, want 1 (2 ULPs); 1 of 1 differ
	// true
}
