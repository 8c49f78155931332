package cpu

import (
	"context"
	"errors"

	"github.com/halo-xla/halo/backend/cpu/kernel"
	"github.com/halo-xla/halo/backend/cpu/scalar"
	"github.com/halo-xla/halo/xla/exec"
	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/shape"
)

// folder folds the arrays of several devices, element by element, from the first to the last.
type folder struct {
	from, to shape.ElementType // of the operands and of the computation
	program  *scalar.Program
	into     kernel.Into // does it without a program; nil: there is no such loop
}

// newFolder returns the folder of a computation for operands of type t.
func newFolder(c *hlo.Computation, t shape.ElementType) (*folder, error) {
	p, err := scalar.Compile(c)
	if err != nil {
		return nil, unsupportedComputation(c, err)
	}
	to := c.Root.Shape.Type
	return &folder{t, to, p, kernel.IntoOf(to, reducerOf(c, 1))}, nil
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

// foldTask is about how many elements a task folds.
const foldTask = 1 << 12

// whole sets dst to the fold of sources.
func (f *folder) whole(r *exec.Run, dst []byte, sources [][]byte) error {
	return f.pieces(r, int64(len(dst)), 1, func(_, from, end int64) error {
		return f.fold(r.Context(), dst[from:end], sources, from)
	})
}

// pieces does f on the pieces of n stripes of so many bytes of results, in tasks of like size.
func (f *folder) pieces(r *exec.Run, bytes, n int64, do func(stripe, from, end int64) error) error {
	wide := int64(f.to.Bytes())
	piece := min(bytes, foldTask*wide)
	if piece == 0 || n == 0 {
		return nil
	}
	each := (bytes + piece - 1) / piece // pieces of a stripe
	group := max(foldTask*wide/piece, 1)
	errs := make([]error, (each*n+group-1)/group)
	r.Parallel(int64(len(errs)), func(task int64) {
		for i := task * group; i < min((task+1)*group, each*n) && errs[task] == nil; i++ {
			from := i % each * piece
			errs[task] = do(i/each, from, min(from+piece, bytes))
		}
	})
	return errors.Join(errs...)
}

// fold sets dst to the fold of the elements that sources have from byte at of the results' on.
func (f *folder) fold(ctx context.Context, dst []byte, sources [][]byte, at int64) error {
	wide, narrow := int64(f.to.Bytes()), int64(f.from.Bytes())
	first, n := at/wide*narrow, int64(len(dst))/wide
	var machine *scalar.Machine
	for k, src := range sources {
		x := f.widen(src[first : first+n*narrow])
		switch {
		case k == 0:
			copy(dst, x)
			continue
		case f.into != nil:
			f.into(dst, x)
			continue
		case machine == nil:
			machine = f.program.Machine(ctx)
		}
		streams := []scalar.Stream{{Data: dst, Stride: wide}, {Data: x, Stride: wide}, {Data: dst, Stride: wide}}
		if err := machine.Apply(n, streams); err != nil {
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
	return converted(src, shape.Array(f.from, int64(len(src)/f.from.Bytes())), f.to)
}

// lowerAllReduce gives all members the fold of their operands. Rows 114 and 115.
func lowerAllReduce(l *exec.Lowering) (exec.Thunk, error) {
	folders, err := newFolders(l.In.Attrs.(*hlo.AllReduceAttrs).ToApply, l.In.OperandShapes())
	if err != nil {
		return nil, err
	}
	return newCollective(l, &collective{do: func(r *exec.Run, members []member) error {
		for i, f := range folders {
			if err := f.share(r, members, i); err != nil {
				return err
			}
		}
		return nil
	}}), nil
}

// share gives all members the fold of operand i, piece by piece while it is near.
func (f *folder) share(r *exec.Run, members []member, i int) error {
	sources, outs := column(members, i), results(members, i)
	return f.pieces(r, int64(len(outs[0])), 1, func(_, from, end int64) error {
		err := f.fold(r.Context(), outs[0][from:end], sources, from)
		for _, out := range outs[1:] {
			copy(out[from:end], outs[0][from:end])
		}
		return err
	})
}

// results returns result i of each member in this process.
func results(members []member, i int) [][]byte {
	var v [][]byte
	for _, m := range members {
		if !m.away {
			v = append(v, m.out[i])
		}
	}
	return v
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
	if s.Count == 0 {
		return nil
	}
	sources := column(members, i)
	block := int64(len(results(members, i)[0])) / s.Count // of a stripe's results
	var here []int
	_ = present(members, func(k int, _ member) error { here = append(here, k); return nil })
	return f.pieces(r, block, s.Count*int64(len(here)), func(stripe, from, end int64) error {
		k, j := here[stripe/s.Count], stripe%s.Count
		at := (j*int64(len(members))+int64(k))*block + from
		return f.fold(r.Context(), members[k].out[i][j*block+from:j*block+end], sources, at)
	})
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
			return present(members, func(place int, m member) error {
				places, err := roots.of(m, len(members))
				if err != nil {
					return err
				}
				for i, f := range folders {
					if places[i] != place {
						clear(m.out[i])
					} else if err := f.whole(r, m.out[i], column(members, i)); err != nil {
						return err
					}
				}
				return nil
			})
		},
	}), nil
}
