package cuda_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/halo-xla/halo/cgo/cuda"
	"github.com/halo-xla/halo/cgo/cuda/find"
)

// Without a driver there is a sentence, with one a version.
func Example() {
	lib, err := find.System().Driver()
	if err == nil {
		_, err = cuda.Open(lib)
	}
	var status *cuda.Error
	fmt.Println(err == nil || errors.Is(err, errors.ErrUnsupported) || errors.As(err, &status))
	// Output: true
}

func TestError(t *testing.T) {
	err := error(&cuda.Error{Call: "cuMemAlloc", Name: "CUDA_ERROR_OUT_OF_MEMORY", Text: "out of memory", Status: 2})
	if want := "cuda: cuMemAlloc: CUDA_ERROR_OUT_OF_MEMORY: out of memory"; err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	if !errors.Is(fmt.Errorf("here: %w", err), cuda.ErrOutOfMemory) {
		t.Error("is not ErrOutOfMemory")
	}
	if (&cuda.Error{Status: 2}).Lost() || !(&cuda.Error{Status: 700}).Lost() {
		t.Error("out of memory loses the device, or an illegal address does not")
	}
}
