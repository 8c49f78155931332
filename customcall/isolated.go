package customcall

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/halo-xla/halo/customcall/isolate"
	"github.com/halo-xla/halo/customcall/library"
	"github.com/halo-xla/halo/ffi"
)

// ServeIsolated is the first that main calls in a program that isolates functions in processes of its own program, or
// that others use as a helper. It returns at once, but in those processes: there it serves and does not return.
func ServeIsolated() { isolate.Serve(openIsolated) }

// isolated is what a process is told of the library to open.
type isolated struct {
	Path     string
	Manifest *Manifest
}

func openIsolated(spec []byte) (isolate.Instantiator, error) {
	var s isolated
	if err := json.Unmarshal(spec, &s); err != nil {
		return nil, fmt.Errorf("customcall: bug: %w", err)
	}
	r := New()
	if err := r.Load(s.Path, s.Manifest); err != nil {
		return nil, err
	}
	return func(ctx context.Context, site *ffi.Site) (isolate.Server, error) {
		h, ok := r.Handler(site.Target)
		if !ok {
			return nil, fmt.Errorf("%s: no function serves the target %q", s.Path, site.Target)
		}
		return h.Instantiate(ctx, site)
	}, nil
}

var errNotIsolated = errors.New("its functions are for a GPU, and cannot be isolated: their arrays are in its memory")

// LoadIsolated is Load, but the functions run in other processes: one that crashes, exits or hangs is an error of its
// call. They see copies of arrays, and instances with a state share one process each. Without a manifest every exported
// function serves the target of its name, unless another handler does; what a library registers by itself when it is
// opened is not seen. The library is opened when a program is
// compiled; LoadIsolated fails if the file is no library or not whole, nothing can serve, or a target is taken.
func (r *Registry) LoadIsolated(path string, m *Manifest, o isolate.Options) error {
	if m != nil {
		if err := m.check(); err != nil {
			return fmt.Errorf("custom-call library %s: %w", path, err)
		}
		if m.onStream() {
			return fmt.Errorf("custom-call library %s: %w", path, errNotIsolated)
		}
	}
	file, err := find(path)
	if err != nil {
		return err
	}
	lib, err := library.Open(file)
	if err != nil {
		return fmt.Errorf("custom-call library %w", err)
	}
	spec, err := json.Marshal(isolated{file, m})
	if err != nil {
		return err
	}
	pool, err := isolate.Open(file, spec, o)
	if err != nil {
		return fmt.Errorf("custom-call library %w", err)
	}
	if err := r.addPool(pool, file, lib, m); err != nil {
		pool.Close()
		return fmt.Errorf("custom-call library %w", err)
	}
	return nil
}

// addPool takes all targets of m, or those of the library's functions that are free.
func (r *Registry) addPool(pool *isolate.Pool, file string, lib *library.File, m *Manifest) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return fmt.Errorf("%s: %w", file, ErrClosed)
	}
	symbols := map[string]Symbols{}
	if m != nil && m.Symbols != nil {
		symbols = m.Symbols
		for _, target := range slices.Sorted(maps.Keys(symbols)) {
			if err := r.taken(target, file); err != nil {
				return err
			}
		}
	} else {
		for _, t := range lib.Targets {
			if r.taken(t.Name, file) == nil {
				symbols[t.Name] = Symbols{Execute: t.Name}
			}
		}
	}
	for target, s := range symbols {
		r.handlers[target] = entry{remote{pool, s.Instantiate != ""}, file}
	}
	r.pools = append(r.pools, pool)
	return nil
}

// remote is the handler of functions that run in other processes.
type remote struct {
	pool  *isolate.Pool
	state bool
}

// Instantiate returns an *isolate.Instance.
func (h remote) Instantiate(ctx context.Context, s *ffi.Site) (Instance, error) {
	i, err := h.pool.Instantiate(ctx, s, h.state)
	if err != nil {
		return nil, err
	}
	return i, nil
}
