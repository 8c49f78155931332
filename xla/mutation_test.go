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
			changed := mutated(r, src)
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

// mutated returns src after one to four changes.
func mutated(r *rand.Rand, src []byte) []byte {
	b := slices.Clone(src)
	for range 1 + r.IntN(4) {
		if len(b) < 2 {
			return b
		}
		at := r.IntN(len(b))
		to := min(len(b), at+1+r.IntN(16))
		switch r.IntN(7) {
		case 0: // cut short
			b = b[:at]
		case 1: // another byte
			b[at] = byte(r.Uint32())
		case 2: // one bit
			b[at] ^= 1 << r.IntN(8)
		case 3: // lost
			b = slices.Delete(b, at, to)
		case 4: // twice
			b = slices.Insert(b, at, slices.Clone(b[at:to])...)
		case 5: // a great number, as digits or as bytes
			b = slices.Insert(b, at, [][]byte{[]byte("9223372036854775807"), {0xff, 0xff, 0xff, 0xff}, {0, 255, 255, 255, 255,
				255, 255, 255, 127}}[r.IntN(3)]...)
		case 6: // a piece from elsewhere
			from := r.IntN(len(b))
			copy(b[at:to], b[from:])
		}
	}
	return b
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
	case took > 20*time.Second:
		return "took " + took.String()
	}
	return ""
}
