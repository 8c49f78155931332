package tensorfile

import (
	"archive/zip"
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"testing"

	"github.com/halo-xla/halo/internal/testfile"
	"github.com/halo-xla/halo/xla/literal"
)

// TestMutatedFiles reads files of every format after bytes of them were changed: no panic, and no more memory than the
// bound on archives. $HALO_MUTATIONS is how many changes each file gets, $HALO_SEED which.
func TestMutatedFiles(t *testing.T) {
	rounds, err := strconv.Atoi(os.Getenv("HALO_MUTATIONS"))
	if err != nil {
		rounds = 200
	}
	r := rand.New(rand.NewPCG(testfile.Seed(t), 3))
	l, err := literal.FromSlice([]float32{1, 2, 3, 4}, 2, 2)
	if err != nil {
		t.Fatal(err)
	}
	var npy bytes.Buffer
	if err := literal.WriteNPY(&npy, l); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	weights := file(`{"x":{"dtype":"U8","shape":[2],"data_offsets":[0,2]},"y":{"dtype":"BF16","shape":[1,1],"data_offsets":[2,4]}}`,
		[]byte{1, 2, 3, 4})
	if err := os.WriteFile(filepath.Join(dir, "w.safetensors"), weights, 0o666); err != nil {
		t.Fatal(err)
	}
	for name, src := range map[string][]byte{
		"a.npy": npy.Bytes(), "a.npz": archive(t, zip.Store, "a.npy", "b.npy"), "b.npz": archive(t, zip.Deflate, "a.npy"),
		"a.safetensors": weights, "m" + indexEnd: []byte(`{"metadata":{"total_size":4},"weight_map":{"x":"w.safetensors"}}`),
	} {
		path := filepath.Join(dir, name)
		for k := range rounds {
			changed := testfile.Mutate(r, src)
			if err := os.WriteFile(path, changed, 0o666); err != nil {
				t.Fatal(err)
			}
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			Read(path)
			runtime.ReadMemStats(&after)
			if used := after.TotalAlloc - before.TotalAlloc; used > 1<<20+maxExpansion*uint64(len(changed)) {
				t.Errorf("%s, change %d: %d bytes of memory for\n%q", name, k, used, changed)
			}
		}
	}
}
