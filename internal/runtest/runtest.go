// Package runtest runs records of native code on memory of tests.
package runtest

import (
	"runtime"
	"testing"
	"unsafe"

	"github.com/halo-xla/halo/cgo/loops/run"
)

// Slots returns where arrays begin.
func Slots[T any](arrays ...[]T) []unsafe.Pointer {
	slots := make([]unsafe.Pointer, len(arrays))
	for i, a := range arrays {
		slots[i] = unsafe.Pointer(unsafe.SliceData(a))
	}
	return slots
}

// Execute runs records with so many threads. Slot i of theirs lies at slots[i], in Go's memory.
func Execute(t testing.TB, threads int, slots []unsafe.Pointer, list ...run.Record) {
	t.Helper()
	execute, release := ready(threads, slots, list)
	defer release()
	if err := execute(); err != nil {
		t.Fatal(err)
	}
}

// Prepare returns what does as Execute each time that it is called, until the test ends.
func Prepare(t testing.TB, threads int, slots []unsafe.Pointer, list ...run.Record) func() {
	t.Helper()
	execute, release := ready(threads, slots, list)
	t.Cleanup(release)
	return func() {
		if err := execute(); err != nil {
			t.Fatal(err)
		}
	}
}

func ready(threads int, slots []unsafe.Pointer, list []run.Record) (execute func() error, release func()) {
	s, pins, cancel := run.NewSegment(list), new(runtime.Pinner), new(uint32)
	pins.Pin(cancel)
	pins.Pin(unsafe.SliceData(slots))
	for _, p := range slots {
		pins.Pin(p)
	}
	execute = func() error { return s.Run(unsafe.Pointer(unsafe.SliceData(slots)), cancel, threads, 0) }
	return execute, func() {
		pins.Unpin()
		s.Close()
	}
}
