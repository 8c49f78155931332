package reduce

import (
	"unsafe"

	"github.com/halo-xla/halo/cgo/loops/run"
)

// Choose is select-and-scatter. Start makes results of the init value, Select compares two elements of the operand and
// Scatter combines a result and an element of the source; all are packed programs.
type Choose struct {
	Plan
	Operand, Source, Init, Out run.Ref
	XBytes, OutBytes           int64
	Results, Fill              int64 // Fill: results that a task fills
	Groups, Rows               int64 // groups of rows that never meet in a result, and the rows of one
	Apart                      bool  // each group, one strip, has Fill results of its own one after the other
	Strips, Strip              int64 // of the line: strips that never meet, and their places
	Start, Select, Scatter     []byte
	// Chooser and Adder take the place of Select and Scatter, Side that of both where places lie side by side.
	Chooser, Adder, Side uintptr
}

type chooseArgs struct {
	chooser, adder, side           uintptr
	operand, source, init, out     run.Ref
	xBytes, outBytes, results      int64
	fill, groups, rows, apart      int64
	strips, strip                  int64
	start, selects, scatter, place int64
}

// Record makes the record of c.
func (c Choose) Record() run.Record {
	a := chooseArgs{chooser: c.Chooser, adder: c.Adder, side: c.Side, operand: c.Operand, source: c.Source, init: c.Init,
		out: c.Out, xBytes: c.XBytes, outBytes: c.OutBytes, results: c.Results, fill: c.Fill, groups: c.Groups, rows: c.Rows,
		strips: c.Strips, strip: c.Strip}
	if c.Apart {
		a.apart = 1
	}
	var tail run.Tail
	at := run.HeadBytes + int64(unsafe.Sizeof(a))
	a.start, a.selects, a.scatter = tail.Add(at, c.Start), tail.Add(at, c.Select), tail.Add(at, c.Scatter)
	a.place = tail.Add(at, c.Plan.pack())
	r := run.Pack(chooseFunction(), &a)
	r.Args = append(r.Args, tail...)
	return r
}
