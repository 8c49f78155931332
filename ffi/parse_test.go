package ffi

import (
	"reflect"
	"strings"
	"testing"

	"github.com/halo-xla/halo/internal/testfile"
	"github.com/halo-xla/halo/xla/shape"
)

func TestParseAttrs(t *testing.T) {
	for text, want := range map[string]Attrs{
		"":   nil,
		"{}": {},
		`{b = true, a = -5 : i8, "c d" = "x\22\0A\\", A = 7}`: {
			{"A", Scalar{shape.S64, []byte{7, 0, 0, 0, 0, 0, 0, 0}}}, {"a", Scalar{shape.S8, []byte{251}}},
			{"b", Scalar{shape.Pred, []byte{1}}}, {"c d", "x\"\n\\"}},
		`{f = 0x7FC00000 : f32, g = false, h = 1.0e0 : f32}`: {{"f", Scalar{shape.F32, []byte{0, 0, 0xc0, 0x7f}}},
			{"g", Scalar{shape.Pred, []byte{0}}}, {"h", Scalar{shape.F32, []byte{0, 0, 0x80, 0x3f}}}},
		`{d = {z = {}, y = 1 : ui8}}`: {{"d", Attrs{{"y", Scalar{shape.U8, []byte{1}}}, {"z", Attrs{}}}}},
		`{a = array<i16: 1, -1>, b = array<f32>, c = dense<[[1, 2], [3, 4]]> : tensor<2x2xui8>, d = dense<> : tensor<0xf32>}`: {
			{"a", Array{shape.S16, []byte{1, 0, 255, 255}}}, {"b", Array{Type: shape.F32}},
			{"c", Array{shape.U8, []byte{1, 2, 3, 4}}}, {"d", Array{Type: shape.F32}}},
		`{a = dense<5> : tensor<3xi8>, b = dense<"0x0102"> : tensor<2xi8>, c = dense<200> : tensor<i8>}`: {
			{"a", Array{shape.S8, []byte{5, 5, 5}}}, {"b", Array{shape.S8, []byte{1, 2}}}, {"c", Array{shape.S8, []byte{200}}}},
	} {
		got, err := ParseAttrs(text)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %#v, %v, want %#v", text, got, err, want)
		}
	}
}

func TestParseAttrsFails(t *testing.T) {
	for text, want := range map[string]string{
		`{`:                                  "want a name",
		`{a`:                                 "want = after the name a",
		`{a = [1, 2]}`:                       "attribute a: lists in brackets are not taken",
		`{a = f32}`:                          "want a number",
		`{a = 1.0 : f16}`:                    "scalars of type f16 are not taken",
		`{a = array<i1: true>}`:              "arrays of i1 are not taken",
		`{a = dense<true> : tensor<2xi1>}`:   "arrays of i1 are not taken",
		`{a = 300 : i8}`:                     "does not fit s8",
		`{a = 1, a = 2}`:                     "stands twice",
		`{a = dense<[1, 2]> : tensor<3xi8>}`: "got 2 numbers, want 3",
		`{a = dense<1> : tensor<9999999999x9999999xi8>}`: "more than",
		`{a = "b}`:                             "want a string that ends",
		`{a = "\q"}`:                           "want a string whose escapes",
		`{a = {b = [1]}}`:                      "attribute a: attribute b: ",
		`{} x`:                                 "want the end",
		`"text"`:                               "want a dictionary in braces",
		"{a = " + strings.Repeat("{a = ", 300): "nest deeper",
	} {
		if _, err := ParseAttrs(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.60s: got %v, want %q", text, err, want)
		}
	}
}

func FuzzParseAttrs(f *testing.F) {
	f.Add(`{b = true, a = -5 : i8, c = array<i64: 1>, d = dense<[1.0]> : tensor<1xf32>, "e" = {f = "x"}}`)
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) < 1000 && !strings.Contains(text, "tensor") {
			testfile.Bounded(t, len(text), 512, func() { _, _ = ParseAttrs(text) })
		}
	})
}

// All attributes of a call have a room together.
func TestParseAttrsRoom(t *testing.T) {
	p := &parser{text: "{a = dense<1> : tensor<3x2xi8>, b = dense<1> : tensor<5xi8>}", room: 10}
	if _, err := p.dictionary(0); err == nil || !strings.HasPrefix(err.Error(), "attribute b: more than ") {
		t.Errorf("got %v, want that b is too large", err)
	}
}
