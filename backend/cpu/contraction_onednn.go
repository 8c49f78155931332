package cpu

import (
	"github.com/halo-xla/halo/cgo/onednn"
	"github.com/halo-xla/halo/xla/exec"
	"github.com/halo-xla/halo/xla/shape"
)

// onednnTypes are the element types that oneDNN knows.
var onednnTypes = map[shape.ElementType]onednn.Type{shape.F32: onednn.F32, shape.BF16: onednn.BF16,
	shape.F16: onednn.F16, shape.S8: onednn.S8, shape.U8: onednn.U8, shape.S32: onednn.S32}

// onednnProduct says whether oneDNN multiplies elements of such types as the law has it: floats are summed in f32 and
// rounded once, and integers must neither saturate nor be cut off.
func onednnProduct(lhs, rhs, out shape.ElementType) bool {
	switch {
	case lhs == shape.F32:
		return rhs == lhs && out == lhs
	case lhs == shape.BF16 || lhs == shape.F16:
		return rhs == lhs && (out == lhs || out == shape.F32)
	case lhs == shape.S8 || lhs == shape.U8:
		return rhs == shape.S8 && out == shape.S32 && onednn.ExactIntegers()
	}
	return false
}

// matMul multiplies by oneDNN's matmul: f32 if rhs is known, which is packed then, and the types that BLAS has not.
func matMul(l *exec.Lowering, c *contraction) *thunk {
	f, ok := matricesOf(&c.Contraction)
	if !ok || f.swapped || onednn.Load() != nil || !onednnProduct(c.lhsType, c.rhsType, c.outType) {
		return nil
	}
	packed := c.weights != nil && len(f.a) == 1 && f.m > 1
	if c.lhsType == shape.F32 && (!packed || f.m*f.n*f.k <= smallProduct) {
		return nil
	}
	p := &matMulPlan{matrices: f, of: c, packed: packed}
	if err := p.pieces(); err != nil {
		return nil
	}
	o := onednn.Operands{Src: ref(c.lhs), Weights: ref(c.rhs), Dst: ref(c.out)}
	uses := c.uses()
	if packed {
		weights := l.Pack(p.weights)
		o.Weights, uses = ref(weights), append(exec.Reads(c.lhs, weights), exec.Writes(c.out)...)
	}
	return recordThunk("onednn "+p.list[0].Primitive.Info(), uses, onednn.Record(o, p.list)).keeping(p.list)
}

// matMulPlan makes the pieces of a product.
type matMulPlan struct {
	matrices
	of      *contraction
	packed  bool
	weights []byte // packed
	list    []onednn.Piece
	made    map[[2]int]*onednn.Primitive // by size of pieces
}

func (p *matMulPlan) pieces() error {
	rows, columns := blocks(p.m, p.n, p.k)
	p.made = map[[2]int]*onednn.Primitive{}
	lhs, rhs, out := p.of.lhsType.Bytes(), p.of.rhsType.Bytes(), p.of.outType.Bytes()
	for n := 0; n < p.n; n += columns {
		var like *onednn.Primitive // the weights of all rows are the same
		at := int64(len(p.weights))
		for m := 0; m < p.m; m += rows {
			primitive, err := p.primitive(min(rows, p.m-m), min(columns, p.n-n), like)
			if err != nil {
				return err
			}
			if like == nil && p.packed {
				if err := p.pack(primitive, n, min(columns, p.n-n)); err != nil {
					return err
				}
			}
			like = primitive
			for i := range p.a {
				piece := onednn.Piece{Primitive: primitive, Src: int64(lhs * (p.a[i] + pick(p.transposeA, m, m*p.strideA))),
					Weights: int64(rhs * (p.b[i] + pick(p.transposeB, n*p.strideB, n))),
					Dst:     int64(out * (p.c[i] + m*p.strideC + n))}
				if p.packed {
					piece.Weights = at
				}
				p.list = append(p.list, piece)
			}
		}
	}
	return nil
}

// primitive returns the product of m rows and n columns.
func (p *matMulPlan) primitive(m, n int, like *onednn.Primitive) (*onednn.Primitive, error) {
	if q := p.made[[2]int{m, n}]; q != nil {
		return q, nil
	}
	s := onednn.Spec{Kind: onednn.MatMul,
		Src:     onednn.Array{Type: onednnTypes[p.of.lhsType], Dims: []int64{int64(m), int64(p.k)}, Strides: p.stridesA()},
		Weights: p.plain(n), Dst: onednn.Array{Type: onednnTypes[p.of.outType], Dims: []int64{int64(m), int64(n)},
			Strides: []int64{int64(p.strideC), 1}}}
	s.Weights.Any = p.packed
	if !p.packed {
		like = nil
	}
	q, err := onednn.New(s, like)
	p.made[[2]int{m, n}] = q
	return q, err
}

func (p *matMulPlan) stridesA() []int64 {
	return pick(p.transposeA, []int64{1, int64(p.strideA)}, []int64{int64(p.strideA), 1})
}

// plain is how n columns of the weights lie in memory.
func (p *matMulPlan) plain(n int) onednn.Array {
	return onednn.Array{Type: onednnTypes[p.of.rhsType], Dims: []int64{int64(p.k), int64(n)},
		Strides: pick(p.transposeB, []int64{1, int64(p.strideB)}, []int64{int64(p.strideB), 1})}
}

// pack appends the weights of n columns from first on, as a primitive wants them.
func (p *matMulPlan) pack(q *onednn.Primitive, first, n int) error {
	at := (p.b[0] + pick(p.transposeB, first*p.strideB, first)) * p.of.rhsType.Bytes()
	packed, err := q.Pack(p.plain(n), p.of.weights.Bytes()[at:])
	p.weights = append(p.weights, packed...)
	for len(p.weights)%64 != 0 {
		p.weights = append(p.weights, 0)
	}
	return err
}
