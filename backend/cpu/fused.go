package cpu

import (
	"errors"
	"fmt"
	"slices"

	"github.com/halo-xla/halo/backend/cpu/tile"
	"github.com/halo-xla/halo/cgo/loops/pipeline"
	"github.com/halo-xla/halo/xla/exec"
	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// fused is a computation on elements: each result's element at a place of a space comes from elements of the operands
// at places that depend on it linearly. Both halves of the engine, C and Go, run it tile by tile.
type fused struct {
	dims   []int64 // of the space
	nodes  []node  // operands before users
	roots  []int   // the nodes of the results
	inputs []exec.Slice
	leaves map[*hlo.Instruction]exec.Slice
	pack   func([]byte) exec.Slice
	seen   map[string]int
	// rows says that the first lead dimensions count rows, reduces that there are values of rows that are reduced.
	rows, reduces bool
	narrow        bool // bytes and predicates by themselves have lanes of a byte
	lead          int
	byRow         []bool        // of the results: they have an element for each row; nil: none has
	out           *tile.Access  // of the one result, if that is part of a larger array
	ends          pipeline.Edge // of its rows, if they are overwritten
	rootParts     []component   // which parts of complex results the roots are; nil: there are none
	paired        bool          // complex arrays in the order of the space are streams of pairs
	// lastRead is the last sweep over a row that reads an input, storedAt the one that stores a result; nil: there is one.
	lastRead, storedAt []int
}

func (f *fused) rootByRow(i int) bool { return f.byRow != nil && f.byRow[i] }

// node is one operation on elements, an input or a constant.
type node struct {
	// op is Parameter for an element of an input, Iota for one of the numbers of access, Constant for value, Reduce for
	// what the elements of a row come to; otherwise in says what it is.
	op     hlo.Opcode
	in     *hlo.Instruction
	stage  string // what computes it in the pipeline, if that is not its op's
	imm    int    // the stage's small number
	mixed  int    // of the stage mix: the node of the sum that it leaves in memory
	t      shape.ElementType
	args   []int
	input  int
	part   component // of a complex input's elements
	access tile.Access
	value  *literal.Literal
}

// constantNode is a node of a value.
func constantNode(value *literal.Literal) node {
	return node{op: hlo.Constant, t: value.Shape().Type, value: value}
}

// view says which element of an array a place of the space means: one with a multi-index that depends on the place's
// linearly. dims are those of the array or, as long as that makes no difference, of a reshape of it.
type view struct {
	dims []int64
	axes []tile.Access // of each dimension, in its own unit
}

// maxNodes bounds the operations of a computation on elements.
const maxNodes = 4096

func unsupported(format string, args ...any) error {
	return fmt.Errorf("backend cpu: %w: %s", errors.ErrUnsupported, fmt.Sprintf(format, args...))
}

// newFused begins a computation over the space dims.
func newFused(l *exec.Lowering, dims []int64) *fused {
	return &fused{dims: dims, leaves: map[*hlo.Instruction]exec.Slice{}, pack: l.Pack, seen: map[string]int{}}
}

// identity is the view of an array with the sizes of the space.
func (f *fused) identity() view {
	v := view{f.dims, make([]tile.Access, len(f.dims))}
	for i := range v.axes {
		v.axes[i].Strides = make([]int64, len(f.dims))
		v.axes[i].Strides[i] = 1
	}
	return v
}

// add adds the elements of in that v means and returns their node.
func (f *fused) add(in *hlo.Instruction, v view) (int, error) {
	key := fmt.Sprintf("%p %v", in, f.place(v))
	if n, ok := f.seen[key]; ok {
		return n, nil
	}
	n, err := f.addNew(in, v)
	if err != nil {
		return 0, err
	}
	f.seen[key] = n
	return n, nil
}

// place is the access of v where dimensions of size 1 make no difference: views of an array with the same one mean the
// same elements.
func (f *fused) place(v view) tile.Access {
	a := f.access(v)
	for d, n := range f.dims {
		if n == 1 {
			a.Strides[d] = 0
		}
	}
	return a
}

func (f *fused) addNew(in *hlo.Instruction, v view) (int, error) {
	if slice, ok := f.leaves[in]; ok {
		return f.leaf(slice, in.Shape.Type, v)
	}
	switch in.Op {
	case hlo.Constant:
		return f.constant(in.Attrs.(*hlo.ConstantAttrs).Literal, v)
	case hlo.Iota:
		v, err := v.as(in.Shape.Dims)
		if err != nil {
			return 0, err
		}
		a := sum(tile.Access{Strides: make([]int64, len(f.dims))}, v.axes[in.Attrs.(*hlo.IotaAttrs).Dimension], 1)
		return f.node(node{op: hlo.Iota, t: in.Shape.Type, access: a})
	case hlo.Copy, hlo.Reshape, hlo.OptimizationBarrier:
		return f.add(in.Operands[0], v)
	case hlo.Reduce:
		return f.reduction(in, v)
	}
	if move := moves[in.Op]; move != nil {
		v, err := v.as(in.Shape.Dims)
		if err != nil {
			return 0, err
		}
		return f.add(in.Operands[0], move(in, v))
	}
	return f.operation(in, v)
}

// operation adds an elementwise instruction and its operands.
func (f *fused) operation(in *hlo.Instruction, v view) (int, error) {
	if !hasStep(in) {
		return 0, unsupported("%s is no operation on elements", in.Op)
	}
	args := make([]int, len(in.Operands))
	for i, o := range in.Operands {
		at := v
		if o.Shape.IsScalar() {
			at = view{}
		}
		var err error
		if args[i], err = f.add(o, at); err != nil {
			return 0, err
		}
	}
	return f.apply(in, args)
}

// apply adds an instruction on elements whose operands are known.
func (f *fused) apply(in *hlo.Instruction, args []int) (int, error) {
	if in.Op == hlo.Map {
		return f.inline(in.Attrs.(*hlo.MapAttrs).ToApply, args)
	}
	return f.node(node{op: in.Op, in: in, t: in.Shape.Type, args: args})
}

// inline adds what a computation on scalars does with args.
func (f *fused) inline(c *hlo.Computation, args []int) (int, error) {
	values := map[*hlo.Instruction]int{}
	for _, in := range c.Instructions {
		var n int
		var err error
		switch {
		case in.Op == hlo.Parameter:
			n = args[in.Attrs.(*hlo.ParameterAttrs).Number]
		case in.Op == hlo.Constant && in.Shape.IsScalar():
			n, err = f.constant(in.Attrs.(*hlo.ConstantAttrs).Literal, view{})
		case slices.Contains(renaming, in.Op) && in.Shape.IsScalar() && in.Operands[0].Shape.IsScalar():
			n = values[in.Operands[0]]
		case hasStep(in) && in.Shape.IsScalar():
			operands := make([]int, len(in.Operands))
			for i, o := range in.Operands {
				operands[i] = values[o]
			}
			n, err = f.apply(in, operands)
		default:
			err = unsupported("map calls %s", in.Op)
		}
		if err != nil {
			return 0, err
		}
		values[in] = n
	}
	return values[c.Root], nil
}

// renaming are the ops that do nothing to a scalar.
var renaming = []hlo.Opcode{hlo.Copy, hlo.Broadcast, hlo.Reshape, hlo.Transpose, hlo.Reverse, hlo.OptimizationBarrier}

func (f *fused) node(n node) (int, error) {
	if len(f.nodes) == maxNodes {
		return 0, unsupported("a fusion of more than %d operations", maxNodes)
	}
	f.nodes = append(f.nodes, n)
	return len(f.nodes) - 1, nil
}

// leaf adds elements of an array in memory.
func (f *fused) leaf(slice exec.Slice, t shape.ElementType, v view) (int, error) {
	input := slices.Index(f.inputs, slice)
	if input < 0 {
		input = len(f.inputs)
		f.inputs = append(f.inputs, slice)
	}
	return f.node(node{op: hlo.Parameter, t: t, input: input, access: f.access(v)})
}

// access returns where the element that v means lies, in elements from the array's first.
func (f *fused) access(v view) tile.Access {
	a := tile.Access{Strides: make([]int64, len(f.dims))}
	unit := int64(1)
	for d := len(v.dims) - 1; d >= 0; d-- {
		a = sum(a, v.axes[d], unit)
		unit *= v.dims[d]
	}
	return a
}

// sum returns a + b*times.
func sum(a, b tile.Access, times int64) tile.Access {
	s := tile.Access{Offset: a.Offset + b.Offset*times, Strides: make([]int64, max(len(a.Strides), len(b.Strides)))}
	copy(s.Strides, a.Strides)
	for i, n := range b.Strides {
		s.Strides[i] += n * times
	}
	return s
}

// constant adds a literal: as a value if its elements are all the same, else as an input.
func (f *fused) constant(l *literal.Literal, v view) (int, error) {
	l = l.RowMajor()
	t := l.Shape().Type
	size, data := t.Bytes(), l.Bytes()
	if len(data) == 0 {
		return f.node(constantNode(literal.Zero(t)))
	}
	for i := size; i < len(data); i += size {
		if string(data[i:i+size]) != string(data[:size]) {
			return f.leaf(f.pack(data), t, v)
		}
	}
	one, err := literal.FromBytes(shape.Array(t), data[:size])
	if err != nil {
		return 0, err
	}
	return f.node(constantNode(one))
}

// merge makes the space as flat as the accesses allow: dimensions of size 1 go, and neighbours that all streams walk
// through in one stride become one.
func (f *fused) merge() {
	var all []*tile.Access
	for i := range f.nodes {
		if f.nodes[i].access.Strides != nil {
			all = append(all, &f.nodes[i].access)
		}
	}
	if f.out != nil {
		all = append(all, f.out)
	}
	for d := len(f.dims) - 1; d >= 0; d-- {
		last := d == len(f.dims)-1 || f.rows && d == f.lead-1
		one := f.dims[d] == 1
		flat := !last && !slices.ContainsFunc(all, func(a *tile.Access) bool {
			return a.Strides[d] != a.Strides[d+1]*f.dims[d+1]
		})
		switch {
		case one:
			f.drop(d, all)
		case flat:
			f.dims[d+1] *= f.dims[d]
			f.drop(d, all)
		}
	}
}

// drop removes dimension d of the space.
func (f *fused) drop(d int, all []*tile.Access) {
	f.dims = slices.Delete(f.dims, d, d+1)
	if d < f.lead {
		f.lead--
	}
	for _, a := range all {
		a.Strides = slices.Delete(a.Strides, d, d+1)
	}
}

// inOrder reports whether an access walks an array in the order of dims.
func inOrder(dims []int64, a tile.Access) bool {
	unit := int64(1)
	for d := len(dims) - 1; d >= 0; d-- {
		if a.Strides[d] != unit {
			return false
		}
		unit *= dims[d]
	}
	return a.Offset == 0
}

// overwritable lists the inputs that are read in the order of the space only, by elements of the given bytes, and
// before the first result is written: one may have their memory.
func (f *fused) overwritable(bytes int) []int {
	ok := make([]bool, len(f.inputs))
	for i := range ok {
		ok[i] = true
	}
	for _, n := range f.nodes {
		if n.op == hlo.Parameter && (!inOrder(f.dims, n.access) || n.t.Bytes() != bytes) {
			ok[n.input] = false
		}
	}
	for _, r := range f.roots {
		if n := f.nodes[r]; n.op == hlo.Parameter && len(f.roots) > 1 {
			ok[n.input] = false
		}
	}
	var list []int
	for i := range ok {
		if ok[i] {
			list = append(list, i)
		}
	}
	return list
}

// moves are the ops that only choose elements: they make the view of their operand of that of their result.
var moves = [hlo.NumOps]func(in *hlo.Instruction, v view) view{
	hlo.Broadcast: func(in *hlo.Instruction, v view) view {
		out := view{dims: in.Operands[0].Shape.Dims}
		for _, d := range in.Attrs.(*hlo.BroadcastAttrs).Dimensions {
			out.axes = append(out.axes, v.axes[d])
		}
		return out
	},
	hlo.Transpose: func(in *hlo.Instruction, v view) view {
		out := view{in.Operands[0].Shape.Dims, make([]tile.Access, len(v.axes))}
		for i, d := range in.Attrs.(*hlo.TransposeAttrs).Dimensions {
			out.axes[d] = v.axes[i]
		}
		return out
	},
	hlo.Reverse: func(in *hlo.Instruction, v view) view {
		out := view{v.dims, slices.Clone(v.axes)}
		for _, d := range in.Attrs.(*hlo.ReverseAttrs).Dimensions {
			out.axes[d] = sum(tile.Access{Offset: v.dims[d] - 1}, v.axes[d], -1)
		}
		return out
	},
	hlo.Slice: func(in *hlo.Instruction, v view) view {
		out := view{in.Operands[0].Shape.Dims, make([]tile.Access, len(v.axes))}
		for d, s := range in.Attrs.(*hlo.SliceAttrs).Slice {
			out.axes[d] = sum(tile.Access{Offset: s.Start}, v.axes[d], max(s.Stride, 1))
		}
		return out
	},
}

// as returns the same view of a reshape to dims. It fails where an index would not depend on the place linearly.
func (v view) as(dims []int64) (view, error) {
	if slices.Equal(v.dims, dims) {
		return v, nil
	}
	out := view{dims: dims}
	i := 0
	for d := 0; d < len(dims); {
		from, to := i, d
		a, b := int64(1), int64(1)
		for b < 2 && d < len(dims) || a != b {
			switch {
			case a < b && i < len(v.dims):
				a *= v.dims[i]
				i++
			case d < len(dims):
				b *= dims[d]
				d++
			default:
				return view{}, unsupported("reshape of %v to %v inside a fusion", v.dims, dims)
			}
		}
		axes, err := v.group(from, i, dims[to:d])
		if err != nil {
			return view{}, err
		}
		out.axes = append(out.axes, axes...)
	}
	return out, nil
}

// group returns the axes of dims, which have as many elements as the dimensions from to to of v: all but one are 1.
func (v view) group(from, to int, dims []int64) ([]tile.Access, error) {
	var a tile.Access
	unit := int64(1)
	for d := to - 1; d >= from; d-- {
		a = sum(a, v.axes[d], unit)
		unit *= v.dims[d]
	}
	axes, large := make([]tile.Access, len(dims)), 0
	for i, n := range dims {
		if n != 1 {
			axes[i] = a
			large++
		}
	}
	if large > 1 {
		return nil, unsupported("reshape of %v to %v inside a fusion", v.dims[from:to], dims)
	}
	return axes, nil
}
