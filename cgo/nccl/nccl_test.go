//go:build cgo && linux

package nccl_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/halo-xla/halo/cgo/cuda/find"
	"github.com/halo-xla/halo/cgo/dl"
	"github.com/halo-xla/halo/cgo/nccl"
	"github.com/halo-xla/halo/internal/testfile"
)

func ExampleError() {
	err := error(&nccl.Error{Call: "ncclSend", Status: nccl.RemoteError, Text: "the other side is gone"})
	fmt.Println(err, errors.Is(err, &nccl.Error{Status: nccl.RemoteError}))
	// Output: nccl: ncclSend: ncclRemoteError: the other side is gone true
}

// TestLibrary opens NVIDIA's library, which makes ids without a GPU.
func TestLibrary(t *testing.T) {
	kit, err := find.System().Toolkit(0)
	testfile.Library(t, "nccl", err)
	lib, err := kit.Open("nccl")
	testfile.Library(t, "nccl", err)
	l, err := nccl.Open(lib)
	if err != nil || l.Path() != lib.Path() || l.Version() == "0.0.0" {
		t.Fatalf("got %v, %v", l, err)
	}
	a, err := l.NewID()
	b, again := l.NewID()
	if err != nil || again != nil || a == b {
		t.Errorf("two ids: %v, %v, the same: %v", err, again, a == b)
	}
}

// TestAnotherLibrary wants what a library lacks that is not NCCL.
func TestAnotherLibrary(t *testing.T) {
	lib, err := dl.Open("c", "libc.so.6")
	testfile.Library(t, "dl", err)
	_, err = nccl.Open(lib)
	if !errors.Is(err, errors.ErrUnsupported) || !strings.Contains(err.Error(), "lacks ncclGetVersion, want version 2.14.0") {
		t.Errorf("got %v", err)
	}
}

func TestStatus(t *testing.T) {
	if err := fmt.Errorf("here: %w", &nccl.Error{Status: nccl.RemoteError}); !errors.Is(err,
		&nccl.Error{Status: nccl.RemoteError}) || errors.Is(err, &nccl.Error{Status: nccl.SystemError}) {
		t.Error("is no error with ncclRemoteError, or one with another")
	}
	for status, want := range map[nccl.Status]string{0: "ncclSuccess", 7: "ncclInProgress", 8: "ncclTimeout", 9: "status 9",
		-1: "status -1"} {
		if status.String() != want {
			t.Errorf("got %s, want %s", status, want)
		}
	}
}
