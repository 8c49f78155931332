package stablehlo

import (
	"bytes"
	"encoding/hex"
	"math"
	"strconv"
	"strings"

	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// hexLimit is the number of elements above which a constant is written as its bytes.
const hexLimit = 256

// denseOf returns the elements of an array as an attribute that borrows them.
func denseOf(l *literal.Literal) (*DenseAttr, error) {
	l = l.RowMajor()
	s := l.Shape().WithoutLayout().Static()
	t, err := exportType(s)
	if err != nil {
		return nil, err
	}
	a := &DenseAttr{Kind: DenseBytes, Type: t.(*TensorType), Data: l.Bytes()}
	if width := s.Type.Bytes(); s.Size() > 1 && isSplat(a.Data, width) {
		if a.Data = a.Data[:width]; s.Type == shape.Pred {
			a.Data = []byte{-a.Data[0]} // all bits
		}
	}
	return a, nil
}

// denseText writes elements as text, which is short for small arrays and their bytes for large ones.
func denseText(l *literal.Literal, t *TensorType) *DenseAttr {
	s := l.Shape()
	a := &DenseAttr{Kind: DenseList, Type: t}
	n, data, width := s.Size(), l.Bytes(), s.Type.Bytes()
	switch {
	case n == 0:
	case n == 1 && s.Rank() == 0 || isSplat(data, width):
		a.Kind, a.Text = DenseSplat, elementText(s.Type, data[:width])
	case n > hexLimit && s.Type.Bits() == 8*width && s.Type != shape.Pred:
		a.Kind, a.Text = DenseHex, strings.ToUpper(hex.EncodeToString(data))
	default:
		var b strings.Builder
		w := denseWriter{b: &b, typ: s.Type, data: data}
		w.list(s.Dims)
		a.Text, a.Dims = b.String(), s.Dims
	}
	return a
}

// isSplat reports whether all elements are the same.
func isSplat(data []byte, width int) bool {
	return bytes.Equal(data[width:], data[:len(data)-width])
}

// denseWriter writes nested lists.
type denseWriter struct {
	b    *strings.Builder
	typ  shape.ElementType
	data []byte // what is not written yet
}

func (w *denseWriter) list(dims []int64) {
	if len(dims) == 0 {
		n := w.typ.Bytes()
		w.b.WriteString(elementText(w.typ, w.data[:n]))
		w.data = w.data[n:]
		return
	}
	w.b.WriteByte('[')
	for i := range dims[0] {
		if i > 0 {
			w.b.WriteString(", ")
		}
		w.list(dims[1:])
	}
	w.b.WriteByte(']')
}

// elementText writes one element.
func elementText(t shape.ElementType, data []byte) string {
	if t.IsComplex() {
		half := len(data) / 2
		return "(" + elementText(t.Component(), data[:half]) + ", " + elementText(t.Component(), data[half:]) + ")"
	}
	bits := uint64(0)
	for i, b := range data {
		bits |= uint64(b) << (8 * i)
	}
	free := 64 - t.Bits()
	switch t.Class() {
	case shape.PredClass:
		return strconv.FormatBool(bits != 0)
	case shape.SignedClass:
		return strconv.FormatInt(int64(bits<<free)>>free, 10)
	case shape.UnsignedClass:
		return strconv.FormatUint(bits<<free>>free, 10)
	}
	if v := t.ToFloat64(bits); !math.IsNaN(v) && !math.IsInf(v, 0) {
		return floatText(v)
	}
	digits := (t.Bits() + 3) / 4
	return "0x" + strings.ToUpper(hexText(bits, digits))
}

func hexText(bits uint64, digits int) string {
	s := strconv.FormatUint(bits, 16)
	return strings.Repeat("0", max(digits-len(s), 0)) + s
}
