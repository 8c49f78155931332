package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/halo-xla/halo/cgo/cuda/emu"
	"github.com/halo-xla/halo/cgo/loops/run"
	"github.com/halo-xla/halo/internal/testfile"
	"github.com/halo-xla/halo/xla/collective/mpi"
)

// TestRanksEmulated has two ranks with an emulated GPU each, which the launcher of each MPI starts, and wants the bits
// of one process on the CPU engine; and that a fault of NCCL ends both.
func TestRanksEmulated(t *testing.T) {
	testfile.Native(t, run.Available())
	_, err := emu.Build()
	testfile.Library(t, "cuda-emu", err)
	program := filepath.Join(t.TempDir(), "p.hlo")
	write(t, program, []byte(gathers))
	args := []string{"run", program, "random:%d"}
	code, want, message := halo(t, "", "", args...)
	if code != exitOK {
		t.Fatalf("code %d: %s", code, message)
	}
	args = append(args, "--backend", "cuda-emu")
	for _, n := range []int{1, 2, 4} { // each in a process: devices are opened once
		one := exec.CommandContext(t.Context(), os.Args[0], append([]string{rankWord, "halo"}, args...)...)
		one.Env = append(os.Environ(), fmt.Sprintf("HALO_CUDA_EMU_DEVICES=%d", n))
		if got, err := one.CombinedOutput(); err != nil || string(got) != want {
			t.Errorf("%d emulated GPUs: %v: got\n%s, want\n%s", n, err, got, want)
		}
	}
	for _, family := range []string{mpi.OpenMPI, mpi.MPICH} {
		t.Run(family, func(t *testing.T) {
			_, err := mpi.Family(family)
			testfile.Library(t, "mpi", err)
			launch := append([]string{"launch", "-n", "2", "--mpi", family, os.Args[0], rankWord, "halo"}, args...)
			if code, got, message := halo(t, "", "", launch...); code != exitOK || got != want {
				t.Errorf("code %d, %s: got\n%s, want\n%s", code, message, got, want)
			}
			t.Setenv("HALO_CUDA_EMU_NCCL_STUCK", "1:6")
			if code, _, message := halo(t, "", "", launch...); code == exitOK || !strings.Contains(message, "ncclRemoteError") {
				t.Errorf("a fault of NCCL: code %d, %s", code, message)
			}
		})
	}
}

// TestConformanceEmulated runs self-checking programs on the emulated device, without passes that compute constants:
// every tenth file, or all if $HALO_EMU is all.
func TestConformanceEmulated(t *testing.T) {
	dir := testfile.Conformance(t)
	_, err := emu.Build()
	testfile.Library(t, "cuda-emu", err)
	t.Setenv("HALO_CUDA_EMU_PLAIN", "1")
	args := []string{"check", "--backend", "cuda-emu"}
	for _, part := range []string{"interpret", "testdata"} {
		files, err := filepath.Glob(filepath.Join(dir, "conformance", "stablehlo", part, "*.mlir"))
		if err != nil || len(files) == 0 {
			t.Fatalf("no file of %s (%v)", part, err)
		}
		for i, f := range files {
			if os.Getenv("HALO_EMU") == "all" || i%10 == 0 {
				args = append(args, f)
			}
		}
	}
	code, stdout, stderr := halo(t, dir, "", args...)
	if code != exitOK || strings.HasPrefix(stdout, "0 passed") {
		t.Errorf("exit %d\n%s%s", code, notPassed(stdout, "pass"), stderr)
	}
}

// TestTF32 has a product round to TF32 where the flag allows it, or else the variable, in one process.
func TestTF32(t *testing.T) {
	testfile.Native(t, run.Available())
	_, err := emu.Build()
	testfile.Library(t, "cuda-emu", err)
	program := filepath.Join(t.TempDir(), "p.hlo")
	write(t, program, []byte("HloModule p\nENTRY e { a = f32[64,64] parameter(0) ROOT d = f32[64,64] dot(a, a), "+
		"lhs_contracting_dims={1}, rhs_contracting_dims={0} }"))
	for _, c := range []struct {
		variable string
		flags    []string
		want     bool
	}{{"", nil, false}, {"1", nil, true}, {"0", []string{"--tf32"}, true}, {"1", []string{"--tf32=false"}, false},
		{"", []string{"--tf32"}, true}, {"", nil, false}} {
		t.Setenv("HALO_CUDA_TF32", c.variable)
		args := append([]string{"run", program, "ones", "--backend", "cuda-emu", "--report"}, c.flags...)
		code, out, message := halo(t, "", "", args...)
		if code != exitOK || strings.Contains(out+message, "in TF32") != c.want {
			t.Errorf("HALO_CUDA_TF32=%s %v: code %d: %s%s", c.variable, c.flags, code, out, message)
		}
	}
}
