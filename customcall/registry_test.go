package customcall_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/halo-xla/halo/customcall"
	"github.com/halo-xla/halo/ffi"
	"github.com/halo-xla/halo/xla/exec"
	"github.com/halo-xla/halo/xla/hlo"
)

func nothing(context.Context, *ffi.Call) error { return nil }

func TestRegister(t *testing.T) {
	r := customcall.New()
	if err := errors.Join(r.Register("b", nothing), r.Register("a", nothing)); err != nil {
		t.Fatal(err)
	}
	wantError(t, "twice", r.Register("a", nothing), `Go code wants to serve the target "a", but Go code does already`)
	wantError(t, "empty", r.Register("", nothing), "the target is empty")
	wantError(t, "nil", r.Register("c", nil), "the function is nil")
	if got := strings.Join(r.Targets(), " "); got != "a b" {
		t.Errorf("got targets %s, want a b", got)
	}
	r.Close()
	if _, ok := r.Lookup("a"); ok {
		t.Error("a closed registry serves")
	}
}

// Go functions see leaves, layouts and aliases as the program says, and what they fail with keeps its code.
func TestGoFunctions(t *testing.T) {
	r := customcall.New()
	defer r.Close()
	see := func(_ context.Context, c *ffi.Call) error {
		for i := range c.Results {
			copy(c.Results[i].Data, c.Operands[i].Data)
		}
		return nil
	}
	add := func(_ context.Context, c *ffi.Call) error {
		if &c.Operands[0].Data[0] != &c.Results[0].Data[0] {
			return errors.New("no memory is shared")
		}
		c.Results[0].Data[0] += 10
		return nil
	}
	err := errors.Join(r.Register("see", see), r.Register("add", add),
		r.Register("panics", func(context.Context, *ffi.Call) error { panic("oh") }),
		r.Register("fails", func(context.Context, *ffi.Call) error { return ffi.Errorf(ffi.Aborted, "no %d", 7) }))
	if err != nil {
		t.Fatal(err)
	}
	const alias = ", output_to_operand_aliasing={{}: (0, {})}"
	for _, test := range []struct{ text, want string }{
		{entry("s8[6]", "m", "see", "", ", operand_layout_constraints={s8[2,3]{0,1}}"), "s8[6] {1, 4, 2, 5, 3, 6}"},
		{entry("s8[2,3]{0,1}", "m", "see", "", ""), "s8[2,3] { { 1, 3, 5 }, { 2, 4, 6 } }"},
		{entry("s8[2,3]", "m", "add", "", alias), "s8[2,3] { { 11, 2, 3 }, { 4, 5, 6 } }"},
		{entry("(f32[], (s8[2,3], s4[5]))", "x, m, n", "see", "", ""),
			"(f32[], (s8[2,3], s4[5])) ( 3, ( { { 1, 2, 3 }, { 4, 5, 6 } }, {1, -2, 3, -4, 5} ) )"},
	} {
		got, err := run(program(t, r, test.text))
		if err != nil || got.String() != test.want {
			t.Errorf("%s\ngot %v, %v, want %s", test.text, got, err, test.want)
		}
	}
	_, err = run(program(t, r, entry("f32[]", "x", "fails", "", "")))
	var coded *ffi.Error
	if !errors.As(err, &coded) || coded.Code != ffi.Aborted || coded.Message != "no 7" {
		t.Errorf("got %v, want ABORTED", err)
	}
	_, err = run(program(t, r, entry("f32[]", "x", "panics", "", "")))
	wantError(t, "panic", err, "INTERNAL: the function panicked: oh")
}

func TestAliases(t *testing.T) {
	r := customcall.New()
	defer r.Close()
	if err := r.Register("t", nothing); err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"{{}: (3, {})}":                 "got operand 3, want 0 to 0",
		"{{0}: (0, {})}":                "{{0}: (0, {})}: result s8[2,3] has no such part",
		"{{}: (0, {1})}":                "{{}: (0, {1})}: operand s8[2,3] has no such part",
		"{x}":                           "want {{result}: (operand, {part}), ...}",
		"{{}: (0, {}, may-alias)}":      "",
		"{ {}: (0, {}), {}: (0, { }) }": "",
	} {
		m, err := hlo.Parse([]byte(entry("s8[2,3]", "m", "t", "", ", output_to_operand_aliasing="+text)), "m.hlo")
		if err != nil {
			continue // the reader may refuse it first
		}
		b, err := r.Instantiate(t.Context(), m.Entry.Root)
		if err == nil {
			b.Close()
		}
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: got %v, want %q", text, err, want)
		}
	}
}

// Programs with attributes that cannot be read fail when they are compiled or run, with the attribute's name.
func TestBadAttributes(t *testing.T) {
	r := customcall.New()
	defer r.Close()
	if err := r.Register("t", nothing); err != nil {
		t.Fatal(err)
	}
	m, err := hlo.Parse([]byte(entry("f32[]", "x", "t", "list = [1, 2]", "")), "m.hlo")
	if err != nil {
		t.Fatal(err)
	}
	p, err := exec.Reference().Compile(context.Background(), m, exec.Options{Handlers: r})
	if err == nil {
		_, err = run(p)
		p.Close()
	}
	wantError(t, "list", err, "backend_config", "attribute list", "lists in brackets")
}
