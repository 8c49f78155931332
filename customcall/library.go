package customcall

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
	"unsafe"

	"github.com/halo-xla/halo/cgo/dl"
	"github.com/halo-xla/halo/customcall/library"
	"github.com/halo-xla/halo/ffi"
)

// loaded is an open shared library, or the process itself. It is closed when the registry is and no site uses it.
type loaded struct {
	path     string
	file     *dl.Library // nil: the process
	onStream bool        // its functions are for a GPU
	users    []ffi.User

	mu     sync.Mutex
	sites  int
	closed bool
	// conventions are those of its functions, "" for what debug information does not tell, which may take a second.
	reading     sync.Mutex
	conventions map[unsafe.Pointer]string
	// threads ended calls, see ffi.Native.Close; forever says that nobody knows them all.
	threads map[int32]bool
	forever bool
}

func (l *loaded) handle() unsafe.Pointer {
	if l.file == nil {
		return nil
	}
	return l.file.Handle()
}

func (l *loaded) symbol(name string) (unsafe.Pointer, error) {
	if l.file == nil {
		return dl.Default(name)
	}
	return l.file.Symbol(name)
}

// begin counts a site; it fails once the library is closed.
func (l *loaded) begin() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return fmt.Errorf("%s: %w", l.path, ErrClosed)
	}
	l.sites++
	return nil
}

// end ends what begin began, for a site that threads ended calls of.
func (l *loaded) end(threads []int32, more bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.sites--
	l.forever = l.forever || more
	for _, t := range threads {
		if l.threads == nil {
			l.threads = map[int32]bool{}
		}
		l.threads[t] = true
	}
	l.unload()
}

func (l *loaded) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
	l.unload()
}

// patience is how long a library that nobody needs is held open for the threads that may still run its code.
const patience = time.Minute

// unload closes the file if nobody needs it: at once, or when the threads are gone that may still run its code. If some
// stay, so does the library.
func (l *loaded) unload() {
	if !l.closed || l.sites > 0 || l.forever || l.file == nil {
		return
	}
	l.forever = true // once
	if l.abandoned() {
		closeLibrary(l.file)
		return
	}
	go func() {
		wait := time.Millisecond
		for begin := time.Now(); time.Since(begin) < patience; wait = min(2*wait, time.Second) {
			time.Sleep(wait)
			if l.abandoned() {
				closeLibrary(l.file)
				return
			}
		}
	}()
}

// abandoned reports whether no task waits or runs that may be the library's, and no thread that ended a call.
func (l *loaded) abandoned() bool {
	for t := range l.threads {
		if ffi.Lives(t) {
			return false
		}
		delete(l.threads, t)
	}
	return ffi.Pending() == 0
}

// types registers the types of m, and attaches what it says to all runs.
func (l *loaded) types(m *Manifest) error {
	ids := map[string]int64{}
	for name, t := range m.Types {
		id, err := l.pointer(t.ID)
		if err != nil {
			return err
		}
		var info unsafe.Pointer
		if t.Info != "" {
			if info, err = l.pointer(t.Info); err != nil {
				return err
			}
		}
		if ids[name], err = ffi.RegisterType(name, id, info); err != nil {
			return fmt.Errorf("%s: type %s: %w", l.path, name, err)
		}
	}
	for _, u := range m.UserData {
		id, ok := ids[u.Type]
		if !ok {
			return fmt.Errorf("%s: user data of type %s, which is not among the types", l.path, u.Type)
		}
		data, err := l.pointer(u.Create)
		if err != nil {
			return err
		}
		l.users = append(l.users, ffi.User{Type: id, Data: data})
	}
	return nil
}

// pointer calls a function without arguments.
func (l *loaded) pointer(name string) (unsafe.Pointer, error) {
	f, err := l.symbol(name)
	if err != nil {
		return nil, err
	}
	p := ffi.Pointer(f, l.handle())
	if p == nil {
		return nil, fmt.Errorf("%s: %s returned nothing", l.path, name)
	}
	return p, nil
}

// functions finds the functions that names says.
func (l *loaded) functions(names Symbols) (ffi.Functions, error) {
	f := ffi.Functions{Library: l.handle(), OnStream: l.onStream}
	for _, x := range []struct {
		name string
		to   *unsafe.Pointer
	}{{names.Instantiate, &f.Instantiate}, {names.Prepare, &f.Prepare}, {names.Initialize, &f.Initialize},
		{names.Execute, &f.Execute}} {
		if x.name == "" {
			continue
		}
		var err error
		if *x.to, err = l.symbol(x.name); err != nil {
			return f, err
		}
	}
	if f.Execute == nil {
		return f, fmt.Errorf("%s: no function for the stage execute is named", l.path)
	}
	return f, nil
}

// suits fails if debug information says that a function has another calling convention than calls of a version.
func (l *loaded) suits(f unsafe.Pointer, v ffi.Version) error {
	abi := l.convention(f)
	if l.onStream && v < ffi.TypedFFI {
		v = ffi.StatusReturningUnified // they have the same arguments on a stream
	}
	if library.Suits(abi, int(v)) {
		return nil
	}
	return fmt.Errorf("%s: the call has api_version %d, but by its debug information the function has the convention %s",
		l.path, v, abi)
}

// convention reads the convention of a function where it is asked for first. Of the process it reads nothing: a program
// in Go has so much debug information that it takes a second.
func (l *loaded) convention(f unsafe.Pointer) string {
	if l.file == nil {
		return ""
	}
	l.reading.Lock()
	defer l.reading.Unlock()
	abi, known := l.conventions[f]
	if known {
		return abi
	}
	if file, offset := dl.Where(f); file != "" {
		abi = library.Convention(file, offset)
	}
	if l.conventions == nil {
		l.conventions = map[unsafe.Pointer]string{}
	}
	l.conventions[f] = abi
	return abi
}

// native is the handler of functions of a library.
type native struct {
	library   *loaded
	functions ffi.Functions
}

// errOnStream is why functions of a GPU cannot be called with arrays in the host's memory.
var errOnStream = errors.New("its functions are for a GPU, as its manifest says, and here custom calls are the " +
	"host's: run the program on the backend cuda")

// Instantiate fails for functions of a GPU: see Registry.InstantiateOnStream.
func (n native) Instantiate(_ context.Context, s *ffi.Site) (Instance, error) {
	if n.functions.OnStream {
		return nil, fmt.Errorf("%s: %w", n.library.path, errOnStream)
	}
	return n.instantiate(s)
}

func (n native) instantiate(s *ffi.Site) (Instance, error) {
	if err := n.library.begin(); err != nil {
		return nil, err
	}
	site, err := n.site(s)
	if err != nil {
		n.library.end(nil, false)
		return nil, err
	}
	return nativeInstance{site, n.library}, nil
}

func (n native) site(s *ffi.Site) (*ffi.Native, error) {
	f := n.functions
	for _, p := range []unsafe.Pointer{f.Instantiate, f.Prepare, f.Initialize, f.Execute} {
		if p == nil {
			continue
		}
		if err := n.library.suits(p, s.Version); err != nil {
			return nil, err
		}
	}
	return ffi.NewNative(s, f, n.library.users)
}

// nativeInstance is a site that holds its library open.
type nativeInstance struct {
	*ffi.Native
	library *loaded
}

func (n nativeInstance) Close() {
	n.Native.Close(n.library.end)
}

// NativeOf returns the site behind an instance if functions in C serve it, for backends that call it with addresses.
func NativeOf(i Instance) (*ffi.Native, bool) {
	n, ok := i.(nativeInstance)
	return n.Native, ok
}
