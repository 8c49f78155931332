//go:build cgo && linux

package cuda

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/halo-xla/halo/backend/cuda/emit"
	"github.com/halo-xla/halo/customcall/lapack"
	"github.com/halo-xla/halo/internal/testfile"
	"github.com/halo-xla/halo/xla/exec"
	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/stablehlo"
)

// TestCorpus makes the kernels of every program of the folders that $HALO_PROGRAMS lists, MLIR and HLO text, as they are
// for programs that run: with libraries and without, with the passes that compute constants and without. It lists what
// is refused, and keeps the sources in $HALO_KEEP for TestKernels; scripts/check-kernels.sh runs both.
func TestCorpus(t *testing.T) {
	folders := filepath.SplitList(os.Getenv("HALO_PROGRAMS"))
	if len(folders) == 0 {
		testfile.Library(t, "programs", errors.New("HALO_PROGRAMS names no folders of programs"))
	}
	c := &corpus{t: t, kernels: map[string]*emit.Kernel{}, refused: map[string]int{}, example: map[string]string{}}
	for _, libs := range []string{"", "-cublas,-cublasLt,-cudnn,-cufft,-cusolver"} {
		t.Setenv("HALO_LIBS", libs)
		for _, plain := range []bool{false, true} {
			d, err := open(Options{Emulated: true, Plain: plain, NoAutotune: true})
			testfile.Library(t, "cuda-emu", err)
			c.cells = append(c.cells, cell{libs, exec.New(noting{&machine{d}, c})})
		}
	}
	for _, folder := range folders {
		if err := filepath.WalkDir(folder, c.file); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("%d programs, %d instructions, %d different kernels, the most buffers of one are %d", c.programs,
		c.instructions, len(c.kernels), c.buffers)
	for _, why := range slices.SortedFunc(maps.Keys(c.refused), func(a, b string) int {
		return cmp.Compare(c.refused[b], c.refused[a])
	}) {
		t.Logf("refused %d times: %s (%s)", c.refused[why], why, c.example[why])
	}
	c.keep()
}

// corpus is what has been found in programs so far.
type corpus struct {
	t                               *testing.T
	cells                           []cell
	programs, instructions, buffers int
	kernels                         map[string]*emit.Kernel
	refused                         map[string]int
	example                         map[string]string
}

// cell is a backend and the libraries that it is without, some of which it looks for when it first wants them.
type cell struct {
	libs string
	b    exec.Backend
}

// noting is the machine, which notes kernels and does not compile them.
type noting struct {
	*machine
	c *corpus
}

func (m noting) Build(b *exec.Build) error {
	for _, k := range new(built).take(b.Thunks) {
		m.c.kernels[k.Name] = k
		m.c.buffers = max(m.c.buffers, len(k.Args))
	}
	return nil
}

// served has all targets of custom calls but LAPACK's.
type served struct{}

func (served) Lookup(target string) (hlo.Handler, bool) {
	return func(context.Context, *hlo.Instruction, []*literal.Literal) (*literal.Literal, error) {
		return nil, errors.New("nothing runs here")
	}, !lapack.Known(target)
}

func (c *corpus) file(path string, entry fs.DirEntry, err error) error {
	if err != nil || entry.IsDir() {
		return err
	}
	source, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	switch filepath.Ext(path) {
	case ".hlo":
		if m, err := hlo.Parse(source, path); err == nil {
			c.module(path, m)
		}
	case ".mlir":
		for _, text := range stablehlo.SplitChunks(path, string(source)) {
			im, err := stablehlo.Parse(text)
			if err != nil {
				continue // the tests of stablehlo judge these
			}
			if im.Module != nil {
				c.module(path, im.Module)
				continue
			}
			for name, f := range im.Functions {
				c.module(path, hlo.NewModule(name, f))
			}
		}
	}
	return nil
}

// module compiles a module on all backends.
func (c *corpus) module(path string, m *hlo.Module) {
	if hlo.Verify(m) != nil {
		return
	}
	c.programs++
	for _, x := range c.cells {
		c.t.Setenv("HALO_LIBS", x.libs)
		p, err := x.b.Compile(context.Background(), m, exec.Options{AllowReference: true, Handlers: served{}})
		if err != nil {
			if !errors.Is(err, errors.ErrUnsupported) && !errors.Is(err, hlo.ErrLimit) {
				c.t.Errorf("%s: %v", path, err)
			}
			c.refuse(path, err.Error())
			continue
		}
		for _, r := range p.Report() {
			c.instructions++
			if r.Kernel == "reference" {
				c.refuse(path, r.Reason)
			}
		}
		p.Close()
	}
}

func (c *corpus) refuse(path, why string) {
	if _, said, found := strings.Cut(why, "): "); found {
		why = said
	}
	c.refused[why]++
	c.example[why] = filepath.Base(path)
}

// keep writes the kernels, some hundreds to a file.
func (c *corpus) keep() {
	folder := os.Getenv("HALO_KEEP")
	if folder == "" {
		return
	}
	if err := os.WriteFile(filepath.Join(folder, "control.cu"), []byte(emit.Control()), 0o666); err != nil {
		c.t.Fatal(err)
	}
	names := slices.Sorted(maps.Keys(c.kernels))
	for i := 0; len(names) > 0; i++ {
		n := min(len(names), 400)
		var list []*emit.Kernel
		for _, name := range names[:n] {
			list = append(list, c.kernels[name])
		}
		names = names[n:]
		file := filepath.Join(folder, fmt.Sprintf("corpus%02d.cu", i))
		if err := os.WriteFile(file, []byte(emit.Unit(list)), 0o666); err != nil {
			c.t.Fatal(err)
		}
	}
}
