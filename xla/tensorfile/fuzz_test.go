package tensorfile

import (
	"archive/zip"
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/halo-xla/halo/internal/testfile"
	"github.com/halo-xla/halo/xla/literal"
)

// FuzzNPZ reads archives: no more than the bound on what they may hold comes out of them.
func FuzzNPZ(f *testing.F) {
	for _, method := range []uint16{zip.Store, zip.Deflate} {
		f.Add(archive(f, method, "a.npy", "b/c.npy"))
	}
	f.Add(archive(f, zip.Store, "README", "a.npy", "a.npy"))
	testfile.Seeds(f, "testdata/*.npz")
	f.Fuzz(func(t *testing.T, b []byte) {
		path := filepath.Join(t.TempDir(), "a.npz")
		if err := os.WriteFile(path, b, 0o666); err != nil {
			t.Fatal(err)
		}
		var arrays []Array
		var err error
		testfile.Bounded(t, len(b), 3*maxExpansion, func() { arrays, err = Read(path) })
		if err != nil {
			return
		}
		total := 0
		for _, a := range arrays {
			total += len(a.Value.Bytes())
		}
		if total > maxExpansion*len(b) {
			t.Errorf("%d bytes of arrays from an archive of %d", total, len(b))
		}
	})
}

// archive is a zip of members that are all one array.
func archive(t testing.TB, method uint16, names ...string) []byte {
	t.Helper()
	l, err := literal.FromSlice([]float32{1, 2, 3})
	if err != nil {
		t.Fatal(err)
	}
	var array, b bytes.Buffer
	if err := literal.WriteNPY(&array, l); err != nil {
		t.Fatal(err)
	}
	z := zip.NewWriter(&b)
	for _, name := range names {
		w, err := z.CreateHeader(&zip.FileHeader{Name: name, Method: method})
		if err != nil {
			t.Fatal(err)
		}
		w.Write(array.Bytes())
	}
	z.Close()
	return b.Bytes()
}

// FuzzIndex reads indices beside one file of weights: they name nothing outside of their folder.
func FuzzIndex(f *testing.F) {
	f.Add(`{"metadata":{"total_size":8},"weight_map":{"x":"w.safetensors"}}`)
	f.Add(`{"weight_map":{"x":"../w.safetensors"}}`)
	f.Add(`{"weight_map":{"x":"m.safetensors.index.json","y":""}}`)
	f.Fuzz(func(t *testing.T, text string) {
		dir := t.TempDir()
		weights := file(`{"x":{"dtype":"U8","shape":[2],"data_offsets":[0,2]}}`, []byte{1, 2})
		index := filepath.Join(dir, "m"+indexEnd)
		for path, b := range map[string][]byte{filepath.Join(dir, "w.safetensors"): weights, index: []byte(text)} {
			if err := os.WriteFile(path, b, 0o666); err != nil {
				t.Fatal(err)
			}
		}
		var arrays []Array
		var err error
		testfile.Bounded(t, len(text), 64, func() { arrays, err = Read(index) })
		if err != nil {
			return
		}
		for _, a := range arrays {
			if a.Name != "x" || len(a.Value.Bytes()) != 2 || !strings.Contains(text, "w.safetensors") {
				t.Errorf("%s: got %s, which no file here has", text, a.Name)
			}
		}
	})
}
