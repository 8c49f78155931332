// Package nvrtc calls NVIDIA's compiler of CUDA C++ at run time, which is opened where it is installed and needs no
// GPU.
package nvrtc

import (
	"fmt"
	"strings"
)

// Program is what a source has become.
type Program struct {
	// CUBIN is code for one architecture, nil if PTX alone was asked for.
	CUBIN []byte
	// PTX is text for the driver to compile, with a 0 at its end.
	PTX []byte
	// Log is what the compiler has said: warnings, and of each kernel what it takes if Options.Verbose.
	Log string
}

// Options say how a source is compiled.
type Options struct {
	// Arch is the architecture: "sm_90", or "compute_90" for PTX alone.
	Arch string
	// Verbose has the assembler tell registers, shared and local memory of each kernel.
	Verbose bool
	// Flags are options besides.
	Flags []string
}

// list returns the compiler's options. Products and sums are never fused behind the emitter's back: what it wants
// fused, it says.
func (o Options) list() []string {
	list := []string{"--gpu-architecture=" + o.Arch, "--std=c++17", "--fmad=false"}
	if o.Verbose {
		list = append(list, "--ptxas-options=--verbose")
	}
	return append(list, o.Flags...)
}

// Error is a source that the compiler refuses, or a fault of the compiler.
type Error struct {
	// Call is the compiler's function, Status what it says, Name the source's, Log what it says of the source.
	Call, Status, Name, Log string
}

// Error returns the call, the status, the name of the source and the log.
func (e *Error) Error() string {
	text := fmt.Sprintf("nvrtc: %s: %s", e.Call, e.Status)
	if e.Name != "" {
		text += ": " + e.Name
	}
	if log := strings.TrimSpace(e.Log); log != "" {
		text += ": " + log
	}
	return text
}
