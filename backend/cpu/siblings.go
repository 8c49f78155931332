package cpu

import (
	"slices"

	"github.com/halo-xla/halo/backend/cpu/straight"
	"github.com/halo-xla/halo/cgo/loops/pipeline"
	"github.com/halo-xla/halo/cgo/loops/reduce"
	"github.com/halo-xla/halo/cgo/loops/run"
	"github.com/halo-xla/halo/xla/exec"
	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/shape"
)

const (
	fewTerms    = 16       // of a result, below which its accumulator is worth more than its elements
	siblingCols = 1024     // places of a tile's rows
	siblingTile = 8192     // elements of a tile, and the more so if it has fewer than eight rows
	siblingRows = 8        // rows of a tile at least: as many as come together before they go into accumulators
	longStrip   = 16384    // places of a strip, whose accumulators stay in the second cache
	tempBytes   = 96 << 10 // of a tile's values
)

// siblingLoops returns the native loops that reduce in along any dimensions.
func siblingLoops(in *hlo.Instruction) (reduce.Loops, bool) {
	if len(in.Operands) != 2 || !in.Shape.IsArray() || in.Operands[0].Shape.Type != in.Shape.Type {
		return reduce.Loops{}, false
	}
	terms := int64(1)
	a := in.Attrs.(*hlo.ReduceAttrs)
	for _, d := range a.Dimensions {
		terms *= in.Operands[0].Shape.Dims[d]
	}
	op, simple := simpleReducer(a.ToApply)
	if !simple || terms < fewTerms || len(in.Operands[0].Shape.Dims) > pipeline.MaxRank {
		return reduce.Loops{}, false
	}
	return nativeLoops(op, in.Shape.Type, terms)
}

// isSibling reports whether in may be reduced in one pass with others, or with what makes its elements.
func isSibling(in *hlo.Instruction) bool {
	_, ok := siblingLoops(in)
	return ok && isKnown(in.Operands[1]) && !isOfProduct(in.Operands[0])
}

// isKnown reports whether a fusion has an init value where it lies in memory.
func isKnown(init *hlo.Instruction) bool {
	return init.Op == hlo.Constant || init.Op == hlo.Parameter || init.Op == hlo.GetTupleElement
}

// isOfProduct reports whether x is what is done to the elements of a contraction: better while those are in the cache,
// which no fusion that ends in reductions is.
func isOfProduct(x *hlo.Instruction) bool {
	for range maxNodes {
		if x.Op == hlo.Dot || x.Op == hlo.Convolution {
			return true
		}
		if x.Op.Info().Traits&hlo.Elementwise == 0 && !slices.Contains(renaming, x.Op) || len(x.Operands) == 0 {
			return false
		}
		x = x.Operands[0]
	}
	return false
}

// together reports whether two reductions may be in one fusion: of the same rows, or along any dimensions.
func together(a, b *hlo.Instruction) bool {
	return areRows(a, b) || isSibling(a) && isSibling(b)
}

// areRows reports whether two reductions are of the same rows, which the pipeline reduces.
func areRows(a, b *hlo.Instruction) bool {
	return isRow(a) && isRow(b) && slices.Equal(withoutOnes(a.Shape.Dims), withoutOnes(b.Shape.Dims))
}

// areSiblings reports whether c has reductions that are not all of the same rows.
func areSiblings(c *hlo.Computation) bool {
	var first *hlo.Instruction
	for _, in := range c.Instructions {
		if in.Op != hlo.Reduce {
			continue
		}
		if first == nil {
			first = in
		}
		if !areRows(first, in) {
			return true
		}
	}
	return false
}

// siblings is a computation on elements whose values are reduced.
type siblings struct {
	*fused
	l      *exec.Lowering
	space  []int64 // its dimensions, as the reductions know them
	stored []exec.Slice
	temps  int // roots behind those that are stored
	list   []sibling
}

// sibling is a reduction of what a node is: an array in memory, or temp number temp-1.
type sibling struct {
	in      *hlo.Instruction
	node    int
	x       exec.Slice
	temp    int
	reduced []bool // of the dimensions of the space
	out     exec.Slice
}

// lowerSiblings lowers a fusion with reductions along any dimensions of one space: all of them in one pass.
func lowerSiblings(l *exec.Lowering, c *hlo.Computation) (exec.Thunk, error) {
	i := slices.IndexFunc(c.Instructions, func(in *hlo.Instruction) bool { return in.Op == hlo.Reduce })
	space := withoutOnes(c.Instructions[i].Operands[0].Shape.Dims)
	s := &siblings{fused: newFused(l, slices.Clone(space)), l: l, space: space}
	s.findLeaves(l, c)
	for i, r := range c.Roots() {
		if r.Op == hlo.Reduce {
			s.list = append(s.list, sibling{in: r, out: l.Results()[i]})
			continue
		}
		if err := s.addRoot(r); err != nil {
			return nil, err
		}
		s.stored = append(s.stored, l.Results()[i])
	}
	for i := range s.list {
		if err := s.addSibling(&s.list[i]); err != nil {
			return nil, err
		}
	}
	return s.thunk()
}

// addSibling adds what a reduction reduces.
func (s *siblings) addSibling(x *sibling) error {
	from := x.in.Operands[0].Shape
	if !slices.Equal(withoutOnes(from.Dims), s.space) {
		return unsupported("a fusion with reductions of several sizes")
	}
	for d, n := range from.Dims {
		if n != 1 {
			x.reduced = append(x.reduced, slices.Contains(x.in.Attrs.(*hlo.ReduceAttrs).Dimensions, int64(d)))
		}
	}
	v, err := s.identity().as(from.Dims)
	if err == nil {
		x.node, err = s.add(x.in.Operands[0], v)
	}
	return err
}

// place finds what a reduction reduces in memory, or makes it a root of its own.
func (s *siblings) place(x *sibling) {
	if nd := s.nodes[x.node]; nd.op == hlo.Parameter && inOrder(s.dims, nd.access) {
		x.x = s.inputs[nd.input]
		return
	}
	k := slices.Index(s.roots, x.node)
	if k < 0 {
		k = len(s.roots)
		s.roots = append(s.roots, x.node)
		s.temps++
	}
	if k < len(s.stored) {
		x.x = s.stored[k]
	} else {
		x.temp = k - len(s.stored) + 1
	}
}

func (s *siblings) thunk() (exec.Thunk, error) {
	s.merge()
	for i := range s.list {
		s.place(&s.list[i])
	}
	p := &pipeline.Siblings{Dims: s.axes(), Temps: s.temps, Each: 1}
	s.shorten(p)
	if len(s.roots) > 0 {
		s.useIdioms()
		s.useChoices()
		s.useProducts()
		s.byRow = nil // no result is
		results, ok := s.takeApart(append(slices.Clone(s.stored), make([]exec.Slice, s.temps)...))
		if ok {
			s.useMixes()
			p.Values, ok = s.program(results)
		}
		if !ok || !p.Fits() {
			return nil, unsupported("a fusion with these reductions")
		}
		p.Values.Made = straight.Make(p.Values, run.Level())
	}
	s.tile(p)
	s.split(p)
	uses := append(exec.Reads(s.inputs...), exec.Writes(s.stored...)...)
	for i := range s.list {
		x, more := s.native(p, &s.list[i])
		p.List, uses = append(p.List, x), append(uses, more...)
	}
	return recordThunk("loops siblings", uses, p.Record(run.Level())), nil
}

// axes joins neighbouring dimensions that all reductions reduce, or none, and returns the sizes.
func (s *siblings) axes() []int64 {
	var dims []int64
	for d, n := range s.space {
		at := len(dims)
		same := at > 0
		for _, x := range s.list {
			same = same && x.reduced[d] == x.reduced[at-1]
		}
		if same {
			dims[at-1] *= n
			continue
		}
		dims = append(dims, n)
		for _, x := range s.list {
			x.reduced[at] = x.reduced[d]
		}
	}
	return dims
}

// shorten takes a short last dimension that all reductions reduce for a part of the one before it, if they keep that:
// rows are long then, and each result has several accumulators.
func (s *siblings) shorten(p *pipeline.Siblings) {
	last := len(p.Dims) - 1
	if last < 2 || slices.ContainsFunc(s.list, func(x sibling) bool { return !x.reduced[last] || x.reduced[last-1] }) {
		return
	}
	if each := p.Dims[last]; isShort(each, shape.Product(s.space)/max(each*s.list[0].results(p), 1)) {
		p.Each = each
		p.Dims[last-1] *= each
		p.Dims = p.Dims[:last]
	}
}

// results is how many results x has.
func (x *sibling) results(p *pipeline.Siblings) int64 {
	n := int64(1)
	for d, size := range p.Dims {
		if !x.reduced[d] {
			n *= size
		}
	}
	return n
}

// tile chooses the tiles of p: of several rows, and such that temps are in the cache.
func (s *siblings) tile(p *pipeline.Siblings) {
	row, elements, cols := p.Dims[len(p.Dims)-1], int64(siblingTile), int64(siblingCols)
	if p.Temps > 0 {
		elements = min(elements, tempBytes/int64(p.Values.Lane*p.Temps)/128*128)
		cols = min(cols, elements)
	}
	p.Cols = max(min(row, cols), 1)
	p.Rows = elements / p.Cols
	if p.Temps == 0 {
		p.Rows = max(p.Rows, siblingRows)
	}
}

// split divides p into tasks: strips of long rows, and chunks of the first dimension.
func (s *siblings) split(p *pipeline.Siblings) {
	last, bytes := len(p.Dims)-1, int64(0)
	for _, x := range s.list {
		bytes = max(bytes, int64(x.in.Shape.Type.Bytes()))
	}
	tasks := max(shape.Product(p.Dims)*bytes/plainTask, 1)
	if slices.ContainsFunc(s.list, func(x sibling) bool { return x.reduced[0] }) {
		tasks = min(tasks, plainTasks)
	}
	p.Strips, p.Strip, p.Chunks, p.Chunk = 1, p.Dims[last], 1, p.Dims[0]
	if strips := min(tasks, (p.Strip+longStrip-1)/longStrip); strips > 1 {
		p.Strip = (p.Strip/strips + siblingCols) / siblingCols * siblingCols
		p.Strips = (p.Dims[last] + p.Strip - 1) / p.Strip
	}
	if chunks := min((tasks+p.Strips-1)/p.Strips, p.Chunk); last > 0 && chunks > 1 {
		p.Chunk = (p.Chunk + chunks - 1) / chunks
		p.Chunks = (p.Dims[0] + p.Chunk - 1) / p.Chunk
	}
}

// native returns a reduction for C, and what it reads and writes besides the values.
func (s *siblings) native(p *pipeline.Siblings, x *sibling) (pipeline.Sibling, []exec.Use) {
	loops, _ := siblingLoops(x.in)
	init := s.initOf(x.in.Operands[1])
	n := pipeline.Sibling{Ops: loops.Address(), X: ref(x.x), Temp: x.temp, Init: ref(init), Out: ref(x.out),
		Bits: x.in.Shape.Type.Bits(), Strides: make([]int64, len(p.Dims)), Results: 1}
	for d := len(p.Dims) - 1; d >= 0; d-- {
		if !x.reduced[d] {
			n.Strides[d] = n.Results
			n.Results *= p.Dims[d]
		}
	}
	acc := s.l.Scratch(p.Copies(&n) * n.Results * pipeline.AccBytes)
	n.Acc = ref(acc)
	return n, append(exec.Reads(init), exec.Writes(x.out, acc)...)
}

// initOf is where an init value lies.
func (s *siblings) initOf(in *hlo.Instruction) exec.Slice {
	if in.Op == hlo.Constant {
		return s.pack(in.Attrs.(*hlo.ConstantAttrs).Literal.Bytes())
	}
	return s.leaves[in]
}
