package exec

import (
	"time"

	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/pass"
)

// Slice is a part of a slot: a value's bytes at run time. A token has none: its Slot is NoSlot.
type Slice struct {
	// Slot is the number of the memory that the value lies in; values that share memory whole have one slot.
	Slot int32
	// Offset and Size are the part of the slot, in bytes.
	Offset, Size int64
}

// NoSlot is the slot of what has no memory: tokens.
const NoSlot = -1

// Thunk is one step of an executable. It is immutable and runs on many goroutines at once, each with a Run of its own.
type Thunk interface {
	// Run does the step. What fails is wrapped with the instruction's name and place by the caller.
	Run(r *Run) error
	// Uses lists all the memory that Run touches: nothing else may be read or written.
	Uses() []Use
}

// Use is memory that a thunk touches. Scratch memory is written.
type Use struct {
	Slice Slice
	Write bool
}

// Reads and Writes make uses of slices.
func Reads(list ...Slice) []Use { return uses(list, false) }

// Writes makes uses of slices that are written, and perhaps read after that.
func Writes(list ...Slice) []Use { return uses(list, true) }

func uses(list []Slice, write bool) []Use {
	out := make([]Use, 0, len(list))
	for _, s := range list {
		if s.Slot != NoSlot {
			out = append(out, Use{s, write})
		}
	}
	return out
}

// InPlacer is a thunk that can write a result over an operand. If both get the same memory, their addresses are equal
// at run time; they never overlap in part.
type InPlacer interface {
	InPlace() []Pair
}

// Pair is a result and the operand whose memory it may have, by slots.
type Pair struct{ Result, Operand int32 }

// Caller is a thunk that calls libraries of others, which do not look at the cancel word: a cancel waits until the call
// under way has returned.
type Caller interface {
	Calls() Calls
}

// Calls are those that one run of a thunk makes.
type Calls struct {
	// Count is how many there are, 0 for none.
	Count int64
	// Longest is about how long the longest takes; 0 if nobody knows, as of functions of the user.
	Longest time.Duration
}

// Then returns the calls of c followed by those of d.
func (c Calls) Then(d Calls) Calls { return Calls{c.Count + d.Count, max(c.Longest, d.Longest)} }

// Described is a thunk that says what it is for reports: "onednn sgemm", "loops transpose", "go sort".
type Described interface {
	Kernel() string
}

// Machine is what a device family provides; New makes the Backend of it.
type Machine interface {
	// Name is what flags and reports call the backend.
	Name() string
	// Passes is its pipeline, in order.
	Passes() []pass.Pass
	// Threads is how many threads one execution may use.
	Threads() int
	// Lower makes the thunk that computes l.In. It fails with errors.ErrUnsupported if the machine has nothing that does.
	// Of tuple and control flow ops it sees none, nor ops that only rename bytes, nor dynamic dimensions.
	Lower(l *Lowering) (Thunk, error)
}

// Server is a machine that serves custom calls by itself.
type Server interface {
	// Serving returns h, which may be nil, with the machine's own targets behind them.
	Serving(h hlo.Handlers) hlo.Handlers
}

// Recorder is a machine that runs consecutive thunks in one native call.
type Recorder interface {
	// Recorded reports whether t can be part of a segment. All thunks below must be.
	Recorded(t Thunk) bool
	// Segment makes one native call of list.
	Segment(list []Thunk) Segment
	// Copy makes a recorded thunk that copies src to dst, unless both have one address.
	Copy(dst, src Slice) Thunk
	// While makes a recorded thunk that runs cond, and body and cond again as long as cond leaves a 1 in again.
	While(cond []Thunk, again Slice, body []Thunk) Thunk
	// Conditional makes a recorded thunk that runs the branch that index says: if isPred, 1 means the first of two, else
	// index is an s32 and one out of range means the last.
	Conditional(index Slice, isPred bool, branches [][]Thunk) Thunk
}

// Segment is some thunks that run in one native call.
type Segment interface {
	Run(r *Run) error
	// Close frees the native memory. It is called once, when no Run is under way.
	Close()
}
