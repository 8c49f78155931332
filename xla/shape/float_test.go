package shape

import (
	"math"
	"math/big"
	"slices"
	"testing"
)

// spec is a float format as its paper states it, apart from the code under test.
type spec struct {
	t              ElementType
	exp, man, bias int
	nans           func(bits uint64) bool // without the sign
	infs           bool
	signedZero     bool
	beyond         uint64 // what too large values become
}

func ieee(exp, man int) func(uint64) bool {
	return func(b uint64) bool { return b > (1<<exp-1)<<man }
}

func only(pattern uint64) func(uint64) bool { return func(b uint64) bool { return b == pattern } }

func never(uint64) bool { return false }

var specs = []spec{
	{F16, 5, 10, 15, ieee(5, 10), true, true, 0x7C00},
	{BF16, 8, 7, 127, ieee(8, 7), true, true, 0x7F80},
	{F8E5M2, 5, 2, 15, ieee(5, 2), true, true, 0x7C},
	{F8E4M3, 4, 3, 7, ieee(4, 3), true, true, 0x78},
	{F8E3M4, 3, 4, 3, ieee(3, 4), true, true, 0x70},
	{F8E4M3FN, 4, 3, 7, only(0x7F), false, true, 0x7F},
	{F8E4M3B11FNUZ, 4, 3, 11, never, false, false, 0x80},
	{F8E5M2FNUZ, 5, 2, 16, never, false, false, 0x80},
	{F8E4M3FNUZ, 4, 3, 8, never, false, false, 0x80},
	{F4E2M1FN, 2, 1, 1, never, false, true, 0x7},
	{F6E3M2FN, 3, 2, 3, never, false, true, 0x1F},
	{F6E2M3FN, 2, 3, 1, never, false, true, 0x1F},
}

// value decodes a pattern without a sign by the definition: 2^(e-bias) (1 + m/2^man), subnormal 2^(1-bias) m/2^man.
func (s spec) value(b uint64) *big.Float {
	e, m := int(b>>s.man), new(big.Float).SetInt64(int64(b&(1<<s.man-1)))
	m.SetMantExp(m, -s.man)
	if e == 0 {
		return m.SetMantExp(m, 1-s.bias)
	}
	m.Add(m, big.NewFloat(1))
	return m.SetMantExp(m, e-s.bias)
}

// finite returns the patterns without a sign that are numbers; their values ascend with them.
func (s spec) finite() (patterns []uint64, values []*big.Float) {
	for b := range uint64(1) << (s.exp + s.man) {
		if s.nans(b) || s.infs && b == (1<<s.exp-1)<<s.man {
			continue
		}
		patterns, values = append(patterns, b), append(values, s.value(b))
	}
	return patterns, values
}

// nearest searches the pattern nearest to v, at least 0; of two as near the even one. Beyond the last value the next
// step decides: whoever would round to it is too large.
func (s spec) nearest(v *big.Float, patterns []uint64, values []*big.Float) uint64 {
	at, found := slices.BinarySearchFunc(values, v, (*big.Float).Cmp)
	if found {
		return patterns[at]
	}
	n := len(values)
	if at == n {
		step := new(big.Float).Sub(values[n-1], values[n-2])
		half := new(big.Float).SetMantExp(step, -1)
		c := v.Cmp(half.Add(half, values[n-1]))
		if c > 0 || c == 0 && patterns[n-1]&1 == 1 {
			return s.beyond
		}
		return patterns[n-1]
	}
	up, down := new(big.Float).Sub(values[at], v), new(big.Float).Sub(v, values[at-1])
	switch c := up.Cmp(down); {
	case c < 0 || c == 0 && patterns[at]&1 == 0:
		return patterns[at]
	}
	return patterns[at-1]
}

// Every pattern decodes to its value, and comes back.
func TestFloatPatterns(t *testing.T) {
	for _, s := range specs {
		sign := uint64(1) << (s.exp + s.man)
		for b := range sign {
			got := s.t.ToFloat64(b)
			switch {
			case s.nans(b):
				if got == got {
					t.Errorf("%s %#x: got %v, want NaN", s.t, b, got)
				}
				continue
			case s.infs && b == (1<<s.exp-1)<<s.man:
				if got != math.Inf(1) {
					t.Errorf("%s %#x: got %v, want infinity", s.t, b, got)
				}
			default:
				if want, _ := s.value(b).Float64(); got != want {
					t.Errorf("%s %#x: got %v, want %v", s.t, b, got, want)
				}
			}
			if back := s.t.FromFloat64(got); back != b {
				t.Errorf("%s %#x: %v comes back as %#x", s.t, b, got, back)
			}
			if neg := s.t.ToFloat64(sign | b); !s.signedZero && b == 0 {
				if neg == neg {
					t.Errorf("%s %#x: got %v, want NaN", s.t, sign, neg)
				}
			} else if neg != -got || !math.Signbit(neg) || s.t.FromFloat64(neg) != sign|b {
				t.Errorf("%s %#x: got %v, which comes back as %#x", s.t, sign|b, neg, s.t.FromFloat64(neg))
			}
		}
	}
}

// Values at, between and around all neighbours round as the slow search says.
func TestFloatRounding(t *testing.T) {
	for _, s := range specs {
		patterns, values := s.finite()
		sign := uint64(1) << (s.exp + s.man)
		check := func(v float64) {
			want := s.nearest(new(big.Float).SetFloat64(v), patterns, values)
			if got := s.t.FromFloat64(v); got != want {
				t.Errorf("%s %v: got %#x, want %#x", s.t, v, got, want)
			}
			neg := sign | want
			if !s.signedZero && (want == 0 || want == s.beyond) {
				neg = want // 0 and NaN have one pattern
			}
			if got := s.t.FromFloat64(-v); got != neg {
				t.Errorf("%s %v: got %#x, want %#x", s.t, -v, got, neg)
			}
		}
		for i, v := range values {
			f, _ := v.Float64()
			next := 2 * f
			if i+1 < len(values) {
				next, _ = values[i+1].Float64()
			}
			mid := f + (next-f)/2
			for _, x := range []float64{f, mid, math.Nextafter(mid, 0), math.Nextafter(mid, next), f + (next-f)*0.3,
				math.Nextafter(f, next)} {
				check(math.Abs(x))
			}
		}
		last, _ := values[len(values)-1].Float64()
		before, _ := values[len(values)-2].Float64()
		edge := last + (last-before)/2
		for _, v := range []float64{edge, math.Nextafter(edge, 0), math.Nextafter(edge, 2*edge), 1e39,
			math.MaxFloat64, 5e-324, 1e-310} {
			check(v)
		}
	}
}

// The double rounding trap: to the nearest float32 first, these would then tie and go wrong.
func TestFloatRoundsOnce(t *testing.T) {
	for _, c := range []struct {
		t    ElementType
		v    float64
		bits uint64
	}{
		{BF16, 1 + 0x1p-8 + 0x1p-40, 0x3F81},
		{BF16, 1 + 0x1p-7 + 0x1p-8 - 0x1p-40, 0x3F81},
		{F16, 1 + 0x1p-11 + 0x1p-40, 0x3C01},
		{F16, 1 + 0x1p-10 + 0x1p-11 - 0x1p-40, 0x3C01},
		{F16, 0x1p-25 + 0x1p-60, 1},
		{F16, 0x1p-25, 0},
		{F8E5M2, 1 + 0x1p-3 + 0x1p-50, 0x3D},
		{F32, 1 + 0x1p-24 + 0x1p-50, 0x3F800001},
	} {
		if got := c.t.FromFloat64(c.v); got != c.bits {
			t.Errorf("%s %v: got %#x, want %#x", c.t, c.v, got, c.bits)
		}
	}
}

func TestFloatGolden(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	for _, c := range []struct {
		t    ElementType
		v    float64
		bits uint64
	}{
		{F16, 65504, 0x7BFF}, {F16, 65519.99, 0x7BFF}, {F16, 65520, 0x7C00}, {F16, nan, 0x7E00}, {F16, -inf, 0xFC00},
		{BF16, 3.140625, 0x4049}, {BF16, nan, 0x7FC0}, {BF16, math.MaxFloat32, 0x7F80}, {BF16, math.Copysign(nan, -1),
			0xFFC0},
		{F8E4M3FN, 448, 0x7E}, {F8E4M3FN, 464, 0x7E}, {F8E4M3FN, 465, 0x7F}, {F8E4M3FN, -inf, 0xFF}, {F8E4M3FN, nan, 0x7F},
		{F8E5M2, 57344, 0x7B}, {F8E5M2, 61440, 0x7C}, {F8E5M2, nan, 0x7E}, {F8E4M3, 240, 0x77}, {F8E4M3, 248, 0x78},
		{F8E3M4, 15.5, 0x6F}, {F8E3M4, 15.75, 0x70}, {F8E3M4, nan, 0x78},
		{F8E4M3FNUZ, 240, 0x7F}, {F8E4M3FNUZ, 248, 0x80}, {F8E4M3FNUZ, nan, 0x80}, {F8E4M3FNUZ, -inf, 0x80},
		{F8E4M3FNUZ, math.Copysign(0, -1), 0}, {F8E5M2FNUZ, 57344, 0x7F}, {F8E5M2FNUZ, -1e-30, 0},
		{F8E4M3B11FNUZ, 30, 0x7F}, {F8E4M3B11FNUZ, 31, 0x80},
		{F4E2M1FN, 6, 7}, {F4E2M1FN, 100, 7}, {F4E2M1FN, -inf, 15}, {F4E2M1FN, 0.25, 0}, {F4E2M1FN, 0.26,
			1}, {F4E2M1FN, nan, 8},
		{F6E3M2FN, 28, 0x1F}, {F6E3M2FN, inf, 0x1F}, {F6E2M3FN, -7.5, 0x3F}, {F6E2M3FN, nan, 0x20},
		{F8E8M0FNU, 1, 127}, {F8E8M0FNU, 1.5, 128}, {F8E8M0FNU, 3, 129}, {F8E8M0FNU, 2.999, 128}, {F8E8M0FNU, 0, 0xFF},
		{F8E8M0FNU, -1, 0xFF}, {F8E8M0FNU, 0x1p127, 0xFE}, {F8E8M0FNU, 0x1.8p127, 0xFF}, {F8E8M0FNU, inf, 0xFF},
		{F8E8M0FNU, 0x1p-140, 0}, {F8E8M0FNU, 0x1.8p-127, 1}, {F8E8M0FNU, nan, 0xFF},
	} {
		if got := c.t.FromFloat64(c.v); got != c.bits {
			t.Errorf("%s %v: got %#x, want %#x", c.t, c.v, got, c.bits)
		}
	}
	for b := range uint64(255) {
		if got, want := F8E8M0FNU.ToFloat64(b), math.Pow(2, float64(b)-127); got != want {
			t.Errorf("f8e8m0fnu %#x: got %v, want %v", b, got, want)
		}
	}
	if got := F8E8M0FNU.ToFloat64(0xFF); got == got {
		t.Errorf("f8e8m0fnu 0xff: got %v, want NaN", got)
	}
}

func TestFloatLimits(t *testing.T) {
	for _, c := range []struct {
		t        ElementType
		exp, man int
		max      float64
	}{
		{F64, 11, 52, math.Inf(1)}, {F32, 8, 23, math.Inf(1)}, {BF16, 8, 7, math.Inf(1)}, {F8E4M3FN, 4, 3, 448},
		{F4E2M1FN, 2, 1, 6}, {F8E8M0FNU, 8, 0, 0x1p127},
	} {
		if c.t.ExponentBits() != c.exp || c.t.MantissaBits() != c.man || c.t.MaxFloat64() != c.max {
			t.Errorf("%s: got %d, %d, %v", c.t, c.t.ExponentBits(), c.t.MantissaBits(), c.t.MaxFloat64())
		}
	}
}

func BenchmarkFromFloat64(b *testing.B) {
	for _, t := range []ElementType{F32, BF16, F16, F8E4M3FN} {
		b.Run(t.String(), func(b *testing.B) {
			sum := uint64(0)
			for i := range b.N {
				sum += t.FromFloat64(float64(i) * 0.001)
			}
			if sum == 1 {
				b.Fatal("no work")
			}
		})
	}
}
