package main

import (
	"errors"
	"flag"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/halo-xla/halo/backend/cpu"
	"github.com/halo-xla/halo/backend/cuda"
	"github.com/halo-xla/halo/xla"
	"github.com/halo-xla/halo/xla/collective/mpi"
)

// hardware is what a backend may use: so many threads, 0 for as many as the process may, and on a GPU TF32 for f32.
type hardware struct {
	threads int
	tf32    bool
}

// usual is what a backend may use where no flag says it.
func usual() hardware { return hardware{tf32: os.Getenv("HALO_CUDA_TF32") == "1"} }

// flagTF32 adds the flag, which goes before the variable.
func (h *hardware) flagTF32(fl *flag.FlagSet, usage string) {
	fl.BoolVar(&h.tf32, "tf32", usual().tf32, usage)
}

// backends are the backends by the name that --backend gives.
var backends = map[string]func(hardware) (xla.Backend, error){
	"reference": func(hardware) (xla.Backend, error) { return xla.Reference(), nil },
	"cpu":       func(h hardware) (xla.Backend, error) { return cpu.New(cpu.Options{Threads: h.threads}), nil },
	"cuda":      gpu(false),
	"cuda-emu":  gpu(true),
}

// gpu opens the devices when they are first asked for, once.
func gpu(emulated bool) func(hardware) (xla.Backend, error) {
	open := func(tf32 bool) func() (xla.Backend, error) {
		return sync.OnceValues(func() (xla.Backend, error) { return openGPU(emulated, tf32) })
	}
	exact, rounding := open(false), open(true)
	return func(h hardware) (xla.Backend, error) {
		if h.tf32 {
			return rounding()
		}
		return exact()
	}
}

// openGPU opens the devices of this process: ranks have one each, in turns.
func openGPU(emulated, tf32 bool) (xla.Backend, error) {
	o := cuda.Options{Emulated: emulated, Plain: emulated && os.Getenv("HALO_CUDA_EMU_PLAIN") == "1", TF32: tf32,
		NoAutotune: os.Getenv("HALO_CUDA_AUTOTUNE") == "0", HostControl: os.Getenv("HALO_CUDA_HOST_CONTROL") == "1"}
	if mpi.Launched() {
		o.Rank = mpi.LocalRank()
	} else if emulated {
		o.Devices = cuda.AllDevices
	}
	return cuda.New(o)
}

func newBackend(name string, h hardware) (xla.Backend, error) {
	if h.threads < 0 || h.threads > cpu.MaxThreads {
		return nil, exitf(exitUsage, "--threads: got %d, want 1 to %d, or 0 for as many as there are", h.threads,
			cpu.MaxThreads)
	}
	b, ok := backends[name]
	if !ok {
		names := slices.Sorted(maps.Keys(backends))
		return nil, exitf(exitUsage, "unknown backend %q, want one of %s", name, strings.Join(names, ", "))
	}
	backend, err := b(h)
	if errors.Is(err, errors.ErrUnsupported) {
		return nil, exitf(exitMissing, "backend %s: %w", name, err)
	}
	return backend, err
}
