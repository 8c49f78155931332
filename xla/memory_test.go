package xla

import (
	"math"
	"os"
	"path/filepath"
	"testing"
)

func TestMemoryOfTheMachine(t *testing.T) {
	dir := t.TempDir()
	cases := []struct {
		name, text string
		read       func(string) int64
		want       int64
	}{
		{"meminfo", "MemTotal:       1000 kB\nMemFree: 1 kB\n", machineMemory, 1000 << 10},
		{"meminfo", "nothing", machineMemory, math.MaxInt64},
		{"memory.max", "4096\n", groupMemory, 4096},
		{"memory.max", "max\n", groupMemory, math.MaxInt64},
		{"memory.max", "0\n", groupMemory, math.MaxInt64},
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
	if got := machineMemory(filepath.Join(dir, "absent")); got != math.MaxInt64 {
		t.Errorf("without a file: got %d, want no limit", got)
	}
	if got := defaultMemoryLimit(); got <= 0 || got == math.MaxInt64/4*3 {
		t.Errorf("got the limit %d, want that of this machine", got)
	}
}
