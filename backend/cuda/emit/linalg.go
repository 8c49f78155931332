package emit

import (
	"fmt"

	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/shape"
)

// wideOfField is the type in which matrices with elements of type t are factored.
func wideOfField(t shape.ElementType) shape.ElementType {
	if t.IsComplex() {
		return shape.C128
	}
	return shape.F64
}

// matrix is a batch of n by n matrices that is factored in wide numbers.
type matrix struct {
	b    *body
	n    int64
	wide shape.ElementType
}

// conj is the conjugate of v in C, v itself for real numbers.
func (m *matrix) conj(v string) string {
	if m.wide == shape.C128 {
		return fmt.Sprintf("c(%s.re, -%s.im)", v, v)
	}
	return v
}

// emitCholesky factors each matrix in a block: column after column, the rows in threads.
func emitCholesky(e *Emission, in *hlo.Instruction) {
	dims, t := in.Shape.Dims, in.Shape.Type
	if in.Shape.Size() == 0 {
		return
	}
	n := dims[len(dims)-1]
	lower := in.Attrs.(*hlo.CholeskyAttrs).Lower
	m := &matrix{n: n, wide: wideOfField(t)}
	work := e.scratch(in.Shape.Size() * int64(m.wide.Bytes()))
	b := newBody(e, sizesOf(in)...)
	m.b = b
	b.need("complex")
	p, name := b.pointer(work, ctypes[m.wide].value)
	p.written = true
	value := ctypes[m.wide].value
	b.line("%s* l = %s + (%s)blockIdx.x * %d;", value, name, b.ix, n*n)
	b.line("const %s base = (%s)blockIdx.x * %d;", b.ix, b.ix, n*n)
	b.line("__shared__ s32 bad;")
	b.line("if (threadIdx.x == 0) bad = 0;")
	m.loadLower(in, lower)
	b.line("__syncthreads();")
	b.open("for (s32 j = 0; j < %d; j++) {", n)
	b.open("for (s32 i = j + threadIdx.x; i < %d; i += %d) {", n, blockSize)
	b.line("%s s = l[i * (%s)%d + j];", value, b.ix, n)
	b.line("for (s32 k = 0; k < j; k++) s = x_sub(s, x_mul(l[i * (%s)%d + k], %s));", b.ix, n,
		m.conj(fmt.Sprintf("l[j * (%s)%d + k]", b.ix, n)))
	b.line("l[i * (%s)%d + j] = s;", b.ix, n)
	b.close("}")
	b.line("__syncthreads();")
	m.divideColumn()
	b.close("}")
	m.storeFactor(in, lower)
	e.add(b.kernel("cholesky", in.Shape.Size()/(n*n), blockSize))
}

// loadLower brings the triangle that is read into the lower one.
func (m *matrix) loadLower(in *hlo.Instruction, lower bool) {
	b := m.b
	b.open("for (s32 q = threadIdx.x; q < %d; q += %d) {", m.n*m.n, blockSize)
	b.line("const s32 i = q / %d, j = q %% %d;", m.n, m.n)
	b.open("if (j <= i) {")
	place := fmt.Sprintf("base + i * %d + j", m.n)
	if !lower {
		place = fmt.Sprintf("base + j * %d + i", m.n)
	}
	g := b.newGraphOf(in)
	v := b.plain(b.converted(g.at(in.Operands[0], index{flat: b.integer(place), of: in.Shape.Dims}), m.wide))
	text := v.text
	if !lower {
		text = m.conj(text)
	}
	b.line("l[q] = %s;", text)
	b.close("}")
	b.close("}")
}

// divideColumn divides column j by the root of its pivot, in two steps so that all divide by the same.
func (m *matrix) divideColumn() {
	b := m.b
	pivot := fmt.Sprintf("l[j * (%s)%d + j]", b.ix, m.n)
	re, root := pivot, "sqrt(d)"
	if m.wide == shape.C128 {
		re, root = pivot+".re", "c(sqrt(d), 0)"
	}
	b.line("const f64 d = %s;", re)
	b.line("if (!(d > 0)) bad = 1;")
	b.line("__syncthreads();")
	b.line("if (threadIdx.x == 0) %s = %s;", pivot, root)
	b.line("for (s32 i = j + 1 + threadIdx.x; i < %d; i += %d) l[i * (%s)%d + j] = x_div(l[i * (%s)%d + j], %s);", m.n,
		blockSize, b.ix, m.n, b.ix, m.n, root)
	b.line("__syncthreads();")
}

// storeFactor writes the factor and zeros, or NaN if the matrix is not positive definite.
func (m *matrix) storeFactor(in *hlo.Instruction, lower bool) {
	b := m.b
	b.open("for (s32 q = threadIdx.x; q < %d; q += %d) {", m.n*m.n, blockSize)
	b.line("const s32 i = q / %d, j = q %% %d;", m.n, m.n)
	value := ctypes[m.wide].value
	b.line("%s v = {};", value)
	if lower {
		b.line("if (j <= i) v = l[q];")
	} else {
		at := fmt.Sprintf("l[j * (%s)%d + i]", b.ix, m.n)
		b.line("if (i <= j) v = %s;", m.conj(at))
	}
	nan := "NAN64"
	if m.wide == shape.C128 {
		nan = "c(NAN64, NAN64)"
	}
	b.line("if (bad) v = %s;", nan)
	b.store(Buffer{Result, 0}, b.integer("base + q"), b.converted(valueOf("v", m.wide), in.Shape.Type))
	b.close("}")
}

// emitTriangularSolve solves for each right-hand side in a thread of its own.
func emitTriangularSolve(e *Emission, in *hlo.Instruction) {
	if in.Shape.Size() > 0 {
		solveByThreads(newBody(e, sizesOf(in)...), in)
	}
}

// solveByThreads appends a kernel that does so, whose body has begun.
func solveByThreads(b *body, in *hlo.Instruction) {
	a, s := in.Attrs.(*hlo.TriangularSolveAttrs), in.Shape
	rank := len(s.Dims)
	m, other := in.Operands[0].Shape.Dims[rank-1], s.Dims[rank-1]
	step, next := other, int64(1) // of the unknowns of one right-hand side, and to the next one
	if !a.LeftSide {
		other = s.Dims[rank-2]
		step, next = 1, m
	}
	// x op(a) = b is op(a)^T x^T = b^T: transposed or not, but conjugated by op alone.
	flip := (a.TransposeA != hlo.NoTranspose) == a.LeftSide
	lower := a.Lower != flip
	wide := wideOfField(s.Type)
	b.need("complex")
	mx := &matrix{b: b, n: m, wide: wide}
	work := b.e.scratch(s.Size() * int64(wide.Bytes()))
	p, x := b.pointer(work, ctypes[wide].value)
	p.written = true
	b.threads(s.Size() / m)
	b.line("const %s z = t / %d, base = z * %d + t %% %d * %d;", b.ix, other, m*other, other, next)
	b.open("for (s32 q = 0; q < %d; q++) {", m)
	b.line("const s32 i = %s;", map[bool]string{true: "q", false: fmt.Sprintf("%d - q", m-1)}[lower])
	g := b.newGraphOf(in)
	rhs := b.converted(g.at(in.Operands[1], index{flat: b.integer(fmt.Sprintf("base + i * %d", step)), of: s.Dims}), wide)
	b.line("%s v = {};", ctypes[wide].value)
	b.open("for (s32 k = %s; k < %s; k++) {", map[bool]string{true: "0", false: "i + 1"}[lower],
		map[bool]string{true: "i", false: num(m)}[lower])
	b.line("v = x_add(v, x_mul(%s, %s[base + k * %d]));", mx.entry(g, in, flip, a, "k"), x, step)
	b.close("}")
	b.line("v = x_sub(%s, v);", rhs.text)
	if !a.UnitDiagonal {
		b.line("v = x_div(v, %s);", mx.entry(g, in, flip, a, "i"))
	}
	b.line("%s[base + i * %d] = v;", x, step)
	b.store(Buffer{Result, 0}, b.integer(fmt.Sprintf("base + i * %d", step)), b.converted(valueOf("v", wide), s.Type))
	b.close("}")
	b.e.add(b.kernel("triangular_solve", ceil(s.Size()/m, blockSize), blockSize))
}

// entry is element (i, column) of the triangle, turned round if asked.
func (m *matrix) entry(g *graph, in *hlo.Instruction, flip bool, a *hlo.TriangularSolveAttrs, column string) string {
	b, of := m.b, in.Operands[0].Shape.Dims
	place := fmt.Sprintf("(z * %d + i) * %d + %s", m.n, m.n, column)
	if flip {
		place = fmt.Sprintf("(z * %d + %s) * %d + i", m.n, column, m.n)
	}
	v := b.converted(g.at(in.Operands[0], index{flat: b.integer(place), of: of}), m.wide)
	if a.TransposeA == hlo.Adjoint {
		return m.conj(v.text)
	}
	return v.text
}
