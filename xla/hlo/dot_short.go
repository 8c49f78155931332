package hlo

import (
	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// roundsTerms reports whether short sums of products that give type t are rounded to t term by term. Narrower types are
// summed in a wider one by law, and wider ones have nothing to round to.
func roundsTerms(t shape.ElementType) bool { return t == shape.F32 || t == shape.C64 }

// short adds the products to out, each and each sum rounded to 32 bits.
func (d *dotSizes) short(e *Evaluator, out, lhs, rhs literal.Wide) error {
	if out.Class == shape.ComplexClass {
		return dotPacked(e, d, out.C, permute(lhs.C, d.lhsDims, d.lhsOrder), permute(rhs.C, d.rhsDims, d.rhsOrder), dotRowC64)
	}
	return dotPacked(e, d, out.F, permute(lhs.F, d.lhsDims, d.lhsOrder), permute(rhs.F, d.rhsDims, d.rhsOrder), dotRowF32)
}

func dotRowF32(out, x, r []float64) {
	k := len(x)
	for j := range out {
		var s float32
		for i, v := range r[j*k : (j+1)*k] {
			s = addF32(s, x[i], v)
		}
		out[j] = float64(s)
	}
}

// addF32 is s + x*y with each step rounded. The product of two 32-bit floats is exact in 64 bits.
func addF32(s float32, x, y float64) float32 { return s + float32(x*y) }

func dotRowC64(out, x, r []complex128) {
	k := len(x)
	for j := range out {
		var s complex64
		for i, v := range r[j*k : (j+1)*k] {
			s = addC64(s, x[i], v)
		}
		out[j] = complex128(s)
	}
}

// addC64 is s + x*y with each step rounded.
func addC64(s complex64, x, y complex128) complex64 {
	re := float32(real(x)*real(y)) - float32(imag(x)*imag(y))
	im := float32(real(x)*imag(y)) + float32(imag(x)*real(y))
	return complex(real(s)+re, imag(s)+im)
}

// convShort is the convSum whose products and sums are rounded to type t by add, nil for other types and longer sums.
func convShort[T number, S complex64 | float32](c *convSizes, t shape.ElementType, add func(s S, x, y T) S) convSum[T] {
	if !roundsTerms(t) || c.features*c.kernelSpace > shortSum {
		return nil
	}
	return func(c *convSizes, taps []tap, out, lhs, rhs []T) {
		size, n := c.outputs/c.groups, c.features
		for o := range out {
			first, kernel := o/size*(c.lhsBatch+c.lhsFeature), rhs[o*c.kernelSpace*n:][:c.kernelSpace*n]
			var s S
			for _, t := range taps {
				for i, v := range kernel[t.window:][:n] {
					s = add(s, lhs[first+t.operand+i], v)
				}
			}
			out[o] = wide32[T](s)
		}
	}
}

func wide32[T number, S complex64 | float32](s S) T {
	if f, ok := any(s).(float32); ok {
		return any(float64(f)).(T)
	}
	return any(complex128(any(s).(complex64))).(T)
}
