package nvrtc_test

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/halo-xla/halo/cgo/cuda/find"
	"github.com/halo-xla/halo/cgo/nvrtc"
	"github.com/halo-xla/halo/internal/testfile"
)

// load opens the newest compiler of this machine, or skips the test.
func load(t *testing.T) *nvrtc.Compiler {
	t.Helper()
	kit, err := find.System().Toolkit(0)
	testfile.Library(t, "nvrtc", err)
	c, err := nvrtc.Open(kit.NVRTC())
	testfile.Library(t, "nvrtc", err)
	return c
}

// A compiler is found, or a sentence says where it was looked for.
func Example() {
	kit, err := find.System().Toolkit(0)
	if err != nil {
		fmt.Println(errors.Is(err, errors.ErrUnsupported))
		return
	}
	_, err = nvrtc.Open(kit.NVRTC())
	fmt.Println(err == nil)
	// Output: true
}

const source = `extern "C" __global__ void twice(float *x, long long n) {
  long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
  if (i < n) x[i] = 2 * x[i];
}`

func TestCompile(t *testing.T) {
	c := load(t)
	archs, err := c.Archs()
	if err != nil || len(archs) == 0 {
		t.Fatalf("architectures: got %v, %v", archs, err)
	}
	p, err := c.Compile(source, "twice.cu", nvrtc.Options{Arch: fmt.Sprintf("sm_%d", archs[0]), Verbose: true})
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.HasPrefix(p.CUBIN, []byte("\x7fELF")) || !bytes.Contains(p.PTX, []byte(".visible .entry twice")) {
		t.Errorf("got a cubin of %d bytes, PTX %.200s", len(p.CUBIN), p.PTX)
	}
	if !strings.Contains(p.Log, "registers") {
		t.Errorf("the assembler says nothing of registers: %q", p.Log)
	}
	p, err = c.Compile(source, "twice.cu", nvrtc.Options{Arch: fmt.Sprintf("compute_%d", archs[0])})
	if err != nil || p.CUBIN != nil || len(p.PTX) == 0 || p.PTX[len(p.PTX)-1] != 0 {
		t.Errorf("PTX alone: got %d bytes of code, %.60q, %v", len(p.CUBIN), p.PTX, err)
	}
}

func TestRefused(t *testing.T) {
	c := load(t)
	_, err := c.Compile("__global__ void f() { nonesuch(); }", "bad.cu", nvrtc.Options{Arch: "sm_90"})
	var e *nvrtc.Error
	if !errors.As(err, &e) || e.Status != "NVRTC_ERROR_COMPILATION" || !strings.Contains(e.Log, "nonesuch") ||
		!strings.Contains(e.Log, "bad.cu(1)") {
		t.Errorf("got %v", err)
	}
	_, err = c.Compile(source, "twice.cu", nvrtc.Options{Arch: "sm_1"})
	if !errors.As(err, &e) || e.Status != "NVRTC_ERROR_INVALID_OPTION" {
		t.Errorf("architecture sm_1: got %v", err)
	}
}
