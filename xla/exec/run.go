package exec

import (
	"cmp"
	"context"
	"errors"
	"runtime"
	"runtime/pprof"
	"runtime/trace"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/halo-xla/halo/xla/collective"
	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/literal"
)

// Run is one execution on one device. It is for one goroutine, but for the tasks of Parallel.
type Run struct {
	program   *program
	ctx       context.Context
	memory    *instance
	boxes     []*literal.Literal // by the index of boxed slots
	place     hlo.Place
	options   *RunOptions // of the caller, who does not touch them meanwhile
	id        ID          // 0 until something asks
	evaluator *hlo.Evaluator
	random    Random
	arguments []*literal.Literal // leaf by leaf
	borrows   bool               // the list of the arguments
	held      []*Array           // the arguments that are in remote memory, leaf by leaf; may be shorter
	keeps     bool               // results stay in remote memory
	own       [][]byte           // memory of the results that have some of their own
	again     []*literal.Literal // which had that memory in an earlier run, and nobody sees any more
	pins      runtime.Pinner
	lends     bool   // some memory of Go's: own and pins have something
	pinned    bool   // the arguments are, by the caller
	seat      *shelf // of the executor, nil if the run has none
	outer     *Run   // that this one is a part of
	locals    map[any]Local
}

// Local is something of a thunk's that one execution has; Close ends it with the execution.
type Local interface{ Close() }

// Local returns what this execution has under key; what open returns if it is the first to ask.
func (r *Run) Local(key any, open func() Local) Local {
	x, ok := r.locals[key]
	if !ok {
		if r.locals == nil {
			r.locals = map[any]Local{}
		}
		x = open()
		r.locals[key] = x
	}
	return x
}

// ID returns the number of the execution, which no other of the process has; all its devices have the same.
func (r *Run) ID() int64 {
	if r.id == 0 {
		r.id = NewID()
	}
	return int64(r.id)
}

// Device returns the number of the device, replica-major.
func (r *Run) Device() int { return r.place.Device }

// Random is what an execution remembers between its rng instructions.
type Random struct {
	// Turn is how many rng instructions have run.
	Turn uint64
	// Low and High are what was added to the hidden state of rng-get-and-update-state, the low half first.
	Low, High uint64
}

// Bytes returns the bytes of s. They are the thunk's for the time of its Run.
func (r *Run) Bytes(s Slice) []byte {
	if s.Size == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(r.Address(s)), s.Size)
}

// Address returns where s begins. Equal addresses of a result and an operand mean that the thunk works in place.
func (r *Run) Address(s Slice) unsafe.Pointer {
	return unsafe.Add(r.memory.address(s.Slot), s.Offset)
}

// Base returns the table of addresses by slot, for segments.
func (r *Run) Base() unsafe.Pointer { return r.memory.base() }

// CancelWord returns the word that is not 0 once the execution should stop, for segments.
func (r *Run) CancelWord() *uint32 { return r.memory.cancelWord() }

// CancelledBy returns why the cancel word was set.
func (r *Run) CancelledBy() error { return cmp.Or(r.ctx.Err(), context.Canceled) }

// Context returns the execution's context.
func (r *Run) Context() context.Context { return r.ctx }

// Cancelled returns the context's error once it has ended. Long loops ask at least once a millisecond.
func (r *Run) Cancelled() error { return r.ctx.Err() }

// Threads returns how many threads the execution may use.
func (r *Run) Threads() int { return r.program.machine.Threads() }

// Brief reports whether the execution is over too soon to be cancelled on the way.
func (r *Run) Brief() bool { return r.program.brief && r.place.Grid.Size() <= 1 }

// Parallel does f(0) to f(n-1) on the run's threads and returns when all are done. A task should be 20 microseconds of
// work or more, and a millisecond at most: once the execution is cancelled, what is left to do is left out. How work is
// split must depend on shapes and types alone, never on the number of threads.
func (r *Run) Parallel(n int64, f func(i int64)) {
	workers := min(int64(r.Threads()), n)
	if workers <= 1 {
		for i := int64(0); i < n && r.Cancelled() == nil; i++ {
			f(i)
		}
		return
	}
	var next atomic.Int64
	var wg sync.WaitGroup
	var fault atomic.Pointer[any]
	work := func() {
		defer func() {
			if p := recover(); p != nil { // goes on in the caller's goroutine, where it can be caught
				fault.CompareAndSwap(nil, &p)
			}
		}()
		for i := next.Add(1) - 1; i < n && r.Cancelled() == nil; i = next.Add(1) - 1 {
			f(i)
		}
	}
	for range workers - 1 {
		wg.Go(work)
	}
	work()
	wg.Wait()
	if p := fault.Load(); p != nil {
		panic(*p)
	}
}

// Wait calls f, which waits for other devices, for the host or for functions of the user; meanwhile other executions
// have this one's place. It fails with f's error, or with the context's if that ends before there is a place again: the
// run has none from then on.
func (r *Run) Wait(f func() error) error {
	if r.outer != nil {
		return r.outer.Wait(f)
	}
	e := r.program.executor
	before := r.seat
	r.program.takeAlong(before, r.memory)
	e.release(before)
	r.seat = nil
	err := f()
	seat, late := e.acquire(r.ctx, before)
	r.seat = seat
	return cmp.Or(err, late)
}

// shelf returns where the run's memory is kept.
func (r *Run) shelf() *shelf {
	switch {
	case r.seat != nil:
		return r.seat
	case r.outer != nil:
		return r.outer.shelf()
	}
	return r.program.keeper.shelves[0]
}

// Place returns where this device stands among the execution's devices. Its Hub is there even for the only one.
func (r *Run) Place() hlo.Place {
	if r.place.Hub == nil {
		r.place.Hub = collective.NewHub(r.place.Grid)
	}
	return r.place
}

// Options returns the options of the execution: its seed, feeds and host transfers.
func (r *Run) Options() RunOptions {
	o := *r.options
	o.ID = r.id
	return o
}

// Random returns the memory of the execution's rng instructions, which thunks advance.
func (r *Run) Random() *Random { return &r.random }

// FlushDenormals says whether native kernels take sub-normal numbers for zero.
func (r *Run) FlushDenormals() bool { return r.program.options.FlushDenormals }

// Handlers finds the functions behind custom calls; it may be nil.
func (r *Run) Handlers() hlo.Handlers { return r.program.options.Handlers }

// Evaluator returns the reference evaluator of this execution, which keeps the state of its random numbers.
func (r *Run) Evaluator() *hlo.Evaluator {
	if r.evaluator == nil {
		r.evaluator = hlo.NewEvaluator(r.ctx, hlo.EvalOptions{
			Handlers: r.program.options.Handlers, Feeds: r.options.Feeds, Host: r.options.Host, Seed: r.options.Seed,
			MaxSteps: r.options.MaxSteps, MaxBytes: r.program.options.MemoryLimit, Job: r.options.Job,
		}, r.Place())
	}
	return r.evaluator
}

// run runs the steps of b.
func (r *Run) run(b *block) error {
	watched := r.program.options.Verify || r.program.options.Profile || trace.IsEnabled()
	for _, st := range b.code {
		if err := r.Cancelled(); err != nil {
			return located(st, err)
		}
		if err := r.step(st, watched); err != nil {
			return located(st, err)
		}
	}
	return nil
}

// step runs st, with what it needs where it runs.
func (r *Run) step(st *step, watched bool) error {
	m := r.memory.mirror
	if m != nil {
		if err := m.bring(r, st); err != nil {
			return err
		}
	}
	var err error
	if watched {
		err = r.watched(st)
	} else {
		err = st.thunk.Run(r)
	}
	if m != nil {
		m.leave(r, st)
	}
	return err
}

// Remote returns the remote memory of the execution, nil if the machine has none.
func (r *Run) Remote() RemoteMemory {
	if r.memory.mirror == nil {
		return nil
	}
	return r.memory.mirror.RemoteMemory
}

// watched runs st with all that somebody wants to know about it.
func (r *Run) watched(st *step) error {
	if trace.IsEnabled() {
		defer trace.StartRegion(r.ctx, st.label()).End()
	}
	if !r.program.options.Profile {
		return r.perhapsChecked(st)
	}
	to := cmp.Or(st.of, st)
	start := time.Now()
	var err error
	pprof.Do(r.ctx, pprof.Labels("op", st.label()), func(context.Context) { err = r.perhapsChecked(st) })
	to.nanoseconds.Add(int64(time.Since(start)))
	to.runs.Add(1)
	return err
}

func (r *Run) perhapsChecked(st *step) error {
	if r.program.options.Verify {
		return r.checked(st)
	}
	return st.thunk.Run(r)
}

// label is what traces and profiles call the step.
func (st *step) label() string {
	if st.in == nil {
		return st.kernel
	}
	return st.in.Op.String() + " " + st.in.Name + ": " + st.kernel
}

// located adds the instruction to an error that has none.
func located(st *step, err error) error {
	var known *hlo.Error
	if st.in == nil || errors.As(err, &known) {
		return err
	}
	return &hlo.Error{In: st.in, Err: err}
}

// gridOf returns the devices of an execution.
func gridOf(o RunOptions) collective.Grid {
	return collective.Grid{Replicas: max(int64(o.Replicas), 1), Partitions: max(int64(o.Partitions), 1)}
}
