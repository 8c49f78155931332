package literal

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"slices"

	"github.com/halo-xla/halo/internal/memory"
	"github.com/halo-xla/halo/xla/shape"
)

// npyMagic begins every npy file.
const npyMagic = "\x93NUMPY"

// maxHeader is the most bytes an npy header may take.
const maxHeader = 1 << 20

// ReadNPY reads one array in numpy's npy format, version 1.0 to 3.0, in either byte order and in C or Fortran order;
// the result is row-major. What follows the array in r is left unread, or lost if r is buffered.
//
// With want Invalid the element type is the file's. Otherwise it is want: a file of another type with items of the
// same size has want's bits, as numpy writes types that it has not. Reading is bounded by what r holds, not by what
// the header claims. It fails for objects, text, structures and dates, for raw items without want, and for truncated
// files.
func ReadNPY(r io.Reader, want shape.ElementType) (*Literal, error) {
	h, err := readHeader(r)
	if err != nil {
		return nil, fmt.Errorf("npy: %w", err)
	}
	t, err := h.elementType(want)
	if err != nil {
		return nil, fmt.Errorf("npy: %w", err)
	}
	s := shape.Array(t, h.dims...)
	n, err := storageBytes(s)
	if err != nil {
		return nil, fmt.Errorf("npy: %w", err)
	}
	if n > MaxBytes {
		return nil, fmt.Errorf("npy: shape %s takes %d bytes, want at most %d", s, n, int64(MaxBytes))
	}
	claimed := n // which a member of an archive has, whatever there is
	if has := remaining(r); has > 0 {
		claimed = min(n, has)
	}
	if err := memory.Check(claimed); err != nil {
		return nil, fmt.Errorf("npy: %s: %w", s, err)
	}
	data, err := readBytes(r, n)
	if err != nil {
		return nil, fmt.Errorf("npy: data ends early: %d bytes of %d for %s", len(data), n, s)
	}
	if h.descr.big {
		swapBytes(data, h.descr.part())
	}
	data = Canonical(t, data)
	if h.fortran {
		y := shape.DefaultLayout(len(h.dims))
		slices.Reverse(y.MinorToMajor)
		return (&Literal{shape: s.WithLayout(y), data: data}).strict(), nil
	}
	return &Literal{shape: s, data: data}, nil
}

// ParseNPY is ReadNPY from memory.
func ParseNPY(data []byte, want shape.ElementType) (*Literal, error) {
	return ReadNPY(bytes.NewReader(data), want)
}

// strict returns l in row-major order without a layout.
func (l *Literal) strict() *Literal {
	out := l.RowMajor()
	if out == l {
		l.shape.Layout = nil
	}
	return out
}

// readBytes reads n bytes, in growing pieces unless r says that it has as many. With an error it returns what it
// read.
func readBytes(r io.Reader, n int64) ([]byte, error) {
	size := min(n, 1<<20)
	if remaining(r) >= n {
		size = n
	}
	out := memory.Zeros(size)
	at := int64(0)
	for {
		got, err := io.ReadFull(r, out[at:])
		at += int64(got)
		if err != nil || at == n {
			return out[:at], err
		}
		out = append(out, make([]byte, min(n-at, at))...)
	}
}

// remaining returns how many bytes r says it has, 0 if it does not say.
func remaining(r io.Reader) int64 {
	switch r := r.(type) {
	case interface{ Len() int }:
		return int64(r.Len())
	case interface{ Stat() (fs.FileInfo, error) }:
		if info, err := r.Stat(); err == nil && info.Mode().IsRegular() {
			return info.Size()
		}
	}
	return 0
}

// swapBytes reverses the bytes of each item of width bytes.
func swapBytes(data []byte, width int) {
	if width < 2 {
		return
	}
	for ; len(data) >= width; data = data[width:] {
		slices.Reverse(data[:width])
	}
}

// npyNames are the dtypes that WriteNPY writes; numpy has none for the other types, they are raw items.
var npyNames = [shape.NumElementTypes]string{
	shape.Pred: "|b1", shape.S1: "|i1", shape.S2: "|i1", shape.S4: "|i1", shape.S8: "|i1", shape.S16: "<i2",
	shape.S32: "<i4", shape.S64: "<i8", shape.U1: "|u1", shape.U2: "|u1", shape.U4: "|u1", shape.U8: "|u1",
	shape.U16: "<u2", shape.U32: "<u4", shape.U64: "<u8", shape.F16: "<f2", shape.F32: "<f4", shape.F64: "<f8",
	shape.C64: "<c8", shape.C128: "<c16",
}

// WriteNPY writes the array l in npy format 1.0, in C order and little-endian, at its sizes at run time. Types that
// numpy has not become raw items of their size; 4-, 2- and 1-bit integers one byte each.
func WriteNPY(w io.Writer, l *Literal) error {
	if !l.shape.IsArray() {
		return fmt.Errorf("npy: cannot write %s, want an array", l.shape)
	}
	l = l.Cropped().RowMajor()
	name := npyNames[l.shape.Type]
	if name == "" {
		name = fmt.Sprintf("|V%d", l.shape.Type.Bytes())
	}
	header := fmt.Appendf(nil, "{'descr': '%s', 'fortran_order': False, 'shape': (", name)
	for i, n := range l.shape.Dims {
		if i > 0 {
			header = append(header, ' ')
		}
		header = fmt.Appendf(header, "%d,", n)
	}
	if len(l.shape.Dims) > 1 {
		header = header[:len(header)-1]
	}
	header = append(header, "), }"...)
	for (len(npyMagic)+4+len(header)+1)%64 != 0 {
		header = append(header, ' ')
	}
	header = append(header, '\n')
	if len(header) >= 1<<16 {
		return fmt.Errorf("npy: %s has too many dimensions", l.shape)
	}
	front := append([]byte(npyMagic), 1, 0, byte(len(header)), byte(len(header)>>8))
	if _, err := w.Write(append(front, header...)); err != nil {
		return fmt.Errorf("npy: %w", err)
	}
	if _, err := w.Write(l.data); err != nil {
		return fmt.Errorf("npy: %w", err)
	}
	return nil
}
