package hlo

import (
	"math"

	"github.com/halo-xla/halo/xla/shape"
)

// products are the loops that multiply and sum. Each sum is made from left to right.
type products[T number] struct {
	// rows adds to each element of out the product of x with the next len(x) elements of r.
	rows func(out, x, r []T)
	// axpy adds to out the sum of the rows of r, one for each element of x and stride elements apart, times that element.
	axpy func(out, x, r []T, stride int)
}

// shortSum is how many terms are summed in the result's own type: each step is rounded, as the definition by multiply
// and reduce has it and as XLA's loops do, which fuse each product with its sum. Longer sums would lose too much to
// that; they are made in the wide class and rounded once.
const shortSum = 256

func wideProducts[T number]() products[T] { return products[T]{dotRow[T], axpyStrided[T]} }

// floatProducts returns the loops for sums of n terms that give type t. F16, BF16 and narrower are always summed wide.
func floatProducts(t shape.ElementType, n int) products[float64] {
	switch {
	case n > shortSum || t.Bits() < 32:
		return wideProducts[float64]()
	case t == shape.F32:
		return products[float64]{dotRow32, axpy32}
	}
	return stepProducts(func(s, x, y float64) float64 { return math.FMA(x, y, s) })
}

func complexProducts(t shape.ElementType, n int) products[complex128] {
	if n > shortSum {
		return wideProducts[complex128]()
	}
	step := func(s, x, y complex128) complex128 { return s + fusedMultiply(x, y) }
	if t == shape.C64 {
		step = func(s, x, y complex128) complex128 { return complex128(complex64(s) + fusedMultiply64(x, y)) }
	}
	return stepProducts(step)
}

// fusedMultiply is the complex product with its second products fused, as XLA's CPU code makes it.
func fusedMultiply(x, y complex128) complex128 {
	a, b, c, d := real(x), imag(x), real(y), imag(y)
	return complex(math.FMA(a, c, -float64(b*d)), math.FMA(b, c, float64(a*d)))
}

// fusedMultiply64 is fusedMultiply in single precision.
func fusedMultiply64(x, y complex128) complex64 {
	a, b, c, d := real(x), imag(x), real(y), imag(y)
	return complex(float32(a*c-float64(float32(b*d))), float32(b*c+float64(float32(a*d))))
}

// stepProducts makes loops of a step that adds the product of x and y to s.
func stepProducts[T number](step func(s, x, y T) T) products[T] {
	dot := func(s T, x, y []T) T {
		for i, v := range y {
			s = step(s, x[i], v)
		}
		return s
	}
	return products[T]{
		rows: func(out, x, r []T) {
			for j := range out {
				out[j] = dot(out[j], x, r[j*len(x):(j+1)*len(x)])
			}
		},
		axpy: func(out, x, r []T, stride int) {
			for i, v := range x {
				for j, w := range r[i*stride:][:len(out)] {
					out[j] = step(out[j], v, w)
				}
			}
		},
	}
}

// dotRow takes four elements of out at a time, which keeps the adder busy. The conversions of products forbid to fuse
// them with the sums.
func dotRow[T number](out, x, r []T) {
	k := len(x)
	for len(out) >= 4 {
		var s0, s1, s2, s3 T
		r0, r1, r2, r3 := r[:k], r[k:2*k], r[2*k:3*k], r[3*k:4*k]
		r1, r2, r3 = r1[:len(r0)], r2[:len(r0)], r3[:len(r0)]
		for i, v := range x[:len(r0)] {
			s0 += T(v * r0[i])
			s1 += T(v * r1[i])
			s2 += T(v * r2[i])
			s3 += T(v * r3[i])
		}
		out[0] += s0
		out[1] += s1
		out[2] += s2
		out[3] += s3
		out, r = out[4:], r[4*k:]
	}
	for j := range out {
		out[j] = dotSum(out[j], x, r[j*k:(j+1)*k])
	}
}

func axpyStrided[T number](out, x, r []T, stride int) {
	n := len(out)
	for len(x) > 4 {
		x0, x1, x2, x3 := x[0], x[1], x[2], x[3]
		r0, r1, r2, r3 := r[:n], r[stride:][:n], r[2*stride:][:n], r[3*stride:][:n]
		for j := range out {
			out[j] = out[j] + T(x0*r0[j]) + T(x1*r1[j]) + T(x2*r2[j]) + T(x3*r3[j])
		}
		x, r = x[4:], r[4*stride:]
	}
	for i, v := range x {
		for j, w := range r[i*stride:][:n] {
			out[j] += T(v * w)
		}
	}
}

func dotSum[T number](s T, x, y []T) T {
	for i, v := range y {
		s += T(x[i] * v)
	}
	return s
}

func dotRow32(out, x, r []float64) {
	k := len(x)
	for len(out) >= 4 {
		s0, s1, s2, s3 := out[0], out[1], out[2], out[3]
		r0, r1, r2, r3 := r[:k], r[k:2*k], r[2*k:3*k], r[3*k:4*k]
		r1, r2, r3 = r1[:len(r0)], r2[:len(r0)], r3[:len(r0)]
		for i, v := range x[:len(r0)] {
			s0, s1, s2, s3 = fused32(v, r0[i], s0), fused32(v, r1[i], s1), fused32(v, r2[i], s2), fused32(v, r3[i], s3)
		}
		out[0], out[1], out[2], out[3] = s0, s1, s2, s3
		out, r = out[4:], r[4*k:]
	}
	for j := range out {
		out[j] = dotSum32(out[j], x, r[j*k:(j+1)*k])
	}
}

func axpy32(out, x, r []float64, stride int) {
	for i, v := range x {
		for j, w := range r[i*stride:][:len(out)] {
			out[j] = fused32(v, w, out[j])
		}
	}
}

func dotSum32(s float64, x, y []float64) float64 {
	for i, v := range y {
		s = fused32(x[i], v, s)
	}
	return s
}
