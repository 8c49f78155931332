package main

import (
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/halo-xla/halo/internal/wholefile"
)

// eachProgram calls f for each program at and below paths, in the order of their names: for "-" and files themselves,
// and in folders for what may be a program. Folders that isWhole says are one thing are not looked into; f is told so.
// It fails if there are none.
func eachProgram(paths []string, isWhole func(dir string) bool, f func(path string, isWhole bool)) error {
	found := 0
	visit := func(path string, d fs.DirEntry, err error) error {
		switch path = filepath.Clean(path); {
		case err != nil:
			return err
		case d.IsDir() && isWhole(path):
			found++
			f(path, true)
			return filepath.SkipDir
		case isRegular(path, d) && isProgramFile(path):
			found++
			f(path, false)
		}
		return nil
	}
	for _, root := range paths {
		info, err := wholefile.Stat(root)
		if root == "-" || err == nil && !info.IsDir() {
			found++
			f(root, false)
			continue
		}
		if err == nil {
			err = filepath.WalkDir(root+string(filepath.Separator), visit) // which does not follow a link by itself
		}
		if err != nil {
			return err
		}
	}
	if found == 0 {
		return exitf(exitUsage, "no programs below %s", strings.Join(paths, ", "))
	}
	return nil
}

// isRegular reports whether an entry of a folder is a regular file or a link to one: a pipe may never have a writer, a
// device never ends.
func isRegular(path string, d fs.DirEntry) bool {
	if d.Type() != fs.ModeSymlink {
		return d.Type().IsRegular()
	}
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// isProgramFile reports whether a walk looks at the file: by its name here, by its content when it is read. What XLA
// dumps is text among others, and told by its first words.
func isProgramFile(path string) bool {
	ext := []string{".mlir", ".hlo", ".bc", ".pb", ".pbtxt", ".jax_export"}
	return slices.Contains(ext, filepath.Ext(path)) || filepath.Ext(path) == ".txt" && isDump(path)
}

// isDump reports whether a file begins as the text of a module does.
func isDump(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	head := make([]byte, 32)
	n, _ := io.ReadFull(f, head)
	return slices.ContainsFunc([]string{"HloModule ", "module @", "module {", "module attributes ", "#loc"},
		func(start string) bool { return strings.HasPrefix(string(head[:n]), start) })
}
