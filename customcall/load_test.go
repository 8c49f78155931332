package customcall_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/halo-xla/halo/cgo/dl"
	"github.com/halo-xla/halo/customcall"
	"github.com/halo-xla/halo/customcall/isolate"
	"github.com/halo-xla/halo/ffi"
	"github.com/halo-xla/halo/internal/testfile"
	"github.com/halo-xla/halo/xla/hlo"
)

// wantError fails unless err has all the words.
func wantError(t *testing.T, what string, err error, words ...string) {
	t.Helper()
	for _, w := range words {
		if err == nil || !strings.Contains(err.Error(), w) {
			t.Errorf("%s: got %v, want %q", what, err, w)
		}
	}
}

func write(t *testing.T, path, text string) string {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestLoadFails(t *testing.T) {
	path := built(t, "functions.c")
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	r := customcall.New()
	t.Cleanup(func() { r.Close() })
	if err := r.Register("taken", nothing); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	symbols := func(target, symbol string) *customcall.Manifest {
		return &customcall.Manifest{Symbols: map[string]customcall.Symbols{target: {Execute: symbol}}}
	}
	cut := write(t, filepath.Join(dir, "libcut.so"), string(whole[:3000]))
	wantError(t, "cut short", r.Load(cut, nil), cut)
	text := write(t, filepath.Join(dir, "libtext.so"), "text")
	wantError(t, "text", r.Load(text, nil), text)
	t.Setenv("HALO_PLUGIN_PATH", dir)
	wantError(t, "nowhere", r.Load("libnowhere.so", nil), "libnowhere.so: file does not exist, nor is there "+
		filepath.Join(dir, "libnowhere.so"))
	wantError(t, "no symbol", r.Load(path, symbols("t", "absent")), path, "lacks absent: undefined symbol", `wanted for the target "t"`)
	wantError(t, "clash", r.Load(path, symbols("taken", "add_one")), path,
		`wants to serve the target "taken", but Go code does already`)
	none := &customcall.Manifest{Symbols: map[string]customcall.Symbols{"t": {Prepare: "begin_run"}}}
	wantError(t, "no execute", r.Load(path, none), "no function for the stage execute")
	user := &customcall.Manifest{UserData: []customcall.UserData{{Type: "unknown", Create: "new_counter"}}}
	wantError(t, "user data", r.Load(path, user), "unknown, which is not among the types")
	if got := r.Targets(); len(got) != 1 {
		t.Errorf("got targets %v, want nothing of libraries that failed", got)
	}
	if err := r.Load(path, symbols("t", "add_one")); err != nil {
		t.Error(err)
	}
	r.Close()
	wantError(t, "closed", r.Load(path, nil), "the registry is closed")
	wantError(t, "closed", r.Register("more", nothing), "the registry is closed")
}

// Two libraries with a function of one name serve neither until a manifest says which.
func TestClash(t *testing.T) {
	path := built(t, "functions.c")
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	other := write(t, filepath.Join(t.TempDir(), "libother.so"), string(whole))
	r := customcall.New()
	t.Cleanup(func() { r.Close() })
	if err := errors.Join(r.Load(path, nil), r.Load(other, nil)); err != nil {
		t.Fatal(err)
	}
	_, err = run(program(t, r, entry("f32[]", "x", "add_one", "", "")))
	wantError(t, "clash", err, path, other, "have a function add_one each")
}

// What was loaded by name, or by a manifest, is not loaded again from its folder.
func TestLoadFoldersAgain(t *testing.T) {
	path := built(t, "functions.c")
	for _, m := range []*customcall.Manifest{nil, {Symbols: map[string]customcall.Symbols{"add_one": {Execute: "add_one"}}}} {
		r := customcall.New()
		t.Cleanup(func() { r.Close() })
		if err := errors.Join(r.Load(path, m), r.LoadFolders(filepath.Dir(path)), r.LoadFolders(filepath.Dir(path))); err != nil {
			t.Fatal(err)
		}
		if got, err := run(program(t, r, entry("f32[]", "x", "add_one", "", ""))); err != nil || got.String() != "f32[] 4" {
			t.Errorf("got %v, %v, want 4", got, err)
		}
	}
}

func TestLoadFolders(t *testing.T) {
	dir := t.TempDir()
	whole, err := os.ReadFile(built(t, "functions.c"))
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "libnamed.so"), string(whole))
	write(t, filepath.Join(dir, "libplain.so"), string(whole))
	write(t, filepath.Join(dir, "named.json"), `{"library": "libnamed.so", "symbols": {"plus": "add_one",
 "staged": {"prepare": "begin_run", "execute": "in_run"}},
 "types": {"t": {"type_id": "counter_id", "type_info": "counter_info"}}}`)
	write(t, filepath.Join(dir, "broken.json"), "{")
	r := customcall.New()
	t.Cleanup(func() { r.Close() })
	separator, file := string(os.PathListSeparator), filepath.Join(dir, "broken.json")
	wantError(t, "broken", r.LoadFolders(dir+separator+"/nonesuch"+separator+file), "broken.json: it ends early",
		"folder of custom-call libraries: open /nonesuch: no such file or directory", file+": not a directory")
	for target, want := range map[string]string{"plus": "f32[] 4", "add_one": "f32[] 4"} {
		if got, err := run(program(t, r, entry("f32[]", "x", target, "", ""))); err != nil || got.String() != want {
			t.Errorf("%s: got %v, %v, want %s", target, got, err, want)
		}
	}
	if got, err := run(program(t, r, entry("s32[]", "", "staged", "", ""))); err != nil || got.String() != "s32[] 1" {
		t.Errorf("staged: got %v, %v", got, err)
	}
}

// What a library registers is served by those that loaded it: not by who loads another one next, when the first could not
// be taken or is gone, nor by who loads another one meanwhile.
func TestRegistrations(t *testing.T) {
	other, dir := built(t, "functions.c"), t.TempDir()
	whole, err := os.ReadFile(built(t, "registers.c"))
	if err != nil {
		t.Fatal(err)
	}
	copyOf := func(name string) string { return write(t, filepath.Join(dir, name), string(whole)) }
	has := func(path string, m *customcall.Manifest, want ...string) {
		t.Helper()
		r := customcall.New()
		defer r.Close()
		if err := r.Load(path, m); err != nil {
			t.Error(err)
		}
		if got := r.Targets(); !slices.Equal(got, want) {
			t.Errorf("%s serves %q, want %q", path, got, want)
		}
	}
	r := customcall.New()
	absent := &customcall.Manifest{Symbols: map[string]customcall.Symbols{"t": {Execute: "absent"}}}
	wantError(t, "no symbol", r.Load(copyOf("libfails.so"), absent), "lacks absent")
	has(other, nil)

	if err := r.Load(other, nil); err != nil {
		t.Fatal(err)
	}
	h, _ := r.Handler("registers")
	i, err := h.Instantiate(t.Context(), &ffi.Site{Target: "registers", Version: ffi.TypedFFI})
	if err != nil {
		t.Fatal(err)
	}
	i.Close()
	r.Close()
	has(copyOf("libnext.so"), nil, "two")
	process := customcall.New()
	t.Cleanup(func() { process.Close() })
	if err := process.LoadProcess(); err != nil || len(process.Targets()) > 0 {
		t.Errorf("the process serves %q, %v, of libraries that are closed", process.Targets(), err)
	}

	var all sync.WaitGroup
	for k := range 8 {
		path := copyOf(fmt.Sprintf("libcopy%d.so", k))
		all.Go(func() { has(path, nil, "two") })
		all.Go(func() { has(other, nil) })
	}
	all.Wait()
	if got, err := run(program(t, loaded(t, "registers.c", nil), entry("f32[]", "x", "two", "", ""))); err != nil ||
		got.String() != "f32[] 5" {
		t.Errorf("got %v, %v, want 5", got, err)
	}
}

// A library that stays in memory when it is closed registers nothing again either.
func TestRegisteredForGood(t *testing.T) {
	path := built(t, "registers.c", "-Wl,-z,nodelete")
	for range 3 {
		r := customcall.New()
		if err := r.Load(path, nil); err != nil {
			t.Fatal(err)
		}
		if got, err := run(program(t, r, entry("f32[]", "x", "two", "", ""))); err != nil || got.String() != "f32[] 5" {
			t.Errorf("got %v, %v, want 5", got, err)
		}
		r.Close()
	}
}

// A library that is open already, by whomever, registers nothing again, and serves what it registered the first time.
func TestRegisteredBefore(t *testing.T) {
	path := built(t, "registers.c")
	two := func(r *customcall.Registry) {
		t.Helper()
		if got, err := run(program(t, r, entry("f32[]", "x", "two", "", ""))); err != nil || got.String() != "f32[] 5" {
			t.Errorf("got %v, %v, want 5", got, err)
		}
	}
	load := func() *customcall.Registry {
		t.Helper()
		r := customcall.New()
		t.Cleanup(func() { r.Close() })
		if err := r.Load(path, nil); err != nil {
			t.Fatal(err)
		}
		two(r)
		return r
	}
	first, second := load(), load()
	first.Close()
	two(second)
	third := load()
	second.Close()
	third.Close()
	load().Close()

	somebody, err := dl.Load(path)
	if err != nil {
		t.Fatal(err)
	}
	process := customcall.New()
	t.Cleanup(func() { process.Close() })
	if err := process.LoadProcess(); err != nil {
		t.Fatal(err)
	}
	two(process)
	load().Close()
	load()
	somebody.Close()
}

// mapped reports whether a file is in the memory of this process.
func mapped(t *testing.T, path string) bool {
	maps, err := os.ReadFile("/proc/self/maps")
	testfile.Library(t, "proc", err)
	return strings.Contains(string(maps), path)
}

// A library is unloaded when the registry is closed and the last program that uses it.
func TestUnload(t *testing.T) {
	path := built(t, "functions.c")
	r := customcall.New()
	if err := r.Load(path, nil); err != nil {
		t.Fatal(err)
	}
	h, _ := r.Handler("add_one")
	i, err := h.Instantiate(t.Context(), &ffi.Site{Target: "add_one", Version: ffi.TypedFFI})
	if err != nil {
		t.Fatal(err)
	}
	r.Close()
	if !mapped(t, path) {
		t.Error("unloaded while an instance is there")
	}
	i.Close()
	if mapped(t, path) {
		t.Error("not unloaded")
	}
}

// Functions of the process serve the targets of their names: here those that this program exports to libraries.
func TestLoadProcess(t *testing.T) {
	built(t, "functions.c")
	r := customcall.New()
	t.Cleanup(func() { r.Close() })
	if err := r.LoadProcess(); err != nil {
		t.Fatal(err)
	}
	if _, ok := r.Handler("XlaCustomCallStatusSetSuccess"); !ok {
		t.Error("a function of the process is not found")
	}
	if _, ok := r.Handler("no_such_function"); ok {
		t.Error("found what is not there")
	}
}

func TestReadManifest(t *testing.T) {
	_, err := customcall.ReadManifest(write(t, filepath.Join(t.TempDir(), "m.json"), `{"symbols": {}}`))
	wantError(t, "no library", err, `m.json: "library" is missing`)
	_, err = customcall.ReadManifest(write(t, filepath.Join(t.TempDir(), "m.json"), `{"library": "x", "symbols": {"a": 5}}`))
	wantError(t, "symbol", err, `m.json: got a number, want an object, or the name of a function`)
	_, err = customcall.ReadManifest(write(t, filepath.Join(t.TempDir(), "m.json"), `{"library": "x", "symbols": []}`))
	wantError(t, "symbols", err, `m.json: symbols: got an array, want an object`)
}

// FuzzManifest reads manifests: no panic, and a library is named or the file refused.
func FuzzManifest(f *testing.F) {
	f.Add(`{"library": "lib.so", "symbols": {"scale": "Scale", "state": {"instantiate": "New", "execute": "Run"}},
		"types": {"t": {"type_id": "Id", "type_info": "Info"}}, "user_data": [{"type": "t", "create": "Make"}]}`)
	f.Add(`{"library": ""}`)
	f.Fuzz(func(t *testing.T, text string) {
		path := write(t, filepath.Join(t.TempDir(), "m.json"), text)
		testfile.Bounded(t, len(text), 64, func() {
			if m, err := customcall.ReadManifest(path); err == nil && m.Library == "" {
				t.Errorf("%s: no library and no error", text)
			}
		})
	})
}

// What links lead to is loaded once, however often it is named; folders may have any name.
func TestLoadFoldersWithLinks(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "plug[ins] *?")
	if err := os.Mkdir(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	path := built(t, "functions.c")
	link := func(to, name string) string {
		name = filepath.Join(dir, name)
		if err := os.Symlink(to, name); err != nil {
			t.Fatal(err)
		}
		return name
	}
	first, second := link(path, "libfirst.so"), link("libfirst.so", "libsecond.so")
	link(dir, "libfolder.so")
	link("/dev/zero", "zero.json")
	link("/dev/zero", "libzero.so")
	link("nowhere", "libgone.so")
	r := customcall.New()
	t.Cleanup(func() { r.Close() })
	wantError(t, "folder", r.LoadFolders(dir), "libfolder.so: is a folder", "zero.json: is no regular file",
		"libzero.so: is no regular file", "libgone.so: file does not exist")
	wantError(t, "manifest", r.LoadManifest(write(t, filepath.Join(dir, "gone.json"), `{"library": "libgone.so"}`)),
		"gone.json: custom-call library ", "libgone.so: file does not exist")
	if err := errors.Join(r.Load(first, nil), r.Load(second, nil), r.Load(path, nil)); err != nil {
		t.Fatal(err)
	}
	if got, err := run(program(t, r, entry("f32[]", "x", "add_one", "", ""))); err != nil || got.String() != "f32[] 4" {
		t.Errorf("got %v, %v, want 4: it is one library", got, err)
	}
	only := customcall.New()
	t.Cleanup(func() { only.Close() })
	write(t, filepath.Join(dir, "m.json"), `{"library": "libsecond.so", "symbols": {"plus": "add_one"}}`)
	wantError(t, "with a manifest", only.LoadFolders(dir), "libfolder.so")
	if got := only.Targets(); len(got) != 1 || got[0] != "plus" {
		t.Errorf("got targets %v, want plus", got)
	}
	if _, ok := only.Handler("add_one"); ok {
		t.Error("a library that a manifest names by another link serves the targets of its functions' names")
	}
}

// Files that are no manifests are refused, whatever they are, and none is waited for.
func TestReadManifestFails(t *testing.T) {
	dir := t.TempDir()
	pipe := filepath.Join(dir, "pipe.json")
	if err := syscall.Mkfifo(pipe, 0o666); err != nil {
		t.Fatal(err)
	}
	large := write(t, filepath.Join(dir, "large.json"), `{"library": "x"}`+strings.Repeat(" ", 1<<20))
	for path, want := range map[string]string{
		pipe: "pipe.json: is no regular file, want a manifest", dir: "is no regular file",
		large: "want a manifest of at most 1048576",
		write(t, filepath.Join(dir, "two.json"), `{"library": "x"} {"library": "y"}`):   "two.json: at byte 16: there is more, want one object",
		write(t, filepath.Join(dir, "deep.json"), strings.Repeat(`{"symbols":`, 20000)): "deep.json:1:110001: ",
	} {
		_, err := customcall.ReadManifest(path)
		wantError(t, path, err, want)
	}
	for text, want := range map[string]string{
		"{\n  \"library\": \"x\"\n  \"symbols\": {}\n}": `bad.json:3:3: invalid character '"'`,
		`{"library": "x", "symbol": {}}`: `bad.json: there is no key "symbol" here, want one of library, platform, ` +
			"symbols, types, user_data",
		`{"library": "x", "symbols": {"f": {"run": "f"}}}`: `there is no key "run" here, want one of instantiate, ` +
			"prepare, initialize, execute",
	} {
		_, err := customcall.ReadManifest(write(t, filepath.Join(dir, "bad.json"), text))
		wantError(t, text, err, want)
	}
	r := customcall.New()
	t.Cleanup(func() { r.Close() })
	tpu := &customcall.Manifest{Library: "lib.so", Platform: "TPU"}
	wantError(t, "platform", r.Load("lib.so", tpu), `lib.so: platform "TPU", want Host or CUDA`)
	wantError(t, "platform", r.LoadIsolated("lib.so", tpu, isolate.Options{}), `platform "TPU", want Host or CUDA`)
	wantError(t, "isolated", r.LoadIsolated("lib.so", &customcall.Manifest{Platform: customcall.CUDA}, isolate.Options{}),
		"functions are for a GPU, and cannot be isolated")
}

// Functions of a GPU are not called with arrays of the host's.
func TestPlatform(t *testing.T) {
	m := &customcall.Manifest{Platform: customcall.CUDA, Symbols: map[string]customcall.Symbols{"stream_of": {Execute: "stream_of"}}}
	r := loaded(t, "functions.c", m)
	parsed, err := hlo.Parse([]byte(entry("f32[]", "x", "stream_of", "", "")), "m.hlo")
	if err != nil {
		t.Fatal(err)
	}
	_, err = r.Instantiate(t.Context(), parsed.Entry.Root)
	wantError(t, "on the host", err, "its functions are for a GPU, as its manifest says")
	b, err := r.InstantiateOnStream(parsed.Entry.Root)
	if b == nil || err != nil {
		t.Fatalf("got %v, %v, want what serves on a stream", b, err)
	}
	b.Close()
	if b, err := loaded(t, "functions.c", nil).InstantiateOnStream(parsed.Entry.Root); b != nil || err != nil {
		t.Errorf("functions of the host: got %v, %v, want nothing", b, err)
	}
}
