package cpu

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/halo-xla/halo/xla/exec"
	"github.com/halo-xla/halo/xla/literal"
)

// lengthy are single steps that take long, with no loop of the program's around them.
var lengthy = map[string]string{
	"sort": `
ENTRY e { i = u32[16777216] iota(), iota_dimension=0
  k = u32[] constant(2654435761)
  b = u32[16777216] broadcast(k), dimensions={}
  x = u32[16777216] multiply(i, b)
  ROOT s = u32[16777216] sort(x), dimensions={0}, to_apply=less }`,
	"fft": `
ENTRY e { z = c64[] constant((1, 2))
  x = c64[16777216] broadcast(z), dimensions={}
  ROOT y = c64[16777216] fft(x), fft_type=FFT, fft_length={16777216} }`,
	"reduce-window": `
ENTRY e { x = f32[2048,2048] iota(), iota_dimension=0
  z = f32[] constant(0)
  ROOT y = f32[2018,2018] reduce-window(x, z), window={size=31x31}, to_apply=mix }`,
	"elementwise": `
ENTRY e { x = f32[4096,8192] iota(), iota_dimension=1
  a = f32[4096,8192] sine(x)
  b = f32[4096,8192] exponential(a)
  c = f32[4096,8192] log-plus-one(b)
  ROOT d = f32[4096,8192] tanh(c) }`,
}

const lengthyHead = `HloModule m
less { a = u32[] parameter(0)
  b = u32[] parameter(1)
  ROOT l = pred[] compare(a, b), direction=LT }
mix { a = f32[] parameter(0)
  b = f32[] parameter(1)
  c = f32[] multiply(a, b)
  ROOT d = f32[] add(c, b) }
`

// TestCancelSteps wants an execution to end within 10 ms of its context, also out of one long step. Tests share the
// machine, so what counts is the processor time that two threads take after the cancel, in the best of some attempts:
// code that does not look at the cancel word is late in all of them.
func TestCancelSteps(t *testing.T) {
	for name, text := range lengthy {
		t.Run(name, func(t *testing.T) {
			p := compiled(t, lengthyHead+text)
			for _, after := range []time.Duration{time.Millisecond, 10 * time.Millisecond, 40 * time.Millisecond} {
				best := time.Hour
				for i := 0; i < 8 && best > 2*10*time.Millisecond; i++ {
					late, used, err := cancelled(p, after)
					if err == nil { // it was over before
						best = 0
						break
					}
					if !errors.Is(err, context.Canceled) {
						t.Fatal(err)
					}
					t.Logf("cancelled after %v: ended %v later, with %v of processor time", after, late, used)
					best = min(best, used)
				}
				if best > 2*10*time.Millisecond {
					t.Errorf("cancelled after %v: took %v of processor time to end, want 20 ms at most", after, best)
				}
			}
		})
	}
}

// cancelled runs p, cancels it after a time, and returns how long it went on, and with how much processor time.
func cancelled(p exec.Program, after time.Duration) (late, used time.Duration, err error) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	type moment struct {
		wall time.Time
		used time.Duration
	}
	began := make(chan moment, 1)
	time.AfterFunc(after, func() {
		began <- moment{time.Now(), processorTime()}
		cancel()
	})
	_, err = p.Run(ctx, [][]*literal.Literal{nil}, exec.RunOptions{})
	end := moment{time.Now(), processorTime()}
	at := <-began
	return end.wall.Sub(at.wall), end.used - at.used, err
}
