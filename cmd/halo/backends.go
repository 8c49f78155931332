package main

import (
	"slices"
	"strings"

	"github.com/halo-xla/halo/xla"
)

// backends are the backends by the name that --backend gives.
var backends = map[string]func() xla.Backend{
	"reference": xla.Reference,
}

// planned are names that the command line knows and this build does not have.
var planned = []string{"cpu", "cuda", "cuda-emu"}

func newBackend(name string) (xla.Backend, error) {
	if b, ok := backends[name]; ok {
		return b(), nil
	}
	if slices.Contains(planned, name) {
		return nil, exitf(exitMissing, "backend %s is not in this build, want reference", name)
	}
	return nil, exitf(exitUsage, "unknown backend %q, want one of reference, %s", name, strings.Join(planned, ", "))
}
