package plugin

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/halo-xla/halo/customcall"
	"github.com/halo-xla/halo/customcall/isolate"
	"github.com/halo-xla/halo/ffi"
	"github.com/halo-xla/halo/xla/shape"
)

func TestMain(m *testing.M) {
	isolate.Serve(func([]byte) (isolate.Instantiator, error) {
		return func(_ context.Context, s *ffi.Site) (isolate.Server, error) { return function(s.Target), nil }, nil
	})
	os.Exit(m.Run())
}

// function stands for one of a library.
type function string

var calls atomic.Int64

func (f function) Call(_ context.Context, c *ffi.Call) error {
	out, in := c.Results[0].Data, c.Operands[0].Data
	copy(out, in)
	switch n := calls.Add(1); f {
	case "random":
		out[2] = byte(n)
	case "changes":
		in[0]++
		out[0] = 9
	case "fails":
		return ffi.Errorf(ffi.InvalidArgument, "no")
	case "dies":
		os.Exit(4)
	case "second":
		if n > 1 {
			return errors.New("once is enough")
		}
	}
	return nil
}

func (function) Close() {}

// handler serves with a pool, as those of isolated libraries do.
type handler struct{ *isolate.Pool }

func (h handler) Instantiate(ctx context.Context, s *ffi.Site) (customcall.Instance, error) {
	return h.Pool.Instantiate(ctx, s, false)
}

func TestChecker(t *testing.T) {
	v := ffi.Value{Type: shape.U8, Dims: []int64{4}}
	for target, want := range map[string]string{
		"good": "", "fails": "", "dies": `ended with exit status 4`, "second": "fails when it is called again: once is enough",
		"random":  "result 0, element 2 differs between two calls on the same operands",
		"changes": "the function wrote to operand 0 (u8[4]), at its byte 0",
	} {
		pool, err := isolate.Open("lib.so", nil, isolate.Options{Processes: 1})
		if err != nil {
			t.Fatal(err)
		}
		defer pool.Close()
		c := &Checker{Race: 2}
		site := &ffi.Site{Target: target, Operands: []ffi.Value{v}, Results: []ffi.Value{v}}
		i, err := c.Wrap(handler{pool}).Instantiate(context.Background(), site)
		if err != nil {
			t.Fatal(err)
		}
		defer i.Close()
		call := &ffi.Call{Site: site, Operands: []ffi.Buffer{{Value: v, Data: []byte("abcd")}},
			Results: []ffi.Buffer{{Value: v, Data: make([]byte, 4)}}}
		err = i.Call(context.Background(), call)
		if (err != nil) != (target == "fails" || target == "dies") {
			t.Errorf("%s: got %v", target, err)
		}
		findings, tried := c.Findings()
		if said := fmt.Sprint(findings); !strings.Contains(said, want) || want == "" && len(findings) > 0 || tried != 1 {
			t.Errorf("%s: got %s of %d calls, want %q", target, said, tried, want)
		}
	}
}

// A project has a function, a Makefile, headers and cases.
func ExampleNew() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	if err := New(filepath.Join(dir, "scale"), "scale", "c"); err != nil {
		fmt.Println(err)
	}
	filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			fmt.Println(strings.TrimPrefix(path, dir+"/"))
		}
		return err
	})
	// Output:
	// scale/.gitignore
	// scale/CMakeLists.txt
	// scale/Makefile
	// scale/README.md
	// scale/cases/basic/expected_0.npy
	// scale/cases/basic/input_0.npy
	// scale/cases/basic/meta.json
	// scale/cases/basic/module.mlir
	// scale/cases/refuses_integers/input_0.npy
	// scale/cases/refuses_integers/meta.json
	// scale/cases/refuses_integers/module.mlir
	// scale/halo-ffi.pc
	// scale/include/halo/ffi.h
	// scale/include/xla/ffi/api/c_api.h
	// scale/scale.c
}

// TestTypeNames wants that the tables of element types' names, in C and in Rust, have those of XLA's header.
func TestTypeNames(t *testing.T) {
	enum := regexp.MustCompile(`XLA_FFI_DataType_(\w+) = (\d+)`).FindAllStringSubmatch(ffi.Header, -1)
	if len(enum) < 20 {
		t.Fatalf("XLA's header has %d element types", len(enum))
	}
	for file, start := range map[string]string{"include/halo/ffi.h": "names[] = {",
		"templates/rust/src/ffi.rs.tmpl": "const TYPES: [&str; 34] = ["} {
		text, err := files.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		_, table, _ := strings.Cut(string(text), start)
		table, _, _ = strings.Cut(table, ";")
		names := regexp.MustCompile(`"\w+"|\b0\b`).FindAllString(table, -1)
		for _, e := range enum {
			want := strconv.Quote(strings.ToLower(e[1]))
			if i, _ := strconv.Atoi(e[2]); i >= len(names) || names[i] != want {
				t.Errorf("%s: element type %d of %d is not %s: %q", file, i, len(names), want, names)
			}
		}
	}
}
