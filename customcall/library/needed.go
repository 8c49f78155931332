package library

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// search finds libraries as the dynamic loader does: the folders that the library names, those of the environment, the
// loader's cache, its own folders.
type search struct {
	before, after []string // folders of DT_RPATH, and those of DT_RUNPATH
}

func searchOf(f *elf.File, path string) search {
	runpath := folders(f, elf.DT_RUNPATH, path)
	if len(runpath) > 0 {
		return search{after: runpath}
	}
	return search{before: folders(f, elf.DT_RPATH, path)}
}

// folders reads a list of folders from the dynamic section; $ORIGIN is the library's own.
func folders(f *elf.File, tag elf.DynTag, path string) []string {
	lists, _ := f.DynString(tag) // none is an empty list
	var out []string
	origin := filepath.Dir(path)
	if real, err := filepath.EvalSymlinks(path); err == nil {
		origin = filepath.Dir(real)
	}
	for _, list := range lists {
		for _, dir := range filepath.SplitList(list) {
			dir = strings.NewReplacer("${ORIGIN}", origin, "$ORIGIN", origin).Replace(dir)
			out = append(out, dir)
		}
	}
	return out
}

// find returns where the loader would find a library, "" if nowhere.
func (s search) find(name string) string {
	if strings.Contains(name, "/") {
		if Check(name) == nil {
			return name
		}
		return ""
	}
	dirs := slices.Concat(s.before, filepath.SplitList(os.Getenv("LD_LIBRARY_PATH")), s.after)
	if path := firstIn(dirs, name); path != "" {
		return path
	}
	if path := cache()[name]; path != "" && Check(path) == nil {
		return path
	}
	return firstIn(standard(), name)
}

// firstIn returns the first loadable file of that name. The loader goes on where one is for another machine.
func firstIn(dirs []string, name string) string {
	for _, dir := range dirs {
		if path := filepath.Join(dir, name); Check(path) == nil {
			return path
		}
	}
	return ""
}

// standard are the folders that loaders know by themselves.
func standard() []string {
	triplet := map[string]string{"x86-64": "x86_64-linux-gnu", "aarch64": "aarch64-linux-gnu"}[nameOf(here())]
	var dirs []string
	for _, root := range []string{"/lib", "/usr/lib"} {
		if triplet != "" {
			dirs = append(dirs, filepath.Join(root, triplet))
		}
		dirs = append(dirs, root+"64", root)
	}
	return dirs
}

// cache is the loader's list of libraries, by name.
var cache = sync.OnceValue(func() map[string]string {
	b, err := os.ReadFile("/etc/ld.so.cache")
	if err != nil {
		return nil
	}
	return parseCache(b)
})

const cacheMagic = "glibc-ld.so.cache1.1"

// parseCache reads glibc's cache: a header of 48 bytes, entries of 24 with the places of name and path in the file.
// Of several entries for a name the first is the loader's choice, or one for a processor that has more. A cache that
// makes no sense is an empty one.
func parseCache(b []byte) map[string]string {
	at := bytes.Index(b, []byte(cacheMagic))
	if at < 0 || len(b)-at < 48 {
		return nil
	}
	b = b[at:]
	text := func(place uint32) string {
		if uint64(place) >= uint64(len(b)) {
			return ""
		}
		s, _, _ := bytes.Cut(b[place:], []byte{0})
		return string(s)
	}
	order := binary.NativeEndian
	found := map[string]string{}
	entries := b[48:]
	for n := order.Uint32(b[20:]); n > 0 && len(entries) >= 24; n-- {
		name, path := text(order.Uint32(entries[4:])), text(order.Uint32(entries[8:]))
		if _, twice := found[name]; !twice && name != "" && Check(path) == nil {
			found[name] = path
		}
		entries = entries[24:]
	}
	return found
}
