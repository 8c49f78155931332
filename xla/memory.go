package xla

import (
	"math"
	"os"
	"strconv"
	"strings"
)

// unknownMemory is taken for a machine that does not say what it has: 8 GiB.
const unknownMemory = 8 << 30

// defaultMemoryLimit is three quarters of the bytes that this process may have.
func defaultMemoryLimit() int64 {
	n := min(machineMemory("/proc/meminfo"), groupMemory("/sys/fs/cgroup/memory.max"),
		groupMemory("/sys/fs/cgroup/memory/memory.limit_in_bytes"))
	if n == math.MaxInt64 {
		n = unknownMemory
	}
	return n / 4 * 3
}

// machineMemory reads the MemTotal line of a meminfo file, in bytes; MaxInt64 if there is none.
func machineMemory(path string) int64 {
	b, err := os.ReadFile(path)
	if err != nil {
		return math.MaxInt64
	}
	for line := range strings.Lines(string(b)) {
		f := strings.Fields(line)
		if len(f) == 3 && f[0] == "MemTotal:" && f[2] == "kB" {
			if kb, err := strconv.ParseInt(f[1], 10, 64); err == nil {
				return kb << 10
			}
		}
	}
	return math.MaxInt64
}

// groupMemory reads a control group's limit in bytes; MaxInt64 if there is none.
func groupMemory(path string) int64 {
	b, err := os.ReadFile(path)
	if err != nil {
		return math.MaxInt64
	}
	n, err := strconv.ParseInt(strings.TrimSpace(string(b)), 10, 64)
	if err != nil || n <= 0 {
		return math.MaxInt64
	}
	return n
}
