package main

import (
	"context"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/halo-xla/halo/cgo/crash"
	"github.com/halo-xla/halo/customcall"
	"github.com/halo-xla/halo/internal/testfile"
)

func TestMain(m *testing.M) {
	customcall.ServeIsolated()
	os.Exit(m.Run())
}

// Both ways to run a function in a process of its own give the same answers and errors.
func TestIsolated(t *testing.T) {
	testfile.Native(t, crash.Available)
	_, err := exec.LookPath("cc")
	testfile.Library(t, "cc", err)
	helper, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, program := range []string{"", helper} {
		var out strings.Builder
		if err := run(context.Background(), &out, program); err != nil {
			t.Fatal(err)
		}
		want := regexp.MustCompile(`^4: 0.25
-1: .* died of SIGSEGV at address 0x10
5: 0.2
0: .* died of SIGABRT
8: 0.125
1000: .* did not answer within 1s and was ended
10: 0.1
$`)
		if !want.MatchString(out.String()) {
			t.Errorf("helper %q: got\n%s", program, &out)
		}
	}
}
