package cuda

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/halo-xla/halo/cgo/cuda/find"
	"github.com/halo-xla/halo/cgo/nvrtc"
	"github.com/halo-xla/halo/internal/testfile"
)

// TestKernels compiles the sources of the folder $HALO_KERNELS with NVRTC for the architectures of $HALO_ARCHS, by
// default one, and reports kernels that spill registers or use local memory, each of which must have a reason.
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
	for _, arch := range archs {
		all := &ptxas{arch: arch}
		t.Run(arch, func(t *testing.T) {
			for _, file := range files {
				t.Run(filepath.Base(file), func(t *testing.T) {
					t.Parallel()
					all.compile(t, c, file)
				})
			}
		})
		t.Logf("%s: %d kernels, %d with a stack, %d bytes spilled", arch, all.kernels, all.stacks,
			all.spilled)
	}
}

// ptxas is what the assembler has said of kernels.
type ptxas struct {
	arch                     string
	mu                       sync.Mutex
	kernels, stacks, spilled int
}

func (p *ptxas) compile(t *testing.T, c *nvrtc.Compiler, file string) {
	source, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	program, err := c.Compile(string(source), filepath.Base(file), nvrtc.Options{Arch: p.arch, Verbose: true})
	if err != nil {
		t.Fatalf("%s for %s: %.3000v", file, p.arch, err)
	}
	p.report(t, string(source), program.Log)
}

var (
	properties = regexp.MustCompile(`Function properties for (\S+)\s+[^\d]*(\d+) bytes stack frame, (\d+) bytes spill stores`)
	// NVIDIA's sine and cosine keep the reduction of large angles in local memory; functions of complex numbers have
	// both. Around these calls, and those for the rare cases of quotients and roots, a few registers may be saved.
	angles = regexp.MustCompile(`\bx_(sin|cos|tan)\(|\bc(64|128)\b(?s:.*)\bx_(exp|pow|sinh|cosh|tanh|expm1)\(`)
	rare   = regexp.MustCompile(`\b(x_(div|sqrt|rsqrt)|root_of_one)\(`) // roots of one have a quotient, too
)

// mostSaved is how many bytes of registers may be saved around calls.
const mostSaved = 16

// reasonable reports whether a kernel has a reason for bytes of stack, some of which are spilled registers.
func reasonable(text string, stack, spilled int) bool {
	return spilled <= mostSaved && (angles.MatchString(text) || stack <= mostSaved && rare.MatchString(text))
}

// report lists the kernels that need a stack, of which there must be none without a reason.
func (p *ptxas) report(t *testing.T, source, log string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, m := range properties.FindAllStringSubmatch(log, -1) {
		p.kernels++
		stack, spilled := atoi(m[2]), atoi(m[3])
		if stack+spilled == 0 {
			continue
		}
		p.stacks++
		p.spilled += spilled
		said := fmt.Sprintf("%s: %s: %d bytes of stack, %d bytes spilled", p.arch, m[1], stack, spilled)
		if _, text, _ := strings.Cut(source, " "+m[1]+"("); !reasonable(ending(text), stack, spilled) {
			t.Errorf("%s, without a reason", said)
		} else {
			t.Log(said)
		}
	}
}

// ending is a kernel's text up to the next one.
func ending(text string) string {
	text, _, _ = strings.Cut(text, "\nextern \"C\" __global__")
	return text
}

func atoi(s string) int {
	n, _ := strconv.Atoi(s)
	return n
}
