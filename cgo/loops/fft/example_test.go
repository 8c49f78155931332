package fft_test

import (
	"fmt"

	"github.com/halo-xla/halo/cgo/loops/fft"
	"github.com/halo-xla/halo/cgo/loops/run"
)

// AVX-512 has 16 lanes of f32, 8 of f64.
func ExampleLanes() {
	fmt.Println(fft.Lanes(run.AVX512, false), fft.Lanes(run.AVX512, true))
	// Output: 16 8
}
