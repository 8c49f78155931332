package emu

import (
	"os"
	"regexp"
	"slices"
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
		{"HALO_CUDA_EMU_LIB_FAIL=cusolver:3:7", ""}, {"HALO_CUDA_EMU_LIB_FAIL=nvrtc:3", "want LIBRARY:N"},
		{"HALO_CUDA_EMU_LIB_VERSION=11603", "such as cusolver:11603"},
		{"HALO_CUDA_EMU_DEVICES=-1", "from 0 to 64"},
		{"HALO_CUDA_EMU_SEDE=1", "HALO_CUDA_EMU_SEDE: there is no such variable, want one of HALO_CUDA_EMU_FAIL, "},
	} {
		err := CheckEnvironment([]string{"A=b", c.line})
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", c.line, err, c.want)
		}
	}
}

// elsewhere are the variables that are read in Go alone.
var elsewhere = []string{"PLAIN"}

// read matches a variable as a source reads it; the compiler's macro of kernels is none.
var read = regexp.MustCompile(`"` + prefix + `([A-Z_]+)"`)

// TestVariables wants the page about CUDA, the emulator's sources and what is checked to have the same variables.
func TestVariables(t *testing.T) {
	page, err := os.ReadFile("../../../docs/cuda.md")
	if err != nil {
		t.Fatal(err)
	}
	names := slices.Concat(readBySources(t), elsewhere)
	for _, r := range variables {
		if !slices.Contains(names, r.name) {
			t.Errorf("nobody reads %s%s", prefix, r.name)
		}
		if !strings.Contains(string(page), "`"+prefix+r.name+"`") {
			t.Errorf("docs/cuda.md lacks %s%s", prefix, r.name)
		}
	}
	for _, name := range names {
		if CheckEnvironment([]string{prefix + name + "="}) != nil {
			t.Errorf("%s%s is read, which nobody checks", prefix, name)
		}
	}
}

// readBySources returns the variables that the emulator's sources read.
func readBySources(t *testing.T) (names []string) {
	t.Helper()
	files, err := sources.ReadDir("source")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		text, err := sources.ReadFile("source/" + f.Name())
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range read.FindAllStringSubmatch(string(text), -1) {
			names = append(names, m[1])
		}
	}
	return names
}
