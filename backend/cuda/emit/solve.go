package emit

import (
	"fmt"

	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/shape"
)

// Solve is what a library does with Batch column-major matrices M by N, one after the other. The routines are LAPACK's:
// potrf, getrf, geqrf, orgqr, syevd and gesvd, the last with M of N or more.
type Solve struct {
	Routine     string
	Type        shape.ElementType
	M, N, Batch int64
	// K is how many reflectors orgqr gets.
	K int64
	// Upper says which triangle potrf and syevd take.
	Upper bool
	// Vectors is, for syevd and gesvd, which vectors are wanted: 'A' for all, 'S' for the first, 'N' for none.
	Vectors byte
	// A is replaced. Vector has pivots of s64, factors, eigenvalues or singular values. U and VT are gesvd's, nil if no
	// vectors are wanted. Info is s32.
	A, Vector, Info Array
	U, VT           *Array
	// Work is the work space.
	Work Buffer
}

// Array is an array of each of a batch: where the first begins, and how many bytes lie between the beginnings.
type Array struct {
	Buffer
	Step int64
}

// SolveCall is a call that asks for what a library does.
type SolveCall struct {
	// Solve says what; where the arrays lie is found by LowerSolve.
	Solve
	// Operands and Results are the arrays in LAPACK's order; info may be missing.
	Operands, Results []Part
	// Adjoint says that gesvd gives V in place of VT.
	Adjoint bool
}

// Part is an operand or a result of a call by its number, of which all have one leaf. Columns says that LAPACK's
// matrices are those of its shape; else they are their transposes, as the memory has them.
type Part struct {
	Index   int
	Shape   shape.Shape
	Columns bool
}

// WorkSpace returns the bytes of work space that a library wants.
type WorkSpace func(*Solve) (int64, error)

// libraryFrom is the size of matrices from which a library's Cholesky factorization is worth its calls, one for each
// matrix: our kernel factors all of a batch at once, each in a block.
const libraryFrom = 256

// LowerCholesky returns in, a Cholesky factorization, by a library; nil if it is of no type that libraries take, or
// small.
func LowerCholesky(in *hlo.Instruction, work WorkSpace) (*Emission, error) {
	s := in.Shape
	if in.Op != hlo.Cholesky || in.IsDynamic() || s.Size() == 0 || !solved[s.Type] {
		return nil, nil
	}
	n := s.Dims[s.Rank()-1]
	batch := s.Size() / (n * n)
	if n < libraryFrom || batch > n/64 {
		return nil, nil
	}
	lower, bytes := in.Attrs.(*hlo.CholeskyAttrs).Lower, int64(s.Type.Bytes())
	e := &Emission{InPlace: []Alias{{0, 0}}}
	result := Buffer{Result, 0}
	e.copy(result, Buffer{Operand, 0}, s.Size()*bytes)
	// The rows are the columns of the transpose, whose other triangle is factored.
	x := &Solve{Routine: "potrf", Type: s.Type, M: n, N: n, Batch: batch, Upper: lower, A: Array{result, n * n * bytes},
		Info: Array{e.scratch(4 * batch), 4}}
	if err := e.solve(x, work); err != nil {
		return nil, err
	}
	b := newBody(e, s.Size())
	b.threads(s.Size())
	b.line("const %s i = t / %d %% %d, j = t %% %d, z = t / %d;", b.ix, n, n, n, n*n)
	v := b.variable(b.load(result, s.Type, index{flat: "t", of: s.Dims}))
	b.line("if (%s) %s = {};", map[bool]string{true: "j > i", false: "j < i"}[lower], v.text)
	info := b.load(x.Info.Buffer, shape.S32, index{flat: "z"})
	b.line("if (%s) %s = %s;", info.text, v.text, b.nan(s.Type))
	b.store(result, "t", v)
	e.add(b.kernel("cholesky_end", ceil(s.Size(), blockSize), blockSize))
	return e, nil
}

// solved are the types of matrices that libraries take.
var solved = map[shape.ElementType]bool{shape.F32: true, shape.F64: true, shape.C64: true, shape.C128: true}

// nan is a NaN of type t.
func (b *body) nan(t shape.ElementType) string {
	b.need("complex") // which has NAN64
	v := valueOf("NAN64", shape.F64)
	if t.IsComplex() {
		v = valueOf("c(NAN64, NAN64)", shape.C128)
	}
	return b.converted(v, t).text
}

// solve appends x with its work space.
func (e *Emission) solve(x *Solve, work WorkSpace) error {
	bytes, err := work(x)
	if err != nil {
		return err
	}
	x.Work = e.scratch(bytes)
	e.Steps = append(e.Steps, Step{Solve: x})
	return nil
}

// routine is a SolveCall that is being lowered.
type routine struct {
	*SolveCall
	e    *Emission
	work WorkSpace
	// wide says that gesvd gets matrices with more columns than rows: the library gets their transposes.
	wide bool
	// flags has, for each matrix, whether it has a NaN or an infinity, for which libraries say nothing.
	flags Buffer
}

// LowerSolve returns what computes a call of LAPACK's by a library.
func LowerSolve(x *SolveCall, work WorkSpace) (*Emission, error) {
	r := &routine{SolveCall: x, e: &Emission{}, work: work, wide: x.Routine == "gesvd" && x.M < x.N}
	return r.e, routines[x.Routine](r)
}

var routines = map[string]func(*routine) error{
	"potrf": (*routine).potrf, "getrf": (*routine).getrf, "geqrf": (*routine).reflectors,
	"orgqr": (*routine).reflectors, "syevd": (*routine).syevd, "gesvd": (*routine).gesvd,
}

// potrf keeps the other triangle, and what the library leaves of a matrix that is not positive.
func (r *routine) potrf() error {
	r.A = r.result(0)
	r.e.copy(r.A.Buffer, Buffer{Operand, r.Operands[0].Index}, r.A.Step*r.Batch)
	r.Info = r.info(1)
	return r.e.solve(&r.Solve, r.work)
}

func (r *routine) getrf() error {
	k := min(r.M, r.N)
	r.A = r.loaded()
	r.Vector = Array{r.e.scratch(8 * k * r.Batch), 8 * k}
	r.Info = r.info(2)
	if err := r.e.solve(&r.Solve, r.work); err != nil {
		return err
	}
	r.stored(0, r.A, false)
	b := newBody(r.e, k*r.Batch)
	b.threads(k * r.Batch)
	v := b.load(r.Vector.Buffer, shape.S64, index{flat: "t"})
	b.store(r.result(1).Buffer, "t", b.converted(v, shape.S32))
	r.e.add(b.kernel("pivots", ceil(k*r.Batch, blockSize), blockSize))
	return nil
}

// reflectors makes them, or the matrix that they stand for.
func (r *routine) reflectors() error {
	r.A, r.Info = r.loaded(), r.info(-1)
	if r.Routine == "geqrf" {
		r.Vector = r.result(1)
	} else {
		r.Vector = Array{Buffer{Operand, r.Operands[1].Index}, r.each(r.Operands[1])}
	}
	if err := r.e.solve(&r.Solve, r.work); err != nil {
		return err
	}
	r.stored(0, r.A, false)
	return nil
}

// syevd gives NaN for a matrix that is not finite, and says that no value was found.
func (r *routine) syevd() error {
	r.flag()
	r.A, r.Vector, r.Info = r.loaded(), r.result(1), r.info(2)
	if err := r.e.solve(&r.Solve, r.work); err != nil {
		return err
	}
	r.stored(0, r.A, false)
	r.overwrite(r.Vector.Buffer, r.Results[1].Shape, func(b *body) string { return b.nan(r.Results[1].Shape.Type) })
	r.overwrite(r.Info.Buffer, shape.Array(shape.S32, r.Batch), func(*body) string { return num(r.N) })
	return nil
}

// gesvd gives zeros for a matrix that is not finite, and LAPACK's info for a fourth argument that is wrong.
func (r *routine) gesvd() error {
	r.flag()
	r.A = r.loaded()
	first := r.result(0)
	r.e.copy(first.Buffer, Buffer{Operand, r.Operands[0].Index}, first.Step*r.Batch)
	r.Vector, r.Info = r.result(1), r.info(4)
	if r.wide {
		r.M, r.N = r.N, r.M
	}
	if r.Vectors != 'N' {
		rows := r.N
		columns := map[byte]int64{'A': r.M, 'S': r.N}[r.Vectors]
		r.U, r.VT = r.matrices(r.M, columns), r.matrices(rows, r.N)
	}
	if err := r.e.solve(&r.Solve, r.work); err != nil {
		return err
	}
	r.vectors(2, r.U, r.VT)
	r.vectors(3, r.VT, r.U)
	r.overwrite(r.Vector.Buffer, r.Results[1].Shape, func(*body) string { return "0" })
	r.overwrite(r.Info.Buffer, shape.Array(shape.S32, r.Batch), func(*body) string { return "-4" })
	return nil
}

// vectors stores singular vectors as result i: tall of the library's that are, or, of wide matrices, the others.
func (r *routine) vectors(i int, tall, wide *Array) {
	from := tall
	if r.wide {
		from = wide
	}
	if from == nil {
		p := r.result(i)
		r.e.Steps = append(r.e.Steps, Step{Fill: &Fill{Dst: p.Buffer, Bytes: p.Step * r.Batch}})
		return
	}
	r.stored(i, *from, r.Adjoint && i == 3)
}

// matrices returns room for some of each of the batch.
func (r *routine) matrices(m, n int64) *Array {
	step := m * n * int64(r.Type.Bytes())
	return &Array{r.e.scratch(step * r.Batch), step}
}

// each is the bytes of a part that each of the batch has.
func (r *routine) each(p Part) int64 { return p.Shape.Size() / r.Batch * int64(p.Shape.Type.Bytes()) }

// result is result i as it lies.
func (r *routine) result(i int) Array {
	return Array{Buffer{Result, r.Results[i].Index}, r.each(r.Results[i])}
}

// info is result i, or where nobody looks if the call has none.
func (r *routine) info(i int) Array {
	if i >= 0 && i < len(r.Results) {
		return r.result(i)
	}
	return Array{r.e.scratch(4 * r.Batch), 4}
}

// turned says whether the library's matrix is the transpose of what the memory of a part has as rows.
func (r *routine) turned(p Part) bool { return p.Columns != r.wide }

// sizes are the rows and columns of a part's matrices.
func sizes(p Part) (rows, columns int64) {
	d := p.Shape.Dims
	return d[len(d)-2], d[len(d)-1]
}

// kernel makes a kernel with a thread t for each of n.
func (r *routine) kernel(name string, n int64, code func(b *body)) {
	b := newBody(r.e, n)
	b.threads(n)
	code(b)
	r.e.add(b.kernel(name, ceil(n, blockSize), blockSize))
}

// place writes the coordinates z, i and j of element t of matrices by rows, and returns where it lies in them, or in
// their transposes.
func place(b *body, rows, columns int64, turned bool) string {
	b.line("const %s z = t / %d, i = t / %d %% %d, j = t %% %d;", b.ix, rows*columns, columns, rows, columns)
	if turned {
		return b.integer(fmt.Sprintf("(z * %d + j) * %d + i", columns, rows))
	}
	return "t"
}

// flag notes which matrices are not finite, as far as they count.
func (r *routine) flag() {
	p := r.Operands[0]
	rows, columns := sizes(p)
	r.flags = r.e.scratch(4 * r.Batch)
	r.e.Steps = append(r.e.Steps, Step{Fill: &Fill{Dst: r.flags, Bytes: 4 * r.Batch}})
	r.kernel("not_finite", p.Shape.Size(), func(b *body) {
		place(b, rows, columns, false)
		if r.Routine == "syevd" {
			b.line("if (%s) return;", map[bool]string{true: "j < i", false: "j > i"}[r.Upper == p.Columns])
		}
		v := b.load(Buffer{Operand, p.Index}, p.Shape.Type, index{flat: "t", of: p.Shape.Dims})
		parts := []string{v.text}
		if v.t.IsComplex() {
			parts = []string{v.text + ".re", v.text + ".im"}
		}
		_, name := b.flagged(r.flags)
		for _, x := range parts {
			b.line("if (!(%s - %s == 0)) %s[z] = 1;", x, x, name)
		}
	})
}

// flagged returns the pointer to flags, to be written.
func (b *body) flagged(flags Buffer) (*param, string) {
	p, name := b.pointer(flags, "s32")
	p.written = true
	return p, name
}

// loaded returns the operand's matrices as the library takes them; those that are not finite are zero.
func (r *routine) loaded() Array {
	p := r.Operands[0]
	rows, columns := sizes(p)
	a := r.matrices(rows, columns)
	r.kernel("matrices_in", p.Shape.Size(), func(b *body) {
		to := place(b, rows, columns, r.turned(p))
		v := b.variable(b.load(Buffer{Operand, p.Index}, p.Shape.Type, index{flat: "t", of: p.Shape.Dims}))
		if r.flags != (Buffer{}) {
			b.line("if (%s) %s = {};", b.load(r.flags, shape.S32, index{flat: "z"}).text, v.text)
		}
		b.store(a.Buffer, to, v)
	})
	return *a
}

// stored writes the library's matrices as result i, or their adjoints. Of matrices that were not finite, eigenvectors
// are NaN and singular vectors zero.
func (r *routine) stored(i int, from Array, adjoint bool) {
	p := r.Results[i]
	rows, columns := sizes(p)
	r.kernel("matrices_out", p.Shape.Size(), func(b *body) {
		at := place(b, rows, columns, r.turned(p) != adjoint)
		v := b.variable(b.load(from.Buffer, p.Shape.Type, index{flat: at}))
		if adjoint && v.t.IsComplex() {
			b.line("%s.im = -%s.im;", v.text, v.text)
		}
		if r.flags != (Buffer{}) {
			text := "{}"
			if r.Routine == "syevd" {
				text = b.nan(p.Shape.Type)
			}
			b.line("if (%s) %s = %s;", b.load(r.flags, shape.S32, index{flat: "z"}).text, v.text, text)
		}
		b.store(r.result(i).Buffer, "t", v)
	})
}

// overwrite writes a value wherever the matrix was not finite.
func (r *routine) overwrite(to Buffer, s shape.Shape, value func(b *body) string) {
	r.kernel("overwrite", s.Size(), func(b *body) {
		f := b.load(r.flags, shape.S32, index{flat: b.integer(over("t", s.Size()/r.Batch))})
		b.open("if (%s) {", f.text)
		b.store(to, "t", valueOf(value(b), s.Type))
		b.close("}")
	})
}
