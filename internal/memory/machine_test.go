package memory

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestMachine(t *testing.T) {
	dir := t.TempDir()
	total := func(path string) int64 { return machine(path, "MemTotal:") }
	cases := []struct {
		name, text string
		read       func(string) int64
		want       int64
	}{
		{"meminfo", "MemTotal:       1000 kB\nMemFree: 1 kB\n", total, 1000 << 10},
		{"meminfo", "nothing", total, math.MaxInt64},
		{"memory.max", "4096\n", group, 4096},
		{"memory.max", "max\n", group, math.MaxInt64},
		{"memory.max", "0\n", group, math.MaxInt64},
	}
	for _, tc := range cases {
		path := filepath.Join(dir, tc.name)
		if err := os.WriteFile(path, []byte(tc.text), 0o666); err != nil {
			t.Fatal(err)
		}
		if got := tc.read(path); got != tc.want {
			t.Errorf("%s with %q: got %d, want %d", tc.name, tc.text, got, tc.want)
		}
	}
	if got := total(filepath.Join(dir, "absent")); got != math.MaxInt64 {
		t.Errorf("without a file: got %d, want no limit", got)
	}
	if n, free := Total(), Available(); n <= 0 || n == math.MaxInt64 || free <= 0 || free > n {
		t.Errorf("got %d bytes, %d of them free, want those of this machine", n, free)
	}
}

func TestCheck(t *testing.T) {
	if err := Check(small); err != nil {
		t.Error(err)
	}
	if err := Check(1 << 60); err == nil || !strings.Contains(err.Error(), "1152921504606846976 bytes do not fit") {
		t.Errorf("got %v, want that it does not fit", err)
	}
}
