package pass

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// generator makes small random programs that the rules of the passes have something to do with: constants at places
// where they matter, movements of movements, ops on equal operands, loops, branches and calls.
type generator struct {
	r    *rand.Rand
	list []*hlo.Instruction
	deep int
	// types and dims are few, so that values meet.
	types []shape.ElementType
	dims  [][]int64
}

// randomProgram makes a program of about n instructions; it depends on seed alone.
func randomProgram(t *testing.T, seed uint64, n int) *hlo.Module {
	t.Helper()
	g := &generator{r: rand.New(rand.NewPCG(seed, 1))}
	for range 2 {
		g.types = append(g.types, randomTypes[g.r.IntN(len(randomTypes))])
	}
	for range 3 {
		g.dims = append(g.dims, randomDims[g.r.IntN(len(randomDims))])
	}
	var params []shape.Shape
	for range 1 + g.r.IntN(4) {
		params = append(params, g.shape())
	}
	m := hlo.NewModule(fmt.Sprintf("random_%d", seed), g.computation("e", params, n, nil))
	if err := hlo.Verify(m); err != nil {
		t.Fatalf("seed %d: %v\n%s", seed, err, m.Text())
	}
	return m
}

var (
	randomTypes = []shape.ElementType{shape.F32, shape.F32, shape.F32, shape.S32, shape.S32, shape.Pred, shape.BF16,
		shape.U8, shape.C64, shape.F64}
	randomDims = [][]int64{{}, {}, {3}, {1}, {2, 3}, {3, 2}, {2, 1, 3}, {0, 3}, {1, 1}, {6}, {2, 2, 3}}
)

func (g *generator) shape() shape.Shape {
	return shape.Array(g.types[g.r.IntN(len(g.types))], g.dims[g.r.IntN(len(g.dims))]...)
}

// computation makes a computation of the parameters; its root has shape result, or is a tuple of some values if that is
// nil.
func (g *generator) computation(name string, params []shape.Shape, n int, result *shape.Shape) *hlo.Computation {
	outer := g.list
	g.list = nil
	defer func() { g.list = outer }()
	for i, s := range params {
		g.try(hlo.Parameter, &hlo.ParameterAttrs{Number: int64(i)}, s)
	}
	g.takeApart()
	for range 50 * n {
		if len(g.list) < n {
			g.step()
		}
	}
	var root *hlo.Instruction
	if result == nil {
		root = g.try(hlo.Tuple, nil, shape.Shape{}, g.ends()...)
	} else {
		root = g.of(*result)
	}
	c, err := hlo.NewComputation(name, g.list, root)
	if err != nil {
		panic(err)
	}
	return c
}

// ends are the values that nothing uses.
func (g *generator) ends() []*hlo.Instruction {
	used := map[*hlo.Instruction]bool{}
	for _, in := range g.list {
		for _, o := range in.Operands {
			used[o] = true
		}
	}
	ends := g.list[len(g.list)-1:]
	for _, in := range g.list[:len(g.list)-1] {
		if !used[in] && len(ends) < 20 {
			ends = append(ends[:len(ends):len(ends)], in)
		}
	}
	return ends
}

// takeApart adds the elements of parameters that are tuples.
func (g *generator) takeApart() {
	for _, p := range g.list {
		for i := range p.Shape.Elems {
			g.try(hlo.GetTupleElement, &hlo.GetTupleElementAttrs{Index: int64(i)}, shape.Shape{}, p)
		}
	}
}

// try adds an instruction if its op allows it, else it returns nil.
func (g *generator) try(op hlo.Opcode, a hlo.Attrs, told shape.Shape, operands ...*hlo.Instruction) *hlo.Instruction {
	for _, o := range operands {
		if o == nil {
			return nil
		}
	}
	in, err := hlo.NewInstruction(op, a, told, operands, hlo.Pos{})
	if err != nil {
		return nil
	}
	if n, ok := in.Shape.CheckedSize(); in.Shape.IsArray() && (!ok || n > 200) {
		return nil
	}
	in.Name = fmt.Sprintf("%s.%d", op, len(g.list))
	g.list = append(g.list, in)
	return in
}

// any returns a value; the last ones are more likely.
func (g *generator) any() *hlo.Instruction {
	n := len(g.list)
	if g.r.IntN(3) > 0 {
		return g.list[n-1-g.r.IntN(min(n, 2))]
	}
	return g.list[g.r.IntN(n)]
}

// of returns a value of shape s: one that is there, or a constant.
func (g *generator) of(s shape.Shape) *hlo.Instruction {
	if s.IsTuple() {
		elems := make([]*hlo.Instruction, len(s.Elems))
		for i, e := range s.Elems {
			elems[i] = g.of(e)
		}
		return g.try(hlo.Tuple, nil, shape.Shape{}, elems...)
	}
	start := g.r.IntN(len(g.list))
	for i := range g.list {
		if v := g.list[(start+i)%len(g.list)]; v.Shape.Compatible(s) && g.r.IntN(4) > 0 {
			return v
		}
	}
	return g.constant(s)
}

// constant makes a constant of shape s, or the broadcast of one.
func (g *generator) constant(s shape.Shape) *hlo.Instruction {
	scalar := shape.Array(s.Type)
	if g.r.IntN(3) == 0 {
		return g.try(hlo.Constant, &hlo.ConstantAttrs{Literal: randomLiteral(g.r, s)}, shape.Shape{})
	}
	l := randomLiteral(g.r, scalar)
	if g.r.IntN(4) > 0 {
		l = literal.ScalarOf(s.Type, specials[g.r.IntN(5)])
	}
	c := g.try(hlo.Constant, &hlo.ConstantAttrs{Literal: l}, shape.Shape{})
	if len(s.Dims) == 0 {
		return c
	}
	return g.try(hlo.Broadcast, &hlo.BroadcastAttrs{}, s, c)
}

// index makes a scalar index, most often a constant.
func (g *generator) index() *hlo.Instruction {
	if g.r.IntN(4) == 0 {
		return g.of(shape.Array(shape.S32))
	}
	v := literal.ScalarOfInt(shape.S32, int64(g.r.IntN(5)-1))
	return g.try(hlo.Constant, &hlo.ConstantAttrs{Literal: v}, shape.Shape{})
}

func (g *generator) step() {
	steps := []func(){g.elementwise, g.elementwise, g.algebra, g.algebra, g.algebra, g.algebra, g.moves, g.moves, g.choice, g.broadcast, g.reshape, g.transpose,
		g.slice, g.pad, g.concatenate, g.reverse, g.reduce, g.dot, g.convert, g.iota, g.dynamic, g.tuple, g.gather,
		g.scatter}
	if g.deep < 2 {
		steps = append(steps, g.call, g.loop, g.branch)
	}
	steps[g.r.IntN(len(steps))]()
}

func (g *generator) elementwise() {
	x := g.any()
	op := hlo.Opcode(g.r.IntN(int(hlo.NumOps)))
	if g.r.IntN(2) == 0 {
		op = []hlo.Opcode{hlo.Add, hlo.Multiply, hlo.Subtract, hlo.Divide, hlo.Negate, hlo.Maximum, hlo.And, hlo.Or,
			hlo.Not, hlo.Power, hlo.Minimum, hlo.Abs, hlo.Copy, hlo.Xor}[g.r.IntN(14)]
	}
	info := op.Info()
	if info.Traits&hlo.Elementwise == 0 || info.Attrs != nil || op == hlo.Convert || op == hlo.StochasticConvert {
		return
	}
	n, _ := info.Arity()
	operands := []*hlo.Instruction{x}
	for len(operands) < n {
		operands = append(operands, g.of(x.Shape))
	}
	if g.r.IntN(2) == 0 {
		operands[0], operands[n-1] = operands[n-1], operands[0]
	}
	g.try(op, nil, shape.Shape{}, operands...)
}

// algebra makes an op on a value and a constant that rules know, or on two equal values.
func (g *generator) algebra() {
	x := g.any()
	if !x.Shape.IsArray() {
		return
	}
	l := literal.ScalarOf(x.Shape.Type, specials[g.r.IntN(len(specials))])
	if g.r.IntN(3) > 0 {
		l = literal.ScalarOf(x.Shape.Type, specials[g.r.IntN(7)])
	}
	y := g.try(hlo.Constant, &hlo.ConstantAttrs{Literal: l}, shape.Shape{})
	if x.Shape.Rank() > 0 {
		y = g.try(hlo.Broadcast, &hlo.BroadcastAttrs{}, x.Shape, y)
	}
	if g.r.IntN(6) == 0 {
		y = x
	}
	if g.r.IntN(3) == 0 {
		x, y = y, x
	}
	op := algebraic[g.r.IntN(len(algebraic))]
	switch n, _ := op.Info().Arity(); {
	case op == hlo.Compare:
		g.try(op, &hlo.CompareAttrs{Direction: hlo.Direction(g.r.IntN(6))}, shape.Shape{}, x, y)
	case op == hlo.Select:
		g.try(op, nil, shape.Shape{}, g.of(x.Shape.WithType(shape.Pred)), x, y)
	case n == 1:
		g.try(op, nil, shape.Shape{}, x)
	default:
		g.try(op, nil, shape.Shape{}, x, y)
	}
}

var algebraic = []hlo.Opcode{hlo.Add, hlo.Subtract, hlo.Multiply, hlo.Divide, hlo.Negate, hlo.Negate, hlo.Maximum,
	hlo.Minimum, hlo.And, hlo.Or, hlo.Xor, hlo.Not, hlo.Not, hlo.Abs, hlo.Floor, hlo.Ceil, hlo.Copy, hlo.Compare,
	hlo.Select, hlo.Remainder, hlo.RoundNearestEven}

// moves makes a few movements of one value.
func (g *generator) moves() {
	list := []func(){g.broadcast, g.reshape, g.transpose, g.slice, g.pad, g.concatenate, g.reverse, g.reduce}
	for range 2 + g.r.IntN(2) {
		list[g.r.IntN(len(list))]()
	}
}

func (g *generator) choice() {
	x := g.any()
	y := g.of(x.Shape)
	switch g.r.IntN(3) {
	case 0:
		g.try(hlo.Compare, &hlo.CompareAttrs{Direction: hlo.Direction(g.r.IntN(6))}, shape.Shape{}, x, y)
	case 1:
		p := g.of(x.Shape.WithType(shape.Pred))
		g.try(hlo.Select, nil, shape.Shape{}, p, x, y)
	default:
		g.try(hlo.Clamp, nil, shape.Shape{}, y, x, g.of(shape.Array(x.Shape.Type)))
		g.try(hlo.Clamp, nil, shape.Shape{}, y, x, g.of(x.Shape))
	}
}

func (g *generator) broadcast() {
	x := g.any()
	dims := append([]int64{}, x.Shape.Dims...)
	var to []int64
	at := g.r.IntN(len(dims) + 1)
	dims = append(dims[:at:at], append([]int64{int64(1 + g.r.IntN(2))}, dims[at:]...)...)
	for d := range dims {
		if d != at {
			to = append(to, int64(d))
			if dims[d] == 1 && g.r.IntN(2) == 0 {
				dims[d] = 2
			}
		}
	}
	g.try(hlo.Broadcast, &hlo.BroadcastAttrs{Dimensions: to}, shape.Array(x.Shape.Type, dims...), x)
}

func (g *generator) reshape() {
	x := g.any()
	dims := g.dims[g.r.IntN(len(g.dims))]
	if g.r.IntN(2) == 0 {
		dims = append([]int64{1}, x.Shape.Dims...)
	}
	g.try(hlo.Reshape, &hlo.ReshapeAttrs{}, shape.Array(x.Shape.Type, dims...), x)
}

func (g *generator) transpose() {
	x := g.any()
	perm := []int64{}
	for _, d := range g.r.Perm(x.Shape.Rank()) {
		perm = append(perm, int64(d))
	}
	g.try(hlo.Transpose, &hlo.TransposeAttrs{Dimensions: perm}, shape.Shape{}, x)
}

func (g *generator) slice() {
	x := g.any()
	dims := hlo.SliceDims{}
	for _, n := range x.Shape.Dims {
		start := int64(g.r.IntN(int(n) + 1))
		limit := start + int64(g.r.IntN(int(n-start)+1))
		if g.r.IntN(2) == 0 {
			start, limit = 0, n
		}
		dims = append(dims, hlo.SliceDim{Start: start, Limit: limit, Stride: int64(1 + g.r.IntN(2))})
	}
	g.try(hlo.Slice, &hlo.SliceAttrs{Slice: dims}, shape.Shape{}, x)
}

func (g *generator) pad() {
	x := g.any()
	p := hlo.Padding{}
	for range x.Shape.Dims {
		p = append(p, hlo.PadDim{Low: int64(g.r.IntN(3) - 1), High: int64(g.r.IntN(3) - 1), Interior: int64(g.r.IntN(4) / 3)})
	}
	g.try(hlo.Pad, &hlo.PadAttrs{Padding: p}, shape.Shape{}, x, g.of(shape.Array(x.Shape.Type)))
}

func (g *generator) concatenate() {
	x := g.any()
	if x.Shape.Rank() == 0 {
		return
	}
	a := &hlo.ConcatenateAttrs{Dimension: hlo.OneDim(g.r.IntN(x.Shape.Rank()))}
	g.try(hlo.Concatenate, a, shape.Shape{}, []*hlo.Instruction{x, g.of(x.Shape), g.any()}[:1+g.r.IntN(3)]...)
}

func (g *generator) reverse() {
	x := g.any()
	if x.Shape.Rank() > 0 {
		g.try(hlo.Reverse, &hlo.ReverseAttrs{Dimensions: []int64{int64(g.r.IntN(x.Shape.Rank()))}}, shape.Shape{}, x)
	}
}

// exact makes of a value one whose sums and products are exact in any order.
func (g *generator) exact(x *hlo.Instruction) *hlo.Instruction {
	if x == nil || !x.Shape.IsArray() || x.Shape.Type.IsComplex() {
		return nil
	}
	if x.Shape.Type.IsFloat() {
		scalar := func(v float64) *hlo.Instruction {
			l := literal.ScalarOf(x.Shape.Type, v)
			return g.try(hlo.Constant, &hlo.ConstantAttrs{Literal: l}, shape.Shape{})
		}
		finite := g.try(hlo.Compare, &hlo.CompareAttrs{Direction: hlo.Eq}, shape.Shape{}, x, x)
		ones := g.try(hlo.Broadcast, &hlo.BroadcastAttrs{}, x.Shape, scalar(1))
		x = g.try(hlo.Select, nil, shape.Shape{}, finite, x, ones)
		x = g.try(hlo.Floor, nil, shape.Shape{}, g.try(hlo.Clamp, nil, shape.Shape{}, scalar(1), x, scalar(3)))
	}
	return x
}

func (g *generator) reduce() {
	x := g.exact(g.any())
	if x == nil {
		return
	}
	c := g.reducer(x.Shape.Type)
	if c == nil {
		return
	}
	var dims []int64
	for d := range x.Shape.Dims {
		if g.r.IntN(2) == 0 {
			dims = append(dims, int64(d))
		}
	}
	init := g.try(hlo.Constant, &hlo.ConstantAttrs{Literal: literal.ScalarOfInt(x.Shape.Type, int64(g.r.IntN(2)))}, shape.Shape{})
	g.try(hlo.Reduce, &hlo.ReduceAttrs{Dimensions: dims, ToApply: c}, shape.Shape{}, x, init)
}

// reducer makes a computation of two numbers of type t, or nil if the op it chose does not take that.
func (g *generator) reducer(t shape.ElementType) *hlo.Computation {
	op := []hlo.Opcode{hlo.Add, hlo.Maximum, hlo.Minimum, hlo.Or, hlo.Multiply}[g.r.IntN(5)]
	s := shape.Array(t)
	b := hlo.NewBuilder(fmt.Sprintf("reducer.%d", g.r.Uint32()))
	p, q := b.Parameter(0, s, "p"), b.Parameter(1, s, "q")
	in, err := hlo.NewInstruction(op, nil, shape.Shape{}, []*hlo.Instruction{p, q}, hlo.Pos{})
	if err != nil {
		return nil
	}
	in.Name = "r"
	c, err := hlo.NewComputation(fmt.Sprintf("reducer.%d", g.r.Uint32()), []*hlo.Instruction{p, q, in}, in)
	if err != nil {
		panic(err)
	}
	return c
}

func (g *generator) dot() {
	x, y := g.exact(g.any()), g.exact(g.any())
	if x == nil || y == nil {
		return
	}
	a := &hlo.DotAttrs{}
	for i, n := range x.Shape.Dims {
		for j, k := range y.Shape.Dims {
			used := len(a.RHSBatch)+len(a.RHSContracting) > 0
			switch {
			case n != k || used && g.r.IntN(2) == 0 || containsDim(a, int64(i), int64(j)):
			case g.r.IntN(3) == 0:
				a.LHSBatch, a.RHSBatch = append(a.LHSBatch, int64(i)), append(a.RHSBatch, int64(j))
			default:
				a.LHSContracting, a.RHSContracting = append(a.LHSContracting, int64(i)), append(a.RHSContracting, int64(j))
			}
		}
	}
	g.try(hlo.Dot, a, shape.Shape{}, x, y)
}

func containsDim(a *hlo.DotAttrs, i, j int64) bool {
	for k, l := range [][]int64{a.LHSBatch, a.LHSContracting, a.RHSBatch, a.RHSContracting} {
		for _, d := range l {
			if k < 2 && d == i || k >= 2 && d == j {
				return true
			}
		}
	}
	return false
}

func (g *generator) convert() {
	x := g.any()
	if x.Shape.IsArray() && !x.Shape.Type.IsComplex() {
		g.try(hlo.Convert, nil, x.Shape.WithType(append(g.types, shape.S32, shape.F32)[g.r.IntN(len(g.types)+2)]), x)
	}
}

func (g *generator) iota() {
	s := g.shape()
	if s.Rank() > 0 {
		g.try(hlo.Iota, &hlo.IotaAttrs{Dimension: int64(g.r.IntN(s.Rank()))}, s)
	}
}

// dynamic makes a dynamic slice or update.
func (g *generator) dynamic() {
	x := g.any()
	operands := []*hlo.Instruction{x}
	var sizes []int64
	for _, n := range x.Shape.Dims {
		operands = append(operands, g.index())
		sizes = append(sizes, int64(g.r.IntN(int(n)+1)))
	}
	if g.r.IntN(2) == 0 {
		g.try(hlo.DynamicSlice, &hlo.DynamicSliceAttrs{Sizes: sizes}, shape.Shape{}, operands...)
		return
	}
	update := g.of(shape.Array(x.Shape.Type, sizes...))
	g.try(hlo.DynamicUpdateSlice, nil, shape.Shape{}, append([]*hlo.Instruction{x, update}, operands[1:]...)...)
}

// gather takes rows, by one index or by a list of them.
func (g *generator) gather() {
	x := g.any()
	if x.Shape.Rank() == 0 {
		return
	}
	a := &hlo.GatherAttrs{StartIndexMap: []int64{0}, CollapsedSliceDims: []int64{0}, SliceSizes: append([]int64{1}, x.Shape.Dims[1:]...)}
	indices := g.of(shape.Array(shape.S32, 1))
	if g.r.IntN(2) == 0 {
		indices, a.IndexVectorDim = g.of(shape.Array(shape.S32, 3)), 1
	}
	if x.Shape.Rank() > 1 && g.r.IntN(2) == 0 {
		indices, a.IndexVectorDim = g.pairs(), 1
		a.StartIndexMap, a.CollapsedSliceDims, a.SliceSizes[1] = []int64{1, 0}, []int64{0, 1}, 1
	}
	first := int64(indices.Shape.Rank()) - 1
	if indices.Shape.Rank() == 1 {
		first += a.IndexVectorDim
	}
	for d := len(a.CollapsedSliceDims); d < x.Shape.Rank(); d++ {
		a.OffsetDims = append(a.OffsetDims, first+int64(d-len(a.CollapsedSliceDims)))
	}
	g.try(hlo.Gather, a, shape.Shape{}, x, indices)
}

// scatter combines elements, or rows of them, with those at pairs of places.
func (g *generator) scatter() {
	x := g.any()
	if x.Shape.Rank() < 2 {
		return
	}
	a := &hlo.ScatterAttrs{ScatterDimsToOperandDims: []int64{1, 0}, InsertedWindowDims: []int64{0, 1}, IndexVectorDim: 1,
		ToApply: g.reducer(x.Shape.Type)}
	for d := 2; d < x.Shape.Rank(); d++ {
		a.UpdateWindowDims = append(a.UpdateWindowDims, int64(d-1))
	}
	if a.ToApply != nil {
		updates := g.of(shape.Array(x.Shape.Type, append([]int64{3}, x.Shape.Dims[2:]...)...))
		g.try(hlo.Scatter, a, shape.Shape{}, x, g.pairs(), updates)
	}
}

// pairs makes two columns of indices.
func (g *generator) pairs() *hlo.Instruction {
	t := []shape.ElementType{shape.S32, shape.U8, shape.S64}[g.r.IntN(3)]
	return g.try(hlo.Concatenate, &hlo.ConcatenateAttrs{Dimension: 1}, shape.Shape{}, g.column(t), g.column(t))
}

// column makes three indices: of a value where there is one of three elements or more, as known ones are no work left.
func (g *generator) column(t shape.ElementType) *hlo.Instruction {
	for range 8 {
		x := g.any()
		if n := elements(x.Shape); n >= 3 && !x.Shape.Type.IsComplex() {
			x = g.try(hlo.Reshape, &hlo.ReshapeAttrs{}, shape.Array(x.Shape.Type, n), x)
			x = g.try(hlo.Slice, &hlo.SliceAttrs{Slice: hlo.SliceDims{{Limit: 3, Stride: 1}}}, shape.Shape{}, x)
			x = g.try(hlo.Convert, nil, shape.Array(t, 3), x)
			return g.try(hlo.Reshape, &hlo.ReshapeAttrs{}, shape.Array(t, 3, 1), x)
		}
	}
	return g.of(shape.Array(t, 3, 1))
}

func (g *generator) tuple() {
	if x := g.any(); x.Shape.IsTuple() {
		if n := len(x.Shape.Elems); n > 0 {
			g.try(hlo.GetTupleElement, &hlo.GetTupleElementAttrs{Index: int64(g.r.IntN(n))}, shape.Shape{}, x)
		}
		return
	}
	g.try(hlo.Tuple, nil, shape.Shape{}, g.any(), g.any())
}

func (g *generator) call() {
	x, y := g.any(), g.any()
	g.deep++
	c := g.computation(fmt.Sprintf("f.%d", g.r.Uint32()), []shape.Shape{x.Shape, y.Shape}, 6, nil)
	g.deep--
	g.apart(g.try(hlo.Call, &hlo.CallAttrs{ToApply: c}, shape.Shape{}, x, y))
}

// apart takes some of the elements of a tuple.
func (g *generator) apart(in *hlo.Instruction) {
	if in == nil {
		return
	}
	for i := range in.Shape.Elems {
		if g.r.IntN(3) > 0 {
			g.try(hlo.GetTupleElement, &hlo.GetTupleElementAttrs{Index: int64(i)}, shape.Shape{}, in)
		}
	}
}

// loop makes a while of a counter and a few values, some of which the body changes.
func (g *generator) loop() {
	state := []*hlo.Instruction{g.try(hlo.Constant, &hlo.ConstantAttrs{Literal: literal.Scalar(int32(g.r.IntN(3)))}, shape.Shape{})}
	for range g.r.IntN(4) {
		state = append(state, g.any())
	}
	init := g.try(hlo.Tuple, nil, shape.Shape{}, state...)
	b := hlo.NewBuilder(fmt.Sprintf("cond.%d", g.r.Uint32()))
	cond, err := b.Build(b.Lt(b.GetTupleElement(b.Parameter(0, init.Shape, "p"), 0), hlo.ConstantR0(b, int32(4))))
	if err != nil {
		panic(err)
	}
	g.deep++
	inner := g.computation(fmt.Sprintf("inner.%d", g.r.Uint32()), []shape.Shape{init.Shape}, 8, &init.Shape)
	g.deep--
	b = hlo.NewBuilder(fmt.Sprintf("body.%d", g.r.Uint32()))
	p := b.Parameter(0, init.Shape, "p")
	next := b.Call(inner, p)
	elems := []*hlo.Instruction{b.Add(b.GetTupleElement(p, 0), hlo.ConstantR0(b, int32(1)))}
	for i := 1; i < len(init.Shape.Elems); i++ {
		from := next
		if g.r.IntN(2) == 0 {
			from = p
		}
		elems = append(elems, b.GetTupleElement(from, int64(i)))
	}
	body, err := b.Build(b.Tuple(elems...))
	if err != nil {
		panic(err)
	}
	g.apart(g.try(hlo.While, &hlo.WhileAttrs{Condition: cond, Body: body}, shape.Shape{}, init))
}

func (g *generator) branch() {
	x, y := g.try(hlo.Tuple, nil, shape.Shape{}, g.any(), g.any()), g.any()
	result := shape.TupleOf(g.shape(), g.shape())
	g.deep++
	a := &hlo.ConditionalAttrs{Branches: []*hlo.Computation{
		g.computation(fmt.Sprintf("yes.%d", g.r.Uint32()), []shape.Shape{x.Shape}, 6, &result),
		g.computation(fmt.Sprintf("no.%d", g.r.Uint32()), []shape.Shape{y.Shape}, 6, &result)}}
	g.deep--
	g.apart(g.try(hlo.Conditional, a, shape.Shape{}, g.of(shape.Array(shape.Pred)), x, y))
}
