package hlo

import (
	"slices"
	"strconv"

	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// trsm is a triangular solve that a program writes as a call of BLAS.
type trsm struct {
	TriangularSolveAttrs
	a, b  int // operands
	alpha int // operand by which b is multiplied; -1: none
}

func init() {
	for _, p := range []string{"s", "d", "c", "z"} {
		for _, target := range []string{"lapack_" + p + "trsm_ffi", "blas_" + p + "trsm_ffi", "blas_" + p + "trsm"} {
			builtins[target] = builtin{evalExpanded, func(in *Instruction) bool { return trsmOf(in) != nil }}
			expansions[target] = expandTrsm
		}
	}
	for _, target := range []string{"cu_threefry2x32", "hip_threefry2x32"} {
		builtins[target+"_ffi"] = builtin{evalExpanded, isThreefry}
		expansions[target+"_ffi"] = expandThreefry
	}
}

// evalExpanded evaluates the computation that a call stands for.
func evalExpanded(e *Evaluator, in *Instruction, args []*literal.Literal) (*literal.Literal, error) {
	c := ExpandCustomCall(in)
	if c == nil {
		return nil, unsupportedTarget(in.Attrs.(*CustomCallAttrs).Target)
	}
	return e.Call(c, args)
}

// trsmOf reads a call of trsm: nil if it is not as producers write it. Typed FFI has the flags as characters; before,
// they were constant operands, and sizes and a factor followed.
func trsmOf(in *Instruction) *trsm {
	t, ok := &trsm{b: 1, alpha: -1}, false
	switch len(in.Operands) {
	case 2:
		ok = t.readFlags(in)
	case 3:
		t.alpha, ok = 2, t.readFlags(in)
	case 10:
		t.alpha, t.a, t.b, ok = 7, 8, 9, t.readOperands(in)
	}
	if !ok || t.TransposeA == TransposeInvalid || !inColumns(in, t.a) || !inColumns(in, t.b) ||
		t.alpha >= 0 && !in.Operands[t.alpha].Shape.IsScalar() {
		return nil
	}
	return t
}

// readFlags reads the attributes of typed FFI.
func (t *trsm) readFlags(in *Instruction) bool {
	var v [4]int64
	for i, name := range []string{"side", "uplo", "trans_x", "diag"} {
		text, _ := note(in, name)
		var err error
		if v[i], err = strconv.ParseInt(text, 10, 64); err != nil {
			return false
		}
	}
	t.LeftSide, t.Lower, t.UnitDiagonal = v[0] == 'L', v[1] == 'L', v[3] == 'U'
	t.TransposeA = map[int64]TransposeA{'N': NoTranspose, 'T': TransposeMatrix, 'C': Adjoint}[v[2]]
	return true
}

// readOperands reads the flags among the operands.
func (t *trsm) readOperands(in *Instruction) bool {
	var v [4]int64
	for i := range v {
		c, ok := in.Operands[i].Attrs.(*ConstantAttrs)
		if !ok {
			return false
		}
		var err error
		if v[i], err = scalarInt64(c.Literal); err != nil {
			return false
		}
	}
	t.LeftSide, t.Lower, t.UnitDiagonal = v[0] != 0, v[1] != 0, v[3] != 0
	t.TransposeA = map[int64]TransposeA{0: NoTranspose, 1: TransposeMatrix, 2: Adjoint}[v[2]]
	return true
}

// inColumns says whether the matrices of operand i are column-major, which is what LAPACK takes them to be, or have no
// layout.
func inColumns(in *Instruction, i int) bool {
	rank := in.Operands[i].Shape.Rank()
	if rank < 2 {
		return false
	}
	layouts := in.Attrs.(*CustomCallAttrs).OperandLayouts
	if layouts == nil || layouts[i].Layout == nil {
		return true
	}
	want := []int64{int64(rank - 2), int64(rank - 1)}
	for d := rank - 3; d >= 0; d-- {
		want = append(want, int64(d))
	}
	return in.Operands[i].Shape.SameOrder(layouts[i].Layout.MinorToMajor, want)
}

func expandTrsm(b *Builder, in *Instruction, x []*Instruction) *Instruction {
	t := trsmOf(in)
	right := x[t.b]
	if t.alpha >= 0 {
		c, known := in.Operands[t.alpha].Attrs.(*ConstantAttrs)
		if !known || !literal.Equal(c.Literal, literal.One(right.Shape.Type)) {
			right = b.Mul(right, b.Broadcast(x[t.alpha], right.Shape.Dims))
		}
	}
	a := t.TriangularSolveAttrs
	return b.add(TriangularSolve, &a, shape.Shape{}, x[t.a], right)
}

// isThreefry reports whether a call has two keys and two counters of one u32 shape, and as many results.
func isThreefry(in *Instruction) bool {
	if len(in.Operands) != 4 || wrapped(in.Shape) != 2 || in.Shape.IsDynamic() {
		return false
	}
	same := func(s shape.Shape) bool { return s.Type == shape.U32 && s.Compatible(in.Operands[0].Shape) }
	return same(in.Operands[0].Shape) && same(in.Operands[1].Shape) && same(in.Operands[2].Shape) &&
		same(in.Operands[3].Shape) && slices.IndexFunc(in.Shape.Elems, func(s shape.Shape) bool { return !same(s) }) < 0
}

// threefryTurns are by how many bits ThreeFry2x32 turns in the rounds of even and odd groups of four.
var threefryTurns = [2][4]int64{{13, 15, 26, 6}, {17, 29, 16, 24}}

// expandThreefry is the block function ThreeFry2x32 with 20 rounds, one block for each element of the counters.
func expandThreefry(b *Builder, _ *Instruction, x []*Instruction) *Instruction {
	number := func(v int64) *Instruction {
		return b.Broadcast(b.ConstantLiteral(literal.ScalarOfInt(shape.U32, v)), x[0].Shape.Dims)
	}
	keys := [3]*Instruction{x[0], x[1], b.Xor(b.Xor(x[0], x[1]), number(0x1BD11BDA))}
	p, q := b.Add(x[2], keys[0]), b.Add(x[3], keys[1])
	for group := range 5 {
		for _, n := range threefryTurns[group%2] {
			p = b.Add(p, q)
			q = b.Xor(p, b.Or(b.ShiftLeft(q, number(n)), b.ShiftRightLogical(q, number(32-n))))
		}
		p = b.Add(p, keys[(group+1)%3])
		q = b.Add(b.Add(q, keys[(group+2)%3]), number(int64(group+1)))
	}
	return b.Tuple(p, q)
}
