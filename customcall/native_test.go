package customcall_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	osexec "os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"unsafe"

	"github.com/halo-xla/halo/cgo/crash"
	"github.com/halo-xla/halo/customcall"
	"github.com/halo-xla/halo/ffi"
	"github.com/halo-xla/halo/internal/testfile"
	"github.com/halo-xla/halo/xla/exec"
	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

var build sync.Mutex

// built returns a library made of a file of testdata.
func built(t testing.TB, source string, more ...string) string {
	t.Helper()
	testfile.Native(t, crash.Available)
	compiler, flags := "cc", []string{"-O2", "-std=gnu11"}
	if strings.HasSuffix(source, ".cc") {
		compiler, flags = "c++", []string{"-O2", "-std=c++17"}
	}
	compiler, err := osexec.LookPath(compiler)
	testfile.Library(t, "cc", err)
	build.Lock()
	defer build.Unlock()
	to := filepath.Join(t.TempDir(), "lib"+strings.TrimSuffix(source, filepath.Ext(source))+".so")
	flags = append(append(flags, more...), "-shared", "-fPIC", "-pthread", "-I../ffi/include", filepath.Join("testdata", source), "-o", to)
	if out, err := osexec.Command(compiler, flags...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return to
}

// loaded returns a registry with the library of a source.
func loaded(t testing.TB, source string, m *customcall.Manifest) *customcall.Registry {
	t.Helper()
	path := built(t, source)
	r := customcall.New()
	t.Cleanup(func() { r.Close() })
	if err := r.Load(path, m); err != nil {
		t.Fatal(err)
	}
	return r
}

// program compiles a module for the reference.
func program(t testing.TB, h hlo.Handlers, text string) exec.Program {
	t.Helper()
	m, err := hlo.Parse([]byte(text), "m.hlo")
	if err != nil {
		t.Fatal(err)
	}
	p, err := exec.Reference().Compile(context.Background(), m, exec.Options{Handlers: h})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	return p
}

func run(p exec.Program, args ...*literal.Literal) (*literal.Literal, error) {
	out, err := p.Run(context.Background(), [][]*literal.Literal{args}, exec.RunOptions{})
	if err != nil {
		return nil, err
	}
	return out[0], nil
}

// entry is a module whose only instruction is a typed call.
func entry(result, operands, target, config, more string) string {
	return fmt.Sprintf("ENTRY e {\n%s  ROOT r = %s custom-call(%s), custom_call_target=%q, "+
		"api_version=API_VERSION_TYPED_FFI, backend_config={%s}%s\n}", constants, result, operands, target, config, more)
}

const constants = `  x = f32[] constant(3)
  m = s8[2,3] constant({{1, 2, 3}, {4, 5, 6}})
  n = s4[5] constant({1, -2, 3, -4, 5})
  u = u2[2,3] constant({{0, 1, 2}, {3, 2, 1}})
`

func TestNative(t *testing.T) {
	r := loaded(t, "functions.c", nil)
	for _, test := range []struct{ text, want string }{
		{entry("f32[]", "x", "add_one", "", ""), "f32[] 4"},
		{entry("s32[5]", "x, m, n", "sizes", "", ""), "s32[5] {1, 1, 1, 1, 1}"},
		{entry("s8[6]", "m", "raw", "a = 6 : i64", ""), "s8[6] {1, 2, 3, 4, 5, 6}"},
		{entry("s8[6]", "m", "raw", "a = 6 : i64", ", operand_layout_constraints={s8[2,3]{0,1}}"),
			"s8[6] {1, 4, 2, 5, 3, 6}"},
		{entry("s8[2,3]{0,1}", "m", "raw", "a = 6 : i64", ""), "s8[2,3] { { 1, 3, 5 }, { 2, 4, 6 } }"},
		{entry("u8[3]", "n", "raw", "a = 3 : i64", ""), "u8[3] {225, 195, 5}"}, // 1|14<<4, 3|12<<4, 5
		{entry("s4[5]", "n", "raw", "a = 3 : i64", ""), "s4[5] {1, -2, 3, -4, 5}"},
		{entry("u8[2]", "u", "raw", "a = 2 : i64", ", operand_layout_constraints={u2[2,3]{0,1}}"), "u8[2] {156, 6}"},
		{entry("u2[3,2]{0,1}", "u", "raw", "a = 2 : i64", ""), "u2[3,2] { { 0, 3 }, { 1, 2 }, { 2, 1 } }"},
		{entry("f32[]", "x", "later", "", ""), "f32[] 6"},
		{entry("s32[]", "", "scratch", "", ""), "s32[] 1"},
		{entry("s32[]", "", "spread", "", ""), "s32[] 4950"},
		{"ENTRY e {\n" + constants + `ROOT r = (f32[], f32[]) custom-call(x), custom_call_target="two"` + "\n}",
			"(f32[], f32[]) ( 3, -3 )"},
		{"ENTRY e {\n" + constants + `ROOT r = f32[] custom-call(x), custom_call_target="changes_its_mind", ` +
			"api_version=API_VERSION_STATUS_RETURNING\n}", "f32[] 1"},
		{"ENTRY e {\n" + constants + `ROOT r = u8[8] custom-call(x), custom_call_target="opaque_bytes", ` +
			"api_version=API_VERSION_STATUS_RETURNING_UNIFIED, backend_config=\"hello\"\n}",
			"u8[8] {104, 101, 108, 108, 111, 0, 0, 0}"},
	} {
		got, err := run(program(t, r, test.text))
		if err != nil || got.String() != test.want {
			t.Errorf("%s\ngot %v, %v, want %s", test.text, got, err, test.want)
		}
	}
}

func TestNativeFails(t *testing.T) {
	r := loaded(t, "functions.c", nil)
	long := strings.Repeat("word ", 4000)
	for code := ffi.Cancelled; code <= ffi.Unauthenticated; code++ {
		p := program(t, r, entry("f32[]", "x", "fails",
			fmt.Sprintf(`a = %d : i64, b = "word ", c = 4000 : i64`, code), ""))
		_, err := run(p)
		var got *ffi.Error
		if !errors.As(err, &got) || got.Code != code || got.Message != long {
			t.Errorf("code %v: got %.200v", code, err)
		}
	}
	for text, want := range map[string]string{
		entry("f32[]", "x", "raw", "a = 1.0 : f16", ""):                                         "scalars of type f16",
		entry("f32[]", "x", "nowhere", "", ""):                                                  `the custom call "nowhere"`,
		strings.Replace(entry("f32[]", "x", "later", "", ""), "constant(3)", "constant(-3)", 1): "DATA_LOSS: later: negative",
		"ENTRY e {\n  x = f32[] constant(-1)\n" + `  ROOT r = f32[] custom-call(x), custom_call_target="changes_its_mind", ` +
			"api_version=API_VERSION_STATUS_RETURNING\n}": "INTERNAL: negative",
	} {
		m, err := hlo.Parse([]byte(text), "m.hlo")
		if err != nil {
			t.Fatal(err)
		}
		p, err := exec.Reference().Compile(context.Background(), m, exec.Options{Handlers: r})
		if err == nil {
			_, err = run(p)
			p.Close()
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s\ngot %v, want %q", text, err, want)
		}
	}
}

// States of every layout count from their start, have one instance a site, and are deleted once.
func TestStates(t *testing.T) {
	m := &customcall.Manifest{Symbols: map[string]customcall.Symbols{"how_many": {Execute: "how_many"}},
		Types: map[string]customcall.TypeSymbols{"test.counter": {ID: "counter_id", Info: "counter_info"}}}
	for _, v := range []string{"1", "2", "3"} {
		m.Symbols["count_"+v] = customcall.Symbols{Instantiate: "make_" + v, Execute: "count_" + v}
	}
	m.Symbols["in_run"] = customcall.Symbols{Prepare: "begin_run", Execute: "in_run"}
	r := loaded(t, "functions.c", m)
	for _, v := range []string{"1", "2", "3"} {
		p := program(t, r, "ENTRY e {\n"+`  a = s64[] custom-call(), custom_call_target="count_`+v+
			`", api_version=API_VERSION_TYPED_FFI, backend_config={start = 10 : i64}
  b = s64[] custom-call(), custom_call_target="count_`+v+
			`", api_version=API_VERSION_TYPED_FFI, backend_config={start = 20 : i64}
  ROOT t = (s64[], s64[]) tuple(a, b)
}`)
		for i, want := range []string{"(s64[], s64[]) ( 10, 20 )", "(s64[], s64[]) ( 11, 21 )"} {
			if got, err := run(p); err != nil || got.String() != want {
				t.Errorf("layout %s, run %d: got %v, %v, want %s", v, i, got, err, want)
			}
		}
	}
	p := program(t, r, entry("s32[]", "", "in_run", "", ""))
	for range 3 {
		if got, err := run(p); err != nil || got.String() != "s32[] 1" {
			t.Errorf("got %v, %v", got, err)
		}
	}
	_, site := instance(t, r, "how_many", "s32[]", nil)
	c := &ffi.Call{Site: site, Results: []ffi.Buffer{{Value: site.Results[0], Data: make([]byte, 4)}}}
	b, _ := instance(t, r, "how_many", "s32[]", nil)
	if err := b.Call(context.Background(), c); err != nil || c.Results[0].Data[0] != 3 {
		t.Errorf("got %v, %v, want the 3 states of runs deleted", c.Results[0].Data, err)
	}
}

// Libraries with types of one name have a deleter each, and each ends its own states: another's may be closed by then.
func TestDeleters(t *testing.T) {
	path := built(t, "functions.c")
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	m := &customcall.Manifest{Symbols: map[string]customcall.Symbols{"how_many": {Execute: "how_many"},
		"count": {Instantiate: "make_3", Execute: "count_3"}},
		Types: map[string]customcall.TypeSymbols{"test.shared": {ID: "counter_id", Info: "counter_info"}}}
	load := func(path string) *customcall.Registry {
		r := customcall.New()
		t.Cleanup(func() { r.Close() })
		if err := r.Load(path, m); err != nil {
			t.Fatal(err)
		}
		return r
	}
	first := load(path)
	second := load(write(t, filepath.Join(t.TempDir(), "libsecond.so"), string(whole)))
	state := func(r *customcall.Registry) customcall.Instance {
		attrs, _ := ffi.ParseAttrs("{start = 10 : i64}")
		h, _ := r.Handler("count")
		i, err := h.Instantiate(t.Context(), &ffi.Site{Target: "count", Version: ffi.TypedFFI, Attrs: attrs})
		if err != nil {
			t.Fatal(err)
		}
		return i
	}
	deleted := func(r *customcall.Registry, want string) {
		t.Helper()
		if got, err := run(program(t, r, entry("s32[]", "", "how_many", "", ""))); err != nil || got.String() != want {
			t.Errorf("got %v, %v states deleted, want %s", got, err, want)
		}
	}
	of := state(first)
	other := state(second)
	other.Close()
	deleted(second, "s32[] 1")
	second.Close()
	of.Close()
	deleted(first, "s32[] 1")
	state(first).Close()
	deleted(first, "s32[] 2")
}

// instance returns an instance of a typed call without attributes, and its site.
func instance(t testing.TB, r *customcall.Registry, target, result string, operands []ffi.Value) (customcall.Instance,
	*ffi.Site) {
	t.Helper()
	s, err := shape.Parse(result)
	if err != nil {
		t.Fatal(err)
	}
	site := &ffi.Site{Target: target, Version: ffi.TypedFFI, Operands: operands,
		Results: []ffi.Value{{Type: s.Type, Dims: s.Dims}}}
	h, ok := r.Handler(target)
	if !ok {
		t.Fatalf("nobody serves %s", target)
	}
	i, err := h.Instantiate(context.Background(), site)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(i.Close)
	return i, site
}

func TestExceptions(t *testing.T) {
	r := loaded(t, "throws.cc", nil)
	for i, want := range []string{strings.Repeat("x", 3000) + " end", "the second base", "an exception of type i left",
		"an exception of type NSt", "again"} {
		_, err := run(program(t, r, entry("s32[]", "", "throws", fmt.Sprintf("a = %d : i64", i), "")))
		var got *ffi.Error
		if !errors.As(err, &got) || got.Code != ffi.Unknown || !strings.Contains(got.Message, want) {
			t.Errorf("%d: got %v, want UNKNOWN with %q", i, err, want)
		}
	}
	got, err := run(program(t, r, entry("s32[]", "", "throws", "a = 9 : i64", "")))
	if err != nil || got.String() != "s32[] 1" {
		t.Errorf("objects of the functions that threw: got %v, %v, want that of this one alone", got, err)
	}
}

// One instance serves many goroutines, and does not grow.
func TestNativeAtOnce(t *testing.T) {
	r := loaded(t, "functions.c", nil)
	i, _ := instance(t, r, "add_one", "f32[]", []ffi.Value{{Type: shape.F32}})
	n, ok := customcall.NativeOf(i)
	if !ok {
		t.Fatal("no native instance")
	}
	calls := 1000000 / 16
	if testing.Short() {
		calls = 1000
	}
	warm := func(count int) {
		var wg sync.WaitGroup
		for g := range 16 {
			wg.Go(func() { addOnes(t, n, float32(g), count) })
		}
		wg.Wait()
	}
	warm(1000)
	const windows = 4
	least := int64(math.MaxInt64) // a thread that begins takes memory in one of them
	for range windows {
		before := residentBytes(t)
		warm(calls / windows)
		least = min(least, residentBytes(t)-before)
	}
	if least > 3<<20 { // sixteen bytes a call would be 4 MB
		t.Errorf("a million calls: %d bytes more in each quarter", least)
	}
}

// A call on buffers needs no memory of Go's.
func TestNativeCallAllocates(t *testing.T) {
	r := loaded(t, "functions.c", nil)
	scalar := ffi.Value{Type: shape.F32}
	i, site := instance(t, r, "add_one", "f32[]", []ffi.Value{scalar})
	c := &ffi.Call{Site: site, RunID: 1, Operands: []ffi.Buffer{{Value: scalar, Data: make([]byte, 4)}},
		Results: []ffi.Buffer{{Value: scalar, Data: make([]byte, 4)}}}
	n := testing.AllocsPerRun(1000, func() {
		if err := i.Call(t.Context(), c); err != nil {
			t.Fatal(err)
		}
	})
	if n != 0 || number(c) != 1 {
		t.Errorf("got %v allocations a call, and %v; want none, and 1", n, number(c))
	}
}

func addOnes(t *testing.T, n *ffi.Native, x float32, count int) {
	var pins runtime.Pinner
	defer pins.Unpin()
	in, out := new([16]float32), new([16]float32)
	pins.Pin(in)
	pins.Pin(out)
	for i := range count {
		in[0] = x + float32(i%1000)
		f := n.Frame()
		f.Addresses[0], f.Addresses[1] = addressOf(in), addressOf(out)
		err := f.Call(context.Background(), 1, 0)
		n.Release(f)
		if err != nil || out[0] != in[0]+1 {
			t.Errorf("%v + 1: got %v, %v", in[0], out[0], err)
			return
		}
	}
}

func residentBytes(t testing.TB) int64 {
	b, err := os.ReadFile("/proc/self/statm")
	testfile.Library(t, "proc", err)
	var size, resident int64
	if _, err := fmt.Sscan(string(b), &size, &resident); err != nil {
		t.Fatal(err)
	}
	return resident * int64(os.Getpagesize())
}

// BenchmarkNative is the cost of a call of a function in C that adds two numbers.
func BenchmarkNative(b *testing.B) {
	r := loaded(b, "functions.c", nil)
	i, _ := instance(b, r, "add_one", "f32[]", []ffi.Value{{Type: shape.F32}})
	n, _ := customcall.NativeOf(i)
	var pins runtime.Pinner
	defer pins.Unpin()
	in, out := new([16]float32), new([16]float32)
	pins.Pin(in)
	pins.Pin(out)
	b.ReportAllocs()
	for b.Loop() {
		f := n.Frame()
		f.Addresses[0], f.Addresses[1] = addressOf(in), addressOf(out)
		if err := f.Call(context.Background(), 1, 0); err != nil {
			b.Fatal(err)
		}
		n.Release(f)
	}
}

func addressOf(p *[16]float32) uintptr { return uintptr(unsafe.Pointer(p)) }
