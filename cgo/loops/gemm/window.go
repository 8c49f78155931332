package gemm

import (
	"encoding/binary"

	"github.com/halo-xla/halo/cgo/loops/run"
)

// MostTaps is how many taps a window has at most.
const MostTaps = 64

// Windows says that the rows of an f32 product are what windows see of an array: Taps taps of Run terms side by side,
// or as many of those at Zero if a tap lies outside. Table has a [Table]'s bytes. At most Most terms of a sum are made
// at once, which are copied first if Copied.
type Windows struct {
	Zero, Table     run.Ref
	Taps, Run, Most int64
	Copied          bool
}

// Table is where the taps of a window begin, and the windows of all rows.
type Table struct {
	Taps []int64
	Rows []Window
}

// Window is what a row is: a window whose tap t begins At plus Taps[t] elements behind the array's beginning, if bit t
// of Inside is set, or else lies outside. Its sums go C elements behind those of the product.
type Window struct {
	At     int64
	Inside uint64
	C      int64
}

// Bytes is the table as a product reads it.
func (t *Table) Bytes() []byte {
	var b []byte
	for _, tap := range t.Taps {
		b = binary.NativeEndian.AppendUint64(b, uint64(tap))
	}
	for _, w := range t.Rows {
		b = binary.NativeEndian.AppendUint64(b, uint64(w.At))
		b = binary.NativeEndian.AppendUint64(b, w.Inside)
		b = binary.NativeEndian.AppendUint64(b, uint64(w.C))
	}
	return b
}
