//go:build cgo && linux

package cublaslt_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/halo-xla/halo/cgo/cublaslt"
	"github.com/halo-xla/halo/cgo/cuda/find"
	"github.com/halo-xla/halo/cgo/dl"
	"github.com/halo-xla/halo/internal/testfile"
)

func ExampleError() {
	fmt.Println(&cublaslt.Error{Call: "cublasLtMatmul", Name: "CUBLAS_STATUS_EXECUTION_FAILED", Status: 13})
	// Output: cublasLt: cublasLtMatmul: CUBLAS_STATUS_EXECUTION_FAILED
}

// TestLibrary opens NVIDIA's library.
func TestLibrary(t *testing.T) {
	kit, err := find.System().Toolkit(0)
	testfile.Library(t, "cublasLt", err)
	lib, err := kit.Open("cublasLt")
	testfile.Library(t, "cublasLt", err)
	l, err := cublaslt.Open(lib)
	if err != nil || l.Path() != lib.Path() {
		t.Fatalf("got %v, %v", l, err)
	}
	if want := fmt.Sprintf("%d.", kit.Major); !strings.HasPrefix(l.Version(), want) {
		t.Errorf("version %s of CUDA %d, want %s", l.Version(), kit.Major, want)
	}
}

// TestAnotherLibrary wants what a library lacks that is not cuBLASLt.
func TestAnotherLibrary(t *testing.T) {
	lib, err := dl.Open("c", "libc.so.6")
	testfile.Library(t, "dl", err)
	_, err = cublaslt.Open(lib)
	if !errors.Is(err, errors.ErrUnsupported) || !strings.Contains(err.Error(), "lacks cublasLtGetVersion") {
		t.Errorf("got %v", err)
	}
}

// TestUnsupported wants told apart what the library does not do and what has failed.
func TestUnsupported(t *testing.T) {
	for e, want := range map[cublaslt.Error]bool{
		{Status: 3}: false, {Status: 7}: false, {Status: 8}: false, {Status: 13}: false, {Status: 15}: true,
		{Call: "cublasLtMatmulAlgoCheck", Status: 7}: true, {Call: "cublasLtMatmulAlgoCheck", Status: 8}: true,
		{Call: "cublasLtMatmulAlgoCheck", Status: 13}: false,
	} {
		if got := errors.Is(&e, errors.ErrUnsupported); got != want {
			t.Errorf("%+v: got %v", e, got)
		}
	}
}
