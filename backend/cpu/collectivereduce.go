package cpu

import (
	"fmt"

	"github.com/halo-xla/halo/backend/cpu/kernel"
	"github.com/halo-xla/halo/backend/cpu/scalar"
	"github.com/halo-xla/halo/xla/exec"
	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// folder folds the arrays of several devices, element by element, from the first to the last.
type folder struct {
	from, to shape.ElementType // of the operands and of the computation
	program  *scalar.Program
}

// newFolder returns the folder of a computation for operands of type t.
func newFolder(c *hlo.Computation, t shape.ElementType) (*folder, error) {
	p, err := scalar.Compile(c)
	if err != nil {
		return nil, fmt.Errorf("computation %s: %w", c.Name, err)
	}
	return &folder{t, c.Root.Shape.Type, p}, nil
}

// newFolders returns a folder for each operand.
func newFolders(c *hlo.Computation, shapes []shape.Shape) ([]*folder, error) {
	v := make([]*folder, len(shapes))
	for i, s := range shapes {
		var err error
		if v[i], err = newFolder(c, s.Type); err != nil {
			return nil, err
		}
	}
	return v, nil
}

// foldTask is how many elements a task folds.
const foldTask = 1 << 12

// fold sets dst to the fold of the elements that sources have from byte at on.
func (f *folder) fold(r *exec.Run, dst []byte, sources [][]byte, at int64) error {
	wide := int64(f.to.Bytes())
	n := int64(len(dst)) / wide
	tasks := (n + foldTask - 1) / foldTask
	errs := make([]error, tasks)
	r.Parallel(tasks, func(i int64) {
		first, end := i*foldTask, min((i+1)*foldTask, n)
		part := dst[first*wide : end*wide]
		machine := f.program.Machine(r.Context())
		for k, src := range sources {
			bytes := int64(f.from.Bytes())
			x := f.widen(src[at+first*bytes : at+end*bytes])
			if k == 0 {
				copy(part, x)
				continue
			}
			streams := []scalar.Stream{{Data: part, Stride: wide}, {Data: x, Stride: wide}, {Data: part, Stride: wide}}
			if err := machine.Apply(end-first, streams); err != nil {
				errs[i] = err
				return
			}
		}
	})
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// widen converts elements to the computation's type.
func (f *folder) widen(src []byte) []byte {
	if f.from == f.to {
		return src
	}
	l, err := literal.FromBytes(shape.Array(f.from, int64(len(src)/f.from.Bytes())), src)
	if err == nil {
		l, err = literal.Convert(l, f.to)
	}
	if err != nil {
		panic("cpu: bug: " + err.Error())
	}
	return l.Bytes()
}

// lowerAllReduce gives all members the fold of their operands. Rows 114 and 115.
func lowerAllReduce(l *exec.Lowering) (exec.Thunk, error) {
	folders, err := newFolders(l.In.Attrs.(*hlo.AllReduceAttrs).ToApply, l.In.OperandShapes())
	if err != nil {
		return nil, err
	}
	return newCollective(l, &collective{do: func(r *exec.Run, members []member) error {
		for i, f := range folders {
			if err := f.fold(r, members[0].out[i], column(members, i), 0); err != nil {
				return err
			}
			for _, m := range members[1:] {
				copy(m.out[i], members[0].out[i])
			}
		}
		return nil
	}}), nil
}

// lowerReduceScatter gives member k block k of the fold. Row 118.
func lowerReduceScatter(l *exec.Lowering) (exec.Thunk, error) {
	a, shapes := l.In.Attrs.(*hlo.ReduceScatterAttrs), l.In.OperandShapes()
	folders, err := newFolders(a.ToApply, shapes)
	if err != nil {
		return nil, err
	}
	d := int(a.Dimension)
	stripes := stripesOf(shapes, d)
	return newCollective(l, &collective{
		check: func(size int) error {
			if err := checkDivides(shapes, d, size); err != nil { // row 118
				return err
			}
			return checkMembers(shapes, resultShapes(l.In), d, size)
		},
		do: func(r *exec.Run, members []member) error {
			for i, f := range folders {
				if err := f.scatter(r, members, i, stripes[i]); err != nil {
					return err
				}
			}
			return nil
		},
	}), nil
}

// scatter gives member k block k of the fold of operand i, whose stripes are s.
func (f *folder) scatter(r *exec.Run, members []member, i int, s kernel.Stripes) error {
	sources, width := column(members, i), s.Width/int64(len(members))
	for k, m := range members {
		to := int64(len(m.out[i]))
		if s.Count > 0 {
			to /= s.Count
		}
		for j := range s.Count {
			if err := f.fold(r, m.out[i][j*to:(j+1)*to], sources, j*s.Width+int64(k)*width); err != nil {
				return err
			}
		}
	}
	return nil
}

// lowerCollectiveReduce gives the root of each operand the fold, and the others zeros.
func lowerCollectiveReduce(l *exec.Lowering) (exec.Thunk, error) {
	a := l.In.Attrs.(*hlo.CollectiveReduceAttrs)
	roots := newRoots(l, a.HasDynamicRoot)
	folders, err := newFolders(a.ToApply, l.In.OperandShapes()[:roots.operands])
	if err != nil {
		return nil, err
	}
	return newCollective(l, &collective{
		alone: zeros,
		do: func(r *exec.Run, members []member) error {
			for place, m := range members {
				places, err := roots.of(m, len(members))
				if err != nil {
					return err
				}
				for i, f := range folders {
					if places[i] != place {
						clear(m.out[i])
					} else if err := f.fold(r, m.out[i], column(members, i), 0); err != nil {
						return err
					}
				}
			}
			return nil
		},
	}), nil
}
