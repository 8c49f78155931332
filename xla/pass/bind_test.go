package pass

import (
	"strings"
	"testing"

	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

const bindText = `HloModule m, input_output_alias={ {}: (2, {}, may-alias) }, entry_computation_layout={(f32[2]{0}, (f32[2]{0}, f32[2]{0}), f32[2]{0})->f32[2]{0}}
ENTRY e {
  a = f32[2] parameter(0)
  t = (f32[2], f32[2]) parameter(1)
  c = f32[2] parameter(2)
  b = f32[2] get-tuple-element(t), index=1
  s = f32[2] subtract(a, b)
  ROOT r = f32[2] multiply(s, c)
}`

func vector(t *testing.T, v ...float32) *literal.Literal {
	t.Helper()
	l, err := literal.FromSlice(v, int64(len(v)))
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// A bound program gives what the program gives with the values as arguments; the parameters left move up.
func TestBind(t *testing.T) {
	m := parse(t, bindText)
	a, b, c := vector(t, 5, 7), literal.NewTuple(vector(t, 0, 0), vector(t, 1, 2)), vector(t, 3, 4)
	want := vector(t, 12, 20) // (5-1)*3, (7-2)*4
	for _, bound := range []map[int64]*literal.Literal{{}, {0: a}, {1: b}, {0: a, 1: b}} {
		n, err := Bind(m, bound)
		if err != nil {
			t.Fatal(err)
		}
		if err := hlo.Verify(n); err != nil {
			t.Fatal(err)
		}
		var args []*literal.Literal
		for i, l := range []*literal.Literal{a, b, c} {
			if bound[int64(i)] == nil {
				args = append(args, l)
			}
		}
		got, err := hlo.Evaluate(t.Context(), n, args, hlo.EvalOptions{})
		if err != nil || !literal.Equal(got, want) {
			t.Errorf("bound %v: got %v, %v, want %v", bound, got, err, want)
		}
		again := parse(t, n.Text()) // checks the entry's layout and the alias
		if x := again.Config.Alias[0].Parameter; x != int64(len(args)-1) {
			t.Errorf("the alias is of parameter %d, want %d", x, len(args)-1)
		}
	}
	if got := m.Text(); !strings.Contains(got, "parameter(2)") {
		t.Errorf("the module was changed to\n%s", got)
	}
}

func TestBindErrors(t *testing.T) {
	m := parse(t, bindText)
	for want, bound := range map[string]map[int64]*literal.Literal{
		"has no parameter 3":          {3: vector(t, 1, 2)},
		"got f32[3], want f32[2]":     {0: vector(t, 1, 2, 3)},
		"got no value, want f32[2]":   {0: nil},
		"shares memory with a result": {2: vector(t, 1, 2)},
		"want (f32[2], f32[2])":       {1: literal.Zeros(shape.Array(shape.F32, 2))},
	} {
		if _, err := Bind(m, bound); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got error %v, want one with %q", err, want)
		}
	}
}

// The names of the parameters that are left, and of the results, stay.
func TestBindKeepsNames(t *testing.T) {
	m := parse(t, bindText)
	m.ParameterNames, m.ResultNames = []string{"x", "pair", "scale"}, []string{"y"}
	n, err := Bind(m, map[int64]*literal.Literal{1: literal.NewTuple(vector(t, 0, 0), vector(t, 1, 2))})
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(append(n.ParameterNames, n.ResultNames...), " "); got != "x scale y" {
		t.Errorf("got %q, want x scale y", got)
	}
}
