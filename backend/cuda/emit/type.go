package emit

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// ctype is how C has an element type: the type in memory, that of values, and the texts that make one of the other and
// that round or wrap a value; "" where nothing is to be done.
type ctype struct {
	store, value   string
	from, to, wrap string
	uses           string
}

// ctypes are those of all element types of arrays.
var ctypes = func() (list [shape.NumElementTypes]ctype) {
	for t := range shape.NumElementTypes {
		if t.IsArray() {
			list[t] = newCtype(t)
		}
	}
	return list
}()

func newCtype(t shape.ElementType) ctype {
	name := t.String()
	switch t.Class() {
	case shape.PredClass:
		return ctype{store: "u8", value: "bool", from: "(%s != 0)", to: "(u8)(%s)"}
	case shape.ComplexClass:
		return ctype{store: name, value: name, uses: "complex"}
	case shape.FloatClass:
		if t.Bits() >= 32 {
			return ctype{store: name, value: name}
		}
		if t == shape.F8E8M0FNU { // products of the smallest are no f32
			return ctype{store: "u8", value: "f64", from: "(f64)from_f8e8m0fnu(%s)", to: "to_f8e8m0fnu(odd(%s))",
				wrap: "(f64)round_f8e8m0fnu(odd(%s))", uses: "formats"}
		}
		return ctype{store: fmt.Sprintf("u%d", 8*t.Bytes()), value: "f32", from: "from_" + name + "(%s)",
			to: "to_" + name + "(%s)", wrap: "round_" + name + "(%s)", uses: "formats"}
	}
	return integerCtype(t)
}

func integerCtype(t shape.ElementType) ctype {
	letter, n := "s", t.Bits()
	if t.IsUnsigned() {
		letter = "u"
	}
	c := ctype{store: fmt.Sprintf("%s%d", letter, 8*t.Bytes()), value: fmt.Sprintf("%s%d", letter, max(n, 32))}
	switch {
	case n >= 32:
	case t.IsUnsigned():
		c.wrap, c.from, c.to = fmt.Sprintf("(%%s & %du)", uint32(1)<<n-1), "(u32)%s", "("+c.store+")(%s)"
	default:
		c.wrap, c.from, c.to = fmt.Sprintf("extend((u32)(%%s), %d)", n), "(s32)%s", "("+c.store+")(%s)"
	}
	return c
}

// fill puts v into a text that has room for it; of "" it is v.
func fill(text, v string) string {
	if text == "" {
		return v
	}
	return fmt.Sprintf(text, v)
}

// narrow reports whether values of t are rounded to fewer bits than they are held in.
func narrow(t shape.ElementType) bool { return t.IsFloat() && t.Bits() < 32 }

// constantText is the value of element i of a literal in C.
func constantText(t shape.ElementType, w literal.Wide, i int) string {
	switch t.Class() {
	case shape.PredClass:
		return strconv.FormatBool(w.B[i])
	case shape.SignedClass:
		return signedText(w.I[i], max(t.Bits(), 32))
	case shape.UnsignedClass:
		if t.Bits() == 64 {
			return fmt.Sprintf("%dull", w.U[i])
		}
		return fmt.Sprintf("%du", w.U[i])
	case shape.FloatClass:
		return floatText(w.F[i], t == shape.F64)
	}
	c, f64 := w.C[i], t == shape.C128
	return fmt.Sprintf("%v{%s, %s}", t, floatText(real(c), f64), floatText(imag(c), f64))
}

func signedText(v int64, bits int) string {
	switch {
	case bits == 32 && v == math.MinInt32:
		return "(s32)0x80000000u"
	case v == math.MinInt64:
		return "(s64)0x8000000000000000ull"
	case bits == 64:
		return fmt.Sprintf("%dll", v)
	}
	return strconv.FormatInt(v, 10)
}

// floatText is a float in C; infinities and NaN as their bits.
func floatText(v float64, f64 bool) string {
	switch {
	case v-v != 0 && f64:
		return fmt.Sprintf("float_of(%#xull)", math.Float64bits(v))
	case v-v != 0:
		return fmt.Sprintf("float_of(%#xu)", math.Float32bits(float32(v)))
	}
	bits, suffix := 32, "f"
	if f64 {
		bits, suffix = 64, ""
	}
	text := strconv.FormatFloat(v, 'g', -1, bits)
	if !strings.ContainsAny(text, ".e") {
		text += ".0"
	}
	return text + suffix
}
