package memory

import (
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
)

// unknown is taken for a machine that does not say what it has: 8 GiB.
const unknown = 8 << 30

// Total is how many bytes this process may have: those of the machine, or of its control group.
func Total() int64 { return within(machine("/proc/meminfo", "MemTotal:")) }

// Available is how many bytes this process may have that nobody uses now.
func Available() int64 { return within(machine("/proc/meminfo", "MemAvailable:")) }

func within(n int64) int64 {
	n = min(n, group("/sys/fs/cgroup/memory.max"), group("/sys/fs/cgroup/memory/memory.limit_in_bytes"))
	if n == math.MaxInt64 {
		return unknown
	}
	return n
}

// small is what is never asked about.
const small = 1 << 30

// Check fails if n bytes are more than are available. The language ends the process where it gets none.
func Check(n int64) error {
	if n <= small {
		return nil
	}
	if has := Available(); n > has {
		return fmt.Errorf("%d bytes do not fit in the memory of this machine, which has %d left", n, has)
	}
	return nil
}

// machine reads a line of a meminfo file, in bytes; MaxInt64 if there is none.
func machine(path, name string) int64 {
	b, err := os.ReadFile(path)
	if err != nil {
		return math.MaxInt64
	}
	for line := range strings.Lines(string(b)) {
		f := strings.Fields(line)
		if len(f) == 3 && f[0] == name && f[2] == "kB" {
			if kb, err := strconv.ParseInt(f[1], 10, 64); err == nil {
				return kb << 10
			}
		}
	}
	return math.MaxInt64
}

// group reads a control group's limit in bytes; MaxInt64 if there is none.
func group(path string) int64 {
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
