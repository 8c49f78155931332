package cublas_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/halo-xla/halo/cgo/cublas"
	"github.com/halo-xla/halo/cgo/cuda/find"
)

// The library is found, or a sentence says where it was looked for.
func Example() {
	kit, err := find.System().Toolkit(0)
	if err != nil {
		fmt.Println(errors.Is(err, errors.ErrUnsupported))
		return
	}
	lib, err := kit.Open("cublas")
	if err == nil {
		_, err = cublas.Open(lib)
	}
	fmt.Println(err == nil || errors.Is(err, errors.ErrUnsupported))
	// Output: true
}

func TestError(t *testing.T) {
	err := &cublas.Error{Call: "cublasCreate", Name: "CUBLAS_STATUS_NOT_INITIALIZED", Status: 1}
	if got, want := err.Error(), "cublas: cublasCreate: CUBLAS_STATUS_NOT_INITIALIZED"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
