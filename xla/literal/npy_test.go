package literal

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/halo-xla/halo/internal/testfile"
	"github.com/halo-xla/halo/xla/shape"
)

// npy makes a file of the given version, dictionary and data.
func npy(major byte, dict, data string) string {
	n := len(dict)
	size := []byte{byte(n), byte(n >> 8)}
	if major > 1 {
		size = append(size, byte(n>>16), byte(n>>24))
	}
	return npyMagic + string(major) + "\x00" + string(size) + dict + data
}

func npyDict(descr, order, sizes string) string {
	return fmt.Sprintf("{'descr': '%s', 'fortran_order': %s, 'shape': %s, }\n", descr, order, sizes)
}

func TestReadNPY(t *testing.T) {
	for _, c := range []struct {
		name, file string
		as         shape.ElementType
		want       string
	}{
		{"scalar", npy(1, npyDict("<i4", "False", "()"), "\x07\x00\x00\x00"), shape.Invalid, "s32[] 7"},
		{"vector", npy(1, npyDict("|u1", "False", "(3,)"), "\x01\x02\xff"), shape.Invalid, "u8[3] {1, 2, 255}"},
		{"version 2", npy(2, npyDict("|i1", "False", "(1,)"), "\xff"), shape.Invalid, "s8[1] {-1}"},
		{"version 3", npy(3, npyDict("|b1", "False", "(2,)"), "\x00\x01"), shape.Invalid, "pred[2] {0, 1}"},
		{"pred by bytes", npy(3, npyDict("|u1", "False", "(2,)"), "\x00\x02"), shape.Pred, "pred[2] {0, 1}"},
		{"big endian", npy(1, npyDict(">i2", "False", "(2,)"), "\x01\x02\xff\xfe"), shape.Invalid, "s16[2] {258, -2}"},
		{"big complex", npy(1, npyDict(">c8", "False", "()"), "\x3f\x80\x00\x00\xc0\x00\x00\x00"), shape.Invalid,
			"c64[] (1, -2)"},
		{"fortran", npy(1, npyDict("|i1", "True", "(2, 3)"), "\x01\x04\x02\x05\x03\x06"), shape.Invalid,
			"s8[2,3] { { 1, 2, 3 }, { 4, 5, 6 } }"},
		{"empty", npy(1, npyDict("<f8", "True", "(0, 4)"), ""), shape.Invalid, "f64[0,4] {  }"},
		{"raw", npy(1, npyDict("|V2", "False", "(1,)"), "\x80\x3f"), shape.BF16, "bf16[1] {1}"},
		{"raw by integer", npy(1, npyDict("<u2", "False", "(1,)"), "\x80\x3f"), shape.BF16, "bf16[1] {1}"},
		{"raw byte", npy(1, npyDict("|V1", "False", "(1,)"), "\x7e"), shape.F8E4M3FN, "f8e4m3fn[1] {448}"},
		{"s4", npy(1, npyDict("|i1", "False", "(3,)"), "\x0f\xff\x07"), shape.S4, "s4[3] {-1, -1, 7}"},
		{"no dtype", npy(1, npyDict("|V2", "False", "(1,)"), "\x80\x3f"), shape.Invalid, ""},
		{"other size", npy(1, npyDict("<f4", "False", "(0,)"), ""), shape.F64, ""},
		{"double quotes", npy(1, `{"shape":(2L,),"descr":"=i1","fortran_order":False}`, "\x01\x02"), shape.Invalid,
			"s8[2] {1, 2}"},
		{"second array", npy(1, npyDict("|i1", "False", "(1,)"), "\x01") + npyMagic, shape.Invalid, "s8[1] {1}"},
	} {
		got, err := ParseNPY([]byte(c.file), c.as)
		switch {
		case c.want == "" && err == nil:
			t.Errorf("%s: got %s, want an error", c.name, got)
		case c.want != "" && (err != nil || got.String() != c.want):
			t.Errorf("%s: got %v, %v; want %s", c.name, got, err, c.want)
		}
	}
}

func TestReadNPYErrors(t *testing.T) {
	good := npyDict("<f4", "False", "(8, 8)")
	for _, c := range []struct{ file, want string }{
		{"", "not an npy file"},
		{"PK\x03\x04 something else", "not an npy file"},
		{npy(9, good, ""), "unknown version 9.0"},
		{npy(1, good, "123"), "data ends early: 3 bytes of 256 for f32[8,8]"},
		{npy(1, npyDict("<f4", "False", "(1000000, 100000)"), "123"), "data ends early"},
		{npy(1, npyDict("<f4", "False", "(1000000000, 10000000000)"), ""), "overflows"},
		{npy(1, npyDict("<f4", "False", "(1000000000, 1000000000)"), ""), "want at most"},
		{npy(1, npyDict("<f4", "False", "(99999999999999999999,)"), ""), "fit 64 bits"},
		{npy(1, good, "")[:60], "ends after"},
		{npyMagic + "\x02\x00\xff\xff\xff\x7f{", "header of 2147483647 bytes"},
		{npy(1, "[1]", ""), "header is no dictionary"},
		{npy(1, "{'descr': '<f4', 'fortran_order': False}", ""), "header has no shape"},
		{npy(1, good[:len(good)-2]+"'more': 1}", ""), `key "more" is unknown`},
		{npy(1, good[:len(good)-2]+"'descr': '<f4'}", ""), `key "descr" is unknown or there twice`},
		{npy(1, npyDict("<f4", "False", "(__import__('os').getpid(),)"), ""), "want sizes"},
		{npy(1, npyDict("<f4", "False", "(5)"), ""), `want ","`},
		{npy(1, npyDict("<f4", "False", "(-5,)"), ""), "want sizes"},
		{npy(1, npyDict("<f4", "0", "(5,)"), ""), "want True or False"},
		{npy(1, good[:len(good)-4], ""), "dictionary is not closed"},
		{npy(1, good+"x", ""), "text after the dictionary"},
		{npy(1, npyDict("|O", "False", "(5,)"), ""), "pickled objects"},
		{npy(1, npyDict("<U3", "False", "(5,)"), ""), "is text"},
		{npy(1, npyDict("|S3", "False", "(5,)"), ""), "is text"},
		{npy(1, npyDict("<M8[ns]", "False", "(5,)"), ""), "no element type"},
		{npy(1, npyDict("<f16", "False", "(5,)"), ""), "no element type"},
		{npy(1, npyDict("", "False", "(5,)"), ""), "unknown"},
		{npy(1, "{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (2,)}", ""), "structured dtype"},
		{npy(1, npyDict("<f4", "False", "("+strings.Repeat("1,", 65)+")"), ""), "more than 64 dimensions"},
	} {
		if l, err := ParseNPY([]byte(c.file), shape.Invalid); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%.80q: got %v, %v; want %q", c.file, l, err, c.want)
		}
	}
	want := `got elements of f32 (dtype "f4"), want f64`
	if _, err := ParseNPY([]byte(npy(1, npyDict("<f4", "False", "(1,)"), "1234")), shape.F64); err == nil ||
		!strings.Contains(err.Error(), want) {
		t.Errorf("other size: got %v, want %s", err, want)
	}
}

func TestWriteNPY(t *testing.T) {
	var b bytes.Buffer
	col, err := arr([]int16{1, 2, 3, 4, 5, 6}, 2, 3).Relayout(&shape.Layout{MinorToMajor: []int64{0, 1}})
	if err != nil {
		t.Fatal(err)
	}
	if err := WriteNPY(&b, col); err != nil {
		t.Fatal(err)
	}
	dict := "{'descr': '<i2', 'fortran_order': False, 'shape': (2, 3), }"
	want := npy(1, dict+strings.Repeat(" ", 127-10-len(dict))+"\n", "\x01\x00\x02\x00\x03\x00\x04\x00\x05\x00\x06\x00")
	if b.String() != want {
		t.Errorf("got %q, want %q", b.String(), want)
	}
	for _, l := range []*Literal{Scalar(int8(3)), vec[complex128](1i), FromWide(shape.Array(shape.BF16, 1),
		Wide{Class: shape.FloatClass, F: []float64{2}})} {
		b.Reset()
		if err := WriteNPY(&b, l); err != nil {
			t.Fatal(err)
		}
		back, err := ParseNPY(b.Bytes(), l.Shape().Type)
		if err != nil || !Equal(l, back) || b.Len() != 128+len(l.Bytes()) {
			t.Errorf("%s: came back as %v, %v, from %d bytes", l, back, err, b.Len())
		}
	}
	if err := WriteNPY(&b, NewTuple()); err == nil {
		t.Error("a tuple was written")
	}
}

func FuzzReadNPY(f *testing.F) {
	f.Add([]byte(npy(1, npyDict("<f4", "False", "(2,)"), "12345678")), uint8(0))
	f.Add([]byte(npy(2, npyDict(">i2", "True", "(2, 1)"), "1234")), uint8(0))
	f.Add([]byte(npy(3, npyDict("|V1", "False", "(2,)"), "12")), uint8(shape.S4))
	for _, name := range []string{"fortran", "complex"} {
		b, err := os.ReadFile("testdata/" + name + ".npy")
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b, uint8(0))
	}
	f.Fuzz(func(t *testing.T, data []byte, want uint8) {
		var l *Literal
		var err error
		testfile.Bounded(t, len(data), 16, func() { l, err = ParseNPY(data, shape.ElementType(want)%shape.NumElementTypes) })
		if err != nil {
			return
		}
		var b bytes.Buffer
		if err := WriteNPY(&b, l); err != nil {
			t.Fatal(err)
		}
		if back, err := ParseNPY(b.Bytes(), l.Shape().Type); err != nil || !Equal(l, back) {
			t.Errorf("%s came back as %v, %v", l, back, err)
		}
	})
}
