// Package xla runs XLA programs: a Client compiles them for a backend, an Executable runs them, Buffers hold their
// arrays.
//
// Clients, executables and buffers are safe for concurrent use. Each has a Close that may be called more than once and
// in any order: a client's memory lives until the last of its children is closed.
package xla

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/halo-xla/halo/xla/collective"
	"github.com/halo-xla/halo/xla/exec"
	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/literal"
)

// Backend is a family of devices: Reference, or one made by a backend package.
type Backend = exec.Backend

// Reference returns the backend that runs every op by its definition: slow, plain and exact. It serves no custom calls
// of its own: for those of linear algebra that exported programs have, give lapack.Handlers of package
// customcall/lapack as ClientOptions.Handlers.
func Reference() Backend { return exec.Reference() }

// Handlers finds the functions behind custom calls. HandlerMap is a simple one.
type Handlers = hlo.Handlers

// Handler is a Go function behind a custom call: operands in, result out, of the call's shape. It must not write to its
// operands, which are shared with buffers, nor close its own client, whose Close waits for it.
type Handler = hlo.Handler

// HandlerMap finds handlers by target name.
type HandlerMap map[string]Handler

// Lookup returns the handler of target and whether there is one.
func (m HandlerMap) Lookup(target string) (Handler, bool) { h, ok := m[target]; return h, ok }

// ClientOptions configure a client. The zero value is useful.
type ClientOptions struct {
	// Handlers finds the functions behind custom calls; nil: there are none. A customcall.Registry may serve several
	// clients. Its libraries are unloaded when it is closed, which may be before the clients are, and nobody uses them.
	Handlers Handlers
	// MemoryLimit is the greatest number of bytes that the live values of one execution may take, and on devices with
	// memory of their own the open buffers of each with what an execution has as arguments and results. 0: the memory of a
	// device, or where they have none three quarters of that of the machine, or of its control group if that has less.
	MemoryLimit int64
	// Logger takes warnings, such as buffers that were dropped without Close, and at level Debug what was compiled; nil:
	// slog.Default().
	Logger *slog.Logger
	// Observer is told of compiles and executions; nil: nobody is.
	Observer Observer
	// Devices is how many devices the client has; 0: 1. On the cpu and reference backends they share the machine's memory,
	// and its threads, each of which works for one execution at a time, nearly in the order in which they came.
	Devices int
	// Job is the processes among which the client's devices are: each has Devices of them, those of rank 0 first. Programs
	// for several devices run across them: every rank makes the same executions in the same order, with the arguments of
	// its own devices. A program for one device runs on the first one here. nil: all devices are in this process.
	Job *collective.Job
	// FeedCapacity is how many values each queue of a device holds before its writer waits; 0: 16.
	FeedCapacity int
	// CachePrograms is how many compiled programs are kept for a Compile of the same text; 0: 32, below 0: none.
	CachePrograms int
}

// Client compiles programs for one backend and makes buffers.
type Client struct {
	backend Backend
	remote  bool // devices have memory of their own
	options ClientOptions
	devices []*Device
	closed  atomic.Bool
	live    counters
	totals  totals
	cache   *cache
	mu      sync.Mutex
	// executables are open.
	executables map[*execState]bool
}

// ErrClosed is the error of calls on what has been closed.
var ErrClosed = errors.New("closed")

// NewClient returns a client of backend. It fails if backend is nil or a number in the options is out of range.
func NewClient(backend Backend, o ClientOptions) (*Client, error) {
	if backend == nil {
		return nil, &Error{Code: InvalidArgument, Err: errors.New("backend is nil, want one such as xla.Reference()")}
	}
	if o.MemoryLimit < 0 {
		return nil, errorf(InvalidArgument, "memory limit %d, want 0 or more bytes", o.MemoryLimit)
	}
	remote := exec.RemoteBytes(backend, 0)
	if o.MemoryLimit == 0 {
		o.MemoryLimit = cmp.Or(remote, defaultMemoryLimit())
	}
	if h, ok := o.Handlers.(hlo.Holder); ok {
		if err := h.Hold(); err != nil {
			return nil, errorf(Closed, "handlers: %w", err)
		}
	}
	c := &Client{backend: backend, remote: remote > 0, options: o,
		cache: newCache(o.CachePrograms), executables: map[*execState]bool{}}
	if err := c.newDevices(); err != nil {
		c.letHandlersGo()
		return nil, err
	}
	return c, nil
}

// BackendName returns the backend's name.
func (c *Client) BackendName() string { return c.backend.Name() }

// Close stops new work: Compile and the making of buffers fail from now on. It waits for executions under way, of which
// those fail that wait for the host, or for a device that has not begun. Open executables and buffers stay usable for
// reading and closing. It always returns nil.
func (c *Client) Close() error {
	c.mu.Lock()
	again := c.closed.Swap(true)
	list := slices.Collect(maps.Keys(c.executables))
	c.mu.Unlock()
	for _, d := range c.devices {
		d.closeQueues()
	}
	for _, st := range list {
		st.shut(errorf(Closed, "client: %w", ErrClosed))
	}
	c.cache.close()
	if !again {
		c.letHandlersGo()
	}
	return nil
}

// letHandlersGo ends the client's hold of its handlers.
func (c *Client) letHandlersGo() {
	if h, ok := c.options.Handlers.(hlo.Holder); ok {
		h.Release()
	}
}

func (c *Client) open() error {
	if c == nil {
		return errNoClient
	}
	if c.closed.Load() {
		return errorf(Closed, "client: %w", ErrClosed)
	}
	return nil
}

// register notes an executable, whose executions Close stops. It fails once the client is closed.
func (c *Client) register(st *execState) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.open(); err != nil {
		return err
	}
	c.executables[st] = true
	return nil
}

// forget ends register and reports whether this call did it.
func (c *Client) forget(st *execState) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	known := c.executables[st]
	delete(c.executables, st)
	if known {
		c.totals.executions.Add(st.gate.through())
	}
	return known
}

type counters struct{ buffers, bytes, remote atomic.Int64 }

// Live is how much of a client's is open.
type Live struct {
	Buffers, Executables, Running int64
	// BufferBytes is what the open buffers hold, RemoteBytes what of that is in the memory of devices.
	BufferBytes, RemoteBytes int64
}

// Live returns what is open now; all counts are zero once everything is closed.
func (c *Client) Live() Live {
	c.mu.Lock()
	defer c.mu.Unlock()
	l := Live{Buffers: c.live.buffers.Load(), BufferBytes: c.live.bytes.Load(), RemoteBytes: c.live.remote.Load(),
		Executables: int64(len(c.executables))}
	for st := range c.executables {
		l.Running += st.gate.under()
	}
	return l
}

// Trim gives back what is kept for later: compiled programs that nobody has open, and the memory of executions.
func (c *Client) Trim() {
	c.cache.clear()
	if b, ok := c.backend.(interface{ Trim() }); ok {
		b.Trim()
	}
}

func (c *Client) logger() *slog.Logger {
	if c.options.Logger != nil {
		return c.options.Logger
	}
	return slog.Default()
}

// warnLeak is the clean-up of what was dropped without Close.
func (c *Client) warnLeak(what string) {
	c.logger().LogAttrs(context.Background(), slog.LevelWarn, "xla: dropped without Close", slog.String("what", what))
}

// FromLiteral makes a buffer of l on the client's first device here. l must not be changed afterwards.
func (c *Client) FromLiteral(l *literal.Literal) (*Buffer, error) { return c.home().FromLiteral(l) }
