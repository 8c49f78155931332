package cpu

import (
	"fmt"
	"strings"

	"github.com/halo-xla/halo/backend/cpu/straight"
	"github.com/halo-xla/halo/cgo/fftw"
	"github.com/halo-xla/halo/cgo/loops/gemm"
	"github.com/halo-xla/halo/cgo/loops/run"
	"github.com/halo-xla/halo/cgo/onednn"
	"github.com/halo-xla/halo/cgo/openblas"
	"github.com/halo-xla/halo/internal/code"
)

// Library is what became of one of the libraries that the backend opens where they are installed.
type Library struct {
	// Name is the library's: "openblas".
	Name string
	// File is what was opened, Version what it says of itself.
	File, Version string
	// Err says what was tried and why it failed; nil if the library is in use.
	Err error
	// Warning says what is wrong with a library that is in use; "" if nothing is.
	Warning string
}

// Libraries opens all libraries that the backend can use and tells what became of them.
func Libraries() []Library {
	file, config, core, err := openblas.Info()
	blas := Library{Name: "openblas", File: file, Version: config, Err: err, Warning: slowCore(core, run.Level())}
	file, version, err := onednn.Info()
	dnn := Library{Name: "onednn", File: file, Version: version, Err: err}
	err = fftw.Load()
	return []Library{blas, dnn, {Name: "fftw", File: fftw.Path(), Version: "FFTW 3", Err: err}}
}

// slowCore warns of kernels for lesser processors than the one at hand.
func slowCore(core string, level run.ISA) string {
	lesser := strings.EqualFold(core, "Haswell") || strings.EqualFold(core, "Zen") || strings.EqualFold(core, "Prescott")
	if level != run.AVX512 || !lesser {
		return ""
	}
	return fmt.Sprintf("its kernels are for %s, though the processor has AVX-512: half of its speed is lost", core)
}

// Processor says which instruction set the kernels use, the sets that the machine has, and what it is not used for.
func Processor() string {
	var names []string
	for _, l := range run.Levels() {
		names = append(names, l.String())
	}
	text := fmt.Sprintf("%s of %s", run.Level(), strings.Join(names, ", "))
	if gemm.ProductBF16.Widens(run.Level()) {
		text += "; products of bf16 in f32"
	}
	if err := code.Memory(); err != nil && straight.Knows(run.Level()) {
		text += "; fusions step by step, with no memory for code: " + err.Error()
	}
	return text
}
