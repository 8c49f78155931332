package ffi

import (
	"fmt"
	"slices"
	"unsafe"

	"github.com/halo-xla/halo/xla/shape"
)

// Functions are the functions of a library that serve a target: of the typed convention one for each stage, of the old
// ones Execute. nil is none.
type Functions struct {
	Instantiate, Prepare, Initialize, Execute unsafe.Pointer
	// Library is what dlopen gave, nil for functions of the process.
	Library unsafe.Pointer
	// OnStream says that they are for a GPU: they get a stream, see Frame.On, and arrays where they lie, which is in the
	// device's memory, in the layout and as packed as they want them.
	OnStream bool
}

func (f Functions) stages() [4]unsafe.Pointer {
	return [4]unsafe.Pointer{f.Instantiate, f.Prepare, f.Initialize, f.Execute}
}

// User is a pointer of the caller's that functions find under the identity of a type.
type User struct {
	Type int64
	Data unsafe.Pointer
}

// Unfinished is the error of a call whose context ended after its function had returned, but before the function ended
// the future that it returned. Until it does, from whatever thread, it may use the arrays of the call, which are kept,
// and so is the library; that is for ever if it never does.
type Unfinished struct {
	cause error
	over  chan struct{}
}

// Error says why nobody waits any more.
func (u *Unfinished) Error() string {
	return "the function returned a future and did not end it in time: " + u.cause.Error()
}

// Unwrap returns the cause of the context's end.
func (u *Unfinished) Unwrap() error { return u.cause }

// Over is closed when the function has ended the future.
func (u *Unfinished) Over() <-chan struct{} { return u.over }

// metadata is what a function of the typed convention says of itself.
type metadata struct {
	Major, Minor int
	Traits       uint32
}

// oldest and newest are the minor versions of the typed convention that are taken.
const oldest, newest = 1, 5

// check fails if functions of such a version cannot be called.
func (m metadata) check() error {
	if m.Major == 0 && m.Minor >= oldest && m.Minor <= newest {
		return nil
	}
	if m.Major == 0 && m.Minor < oldest {
		return Errorf(InvalidArgument, "the function did not say its API version, as functions of the conventions before "+
			"api_version 4 do not, or has version 0.0, want 0.%d to 0.%d", oldest, newest)
	}
	return Errorf(InvalidArgument, "the function has API version %d.%d, want 0.%d to 0.%d", m.Major, m.Minor, oldest,
		newest)
}

// checkSite fails if functions in C cannot serve s.
func checkSite(s *Site) error {
	for _, v := range slices.Concat(s.Operands, s.Results) {
		if v.Type > shape.F8E8M0FNU {
			return Errorf(Unimplemented, "arrays of %s have no number in the C interface", v.Type)
		}
	}
	for _, a := range s.Aliases {
		r, o := s.Results[a.Result], s.Operands[a.Operand]
		if r.Type != o.Type || !slices.Equal(r.Dims, o.Dims) || !slices.Equal(r.MinorToMajor, o.MinorToMajor) {
			return Errorf(InvalidArgument, "result %d has the memory of operand %d, but another shape or layout", a.Result,
				a.Operand)
		}
	}
	if s.Version > TypedFFI {
		return fmt.Errorf("api_version is %d, want 0 to %d", s.Version, TypedFFI)
	}
	return nil
}
