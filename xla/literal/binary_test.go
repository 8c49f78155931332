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
