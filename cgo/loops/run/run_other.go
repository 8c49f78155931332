//go:build !cgo || !linux

package run

import "unsafe"

// Segment is a list of records. This build has none.
type Segment struct{}

const none = "run: bug: this build has no native kernels, ask Available"

// Available says whether this build has native kernels.
func Available() bool { return false }

func machineLevel() ISA { return Base }

// NewSegment panics: this build has no native kernels.
func NewSegment(list []Record) *Segment {
	check(list)
	panic(none)
}

// Run panics: this build has no native kernels.
func (*Segment) Run(unsafe.Pointer, *uint32, int, Mode) error { panic(none) }

// Close does nothing.
func (*Segment) Close() {}

// Segments returns 0: there are none.
func Segments() int { return 0 }

// Workers returns 0: there is no pool.
func Workers() int { return 0 }

// Copy panics: this build has no native kernels.
func Copy(Ref, Ref, int64) Record { panic(none) }

// While panics: this build has no native kernels.
func While(*Segment, Ref, *Segment) Record { panic(none) }

// Repeat panics: this build has no native kernels.
func Repeat(int64, *Segment) Record { panic(none) }

// Count panics: this build has no native kernels.
func Count(Counter, *Segment) Record { panic(none) }

// Conditional panics: this build has no native kernels.
func Conditional(Ref, bool, []*Segment) Record { panic(none) }
