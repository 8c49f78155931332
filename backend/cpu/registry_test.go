package cpu_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/halo-xla/halo/backend/cpu"
	"github.com/halo-xla/halo/customcall"
	"github.com/halo-xla/halo/ffi"
	"github.com/halo-xla/halo/xla/exec"
)

// Functions of a registry see tuples as leaves, layouts and aliases as the program says, with every thunk held to its
// memory, and as the reference calls them.
func TestRegistry(t *testing.T) {
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
		for i := range c.Results[0].Data {
			c.Results[0].Data[i] += 10
		}
		return nil
	}
	if err := errors.Join(r.Register("see", see), r.Register("add", add)); err != nil {
		t.Fatal(err)
	}
	for _, body := range []string{
		`ROOT r = (f32[2], u8[3,2], token[]) custom-call(p, k), custom_call_target="see"`,
		`ROOT r = u8[6] custom-call(m), custom_call_target="see", operand_layout_constraints={u8[3,2]{0,1}}`,
		`ROOT r = u8[3,2]{0,1} custom-call(m), custom_call_target="see"`,
		`ROOT r = u8[3,2] custom-call(m), custom_call_target="add", output_to_operand_aliasing={{}: (0, {})}`,
		`a = u8[3,2] custom-call(m), custom_call_target="add", output_to_operand_aliasing={{}: (0, {})}
  b = u8[3,2] custom-call(a), custom_call_target="add", output_to_operand_aliasing={{}: (0, {})}
  ROOT r = (u8[3,2], u8[3,2], u8[3,2]) tuple(m, a, b)`,
		`a = u8[3,2]{0,1} custom-call(m), custom_call_target="add", operand_layout_constraints={u8[3,2]{0,1}}, ` +
			`output_to_operand_aliasing={{}: (0, {})}
  ROOT r = (u8[3,2], u8[3,2]) tuple(m, a)`,
	} {
		agree(t, program{o: exec.Options{Handlers: r, Verify: true}, text: `
ENTRY e {
  x = f32[2] constant({1, 2})
  m = u8[3,2] constant({{1, 2}, {3, 4}, {5, 6}})
  p = (f32[2], u8[3,2]) tuple(x, m)
  k = token[] after-all()
  ` + body + "\n}"})
	}
}

// A function that refuses a call site does so when the program is compiled, and its instance ends with the program.
func TestInstances(t *testing.T) {
	r := customcall.New()
	defer r.Close()
	h := &counted{}
	if err := r.Bind("counted", h); err != nil {
		t.Fatal(err)
	}
	compile := func(config string) (exec.Program, error) {
		return cpu.New(cpu.Options{}).Compile(context.Background(), parsed(t, `ENTRY e {
  a = u8[] custom-call(), custom_call_target="counted", backend_config="`+config+`"
  b = u8[] custom-call(), custom_call_target="counted", backend_config="`+config+`"
  ROOT r = (u8[], u8[]) tuple(a, b)
}`), exec.Options{Handlers: r})
	}
	if _, err := compile("bad"); err == nil || !strings.Contains(err.Error(), `custom call "counted": FAILED_PRECONDITION`) {
		t.Errorf("got %v", err)
	}
	p, err := compile("good")
	if err != nil {
		t.Fatal(err)
	}
	if h.open != 2 {
		t.Errorf("%d instances, want one for each of 2 sites", h.open)
	}
	if p.Close(); h.open != 0 {
		t.Errorf("%d instances are open, want none", h.open)
	}
}

// counted counts its instances.
type counted struct{ open int }

func (h *counted) Instantiate(_ context.Context, s *ffi.Site) (customcall.Instance, error) {
	if s.Config == "bad" {
		return nil, ffi.Errorf(ffi.FailedPrecondition, "not this one")
	}
	h.open++
	return countedInstance{h}, nil
}

type countedInstance struct{ h *counted }

func (countedInstance) Call(context.Context, *ffi.Call) error { return nil }
func (i countedInstance) Close()                              { i.h.open-- }
