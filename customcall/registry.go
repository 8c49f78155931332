// Package customcall finds the functions behind custom calls: Go functions, and those of libraries in C.
//
// Give a Registry to clients as ClientOptions.Handlers. It is there until whoever made it and all those clients have
// closed, in whatever order.
package customcall

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/halo-xla/halo/customcall/isolate"
	"github.com/halo-xla/halo/ffi"
)

// Func is a Go function behind a custom call. It fills c.Results, may keep nothing of c, and may run on several
// goroutines at once. What it fails with reaches the caller; ffi.Errorf gives it a code.
type Func func(ctx context.Context, c *ffi.Call) error

// Handler serves a target. It makes an instance for each call site of an executable.
type Handler interface {
	// Instantiate is called when a program is compiled. It fails if the handler cannot serve such a call.
	Instantiate(ctx context.Context, s *ffi.Site) (Instance, error)
}

// Instance is what serves one call site, on several goroutines at once.
type Instance interface {
	// Call executes the site once.
	Call(ctx context.Context, c *ffi.Call) error
	// Close frees what the instance holds. It is called once, when no Call is under way.
	Close()
}

// Instantiate returns the function itself: it has no state for a site.
func (f Func) Instantiate(context.Context, *ffi.Site) (Instance, error) { return function{f}, nil }

type function struct{ f Func }

func (f function) Call(ctx context.Context, c *ffi.Call) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = ffi.Errorf(ffi.Internal, "the function panicked: %v", p)
		}
	}()
	return f.f(ctx, c)
}

func (function) Close() {}

// Registry maps targets to handlers. It is safe for concurrent use.
type Registry struct {
	mu       sync.Mutex
	handlers map[string]entry
	// libraries are all that were loaded, open those whose functions serve the targets of their names.
	libraries, open []*loaded
	pools           []*isolate.Pool
	sites           sites
	users           int  // those who hold it, and who made it until he closes it
	closed          bool // by who made it
}

// entry is a handler and who gave it, for errors.
type entry struct {
	Handler
	from string
}

// New returns an empty registry.
func New() *Registry { return &Registry{handlers: map[string]entry{}, users: 1} }

// ErrClosed is the error of calls on a registry that was closed.
var ErrClosed = errors.New("the registry is closed")

// Register makes f serve target. It fails if the target is empty or taken.
func (r *Registry) Register(target string, f Func) error {
	if f == nil {
		return fmt.Errorf("custom call %q: the function is nil", target)
	}
	return r.Bind(target, f)
}

// goCode is who gave a handler that is not a library's.
const goCode = "Go code"

// Bind makes h serve target. It fails if the target is empty or taken.
func (r *Registry) Bind(target string, h Handler) error {
	if target == "" {
		return errors.New("custom call: the target is empty")
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return fmt.Errorf("custom call %q: %w", target, ErrClosed)
	}
	if err := r.taken(target, goCode); err != nil {
		return err
	}
	r.handlers[target] = entry{h, goCode}
	return nil
}

// taken fails if somebody serves target.
func (r *Registry) taken(target, from string) error {
	if old, ok := r.handlers[target]; ok {
		return fmt.Errorf("%s wants to serve the target %q, but %s does already", from, target, old.from)
	}
	return nil
}

// Wrap replaces each handler that is bound to a target by what f makes of it.
func (r *Registry) Wrap(f func(Handler) Handler) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for target, e := range r.handlers {
		r.handlers[target] = entry{f(e.Handler), e.from}
	}
}

// Handler returns what serves target, and whether there is something.
func (r *Registry) Handler(target string) (Handler, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if e, ok := r.handlers[target]; ok {
		return e.Handler, true
	}
	return r.named(target)
}

// Targets returns the targets that are served, sorted.
func (r *Registry) Targets() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	var list []string
	for t := range r.handlers {
		list = append(list, t)
	}
	slices.Sort(list)
	return list
}

// Hold keeps the handlers there until Release, even if the registry is closed meanwhile; clients do it for the time
// they are open. It fails if the registry is closed.
func (r *Registry) Hold() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return ErrClosed
	}
	r.users++
	return nil
}

// Close refuses new handlers and new clients. When it was called and the last client is closed, no handler is there any
// more; a library is unloaded, and its processes are ended, when then the last executable is closed that uses it. It
// stays if a function left a thread or a call that does not end. Close always returns nil.
func (r *Registry) Close() error {
	r.mu.Lock()
	again := r.closed
	r.closed = true
	r.mu.Unlock()
	if !again {
		r.Release()
	}
	return nil
}

// Release ends a Hold.
func (r *Registry) Release() {
	r.mu.Lock()
	r.users--
	if r.users > 0 {
		r.mu.Unlock()
		return
	}
	libraries, pools := r.libraries, r.pools
	r.handlers, r.libraries, r.open, r.pools = nil, nil, nil, nil
	r.mu.Unlock()
	r.sites.close()
	for _, l := range libraries {
		l.close()
	}
	for _, p := range pools {
		p.Close()
	}
}
