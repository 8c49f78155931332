package reduce

import "github.com/halo-xla/halo/cgo/loops/run"

// Relation is how select-and-scatter compares.
type Relation int32

// The relations.
const (
	GE Relation = iota
	GT
	LE
	LT
)

// PoolOf returns the native loop that reduces windows by an op, 0 if there is none. Sums and products of F32 and F64
// are rounded step by step in the order of memory.
func PoolOf(isa run.ISA, op Op, t Type) Pool { return Pool(poolLoop(isa, op, t)) }

// ChooserOf returns the native loop that chooses by a relation, 0 if there is none.
func ChooserOf(isa run.ISA, t Type, r Relation) uintptr { return chooserLoop(isa, t, r) }

// AdderOf returns the native loop that adds to chosen elements, 0 if there is none.
func AdderOf(isa run.ISA, t Type) uintptr { return adderLoop(isa, t) }

// SideOf returns the native loop that does the work of both for places side by side, 0 if there is none.
func SideOf(isa run.ISA, t Type, r Relation) uintptr { return sideLoop(isa, t, r) }
