// Package cuda is the backend of NVIDIA's GPUs: it lowers instructions to kernels that are compiled at run time, and
// enqueues them on a stream. The driver and the libraries are opened when a backend is made; nothing is linked.
//
// With Options.Emulated the driver and the compiler are those of cgo/cuda/emu: the same backend on a machine without a
// GPU, for tests. It is named cuda-emu everywhere.
package cuda

import (
	"github.com/halo-xla/halo/backend/cuda/emit"
	"github.com/halo-xla/halo/xla/exec"
	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/pass"
)

// Options configure the backend. The zero value is the first GPU.
type Options struct {
	// Device is the number of the GPU, or of the first, and Devices how many there are: device d of an execution runs on
	// GPU Device + d modulo Devices. 0 is 1, AllDevices all from Device on.
	Device, Devices int
	// Rank is the number of this process among those of the machine that have a GPU each: it takes GPU Device + Rank, and
	// from the first on again if there are fewer.
	Rank int
	// Emulated takes the emulator for a driver.
	Emulated bool
	// Plain leaves out the passes that compute what they can when a program is compiled: for tests, whose programs are
	// often made of constants. Only the emulator takes it.
	Plain bool
	// NoAutotune has nothing timed: products and convolutions are done as the libraries first choose. Otherwise the first
	// compilation of one tries several ways, and what was found is kept in the user's cache folder.
	NoAutotune bool
	// HostControl has the host decide on loops and branches, as with older drivers: for profilers and checkers of memory
	// that do not see into the conditional nodes of a graph, such as NVIDIA's compute-sanitizer.
	HostControl bool
	// TF32 lets dots and convolutions round operands of f32 to TF32, 10 bits of fraction, for tensor cores, where the
	// precision of each operand is the default and no algorithm is asked for. Sums are f32. Otherwise f32 is f32.
	TF32 bool
	// Cache is a folder for compiled kernels, which are loaded from there, and for how products are done: nobody else may
	// write into it. "" is two in the user's cache folder, or none if that is not safe; the emulator has its own.
	Cache string
}

// AllDevices is the number of Devices that takes all there are.
const AllDevices = -1

// Info is what a backend runs on, for reports: the first device.
type Info struct {
	// Name is the device's, Arch its architecture as compilers call it: sm_90.
	Name, Arch string
	// Device is the device's number.
	Device int
	// Memory is the device's in bytes.
	Memory int64
	// Driver is the newest version of CUDA that the driver serves, 12040 for 12.4, DriverPath its file.
	Driver     int
	DriverPath string
	// NVRTC is the compiler's version, as the driver's, NVRTCPath its file.
	NVRTC     int
	NVRTCPath string
	// BLAS is the file of the library of matrix products, or why there is none and kernels do them.
	BLAS string
	// BLASLt is the file of the library of products with a bias, or why there is none and a kernel adds it.
	BLASLt string
	// Solver is the file of the library of factorizations and decompositions, or why there is none; kernels and the host
	// do them then.
	Solver string
	// FFT is the file of the library of Fourier transforms, or why there is none and kernels do them.
	FFT string
	// DNN is the file of the library of convolutions, or why there is none and kernels do them.
	DNN string
}

// Runs says what runs op: "cuda" for kernels, "exec" for what needs none, "reference" for the rest, which is refused
// unless the reference is allowed.
func Runs(op hlo.Opcode) string {
	switch {
	case emit.Has(op):
		return "cuda"
	case exec.Owns(op):
		return "exec"
	}
	return "reference"
}

// passes is the pipeline of this backend.
func passes(plain bool) []pass.Pass {
	if plain {
		return []pass.Pass{pass.Layout(), pass.Inline(), pass.DCE(), pass.ExpandBatchNorm(), pass.Tuples(), pass.DCE(),
			pass.Fuse(emit.Fusible())}
	}
	return []pass.Pass{
		pass.Layout(),
		pass.Inline(),
		pass.DCE(),
		pass.ExpandBatchNorm(),
		pass.Clean("clean"),
		pass.Unroll(),
		pass.Counters(),
		pass.Clean("unrolled"),
		pass.Hoist(),
		pass.Clean("tidy"),
		pass.Fuse(emit.Fusible()),
	}
}

// passOrder says which passes must come before which others, and why.
var passOrder = []pass.Order{
	{Before: "layout", After: "clean", Because: "bitcasts between layouts are nothing that rules know"},
	{Before: "inline", After: "clean", Because: "rules and common values do not reach through calls"},
	{Before: "batchnorm", After: "clean", Because: "its factors are made of constants and are common to its uses"},
	{Before: "clean", After: "unroll", Because: "rounds can be counted when the state has been taken apart"},
	{Before: "unroll", After: "unrolled", Because: "what counts rounds has become constant"},
	{Before: "clean", After: "counters", Because: "rounds can be counted when the state has been taken apart"},
	{Before: "counters", After: "unrolled", Because: "what constants choose goes, and so do counts that nobody reads"},
	{Before: "unrolled", After: "hoist", Because: "a loop that is gone has nothing to hoist out of"},
	{Before: "clean", After: "hoist", Because: "what stays the same in a loop shows when its state has been taken apart"},
	{Before: "tidy", After: "fuse", Because: "inside a fusion nothing is simplified any more"},
}
