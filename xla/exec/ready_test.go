package exec

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"testing"

	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/literal"
)

// lying counts the arenas of p that lie ready.
func lying(p *program) (n int) {
	for _, m := range p.ready {
		if m != nil {
			n++
		}
	}
	return n
}

// runZeros runs p on zeros and gives the results back.
func runZeros(t *testing.T, p *program) {
	t.Helper()
	c := Call{}
	for _, in := range p.module.Entry.Parameters {
		c.Args = append(c.Args, literal.Zeros(in.Shape))
	}
	if err := p.Call(context.Background(), &c); err != nil {
		t.Error(err)
		return
	}
	for _, l := range c.Results {
		c.Recycle(l)
	}
}

// TestReady wants a small arena to be found by the next execution on its seat, and to be given back by Trim, also where
// somebody has the seat, and with the program.
func TestReady(t *testing.T) {
	p := mustCompile(t, twoSteps, Options{AllowReference: true})
	trim := (&backend{machine: p.machine, home: p.home}).Trim
	runZeros(t, p)
	m := p.ready[0]
	runZeros(t, p)
	if n := lying(p); n != 1 || p.ready[0] != m || m == nil {
		t.Fatalf("%d arenas lie ready, %p first and %p then, want one", n, m, p.ready[0])
	}
	trim()
	if n, bytes := lying(p), p.keeper.bytes.Load(); n != 0 || bytes != 0 {
		t.Errorf("%d arenas and %d bytes are kept after Trim", n, bytes)
	}
	seat, err := p.executor.acquire(context.Background(), p.keeper.shelves[0])
	if err != nil {
		t.Fatal(err)
	}
	kept, err := newInstance(p)
	if err != nil || !p.keepReady(seat, kept) {
		t.Fatalf("a small arena does not lie ready, %v", err)
	}
	if trim(); p.ready[0] != kept {
		t.Error("an arena is given back while somebody has the seat")
	}
	p.executor.release(seat)
	if n := lying(p); n != 0 {
		t.Errorf("%d arenas lie ready when the seat is left after Trim", n)
	}
	runZeros(t, p)
	p.Close()
	if n := lying(p); n != 0 || len(p.keeper.ready) != 0 {
		t.Errorf("%d arenas of %d programs lie ready after Close", n, len(p.keeper.ready))
	}
}

// TestReadyElsewhere wants an execution that waits without its seat to keep its memory from the one that has the seat
// meanwhile.
func TestReadyElsewhere(t *testing.T) {
	var p *program
	inner := func(ctx context.Context, _ *hlo.Instruction, args []*literal.Literal) (*literal.Literal, error) {
		v, err := literal.View[float32](args[0])
		if err != nil || v[0] == 4 {
			return literal.Scalar(float32(10)), err
		}
		next := v[0] + 1
		out, err := p.Run(ctx, [][]*literal.Literal{{literal.Scalar(next)}}, RunOptions{})
		if err != nil {
			return nil, err
		}
		if v, err := literal.View[float32](out[0]); err != nil || v[0] != 2*next+10 {
			t.Errorf("of %g: got %v, %v, want %g", next, v, err, 2*next+10)
		}
		return literal.Scalar(float32(10)), nil
	}
	p = mustCompile(t, `ENTRY e { x = f32[] parameter(0)
  twice = f32[] add(x, x)
  ten = f32[] custom-call(x), custom_call_target="inner"
  ROOT y = f32[] add(twice, ten) }`, Options{AllowReference: true, Handlers: handlers{"inner": inner}})
	out, err := p.Run(context.Background(), [][]*literal.Literal{{literal.Scalar(float32(0))}}, RunOptions{})
	if err != nil || out[0].String() != "f32[] 10" {
		t.Errorf("got %v, %v, want 10", out, err)
	}
}

// TestTrimBusy trims all the time while programs run and are closed, and wants no memory to be used by two.
func TestTrimBusy(t *testing.T) {
	b := New(bare{}).(*backend)
	var wg sync.WaitGroup
	stop := make(chan struct{})
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			select {
			case <-stop:
				return
			default:
				b.Trim()
			}
		}
	}()
	for range 4 {
		wg.Go(func() {
			for range 20 {
				m, err := hlo.Parse([]byte(twoSteps), "two.hlo")
				if err != nil {
					t.Error(err)
					return
				}
				p, err := b.Compile(context.Background(), m, Options{AllowReference: true})
				if err != nil {
					t.Error(err)
					return
				}
				for range 50 {
					runZeros(t, p.(*program))
				}
				p.Close()
			}
		})
	}
	wg.Wait()
	close(stop)
	<-done
	if n := left(b.executor); n != len(b.executor.seats) || len(b.keeper.ready) != 0 {
		t.Errorf("%d seats are left of %d, and %d programs lie ready", n, len(b.executor.seats), len(b.keeper.ready))
	}
}

// leftRunning is the fault of a function that goes on working on the memory of its execution.
type leftRunning struct{ over chan struct{} }

func (leftRunning) Error() string           { return "left running" }
func (l leftRunning) Over() <-chan struct{} { return l.over }

// faults are functions of the user that end in all ways there are.
var faults = handlers{
	"panics": func(context.Context, *hlo.Instruction, []*literal.Literal) (*literal.Literal, error) { panic("odd") },
	"ends": func(context.Context, *hlo.Instruction, []*literal.Literal) (*literal.Literal, error) {
		runtime.Goexit()
		return nil, nil
	},
	"fails": func(context.Context, *hlo.Instruction, []*literal.Literal) (*literal.Literal, error) {
		return nil, errors.New("fails")
	},
	"stays": func(_ context.Context, _ *hlo.Instruction, args []*literal.Literal) (*literal.Literal, error) {
		l, kept := leftRunning{make(chan struct{})}, args[0].Clone()
		go func() {
			defer close(l.over)
			for range 100 {
				if literal.Compare(args[0], kept, literal.Tolerance{}) != nil {
					panic("the argument changes while a function has it")
				}
				runtime.Gosched()
			}
		}()
		return nil, l
	},
}

// TestSeatsAfterFaults wants every seat back, and no memory that a function still has in another's hands, however
// functions of the user end while other programs run and memory is given back.
func TestSeatsAfterFaults(t *testing.T) {
	b := New(bare{}).(*backend)
	compile := func(text string) Program {
		m, err := hlo.Parse([]byte(text), "m.hlo")
		if err != nil {
			t.Fatal(err)
		}
		p, err := b.Compile(context.Background(), m, Options{AllowReference: true, Handlers: faults})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(p.Close)
		return p
	}
	plain := compile(twoSteps).(*program)
	var wg sync.WaitGroup
	for target := range faults {
		p := compile(`ENTRY e { x = f32[] parameter(0)
  y = f32[] add(x, x)
  ROOT z = f32[] custom-call(y), custom_call_target="` + target + `" }`)
		wg.Go(func() {
			for k := range 100 {
				if err := runOddly(p, float32(k)); err == nil {
					t.Errorf("%s: no error", target)
				}
				runZeros(t, plain)
				b.Trim()
			}
		})
	}
	wg.Wait()
	if n, waiting := left(b.executor), b.executor.waiting.Load(); n != len(b.executor.seats) || waiting != 0 {
		t.Errorf("%d seats are left of %d, and %d wait", n, len(b.executor.seats), waiting)
	}
}

// runOddly runs p on x and returns how it ended.
func runOddly(p Program, x float32) (err error) {
	defer func() {
		if fault := recover(); fault != nil {
			err = fmt.Errorf("panic: %v", fault)
		}
	}()
	_, err = p.Run(context.Background(), [][]*literal.Literal{{literal.Scalar(x)}}, RunOptions{})
	return err
}
