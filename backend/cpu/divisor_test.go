package cpu_test

import (
	"fmt"
	"testing"

	"github.com/halo-xla/halo/xla/shape"
)

// TestShortQuotients divides all short integers as floats by known numbers, and wants the bits of quotients.
func TestShortQuotients(t *testing.T) {
	for _, from := range []shape.ElementType{shape.U8, shape.S8, shape.U16, shape.S16} {
		plain := shape.U16
		if from.Bits() == 8 {
			plain = shape.U8
		}
		all := codes(t, plain)
		n := all.Shape().Dims[0]
		for _, d := range []string{"255", "127.5", "127", "128", "-3", "10", "0.229", "65535", "32768", "3e38", "1e-40", "0",
			"-0", "inf", "nan", "1e-38"} {
			both(t, fmt.Sprintf(`ENTRY e { p = %s[%d] parameter(0) q = %s[%[2]d] bitcast-convert(p)
  x = f32[%[2]d] convert(q) c = f32[] constant(%[4]s) y = f32[%[2]d] broadcast(c), dimensions={}
  ROOT z = f32[%[2]d] divide(x, y) }`, plain, n, from, d), 0, 0, all)
		}
	}
}
