package testfile

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// Conformance returns the folder of programs with answers of other implementations, $HALO_CONFORMANCE. Without one it
// skips the test, or fails it if $HALO_NEED, a list with commas, has "conformance".
func Conformance(t testing.TB) string {
	t.Helper()
	dir := os.Getenv("HALO_CONFORMANCE")
	if dir == "" && slices.Contains(strings.Split(os.Getenv("HALO_NEED"), ","), "conformance") {
		t.Fatal("HALO_CONFORMANCE is not set, and HALO_NEED names conformance")
	}
	if dir == "" {
		t.Skip("HALO_CONFORMANCE is not set")
	}
	return dir
}
