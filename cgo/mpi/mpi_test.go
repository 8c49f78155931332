package mpi_test

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/halo-xla/halo/cgo/mpi"
	"github.com/halo-xla/halo/internal/testfile"
)

// A process that no launcher has started is a job of its own.
func Example() {
	job, err := mpi.Start()
	if errors.Is(err, errors.ErrUnsupported) {
		fmt.Println("rank 0 of 1") // there is no MPI on this machine
		return
	}
	fmt.Println("rank", job.Rank, "of", job.Ranks)
	// Output: rank 0 of 1
}

// What to install is said where no library is found.
func TestFindSaysWhatToDo(t *testing.T) {
	t.Setenv("HALO_LIBS", "")
	err := mpi.Find("none")
	if !errors.Is(err, errors.ErrUnsupported) || !strings.Contains(err.Error(), "install Open MPI or MPICH") {
		t.Errorf("got %v, want what to install", err)
	}
}

func TestAllocSizes(t *testing.T) {
	testfile.Library(t, "mpi", mpi.Load())
	for _, n := range []int{-1, math.MaxInt32 + 1} {
		if _, err := mpi.Alloc(n); err == nil {
			t.Errorf("a message of %d bytes, want an error", n)
		}
	}
	m, err := mpi.Alloc(0)
	if err != nil || len(m.Bytes()) != 0 {
		t.Errorf("got %d bytes, %v, want none", len(m.Bytes()), err)
	}
	m.Free()
}
