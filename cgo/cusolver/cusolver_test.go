//go:build cgo && linux

package cusolver_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/halo-xla/halo/cgo/cuda/find"
	"github.com/halo-xla/halo/cgo/cusolver"
	"github.com/halo-xla/halo/cgo/dl"
	"github.com/halo-xla/halo/internal/testfile"
)

func ExampleError() {
	fmt.Println(&cusolver.Error{Call: "potrf", Name: "CUSOLVER_STATUS_EXECUTION_FAILED", Status: 6})
	// Output: cusolver: potrf: CUSOLVER_STATUS_EXECUTION_FAILED
}

// TestLibrary opens NVIDIA's library.
func TestLibrary(t *testing.T) {
	kit, err := find.System().Toolkit(0)
	testfile.Library(t, "cusolver", err)
	lib, err := kit.Open("cusolver")
	testfile.Library(t, "cusolver", err)
	l, err := cusolver.Open(lib)
	if err != nil || l.Path() != lib.Path() {
		t.Fatalf("got %v, %v", l, err)
	}
	if want := fmt.Sprintf("%d.", kit.Major-1); !strings.HasPrefix(l.Version(), want) {
		t.Errorf("version %s of CUDA %d, want %s", l.Version(), kit.Major, want)
	}
}

// TestAnotherLibrary wants what a library lacks that is not cuSOLVER.
func TestAnotherLibrary(t *testing.T) {
	lib, err := dl.Open("c", "libc.so.6")
	testfile.Library(t, "dl", err)
	_, err = cusolver.Open(lib)
	if !errors.Is(err, errors.ErrUnsupported) || !strings.Contains(err.Error(), "lacks cusolverGetVersion") {
		t.Errorf("got %v", err)
	}
}

// TestUnsupported wants told apart what the library does not do and what has failed.
func TestUnsupported(t *testing.T) {
	for status, want := range map[int]bool{3: false, 7: false, 8: true, 9: true} {
		if got := errors.Is(&cusolver.Error{Status: status}, errors.ErrUnsupported); got != want {
			t.Errorf("status %d: got %v", status, got)
		}
	}
}

// TestProblems wants what the library does not do refused before it is asked.
func TestProblems(t *testing.T) {
	var h cusolver.Handle
	for _, p := range []cusolver.Problem{
		{Routine: cusolver.Potrf},
		{Routine: cusolver.Gesvd, M: 2, N: 3},
		{Routine: cusolver.Orgqr, M: 2, N: 3, K: 2},
		{Routine: cusolver.Orgqr, M: 3, N: 2, K: 3},
		{Routine: cusolver.Orgqr, M: 1 << 31, N: 1, K: 1},
	} {
		if _, err := h.Work(&p); !errors.Is(err, errors.ErrUnsupported) {
			t.Errorf("%+v: got %v", p, err)
		}
	}
}
