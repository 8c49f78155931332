// Package cpu is the backend of the machine's processor: it lowers instructions to kernels in C and in Go and to calls
// of the vendor libraries that are installed.
package cpu

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"strconv"

	"github.com/halo-xla/halo/cgo/loops/run"
	"github.com/halo-xla/halo/customcall/lapack"
	"github.com/halo-xla/halo/xla/exec"
	"github.com/halo-xla/halo/xla/hlo"
)

// Options configure the backend. The zero value is useful.
type Options struct {
	// Threads is how many threads may work at once, for all executions together; below 1: what $HALO_THREADS says, or else
	// as many as the process may use by its affinity and its control group. More than MaxThreads are MaxThreads.
	Threads int
}

// MaxThreads is the most threads that the backend starts: each has memory of its own.
const MaxThreads = 4096

// New returns the backend.
func New(o Options) exec.Backend {
	m := &machine{threads: Threads(o.Threads)}
	if run.Available() {
		return exec.New(recorder{m})
	}
	return exec.New(m)
}

// Threads is the number of threads that an option of threads means: itself, or below 1 what $HALO_THREADS says, or as
// many as the process may use; at most MaxThreads.
func Threads(threads int) int {
	if threads > 0 {
		return min(threads, MaxThreads)
	}
	if n, err := strconv.Atoi(os.Getenv("HALO_THREADS")); err == nil && n > 0 {
		return min(n, MaxThreads)
	}
	return min(runtime.GOMAXPROCS(0), MaxThreads)
}

// Runs says what runs op: "exec" for what needs no kernel, "cpu" for kernels and libraries, "reference" for the rest.
func Runs(op hlo.Opcode) string {
	switch {
	case lowerings[op] != nil:
		return "cpu"
	case exec.Owns(op):
		return "exec"
	}
	return "reference"
}

// machine is the processor as exec sees it.
type machine struct{ threads int }

func (m *machine) Name() string { return "cpu" }

func (m *machine) Threads() int { return m.threads }

// Serving adds the targets of linear algebra to those of h.
func (m *machine) Serving(h hlo.Handlers) hlo.Handlers {
	if all, ok := h.(lapack.Handlers); ok {
		return all
	}
	return lapack.Handlers{User: h}
}

func (m *machine) Lower(l *exec.Lowering) (exec.Thunk, error) {
	f := lowerings[l.In.Op]
	if f == nil {
		return nil, fmt.Errorf("backend cpu has no kernel for %s: %w", l.In.Op, errors.ErrUnsupported)
	}
	return f(l)
}
