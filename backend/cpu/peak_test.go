package cpu_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/halo-xla/halo/backend/cpu"
	"github.com/halo-xla/halo/internal/testfile"
	"github.com/halo-xla/halo/xla/exec"
	"github.com/halo-xla/halo/xla/hlo"
)

// TestPeak wants the memory of the model programs to be within 1.15 of what no plan of these steps could do without, and
// a page: lines of 64 bytes count in programs that have only some.
func TestPeak(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(testfile.Conformance(t), "models", "cases", "*", "module.hlo"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no programs: %v", err)
	}
	backend, worst := cpu.New(cpu.Options{}), 1.0
	for _, path := range files {
		src, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		m, err := hlo.Parse(src, path)
		if err != nil {
			t.Fatal(err)
		}
		p, err := backend.Compile(context.Background(), m, exec.Options{})
		if err != nil {
			t.Fatal(err)
		}
		b := p.(interface{ Memory() exec.Memory }).Memory()
		if ratio := float64(b.Peak-4096) / float64(max(b.Liveness, 1)); ratio > 1.15 {
			t.Errorf("%s: the peak is %d bytes, beyond a page %.3f times the bound %d", path, b.Peak, ratio, b.Liveness)
		} else {
			worst = max(worst, ratio)
		}
		p.Close()
	}
	t.Logf("%d programs, the worst at %.3f", len(files), worst)
}
