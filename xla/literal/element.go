package literal

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/halo-xla/halo/xla/shape"
)

// ParseElement returns the little-endian bytes of the element of type t that text writes in HLO: decimal integers,
// true, false, decimal and hexadecimal floats, inf, nan and nan(0x…) with an optional sign. A value that does not fit
// t is an error, too large floats too; floats are rounded to nearest even. The parts of complex numbers come one by
// one, with t their component type.
func ParseElement(t shape.ElementType, text string) ([]byte, error) {
	switch t.Class() {
	case shape.PredClass:
		return parsePred(text)
	case shape.SignedClass:
		return parseSigned(t, text)
	case shape.UnsignedClass:
		return parseUnsigned(t, text)
	case shape.FloatClass:
		bits, err := parseFloat(t, text)
		if err != nil {
			return nil, err
		}
		return bytesOf(t, bits), nil
	}
	return nil, fmt.Errorf("element %s of type %s, want a type with single values", quote(text), t)
}

// quote shortens what the user wrote to what a message can hold.
func quote(text string) string {
	if len(text) > 40 {
		return fmt.Sprintf("%q...", text[:40])
	}
	return strconv.Quote(text)
}

func parsePred(text string) ([]byte, error) {
	switch text {
	case "true", "1":
		return []byte{1}, nil
	case "false", "0":
		return []byte{0}, nil
	}
	return nil, fmt.Errorf("pred value %s, want true, false, 1 or 0", quote(text))
}

func parseSigned(t shape.ElementType, text string) ([]byte, error) {
	if strings.HasPrefix(text, "+") {
		return nil, fmt.Errorf("%s value %s, want an integer", t, quote(text))
	}
	n, err := strconv.ParseInt(text, 10, t.Bits())
	if err != nil {
		return nil, integerError(t, text, err)
	}
	return bytesOf(t, uint64(n)), nil
}

func parseUnsigned(t shape.ElementType, text string) ([]byte, error) {
	if text == "-0" {
		text = "0"
	}
	n, err := strconv.ParseUint(text, 10, t.Bits())
	if err != nil {
		if _, bad := strconv.ParseInt(text, 10, 64); bad == nil {
			err = strconv.ErrRange
		}
		return nil, integerError(t, text, err)
	}
	return bytesOf(t, n), nil
}

func integerError(t shape.ElementType, text string, err error) error {
	if !errors.Is(err, strconv.ErrRange) {
		return fmt.Errorf("%s value %s, want an integer", t, quote(text))
	}
	lo, hi := MinValue(t), MaxValue(t)
	return fmt.Errorf("value %s does not fit %s, want %s to %s", quote(text), t, lo.Append(nil), hi.Append(nil))
}

func parseFloat(t shape.ElementType, text string) (uint64, error) {
	sign, rest := uint64(0), text
	if strings.HasPrefix(rest, "-") {
		sign, rest = 1<<(t.Bits()-1), rest[1:]
	}
	switch {
	case rest == "inf":
		if !math.IsInf(t.MaxFloat64(), 1) {
			return 0, fmt.Errorf("value %s: %s has no infinity", quote(text), t)
		}
		return sign | t.FromFloat64(math.Inf(1)), nil
	case strings.HasPrefix(rest, "nan"):
		return parseNaN(t, sign, text, rest[3:])
	case rest == "" || rest[0] != '.' && (rest[0] < '0' || rest[0] > '9') || strings.Contains(rest, "_"):
		return 0, fmt.Errorf("%s value %s, want a number", t, quote(text))
	}
	width := 64
	if t == shape.F32 {
		width = 32 // rounded once
	}
	if len(rest) > 2 && (rest[1] == 'x' || rest[1] == 'X') && !strings.ContainsAny(rest, "pP") {
		rest += "p0"
	}
	v, err := strconv.ParseFloat(rest, width)
	if errors.Is(err, strconv.ErrSyntax) {
		return 0, fmt.Errorf("%s value %s, want a number", t, quote(text))
	}
	if err != nil || tooLarge(t, v) {
		return 0, fmt.Errorf("value %s does not fit %s, whose largest is %v", quote(text), t, largestFinite(t))
	}
	if t == shape.F8E8M0FNU && (sign != 0 || v == 0) {
		return 0, fmt.Errorf("value %s: %s has positive values only", quote(text), t)
	}
	if sign != 0 {
		v = -v
	}
	return t.FromFloat64(v), nil
}

// tooLarge reports whether v rounds to no finite value of t.
func tooLarge(t shape.ElementType, v float64) bool {
	r := t.ToFloat64(t.FromFloat64(v))
	return math.IsInf(r, 0) || r != r && v != 0 || !hasPayload(t) && v > t.MaxFloat64()
}

// largestFinite returns the greatest finite value of t.
func largestFinite(t shape.ElementType) float64 {
	if m := t.MaxFloat64(); !math.IsInf(m, 1) {
		return m
	}
	return t.ToFloat64(t.FromFloat64(math.Inf(1)) - 1)
}

// parseNaN parses what follows "nan": nothing, or the mantissa bits in parentheses.
func parseNaN(t shape.ElementType, sign uint64, text, rest string) (uint64, error) {
	nan := t.FromFloat64(math.NaN())
	if v := t.ToFloat64(nan); v == v {
		return 0, fmt.Errorf("value %s: %s has no NaN", quote(text), t)
	}
	if t == shape.F8E8M0FNU {
		sign = 0
	}
	if rest == "" {
		return sign | nan, nil
	}
	digits, ok := strings.CutPrefix(rest, "(0x")
	digits, ok2 := strings.CutSuffix(digits, ")")
	payload, err := strconv.ParseUint(digits, 16, 64)
	if !ok || !ok2 || err != nil {
		return 0, fmt.Errorf("%s value %s, want nan or nan(0x...)", t, quote(text))
	}
	mask := lowMask(t.MantissaBits())
	if payload == 0 || payload > mask || !hasPayload(t) && payload != nan&mask {
		return 0, fmt.Errorf("value %s: %s has no NaN with these bits", quote(text), t)
	}
	return sign | nan&^mask | payload, nil
}

// Canonical returns elements of type t in the form that literals have: predicates are 0 or 1, and the upper bits of
// types narrower than a byte extend the sign or are 0. It returns data itself where they are so, else a copy.
func Canonical(t shape.ElementType, data []byte) []byte {
	up := 8 - t.Bits()
	form := func(b byte) byte { return b << up >> up }
	switch {
	case t == shape.Pred:
		form = func(b byte) byte { return min(b, 1) }
	case up <= 0:
		return data
	case t.IsSigned():
		form = func(b byte) byte { return byte(int8(b) << up >> up) }
	}
	first := slices.IndexFunc(data, func(b byte) bool { return form(b) != b })
	if first < 0 {
		return data
	}
	data = slices.Clone(data)
	for i := first; i < len(data); i++ {
		data[i] = form(data[i])
	}
	return data
}
