package cpu_test

import (
	"fmt"
	"testing"

	"github.com/halo-xla/halo/backend/backendtest"
	"github.com/halo-xla/halo/backend/cpu"
)

// TestOps runs the cases of each operation with one thread and with three.
func TestOps(t *testing.T) {
	for _, threads := range []int{1, 3} {
		t.Run(fmt.Sprint(threads), func(t *testing.T) {
			backendtest.Ops(t, cpu.New(cpu.Options{Threads: threads}), "../../testdata/ops/*.hlo",
				backendtest.Options{AllowReference: true})
		})
	}
}

// TestRandomPrograms holds the backend to the reference.
func TestRandomPrograms(t *testing.T) {
	backendtest.Random(t, cpu.New(cpu.Options{Threads: 2}), backendtest.Options{Programs: 500, AllowReference: true})
}
