package stablehlo

import (
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"

	"github.com/halo-xla/halo/xla/shape"
)

// floatAttr is the number with the given bits, as MLIR's text has it: in six digits if these say it, else in as many as
// its type can need, and in hexadecimal if it is none or the text would have no point.
func floatAttr(e shape.ElementType, t FloatType, bits uint64) Attr {
	v := e.ToFloat64(bits)
	text := ""
	if !math.IsNaN(v) && !math.IsInf(v, 0) {
		text = sixDigits(v)
		if short, err := strconv.ParseFloat(text, 64); err != nil || e.FromFloat64(short) != bits {
			text = allDigits(v, 2+(e.MantissaBits()+1)*59/196)
		}
	}
	if text == "" {
		return IntAttr{"0x" + strings.ToUpper(hexText(bits, (e.Bits()+3)/4)), t}
	}
	return FloatAttr{text, t}
}

// sixDigits writes a number as 1.234560e+00.
func sixDigits(v float64) string {
	if v == 0 {
		return strconv.FormatFloat(v, 'e', 6, 64)
	}
	digits, exp := decimals(math.Abs(v), 6)
	exp += len(digits) - 1
	text := fmt.Sprintf("%s.%s%se%+03d", digits[:1], digits[1:], strings.Repeat("0", 7-len(digits)), exp)
	return strings.Repeat("-", btoi(v < 0)) + text
}

// allDigits writes a number in up to so many digits, without an exponent if at most three zeros would stand before
// them; "" if there would be no point.
func allDigits(v float64, precision int) string {
	digits, exp := decimals(math.Abs(v), precision)
	sign := strings.Repeat("-", btoi(v < 0))
	first := exp + len(digits) - 1 // the exponent of the first digit
	switch {
	case exp < 0 && first >= 0:
		return sign + digits[:first+1] + "." + digits[first+1:]
	case exp < 0 && first >= -3:
		return sign + "0." + strings.Repeat("0", -1-first) + digits
	case exp >= 0 && exp <= 3 && first < precision:
		return ""
	case len(digits) == 1:
		digits += "0"
	}
	return fmt.Sprintf("%s%s.%sE%+d", sign, digits[:1], digits[1:], first)
}

// decimals returns a positive number as digits times ten to the power of exp. Like MLIR it cuts off what lies beyond
// the bits that so many digits need before it rounds, and drops zeros at the end.
func decimals(v float64, precision int) (digits string, exp int) {
	fraction, power := math.Frexp(v)
	n := big.NewInt(int64(fraction * (1 << 53)))
	power -= 53
	zeros := n.TrailingZeroBits()
	n.Rsh(n, zeros)
	if power += int(zeros); power >= 0 {
		n.Lsh(n, uint(power))
	} else {
		n.Mul(n, new(big.Int).Exp(big.NewInt(5), big.NewInt(int64(-power)), nil))
		exp = power
	}
	if tens := (n.BitLen() - (precision*196+58)/59) * 59 / 196; tens > 0 {
		n.Quo(n, new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(tens)), nil))
		exp += tens
	}
	digits = n.String()
	if more := len(digits) - precision; more > 0 {
		if exp += more; digits[precision] >= '5' {
			up, _ := strconv.ParseUint(digits[:precision], 10, 64)
			digits = strconv.FormatUint(up+1, 10)
		} else {
			digits = digits[:precision]
		}
	}
	short := strings.TrimRight(digits, "0")
	return short, exp + len(digits) - len(short)
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}
