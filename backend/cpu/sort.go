package cpu

import (
	"errors"
	"fmt"
	"math"
	"math/bits"

	"github.com/halo-xla/halo/backend/cpu/kernel"
	"github.com/halo-xla/halo/backend/cpu/scalar"
	"github.com/halo-xla/halo/cgo/loops/run"
	native "github.com/halo-xla/halo/cgo/loops/sort"
	"github.com/halo-xla/halo/xla/exec"
	"github.com/halo-xla/halo/xla/hlo"
)

// sort is a sort with its operands bound.
type sort struct {
	kernel.Sorter
	src, dst []exec.Slice
	keys     []sortKey
	keyData  []exec.Slice    // by key; Size 0 if the keys are an operand's elements
	less     *scalar.Program // the comparator; nil if keys always have an order
}

func lowerSort(l *exec.Lowering) (exec.Thunk, error) {
	a, dims := attrsOf[*hlo.SortAttrs](l), operandShape(l, 0).Dims
	dim := int(a.Dimension)
	if dim < 0 {
		dim += max(len(dims), 1)
	}
	s := &sort{Sorter: kernel.Sorter{Rows: kernel.RowsOf(dims, dim)}, dst: l.Results()}
	if s.N > math.MaxInt32 {
		return nil, fmt.Errorf("sorting %d elements in a row: %w", s.N, errors.ErrUnsupported)
	}
	for i := range l.In.Operands {
		s.src, s.Width = append(s.src, l.Operand(i)), append(s.Width, widthOf(operandShape(l, i)))
	}
	s.keys, _ = sortKeys(a.ToApply)
	uses := append(exec.Reads(s.src...), exec.Writes(s.dst...)...)
	for _, k := range s.keys {
		var data exec.Slice
		if n := k.keyBytes(s.N * s.Count); n > 0 {
			data = l.Scratch(n)
			uses = append(uses, exec.Writes(data)...)
		}
		s.keyData = append(s.keyData, data)
	}
	if err := s.compile(a.ToApply); err != nil {
		return nil, err
	}
	if s.native() {
		scratch := l.Scratch(s.rows().ScratchBytes())
		return recordThunk("loops sort", append(uses, exec.Writes(scratch)...), s.record(scratch)), nil
	}
	return goThunk("go sort", uses, s.run), nil
}

// native reports whether there is a native kernel: not for floats of a byte as keys and for some programs.
func (s *sort) native() bool {
	if !run.Available() || s.less != nil && !s.less.Native() {
		return false
	}
	for _, k := range s.keys {
		if !k.native() {
			return false
		}
	}
	return true
}

func (k sortKey) native() bool {
	return !k.isSmall() && (k.program == nil || k.program.Native())
}

func (s *sort) rows() native.Rows { return native.Rows(s.Rows) }

// record makes the record of the sort.
func (s *sort) record(scratch exec.Slice) run.Record {
	arrays, keys, less := make([]native.Array, len(s.src)), make([]native.Key, len(s.keys)), []byte(nil)
	for i := range arrays {
		arrays[i] = native.Array{Dst: ref(s.dst[i]), Src: ref(s.src[i]), Width: s.Width[i]}
	}
	for i, k := range s.keys {
		keys[i] = nativeKey(k)
		keys[i].Data = ref(s.keyData[i])
	}
	if s.less != nil {
		less = s.less.Pack()
	}
	return s.rows().Sort(run.Level(), arrays, keys, less, ref(scratch))
}

// nativeKey returns k as the native kernel takes it, but for its memory.
func nativeKey(k sortKey) native.Key {
	n := native.Key{Operand: k.operand, Flags: flagsOf(k.SortKey), LogWidth: bits.TrailingZeros(uint(k.Type.Bytes()))}
	if k.Type.IsFloat() {
		n.Infinity = (1<<k.Type.ExponentBits() - 1) << k.Type.MantissaBits()
	}
	if k.program != nil {
		n.Program = k.program.Pack()
	}
	return n
}

// flagsOf returns k as the native kernel takes it.
func flagsOf(k kernel.SortKey) (f native.Flags) {
	for _, x := range []struct {
		is bool
		f  native.Flags
	}{{k.Type.IsFloat(), native.Float}, {k.Type.IsSigned(), native.Signed}, {k.Total, native.Total},
		{k.Zeros, native.Zeros}, {k.NaNs, native.NaNs}, {k.Descending, native.Descending}} {
		if x.is {
			f |= x.f
		}
	}
	return f
}

// compile makes the program of the comparator if it may be needed.
func (s *sort) compile(c *hlo.Computation) error {
	ordered := len(s.keys) > 0
	for _, k := range s.keys {
		ordered = ordered && (!k.Type.IsFloat() || k.Total)
	}
	if ordered {
		return nil
	}
	var err error
	if s.less, err = scalar.Compile(c); err != nil {
		return unsupportedComputation(c, err)
	}
	return nil
}

func (s *sort) run(r *exec.Run) error {
	src, dst := make([][]byte, len(s.src)), make([][]byte, len(s.src))
	for i := range src {
		src[i], dst[i] = r.Bytes(s.src[i]), r.Bytes(s.dst[i])
	}
	keys := make([]kernel.KeyedBy, len(s.keys))
	for i, k := range s.keys {
		keys[i] = kernel.KeyedBy{SortKey: k.SortKey}
		if k.program == nil {
			keys[i].Data = src[k.operand]
			continue
		}
		keys[i].Data = r.Bytes(s.keyData[i])
		if err := s.makeKeys(r, k.program, src, keys[i].Data); err != nil {
			return err
		}
	}
	work := s.Sorter
	work.NewLess = func(start int64) kernel.Less { return s.newLess(r, src, start) }
	work.Sort(dst, src, keys, r.Parallel)
	return r.Cancelled()
}

// keyPart is the number of elements of which a task makes keys.
const keyPart = 1 << 12

// makeKeys runs p on all elements.
func (s *sort) makeKeys(r *exec.Run, p *scalar.Program, src [][]byte, keys []byte) error {
	n := s.N * s.Count
	r.Parallel((n+keyPart-1)/keyPart, func(task int64) {
		streams := make([]scalar.Stream, len(p.Params)+1)
		for i, leaf := range append(append([]scalar.Leaf(nil), p.Params...), p.Results...) {
			w := leaf.Bytes()
			streams[i] = scalar.Stream{Data: keys, At: task * keyPart * w, Stride: w}
			if i < len(p.Params) {
				streams[i].Data = src[i/2]
			}
		}
		_ = p.Machine(r.Context()).Apply(min(keyPart, n-task*keyPart), streams) // the run reports that it is cancelled
	})
	return r.Cancelled()
}

// newLess returns the comparator of elements of the row that begins at start. Once the run is cancelled it says no.
func (s *sort) newLess(r *exec.Run, src [][]byte, start int64) kernel.Less {
	m, stride, calls := s.less.Machine(r.Context()), s.Stride, 0
	cancelled := false
	return func(a, b int32) bool {
		if calls++; calls&0xfff == 0 {
			cancelled = r.Cancelled() != nil
		}
		return !cancelled && m.Less(src, start+int64(a)*stride, start+int64(b)*stride)
	}
}
