package kernel

import "github.com/halo-xla/halo/xla/shape"

// rowLoader fills dst with the elements of src at first plus each offset; run of them at a time are neighbours.
type rowLoader[T summand] func(dst []T, src []byte, first int, offsets []int, run int)

// storer writes src to dst at first plus each offset.
type storer[T summand] func(dst []byte, src []T, first int, offsets []int, run int)

type integer interface {
	int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64
}

type plain interface{ integer | float32 | float64 }

// loadAs converts elements of Go's type S.
func loadAs[S, T plain](dst []T, src []byte, first int, offsets []int, run int) {
	s := Cast[S](src)
	for i := 0; i < len(offsets); i += run {
		d := dst[i : i+run]
		for j, v := range s[first+offsets[i]:][:len(d)] {
			d[j] = T(v)
		}
	}
}

// loadBy converts elements by a function.
func loadBy[S any, T summand](convert func(S) T) rowLoader[T] {
	return func(dst []T, src []byte, first int, offsets []int, run int) {
		s := Cast[S](src)
		for i := 0; i < len(offsets); i += run {
			for j, v := range s[first+offsets[i]:][:run] {
				dst[i+j] = convert(v)
			}
		}
	}
}

func storeBy[D any, T summand](convert func(T) D) storer[T] {
	return func(dst []byte, src []T, first int, offsets []int, run int) {
		d := Cast[D](dst)
		for i := 0; i < len(offsets); i += run {
			to := d[first+offsets[i]:][:run]
			for j, v := range src[i : i+run] {
				to[j] = convert(v)
			}
		}
	}
}

// integerLoader loads integers and predicates; into integers they wrap.
func integerLoader[T uint32 | uint64 | float32 | float64](t shape.ElementType) rowLoader[T] {
	switch {
	case t.IsSigned() && t.Bytes() == 1:
		return loadAs[int8, T]
	case t == shape.S16:
		return loadAs[int16, T]
	case t == shape.S32:
		return loadAs[int32, T]
	case t == shape.S64:
		return loadAs[int64, T]
	case t == shape.U16:
		return loadAs[uint16, T]
	case t == shape.U32:
		return loadAs[uint32, T]
	case t == shape.U64:
		return loadAs[uint64, T]
	}
	return loadAs[uint8, T]
}

// integerStorer stores the low bits of sums, extended to the byte in types that are narrower.
func integerStorer[T uint32 | uint64](t shape.ElementType) storer[T] {
	spare := max(8-t.Bits(), 0)
	switch {
	case t == shape.Pred:
		return storeBy(func(v T) bool { return v != 0 })
	case t.IsSigned() && t.Bytes() == 1:
		return storeBy(func(v T) int8 { return int8(v) << spare >> spare })
	case t.Bytes() == 1:
		return storeBy(func(v T) uint8 { return uint8(v) << spare >> spare })
	case t.Bytes() == 2:
		return storeBy(func(v T) uint16 { return uint16(v) })
	case t.Bytes() == 4:
		return storeBy(func(v T) uint32 { return uint32(v) })
	}
	return storeBy(func(v T) uint64 { return uint64(v) })
}

// floatLoader loads floats, and the integers and predicates that a dot with a float result may have.
func floatLoader[T float32 | float64](t shape.ElementType) rowLoader[T] {
	switch {
	case t == shape.F32:
		return loadAs[float32, T]
	case t == shape.F64:
		return loadAs[float64, T]
	case t == shape.BF16:
		return loadBy(func(v uint16) T { return T(shape.BF16ToFloat32(v)) })
	case t == shape.F16:
		return loadBy(func(v uint16) T { return T(shape.F16ToFloat32(v)) })
	case t.IsFloat():
		var table [256]T
		for i := range table {
			table[i] = T(t.ToFloat64(uint64(i)))
		}
		return loadBy(func(v uint8) T { return table[v] })
	}
	return integerLoader[T](t)
}

func floatStorer[T float32 | float64](t shape.ElementType) storer[T] {
	switch {
	case t == shape.F32:
		return storeBy(func(v T) float32 { return float32(v) })
	case t == shape.F64:
		return storeBy(func(v T) float64 { return float64(v) })
	case t.Bytes() == 2:
		return storeBy(func(v T) uint16 { return uint16(t.FromFloat64(float64(v))) })
	}
	return storeBy(func(v T) uint8 { return uint8(t.FromFloat64(float64(v))) })
}

// complexLoader loads complex numbers, and real ones as the real part.
func complexLoader[T complex64 | complex128](t shape.ElementType) rowLoader[T] {
	switch t {
	case shape.C64:
		return loadBy(func(v complex64) T { return T(v) })
	case shape.C128:
		return loadBy(func(v complex128) T { return T(v) })
	}
	load := floatLoader[float64](t)
	return func(dst []T, src []byte, first int, offsets []int, run int) {
		parts := make([]float64, len(dst))
		load(parts, src, first, offsets, run)
		for i, v := range parts {
			dst[i] = T(complex(v, 0))
		}
	}
}

func complexStorer[T complex64 | complex128](t shape.ElementType) storer[T] {
	if t == shape.C64 {
		return storeBy(func(v T) complex64 { return complex64(v) })
	}
	return storeBy(func(v T) complex128 { return complex128(v) })
}

// splitLoader loads the parts of floats that are operand side of the products of a split: one copy for each product.
func splitLoader(t shape.ElementType, s *Split, side int) rowLoader[float64] {
	load := floatLoader[float64](t)
	return func(dst []float64, src []byte, first int, offsets []int, run int) {
		values, parts := dst[len(dst)-len(offsets):], make([]float64, s.Parts)
		load(values, src, first, offsets, run)
		for i, v := range values {
			s.parts(parts, v)
			for j, p := range s.Pairs {
				dst[i*len(s.Pairs)+j] = parts[p[side]]
			}
		}
	}
}

// parts splits v, largest part first.
func (s *Split) parts(parts []float64, v float64) {
	for p := range parts {
		r := s.Round(v)
		parts[p] = r
		if v -= r; r-r != 0 { // infinite: nothing is left
			v = 0
		}
	}
}

func splitStorer(t shape.ElementType, s *Split) storer[float64] {
	store := floatStorer[float64](t)
	return func(dst []byte, src []float64, first int, offsets []int, run int) {
		for i, v := range src {
			src[i] = s.Sum(v)
		}
		store(dst, src, first, offsets, run)
	}
}
