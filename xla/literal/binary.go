package literal

import (
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/halo-xla/halo/xla/shape"
)

// MarshalBinary returns l as bytes for another process: the length of its shape's text, the text, and the elements of
// its arrays, row-major. It fails for an array with sizes at run time.
func (l *Literal) MarshalBinary() ([]byte, error) {
	text := l.shape.WithoutLayout().String()
	b := binary.LittleEndian.AppendUint32(nil, uint32(len(text)))
	b = append(b, text...)
	for _, leaf := range l.Leaves() {
		if leaf.sizes != nil {
			return nil, fmt.Errorf("an array %s with the sizes %v at run time has no binary form", leaf.shape, leaf.sizes)
		}
		b = append(b, leaf.RowMajor().data...)
	}
	return b, nil
}

// UnmarshalBinary makes l what MarshalBinary wrote. It fails if data is not of its making, and does not keep it.
func (l *Literal) UnmarshalBinary(data []byte) error {
	if len(data) < 4 || uint64(binary.LittleEndian.Uint32(data)) > uint64(len(data)-4) {
		return fmt.Errorf("%d bytes hold no literal", len(data))
	}
	n := int(binary.LittleEndian.Uint32(data))
	s, err := shape.Parse(string(data[4 : 4+n]))
	if err != nil {
		return err
	}
	v, rest, err := unmarshal(s, data[4+n:])
	if err == nil && len(rest) > 0 {
		err = fmt.Errorf("%d bytes are left after a literal of shape %s", len(rest), s)
	}
	if err == nil {
		*l = *v
	}
	return err
}

// unmarshal returns a literal of shape s and the bytes after it.
func unmarshal(s shape.Shape, data []byte) (*Literal, []byte, error) {
	if s.IsToken() {
		return NewToken(), data, nil
	}
	if !s.IsTuple() {
		n, err := storageBytes(s)
		if err != nil {
			return nil, nil, err
		}
		if n > int64(len(data)) {
			return nil, nil, fmt.Errorf("a literal of shape %s takes %d bytes, got %d", s, n, len(data))
		}
		if i := slices.IndexFunc(data[:n], strays(s.Type)); i >= 0 {
			return nil, nil, fmt.Errorf("byte %d of a literal of shape %s is %#x, which is no %s", i, s, data[i], s.Type)
		}
		v, err := FromBytes(s, append([]byte(nil), data[:n]...))
		return v, data[n:], err
	}
	elems := make([]*Literal, len(s.Elems))
	for i, e := range s.Elems {
		var err error
		if elems[i], data, err = unmarshal(e, data); err != nil {
			return nil, nil, err
		}
	}
	return NewTuple(elems...), data, nil
}

// strays returns what reports whether a byte has bits that no element of type t has. The upper bits of one narrower
// than a byte are zeros or extend its sign.
func strays(t shape.ElementType) func(byte) bool {
	switch {
	case t == shape.Pred:
		return func(b byte) bool { return b > 1 }
	case t.Bits() >= 8:
		return func(byte) bool { return false }
	}
	up := 8 - t.Bits()
	return func(b byte) bool { return b != b<<up>>up && !(t.IsSigned() && int8(b) == int8(b)<<up>>up) }
}
