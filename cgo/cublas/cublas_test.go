//go:build cgo && linux

package cublas_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/halo-xla/halo/cgo/cublas"
	"github.com/halo-xla/halo/cgo/cuda/find"
	"github.com/halo-xla/halo/cgo/dl"
	"github.com/halo-xla/halo/internal/testfile"
)

func ExampleError() {
	fmt.Println(&cublas.Error{Call: "cublasCreate", Name: "CUBLAS_STATUS_NOT_INITIALIZED", Status: 1})
	// Output: cublas: cublasCreate: CUBLAS_STATUS_NOT_INITIALIZED
}

// TestUnsupported wants told apart what the library does not do and what has failed.
func TestUnsupported(t *testing.T) {
	for status, want := range map[int]bool{1: false, 7: false, 8: true, 13: false, 15: true} {
		if got := errors.Is(&cublas.Error{Status: status}, errors.ErrUnsupported); got != want {
			t.Errorf("status %d: got %v", status, got)
		}
	}
}

// TestLibrary opens NVIDIA's library.
func TestLibrary(t *testing.T) {
	kit, err := find.System().Toolkit(0)
	testfile.Library(t, "cublas", err)
	lib, err := kit.Open("cublas")
	testfile.Library(t, "cublas", err)
	if l, err := cublas.Open(lib); err != nil || l.Path() != lib.Path() {
		t.Errorf("got %v, %v", l, err)
	}
}

// TestAnotherLibrary wants what a library lacks that is not cuBLAS.
func TestAnotherLibrary(t *testing.T) {
	lib, err := dl.Open("c", "libc.so.6")
	testfile.Library(t, "dl", err)
	_, err = cublas.Open(lib)
	if !errors.Is(err, errors.ErrUnsupported) || !strings.Contains(err.Error(), "lacks cublasCreate_v2") {
		t.Errorf("got %v", err)
	}
}
