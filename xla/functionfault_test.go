package xla_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/halo-xla/halo/xla"
	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/literal"
)

const callThenSum = `HloModule sum, replica_count=3
add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }
ENTRY e {
  p = f32[2] parameter(0)
  d = u32[] replica-id()
  q = f32[2] custom-call(p, d), custom_call_target="before"
  ROOT r = f32[2] all-reduce(q), replica_groups={}, to_apply=add
}`

// TestFunctionFaults is TestFaults for a device that comes to grief in a function: the others wait for it in r.
func TestFunctionFaults(t *testing.T) {
	unlucky := errors.New("no luck")
	for name, c := range map[string]struct {
		last func(t *testing.T, ctx context.Context, end func()) error // of device 2, when the others wait
		is   error
		want []string
		not  string
	}{
		"stuck": {func(_ *testing.T, ctx context.Context, end func()) error {
			end()
			<-ctx.Done()
			return ctx.Err()
		}, context.DeadlineExceeded, []string{"deadline exceeded"}, "has not begun"},
		"fails": {func(*testing.T, context.Context, func()) error { return unlucky }, nil,
			[]string{"device 2 (replica 2)", "no luck"}, ""},
		"panics": {func(*testing.T, context.Context, func()) error { panic("out of its mind") }, nil,
			[]string{"device 2 (replica 2)", "out of its mind"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			var ctx *ending
			handler := func(run context.Context, _ *hlo.Instruction, args []*literal.Literal) (*literal.Literal, error) {
				device, err := literal.View[uint32](args[1])
				if err != nil || device[0] != 2 {
					return args[0], err
				}
				waits(t)
				return args[0], c.last(t, run, func() { close(ctx.done) })
			}
			o := xla.ClientOptions{Devices: 3, Handlers: xla.HandlerMap{"before": handler}}
			onBackends(t, o, func(t *testing.T, client *xla.Client) {
				ctx = &ending{t.Context(), make(chan struct{})}
				x := compileText(t, client, callThenSum, xla.CompileOptions{})
				defer x.Close()
				var args [][]*xla.Buffer
				for d, dev := range x.Devices() {
					b := pair(t, dev, float32(d))
					defer b.Close()
					args = append(args, []*xla.Buffer{b})
				}
				_, err := x.ExecuteDevices(ctx, xla.RunOptions{}, args)
				if err == nil || c.is != nil && !errors.Is(err, c.is) {
					t.Fatalf("got %v, want %v", err, c.is)
				}
				for _, w := range c.want {
					if !strings.Contains(err.Error(), w) {
						t.Errorf("got %q, want %q in it", err, w)
					}
				}
				if c.not != "" && strings.Contains(err.Error(), c.not) {
					t.Errorf("got %q, with %q in it", err, c.not)
				}
			})
		})
	}
}
