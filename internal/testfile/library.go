package testfile

import (
	"errors"
	"os"
	"slices"
	"strings"
	"testing"
)

// Library skips the test with the reason why a library could not be opened, or fails it if $HALO_NEED, a list with
// commas, has the library's name. It does nothing if err is nil.
func Library(t testing.TB, name string, err error) {
	t.Helper()
	if err == nil {
		return
	}
	if slices.Contains(strings.Split(os.Getenv("HALO_NEED"), ","), name) {
		t.Fatalf("HALO_NEED names %s: %v", name, err)
	}
	t.Skip(err)
}

// NoRace is Library for tests that the race detector hinders: $HALO_NEED calls them "norace".
func NoRace(t testing.TB, why string) {
	t.Helper()
	if raceDetector {
		Library(t, "norace", errors.New("the race detector: "+why))
	}
}

var errNoNative = errors.New("this build has no native kernels")

// Native is Library for the kernels in C, which builds without cgo lack: $HALO_NEED calls them "native".
func Native(t testing.TB, available bool) {
	t.Helper()
	if !available {
		Library(t, "native", errNoNative)
	}
}
