package xla_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/halo-xla/halo/xla"
)

// TestCloseUnderLoad wants Close to end although callers never leave a gap, and every execution to end well or to say
// that its executable or client is closed.
func TestCloseUnderLoad(t *testing.T) {
	for _, what := range []string{"executable", "client"} {
		t.Run(what, func(t *testing.T) {
			c := newClient(t, xla.ClientOptions{})
			x := compile(t, c, axpy)
			a, v := scalar(t, c, float32(2)), buffer(t, c, []float32{1, 2, 3})
			var wg sync.WaitGroup
			var done atomic.Int64
			begun := make(chan bool)
			for range 8 {
				wg.Go(func() {
					for {
						out, err := x.Execute(t.Context(), a, v, v)
						if err != nil {
							wantCode(t, err, xla.Closed, what)
							return
						}
						out[0].Close()
						if done.Add(1) == 100 {
							close(begun)
						}
					}
				})
			}
			<-begun
			var closers sync.WaitGroup
			for range 3 { // also at the same time
				closers.Go(func() {
					if what == "client" {
						c.Close()
					} else {
						x.Close()
					}
				})
			}
			closers.Wait()
			wg.Wait()
			x.Close()
			a.Close()
			v.Close()
			c.Close()
			wantNothingLive(t, c)
		})
	}
}

// TestExecuteIntoWhatIsNotMade wants results that are arguments, constants, equal or of unknown size to arrive too, and
// wrong memory to be refused before anything runs.
func TestExecuteIntoWhatIsNotMade(t *testing.T) {
	c := newClient(t, xla.ClientOptions{})
	x := compile(t, c, `ENTRY e { x = f32[3] parameter(0) p = pred[2] parameter(1)
  k = s32[2] constant({5,6})
  y = f32[3] negate(x)
  ROOT r = (f32[3], s32[2], f32[3], f32[3], pred[2]) tuple(x, k, y, y, p) }`)
	in, p := buffer(t, c, []float32{1, 2, 3}), buffer(t, c, []bool{true, false})
	var same, first, second [3]float32
	var k [2]int32
	var q [2]bool
	dst := []any{same[:], k[:], first[:], second[:], q[:]}
	for range 2 {
		if err := x.ExecuteInto(t.Context(), xla.RunOptions{}, dst, in, p); err != nil {
			t.Fatal(err)
		}
		if same != [3]float32{1, 2, 3} || k != [2]int32{5, 6} || first != [3]float32{-1, -2, -3} || first != second ||
			q != [2]bool{true, false} {
			t.Errorf("got %v", dst)
		}
	}
	dst[1] = []float32{1, 2}
	err := x.ExecuteInto(t.Context(), xla.RunOptions{}, dst, in, p)
	wantCode(t, err, xla.InvalidArgument, "cannot copy s32[2] into a []float32")
	if out, err := x.Execute(t.Context(), in, p); err != nil || len(out) != 5 { // the call after a failure is whole
		t.Errorf("got %d results, %v", len(out), err)
	}
}

// TestExecuteIntoDynamic wants the sizes that results turn out to have to be those of the slices.
func TestExecuteIntoDynamic(t *testing.T) {
	c := newClient(t, xla.ClientOptions{})
	x := compile(t, c, `ENTRY e { x = s32[5] parameter(0) n = s32[] parameter(1)
  ROOT y = s32[<=5] set-dimension-size(x, n), dimensions={0} }`)
	in, n := buffer(t, c, []int32{1, 2, 3, 4, 5}), scalar(t, c, int32(3))
	var got [3]int32
	if err := x.ExecuteInto(t.Context(), xla.RunOptions{}, []any{got[:]}, in, n); err != nil || got != [3]int32{1, 2, 3} {
		t.Errorf("got %v, %v, want [1 2 3]", got, err)
	}
	var five [5]int32
	err := x.ExecuteInto(t.Context(), xla.RunOptions{}, []any{five[:]}, in, n)
	wantCode(t, err, xla.InvalidArgument, "got a slice of 5 elements, want 3")
}

// TestCancelledBefore wants a context that has ended to be noticed, also by programs that are over in no time.
func TestCancelledBefore(t *testing.T) {
	c := newClient(t, xla.ClientOptions{})
	x := compile(t, c, axpy)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	a, v := scalar(t, c, float32(2)), buffer(t, c, []float32{1, 2, 3})
	_, err := x.Execute(ctx, a, v, v)
	if wantCode(t, err, xla.Cancelled, "canceled"); !errors.Is(err, context.Canceled) {
		t.Errorf("%v is not the context's error", err)
	}
}

// angry is an observer with a fault.
type angry struct{ compiles bool }

func (a angry) Compiled(xla.CompileEvent) {
	if a.compiles {
		panic("compiled")
	}
}

func (a angry) Executed(xla.ExecuteEvent) { panic("executed") }

// TestObserverPanics wants a panic of an observer to be an error, and everything to go on and to close.
func TestObserverPanics(t *testing.T) {
	c := newClient(t, xla.ClientOptions{Observer: angry{compiles: true}})
	_, err := c.Compile(t.Context(), xla.Program{Source: []byte(axpy)}, xla.CompileOptions{})
	wantCode(t, err, xla.Internal, "compiled")
	c.Close()
	c = newClient(t, xla.ClientOptions{Observer: angry{}})
	x := compile(t, c, axpy)
	a, v := scalar(t, c, float32(2)), buffer(t, c, []float32{1, 2, 3})
	for range 20 {
		_, err := x.Execute(t.Context(), a, v, v)
		wantCode(t, err, xla.Internal, "executed")
		_, err = x.ExecuteDevices(t.Context(), xla.RunOptions{}, [][]*xla.Buffer{{a, v, v}})
		wantCode(t, err, xla.Internal, "executed")
	}
	if n := c.Live().Running; n != 0 {
		t.Errorf("%d executions are still running", n)
	}
	a.Close()
	v.Close()
	x.Close()
	c.Close()
	wantNothingLive(t, c)
}

// TestNilArguments wants what is not there to be refused with words.
func TestNilArguments(t *testing.T) {
	c := newClient(t, xla.ClientOptions{})
	x := compile(t, c, axpy)
	a := scalar(t, c, float32(2))
	_, err := x.Execute(t.Context(), a, nil, nil)
	wantCode(t, err, xla.InvalidArgument, "buffer is nil")
	wantCode(t, x.ExecuteInto(t.Context(), xla.RunOptions{}, []any{nil}, a, a, a), xla.InvalidArgument, "into a <nil>")
	_, err = x.ExecuteDevices(t.Context(), xla.RunOptions{}, nil)
	wantCode(t, err, xla.InvalidArgument, "got 0 lists")
	_, err = x.ExecuteWith(t.Context(), xla.RunOptions{Donate: []int{-1}}, a, a, a)
	wantCode(t, err, xla.InvalidArgument, "")
	if _, err := xla.ToSlice[float32](a); err != nil { // and nothing of it used an argument up
		t.Error(err)
	}
	_, err = xla.ToSlice[float32](nil)
	wantCode(t, err, xla.InvalidArgument, "buffer is nil")
	wantCode(t, (*xla.Buffer)(nil).To([]float32{0}), xla.InvalidArgument, "buffer is nil")
	var none *xla.Client // whose error nobody looked at
	_, err = xla.FromScalar(none, float32(1))
	wantCode(t, err, xla.InvalidArgument, "client is nil")
	_, err = xla.FromSlice(none, []float32{1})
	wantCode(t, err, xla.InvalidArgument, "client is nil")
	_, err = none.Compile(t.Context(), xla.Program{}, xla.CompileOptions{})
	wantCode(t, err, xla.InvalidArgument, "client is nil")
}
