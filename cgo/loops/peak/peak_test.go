package peak_test

import (
	"fmt"
	"testing"

	"github.com/halo-xla/halo/cgo/loops/peak"
)

func TestMeasure(t *testing.T) {
	r := peak.Measure(1)
	if r.FLOPs < 1e6 || r.FLOPs > 1e13 || r.BytesPerSecond < 1e6 || r.BytesPerSecond > 1e13 {
		t.Errorf("got %.3g FLOP/s and %.3g B/s, which no machine has", r.FLOPs, r.BytesPerSecond)
	}
	t.Logf("%.4g GFLOP/s, %.4g GB/s", r.FLOPs/1e9, r.BytesPerSecond/1e9)
}

// A run of 1 GFLOP in 20 ms on a machine of 100 GFLOP/s is at half of the roof.
func ExampleRoof_Fraction() {
	roof := peak.Roof{FLOPs: 100e9, BytesPerSecond: 10e9}
	fmt.Println(roof.Fraction(1e9, 1000, 0.020), roof.Fraction(0, 100e6, 0.020))
	// Output: 0.5 0.5
}
