//go:build cgo && linux

package cudnn_test

import (
	"errors"
	"fmt"
	"os"
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

// packed is an array of sizes, with features last or space.
func packed(of cudnn.Type, last bool, dims ...int64) cudnn.Tensor {
	t := cudnn.Tensor{Type: of}
	order := []int{3, 2, 1, 0}
	if last {
		order = []int{1, 3, 2, 0}
	}
	step := int64(1)
	for _, d := range order {
		t.Dims[d], t.Strides[d] = dims[d], step
		step *= dims[d]
	}
	return t
}

// described are convolutions that the library must take: three kinds in each type and either order of dimensions, one
// with a bias, and two with a sum.
func described() (list []cudnn.Convolution) {
	for _, of := range []cudnn.Type{cudnn.F32, cudnn.F16, cudnn.BF16, cudnn.F64} {
		for kind := cudnn.Forward; kind <= cudnn.BackwardFilter; kind++ {
			for _, last := range []bool{true, false} {
				c := cudnn.Convolution{Kind: kind, Space: 2, X: packed(of, last, 8, 64, 56, 56),
					W: packed(of, last, 32, 64, 3, 3), Y: packed(of, last, 8, 32, 28, 28), Sum: cudnn.F32,
					Stride: [3]int64{2, 2}, Dilation: [3]int64{1, 1}, Pre: [3]int64{1, 1}, Post: [3]int64{1, 1}}
				if of == cudnn.F64 {
					c.Sum = of
				}
				list = append(list, c)
			}
		}
	}
	biased := list[0]
	biased.Bias = true
	sum := biased
	sum.Added = true
	other := list[1] // space last
	other.Added, other.Bias = true, true
	return append(list, biased, sum, other)
}

// TestDescribed wants ways to do convolutions by NVIDIA's library for a device that is not there, one as large as an
// H100: the library itself checks descriptors and attributes, and says which ways it has.
func TestDescribed(t *testing.T) {
	kit, err := find.System().Toolkit(0)
	testfile.Library(t, "cudnn", err)
	lib, err := kit.Open("cudnn")
	testfile.Library(t, "cudnn", err)
	l, err := cudnn.Open(lib, kit.Major)
	testfile.Library(t, "cudnn", err)
	device, err := os.ReadFile("../../testdata/cudnn/device.json")
	if err != nil {
		t.Fatal(err)
	}
	h, err := l.Described(string(device))
	testfile.Library(t, "cudnn", err) // versions before 9.8 know none
	for _, c := range described() {
		for _, c.TF32 = range []bool{false, true} {
			takeWays(t, h, c)
		}
	}
	if err := h.Close(); err != nil {
		t.Error(err)
	}
}

// takeWays wants a convolution done in each of the ways that are listed for it, and f32 rounded in none if that is not
// allowed.
func takeWays(t *testing.T, h *cudnn.Handle, c cudnn.Convolution) {
	t.Helper()
	const most = 256 << 20
	call, err := h.Convolution(c)
	if err != nil {
		t.Errorf("%+v: %v", c, err)
		return
	}
	defer call.Close()
	ways, err := call.Ways(most, 8)
	if err != nil {
		t.Errorf("%+v: %v", c, err)
	}
	for _, w := range ways {
		if err := call.Take(w, most); err != nil || call.Work != w.Work {
			t.Errorf("%+v: way %+v: %v", c, w, err)
		}
		if w.Rounds() && c.X.Type == cudnn.F32 && !c.TF32 {
			t.Errorf("%+v: way %+v rounds", c, w)
		}
	}
	for _, w := range []cudnn.Way{{Mode: 3, Index: 1000}, {Mode: 3, Index: -1}, {Mode: 3, Engine: -5}} {
		if err := call.Take(w, most); !errors.Is(err, errors.ErrUnsupported) {
			t.Errorf("%+v: way %+v: got %v", c, w, err)
		}
	}
}
