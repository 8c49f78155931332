package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/halo-xla/halo/internal/testfile"
)

// TestHostileCases checks case folders whose meta.json is made to take memory or to hide that nothing was run, and
// self-checking programs that misuse the probes.
func TestHostileCases(t *testing.T) {
	const same = "HloModule m\nENTRY e { ROOT p = f32[] parameter(0) }"
	call := func(target, operands, config string) string {
		return "module { func.func @main() { %0 = stablehlo.constant dense<1.0> : tensor<f32>\n" +
			"stablehlo.custom_call @" + target + "(" + operands + ") {has_side_effect = true, mhlo.backend_config = {" +
			config + "}} : (" + strings.TrimSuffix(strings.Repeat("tensor<f32>, ", strings.Count(operands, "%")), ", ") +
			") -> ()\nreturn } }"
	}
	for _, c := range []struct{ file, program, meta, want string }{
		{"module.hlo", same, `{"num_replicas": 1000000000000}`, "at most 4096 devices"},
		{"module.hlo", same, `{"num_replicas": -1}`, "want none negative"},
		{"module.hlo", same, `{"file": "module.txt"}`, "no form of a program"},
		{"module.mlir", call("check.expect_serialized_eq", "%0", `probe_id = "p", iter = -1 : i64`), "{}", "saw 0 values"},
		{"module.mlir", call("check.expect_serialized_eq", "", ""), "{}", "got 0 operands"},
		{"module.mlir", call("interpreter.probe", "", ""), "{}", "got 0 operands"},
	} {
		dir := t.TempDir()
		write(t, filepath.Join(dir, c.file), []byte(c.program))
		write(t, filepath.Join(dir, "meta.json"), []byte(c.meta))
		code, out, errs := halo(t, dir, "", "check", dir)
		if code == 0 || !strings.Contains(out+errs, c.want) || strings.Contains(out+errs, "panic") {
			t.Errorf("%s with %s: got code %d and %s%s, want a failure with %q", c.program, c.meta, code, out, errs, c.want)
		}
	}
}

// TestWeightsThatAreNone wants bench to name a weight that is no input.
func TestWeightsThatAreNone(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "module.hlo"), []byte("HloModule m\nENTRY e { ROOT c = f32[] constant(1) }"))
	for _, weights := range []string{"[0]", "[-1]"} {
		write(t, filepath.Join(dir, "meta.json"), []byte(`{"weights": `+weights+`}`))
		code, _, errs := halo(t, dir, "", "bench", dir)
		if code != exitFailure || !strings.Contains(errs, "weights: got input "+strings.Trim(weights, "[]")) {
			t.Errorf("%s: got code %d and %s, want a failure with the input", weights, code, errs)
		}
	}
}

// TestEndlessFiles wants a walk to pass over a pipe without a writer, and what does not end to have an end.
func TestEndlessFiles(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mkfifo(filepath.Join(dir, "pipe.hlo"), 0o666); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "m.hlo"), []byte("HloModule m\nENTRY e { ROOT p = f32[] constant(1) }"))
	for _, command := range []string{"verify", "check"} {
		if code, out, errs := halo(t, dir, "", command, dir); code != 0 {
			t.Errorf("%s: got code %d and %s%s", command, code, out, errs)
		}
	}
	b, err := readStream(strings.NewReader("123456789"), "pipe", 8)
	if err == nil || !strings.Contains(err.Error(), "pipe has more than 8 bytes") || len(b) > 9 {
		t.Errorf("got %q, %v, want at most 8 bytes", b, err)
	}
	if b, err := readStream(strings.NewReader("12345678"), "pipe", 8); err != nil || len(b) != 8 {
		t.Errorf("got %q, %v, want 8 bytes", b, err)
	}
}

// TestSparseFiles wants files that no memory holds refused by every command that reads them.
func TestSparseFiles(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "m.hlo")
	write(t, path, []byte("HloModule m\n"))
	if err := os.Truncate(path, 1<<41); err != nil {
		testfile.Library(t, "sparse", err) // this file system has no files with holes
	}
	for _, args := range [][]string{{"verify", path}, {"inspect", path}, {"check", path}, {"run", path},
		{"convert", "--to", "hlo", path}, {"graph", path}} {
		if code, out, errs := halo(t, dir, "", args...); code != 1 || !strings.Contains(out+errs, "do not fit in the memory") {
			t.Errorf("%v: got code %d and %s%s, want a refusal", args, code, out, errs)
		}
	}
}

// TestWrittenWhole wants a file that is written over to keep its mode, its links and, where writing fails, what it
// holds; and a graph to take the form that the end of its file's name says.
func TestWrittenWhole(t *testing.T) {
	dir := t.TempDir()
	path, link := filepath.Join(dir, "m.hlo"), filepath.Join(dir, "link.hlo")
	write(t, path, []byte("HloModule m\nENTRY e { ROOT p = f32[] constant(1) }"))
	if err := errors.Join(os.Chmod(path, 0o640), os.Symlink("m.hlo", link)); err != nil {
		t.Fatal(err)
	}
	if code, out, errs := halo(t, dir, "", "convert", "--to", "hlo", link, "-o", link); code != 0 {
		t.Fatalf("onto itself: got code %d and %s%s", code, out, errs)
	}
	info, err := os.Lstat(path)
	if err != nil || info.Mode() != 0o640 {
		t.Errorf("the file: got %v (%v), want the mode 0640", info, err)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link: got %v (%v), want a link", info, err)
	}
	if list, err := os.ReadDir(dir); err != nil || len(list) != 2 {
		t.Errorf("got %v (%v), want the two files and no other", list, err)
	}
	if code, _, _ := halo(t, dir, "", "verify", path); code != 0 {
		t.Error("what was written is no program")
	}
	if code, _, errs := halo(t, dir, "", "convert", "--to", "hlo", path, "-o", "/dev/full"); code != 1 {
		t.Errorf("a full disk: got code %d and %s, want 1", code, errs)
	}
	for name, want := range map[string]string{"g.svg": "<svg", "g.html": "<!doctype html", "g.dot": "digraph", "g": "digraph"} {
		out := filepath.Join(dir, name)
		if code, _, errs := halo(t, dir, "", "graph", path, "-o", out); code != 0 {
			t.Errorf("%s: got code %d and %s", name, code, errs)
		}
		if b, err := os.ReadFile(out); err != nil || !strings.HasPrefix(string(b), want) {
			t.Errorf("%s: got %.40s (%v), want %s", name, b, err, want)
		}
	}
}

// TestMarkdown wants a text that is no program to be an error, and nothing that a backend lacks.
func TestMarkdown(t *testing.T) {
	path := filepath.Join(t.TempDir(), "r.md")
	write(t, path, []byte("# A heading\n\nand text\n"))
	if code, out, _ := halo(t, "", "", "check", path); code != 1 || !strings.HasPrefix(out, "error: "+path+": Markdown") {
		t.Errorf("got code %d and %s, want an error", code, out)
	}
}

// TestRunPrintsNoProgram wants run to write a program's text only where it is asked for: what many ops share, and
// constants, make it long.
func TestRunPrintsNoProgram(t *testing.T) {
	const n = 3000
	var b strings.Builder
	b.WriteString("#d = {")
	for i := range n {
		fmt.Fprintf(&b, `k%d = "v", `, i)
	}
	b.WriteString("z = \"v\"}\nfunc.func @main(%b0: tensor<f32>) -> tensor<f32> {\n")
	for i := range n {
		fmt.Fprintf(&b, "%%b%d = \"stablehlo.sine\"(%%b%d) {mhlo.frontend_attributes = #d} : (tensor<f32>) -> tensor<f32>\n",
			i+1, i)
	}
	fmt.Fprintf(&b, "return %%b%d : tensor<f32>\n}\n", n)
	path := filepath.Join(t.TempDir(), "m.mlir")
	write(t, path, []byte(b.String()))
	testfile.Bounded(t, b.Len(), 256, func() {
		if code, out, errs := halo(t, "", "", "run", path, "--backend", "reference", "zeros"); code != 0 {
			t.Errorf("got code %d and %s%s", code, out, errs)
		}
	})
}
