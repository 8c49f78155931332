package cpu

import (
	"slices"
	"strings"

	"github.com/halo-xla/halo/backend/cpu/straight"
	"github.com/halo-xla/halo/backend/cpu/tile"
	"github.com/halo-xla/halo/cgo/loops/pipeline"
	"github.com/halo-xla/halo/cgo/loops/run"
	"github.com/halo-xla/halo/xla/exec"
	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/shape"
)

// rowEmitter makes phases of a computation with values of rows: sweep q computes what needs the rows' values known so
// far, and reduces; before it, values of rows are made of what the sweeps before came to. A value that a later sweep
// needs is computed again if that is as cheap as loading it, else saved for the rows of a tile.
type rowEmitter struct {
	*emitter
	level  []level
	phase  []int                 // the first sweep that can use a value of rows, or make one of places
	first  []int                 // the sweep that computes a value first, or -1
	in     [][]int               // the nodes of each sweep
	keep   []bool                // what is saved
	save   bool                  // whether anything may be
	inline bool                  // sweeps that reduce nothing convert elements on their way
	values []operand             // where values of rows lie, a lane each
	splats []operand             // rooms for the values of rows in sweeps
	across [][]int               // the nodes with a lane for each row that come before each sweep, and after the last
	rooms  int                   // the first is the mask
	folds  map[int]pipeline.Fold // by node; numbers are those of rooms
	temps  int                   // the most slots of a phase
	costs  int
	parts  []part
}

// part is a phase.
type part struct {
	sweeps bool
	steps  []step
	splats []int // nodes
	folds  []int
}

// level says what a value has an element for.
type level uint8

const (
	scalarLevel level = iota
	rowLevel
	placeLevel
)

const (
	wholeRow   = 512     // bytes of lanes of a row that is whole blocks, at any level
	longEnough = 512     // of one whose end that is no whole block does not matter
	longRow    = 1 << 18 // places of a row that is cut into chunks, if it is swept once
	rowChunk   = 1 << 16
	tileSize   = 32 << 10 // bytes of a tile's values
)

// inRows reports whether f is best computed row by row: there are reductions, or streams that are in pieces of a row.
func (f *fused) inRows() bool {
	last := len(f.dims) - 1
	if f.reduces || last < 1 || f.dims[last] < shortRow {
		return f.reduces
	}
	f.rows, f.lead = true, last
	return f.out != nil || f.hasPieces()
}

// hasPieces reports whether there are streams that are best loaded a row's piece at a time. What repeats itself row by
// row goes round as well without rows, if it is short, and what stays the same in a row is loaded in less time than the
// ends of short rows take that are no whole blocks.
func (f *fused) hasPieces() bool {
	last, cycles, pieces := len(f.dims)-1, 0, false
	bytes := f.dims[last] * int64(f.lane())
	for _, n := range f.nodes {
		if n.op != hlo.Parameter && n.op != hlo.Iota || isConstant(n.access) || inOrder(f.dims, n.access) {
			continue
		}
		around := isConstant(tile.Access{Strides: n.access.Strides[:last]})
		switch step := n.access.Strides[last]; {
		case step == 1 && around && bytes <= pipeline.MaxCycle:
			cycles++
		case step == 1 || step == 0:
			pieces = true
		}
	}
	return cycles > pipeline.MaxCycles || pieces && (f.dims[last] >= longEnough || bytes%wholeRow == 0)
}

// rowProgram returns the computation as phases over rows, or false if the pipeline lacks a type or an operation. Of the
// sweeps that there are such of, functions are made, and those convert elements on their way. Stages, and loops that
// take rows through all phases, have all of a block converted before it and behind.
func (f *fused) rowProgram(results []exec.Slice) (p *pipeline.Rows, ok bool) {
	if p, ok = f.phases(results, false); !ok {
		return nil, false
	}
	if p.InOneLoop() {
		straight.MakeRows(p, p.Level(run.Level()))
		return p, true
	}
	for _, inline := range []bool{true, false} {
		if p, ok = f.phases(results, inline); !ok {
			return nil, false
		}
		straight.MakeRows(p, p.Level(run.Level()))
		if !convertsByStages(p) {
			break
		}
	}
	return p, true
}

// convertsByStages reports whether stages convert elements on their way in a phase of which no function is made.
func convertsByStages(p *pipeline.Rows) bool {
	return slices.ContainsFunc(p.Phases, func(f pipeline.Phase) bool {
		return f.Made.Plain == nil && slices.ContainsFunc(f.Stages, func(s pipeline.Stage) bool {
			return strings.HasPrefix(s.Name, "load_") || strings.HasPrefix(s.Name, "store_")
		})
	})
}

// phases is rowProgram without functions, whose sweeps that reduce nothing convert elements on their way if they are
// told to.
func (f *fused) phases(results []exec.Slice, inline bool) (*pipeline.Rows, bool) {
	if f.lane() == 1 && slices.ContainsFunc(f.nodes, func(nd node) bool { return nd.t == shape.Pred }) {
		return nil, false // masks that are bytes are made of bytes by stages
	}
	f.invertDivisors()
	for _, save := range []bool{true, false} {
		e := &rowEmitter{emitter: newEmitter(f), save: save, inline: inline, folds: map[int]pipeline.Fold{}}
		e.plan()
		kept := e.settle()
		if !e.emitAll() {
			return nil, false
		}
		if p, fits := e.program(results, kept); fits {
			e.noteOrder()
			return p, p.Fits()
		}
	}
	return nil, false
}

// plan says what is computed when.
func (e *rowEmitter) plan() {
	n := len(e.f.nodes)
	e.level, e.phase, e.first = make([]level, n), make([]int, n), make([]int, n)
	e.keep, e.splats = make([]bool, n), make([]operand, n)
	last := 0
	for i := range e.f.nodes {
		e.place(i)
		e.first[i], e.splats[i] = -1, operand{kind: nowhere}
		last = max(last, e.phase[i])
	}
	e.in, e.across = make([][]int, last+1), make([][]int, last+1)
	for q := range e.in {
		for _, i := range e.folded(q) {
			e.need(e.f.nodes[i].args[0], q)
		}
		for _, i := range e.stored(q, false) {
			e.need(e.f.roots[i], q)
		}
		slices.Sort(e.in[q]) // as the nodes are ordered
	}
	for i, nd := range e.f.nodes {
		if e.level[i] == rowLevel && nd.op != hlo.Reduce && nd.op != hlo.Parameter {
			e.across[e.phase[i]] = append(e.across[e.phase[i]], i)
		}
	}
}

// place finds the level and the phase of a node.
func (e *rowEmitter) place(i int) {
	nd := &e.f.nodes[i]
	switch {
	case nd.op == hlo.Reduce:
		e.level[i], e.phase[i] = rowLevel, e.phase[nd.args[0]]+1
		return
	case nd.op == hlo.Constant:
		return
	case nd.access.Strides == nil: // an operation
		e.level[i] = rowLevel
	case nd.op == hlo.Parameter && isConstant(nd.access):
		return
	case e.f.isByRow(nd.access):
		e.level[i] = rowLevel
		return
	default:
		e.level[i] = placeLevel
	}
	for _, a := range nd.args {
		e.level[i] = max(e.level[i], e.level[a])
		e.phase[i] = max(e.phase[i], e.phase[a])
	}
}

// folded are the reductions that sweep q makes.
func (e *rowEmitter) folded(q int) []int {
	var list []int
	for i, nd := range e.f.nodes {
		if nd.op == hlo.Reduce && e.phase[i] == q+1 {
			list = append(list, i)
		}
	}
	return list
}

// stored are the results that sweep q stores, or the phase over rows before it.
func (e *rowEmitter) stored(q int, byRow bool) []int {
	var list []int
	for i, r := range e.f.roots {
		if e.phase[r] == q && e.f.rootByRow(i) == byRow {
			list = append(list, i)
		}
	}
	return list
}

// need makes sure that sweep q has the value of node i.
func (e *rowEmitter) need(i, q int) {
	if e.level[i] != placeLevel || slices.Contains(e.in[q], i) {
		return
	}
	nd := &e.f.nodes[i]
	if e.first[i] >= 0 && e.first[i] < q && e.save && !e.isCheap(nd) {
		e.keep[i] = true
		return
	}
	if e.first[i] < 0 {
		e.first[i] = q
	}
	for _, a := range nd.args {
		e.need(a, q)
	}
	if !slices.Contains(e.in[q], i) {
		e.in[q] = append(e.in[q], i)
	}
	if nd.leavesTwo() && nd.mixed != none {
		e.need(nd.mixed, q)
	}
}

// isCheap reports whether a value of places takes no longer to compute from arrays than to load.
func (e *rowEmitter) isCheap(nd *node) bool {
	if len(nd.args) == 0 {
		return true
	}
	if nd.stage != "" {
		return false
	}
	name := plainStages[nd.op].of(nd.from(0))
	for _, a := range nd.args {
		if e.level[a] == placeLevel && len(e.f.nodes[a].args) > 0 {
			return false
		}
	}
	return nd.op == hlo.Convert || name != "" && heavyStages[name] == 0
}

func (e *rowEmitter) room() operand {
	e.rooms++
	return operand{room, e.rooms - 1}
}

// settle gives values a place that outlives a phase, and returns how many are saved.
func (e *rowEmitter) settle() (kept int) {
	e.room() // the mask
	e.home = slices.Clone(e.prior)
	for i := range e.f.nodes {
		switch nd := &e.f.nodes[i]; {
		case nd.op == hlo.Reduce:
			op := nd.in.Attrs.(*hlo.ReduceAttrs).ToApply.Root.Op
			acc, to := e.room(), e.room()
			e.folds[i] = pipeline.Fold{Reducer: plainStages[op].of(nd.t), Accumulator: acc.value, To: to.value}
			e.home[i] = to
		case e.keep[i]:
			e.home[i] = operand{saved, kept}
			kept++
		case e.level[i] == rowLevel && nd.op == hlo.Parameter:
			e.parameter(i, nd)
		case e.level[i] == rowLevel:
			e.home[i] = e.room()
		}
	}
	e.values = e.home
	return kept
}

// emitAll emits all phases.
func (e *rowEmitter) emitAll() bool {
	for q := range e.in {
		if !e.emitAcross(q) || !e.emitSweep(q) {
			return false
		}
	}
	return true
}

// begin starts a phase: what may be there before it is what fits.
func (e *rowEmitter) begin(there, here func(i int) bool) {
	e.list = nil
	for i, at := range e.values {
		e.prior[i], e.saves[i] = operand{kind: nowhere}, operand{kind: nowhere}
		if there(i) {
			e.prior[i] = at
		}
		if here(i) {
			e.saves[i] = at
		}
	}
}

// end emits a phase that computes the list.
func (e *rowEmitter) end(p part, ends []int, results func()) bool {
	e.results = results
	if !e.emit(ends) {
		return false
	}
	p.steps = e.steps
	e.temps = max(e.temps, e.slots)
	e.parts = append(e.parts, p)
	return true
}

// emitAcross emits the phase over rows before sweep q.
func (e *rowEmitter) emitAcross(q int) bool {
	stores := e.stored(q, true)
	if len(e.across[q])+len(stores) == 0 {
		return true
	}
	e.begin(func(i int) bool { return e.level[i] == rowLevel && !slices.Contains(e.across[q], i) },
		func(i int) bool { return slices.Contains(e.across[q], i) })
	for _, i := range e.across[q] {
		e.leaves(e.f.nodes[i].args)
		e.list = append(e.list, i)
	}
	for _, i := range stores {
		e.leaves(e.f.roots[i : i+1])
	}
	return e.end(part{}, nil, func() { e.store(stores) })
}

// leaves adds to the list those nodes that are arrays, numbers or constants.
func (e *rowEmitter) leaves(nodes []int) {
	for _, a := range nodes {
		op := e.f.nodes[a].op
		if (op == hlo.Parameter || op == hlo.Constant) && e.level[a] != rowLevel && !slices.Contains(e.list, a) {
			e.list = append(e.list, a)
		}
	}
}

// store emits the stores of results.
func (e *rowEmitter) store(list []int) {
	for _, i := range list {
		e.hold(e.f.roots[i])
		e.steps = append(e.steps, step{name: storing(e.narrow(i)), a: operand{output, i}})
	}
}

// emitSweep emits sweep q.
func (e *rowEmitter) emitSweep(q int) bool {
	at := part{sweeps: true, folds: e.folded(q)}
	stores, ends := e.stored(q, false), []int(nil)
	for _, i := range at.folds {
		ends = append(ends, e.f.nodes[i].args[0])
	}
	for _, i := range stores {
		ends = append(ends, e.f.roots[i])
	}
	if len(ends) == 0 {
		return true
	}
	e.begin(func(i int) bool { return e.keep[i] && e.first[i] < q },
		func(i int) bool { return e.keep[i] && e.first[i] == q })
	for _, i := range e.in[q] {
		e.take(&at, e.f.nodes[i].args)
		e.list = append(e.list, i)
	}
	e.take(&at, ends)
	e.converts = e.convertsIn(q)
	defer func() { e.converts = false }()
	if !e.end(at, ends, func() {
		for _, i := range at.folds {
			d := e.folds[i]
			e.hold(e.f.nodes[i].args[0])
			e.steps = append(e.steps, step{name: "acc_" + d.Reducer, a: operand{room, d.Accumulator}, b: operand{room, 0}})
		}
		e.store(stores)
	}) {
		return false
	}
	e.costs += e.cost()
	return true
}

// convertsIn reports whether stages of sweep q convert elements.
func (e *rowEmitter) convertsIn(q int) bool { return e.inline && len(e.folded(q)) == 0 }

// take makes the operands of a sweep's node ready: leaves, and values of rows, which it spreads.
func (e *rowEmitter) take(p *part, nodes []int) {
	e.leaves(nodes)
	for _, a := range nodes {
		if e.level[a] != rowLevel {
			continue
		}
		if e.splats[a].kind == nowhere {
			e.splats[a] = e.room()
		}
		e.prior[a] = e.splats[a]
		if !slices.Contains(p.splats, a) {
			p.splats = append(p.splats, a)
		}
	}
}

// program makes the program of the phases; fits is false if it saves too much.
func (e *rowEmitter) program(results []exec.Slice, kept int) (p *pipeline.Rows, fits bool) {
	f := e.f
	p = &pipeline.Rows{Dims: f.dims, Lead: f.lead, Lane: e.lane, Inputs: e.inputs, Saved: kept, Rooms: e.rooms + e.temps}
	for i, r := range f.roots {
		e.converts = e.convertsIn(e.phase[r]) && !f.rootByRow(i)
		out := e.output(i, r, results[i])
		out.ByRow = f.rootByRow(i)
		p.Outputs = append(p.Outputs, out)
	}
	in, out := len(e.inputs), len(p.Outputs)
	first := bases{output: in, saved: in + out, room: in + out + kept, slot: in + out + kept + e.rooms}
	p.Mask = first[room]
	for i := range e.parts {
		p.Phases = append(p.Phases, e.native(&e.parts[i], first))
	}
	row := p.Row()
	pitch := (row*int64(e.lane) + wholeRow - 1) / wholeRow * wholeRow
	p.Tile = min(max(tileSize/(row*int64((2+kept)*e.lane)), 1), pipeline.MaxTile)
	for p.Tile > 1 && int64(kept)*p.Tile*pitch > pipeline.MaxSaved {
		p.Tile--
	}
	if p.Chunk = max(row, 1); row > longRow && len(e.in[len(e.in)-1]) == 0 && len(e.in) == 2 {
		p.Chunk = rowChunk
	}
	p.Group = (task(e.costs, shape.Product(f.dims), leastWork)/max(row, 1) + p.Tile) / p.Tile * p.Tile
	return p, int64(kept)*p.Tile*pitch <= pipeline.MaxSaved
}

// native returns a phase with its numbers.
func (e *rowEmitter) native(x *part, first bases) pipeline.Phase {
	p := pipeline.Phase{Sweeps: x.sweeps, Stages: first.stages(x.steps)}
	for _, s := range x.steps {
		for _, o := range []operand{s.a, s.b, s.c} {
			if e.moves(o, x.sweeps) && !slices.Contains(p.Uses, first.of(o)) {
				p.Uses = append(p.Uses, first.of(o))
			}
		}
	}
	for _, a := range x.splats {
		p.Splats = append(p.Splats, pipeline.Spread{From: first.of(e.values[a]), To: first.of(e.splats[a])})
	}
	for _, i := range x.folds {
		d := e.folds[i]
		p.Folds = append(p.Folds, pipeline.Fold{Reducer: d.Reducer, Accumulator: first[room] + d.Accumulator,
			To: first[room] + d.To})
	}
	return p
}

// moves reports whether the pointer of an operand is another one for each block, or an output.
func (e *rowEmitter) moves(o operand, sweeps bool) bool {
	switch o.kind {
	case input:
		s := e.inputs[o.value]
		return sweeps && !s.ByRow && s.Kind != pipeline.Splat && s.Kind != pipeline.Immediate
	case saved:
		return true
	}
	return o.kind == output
}

// noteOrder notes when inputs are read for the last time, and when results are stored.
func (e *rowEmitter) noteOrder() {
	e.f.lastRead, e.f.storedAt = make([]int, len(e.f.inputs)), make([]int, len(e.f.roots))
	for q, list := range e.in {
		for _, i := range list {
			if nd := e.f.nodes[i]; nd.op == hlo.Parameter {
				e.f.lastRead[nd.input] = q
			}
		}
	}
	for i, r := range e.f.roots {
		e.f.storedAt[i] = e.phase[r]
	}
}
