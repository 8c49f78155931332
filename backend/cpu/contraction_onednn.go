package cpu

import (
	"fmt"
	"slices"

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

// splitsPair reports whether n narrow floats are not whole pairs: oneDNN multiplies pairs, and of an odd number the
// last with what lies behind it by zero, which NaN and infinities survive.
func splitsPair(t shape.ElementType, n int64) bool { return t.IsFloat() && t.Bits() == 16 && n%2 != 0 }

// matMul multiplies by oneDNN's matmul: f32 if rhs is known, which is packed then, and the types that BLAS has not.
func matMul(l *exec.Lowering, c *contraction) *thunk {
	f, ok := matricesOf(&c.Contraction)
	if !ok || f.swapped || onednn.Load() != nil || !onednnProduct(c.lhsType, c.rhsType, c.outType) ||
		splitsPair(c.lhsType, int64(f.k)) || f.packedFirst(c) {
		return nil
	}
	known := c.weights != nil && f.m > 1
	if c.lhsType == shape.F32 && (!known || f.bySmall(shape.F32)) {
		return nil
	}
	p := &matMulPlan{matrices: f, of: c, made: map[[2]int]*onednn.Primitive{}}
	p.packed = len(f.a) == 1 && (known || f.m >= minRowBlock)
	if err := p.pieces(); err != nil {
		return nil
	}
	o, uses := onednn.Operands{Src: ref(c.lhs), Weights: ref(c.rhs), Dst: ref(c.out)}, c.uses()
	name := "onednn " + p.list[0].Primitive.Info()
	if !p.packed {
		return recordThunk(name, uses, onednn.Record(o, p.list)).keeping(p.list).calling(p.calls())
	}
	return byPacked(l, c, p, p.size, name)
}

// packing multiplies or convolves by weights that are packed before: when a program is compiled, or in it.
type packing interface {
	// form names the layouts of packed weights and all that they depend on.
	form() string
	// plain returns known weights as the packers want them.
	plain() []byte
	// packers bring plain weights into every layout that is wanted. They fail if oneDNN cannot.
	packers() ([]onednn.Piece, error)
	thunk(name string, uses []exec.Use, o onednn.Operands) *thunk
}

// byPacked is p with its weights packed into size bytes, once for all runs if they are known, else after
// what must come before. It is nil if oneDNN cannot.
func byPacked(l *exec.Lowering, c *contraction, p packing, size int64, name string, before ...*thunk) *thunk {
	list, err := p.packers()
	if err != nil {
		return nil
	}
	packed := func(weights exec.Slice) *thunk {
		uses := append(exec.Reads(c.lhs, weights), exec.Writes(c.out)...)
		return p.thunk(name, uses, onednn.Operands{Src: ref(c.lhs), Weights: ref(weights), Dst: ref(c.out)})
	}
	if c.weights != nil {
		return packed(l.PackOf(c.weights, p.form(), size, func(to []byte) error { return packTo(to, p.plain(), list) }))
	}
	weights := l.Scratch(size)
	uses := append(exec.Reads(c.rhs), exec.Writes(weights)...)
	pack := recordThunk("onednn reorder", uses, onednn.Record(onednn.Operands{Src: ref(c.rhs), Dst: ref(weights)}, list))
	before = append(before, pack.keeping(list).calling(reorderCalls(len(list), size)))
	return sequence(sequence(before...), packed(weights))
}

// packTo has the packers do their part.
func packTo(to, plain []byte, list []onednn.Piece) error {
	for _, q := range list {
		if err := q.Primitive.Execute(plain[q.Src:], nil, nil, to[q.Dst:]); err != nil {
			return err
		}
	}
	return nil
}

// calls are those that multiply the pieces.
func (p *matMulPlan) calls() exec.Calls {
	return productCalls(len(p.list), slices.Max(p.rows), slices.Max(p.columns), p.k, p.of.lhsType)
}

// thunk multiplies by packed weights.
func (p *matMulPlan) thunk(name string, uses []exec.Use, o onednn.Operands) *thunk {
	t := recordThunk(name, uses, onednn.Record(o, p.list)).keeping(p.list).calling(p.calls())
	width := int64(p.of.outType.Bytes())
	var list []piece
	for i, q := range p.list {
		if p.columns[i] != p.strideC {
			return t
		}
		list = append(list, piece{record: onednn.Record(o, p.list[i:i+1]), from: q.Dst / width,
			n: int64(p.rows[i] * p.columns[i])})
	}
	return t.inParts(list, int64(p.m*p.n))
}

// matMulPlan makes the pieces of a product.
type matMulPlan struct {
	matrices
	of            *contraction
	packed        bool
	groups        []columnGroup // of packed weights
	size          int64         // bytes of all groups
	list          []onednn.Piece
	rows, columns []int                        // of the pieces
	made          map[[2]int]*onednn.Primitive // by size of pieces
}

// columnGroup is n columns of packed weights, from first on, in the layout of a primitive's. They begin at so many
// bytes.
type columnGroup struct {
	like     *onednn.Primitive
	first, n int
	at       int64
}

// minRowBlock is how many rows a piece of packed products has at least.
const minRowBlock = 32

// Weights of more than wideWeights bytes do not stay in the second cache while blocks of rows take turns: few rows,
// fewer than manyRows, are then better multiplied by some columns at a time.
const (
	wideWeights = 2 << 20
	manyRows    = 512
)

// pieceElements is how many elements the rows of a piece have at most in both operands, if it can have fewer: what
// follows a piece finds it in the second cache. Short sums write much for few operations.
const pieceElements = 64 << 10

// packedBlocks is blocks for packed weights of so many bytes: oneDNN is fast where the result is dense, and rows do not
// pack anew.
func packedBlocks(m, n, k, bytes int) (rows, columns int) {
	if m < minRowBlock || bytes > wideWeights && m < manyRows {
		return blocks(m, n, k, 1)
	}
	least := 2 * minRowBlock
	if m < 2*least {
		least = (m + 1) / 2
	}
	wanted := max(int(wantedBlocks(m, n, k, 1)), m*(n+k)/pieceElements)
	count := max(min(wanted, m/least), 1)
	rows = (m + count - 1) / count
	if rows > least {
		rows = (rows + 15) / 16 * 16
	}
	return rows, n
}

func (p *matMulPlan) pieces() error {
	rows, columns := blocks(p.m, p.n, p.k, 1)
	if p.packed {
		rows, columns = packedBlocks(p.m, p.n, p.k, p.n*p.k*p.of.rhsType.Bytes())
	}
	lhs, rhs, out := p.of.lhsType.Bytes(), p.of.rhsType.Bytes(), p.of.outType.Bytes()
	for n := 0; n < p.n; n += columns {
		g := columnGroup{first: n, n: min(columns, p.n-n), at: p.size}
		for m := 0; m < p.m; m += rows {
			primitive, err := p.primitive(min(rows, p.m-m), g.n, g.like)
			if err != nil {
				return err
			}
			g.like = primitive
			for i := range p.a {
				piece := onednn.Piece{Primitive: primitive, Src: int64(lhs * (p.a[i] + pick(p.transposeA, m, m*p.strideA))),
					Weights: int64(rhs * (p.b[i] + pick(p.transposeB, n*p.strideB, n))),
					Dst:     int64(out * (p.c[i] + m*p.strideC + n))}
				if p.packed {
					piece.Weights = g.at
				}
				p.list, p.rows, p.columns = append(p.list, piece), append(p.rows, min(rows, p.m-m)), append(p.columns, g.n)
			}
		}
		if p.packed {
			p.groups = append(p.groups, g)
			p.size += (g.like.WeightsBytes() + 63) &^ 63
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
		Weights: p.columnsOf(n), Dst: onednn.Array{Type: onednnTypes[p.of.outType], Dims: []int64{int64(m), int64(n)},
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

// columnsOf is how n columns of the weights lie in memory.
func (p *matMulPlan) columnsOf(n int) onednn.Array {
	return onednn.Array{Type: onednnTypes[p.of.rhsType], Dims: []int64{int64(p.k), int64(n)},
		Strides: pick(p.transposeB, []int64{1, int64(p.strideB)}, []int64{int64(p.strideB), 1})}
}

// from is where a group's plain weights begin, in bytes.
func (p *matMulPlan) from(g *columnGroup) int64 {
	return int64(p.b[0]+pick(p.transposeB, g.first*p.strideB, g.first)) * int64(p.of.rhsType.Bytes())
}

func (p *matMulPlan) form() string {
	return fmt.Sprint("onednn matmul ", p.m, p.n, p.k, p.stridesA(), p.strideB, p.transposeB, p.b, p.strideC,
		p.of.lhsType, p.of.rhsType, p.of.outType)
}

func (p *matMulPlan) plain() []byte { return p.of.weights.Bytes() }

func (p *matMulPlan) packers() (list []onednn.Piece, err error) {
	for i := range p.groups {
		g := &p.groups[i]
		q, err := g.like.Packer(p.columnsOf(g.n))
		if err != nil {
			return nil, err
		}
		list = append(list, onednn.Piece{Primitive: q, Src: p.from(g), Dst: g.at})
	}
	return list, nil
}
