package main

import (
	"slices"
	"strings"

	"github.com/halo-xla/halo/backend/cpu"
	"github.com/halo-xla/halo/xla"
)

// backends are the backends by the name that --backend gives; threads is 0 for as many as the process may use.
var backends = map[string]func(threads int) xla.Backend{
	"reference": func(int) xla.Backend { return xla.Reference() },
	"cpu":       func(threads int) xla.Backend { return cpu.New(cpu.Options{Threads: threads}) },
}

// planned are names that the command line knows and this build does not have.
var planned = []string{"cuda", "cuda-emu"}

func newBackend(name string, threads int) (xla.Backend, error) {
	if threads < 0 {
		return nil, exitf(exitUsage, "--threads: got %d, want a number above 0, or 0 for as many as there are", threads)
	}
	if b, ok := backends[name]; ok {
		return b(threads), nil
	}
	if slices.Contains(planned, name) {
		return nil, exitf(exitMissing, "backend %s is not in this build, want reference or cpu", name)
	}
	return nil, exitf(exitUsage, "unknown backend %q, want one of reference, cpu, %s", name, strings.Join(planned, ", "))
}
