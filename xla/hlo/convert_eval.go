package hlo

import (
	"fmt"
	"math"

	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// inferConvert is told the element type; row 71.
func inferConvert(in *Instruction) (shape.Shape, error) {
	return convertedShape(in)
}

// convertedShape is operand 0's shape with the element type that in is told.
func convertedShape(in *Instruction) (shape.Shape, error) {
	if err := checkArrays(in); err != nil {
		return poison, err
	}
	s, t := in.Operands[0].Shape, in.Shape.Type
	if !t.IsArray() {
		return poison, fmt.Errorf("result: got %v, want an array", in.Shape)
	}
	return s.WithType(t), nil // C1
}

func evalConvert(_ *Evaluator, in *Instruction, args []*literal.Literal) (*literal.Literal, error) {
	return literal.Convert(args[0], in.Shape.Type)
}

// inferBitcastConvert is told the element type; the dimensions follow. Row 72. Predicates have 8 bits, but as
// StableHLO's i1 a single one: the sizes that are told say which.
func inferBitcastConvert(in *Instruction) (shape.Shape, error) {
	if err := checkArrays(in); err != nil {
		return poison, err
	}
	s, t := in.Operands[0].Shape.WithoutLayout(), in.Shape.Type
	switch {
	case !t.IsArray():
		return poison, fmt.Errorf("result: got %v, want an array", in.Shape)
	case s.Type.IsComplex() != t.IsComplex(): // C2
		return poison, fmt.Errorf("%v to %v: complex numbers convert only to complex numbers", s.Type, t)
	}
	out, err := bitcastShape(s, t, s.Type.Bits(), t.Bits())
	if (s.Type == shape.Pred) != (t == shape.Pred) && (err != nil || !compatibleDims(out, in.Shape)) {
		if bits, err := bitcastShape(s, t, oneBit(s.Type), oneBit(t)); err == nil && compatibleDims(bits, in.Shape) {
			return bits, nil
		}
	}
	return out, err
}

// oneBit is the width of t where predicates take one bit.
func oneBit(t shape.ElementType) int {
	if t == shape.Pred {
		return 1
	}
	return t.Bits()
}

// bitcastShape returns the shape of s's bits as elements of type t, for elements of the given widths.
func bitcastShape(s shape.Shape, t shape.ElementType, from, to int) (shape.Shape, error) {
	switch {
	case from == to:
		return s.WithType(t), nil
	case from%to != 0 && to%from != 0: // C1
		return poison, fmt.Errorf("%v of %d bits to %v of %d bits: neither width divides the other", s.Type, from, t, to)
	case from > to:
		out := newDimList(t, s.Rank()+1)
		for d := range s.Dims {
			out.addOf(s, int64(d))
		}
		out.add(int64(from/to), false)
		return out.shape(), nil
	}
	k, last := int64(to/from), s.Rank()-1
	if last < 0 || s.Dims[last] != k && s.Dims[last] != shape.Unbounded || s.IsDynamicDim(last) && s.Dims[last] == k {
		return poison, fmt.Errorf("%v to %v: want a last dimension of size %d, which it takes to fill an element", s, t, k)
	}
	out := shape.Shape{Type: t, Dims: s.Dims[:last]}
	if s.Dynamic != nil {
		out.Dynamic = s.Dynamic[:last]
	}
	return out, nil
}

func evalBitcastConvert(_ *Evaluator, in *Instruction, args []*literal.Literal) (*literal.Literal, error) {
	l, s := args[0], shape.Array(in.Shape.Type, in.Shape.Dims...)
	from, to := l.Shape().Type, s.Type
	if from.Bits()%8 == 0 && to.Bits()%8 == 0 && (to == shape.Pred) == (from == shape.Pred) {
		return l.WithShape(s)
	}
	wf, wt := from.Bits(), to.Bits()
	if l.Shape().Size()*int64(wf) != s.Size()*int64(wt) { // predicates of one bit
		wf, wt = oneBit(from), oneBit(to)
	}
	return literal.FromBytes(s, repack(l.Bytes(), min(wf, 8), min(wt, 8), to))
}

// repack cuts bytes with some low bits each in use into elements of another type with wt bits in each byte; the first
// element has the lowest bits.
func repack(data []byte, wf, wt int, to shape.ElementType) []byte {
	var out []byte
	var acc uint64
	have := 0
	for _, b := range data {
		acc |= uint64(b) & (1<<wf - 1) << have
		for have += wf; have >= wt; have -= wt {
			out = append(out, storedByte(byte(acc&(1<<wt-1)), to))
			acc >>= wt
		}
	}
	return out
}

// storedByte is how a literal stores the low bits of an element of at most 8 bits: signed ones extended, predicates as
// 0 or 1.
func storedByte(v byte, t shape.ElementType) byte {
	switch {
	case t == shape.Pred:
		return byte(boolCell(v != 0).I)
	case t.IsSigned() && t.Bits() < 8:
		up := 8 - t.Bits()
		return byte(int8(v<<up) >> up)
	}
	return v
}

// inferBitcast is told its shape, whose array takes as many bytes as the operand's; layouts count.
func inferBitcast(in *Instruction) (shape.Shape, error) {
	if err := checkArrays(in); err != nil {
		return poison, err
	}
	from, err := in.Operands[0].Shape.ByteSize()
	if err != nil {
		return poison, err
	}
	to, err := in.Shape.ByteSize()
	if err != nil {
		return poison, err
	}
	if from != to {
		return poison, fmt.Errorf("result %v takes %d bytes, operand %v takes %d",
			in.Shape, to, in.Operands[0].Shape, from)
	}
	return in.Shape, nil
}

// evalBitcast reads the operand's bytes, in its layout, as the result's in the result's.
func evalBitcast(_ *Evaluator, in *Instruction, args []*literal.Literal) (*literal.Literal, error) {
	l := args[0]
	if y := in.Operands[0].Shape.Layout; y != nil {
		var err error
		if l, err = l.Relayout(y); err != nil {
			return nil, err
		}
	}
	out, err := literal.FromBytes(in.Shape, l.Bytes())
	if err != nil {
		return nil, err
	}
	out = out.RowMajor()
	return literal.FromBytes(in.Shape.WithoutLayout(), out.Bytes())
}

// inferReducePrecision: row 103.
func inferReducePrecision(in *Instruction) (shape.Shape, error) {
	if err := checkClass(in, 0, shape.FloatClass); err != nil {
		return poison, err
	}
	a := in.Attrs.(*ReducePrecisionAttrs)
	s := in.Operands[0].Shape.WithoutLayout()
	if a.ExponentBits < 1 { // C2
		return poison, fmt.Errorf("exponent_bits: got %d, want at least 1", a.ExponentBits)
	}
	if a.MantissaBits < 0 { // C3
		return poison, fmt.Errorf("mantissa_bits: got %d, want at least 0", a.MantissaBits)
	}
	if _, ok := mantissaBits(s.Type); !ok {
		return poison, fmt.Errorf("element type %v is not supported, want an IEEE format", s.Type)
	}
	return s, nil // C1
}

func evalReducePrecision(_ *Evaluator, in *Instruction, args []*literal.Literal) (*literal.Literal, error) {
	a, t := in.Attrs.(*ReducePrecisionAttrs), in.Shape.Type
	man, _ := mantissaBits(t)
	exp2, man2 := int(min(a.ExponentBits, 64)), int(min(a.MantissaBits, 64))
	out := args[0].Clone()
	data, size := out.Bytes(), t.Bytes()
	for i := 0; i < len(data); i += size {
		putBits(data[i:i+size], reducePrecision(getBits(data[i:i+size]), t.Bits(), man, exp2, man2))
	}
	return out, nil
}

// getBits and putBits read and write a little-endian element.
func getBits(b []byte) uint64 {
	var v uint64
	for i := len(b) - 1; i >= 0; i-- {
		v = v<<8 | uint64(b[i])
	}
	return v
}

func putBits(b []byte, v uint64) {
	for i := range b {
		b[i] = byte(v)
		v >>= 8
	}
}

// inferStochasticConvert is told the element type; random has unsigned integers as wide as operand's elements.
func inferStochasticConvert(in *Instruction) (shape.Shape, error) {
	if err := checkClass(in, 0, shape.FloatClass); err != nil {
		return poison, err
	}
	if err := checkClass(in, 1, shape.UnsignedClass); err != nil {
		return poison, err
	}
	t, r := in.Operands[0].Shape.Type, in.Operands[1].Shape.Type
	if t.Bits() != r.Bits() {
		return poison, fmt.Errorf("random is %v, want as many bits as %v has", r, t)
	}
	if to := in.Shape.Type; !to.IsInteger() && !to.IsFloat() {
		return poison, fmt.Errorf("result: got %v, want elements that are integers or floating point", in.Shape)
	}
	if _, err := sameDims(in); err != nil {
		return poison, err
	}
	return convertedShape(in)
}

// evalStochasticConvert rounds away from 0 if the random bits, as a fraction of 1, are below the fraction that
// rounding towards 0 drops.
func evalStochasticConvert(e *Evaluator, in *Instruction, args []*literal.Literal) (*literal.Literal, error) {
	x, r := args[0].Wide(), args[1].Wide()
	to, width := in.Shape.Type, args[1].Shape().Type.Bits()
	out := literal.MakeWide(shape.FloatClass, len(x.F))
	for i, v := range x.F {
		out.F[i] = to.Stochastic(v, math.Ldexp(float64(r.U[i]), -width))
		if err := e.poll(i); err != nil {
			return nil, err
		}
	}
	s := args[0].Shape().WithType(to)
	return literal.FromWide(s, literal.ConvertWide(out, shape.F64, to)), nil
}
