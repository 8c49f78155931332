package literal

import (
	"testing"

	"github.com/halo-xla/halo/xla/shape"
)

func TestBinary(t *testing.T) {
	array := func(s string, data ...byte) *Literal {
		shape, err := shape.Parse(s)
		if err != nil {
			t.Fatal(err)
		}
		l, err := FromBytes(shape, data)
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	column := array("u8[2,3]{0,1}", 1, 4, 2, 5, 3, 6)
	for _, l := range []*Literal{
		Scalar(float32(3)), array("u8[0,3]"), column, array("s4[3]", 1, 2, 15), NewToken(),
		NewTuple(Scalar(int8(-1)), NewTuple(), NewTuple(column, NewToken())),
	} {
		b, err := l.MarshalBinary()
		if err != nil {
			t.Fatal(err)
		}
		var got Literal
		if err := got.UnmarshalBinary(b); err != nil || !Equal(&got, l) {
			t.Errorf("%v: got %v, %v", l, &got, err)
		}
		for n := range b {
			if err := new(Literal).UnmarshalBinary(b[:n]); err == nil {
				t.Errorf("%v: %d of %d bytes are taken for it", l, n, len(b))
			}
		}
		if err := new(Literal).UnmarshalBinary(append(b, 0)); err == nil {
			t.Errorf("%v: a byte too many is taken", l)
		}
	}
	cut := column.Clone()
	cut.SetDynamicSize(0, 1)
	if _, err := cut.MarshalBinary(); err == nil {
		t.Error("sizes at run time are dropped")
	}
}

// TestBinaryStrays wants bytes that are no element of their type to be refused.
func TestBinaryStrays(t *testing.T) {
	for shape, elems := range map[string]struct{ good, bad []byte }{
		"pred[1]":     {[]byte{0, 1}, []byte{2, 0x80, 0xff}},
		"s4[1]":       {[]byte{0, 7, 8, 15, 0xf8, 0xff}, []byte{0x10, 0x80, 0xf7, 0x7f}},
		"u4[1]":       {[]byte{0, 15}, []byte{0x10, 0xff}},
		"s2[1]":       {[]byte{0, 3, 0xfe}, []byte{4, 0xfd}},
		"f4e2m1fn[1]": {[]byte{0, 15}, []byte{0x10}},
		"u8[1]":       {[]byte{0, 0xff}, nil},
	} {
		read := func(b byte) error {
			return new(Literal).UnmarshalBinary(append(append([]byte{byte(len(shape)), 0, 0, 0}, shape...), b))
		}
		for _, b := range elems.good {
			if err := read(b); err != nil {
				t.Error(err)
			}
		}
		for _, b := range elems.bad {
			if err := read(b); err == nil {
				t.Errorf("%s: %#x is taken", shape, b)
			}
		}
	}
}
