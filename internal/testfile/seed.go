package testfile

import (
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
)

// Seed returns what a test's random numbers begin with, and logs it: always 1, so that a run can be repeated, unless
// $HALO_SEED is another number, or "random".
func Seed(t testing.TB) uint64 {
	t.Helper()
	text, seed := os.Getenv("HALO_SEED"), uint64(1)
	if text == "random" {
		seed = rand.Uint64()
	} else if text != "" {
		n, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			t.Fatalf("HALO_SEED: got %q, want a number or random", text)
		}
		seed = n
	}
	t.Logf("seed %d", seed)
	return seed
}
