package main

import "testing"

func Example_main() {
	main()
	// Output: y = 1.000 + 2.000 x
}

// TestFitNothing wants an error for points that lie above each other.
func TestFitNothing(t *testing.T) {
	if _, _, err := fit([]float64{1, 1}, []float64{2, 3}); err == nil {
		t.Error("no error")
	}
}
