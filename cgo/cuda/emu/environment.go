package emu

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
)

// prefix is what the emulator's variables begin with.
const prefix = "HALO_CUDA_EMU_"

// variables are the emulator's, in the order in which docs/cuda.md has them.
var variables = []struct {
	name, want string
	ok         func(v string) bool
}{
	{"FAIL", "N or N:STATUS, the number of a call of the driver and what it fails with", numbered},
	{"SEED", "a number of 0 or more", within(0, math.MaxInt64)},
	{"MEMORY", "bytes", within(1, math.MaxInt64)},
	{"DEVICES", "a number from 0 to 64", within(0, 64)},
	{"ARCH", "a compute capability without its point, such as 90", within(10, 999)},
	{"VERSION", "a version of CUDA as its driver has it, such as 12040", within(1000, 99990)},
	{"RACES", "0 or 1", within(0, 1)},
	{"CXX", "a C++ compiler", func(string) bool { return true }},
	{"PLAIN", "0 or 1", within(0, 1)},
	{"LIB_FAIL", "LIBRARY:N or LIBRARY:N:STATUS, the number of a call of a library and what it fails with", ofLibrary},
	{"LIB_VERSION", "LIBRARY:VERSION, a version as the library has it, such as cusolver:11603", ofLibrary},
	{"NCCL_FAIL", "N or N:STATUS, the number of a call of NCCL and what it fails with", numbered},
	{"NCCL_STUCK", "N or N:STATUS, the number of an operation of NCCL and what its communicator says", numbered},
	{"NCCL_VERSION", "a version as NCCL has it, such as 21805", within(2000, 99999)},
}

// numbered reports whether v is N or N:STATUS.
var numbered = regexp.MustCompile(`^\d{1,18}(:\d{1,9})?$`).MatchString

// ofLibrary reports whether v is what is asked of a library that knows these variables.
var ofLibrary = regexp.MustCompile(`^(cublas|cublasLt|cudnn|cusolver|cufft):\d{1,9}(:\d{1,9})?$`).MatchString

func within(least, most int64) func(string) bool {
	return func(v string) bool {
		n, err := strconv.ParseInt(v, 10, 64)
		return err == nil && n >= least && n <= most
	}
}

// CheckEnvironment fails if environ, lines of NAME=VALUE, has a variable HALO_CUDA_EMU_* that there is not, or one
// whose value cannot be meant: it would be without effect, and nobody would know.
func CheckEnvironment(environ []string) error {
	for _, line := range environ {
		name, v, _ := strings.Cut(line, "=")
		short, ours := strings.CutPrefix(name, prefix)
		if !ours {
			continue
		}
		known := false
		for _, r := range variables {
			if known = known || r.name == short; r.name == short && v != "" && !r.ok(v) {
				return fmt.Errorf("%s: got %q, want %s", name, v, r.want)
			}
		}
		if !known {
			return fmt.Errorf("%s: there is no such variable, want one of %s", name, names())
		}
	}
	return nil
}

func names() string {
	list := make([]string, len(variables))
	for i, r := range variables {
		list[i] = prefix + r.name
	}
	return strings.Join(list, ", ")
}
