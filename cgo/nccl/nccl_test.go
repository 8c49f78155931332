package nccl_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/halo-xla/halo/cgo/cuda/find"
	"github.com/halo-xla/halo/cgo/nccl"
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
