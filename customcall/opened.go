package customcall

import (
	"slices"
	"sync"
	"unsafe"

	"github.com/halo-xla/halo/cgo/dl"
	"github.com/halo-xla/halo/ffi"
)

// opened is a library that is open, or the process, with what it has registered by itself: when it is opened again that
// does not happen again, but the targets are served as the first time.
type opened struct {
	file       *dl.Library // nil: the process
	users      int
	registered []ffi.Registration
}

// libraries are those that are open, by handle. It is locked while one is opened: what is registered meanwhile, in a
// list of the process, is that library's.
var libraries = struct {
	sync.Mutex
	open map[unsafe.Pointer]*opened
}{open: map[unsafe.Pointer]*opened{nil: {}}}

// openLibrary opens the library in a file.
func openLibrary(path string) (*dl.Library, []ffi.Registration, error) {
	libraries.Lock()
	defer libraries.Unlock()
	settle()
	before := ffi.Registrations()
	file, err := dl.Load(path)
	if err != nil {
		ffi.Registered(before)
		return nil, nil, err
	}
	o := libraries.open[file.Handle()]
	if o == nil {
		o = &opened{file: file}
		libraries.open[file.Handle()] = o
	}
	o.users++
	distribute(ffi.Registered(before), o)
	list := slices.Clone(o.registered)
	for _, x := range libraries.open[nil].registered { // somebody else may have opened it
		if file.Has(x.Execute) {
			list = append(list, x)
		}
	}
	return file, list, nil
}

// distribute gives targets to the libraries that have their functions; those that are in none to o.
func distribute(list []ffi.Registration, o *opened) {
	for _, x := range list {
		to := o
		for _, other := range libraries.open {
			if other.file != nil && other.file.Has(x.Execute) {
				to = other
			}
		}
		to.registered = append(to.registered, x)
	}
}

// settle takes what functions have registered while they were called. Whose it is can be seen until a library is closed
// and another one lies where it was.
func settle() {
	process := libraries.open[nil]
	distribute(ffi.Registered(0), process)
	process.registered = slices.DeleteFunc(process.registered, func(x ffi.Registration) bool {
		file, _ := dl.Where(x.Execute)
		return file == ""
	})
}

// registeredInProcess is what functions have registered that are in no library of ours.
func registeredInProcess() []ffi.Registration {
	libraries.Lock()
	defer libraries.Unlock()
	settle()
	return slices.Clone(libraries.open[nil].registered)
}

// stays reports whether functions that a library registered are there although it was closed, as those of a library in
// C++ with a template's variable are: it does not register them again.
func (o *opened) stays() bool {
	return slices.ContainsFunc(o.registered, func(x ffi.Registration) bool {
		file, _ := dl.Where(x.Execute)
		return file != ""
	})
}

// closeLibrary ends what openLibrary began.
func closeLibrary(file *dl.Library) {
	libraries.Lock()
	defer libraries.Unlock()
	settle()
	handle := file.Handle()
	o := libraries.open[handle]
	o.users--
	file.Close()
	if o.users == 0 && !o.stays() {
		delete(libraries.open, handle)
	}
	settle()
}
