//go:build cgo && linux

package cudnn_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/halo-xla/halo/cgo/cuda/find"
	"github.com/halo-xla/halo/cgo/cudnn"
	"github.com/halo-xla/halo/cgo/dl"
	"github.com/halo-xla/halo/internal/testfile"
)

func ExampleError() {
	fmt.Println(&cudnn.Error{Call: "cudnnBackendExecute", Name: "CUDNN_STATUS_EXECUTION_FAILED", Status: 5000})
	// Output: cudnn: cudnnBackendExecute: CUDNN_STATUS_EXECUTION_FAILED
}

// TestLibrary opens NVIDIA's library.
func TestLibrary(t *testing.T) {
	kit, err := find.System().Toolkit(0)
	testfile.Library(t, "cudnn", err)
	lib, err := kit.Open("cudnn")
	testfile.Library(t, "cudnn", err)
	l, err := cudnn.Open(lib, kit.Major)
	if err != nil || l.Path() != lib.Path() || !strings.HasPrefix(l.Version(), "9.") {
		t.Fatalf("got %v, %v", l, err)
	}
	want := fmt.Sprintf("is for CUDA %d, want CUDA 14", kit.Major)
	if _, err := cudnn.Open(lib, 14); !errors.Is(err, errors.ErrUnsupported) || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v, want %q", err, want)
	}
}

// TestAnotherLibrary wants what a library lacks that is not cuDNN.
func TestAnotherLibrary(t *testing.T) {
	lib, err := dl.Open("c", "libc.so.6")
	testfile.Library(t, "dl", err)
	_, err = cudnn.Open(lib, 0)
	if !errors.Is(err, errors.ErrUnsupported) || !strings.Contains(err.Error(), "lacks cudnnGetVersion") {
		t.Errorf("got %v", err)
	}
}

// TestUnsupported wants told apart what the library does not do and what has failed.
func TestUnsupported(t *testing.T) {
	for status, want := range map[int]bool{1008: true, 2000: true, 3000: true, 3007: true, 4000: false, 5003: false} {
		if got := errors.Is(&cudnn.Error{Status: status}, errors.ErrUnsupported); got != want {
			t.Errorf("status %d: got %v", status, got)
		}
	}
}
