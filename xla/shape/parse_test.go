package shape

import (
	"strings"
	"testing"
)

// Each text is its own print.
func TestParseRoundTrip(t *testing.T) {
	for _, text := range []string{
		"f32[]", "f32[2,3]{1,0}", "s32[<=10,3]", "f32[?,4]", "(f32[2]{0}, s32[])", "()", "token[]", "opaque[]",
		"b(f32[4]{0})", "pred[0]{0}", "((s4[2]), (f8e4m3fn[1,2]{0,1}))",
		"(f32[], f32[], f32[], f32[], f32[], /*index=5*/f32[])",
		"f32[3,5]{1,0:T(2,2)}", "bf16[16,256]{1,0:T(8,128)(2,1)S(1)}", "f32[7]{0:T(*,128)}", "f32[]{:T(256)}",
		"s4[3,4]{1,0:E(4)}", "f32[8]{0:T(4)L(16)E(32)S(5)}", "f32[4,4]{1,0:SC(0:1,2)(1:3)M(16)}",
		"f32[4,4]{1,0:D(D,C+~)#(u32)*(u64)P((s32[5]{0}, f32[5]{0}))}",
		"f32[2,3]{0,1:PAD(3,5)=zero}", "f32[2,3]{0,1:PAD(3,5)=lowest}",
	} {
		s, err := Parse(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if got := s.Text(); got != text {
			t.Errorf("%s: printed %s", text, got)
		}
		if again, err := Parse(s.Text()); err != nil || !again.Equal(s) {
			t.Errorf("%s: parsed again it is %s, %v", text, again.Text(), err)
		}
	}
}

func TestParseForms(t *testing.T) {
	for _, c := range []struct{ text, want, rest string }{
		{" f32 [ 2 , /* two */ 3 ] {1,0} x", "f32[2,3]", " {1,0} x"},
		{"f32[3]{0} %x", "f32[3]{0}", " %x"},
		{"f32[]{} %x", "f32[]", " %x"},
		{"f32[3] {1, 2, 3}", "f32[3]", " {1, 2, 3}"},
		{"f32[3]{ ROOT", "f32[3]", "{ ROOT"},
		{"f32[4]{0:D(D)}", "f32[4]{0}", ""},
		{"f32[4]{0:S(5)E(32)}", "f32[4]{0:E(32)S(5)}", ""},
	} {
		s, rest, err := ParsePrefix(c.text)
		if err != nil || s.Text() != c.want || rest != c.rest {
			t.Errorf("%s: got %s, rest %q, %v; want %s, rest %q", c.text, s.Text(), rest, err, c.want, c.rest)
		}
	}
}

func TestParseErrors(t *testing.T) {
	for _, c := range []struct {
		text, want string
		offset     int
	}{
		{"", `got the end of the text, want a shape`, 0},
		{"f33[2]", `unknown element type "f33", did you mean f32`, 0},
		{"i32[2]", `unknown element type "i32", did you mean s32`, 0},
		{"tuple[]", `unknown element type "tuple"`, 0},
		{"f32", `got the end of the text, want "["`, 3},
		{"f32[2", `want "," or "]"`, 5},
		{"f32[-1]", "number is negative", 4},
		{"f32[2,]", `got "]", want a number`, 6},
		{"f32[9223372036854775808]", "does not fit in 64 bits", 4},
		{"f32[3000000000,4000000000]", "the size of f32[3000000000,4000000000] overflows", 0},
		{"c128[1000000000000000000]", "overflows", 0},
		{"token[2]", "token has dimensions", 0},
		{"f32[2]{0,1}", "orders 2 dimensions, want 1", 6},
		{"f32[2,2]{0,0}", "no permutation", 8},
		{"f32[2]{0:T(0)}", "tile size is 0", 6},
		{"f32[2]{0:T(2)PAD(2)=one}", "padding and tiles", 6},
		{"f32[2]{0:PAD(2)=two}", `padding value "two"`, 16},
		{"f32[2]{0:S(1)S(2)}", "layout has S(...) twice", 15},
		{"f32[2]{0:Q(1)}", `got "Q", want "}"`, 9},
		{"f32[2]{0:#(f32)}", `type "f32", want an unsigned integer type`, 11},
		{"f32[2]{0:D(X)}", `dimension type "X"`, 11},
		{"(f32[]", `want "," or ")"`, 6},
		{"b(token[])", "buffer of token[], want an array", 2},
		{"f32[2] x", `got "x", want the end of the shape`, 7},
		{"f32[/* 2]", "want a number", 4},
		{strings.Repeat("(", 100000), "nests deeper", maxDepth},
		{"f32[" + strings.Repeat("1,", 100000), "more than 1024 dimensions", 2*MaxRank + 5},
	} {
		name := c.text[:min(len(c.text), 30)]
		_, err := Parse(c.text)
		se, ok := err.(*SyntaxError)
		if !ok || !strings.Contains(se.What, c.want) {
			t.Errorf("%s: got error %v, want %q", name, err, c.want)
			continue
		}
		if se.Offset != c.offset {
			t.Errorf("%s: %s at %d, want at %d", name, se.What, se.Offset, c.offset)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"f32[2,3]{1,0}", "(s32[<=4], (token[]))", "f32[3,5]{1,0:T(2,2)(*,2)S(1)}", "b(f32[1])",
		"f32[2]{0:PAD(3)=one}", "f32[4]{0:D(C)#(u8)P(f32[2]{0})}"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, err := Parse(text)
		if err != nil {
			return
		}
		again, err := Parse(s.Text())
		if err != nil || again.Text() != s.Text() {
			t.Errorf("%q prints %q, which parses as %q, %v", text, s.Text(), again.Text(), err)
		}
	})
}
