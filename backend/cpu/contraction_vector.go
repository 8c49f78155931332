package cpu

import (
	"unsafe"

	"github.com/halo-xla/halo/cgo/loops/gemm"
	"github.com/halo-xla/halo/cgo/loops/run"
	"github.com/halo-xla/halo/xla/exec"
	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/pass"
	"github.com/halo-xla/halo/xla/shape"
)

// vectorForm is c as a product of a matrix and a vector, and the function for that, nil if it is none.
func (c *contraction) vectorForm() (f matrices, fn unsafe.Pointer) {
	f, ok := matricesOf(&c.Contraction)
	if !ok || !run.Available() || !f.byVector() {
		return f, nil
	}
	_, isOurs := vectorTypes[c.outType]
	matrix, vector := c.matrixTypes(&f)
	t, isKnown := gemmTypes[matrix]
	if !isOurs || !isKnown || vector != c.outType || (matrix == shape.F64) != (vector == shape.F64) {
		return f, nil
	}
	return f, gemm.Vectors(run.Level(), t)
}

// matrixTypes are the types of what is a in f, and of what is b.
func (c *contraction) matrixTypes(f *matrices) (a, b shape.ElementType) {
	if f.swapped {
		return c.rhsType, c.lhsType
	}
	return c.lhsType, c.rhsType
}

// vectorProduct multiplies a vector and a matrix, whose elements may be narrower: they are widened as they are read.
func vectorProduct(_ *exec.Lowering, c *contraction) *thunk {
	f, fn := c.vectorForm()
	if fn == nil {
		return nil
	}
	matrix, _ := c.matrixTypes(&f)
	p, ok := f.product(c.outType, matrix)
	if !ok {
		return nil
	}
	return recordThunk("loops gemv", c.uses(), f.record(fn, p, c))
}

// leastWidened is how many elements of a matrix make it worth while to widen them as they are read.
const leastWidened = 1 << 14

// widensMatrix reports whether a dot is the product of a vector and a matrix that is converted from narrower elements,
// which a kernel of ours reads as they are.
func widensMatrix(in *hlo.Instruction) bool {
	if in.Op != hlo.Dot || in.Shape.Type != shape.F32 {
		return false
	}
	from, _ := pass.Widened(in)
	if from == nil || from.Shape.Size() < leastWidened {
		return false
	}
	c, _ := widenedDot(in)
	_, fn := c.vectorForm()
	return c.split == nil && fn != nil
}

// widenedDot is the contraction of such a dot, and what its operands are before the conversion.
func widenedDot(in *hlo.Instruction) (c contraction, operands [2]*hlo.Instruction) {
	c = dotOf(in)
	from, k := pass.Widened(in)
	operands[k], operands[1-k] = from, in.Operands[1-k]
	c.lhsType, c.rhsType = operands[0].Shape.Type, operands[1].Shape.Type
	return c, operands
}

// lowerWidened lowers the fusion whose root is such a dot.
func lowerWidened(l *exec.Lowering, root *hlo.Instruction) exec.Thunk {
	c, operands := widenedDot(root)
	place := func(in *hlo.Instruction) exec.Slice { return l.Operand(int(in.Attrs.(*hlo.ParameterAttrs).Number)) }
	c.lhs, c.rhs, c.out = place(operands[0]), place(operands[1]), l.Result()
	return contract(l, c)
}
