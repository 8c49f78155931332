//go:build cgo

package fftw

// #include <stdlib.h>
// #include "fftw.h"
import "C"

import (
	"errors"
	"fmt"
	"os"
	"sync"
	"time"
	"unsafe"

	"github.com/halo-xla/halo/cgo/dl"
)

// Load opens FFTW's two libraries once. It fails with errors.ErrUnsupported and what was tried if one is not there, or
// if $HALO_LIBS refuses fftw.
var Load = sync.OnceValue(func() error {
	for wide, soname := range []string{"libfftw3f.so.3", "libfftw3.so.3"} {
		lib, err := dl.Open("fftw", soname)
		if err != nil {
			return err
		}
		if missing := C.halo_fftw_load(lib.Handle(), C.int(wide)); missing != nil {
			return fmt.Errorf("fftw: %s lacks %s", lib.Path(), C.GoString(missing))
		}
		path = lib.Path()
	}
	return nil
})

// Path returns the file of the library for f64 once Load has succeeded.
func Path() string { return path }

var path string

// planner guards FFTW's planner, which is for one thread, and the plans that were made, which live as long as the
// process: records hold them.
var planner struct {
	sync.Mutex
	plans map[planKey][2]uintptr
}

type planKey struct {
	Problem
	measured bool
}

// NewPlan plans p for tasks of chunk rows. With a budget FFTW measures, for about that time in all; else it estimates,
// or uses what was measured or imported before. It fails if FFTW has no plan, or as Load does.
func NewPlan(p Problem, chunk int64, budget time.Duration) (*Plan, error) {
	if err := Load(); err != nil {
		return nil, err
	}
	if p.N < 1 || p.Rows < 1 || chunk < 1 {
		return nil, fmt.Errorf("fftw: %d rows of %d in tasks of %d, want at least 1 of each", p.Rows, p.N, chunk)
	}
	out := &Plan{Problem: p, Chunk: chunk}
	part := p
	part.Rows = min(chunk, p.Rows)
	var err error
	if out.whole, err = planned(part, budget); err != nil {
		return nil, err
	}
	out.last = out.whole
	if rest := p.Rows % chunk; rest > 0 && rest != part.Rows {
		part.Rows = rest
		out.last, err = planned(part, budget)
	}
	return out, err
}

func planned(p Problem, budget time.Duration) ([2]uintptr, error) {
	planner.Lock()
	defer planner.Unlock()
	key := planKey{p, budget > 0}
	if v, ok := planner.plans[key]; ok {
		return v, nil
	}
	var v [2]uintptr
	a := p.args()
	for unaligned := range v {
		q := C.fftw_problem{C.int64_t(a.wide), C.int64_t(a.kind), C.int64_t(a.n), C.int64_t(a.rows)}
		v[unaligned] = uintptr(C.halo_fftw_plan(&q, C.int(unaligned), C.double(budget.Seconds()/4)))
		if v[unaligned] == 0 {
			return v, fmt.Errorf("fftw: no plan for %+v", p)
		}
	}
	if planner.plans == nil {
		planner.plans = map[planKey][2]uintptr{}
	}
	planner.plans[key] = v
	return v, nil
}

// Wisdom files, one a precision, hold what measuring has shown.
var wisdomFiles = []string{"/fftwf.wisdom", "/fftw.wisdom"}

// SaveWisdom writes what FFTW has measured in this process to files in folder. It fails if they cannot be written.
func SaveWisdom(folder string) error { return eachWisdom(folder, wisdom{write: true}) }

// LoadWisdom reads what SaveWisdom wrote; it is an error if nothing is there.
func LoadWisdom(folder string) error { return eachWisdom(folder, wisdom{}) }

type wisdom struct{ write bool }

func eachWisdom(folder string, w wisdom) error {
	if err := Load(); err != nil {
		return err
	}
	planner.Lock()
	defer planner.Unlock()
	var errs []error
	for wide, name := range wisdomFiles {
		if i, err := os.Stat(folder + name); err == nil && !i.Mode().IsRegular() { // a pipe would be waited for
			errs = append(errs, fmt.Errorf("fftw: wisdom in %s: it is no regular file", folder+name))
			continue
		}
		file := C.CString(folder + name)
		done := C.int(0)
		if w.write {
			done = C.halo_fftw_export(C.int(wide), file)
		} else {
			done = C.halo_fftw_import(C.int(wide), file)
		}
		C.free(unsafe.Pointer(file))
		if done == 0 {
			errs = append(errs, fmt.Errorf("fftw: wisdom in %s cannot be read or written", folder+name))
		}
	}
	return errors.Join(errs...)
}

func function() unsafe.Pointer { return unsafe.Pointer(C.halo_fftw_record) }
