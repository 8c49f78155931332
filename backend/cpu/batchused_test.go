package cpu_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/halo-xla/halo/cgo/loops/run"
	"github.com/halo-xla/halo/internal/testfile"
)

// TestSideBySide wants many small matrices to be worked on in lanes, and few or large ones not.
func TestSideBySide(t *testing.T) {
	testfile.Native(t, run.Available())
	for _, tc := range []struct {
		name, text string
		lanes      bool
	}{
		{"products", "HloModule m\nENTRY e { a = f32[500,3,3] parameter(0) b = f32[500,3,3] parameter(1) " +
			"ROOT c = f32[500,3,3] dot(a, b), lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={2}, " +
			"rhs_contracting_dims={1} }", true},
		{"large products", "HloModule m\nENTRY e { a = f32[5,64,64] parameter(0) b = f32[5,64,64] parameter(1) " +
			"ROOT c = f32[5,64,64] dot(a, b), lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={2}, " +
			"rhs_contracting_dims={1} }", false},
		{"cholesky", "HloModule m\nENTRY e { a = f64[100,5,5] parameter(0) ROOT c = f64[100,5,5] cholesky(a), lower=true }",
			true},
		{"one cholesky", "HloModule m\nENTRY e { a = f64[5,5] parameter(0) ROOT c = f64[5,5] cholesky(a), lower=true }",
			false},
		{"solve", "HloModule m\nENTRY e { a = f32[100,4,4] parameter(0) b = f32[100,4,2] parameter(1) " +
			"ROOT c = f32[100,4,2] triangular-solve(a, b), left_side=true, lower=true, unit_diagonal=false, " +
			"transpose_a=NO_TRANSPOSE }", true},
	} {
		list := kernels(t, tc.text)
		lanes := slices.ContainsFunc(list, func(k string) bool { return strings.HasPrefix(k, "loops batched") })
		if lanes != tc.lanes {
			t.Errorf("%s: in lanes %v, want %v: %q", tc.name, lanes, tc.lanes, list)
		}
	}
}
