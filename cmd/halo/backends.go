package main

import (
	"errors"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/halo-xla/halo/backend/cpu"
	"github.com/halo-xla/halo/backend/cuda"
	"github.com/halo-xla/halo/xla"
	"github.com/halo-xla/halo/xla/collective/mpi"
)

// backends are the backends by the name that --backend gives; threads is 0 for as many as the process may use.
var backends = map[string]func(threads int) (xla.Backend, error){
	"reference": func(int) (xla.Backend, error) { return xla.Reference(), nil },
	"cpu":       func(threads int) (xla.Backend, error) { return cpu.New(cpu.Options{Threads: threads}), nil },
	"cuda":      gpu(false),
	"cuda-emu":  gpu(true),
}

// gpu opens the devices when they are first asked for, once: ranks have one each, in turns.
func gpu(emulated bool) func(int) (xla.Backend, error) {
	once := sync.OnceValues(func() (xla.Backend, error) {
		plain := emulated && os.Getenv("HALO_CUDA_EMU_PLAIN") == "1"
		o := cuda.Options{Emulated: emulated, Plain: plain, NoAutotune: os.Getenv("HALO_CUDA_AUTOTUNE") == "0",
			TF32:        os.Getenv("HALO_CUDA_TF32") == "1",
			HostControl: os.Getenv("HALO_CUDA_HOST_CONTROL") == "1"}
		if mpi.Launched() {
			o.Rank = mpi.LocalRank()
		} else if emulated {
			o.Devices = cuda.AllDevices
		}
		return cuda.New(o)
	})
	return func(int) (xla.Backend, error) { return once() }
}

// allowTF32 is the flag that says what the variable says, and goes before it.
func allowTF32(v string) error {
	allowed, err := strconv.ParseBool(v)
	if err != nil {
		return err
	}
	return os.Setenv("HALO_CUDA_TF32", map[bool]string{false: "0", true: "1"}[allowed])
}

func newBackend(name string, threads int) (xla.Backend, error) {
	if threads < 0 || threads > cpu.MaxThreads {
		return nil, exitf(exitUsage, "--threads: got %d, want 1 to %d, or 0 for as many as there are", threads,
			cpu.MaxThreads)
	}
	b, ok := backends[name]
	if !ok {
		names := slices.Sorted(maps.Keys(backends))
		return nil, exitf(exitUsage, "unknown backend %q, want one of %s", name, strings.Join(names, ", "))
	}
	backend, err := b(threads)
	if errors.Is(err, errors.ErrUnsupported) {
		return nil, exitf(exitMissing, "backend %s: %w", name, err)
	}
	return backend, err
}
