package literal

import (
	"bytes"
	"slices"
	"testing"

	"github.com/halo-xla/halo/xla/shape"
)

func TestCanonical(t *testing.T) {
	for _, c := range []struct {
		t        shape.ElementType
		in, want []byte
	}{
		{shape.Pred, []byte{0, 1, 2, 0xFF}, []byte{0, 1, 1, 1}},
		{shape.S4, []byte{7, 0x0F, 0xF7, 0x18}, []byte{7, 0xFF, 7, 0xF8}},
		{shape.U4, []byte{7, 0xF7}, []byte{7, 7}},
		{shape.S1, []byte{0, 1, 2}, []byte{0, 0xFF, 0}},
		{shape.F4E2M1FN, []byte{0x0F, 0xF3}, []byte{0x0F, 3}},
		{shape.F6E2M3FN, []byte{0xFF}, []byte{0x3F}},
		{shape.S8, []byte{0x80, 0xFF}, []byte{0x80, 0xFF}},
		{shape.S2, []byte{1, 0xFE}, []byte{1, 0xFE}},
		{shape.U2, nil, nil},
	} {
		in := slices.Clone(c.in)
		got := Canonical(c.t, in)
		if !bytes.Equal(got, c.want) {
			t.Errorf("%v %x: got %x, want %x", c.t, c.in, got, c.want)
		}
		if !bytes.Equal(in, c.in) {
			t.Errorf("%v %x: the argument became %x", c.t, c.in, in)
		}
		if bytes.Equal(c.in, c.want) && len(in) > 0 && &got[0] != &in[0] {
			t.Errorf("%v %x: got a copy", c.t, c.in)
		}
	}
}
