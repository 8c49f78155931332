// Package lapack serves the custom calls of linear algebra that JAX and TensorFlow write into programs: LAPACK's names
// of today and of older releases, and those of GPU and TPU libraries with the same meaning, so that a program exported
// for such a machine runs here too.
//
// OpenBLAS computes where it is installed. Without it Go code does for what programs use most, and the rest is refused
// when a program is compiled.
package lapack

import (
	"errors"
	"fmt"
	"math"

	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// Routine is a custom call that is ready to run. It is immutable and safe for concurrent use.
type Routine struct {
	// Kernel says what computes: "openblas getrf".
	Kernel string
	// Operands and Results are the arrays that Run takes and gives, in order.
	Operands, Results []Part
	// Problem is what is done, for who has another way to do it; nil for what has none.
	Problem *Problem
	batch   int64
	step    step
	many    many // nil: step does one after the other
}

// Problem is what a routine does with Batch matrices M by N. The routines are LAPACK's, with results in its order: the
// matrix, then pivots, factors, eigenvalues or singular values, then the vectors U and VT, then info, which may be
// missing.
type Problem struct {
	// Routine is potrf, getrf, geqrf, orgqr, syevd or gesvd.
	Routine     string
	M, N, Batch int64
	// K is how many reflectors orgqr gets; its second operand may have more factors.
	K int64
	// Lower says which triangle of the row-major matrix potrf takes, and which of the column-major one syevd.
	Lower bool
	// Vectors is, for syevd and gesvd, which vectors are wanted: 'A' or, for syevd, 'V' for all, 'S' for the first, 'N'
	// for none.
	Vectors byte
	// Adjoint says that gesvd gives V in place of VT.
	Adjoint bool
}

// Part is an operand or a result of a call.
type Part struct {
	// Index is its number among the operands or results of the call.
	Index int
	// Shape is its shape, without a layout.
	Shape shape.Shape
	// Columns says that its matrices are column-major for Run; else all of it is row-major.
	Columns bool
	// Same is the number, among the Operands of the routine, of the one whose bytes Run wants in a result, or may find
	// there already; -1: none.
	Same int
	each int64 // bytes of one of the batch; 0: all of it belongs to each
}

// step computes one of a batch. in and out are the bytes of operands and results.
type step func(in, out [][]byte)

// many computes count of a batch that lie one behind the other. out are the bytes of their results.
type many func(out [][]byte, count int)

// Run computes: operands and results are the bytes of the parts. parallel runs f for 0 to n-1, possibly at once. A
// result may have the memory of the operand that its Same says.
func (r *Routine) Run(parallel func(n int64, f func(i int64)), operands, results [][]byte) {
	for i, p := range r.Results {
		if p.Same < 0 {
			clear(results[i])
		} else if len(results[i]) > 0 && &results[i][0] != &operands[p.Same][0] {
			copy(results[i], operands[p.Same])
		}
	}
	if r.batch == 1 {
		r.step(operands, results)
		return
	}
	if r.many != nil {
		each := r.perTask()
		parallel((r.batch+each-1)/each, func(task int64) {
			from, to := task*each, min((task+1)*each, r.batch)
			r.many(some(r.Results, results, from, to), int(to-from))
		})
		return
	}
	parallel(r.batch, func(b int64) {
		r.step(some(r.Operands, operands, b, b+1), some(r.Results, results, b, b+1))
	})
}

// perTask is how many matrices are done one after the other: more of small ones.
func (r *Routine) perTask() int64 {
	size := max(r.Operands[0].each/4, 1)
	return max(min(1<<14/(size*size), 64), 1)
}

// some returns what of each part belongs to the batch's elements from one to before another.
func some(parts []Part, data [][]byte, from, to int64) [][]byte {
	out := make([][]byte, len(parts))
	for i, p := range parts {
		if out[i] = data[i]; p.each > 0 {
			out[i] = data[i][from*p.each : to*p.each]
		}
	}
	return out
}

// Known reports whether target is one of this package, even if it cannot be served here.
func Known(target string) bool {
	_, ok := targets[target]
	return ok
}

// Compile makes call ready. constant returns the value of an operand if it is known, else nil: older targets have
// scalars for sizes and flags. It fails with errors.ErrUnsupported and a sentence if this build or machine cannot
// serve the call, and with what is wrong if its shapes, layouts or attributes are.
func Compile(call *hlo.Instruction, constant func(i int) *literal.Literal) (*Routine, error) {
	name := call.Attrs.(*hlo.CustomCallAttrs).Target
	t, ok := targets[name]
	if !ok {
		return nil, fmt.Errorf("custom call %q is none of linear algebra: %w", name, errors.ErrUnsupported)
	}
	s, err := newSite(call, t, constant)
	if err == nil {
		s.step, err = s.build()
	}
	if err == nil {
		err = s.wrong
	}
	if err != nil {
		return nil, fmt.Errorf("custom call %q: %w", name, err)
	}
	return s.routine(), nil
}

// build finds the function of the family for the type of the elements.
func (s *site) build() (step, error) {
	f := families[s.target.family]
	b := f[s.element]
	if b == nil {
		return nil, fmt.Errorf("operand %d is of %s, want f32, f64, c64 or c128", s.target.scalars, s.element)
	}
	return b(s)
}

// tooLarge is an error if LAPACK's 32-bit integers do not hold what a matrix m by n needs.
func tooLarge(m, n int64) error {
	if most := int64(math.MaxInt16 - 8); m > math.MaxInt32 || n > math.MaxInt32 || min(m, n) > most {
		return fmt.Errorf("a matrix %d by %d is larger than LAPACK takes, %d: %w", m, n, most, errors.ErrUnsupported)
	}
	return nil
}
