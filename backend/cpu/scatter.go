package cpu

import (
	"unsafe"

	"github.com/halo-xla/halo/backend/cpu/kernel"
	"github.com/halo-xla/halo/backend/cpu/scalar"
	"github.com/halo-xla/halo/cgo/loops/index"
	"github.com/halo-xla/halo/xla/exec"
	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// scatter is a scatter with its operands bound: n arrays, into which windows of n arrays of updates are folded.
type scatter struct {
	x                        kernel.Indexing
	inputs, updates, results []exec.Slice
	starts, places           exec.Slice
	from, to                 []shape.Shape // of the inputs and of the results, whose types may be wider
	updateShape              []int64
	reducer                  kernel.Reducer
	combines                 []kernel.Combine // by operand, if they do not depend on one another
	program                  *scalar.Program  // otherwise
}

func lowerScatter(l *exec.Lowering) (exec.Thunk, error) { return scatterWrapped(l, 0) }

// scatterWrapped lowers a scatter; wrap is added to indices below 0.
func scatterWrapped(l *exec.Lowering, wrap int64) (exec.Thunk, error) {
	a, n := attrsOf[*hlo.ScatterAttrs](l), len(l.In.Operands)/2
	s := &scatter{results: l.Results(), starts: l.Operand(n), updateShape: operandShape(l, n+1).Dims}
	for i := range n {
		s.inputs, s.updates = append(s.inputs, l.Operand(i)), append(s.updates, l.Operand(n+1+i))
		s.from = append(s.from, operandShape(l, i))
	}
	s.to = l.In.Shape.Leaves()
	s.x = scatterIndexing(a, s.to[0], operandShape(l, n), operandShape(l, n+1))
	s.x.Wrap = wrap
	if err := s.choose(a.ToApply); err != nil {
		return nil, err
	}
	if body, ok := s.native(); ok {
		uses := append(exec.Reads(append(append(s.inputs, s.updates...), s.starts)...), exec.Writes(s.results...)...)
		return recordThunk("loops scatter", uses, index.Scatter(body...)).overwriting(s.pairs()...), nil
	}
	s.places = l.Scratch(8 * s.x.Count)
	uses := append(exec.Reads(append(append(s.inputs, s.updates...), s.starts)...), exec.Writes(s.results...)...)
	return goThunk("go scatter", append(uses, exec.Writes(s.places)...), s.run).overwriting(s.pairs()...), nil
}

// scatterIndexing plans the windows of updates on the results.
func scatterIndexing(a *hlo.ScatterAttrs, result, starts, update shape.Shape) kernel.Indexing {
	d := kernel.IndexDims{Offset: a.UpdateWindowDims, Collapsed: a.InsertedWindowDims, Batching: a.InputBatchingDims,
		StartBatching: a.ScatterIndicesBatchingDims, StartMap: a.ScatterDimsToOperandDims, Vector: a.IndexVectorDim}
	hidden := map[int64]bool{}
	for _, h := range append(append([]int64(nil), d.Collapsed...), d.Batching...) {
		hidden[h] = true
	}
	sizes, k := make([]int64, len(result.Dims)), 0
	for i := range sizes {
		sizes[i] = 1
		if !hidden[int64(i)] {
			sizes[i] = update.Dims[d.Offset[k]]
			k++
		}
	}
	return kernel.NewIndexing(result.Type, d, result.Dims, starts.Dims, update.Dims, sizes, indexType(starts.Type))
}

// choose finds what folds the updates in: a loop for each operand, or a program for all.
func (s *scatter) choose(c *hlo.Computation) error {
	if r := reducerOf(c, len(s.inputs)); r != kernel.NoReducer {
		for _, t := range s.to {
			s.combines = append(s.combines, kernel.CombineOf(t.Type, r))
		}
		if s.combines[0] != nil {
			s.reducer = r
			return nil
		}
		s.combines = nil
	}
	var err error
	if s.program, err = scalar.Compile(c); err != nil {
		return unsupportedComputation(c, err)
	}
	return nil
}

// pairs are the results that may have the memory of an operand: one that nothing else is read from.
func (s *scatter) pairs() (list []exec.Pair) {
	reads := map[int32]int{s.starts.Slot: 1}
	for i := range s.inputs {
		reads[s.inputs[i].Slot]++
		reads[s.updates[i].Slot]++
	}
	for i, in := range s.inputs {
		if s.from[i].Type == s.to[i].Type && reads[in.Slot] == 1 {
			list = append(list, exec.Pair{Result: s.results[i].Slot, Operand: in.Slot})
		}
	}
	return list
}

func (s *scatter) run(r *exec.Run) error {
	updates := make([][]byte, len(s.inputs))
	for i := range s.inputs {
		if s.from[i].Type == s.to[i].Type {
			copyTo(r, s.results[i], s.inputs[i])
			updates[i] = r.Bytes(s.updates[i])
			continue
		}
		copy(r.Bytes(s.results[i]), converted(r.Bytes(s.inputs[i]), s.from[i], s.to[i].Type))
		updates[i] = converted(r.Bytes(s.updates[i]), shape.Array(s.from[i].Type, s.updateShape...), s.to[i].Type)
	}
	if s.program != nil {
		s.scatterInto(r, 0, updates, s.apply(r, updates))
	}
	for i, f := range s.combines {
		s.scatterInto(r, i, updates, func() kernel.Combine { return f })
	}
	return r.Cancelled()
}

// scatterInto scatters the updates of operand i.
func (s *scatter) scatterInto(r *exec.Run, i int, updates [][]byte, combine func() kernel.Combine) {
	x := s.x.Of(widthOf(s.to[i]))
	x.Scatter(r.Bytes(s.results[i]), updates[i], r.Bytes(s.starts), kernel.Cast[int64](r.Bytes(s.places)),
		int64(r.Threads()), combine, r.Parallel)
}

// apply returns what makes the Combine of a task: it runs the program, and knows from an element of the first operand
// which are those of the others.
func (s *scatter) apply(r *exec.Run, updates [][]byte) func() kernel.Combine {
	n := len(s.inputs)
	var dst, src unsafe.Pointer
	if len(updates[0]) > 0 && s.results[0].Size > 0 {
		dst, src = r.Address(s.results[0]), unsafe.Pointer(&updates[0][0])
	}
	width := widthOf(s.to[0])
	return func() kernel.Combine {
		m, streams := s.program.Machine(r.Context()), make([]scalar.Stream, 3*n)
		return func(d, u unsafe.Pointer, count, dstStep, srcStep int64) {
			to, from := (int64(uintptr(d))-int64(uintptr(dst)))/width, (int64(uintptr(u))-int64(uintptr(src)))/width
			for i := range n {
				w := widthOf(s.to[i])
				out := scalar.Stream{Data: r.Bytes(s.results[i]), At: to * w, Stride: dstStep / width * w}
				streams[i], streams[2*n+i] = out, out
				streams[n+i] = scalar.Stream{Data: updates[i], At: from * w, Stride: srcStep / width * w}
			}
			_ = m.Apply(count, streams) // fails only when the run is cancelled, which it reports itself
		}
	}
}

// converted returns elements in another type of the same class.
func converted(b []byte, s shape.Shape, t shape.ElementType) []byte {
	l, err := literal.FromBytes(shape.Array(s.Type, s.Dims...), b)
	if err == nil {
		l, err = literal.Convert(l, t)
	}
	if err != nil {
		panic("cpu: bug: " + err.Error())
	}
	return l.Bytes()
}

// copyTo copies src to dst unless they have the same memory.
func copyTo(r *exec.Run, dst, src exec.Slice) {
	if dst.Size == 0 || r.Address(dst) == r.Address(src) {
		return
	}
	m := kernel.NewMove(1, 0, 0, []kernel.Axis{{N: dst.Size, Dst: 1, Src: 1}})
	m.Run(r.Bytes(dst), r.Bytes(src), r.Parallel)
}
