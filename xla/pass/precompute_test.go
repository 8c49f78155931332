package pass

import (
	"context"
	"errors"
	"testing"

	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/literal"
)

// byReference runs a module without parameters.
func byReference(_ context.Context, m *hlo.Module) (*literal.Literal, error) {
	return hlo.Evaluate(context.Background(), m, nil, hlo.EvalOptions{})
}

// What cannot be run stays as it is.
func TestPrecomputeFails(t *testing.T) {
	m := parse(t, `ENTRY e { x = f32[2] parameter(0)  c = bf16[2] constant({1, 2})  d = f32[2] convert(c)  ROOT r = f32[2] add(x, d) }`)
	calls := 0
	failing := func(_ context.Context, m *hlo.Module) (*literal.Literal, error) {
		calls++
		if len(m.Entry.Parameters) != 0 {
			t.Errorf("the module has parameters:\n%s", m.Text())
		}
		return nil, errors.New("no")
	}
	after, err := Precompute(failing).Within(t.Context(), m)
	if err != nil || after != m || calls != 1 {
		t.Errorf("got %v after %d calls:\n%s", err, calls, after.Text())
	}
}

// The end of a context reaches what is run, and ends the passes.
func TestPrecomputeEnds(t *testing.T) {
	m := parse(t, `ENTRY e { x = f32[2] parameter(0)  c = bf16[2] constant({1, 2})  d = f32[2] convert(c)  ROOT r = f32[2] add(x, d) }`)
	ctx, cancel := context.WithCancel(t.Context())
	slow := func(ctx context.Context, _ *hlo.Module) (*literal.Literal, error) {
		cancel()
		<-ctx.Done()
		return nil, ctx.Err()
	}
	if _, err := Run(ctx, m, []Pass{Precompute(slow), DCE()}, Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want %v", err, context.Canceled)
	}
}
