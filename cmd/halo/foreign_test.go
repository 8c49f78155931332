package main

import (
	"archive/zip"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/halo-xla/halo/xla/tensorfile"
)

// TestForeignInputs gives files of other kinds as inputs and weights: they are called by name. Archives have the array of
// the parameter's name.
func TestForeignInputs(t *testing.T) {
	dir := folder(t)
	both := twoArrays(t)
	for name, names := range map[string][]string{"w.npz": {"x", "y"}, "others.npz": {"a", "b"}} {
		if err := tensorfile.WriteNPZ(filepath.Join(dir, name), namedArrays(names, both)); err != nil {
			t.Fatal(err)
		}
	}
	if err := tensorfile.WriteNPZ(filepath.Join(dir, "alone.npz"), namedArrays([]string{"z"}, both[1:])); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"gzip.safetensors": "\x1f\x8b\x08\x00 not a header", "pickle.npy": "\x80\x04\x95",
		"lfs.safetensors": "version https://git-lfs.github.com/spec/v1\n", "pickle.npz": withOther(t), "a.pkl": "\x80\x04\x95", "a.h5": "\x89HDF\r\n\x1a\n", "a.gz": "\x1f\x8b\x08\x00",
		"a.json": `{"hidden": 3}`} {
		write(t, filepath.Join(dir, name), []byte(text))
	}
	for _, c := range []struct {
		args         string
		code         int
		stdout, want string
	}{
		{"--weights DIR/gzip.safetensors", exitFailure, "", "compressed by gzip: unpack it first"},
		{"--weights DIR/lfs.safetensors", exitFailure, "", "a pointer of Git LFS in the place of a file"},
		{"--weights DIR/pickle.npz", exitFailure, "", "a zip archive: unpack it first"},
		{"@DIR/lfs.safetensors ones", exitFailure, "", "a pointer of Git LFS in the place of a file"},
		{"@DIR/pickle.npy ones", exitFailure, "", "a Python pickle"},
		{"@DIR/w.npz @DIR/w.npz", exitOK, "{31, 42}", ""},
		{"2xf32=iota y=2xf32=ones", exitOK, "{1, 2}", ""},
		{"--weights DIR/alone.npz --weights-order file", exitUsage, "", "(y f32[2]) has no input, nor an array of its name in --weights"},
		{"ones @DIR/alone.npz", exitOK, "{31, 41}", ""},
		{"ones @DIR/others.npz", exitFailure, "", "none of its 2 arrays (\"a\", \"b\") has the name of a parameter: (y f32[2]);"},
		{"ones @DIR/a.pkl", exitFailure, "", "a Python pickle, which halo never reads"},
		{"ones @DIR/a.gz", exitFailure, "", "compressed by gzip: unpack it first"},
		{"--weights DIR/a.pkl", exitFailure, "", "save weights as safetensors"},
		{"--weights DIR/a.h5", exitFailure, "", "an HDF5 file"},
		{"--weights DIR/a.json", exitFailure, "", "JSON, a description"},
		{"--weights DIR/add.hlo", exitFailure, "", "the name ends in none of .npy, .npz"},
		{"z=2xf32=1,2 ones", exitUsage, "", `"z" is neither a parameter's name nor a shape`},
	} {
		code, stdout, stderr := halo(t, dir, "", append([]string{"run", "DIR/add.hlo"}, strings.Fields(c.args)...)...)
		if code != c.code || !strings.Contains(stdout, c.stdout) || !strings.Contains(stderr, c.want) {
			t.Errorf("%s: got exit %d, %q, %q, want exit %d, %q, %q", c.args, code, stdout, stderr, c.code, c.stdout, c.want)
		}
	}
}

// withOther is an archive without an array, as PyTorch writes them under any name.
func withOther(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	z := zip.NewWriter(&b)
	w, err := z.Create("weights/data")
	if err == nil {
		_, err = w.Write([]byte("1"))
	}
	if err = errors.Join(err, z.Close()); err != nil {
		t.Fatal(err)
	}
	return b.String()
}
