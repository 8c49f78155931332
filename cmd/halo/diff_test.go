package main

import (
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/literal"
)

func TestDiff(t *testing.T) {
	dir := t.TempDir()
	text := "HloModule m\nENTRY e { a = f32[3,5] parameter(0) b = f32[5,7] parameter(1) " +
		"ROOT r = f32[3,7] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0} }"
	file := filepath.Join(dir, "m.hlo")
	write(t, file, []byte(text))
	code, out, message := halo(t, dir, "", "diff", file, "--backends", "cpu,reference")
	if code != exitOK || !strings.Contains(out, "cpu and reference agree") {
		t.Errorf("exit %d, %q, %q, want that they agree", code, out, message)
	}
	if code, _, _ := halo(t, dir, "", "diff", file, "--backends", "cpu"); code != exitUsage {
		t.Errorf("one backend: exit %d, want %d", code, exitUsage)
	}
}

func TestToleranceOf(t *testing.T) {
	m, err := hlo.Parse([]byte("HloModule m\nENTRY e { a = f32[3,5] parameter(0) b = f32[5,7] parameter(1) "+
		"d = f32[3,7] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0} ROOT r = f32[3,7] tanh(d) }"), "m.hlo")
	if err != nil {
		t.Fatal(err)
	}
	got := toleranceOf(m, literal.Scalar(float32(-4)))
	// 10 operations for each element, unit roundoff 2^-24, greatest element 4
	ulp := int64(hlo.Tanh.Info().ULP)
	want := literal.Tolerance{ULP: ulp, ATol: (slack*10 + 2*float64(ulp)) * math.Ldexp(1, -24) * 4}
	if got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}
