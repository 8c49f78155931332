package cuda

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/halo-xla/halo/cgo/cuda/find"
	"github.com/halo-xla/halo/cgo/nvrtc"
	"github.com/halo-xla/halo/internal/testfile"
)

// TestKernels compiles the sources of the folder $HALO_KERNELS with NVRTC for the architectures of $HALO_ARCHS, by
// default one, and reports kernels that spill registers or use local memory.
func TestKernels(t *testing.T) {
	folder := os.Getenv("HALO_KERNELS")
	if folder == "" {
		testfile.Library(t, "kernels", errors.New("HALO_KERNELS names no folder of sources"))
	}
	kit, err := find.System().Toolkit(0)
	if err != nil {
		testfile.Library(t, "nvrtc", err)
	}
	c, err := nvrtc.Open(kit.NVRTC())
	if err != nil {
		t.Fatal(err)
	}
	archs := strings.Fields(os.Getenv("HALO_ARCHS"))
	if len(archs) == 0 {
		archs = []string{"sm_90"}
	}
	files, err := filepath.Glob(filepath.Join(folder, "*.cu"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, arch := range archs {
			p, err := c.Compile(string(source), filepath.Base(file), nvrtc.Options{Arch: arch, Verbose: true})
			if err != nil {
				t.Errorf("%s for %s: %.3000v", file, arch, err)
				continue
			}
			report(t, arch, p.Log)
		}
	}
}

var properties = regexp.MustCompile(`Function properties for (\S+)\s+[^\d]*(\d+) bytes stack frame, (\d+) bytes spill stores`)

// report lists the kernels that need a stack.
func report(t *testing.T, arch, log string) {
	all, stack := 0, 0
	for _, m := range properties.FindAllStringSubmatch(log, -1) {
		all++
		if n, _ := strconv.Atoi(m[2]); n > 0 {
			stack++
			t.Logf("%s: %s: %s bytes of stack, %s bytes spilled", arch, m[1], m[2], m[3])
		}
	}
	t.Logf("%s: %d kernels, %d with a stack", arch, all, stack)
}
