package xla_test

import (
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/halo-xla/halo/internal/testfile"
	"github.com/halo-xla/halo/xla"
	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/pass"
	"github.com/halo-xla/halo/xla/shape"
)

// maxMutated is the size of files that are changed; maxMutatedMemory what reading one may take besides a hundred times
// its size.
const (
	maxMutated       = 32 << 10
	maxMutatedMemory = 64 << 20
)

// TestMutatedPrograms reads programs of every format after bytes of them were changed, lost or put in twice: there is no
// panic, and time and memory have bounds. $HALO_MUTATIONS is how many changes each file gets, $HALO_SEED which.
func TestMutatedPrograms(t *testing.T) {
	rounds, err := strconv.Atoi(os.Getenv("HALO_MUTATIONS"))
	if err != nil {
		rounds = 20
	}
	seed := testfile.Seed(t)
	r := rand.New(rand.NewPCG(seed, 9))
	for _, path := range mutatedFiles(t) {
		src, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for k := range rounds {
			changed := testfile.Mutate(r, src)
			if why := readHostile(changed); why != "" {
				t.Errorf("%s, seed %d, change %d: %s\n%.2000q", path, seed, k, why, changed)
				break
			}
		}
	}
}

// mutatedFiles are small programs of our own and, if there are such, some of each format from $HALO_CONFORMANCE.
func mutatedFiles(t *testing.T) []string {
	t.Helper()
	var list []string
	byEnd := map[string]int{}
	roots := []string{"testdata", filepath.Join("..", "testdata"), filepath.Join("stablehlo", "testdata")}
	if dir := os.Getenv("HALO_CONFORMANCE"); dir != "" {
		roots = append(roots, filepath.Join(dir, "jax"), filepath.Join(dir, "hlo"), filepath.Join(dir, "vhlo"))
	}
	ends := []string{".hlo", ".mlir", ".bc", ".jax_export", ".pb", ".pbtxt"}
	for _, root := range roots {
		found := map[string]int{}
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !slices.Contains(ends, filepath.Ext(path)) {
				return err
			}
			info, err := d.Info()
			if err == nil && info.Size() <= maxMutated && found[filepath.Ext(path)] < 12 {
				found[filepath.Ext(path)]++
				byEnd[filepath.Ext(path)]++
				list = append(list, path)
			}
			return err
		})
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
	}
	t.Logf("files of each kind: %v", byEnd)
	return list
}

// refineMutated refines a program for sizes of two; that it fails is no fault.
func refineMutated(m *hlo.Module) {
	args := make([]pass.Argument, len(m.Entry.Parameters))
	for i, p := range m.Entry.Parameters {
		if args[i].Shape = p.Shape.WithoutLayout(); !p.Shape.IsArray() {
			continue
		}
		args[i].Shape = shape.Array(p.Shape.Type, slices.Clone(p.Shape.Dims)...)
		for d, n := range p.Shape.Dims {
			if n == shape.Unbounded {
				args[i].Shape.Dims[d] = 2
			}
		}
		if p.Shape.IsScalar() && p.Shape.Type.IsInteger() {
			args[i].Value = literal.ScalarOfInt(p.Shape.Type, 2)
		}
	}
	if static, err := pass.Refine(m, args); err == nil {
		hlo.Verify(static)
	}
}

// readHostile reads a program, refines it, and says what is wrong with how that went; that it is refused is not.
func readHostile(src []byte) string {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	start := time.Now()
	m, err := xla.Read(xla.Program{Name: "mutated", Source: src})
	if err == nil {
		refineMutated(m)
	}
	took := time.Since(start)
	runtime.ReadMemStats(&after)
	var e *xla.Error
	switch used := after.TotalAlloc - before.TotalAlloc; {
	case errors.As(err, &e) && e.Code == xla.Internal:
		return err.Error()
	case used > maxMutatedMemory+100*uint64(len(src)):
		return strconv.FormatUint(used>>20, 10) + " MiB of memory for " + strconv.Itoa(len(src)) + " bytes"
	case took > 10*time.Minute: // never, on the busiest machine
		return "took " + took.String()
	}
	return ""
}
