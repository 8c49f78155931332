package cpu

import (
	"slices"

	"github.com/halo-xla/halo/backend/cpu/straight"
	"github.com/halo-xla/halo/cgo/loops/run"
	"github.com/halo-xla/halo/xla/exec"
)

// lowerElementwise lowers one instruction on elements, a map included.
func lowerElementwise(l *exec.Lowering) (exec.Thunk, error) {
	f := newFused(l, append([]int64(nil), l.In.Shape.Dims...))
	for i, o := range l.In.Operands {
		f.leaves[o] = l.Operand(i)
	}
	n, err := f.addNew(l.In, f.identity())
	if err != nil {
		return nil, err
	}
	f.roots = []int{n}
	return f.thunk([]exec.Slice{l.Result()}), nil
}

// thunk returns what runs f and writes results; nil if nothing does, which is so for reductions only.
func (f *fused) thunk(results []exec.Slice) exec.Thunk {
	f.merge()
	uses := append(exec.Reads(f.inputs...), exec.Writes(results...)...)
	if t := f.native(uses, results); t != nil {
		return t.overwriting(f.pairs(results)...)
	}
	if f.reduces {
		return nil
	}
	return goThunk("go elementwise", uses, f.run(results)).overwriting(f.pairs(results)...)
}

// native returns the thunk that runs f in C, or nil. Wider lanes are tried where those of a byte do not do, unless
// lanes had to be wide in the first place.
func (f *fused) native(uses []exec.Use, results []exec.Slice) *thunk {
	if !run.Available() {
		return nil
	}
	for f.narrow = true; ; f.narrow = false {
		nodes, roots := slices.Clone(f.nodes), slices.Clone(f.roots)
		if t := f.inLanes(uses, results); t != nil {
			return t
		}
		wide := f.lane() > 1
		f.nodes, f.roots, f.rootParts, f.paired = nodes, roots, nil, false // as the other half knows them
		if wide {
			return nil
		}
	}
}

// inLanes is native with lanes as wide as lane says.
func (f *fused) inLanes(uses []exec.Use, results []exec.Slice) *thunk {
	f.useIdioms()
	f.useChoices()
	if !f.reduces {
		f.useProducts()
	}
	if split, ok := f.takeApart(results); ok {
		return f.recorded(uses, split)
	}
	return nil
}

// recorded returns the thunk of f as rows or as places that are all alike, or nil.
func (f *fused) recorded(uses []exec.Use, results []exec.Slice) *thunk {
	if !f.paired && f.inRows() {
		if p, ok := f.rowProgram(results); ok {
			return recordThunk("loops "+p.Kernel(), uses, p.Record(p.Level(run.Level())))
		}
	}
	if f.reduces || f.out != nil {
		return nil
	}
	f.rows = false
	f.useMixes()
	p, ok := f.program(results)
	if !ok {
		return nil
	}
	p.Made = straight.Make(p, run.Level())
	return recordThunk("loops pipeline", uses, p.Record(run.Level()))
}

// pairs lists the results that may have the memory of an input.
func (f *fused) pairs(results []exec.Slice) []exec.Pair {
	if f.rootParts != nil {
		return nil
	}
	var pairs []exec.Pair
	for i, r := range f.roots {
		for _, in := range f.overwritable(f.nodes[r].t.Bytes()) {
			x := f.inputs[in]
			early := f.lastRead != nil && f.lastRead[in] > f.storedAt[i]
			if x.Size == results[i].Size && x.Offset == 0 && results[i].Offset == 0 && !early {
				pairs = append(pairs, exec.Pair{Result: results[i].Slot, Operand: f.inputs[in].Slot})
			}
		}
	}
	return pairs
}

// run is the Go half.
func (f *fused) run(results []exec.Slice) func(r *exec.Run) error {
	p, inputs := f.tileProgram(), f.inputs
	return func(r *exec.Run) error {
		in, out := memoryOf(r, inputs), memoryOf(r, results)
		if p.Tasks() == 1 {
			p.Run(0, in, out)
			return nil
		}
		r.Parallel(p.Tasks(), func(i int64) { p.Run(i, in, out) })
		return r.Cancelled()
	}
}
