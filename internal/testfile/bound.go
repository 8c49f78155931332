package testfile

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"
)

// hang is how long a reader may take for a file of a fuzz target, which is small: more is taken for no end at all.
const hang = 30 * time.Second

// Bounded calls read, which reads n bytes, and fails t if it allocates more than a few megabytes and each bytes of
// memory for each of the n, or takes very long. What others allocate meanwhile does not count: then it reads again.
func Bounded(t testing.TB, n, each int, read func()) {
	t.Helper()
	limit := 4<<20 + uint64(n)*uint64(each)
	used, took := measured(read)
	for range 2 {
		if used > limit {
			again, _ := measured(read)
			used = min(used, again)
		}
	}
	if used > limit {
		t.Errorf("%d bytes took %d bytes of memory, want at most %d for each", n, used, each)
	}
	if took > hang {
		t.Errorf("%d bytes took %v", n, took)
	}
}

// measured returns what the process allocated during f, and how long that took.
func measured(f func()) (bytes uint64, took time.Duration) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	start := time.Now()
	f()
	took = time.Since(start)
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc, took
}

// Seeds adds the files of a pattern to a fuzz target, and fails it if there are none.
func Seeds(f *testing.F, patterns ...string) {
	f.Helper()
	for _, pattern := range patterns {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			f.Fatalf("no file is called %s (%v)", pattern, err)
		}
		for _, file := range files {
			b, err := os.ReadFile(file)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(b)
		}
	}
}
