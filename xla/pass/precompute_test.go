package pass

import (
	"context"
	"errors"
	"testing"

	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/literal"
)

// byReference runs a module without parameters.
func byReference(m *hlo.Module) (*literal.Literal, error) {
	return hlo.Evaluate(context.Background(), m, nil, hlo.EvalOptions{})
}

// What cannot be run stays as it is.
func TestPrecomputeFails(t *testing.T) {
	m := parse(t, `ENTRY e { x = f32[2] parameter(0)  c = bf16[2] constant({1, 2})  d = f32[2] convert(c)  ROOT r = f32[2] add(x, d) }`)
	calls := 0
	failing := func(m *hlo.Module) (*literal.Literal, error) {
		calls++
		if len(m.Entry.Parameters) != 0 {
			t.Errorf("the module has parameters:\n%s", m.Text())
		}
		return nil, errors.New("no")
	}
	after, err := Precompute(failing).Run(m)
	if err != nil || after != m || calls != 1 {
		t.Errorf("got %v after %d calls:\n%s", err, calls, after.Text())
	}
}
