//go:build cgo && linux

package nccl_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/halo-xla/halo/cgo/cuda/find"
	"github.com/halo-xla/halo/cgo/nccl"
	"github.com/halo-xla/halo/internal/testfile"
)

// Without NCCL there is a sentence, with one a version.
func Example() {
	kit, err := find.System().Toolkit(0)
	if err == nil {
		lib, failed := kit.Open("nccl")
		if err = failed; err == nil {
			_, err = nccl.Open(lib)
		}
	}
	fmt.Println(err == nil || errors.Is(err, errors.ErrUnsupported))
	// Output: true
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

func TestError(t *testing.T) {
	err := error(&nccl.Error{Call: "ncclSend", Status: nccl.RemoteError, Text: "the other side is gone"})
	if want := "nccl: ncclSend: ncclRemoteError: the other side is gone"; err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	if !errors.Is(fmt.Errorf("here: %w", err), &nccl.Error{Status: nccl.RemoteError}) {
		t.Error("is no error with ncclRemoteError")
	}
	for status, want := range map[nccl.Status]string{0: "ncclSuccess", 7: "ncclInProgress", 8: "ncclTimeout", 9: "status 9",
		-1: "status -1"} {
		if status.String() != want {
			t.Errorf("got %s, want %s", status, want)
		}
	}
}
