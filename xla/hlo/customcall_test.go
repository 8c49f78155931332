package hlo

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// handlers are functions by target.
type handlers map[string]Handler

func (h handlers) Lookup(target string) (Handler, bool) { f, ok := h[target]; return f, ok }

func TestHandlers(t *testing.T) { // row 90
	ctx := context.WithValue(context.Background(), t, "here")
	h := handlers{
		"swap": func(ctx context.Context, call *Instruction, args []*literal.Literal) (*literal.Literal, error) {
			if ctx.Value(t) != "here" || call.Common.Config != "opaque" {
				t.Error("the handler did not get the context and the opaque text")
			}
			return literal.NewTuple(args[1], args[0]), nil
		},
		"fails": func(context.Context, *Instruction, []*literal.Literal) (*literal.Literal, error) {
			return nil, errors.New("no")
		},
		"panics":  func(context.Context, *Instruction, []*literal.Literal) (*literal.Literal, error) { panic("ouch") },
		"nothing": func(context.Context, *Instruction, []*literal.Literal) (*literal.Literal, error) { return nil, nil },
		"other": func(context.Context, *Instruction, []*literal.Literal) (*literal.Literal, error) {
			return literal.Scalar(int32(1)), nil
		},
		"columns": func(_ context.Context, _ *Instruction, args []*literal.Literal) (*literal.Literal, error) {
			return args[0].Relayout(&shape.Layout{MinorToMajor: []int64{0, 1}})
		},
	}
	c := build(t, "main", func(b *Builder) *Instruction {
		p := b.Parameter(0, vec32(2), "p")
		i := ConstantR0(b, int32(3))
		return b.CustomCall("swap", []*Instruction{p, i}, shape.TupleOf(s32S, vec32(2)), CustomCallOptions{Opaque: "opaque"})
	})
	out, err := Evaluate(ctx, NewModule("m", c), arg32s(t, []float32{1, 2}), EvalOptions{Handlers: h})
	if err != nil {
		t.Fatal(err)
	}
	wantElems(t, "first", out.Elems()[0], int32(3))
	matrix := build(t, "main", func(b *Builder) *Instruction {
		x := ConstantR2(b, []int32{1, 2}, []int32{3, 4})
		return b.CustomCall("columns", []*Instruction{x}, x.Shape, CustomCallOptions{})
	})
	out, err = Evaluate(ctx, NewModule("m", matrix), nil, EvalOptions{Handlers: h})
	if err != nil {
		t.Fatal(err)
	}
	wantElems(t, "of another layout", out, int32(1), 2, 3, 4)
	for target, want := range map[string]string{
		"fails": `custom call "fails": no`, "panics": `custom call "panics" panicked: ouch`,
		"nothing": `custom call "nothing" returned nothing`, "other": `custom call "other" returned s32[], want f32[2]`,
		"missing": `custom call "missing": no function is registered for this target`,
	} {
		c := build(t, "main", func(b *Builder) *Instruction {
			return b.CustomCall(target, nil, vec32(2), CustomCallOptions{})
		})
		_, err := Evaluate(ctx, NewModule("m", c), nil, EvalOptions{Handlers: h})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", target, err, want)
		}
		if got := errors.Is(err, errors.ErrUnsupported); got != (target == "missing") {
			t.Errorf("%s: unsupported is %v", target, got)
		}
	}
}

func TestCustomCallErrors(t *testing.T) {
	none := CustomCallOptions{}
	for _, tc := range []struct {
		name, want string
		f          func(b *Builder, x *Instruction) // x is f32[2]
	}{
		{"no target", "custom_call_target is empty", func(b *Builder, x *Instruction) { b.CustomCall("", nil, s32S, none) }},
		{"reserved", `"$x" begins with $`, func(b *Builder, x *Instruction) { b.CustomCall("$x", nil, s32S, none) }},
		{"version", "api_version is 5, want 0 to 4", func(b *Builder, x *Instruction) {
			b.CustomCall("x", nil, s32S, CustomCallOptions{APIVersion: 5})
		}},
		{"layouts", "got 0 operand layouts, want 1", func(b *Builder, x *Instruction) {
			b.CustomCallWithLayout("x", []*Instruction{x}, s32S, nil, none)
		}},
		{"layout of another shape", "layout of operand 0 is for f32[3], want f32[2]", func(b *Builder, x *Instruction) {
			b.CustomCallWithLayout("x", []*Instruction{x}, s32S, []shape.Shape{laid(vec32(3))}, none)
		}},
		{"no layout", "the shape f32[2] has no layout", func(b *Builder, x *Instruction) {
			b.CustomCallWithLayout("x", []*Instruction{x}, vec32(2), []shape.Shape{laid(vec32(2))}, none)
		}},
		{"no shape", "the result's shape is missing", func(b *Builder, x *Instruction) {
			b.CustomCall("x", nil, shape.Shape{}, none)
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			wantError(t, tc.name, buildError(t, func(b *Builder) { tc.f(b, ConstantR1(b, float32(1), 2)) }), tc.want)
		})
	}
}

func TestUnsupported(t *testing.T) {
	m, err := Parse([]byte(`HloModule m
ENTRY e {
  a = f32[4] parameter(0)
  b = f32[4] custom-call(a), custom_call_target="Sharding"
  c = f32[4] custom-call(b), custom_call_target="mine"
  d = f32[4] custom-call(c), custom_call_target="lost"
  f = f32[4] custom-call(d), custom_call_target="lost"
  ROOT g = f32[2] custom-call(f), custom_call_target="SPMDFullToShardShape"
}`), "f.hlo")
	if err != nil {
		t.Fatal(err)
	}
	h := handlers{"mine": nil}
	err = Unsupported(m, h)
	if !errors.Is(err, errors.ErrUnsupported) {
		t.Fatalf("got %v, want an unsupported error", err)
	}
	want := `f.hlo:6:3: custom-call(f32[4]): no function is registered for the custom call "lost" and 1 more, ` +
		`the custom call "SPMDFullToShardShape" at f.hlo:8:8`
	if !strings.HasPrefix(err.Error(), want) {
		t.Errorf("got %q, want %q", err, want)
	}
	h["lost"], h["SPMDFullToShardShape"] = nil, nil
	if err := Unsupported(m, h); err != nil {
		t.Errorf("got %v, want nil", err)
	}
}

// LAPACK takes matrices to be column-major: a call that says otherwise is none that we know.
func TestTrsmInRows(t *testing.T) {
	m, err := Parse([]byte(`HloModule m
ENTRY e {
  m = f32[2,2] constant({{2, 9}, {1, 4}})
  ROOT s = f32[2,2] custom-call(m, m), custom_call_target="lapack_strsm_ffi",
    operand_layout_constraints={f32[2,2]{1,0}, f32[2,2]{1,0}}, api_version=API_VERSION_TYPED_FFI,
    backend_config={diag = 78 : ui8, side = 76 : ui8, trans_x = 78 : ui8, uplo = 76 : ui8}
}`), "f.hlo")
	if err != nil {
		t.Fatal(err)
	}
	if err := Unsupported(m, nil); err == nil {
		t.Error("got nil, want an error")
	}
}

// Each program's result is one vector or scalar that is written beside it.
func TestKnownTargets(t *testing.T) {
	const compare = `
gt {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  i = s32[] parameter(2)
  j = s32[] parameter(3)
  ROOT r = pred[] compare(a, b), direction=GT
}
lt {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT r = pred[] compare(a, b), direction=LT
}
add {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT r = f32[] add(a, b)
}
ENTRY main {
  x = f32[5] constant({3, 1, 4, 1.5, 9})
  i = s32[5] iota(), iota_dimension=0
  z = f32[] constant(0)
  o = s32[] constant(0)
  k = s32[] constant(2)
  one = s32[1] constant({1})
  no = pred[] constant(false)
  yes = pred[] constant(true)
`
	const top = `ROOT g = s32[2] get-tuple-element(r), index=1`
	for _, tc := range []struct{ name, text, want string }{
		{"mark", `ROOT r = f32[5] custom-call(x), custom_call_target="Sharding", custom_call_has_side_effect=true`,
			"f32[5] {3, 1, 4, 1.5, 9}"},
		{"TopK", `r = (f32[2], s32[2]) custom-call(x), custom_call_target="TopK"` + "\n" + top, "s32[2] {4, 2}"},
		{"TopK of the least", `r = (f32[2], s32[2]) custom-call(x), custom_call_target="TopK", called_computations={lt}` +
			"\n" + top, "s32[2] {1, 3}"},
		{"mhlo.topk", `r = (f32[2], s32[2]) custom-call(x), custom_call_target="mhlo.topk", ` +
			`frontend_attributes={mhlo.attributes="{k = 2 : i64, largest = false}"}` + "\n" + top, "s32[2] {1, 3}"},
		{"ApproxTopK", `r = (f32[2], s32[2]) custom-call(x, i, z, o), custom_call_target="ApproxTopK", ` +
			`called_computations={gt}, backend_config={reduction_dim = 0 : i64, top_k = 2 : i64}` + "\n" + top, "s32[2] {4, 2}"},
		{"dynamic_top_k", `r = (f32[2], s32[2]) custom-call(x, k), custom_call_target="stablehlo.dynamic_top_k"` + "\n" + top,
			"s32[2] {4, 2}"},
		{"dynamic_reduce_window", `w = s32[1] constant({3})
  p = s32[1,2] constant({{1, 1}})
  ROOT r = f32[5] custom-call(x, z, w, one, one, one, p), custom_call_target="stablehlo.dynamic_reduce_window", ` +
			`called_computations={add}`, "f32[5] {4, 8, 6.5, 14.5, 10.5}"},
		{"strsm of typed FFI", `m = f32[2,2] constant({{2, 9}, {1, 4}})
  v = f32[2,1] constant({{4}, {10}})
  s = f32[2,1] custom-call(m, v), custom_call_target="lapack_strsm_ffi", ` +
			`operand_layout_constraints={f32[2,2]{0,1}, f32[2,1]{0,1}}, api_version=API_VERSION_TYPED_FFI, ` +
			`backend_config={diag = 78 : ui8, side = 76 : ui8, trans_x = 78 : ui8, uplo = 76 : ui8}
  ROOT r = f32[2] reshape(s)`, "f32[2] {2, 2}"},
		{"strsm with a factor", `m = f32[2,2] constant({{2, 1}, {9, 4}})
  v = f32[1,2] constant({{2, 5}})
  c = s32[] constant(0)
  t = s32[] constant(1)
  f = f32[] constant(2)
  s = f32[1,2] custom-call(c, c, c, c, t, k, t, f, m, v), custom_call_target="blas_strsm"
  ROOT r = f32[2] reshape(s)`, "f32[2] {2, 2}"},
		// The numbers are those that come with Random123.
		{"ThreeFry", `a = u32[3] constant({0, 4294967295, 320440878})
  b = u32[3] constant({0, 4294967295, 57701188})
  c = u32[3] constant({0, 4294967295, 608135816})
  d = u32[3] constant({0, 4294967295, 2242054355})
  t = (u32[3], u32[3]) custom-call(a, b, c, d), custom_call_target="cu_threefry2x32_ffi"
  g = u32[3] get-tuple-element(t), index=0
  h = u32[3] get-tuple-element(t), index=1
  ROOT r = u32[6] concatenate(g, h), dimensions={0}`,
			"u32[6] {1797259609, 481924860, 3297917596, 2579123966, 3137350631, 1212020640}"},
		{"scaled dot", `l = f8e4m3fn[1,2,4] constant({{{1, 2, 3, 4}, {5, 6, 7, 8}}})
  m = f4e2m1fn[1,1,4] constant({{{1, 2, 1, 4}}})
  s = f8e8m0fnu[1,2,2] constant({{{2, 4}, {1, 0.5}}})
  u = f8e4m3fn[1,1,4] constant({{{1, 2, 0.5, 1}}})
  t = f32[1,2,1] custom-call(l, m, s, u), custom_call_target="__op$block_scaled_dot"
  ROOT r = f32[2] reshape(t)`, "f32[2] {88, 46.75}"},
		{"scaled dot with padding and a factor", `l = f8e4m3fn[2,4] constant({{1, 2, 3, 4}, {5, 6, 7, 8}})
  m = f8e5m2[1,4] constant({{1, 1, 1, 1}})
  s = f8e8m0fnu[3,3] constant({{2, 4, 8}, {1, 0.5, 8}, {8, 8, 8}})
  u = f8e8m0fnu[1,2] constant({{1, 0.5}})
  f = f32[] constant(3)
  t = f32[2,1] custom-call(l, m, s, u, f), custom_call_target="__op$block_scaled_dot", ` +
			`backend_config={"block_scaled_dot_backend_config":{"block_size":"2"}}
  ROOT r = f32[2] reshape(t)`, "f32[2] {60, 44.25}"},
		{"dot with one scale", `l = f8e4m3fn[1,4] constant({{1, 2, 3, 4}})
  m = bf16[1,4] constant({{1, 1, 1, 2}})
  s = f8e8m0fnu[1,2] constant({{2, 4}})
  t = bf16[1,1] custom-call(l, m, s), custom_call_target="__op$block_scaled_dot"
  ROOT r = bf16[] reshape(t)`, "bf16[] 50"},
		{"mhlo.erf", `ROOT r = f32[] custom-call(z), custom_call_target="mhlo.erf"`, "f32[] 0"},
		{"mhlo.tan", `ROOT r = f32[] custom-call(z), custom_call_target="mhlo.tan"`, "f32[] 0"},
		{"X64Combine", `l = u32[2] constant({1, 4294967295})
  h = u32[2] constant({1, 4294967295})
  ROOT r = s64[2] custom-call(l, h), custom_call_target="X64Combine"`, "s64[2] {4294967297, -1}"},
		{"assertion holds", `a = () custom-call(yes), custom_call_target="shape_assertion", custom_call_has_side_effect=true
  ROOT r = s32[] copy(k)`, "s32[] 2"},
		{"assertion fails", `a = () custom-call(no, k, o), custom_call_target="shape_assertion", ` +
			`frontend_attributes={error_message="want {1}, got {0}"}` + "\n  ROOT r = s32[] copy(k)",
			"shape assertion failed: want 0, got 2"},
		{"assertion says nothing", `a = () custom-call(no), custom_call_target="shape_assertion"` +
			"\n  ROOT r = s32[] copy(k)", "shape assertion failed: the program's shapes"},
		{"assertion of a number", `a = () custom-call(k), custom_call_target="shape_assertion"` +
			"\n  ROOT r = s32[] copy(k)", "want a predicate"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			m, err := Parse([]byte("HloModule m\n"+compare+tc.text+"\n}"), "f.hlo")
			if err != nil {
				t.Fatal(err)
			}
			if err := errors.Join(Verify(m), Unsupported(m, nil)); err != nil {
				t.Fatal(err)
			}
			out, err := Evaluate(context.Background(), m, nil, EvalOptions{})
			if err != nil {
				wantError(t, tc.name, err.Error(), tc.want)
			} else if out.String() != tc.want {
				t.Errorf("got %v, want %s", out, tc.want)
			}
		})
	}
}

func TestRunParallel(t *testing.T) {
	const text = `HloModule m
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
  ROOT r = CALL, custom_call_target="interpreter.run_parallel", called_computations={first, second, feed}CONFIG
}`
	const config = `, backend_config={infeed = [@"feed, [1]"], programs = [[@first], [@second]]}`
	for _, tc := range []struct{ name, call, config, want string }{
		{"as it should be", "(s32[], s32[], s32[]) custom-call(x, y)", config, "(s32[], s32[], s32[]) ( 7, 11, 11 )"},
		{"no grid", "(s32[], s32[], s32[]) custom-call(x, y)", "", "backend_config is missing"},
		{"no programs", "(s32[], s32[], s32[]) custom-call(x, y)", ", backend_config={infeed = [@f]}", "has no programs"},
		{"too few inputs", "(s32[], s32[], s32[]) custom-call(x)", config, "got 1 inputs, want 2"},
		{"results", "(s32[], s32[]) custom-call(x, y)", config,
			"the programs return (s32[], s32[], s32[]), want (s32[], s32[])"},
		{"rows", "(s32[], s32[], s32[]) custom-call(x, y)", ", backend_config={programs = [[@first, @second], [@first]]}",
			"got rows of 2 and 1"},
		{"count", "(s32[], s32[], s32[]) custom-call(x, y)", ", backend_config={programs = [[@first, @second]]}",
			"got 3 called computations, want 2 programs and 0 infeeds"},
	} {
		src := strings.NewReplacer("CALL", tc.call, "CONFIG", tc.config).Replace(text)
		m, err := Parse([]byte(src), "f.hlo")
		var out *literal.Literal
		if err == nil {
			out, err = Evaluate(limited(t), m, nil, EvalOptions{})
		}
		if err != nil {
			wantError(t, tc.name, err.Error(), tc.want)
		} else if got := out.String(); strings.Join(strings.Fields(got), " ") != tc.want {
			t.Errorf("%s: got %s, want %s", tc.name, got, tc.want)
		}
	}
}
