package tensorfile

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/halo-xla/halo/internal/wholefile"
)

const indexEnd = ".safetensors.index.json"

// IsData reports whether the path is a file of arrays, an index of safetensors files, or a folder that has such.
func IsData(path string) bool {
	if readerOf(path) != nil {
		return true
	}
	files, err := dataFiles(path)
	return err == nil && len(files) > 0
}

// readerOf returns the reader for the end of a file's name, nil if there is none.
func readerOf(path string) reader {
	if strings.HasSuffix(path, indexEnd) {
		return readIndex
	}
	return readers[filepath.Ext(path)]
}

// dataFiles lists what to read of a folder: its index if it has one, else its files of arrays, in the order of names.
func dataFiles(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var files, indices []string
	for _, e := range entries {
		switch path := filepath.Join(dir, e.Name()); {
		case e.IsDir():
		case strings.HasSuffix(path, indexEnd):
			indices = append(indices, path)
		case readers[filepath.Ext(path)] != nil:
			files = append(files, path)
		}
	}
	if len(indices) > 1 {
		return nil, fmt.Errorf("the folder has %d indices: name one: %s", len(indices), strings.Join(indices, ", "))
	}
	if len(indices) == 1 {
		return indices, nil
	}
	return files, nil
}

// readFolder reads all arrays of a folder's files. Those of npy files have the name of the file without its end.
func readFolder(f *File, dir string) ([]Stored, error) {
	files, err := dataFiles(dir)
	if err != nil {
		return nil, err
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("the folder has no npy, npz or safetensors file: %w", fs.ErrNotExist)
	}
	var all []Stored
	from := map[string]string{}
	for _, path := range files {
		base := filepath.Base(path)
		arrays, err := readerOf(path)(f, path)
		if err != nil {
			return nil, fmt.Errorf("%q: %w", base, err)
		}
		for _, a := range arrays {
			if a.Name == "" {
				a.Name = strings.TrimSuffix(base, filepath.Ext(base))
			}
			if other, ok := from[a.Name]; ok {
				return nil, fmt.Errorf("the array %q stands in %s and in %s", a.Name, other, base)
			}
			from[a.Name] = base
			all = append(all, a)
		}
	}
	return all, nil
}

// readIndex reads the arrays that an index names from the safetensors files beside it, in the order of their names.
func readIndex(f *File, path string) ([]Stored, error) {
	b, err := wholefile.Read(path)
	if err != nil {
		return nil, err
	}
	byFile, err := weightMap(b)
	if err != nil {
		return nil, err
	}
	var all []Stored
	for _, file := range slices.Sorted(maps.Keys(byFile)) {
		arrays, err := readPart(f, filepath.Dir(path), file, byFile[file])
		if err != nil {
			return nil, fmt.Errorf("%q: %w", file, err)
		}
		all = append(all, arrays...)
	}
	slices.SortFunc(all, func(a, b Stored) int { return strings.Compare(a.Name, b.Name) })
	return all, nil
}

// weightMap reads the names of arrays by the file that has them. A name stands once: with two, readers would differ in
// which they take.
func weightMap(index []byte) (map[string][]string, error) {
	j := &jsonText{text: index}
	byFile := map[string][]string{}
	if err := j.once(func(field string) error {
		if field != "weight_map" {
			return j.pass()
		}
		return j.once(func(name string) error {
			file, err := j.str()
			byFile[file] = append(byFile[file], name)
			return err
		})
	}); err != nil {
		return nil, err
	}
	if j.space(); j.pos < len(index) {
		return nil, j.want("nothing behind the index")
	}
	if len(byFile) == 0 {
		return nil, errors.New("the index has no weight_map, or an empty one")
	}
	return byFile, nil
}

// readPart reads the named arrays of one file of an index. The file must stand beside the index.
func readPart(f *File, dir, file string, names []string) ([]Stored, error) {
	if file != filepath.Base(file) || filepath.Ext(file) != ".safetensors" {
		return nil, errors.New("want the name of a safetensors file beside the index")
	}
	arrays, err := readSafetensors(f, filepath.Join(dir, file))
	if err != nil {
		return nil, err
	}
	byName := make(map[string]Stored, len(arrays))
	for _, a := range arrays {
		byName[a.Name] = a
	}
	out := make([]Stored, len(names))
	for i, name := range names {
		a, ok := byName[name]
		if !ok {
			return nil, fmt.Errorf("there is no array %q, which the index promises", name)
		}
		out[i] = a
	}
	return out, nil
}
