//go:build cgo && linux

package cufft_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/halo-xla/halo/cgo/cuda/find"
	"github.com/halo-xla/halo/cgo/cufft"
	"github.com/halo-xla/halo/cgo/dl"
	"github.com/halo-xla/halo/internal/testfile"
)

func ExampleError() {
	fmt.Println(&cufft.Error{Call: "cufftExec", Name: "CUFFT_EXEC_FAILED", Status: 6})
	// Output: cufft: cufftExec: CUFFT_EXEC_FAILED
}

// TestLibrary opens NVIDIA's library.
func TestLibrary(t *testing.T) {
	kit, err := find.System().Toolkit(0)
	testfile.Library(t, "cufft", err)
	lib, err := kit.Open("cufft")
	testfile.Library(t, "cufft", err)
	l, err := cufft.Open(lib)
	if err != nil || l.Path() != lib.Path() {
		t.Fatalf("got %v, %v", l, err)
	}
	if want := fmt.Sprintf("%d.", kit.Major-1); !strings.HasPrefix(l.Version(), want) {
		t.Errorf("version %s of CUDA %d, want %s", l.Version(), kit.Major, want)
	}
}

// TestAnotherLibrary wants what a library lacks that is not cuFFT.
func TestAnotherLibrary(t *testing.T) {
	lib, err := dl.Open("c", "libc.so.6")
	testfile.Library(t, "dl", err)
	_, err = cufft.Open(lib)
	if !errors.Is(err, errors.ErrUnsupported) || !strings.Contains(err.Error(), "lacks cufftGetVersion") {
		t.Errorf("got %v", err)
	}
}

// TestUnsupported wants told apart what the library does not do and what has failed.
func TestUnsupported(t *testing.T) {
	for status, want := range map[int]bool{4: false, 5: false, 8: true, 16: true} {
		if got := errors.Is(&cufft.Error{Status: status}, errors.ErrUnsupported); got != want {
			t.Errorf("status %d: got %v", status, got)
		}
	}
}
