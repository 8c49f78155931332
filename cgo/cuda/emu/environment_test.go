package emu

import (
	"os"
	"strings"
	"testing"
)

func TestCheckEnvironment(t *testing.T) {
	for _, c := range []struct{ line, want string }{
		{"PATH=/bin", ""}, {"HALO_CUDA_EMU_SEED=7", ""}, {"HALO_CUDA_EMU_SEED=", ""}, {"HALO_CUDA_EMU_FAIL=12:2", ""},
		{"HALO_CUDA_EMU_CXX=clang++ -O2", ""}, {"HALO_CUDA_EMU_PLAIN=1", ""}, {"HALO_CUDA_EMU_ARCH=120", ""},
		{"HALO_CUDA_EMU_SEED=abc", `HALO_CUDA_EMU_SEED: got "abc", want a number of 0 or more`},
		{"HALO_CUDA_EMU_FAIL=12:", `HALO_CUDA_EMU_FAIL: got "12:", want N or N:STATUS`},
		{"HALO_CUDA_EMU_FAIL=-1", "want N or N:STATUS"}, {"HALO_CUDA_EMU_MEMORY=4G", "want bytes"},
		{"HALO_CUDA_EMU_MEMORY=0", "want bytes"}, {"HALO_CUDA_EMU_ARCH=sm_90", "such as 90"},
		{"HALO_CUDA_EMU_VERSION=12.4", "such as 12040"}, {"HALO_CUDA_EMU_PLAIN=yes", "want 0 or 1"},
		{"HALO_CUDA_EMU_DEVICES=-1", "from 0 to 64"},
		{"HALO_CUDA_EMU_SEDE=1", "HALO_CUDA_EMU_SEDE: there is no such variable, want one of HALO_CUDA_EMU_FAIL, "},
	} {
		err := CheckEnvironment([]string{"A=b", c.line})
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", c.line, err, c.want)
		}
	}
}

// The page about CUDA and the emulator itself know the same variables.
func TestVariables(t *testing.T) {
	page, err := os.ReadFile("../../../docs/cuda.md")
	if err != nil {
		t.Fatal(err)
	}
	driver, err := sources.ReadFile("source/driver.cc")
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range variables {
		if !strings.Contains(string(page), "`"+prefix+r.name+"`") {
			t.Errorf("docs/cuda.md lacks %s%s", prefix, r.name)
		}
	}
	for _, part := range strings.Split(string(driver), `"`+prefix)[1:] {
		if name, _, _ := strings.Cut(part, `"`); !strings.Contains(names(), prefix+name) {
			t.Errorf("the driver reads %s%s, which nobody checks", prefix, name)
		}
	}
}
