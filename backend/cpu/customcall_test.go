package cpu_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/halo-xla/halo/backend/cpu"
	"github.com/halo-xla/halo/xla/exec"
	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// handlers are functions by target.
type handlers map[string]hlo.Handler

func (h handlers) Lookup(target string) (hlo.Handler, bool) { f, ok := h[target]; return f, ok }

func TestHandlers(t *testing.T) {
	h := handlers{
		"swap": func(_ context.Context, call *hlo.Instruction, args []*literal.Literal) (*literal.Literal, error) {
			if call.Common.Config != "opaque" {
				return nil, fmt.Errorf("config is %q", call.Common.Config)
			}
			return literal.NewTuple(args[1].Clone(), args[0].Elems()[1].Clone()), nil
		},
		"bytes": func(_ context.Context, _ *hlo.Instruction, args []*literal.Literal) (*literal.Literal, error) {
			return literal.FromBytes(shape.Array(shape.U8, 6), append([]byte{}, args[0].Bytes()...))
		},
		"columns": func(_ context.Context, _ *hlo.Instruction, args []*literal.Literal) (*literal.Literal, error) {
			return args[0].Relayout(&shape.Layout{MinorToMajor: []int64{0, 1}})
		},
	}
	agree(t, program{o: exec.Options{Handlers: h}, text: `
ENTRY e {
  a = f32[2] constant({1, 2})
  b = s8[] constant(3)
  p = (f32[2], s8[]) tuple(a, b)
  ROOT r = (f32[2], s8[]) custom-call(p, a), custom_call_target="swap", backend_config="opaque"
}`})
	const matrix = "ENTRY e {\n  a = u8[2,3] constant({{1, 2, 3}, {4, 5, 6}})\n  ROOT r = %s\n}"
	for body, want := range map[string]string{
		`u8[6] custom-call(a), custom_call_target="bytes"`:                                               "u8[6] {1, 2, 3, 4, 5, 6}",
		`u8[6] custom-call(a), custom_call_target="bytes", operand_layout_constraints={u8[2,3]{0,1}}`:    "u8[6] {1, 4, 2, 5, 3, 6}",
		`u8[2,3] custom-call(a), custom_call_target="columns", output_to_operand_aliasing={{}: (0, {})}`: "u8[2,3] { { 1, 2, 3 }, { 4, 5, 6 } }",
	} {
		p := program{o: exec.Options{Handlers: h}, text: fmt.Sprintf(matrix, body)}
		agree(t, p)
		if got := p.results(t, parsed(t, p.text), 1)[0]; got.String() != want {
			t.Errorf("%s\ngot %v, want %s", body, got, want)
		}
	}
}

// Known targets are compiled as the ops that they mean: none is evaluated by its definition.
func TestKnownTargets(t *testing.T) {
	for _, body := range []string{
		`ROOT r = f32[5] custom-call(x), custom_call_target="Sharding", custom_call_has_side_effect=true`,
		`ROOT r = f32[5] custom-call(x), custom_call_target="mhlo.erf"`,
		`ROOT r = f32[5] custom-call(x), custom_call_target="mhlo.tan"`,
		`l = u32[2] constant({1, 4294967295})
  h = u32[2] constant({1, 4294967295})
  ROOT r = s64[2] custom-call(l, h), custom_call_target="X64Combine"`,
		`s = u64[2] constant({1, 2})
  d = s64[2] constant({3, 4})
  ROOT r = (u64[2], u32[3,4]) custom-call(s, d), custom_call_target="stablehlo.dynamic_rng_bit_generator", ` +
			`frontend_attributes={rng_algorithm="THREE_FRY"}`,
		`yes = pred[] constant(true)
  a = () custom-call(yes), custom_call_target="shape_assertion", custom_call_has_side_effect=true
  ROOT r = f32[5] copy(x)`,
	} {
		agree(t, program{text: "ENTRY e {\n  x = f32[5] constant({3, 1, 4, 1.5, 9})\n  " + body + "\n}", ulp: 2})
	}
}

func TestShapeAssertion(t *testing.T) {
	p := program{text: `
ENTRY e {
  no = pred[] parameter(0)
  k = s32[] constant(2)
  a = () custom-call(no, k), custom_call_target="shape_assertion", custom_call_has_side_effect=true, frontend_attributes={error_message="got {0}"}
  ROOT r = s32[] copy(k)
}`, args: []*literal.Literal{literal.Scalar(false)}}
	program, err := cpu.New(cpu.Options{}).Compile(context.Background(), parsed(t, p.text), p.o)
	if err != nil {
		t.Fatal(err)
	}
	defer program.Close()
	_, err = program.Run(context.Background(), p.perDevice(), p.run)
	if err == nil || !strings.Contains(err.Error(), "shape assertion failed: got 2") {
		t.Errorf("got %v", err)
	}
}

func TestUnknownTarget(t *testing.T) {
	m := parsed(t, "ENTRY e { ROOT r = f32[] custom-call(), custom_call_target=\"lost\" }")
	_, err := cpu.New(cpu.Options{}).Compile(context.Background(), m, exec.Options{AllowReference: true})
	const want = `m.hlo:1:16: custom-call(): no function is registered for the custom call "lost"`
	if !errors.Is(err, errors.ErrUnsupported) || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v", err)
	}
}

// Programs on a grid of their own are compiled too, and share one infeed.
func TestRunParallel(t *testing.T) {
	agree(t, program{text: `
sum {
  a = s32[] parameter(0)
  b = s32[] parameter(1)
  ROOT r = s32[] add(a, b)
}
first {
  p = s32[] parameter(0)
  t = token[] after-all()
  q = (s32[], token[]) infeed(t)
  v = s32[] get-tuple-element(q), index=0
  u = token[] outfeed(v, t)
  w = s32[] all-reduce(p), replica_groups={}, to_apply=sum
  ROOT r = (s32[], s32[]) tuple(v, w)
}
second {
  p = s32[] parameter(0)
  ROOT r = s32[] all-reduce(p), replica_groups={}, to_apply=sum
}
feed { ROOT r = s32[] constant(7) }
ENTRY main {
  x = s32[] constant(1)
  y = s32[] constant(10)
  ROOT r = (s32[], s32[], s32[]) custom-call(x, y), custom_call_target="interpreter.run_parallel", ` +
		`called_computations={first, second, feed}, backend_config={infeed = [@"feed, [1]"], programs = [[@first], [@second]]}
}`})
}
