package main

import (
	"fmt"
	"path/filepath"
	"testing"
)

// The attributes of expectations count: a distance of 3 ULPs is judged by the limit that the call says, 3 without one.
func TestExpectationAttributes(t *testing.T) {
	const text = `func.func @main() {
  %%a = stablehlo.constant dense<1.0> : tensor<f32>
  %%b = stablehlo.constant dense<1.0000004> : tensor<f32>
  stablehlo.custom_call @check.expect_close(%%a, %%b) {backend_config = {%s}, has_side_effect = true,
    api_version = 4 : i32} : (tensor<f32>, tensor<f32>) -> ()
  func.return
}`
	for attrs, want := range map[string]int{
		"": exitOK, "max_ulp_difference = 3 : ui64": exitOK, "max_ulp_difference = 2 : ui64": exitFailure,
		"max_ulp_difference = 18446744073709551615 : ui64": exitOK, `max_ulp_difference = "3"`: exitFailure,
		"max_ulp_difference = 4 : ui64, min_ulp_difference = 4 : ui64": exitFailure,
	} {
		path := filepath.Join(t.TempDir(), "m.mlir")
		write(t, path, fmt.Appendf(nil, text, attrs))
		if code, out, errs := halo(t, "", "", "check", "--backend", "reference", path); code != want {
			t.Errorf("{%s}: got exit %d, want %d: %s%s", attrs, code, want, out, errs)
		}
	}
}
