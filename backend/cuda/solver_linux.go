//go:build cgo

package cuda

import (
	"errors"
	"sync"

	"github.com/halo-xla/halo/backend/cuda/emit"
	"github.com/halo-xla/halo/cgo/cusolver"
	"github.com/halo-xla/halo/customcall/lapack"
	"github.com/halo-xla/halo/xla/exec"
	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/shape"
)

// solver is the library of factorizations and decompositions, which is opened when a program first wants it.
type solver struct {
	lib   library[cusolver.Library]
	mu    sync.Mutex       // of sizes
	sizes *cusolver.Handle // is asked for sizes only
}

// work asks the library for the work space of p.
func (s *solver) work(d *device, p *cusolver.Problem) (w cusolver.Work, err error) {
	l, err := s.lib.of(d.kit)
	if err != nil {
		return w, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	err = d.Within(func() (err error) {
		if s.sizes == nil {
			s.sizes, err = l.NewHandle()
		}
		if err == nil {
			w, err = s.sizes.Work(p)
		}
		return err
	})
	return w, err
}

// close frees what s has on d.
func (s *solver) close(d *device) error {
	if s.sizes == nil {
		return nil
	}
	return d.Within(s.sizes.Close)
}

// lowerSolve returns the thunk of an instruction that the library does; nil if it does not, or is not there.
func (d *device) lowerSolve(l *exec.Lowering) (exec.Thunk, error) {
	problems := map[*emit.Solve]*solving{}
	space := func(x *emit.Solve) (int64, error) {
		p := problemOf(x)
		w, err := d.solver.work(d, &p)
		problems[x] = &solving{problem: p, size: w}
		return w.Device + workAlign, err
	}
	e, err := emitSolve(l, space)
	if errors.Is(err, errors.ErrUnsupported) || e == nil && err == nil {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	t := newThunk(l, e)
	for x, p := range problems {
		p.locate(t, x)
		t.kernel = "cusolver " + x.Routine
	}
	t.solves = problems
	return t, nil
}

// emitSolve returns what a library does of an instruction; nil if that is nothing.
func emitSolve(l *exec.Lowering, space emit.WorkSpace) (*emit.Emission, error) {
	a, ok := l.In.Attrs.(*hlo.CustomCallAttrs)
	if !ok {
		return emit.LowerCholesky(l.In, space)
	}
	if _, taken := l.Options().Handlers.(lapack.Handlers).Users(a.Target); taken || !lapack.Known(a.Target) ||
		l.In.IsDynamic() {
		return nil, nil
	}
	r, err := lapack.Compile(l.In, l.Constant)
	if err != nil || r.Problem == nil {
		return nil, nil // who else does the call says what is wrong with it
	}
	return emit.LowerSolve(solveCall(r), space)
}

// solveCall is a routine of LAPACK's as the emitter has it.
func solveCall(r *lapack.Routine) *emit.SolveCall {
	p := r.Problem
	c := &emit.SolveCall{Adjoint: p.Adjoint, Solve: emit.Solve{Routine: p.Routine, Type: r.Operands[0].Shape.Type, M: p.M,
		N: p.N, K: p.K, Batch: p.Batch, Vectors: p.Vectors, Upper: !p.Lower}}
	if p.Routine == "potrf" { // of the transpose, which the rows are
		c.Upper = p.Lower
	}
	for _, x := range r.Operands {
		c.Operands = append(c.Operands, emit.Part{Index: x.Index, Shape: x.Shape, Columns: x.Columns})
	}
	for _, x := range r.Results {
		c.Results = append(c.Results, emit.Part{Index: x.Index, Shape: x.Shape, Columns: x.Columns})
	}
	return c
}

var solverTypes = map[shape.ElementType]cusolver.Type{shape.F32: cusolver.F32, shape.F64: cusolver.F64,
	shape.C64: cusolver.C64, shape.C128: cusolver.C128}

var solverRoutines = map[string]cusolver.Routine{"potrf": cusolver.Potrf, "getrf": cusolver.Getrf,
	"geqrf": cusolver.Geqrf, "orgqr": cusolver.Orgqr, "syevd": cusolver.Syevd, "gesvd": cusolver.Gesvd}

func problemOf(x *emit.Solve) cusolver.Problem {
	return cusolver.Problem{Routine: solverRoutines[x.Routine], Type: solverTypes[x.Type], M: x.M, N: x.N, K: x.K,
		Upper: x.Upper, Vectors: x.Vectors}
}

// workAlign is how work space is aligned, in bytes.
const workAlign = 256

// solving is what the library does, with the host's help: it is never captured.
type solving struct {
	problem cusolver.Problem
	size    cusolver.Work
	batch   int64
	at      []exec.Slice // A, Vector, U, VT, Info and the work space
	step    cusolver.Arrays
}

// locate finds where the arrays of x lie.
func (s *solving) locate(t *thunk, x *emit.Solve) {
	u, vt := emit.Array{}, emit.Array{}
	slices := []exec.Slice{2: {Slot: exec.NoSlot}, 3: {Slot: exec.NoSlot}}
	at := func(a emit.Array) exec.Slice { return t.memory[a.Kind][a.Index] }
	if x.U != nil {
		u, vt = *x.U, *x.VT
		slices[2], slices[3] = at(u), at(vt)
	}
	slices[0] = at(x.A)
	slices[1] = exec.Slice{Slot: exec.NoSlot}
	if x.Routine != "potrf" {
		slices[1] = at(x.Vector)
	}
	s.at = append(slices, at(x.Info), t.memory[x.Work.Kind][x.Work.Index])
	s.batch = x.Batch
	s.step = cusolver.Arrays{A: uint64(x.A.Step), Vector: uint64(x.Vector.Step), U: uint64(u.Step),
		VT: uint64(vt.Step), Info: uint64(x.Info.Step)}
}

func (s *solving) run(_ *exec.Run, m *memory) error {
	p := m.all(s.at)
	at := cusolver.Arrays{A: uint64(p[0]), Vector: uint64(p[1]), U: uint64(p[2]), VT: uint64(p[3]), Info: uint64(p[4])}
	work := (uint64(p[5]) + workAlign - 1) / workAlign * workAlign
	return m.device.Within(func() error {
		h, err := m.solverHandle()
		if err != nil {
			return err
		}
		return h.Run(&s.problem, m.stream.Pointer(), s.batch, at, s.step, work, s.size)
	})
}

// solverHandle returns the handle of m, which one execution at a time uses. The context is current.
func (m *memory) solverHandle() (*cusolver.Handle, error) {
	if m.solver != nil {
		return m.solver, nil
	}
	l, err := m.device.solver.lib.of(m.device.kit)
	if err != nil {
		return nil, err
	}
	m.solver, err = l.NewHandle()
	return m.solver, err
}
