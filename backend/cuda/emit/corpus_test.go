package emit

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/halo-xla/halo/internal/testfile"
	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/pass"
	"github.com/halo-xla/halo/xla/stablehlo"
)

// TestCorpus lowers every program of the folders that $HALO_PROGRAMS lists: MLIR and HLO text. It lists what is refused,
// and keeps the sources in $HALO_KEEP for TestKernels of backend/cuda; scripts/check-kernels.sh runs both.
func TestCorpus(t *testing.T) {
	folders := filepath.SplitList(os.Getenv("HALO_PROGRAMS"))
	if len(folders) == 0 {
		testfile.Library(t, "programs", errors.New("HALO_PROGRAMS names no folders of programs"))
	}
	c := &corpus{t: t, kernels: map[string]*Kernel{}, refused: map[string]int{}, example: map[string]string{}}
	for _, folder := range folders {
		if err := filepath.WalkDir(folder, c.file); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("%d programs, %d instructions, %d different kernels", c.programs, c.instructions, len(c.kernels))
	for _, why := range slices.SortedFunc(maps.Keys(c.refused), func(a, b string) int {
		return cmp.Compare(c.refused[b], c.refused[a])
	}) {
		t.Logf("refused %d times: %s (%s)", c.refused[why], why, c.example[why])
	}
	c.keep()
}

// corpus is what has been found in programs so far.
type corpus struct {
	t                      *testing.T
	programs, instructions int
	kernels                map[string]*Kernel
	refused                map[string]int
	example                map[string]string
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
			for _, f := range im.Functions {
				c.computation(path, f)
			}
		}
	}
	return nil
}

// module lowers what passes make of a module.
func (c *corpus) module(path string, m *hlo.Module) {
	if hlo.Verify(m) != nil {
		return
	}
	clean := []pass.Pass{pass.Tuples(), pass.Simplify(), pass.CSE(), pass.DCE()}
	list := []pass.Pass{pass.Layout(), pass.Inline(), pass.ExpandBatchNorm(), pass.Repeat("clean", 4, clean...),
		pass.Fuse(Fusible())}
	m, err := pass.Run(c.t.Context(), m, list, pass.Options{})
	if err != nil {
		c.t.Errorf("%s: %v", path, err)
		return
	}
	c.programs++
	done := map[*hlo.Computation]bool{}
	c.flow(path, m.Entry, done)
}

// flow lowers a computation and those that its control flow runs.
func (c *corpus) flow(path string, comp *hlo.Computation, done map[*hlo.Computation]bool) {
	if done[comp] {
		return
	}
	done[comp] = true
	c.computation(path, comp)
	for _, in := range comp.Instructions {
		switch in.Op {
		case hlo.While, hlo.Conditional, hlo.Call, hlo.AsyncStart:
			for _, callee := range in.Called() {
				c.flow(path, callee, done)
			}
		}
	}
}

// hosts are the ops that exec or the backend do without kernels.
var hosts = map[hlo.Opcode]bool{hlo.Parameter: true, hlo.Constant: true, hlo.Tuple: true, hlo.GetTupleElement: true,
	hlo.While: true, hlo.Conditional: true, hlo.Call: true, hlo.AsyncStart: true, hlo.AsyncDone: true, hlo.AsyncUpdate: true,
	hlo.AfterAll: true, hlo.Infeed: true, hlo.Outfeed: true, hlo.Send: true, hlo.SendDone: true, hlo.Recv: true,
	hlo.RecvDone: true, hlo.CustomCall: true, hlo.OptimizationBarrier: true, hlo.Domain: true, hlo.AddDependency: true,
	hlo.CopyStart: true, hlo.CopyDone: true, hlo.AllReduce: true, hlo.AllGather: true, hlo.AllToAll: true,
	hlo.ReduceScatter: true, hlo.CollectivePermute: true, hlo.CollectiveBroadcast: true, hlo.ReplicaId: true,
	hlo.PartitionId: true, hlo.RaggedAllToAll: true, hlo.CollectiveReduce: true, hlo.SetDimensionSize: true,
	hlo.GetDimensionSize: true, hlo.Copy: true, hlo.Bitcast: true, hlo.Reshape: true}

func (c *corpus) computation(path string, comp *hlo.Computation) {
	for _, in := range comp.Instructions {
		if hosts[in.Op] || in.IsDynamic() {
			continue
		}
		e, err := Lower(in)
		switch {
		case errors.Is(err, errors.ErrUnsupported):
			c.refused[err.Error()]++
			c.example[err.Error()] = filepath.Base(path)
			continue
		case err != nil:
			c.t.Errorf("%s: %s: %v", path, in.Name, err)
			continue
		}
		c.instructions++
		for _, s := range e.Steps {
			if s.Kernel != nil {
				c.kernels[s.Kernel.Name] = s.Kernel
			}
		}
	}
}

// keep writes the kernels, some hundreds to a file.
func (c *corpus) keep() {
	folder := os.Getenv("HALO_KEEP")
	if folder == "" {
		return
	}
	names := slices.Sorted(maps.Keys(c.kernels))
	for i := 0; len(names) > 0; i++ {
		n := min(len(names), 400)
		var list []*Kernel
		for _, name := range names[:n] {
			list = append(list, c.kernels[name])
		}
		names = names[n:]
		file := filepath.Join(folder, fmt.Sprintf("corpus%02d.cu", i))
		if err := os.WriteFile(file, []byte(Unit(list)), 0o666); err != nil {
			c.t.Fatal(err)
		}
	}
}
