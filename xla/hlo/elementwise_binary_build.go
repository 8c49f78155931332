package hlo

import (
	"slices"

	"github.com/halo-xla/halo/xla/shape"
)

// binary adds op of two arrays, which are broadcast to one shape first: section 2.2.
//
// Arrays of different rank need dims, which maps each dimension of the smaller to one of the larger, unless one is a
// scalar. After that sizes of 1 stretch, both ways.
func (b *Builder) binary(op Opcode, a Attrs, lhs, rhs *Instruction, dims []int64) *Instruction {
	lhs, rhs, ok := b.implicit(op, lhs, rhs, dims)
	if !ok {
		return b.instructions[len(b.instructions)-1]
	}
	return b.add(op, a, shape.Shape{}, lhs, rhs)
}

// implicit broadcasts two operands of op to one shape. It fails the builder and returns false if they do not go
// together.
func (b *Builder) implicit(op Opcode, lhs, rhs *Instruction, dims []int64) (l, r *Instruction, ok bool) {
	b.present(op, &lhs, &rhs)
	x, y := lhs.Shape, rhs.Shape
	if !x.IsArray() || !y.IsArray() {
		b.fail(op, "got %v and %v, want arrays", x, y).Operands = []*Instruction{lhs, rhs}
		return nil, nil, false
	}
	small, large := x, y
	if x.Rank() > y.Rank() {
		small, large = y, x
	}
	dims, message := implicitDims(small, large, dims)
	if message != "" {
		b.fail(op, "%s", message).Operands = []*Instruction{lhs, rhs}
		return nil, nil, false
	}
	out, ok := degenerate(small, large, dims)
	if !ok {
		b.fail(op, "sizes differ and neither is 1").Operands = []*Instruction{lhs, rhs}
		return nil, nil, false
	}
	identity := identityDims(large.Rank())
	dl, dr := dims, identity
	if x.Rank() > y.Rank() {
		dl, dr = identity, dims
	}
	l = b.spread(lhs, out, dl, rhs, dr)
	return l, b.spread(rhs, out, dr, lhs, dl), true
}

func identityDims(rank int) []int64 {
	d := make([]int64, rank)
	for i := range d {
		d[i] = int64(i)
	}
	return d
}

// implicitDims checks broadcast dimensions and returns the complete list, or what is wrong with it. Law: section 2.2,
// rules 1 and 2.
func implicitDims(small, large shape.Shape, dims []int64) ([]int64, string) {
	rank := large.Rank()
	switch {
	case small.Rank() == rank:
		if len(dims) > 0 && !slices.Equal(dims, identityDims(rank)) {
			return nil, "broadcast dimensions " + list(dims) + " of arrays of equal rank, want none"
		}
		return identityDims(rank), ""
	case small.Rank() != len(dims):
		if len(dims) == 0 {
			return nil, "ranks differ, want broadcast dimensions"
		}
		return nil, "broadcast dimensions " + list(dims) + ": their number is not the rank of the smaller array"
	}
	if err := checkDims("broadcast dimensions", dims, rank, true, true); err != nil {
		return nil, err.Error()
	}
	return dims, ""
}

// degenerate returns the shape that small, its dimensions placed at dims of large, and large have after sizes of 1
// have stretched. Law: section 2.2, rule 3 and the table of dynamic sizes.
func degenerate(small, large shape.Shape, dims []int64) (shape.Shape, bool) {
	out := shape.Shape{Type: large.Type, Dims: slices.Clone(large.Dims), Dynamic: make([]bool, large.Rank())}
	for d := range out.Dims {
		out.Dynamic[d] = large.IsDynamicDim(d)
	}
	for i, d := range dims {
		a, b, dynamic := small.Dims[i], large.Dims[d], small.IsDynamicDim(i)
		switch {
		case a == 1 && !dynamic: // takes the other's
		case b == 1 && !out.Dynamic[d]:
			out.Dims[d], out.Dynamic[d] = a, dynamic
		default:
			var ok bool
			out.Dims[d], out.Dynamic[d], ok = joinDim(a, b, dynamic, out.Dynamic[d])
			if !ok {
				return out, false
			}
		}
	}
	if !slices.Contains(out.Dynamic, true) {
		out.Dynamic = nil
	}
	return out, true
}

// stretches reports whether a size of 1 in s meets one in out that is not known.
func stretches(s, out shape.Shape) bool {
	for d, n := range s.Dims {
		if n == 1 && !s.IsDynamicDim(d) && out.Dims[d] == shape.Unbounded {
			return true
		}
	}
	return false
}

// spread broadcasts in, whose dimension i is dimension dims[i] of out, to out. other, placed at otherDims, has the
// sizes that are known at run time only.
func (b *Builder) spread(in *Instruction, out shape.Shape, dims []int64, other *Instruction,
	otherDims []int64) *Instruction {
	want := out.WithType(in.Shape.Type)
	if in.Shape.Rank() == out.Rank() && compatibleDims(in.Shape, out) && !stretches(in.Shape, out) {
		return in
	}
	if !want.IsDynamic() {
		return b.BroadcastInDim(in, want.Dims, dims)
	}
	sizes := make([]*Instruction, out.Rank())
	for d := range sizes {
		from, at := in, slices.Index(dims, int64(d))
		if k := slices.Index(otherDims, int64(d)); at < 0 || in.Shape.Dims[at] == 1 && k >= 0 {
			from, at = other, k
		}
		sizes[d] = b.Reshape(b.GetDimensionSize(from, int64(at)), []int64{1})
	}
	return b.MhloDynamicBroadcastInDim(in, b.ConcatInDim(sizes, 0), dims, want)
}

// Add is lhs + rhs; predicates or.
//
//	lhs T[D...]   rhs T[D...]   result T[D...]
//
// An operand of lower rank spreads: its dimension i becomes dimension broadcastDimensions[i] of the other. A scalar
// needs no broadcastDimensions. Then sizes of 1 stretch, both ways.
//
// It fails unless operands are arrays of one type that go together so. Law: row 27; XLA's broadcasting.
func (b *Builder) Add(lhs, rhs *Instruction, broadcastDimensions ...int64) *Instruction {
	return b.binary(Add, nil, lhs, rhs, broadcastDimensions)
}

// Sub is lhs - rhs.
//
//	lhs T[D...]   rhs T[D...]   result T[D...]
//
// Operands spread and it fails as Add says, or for predicates. Law: row 28.
func (b *Builder) Sub(lhs, rhs *Instruction, broadcastDimensions ...int64) *Instruction {
	return b.binary(Subtract, nil, lhs, rhs, broadcastDimensions)
}

// Mul is lhs * rhs; predicates and.
//
//	lhs T[D...]   rhs T[D...]   result T[D...]
//
// Operands spread and it fails as Add says. Law: row 29.
func (b *Builder) Mul(lhs, rhs *Instruction, broadcastDimensions ...int64) *Instruction {
	return b.binary(Multiply, nil, lhs, rhs, broadcastDimensions)
}

// Mulhi is the upper half of the product of integers.
//
//	lhs T[D...]   rhs T[D...]   result T[D...]
//
// Operands spread and it fails as Add says, or for elements that are no integers. Law: CHLO mulhi.
func (b *Builder) Mulhi(lhs, rhs *Instruction, broadcastDimensions ...int64) *Instruction {
	return b.binary(Mulhi, nil, lhs, rhs, broadcastDimensions)
}

// Div is lhs / rhs, of integers the whole part; by 0 it is all ones.
//
//	lhs T[D...]   rhs T[D...]   result T[D...]
//
// Operands spread and it fails as Add says, or for predicates. Law: row 30.
func (b *Builder) Div(lhs, rhs *Instruction, broadcastDimensions ...int64) *Instruction {
	return b.binary(Divide, nil, lhs, rhs, broadcastDimensions)
}

// Rem is what division leaves, with the sign of lhs.
//
//	lhs T[D...]   rhs T[D...]   result T[D...]
//
// Operands spread and it fails as Add says, or for predicates and complex numbers. Law: row 31.
func (b *Builder) Rem(lhs, rhs *Instruction, broadcastDimensions ...int64) *Instruction {
	return b.binary(Remainder, nil, lhs, rhs, broadcastDimensions)
}

// Pow is lhs to the power of rhs.
//
//	lhs T[D...]   rhs T[D...]   result T[D...]
//
// Operands spread and it fails as Add says, or for predicates. Law: row 32.
func (b *Builder) Pow(lhs, rhs *Instruction, broadcastDimensions ...int64) *Instruction {
	return b.binary(Power, nil, lhs, rhs, broadcastDimensions)
}

// Max is the greater one; NaN wins and +0 is greater than -0.
//
//	lhs T[D...]   rhs T[D...]   result T[D...]
//
// Operands spread and it fails as Add says. Law: row 33.
func (b *Builder) Max(lhs, rhs *Instruction, broadcastDimensions ...int64) *Instruction {
	return b.binary(Maximum, nil, lhs, rhs, broadcastDimensions)
}

// Min is the smaller one; NaN wins and -0 is smaller than +0.
//
//	lhs T[D...]   rhs T[D...]   result T[D...]
//
// Operands spread and it fails as Add says. Law: row 34.
func (b *Builder) Min(lhs, rhs *Instruction, broadcastDimensions ...int64) *Instruction {
	return b.binary(Minimum, nil, lhs, rhs, broadcastDimensions)
}

// And is the logical and of predicates, the bitwise one of integers.
//
//	lhs T[D...]   rhs T[D...]   result T[D...]
//
// Operands spread and it fails as Add says, or for floats and complex numbers. Law: row 35.
func (b *Builder) And(lhs, rhs *Instruction, broadcastDimensions ...int64) *Instruction {
	return b.binary(And, nil, lhs, rhs, broadcastDimensions)
}

// LogicalAnd is the name that And had until 2021.
//
//	lhs T[D...]   rhs T[D...]   result T[D...]
//
// It fails as And does. Law: row 35.
func (b *Builder) LogicalAnd(lhs, rhs *Instruction, broadcastDimensions ...int64) *Instruction {
	return b.And(lhs, rhs, broadcastDimensions...)
}

// AndAll is the and of one or more operands, from the left: XLA's And of several.
//
//	first, rest T[D...]   result T[D...]
//
// It fails as And does. Law: row 35.
func (b *Builder) AndAll(first *Instruction, rest ...*Instruction) *Instruction {
	b.present(And, &first)
	for _, o := range rest {
		first = b.And(first, o)
	}
	return first
}

// Or is the logical or of predicates, the bitwise one of integers.
//
//	lhs T[D...]   rhs T[D...]   result T[D...]
//
// Operands spread and it fails as Add says, or for floats and complex numbers. Law: row 36.
func (b *Builder) Or(lhs, rhs *Instruction, broadcastDimensions ...int64) *Instruction {
	return b.binary(Or, nil, lhs, rhs, broadcastDimensions)
}

// LogicalOr is the name that Or had until 2021.
//
//	lhs T[D...]   rhs T[D...]   result T[D...]
//
// It fails as Or does. Law: row 36.
func (b *Builder) LogicalOr(lhs, rhs *Instruction, broadcastDimensions ...int64) *Instruction {
	return b.Or(lhs, rhs, broadcastDimensions...)
}

// OrAll is the or of one or more operands, from the left: XLA's Or of several.
//
//	first, rest T[D...]   result T[D...]
//
// It fails as Or does. Law: row 36.
func (b *Builder) OrAll(first *Instruction, rest ...*Instruction) *Instruction {
	b.present(Or, &first)
	for _, o := range rest {
		first = b.Or(first, o)
	}
	return first
}

// Xor is the exclusive or of predicates or of the bits of integers.
//
//	lhs T[D...]   rhs T[D...]   result T[D...]
//
// Operands spread and it fails as Add says, or for floats and complex numbers. Law: row 37.
func (b *Builder) Xor(lhs, rhs *Instruction, broadcastDimensions ...int64) *Instruction {
	return b.binary(Xor, nil, lhs, rhs, broadcastDimensions)
}

// ShiftLeft shifts integers; amounts read as unsigned, from the width on they leave 0.
//
//	lhs T[D...]   rhs T[D...]   result T[D...]
//
// Operands spread and it fails as Add says, or for elements that are no integers. Law: row 38.
func (b *Builder) ShiftLeft(lhs, rhs *Instruction, broadcastDimensions ...int64) *Instruction {
	return b.binary(ShiftLeft, nil, lhs, rhs, broadcastDimensions)
}

// ShiftRightArithmetic shifts integers and fills with the sign bit.
//
//	lhs T[D...]   rhs T[D...]   result T[D...]
//
// Operands spread and it fails as Add says, or for elements that are no integers. Law: row 39.
func (b *Builder) ShiftRightArithmetic(lhs, rhs *Instruction, broadcastDimensions ...int64) *Instruction {
	return b.binary(ShiftRightArithmetic, nil, lhs, rhs, broadcastDimensions)
}

// ShiftRightLogical shifts integers and fills with 0.
//
//	lhs T[D...]   rhs T[D...]   result T[D...]
//
// Operands spread and it fails as Add says, or for elements that are no integers. Law: row 40.
func (b *Builder) ShiftRightLogical(lhs, rhs *Instruction, broadcastDimensions ...int64) *Instruction {
	return b.binary(ShiftRightLogical, nil, lhs, rhs, broadcastDimensions)
}

// Atan2 is the angle of the point (x, y), -pi to pi.
//
//	y T[D...]   x T[D...]   result T[D...]
//
// Operands spread and it fails as Add says, or for elements that are no floats or complex numbers. Law: row 41.
func (b *Builder) Atan2(y, x *Instruction, broadcastDimensions ...int64) *Instruction {
	return b.binary(Atan2, nil, y, x, broadcastDimensions)
}

// Complex makes complex numbers of real and imaginary parts.
//
//	real f32[D...]   imag f32[D...]   result c64[D...], or f64 and c128
//
// Operands spread and it fails as Add says, or for other elements. Law: row 42.
func (b *Builder) Complex(real, imag *Instruction, broadcastDimensions ...int64) *Instruction {
	return b.binary(Complex, nil, real, imag, broadcastDimensions)
}

// Compare compares elements in the given direction; the zero CompareAttrs.Type is the order of the element type.
//
//	lhs T[D...]   rhs T[D...]   result pred[D...]
//
// Operands spread and it fails as Add says, or if the type of comparison is not one for the elements. Law: rows 43 to
// 54.
func (b *Builder) Compare(lhs, rhs *Instruction, a CompareAttrs, broadcastDimensions ...int64) *Instruction {
	return b.binary(Compare, &a, lhs, rhs, broadcastDimensions)
}

func (b *Builder) totalOrder(lhs, rhs *Instruction, d Direction, dims []int64) *Instruction {
	return b.binary(Compare, &CompareAttrs{Direction: d, Type: TotalOrder}, lhs, rhs, dims)
}
