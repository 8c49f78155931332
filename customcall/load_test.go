package customcall_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/halo-xla/halo/customcall"
	"github.com/halo-xla/halo/ffi"
	"github.com/halo-xla/halo/internal/testfile"
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
	wantError(t, "nowhere", r.Load("libnowhere.so", nil), "libnowhere.so: file does not exist: tried libnowhere.so, "+
		filepath.Join(dir, "libnowhere.so"))
	wantError(t, "no symbol", r.Load(path, symbols("t", "absent")), path, "lacks absent", `wanted for the target "t"`)
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
	wantError(t, "broken", r.LoadFolders(dir+separator+"/nonesuch"+separator+file), "broken.json: unexpected",
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
	wantError(t, "symbol", err, "m.json")
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
