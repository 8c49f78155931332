// Package isolate runs the functions of a library in processes of their own, so that one that crashes, ends the process
// or hangs is an error of one call.
//
// A Pool has a few processes, each with the library open. Requests go over a Unix socket, arrays through memory that
// both sides share. A process serves one call at a time; one that died is replaced when the next call needs it.
package isolate

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"sync"
	"time"

	"github.com/halo-xla/halo/ffi"
)

// Options say how functions are isolated. The zero value is useful in programs whose main calls
// customcall.ServeIsolated.
type Options struct {
	// Helper is the program that is started, "" for this one. Its main calls customcall.ServeIsolated first; the tool's
	// does.
	Helper string
	// Processes are the most that run at a time; 0: as many as Go may use processors.
	Processes int
	// Timeout is the most time that one call may take, 0: as long as its context lets it.
	Timeout time.Duration
	// StartTimeout is the most time that a process may take to start and to open the library; 0: 30 seconds.
	StartTimeout time.Duration
	// Output gets what the functions print; nil: os.Stderr.
	Output io.Writer
	// Env is added to the environment of the processes.
	Env []string
}

func (o Options) startTimeout() time.Duration {
	if o.StartTimeout > 0 {
		return o.StartTimeout
	}
	return 30 * time.Second
}

func (o Options) output() io.Writer {
	if o.Output != nil {
		return o.Output
	}
	return os.Stderr
}

// Pool is a library in processes of its own. It is safe for concurrent use.
type Pool struct {
	name    string // of the library, for errors
	spec    []byte
	options Options

	mu     sync.Mutex
	slots  []*slot
	freed  chan struct{} // closed when a slot is free again
	last   uint64        // the last instance's number
	turn   int           // the slot that the next instance with state gets
	users  int           // instances, and the pool itself until it is closed
	closed bool
}

// slot is the place of a process. Who has made it busy has it alone.
type slot struct {
	busy    bool
	process *process
}

// Open makes a pool for the library name, whatever spec means to the Opener of the processes. It starts none. It fails
// if nothing can serve.
func Open(name string, spec []byte, o Options) (*Pool, error) {
	if _, err := program(o); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	n := o.Processes
	if n <= 0 {
		n = runtime.GOMAXPROCS(0)
	}
	p := &Pool{name: name, spec: spec, options: o, freed: make(chan struct{}), users: 1}
	for range n {
		p.slots = append(p.slots, &slot{})
	}
	return p, nil
}

// program is what a pool starts.
func program(o Options) (string, error) {
	switch {
	case o.Helper != "":
		return o.Helper, nil
	case served.Load():
		return "/proc/self/exe", nil
	}
	return "", errors.New("to isolate it, this program's main must call customcall.ServeIsolated first, " +
		"or the options must name a helper that does, such as the halo tool")
}

// Close ends the processes when the last instance is closed.
func (p *Pool) Close() error {
	p.mu.Lock()
	again := p.closed
	p.closed = true
	p.mu.Unlock()
	if !again {
		p.release()
	}
	return nil
}

// release gives up one use of the pool; the last one ends the processes.
func (p *Pool) release() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.users--; p.users > 0 {
		return
	}
	for _, s := range p.slots { // nobody is left who could have made one busy
		s.end()
	}
}

func (s *slot) end() {
	if s.process != nil {
		s.process.end()
		s.process = nil
	}
}

// acquire waits for a slot: the one that is wanted, or any, rather one with a process.
func (p *Pool) acquire(ctx context.Context, want *slot) (*slot, error) {
	for {
		p.mu.Lock()
		s := p.pick(want)
		if s != nil {
			s.busy = true
		}
		freed := p.freed
		p.mu.Unlock()
		if s != nil {
			return s, nil
		}
		select {
		case <-freed:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

func (p *Pool) pick(want *slot) (found *slot) {
	for _, s := range p.slots {
		if s.busy || want != nil && s != want {
			continue
		}
		if s.process != nil {
			return s
		}
		if found == nil {
			found = s
		}
	}
	return found
}

func (p *Pool) free(s *slot) {
	p.mu.Lock()
	defer p.mu.Unlock()
	s.busy = false
	close(p.freed)
	p.freed = make(chan struct{})
}

// Instance serves one call site. It is safe for concurrent use.
type Instance struct {
	pool *Pool
	id   uint64
	site *ffi.Site
	slot *slot // of an instance with state, else nil
	once sync.Once
}

// Instantiate makes the instance of a call site, in a process to see whether the library can serve it. An instance with
// state has one process, which serves its calls one after another; when that dies, its state is made anew. It fails
// with os.ErrClosed if the pool is closed.
func (p *Pool) Instantiate(ctx context.Context, site *ffi.Site, state bool) (*Instance, error) {
	p.mu.Lock()
	if p.closed {
		p.mu.Unlock()
		return nil, fmt.Errorf("%s: %w", p.name, os.ErrClosed)
	}
	p.users++
	p.last++
	i := &Instance{pool: p, id: p.last, site: site}
	if state {
		i.slot = p.slots[p.turn%len(p.slots)]
		p.turn++
	}
	p.mu.Unlock()
	if err := i.with(ctx, func(*process) error { return nil }); err != nil {
		p.release()
		return nil, err
	}
	return i, nil
}

// with calls f with a process that has the instance. A context that has ended already ends no process.
func (i *Instance) with(ctx context.Context, f func(*process) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	p := i.pool
	s, err := p.acquire(ctx, i.slot)
	if err != nil {
		return err
	}
	defer p.free(s)
	if s.process == nil {
		made, err := start(ctx, p)
		if err != nil {
			return err
		}
		p.put(s, made)
	}
	err = s.process.instantiate(ctx, i)
	if err == nil {
		err = f(s.process)
	}
	if s.process.dead {
		p.put(s, nil)
	}
	return err
}

// put sets the process of a slot that the caller has made busy.
func (p *Pool) put(s *slot, made *process) {
	p.mu.Lock()
	defer p.mu.Unlock()
	s.process = made
}

// Call executes the site once. It fails with an *ffi.Error if the function did, if it ended its process or took longer
// than it may, and with the context's error when that ends.
func (i *Instance) Call(ctx context.Context, c *ffi.Call) error {
	return i.with(ctx, func(p *process) error {
		l := layoutOf(i.site, c)
		if err := p.memory.grow(l.size); err != nil {
			return err
		}
		l.copyIn(p.memory.data, c)
		err := p.call(ctx, i, &request{Kind: callKind, ID: i.id, RunID: c.RunID, Device: c.Device, Size: l.size,
			Runs: []places{l.places}})
		if err == nil {
			l.copyOut(p.memory.data, c)
		}
		return err
	})
}

// Close gives the instance up. No Call may be under way.
func (i *Instance) Close() {
	i.once.Do(func() {
		i.pool.forget(i)
		i.pool.release()
	})
}

// forget has idle processes drop the instance; those at work drop it when they have time.
func (p *Pool) forget(i *Instance) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, s := range p.slots {
		if s.process != nil {
			s.process.forget(i.id)
		}
	}
}
