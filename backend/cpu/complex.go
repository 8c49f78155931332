package cpu

import (
	"slices"
	"strings"

	"github.com/halo-xla/halo/cgo/loops/pipeline"
	"github.com/halo-xla/halo/xla/exec"
	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// component says which part of complex numbers in memory a stream is.
type component uint8

const (
	whole component = iota
	realPart
	imagPart
	bothParts // stages take whole numbers apart, and put them together
)

// of makes s, a stream of type t as if it were an array of its own, that of one part of complex numbers.
func (c component) of(s *pipeline.Stream, t shape.ElementType) {
	switch c {
	case whole:
		return
	case bothParts:
		s.Size, s.Convert, s.Bits = 2*t.Bytes(), "", 8*t.Bytes()
		return
	}
	if t == shape.F64 && s.Kind == pipeline.Strided { // elements of 16 bytes are not gathered
		s.Ref.Offset += int64(t.Bytes()) * int64(c-realPart)
		s.Offset *= 2
		strides := make([]int64, len(s.Strides))
		for i, n := range s.Strides {
			strides[i] = 2 * n
		}
		s.Strides = strides
		return
	}
	// The stream begins where the numbers do: what copies whole ones from there on does not read behind the last one.
	names := [...]string{realPart: "real_", imagPart: "imag_"}
	s.Size, s.Convert, s.Bits = 2*t.Bytes(), names[c]+t.String(), 8*t.Bytes()
}

// partType is the type of the parts of complex numbers, or t itself.
func partType(t shape.ElementType) shape.ElementType {
	if t.IsComplex() {
		return t.Component()
	}
	return t
}

// pair is the nodes of a complex number's parts; of a real one im is none.
type pair struct{ re, im int }

// splitter makes nodes of real numbers of those of complex ones.
type splitter struct {
	nodes []node
	now   []pair // of the nodes before
	in    *hlo.Instruction
	t     shape.ElementType // of the parts of the node at hand
	pairs bool              // arrays of complex numbers in the order of the space are read and written as such
	lane  int               // bytes
}

// takeApart makes two nodes of each complex one, and two results of each complex result. It reports whether it could.
func (f *fused) takeApart(results []exec.Slice) ([]exec.Slice, bool) {
	if !f.isComplex() {
		return results, true
	}
	s := &splitter{pairs: !f.goesByRows(), lane: f.lane()}
	f.paired = s.pairs
	for i := range f.nodes {
		p, ok := s.split(f, &f.nodes[i])
		if !ok {
			return nil, false
		}
		s.now = append(s.now, p)
	}
	roots, byRow := f.roots, f.byRow
	f.nodes, f.roots, f.byRow, f.rootParts = s.nodes, nil, nil, []component{}
	var split []exec.Slice
	joined := map[int]int{} // the pairs of roots
	add := func(i, node int, p component) {
		f.roots, f.rootParts, split = append(f.roots, node), append(f.rootParts, p), append(split, results[i])
		if byRow != nil {
			f.byRow = append(f.byRow, byRow[i])
		}
	}
	for i, r := range roots {
		switch p := s.now[r]; {
		case p.im == none:
			add(i, p.re, whole)
		case s.half(s.nodes[p.re].t):
			add(i, s.put(node{op: hlo.Map, stage: "join_halves", t: shape.C64, args: []int{p.re, p.im}}), whole)
			f.nodes = s.nodes
		case s.pairs:
			if _, ok := joined[r]; !ok {
				joined[r] = s.put(node{op: hlo.Map, stage: "pair", t: s.nodes[p.re].t, args: []int{p.re, p.im}})
				f.nodes = s.nodes
			}
			add(i, joined[r], bothParts)
		default:
			add(i, p.re, realPart)
			add(i, p.im, imagPart)
		}
	}
	return split, true
}

// goesByRows is inRows of what is not taken apart yet.
func (f *fused) goesByRows() bool {
	rows, lead := f.rows, f.lead
	defer func() { f.rows, f.lead = rows, lead }()
	return f.inRows()
}

func (f *fused) isComplex() bool {
	for _, nd := range f.nodes {
		if nd.t.IsComplex() {
			return true
		}
	}
	return false
}

// split makes the nodes of nd.
func (s *splitter) split(f *fused, nd *node) (pair, bool) {
	s.in, s.t = nd.in, partType(nd.t)
	switch {
	case nd.t == shape.C64 && nd.op == hlo.Parameter && s.half(s.t):
		whole := s.put(*nd)
		return pair{s.do("first_half", whole), s.do("second_half", whole)}, true
	case nd.op == hlo.Parameter && nd.t.IsComplex() && s.pairs && !isConstant(nd.access) && inOrder(f.dims, nd.access):
		return s.two(node{op: hlo.Parameter, t: s.t, input: nd.input, part: bothParts, access: nd.access}), true
	case nd.op == hlo.Parameter && nd.t.IsComplex():
		return s.both(func(p component) node {
			return node{op: hlo.Parameter, t: s.t, input: nd.input, part: p, access: nd.access}
		}), true
	case nd.op == hlo.Constant && nd.t.IsComplex():
		return s.constant(nd), true
	}
	if takes := s.takesComplex(nd); takes || nd.t.IsComplex() {
		rule := partRules[nd.op]
		if rule == nil || nd.stage != "" {
			return pair{}, false
		}
		x := make([]pair, len(nd.args))
		for i, a := range nd.args {
			x[i] = s.now[a]
		}
		return rule(s, nd, x)
	}
	same := *nd
	same.args = make([]int, len(nd.args))
	for i, a := range nd.args {
		same.args[i] = s.now[a].re
	}
	return pair{s.put(same), none}, true
}

// half reports whether parts of type t are half a lane each: complex numbers are lanes then.
func (s *splitter) half(t shape.ElementType) bool { return t == shape.F32 && s.lane == 8 }

func (s *splitter) takesComplex(nd *node) bool {
	for _, a := range nd.args {
		if s.now[a].im != none {
			return true
		}
	}
	return false
}

func (s *splitter) put(nd node) int {
	s.nodes = append(s.nodes, nd)
	return len(s.nodes) - 1
}

func (s *splitter) both(of func(p component) node) pair {
	return pair{s.put(of(realPart)), s.put(of(imagPart))}
}

func (s *splitter) constant(nd *node) pair {
	v := nd.value.Wide().C[0]
	return pair{s.number(real(v)), s.number(imag(v))}
}

// number is a constant of the type at hand.
func (s *splitter) number(v float64) int {
	value := literal.Scalar(v)
	if s.t == shape.F32 {
		value = literal.Scalar(float32(v))
	}
	return s.put(constantNode(value))
}

// do applies a stage.
func (s *splitter) do(stage string, args ...int) int {
	return s.put(node{op: hlo.Map, in: s.in, stage: stage, t: s.t, args: args})
}

// asks applies a stage that compares, or one on what such have found.
func (s *splitter) asks(stage string, args ...int) int {
	n := s.do(stage, args...)
	s.nodes[n].t = shape.Pred
	return n
}

// partRules make the parts of ops on complex numbers.
var partRules = map[hlo.Opcode]func(s *splitter, nd *node, x []pair) (pair, bool){
	hlo.Abs: func(s *splitter, _ *node, x []pair) (pair, bool) {
		return pair{s.do("absolute", x[0].re, x[0].im), none}, true
	},
	hlo.Add:     pairwise("c_add", "add_f"),
	hlo.Compare: (*splitter).compare,
	hlo.Complex: func(_ *splitter, _ *node, x []pair) (pair, bool) { return pair{x[0].re, x[1].re}, true },
	hlo.Convert: (*splitter).convert,
	hlo.Cos:     function("c_cos"),
	hlo.Cosh:    function("c_cosh"),
	hlo.Divide:  function("c_divide"),
	hlo.Exp:     function("c_exp"),
	hlo.Expm1:   narrowFunction("c_expm1"),
	hlo.Imag:    func(_ *splitter, _ *node, x []pair) (pair, bool) { return pair{x[0].im, none}, true },
	hlo.Iota: func(s *splitter, nd *node, _ []pair) (pair, bool) {
		return pair{s.put(node{op: hlo.Iota, t: s.t, access: nd.access}), s.number(0)}, true
	},
	hlo.Log:      function("c_log"),
	hlo.Log1p:    function("c_log1p"),
	hlo.Logistic: narrowFunction("c_logistic"),
	hlo.Multiply: function("c_multiply"),
	hlo.Negate:   each("neg_f"),
	hlo.Real:     func(_ *splitter, _ *node, x []pair) (pair, bool) { return pair{x[0].re, none}, true },
	hlo.Reduce: func(s *splitter, nd *node, x []pair) (pair, bool) { // sums only
		row := func(n int) int { return s.put(node{op: hlo.Reduce, in: nd.in, t: s.t, args: []int{n}}) }
		return pair{row(x[0].re), row(x[0].im)}, true
	},
	hlo.Rsqrt:    function("c_rsqrt"),
	hlo.Select:   (*splitter).choose,
	hlo.Sign:     function("c_sign"),
	hlo.Sin:      function("c_sin"),
	hlo.Sinh:     function("c_sinh"),
	hlo.Sqrt:     function("c_sqrt"),
	hlo.Subtract: pairwise("c_subtract", "sub_f"),
	hlo.Tan:      function("c_tan"),
	hlo.Tanh:     function("c_tanh"),
}

// function applies a stage that leaves the imaginary part in memory.
func function(stage string) func(s *splitter, _ *node, x []pair) (pair, bool) {
	return func(s *splitter, _ *node, x []pair) (pair, bool) {
		var args []int
		for _, p := range x {
			args = append(args, p.re, p.im)
		}
		return s.two(node{op: hlo.Map, in: s.in, stage: stage, t: s.t, args: args}), true
	}
}

// narrowFunction is function of numbers of floats: of doubles what cancels would need more than they have.
func narrowFunction(stage string) func(s *splitter, _ *node, x []pair) (pair, bool) {
	return func(s *splitter, nd *node, x []pair) (pair, bool) {
		if s.t != shape.F32 {
			return pair{}, false
		}
		return function(stage)(s, nd, x)
	}
}

// pairwise applies a stage to both parts at once or, in programs over rows, one to each.
func pairwise(both, one string) func(s *splitter, nd *node, x []pair) (pair, bool) {
	return func(s *splitter, nd *node, x []pair) (pair, bool) {
		if s.pairs {
			return function(both)(s, nd, x)
		}
		return each(one)(s, nd, x)
	}
}

// choose chooses between complex numbers.
func (s *splitter) choose(_ *node, x []pair) (pair, bool) {
	if p := x[0].re; !s.pairs {
		return pair{s.do("select", p, x[1].re, x[2].re), s.do("select", p, x[1].im, x[2].im)}, true
	}
	args := []int{x[0].re, x[1].re, x[1].im, x[2].re, x[2].im}
	return s.two(node{op: hlo.Map, in: s.in, stage: "c_select", t: s.t, args: args}), true
}

// two puts a node that leaves a real part in the registers and the imaginary one in memory.
func (s *splitter) two(nd node) pair {
	re := s.put(nd)
	im := s.do("mixed", re)
	s.nodes[re].mixed = im
	return pair{re, im}
}

// leavesTwo reports whether the stage leaves one value in the registers and another, that of node mixed, in memory.
func (nd *node) leavesTwo() bool {
	return nd.stage == "mix" || strings.HasPrefix(nd.stage, "c_") || nd.part == bothParts
}

// parts emits a function of complex numbers.
func (e *emitter) parts(i int, nd *node) {
	if emit := pairSteps[nd.stage]; emit != nil {
		st := emit(e, nd)
		st.d = e.roomFor(i, nd)
		e.hold(nd.args[0])
		e.steps = append(e.steps, st)
		e.held = none
		e.leave(nd, st.d)
		return
	}
	st := step{name: nd.stage, a: e.taken(i, nd)}
	if len(nd.args) == 4 {
		st.c, st.b = e.memory(nd.args[2]), e.memory(nd.args[3])
	}
	e.hold(nd.args[0])
	e.steps = append(e.steps, st)
	e.held = none
	e.leave(nd, st.a)
}

// pairSteps are the stages that leave the imaginary part of their value in any room, and where they find operands.
var pairSteps = map[string]func(e *emitter, nd *node) step{
	"c_add":      (*emitter).pairStep,
	"c_multiply": (*emitter).pairStep,
	"c_select": func(e *emitter, nd *node) step {
		a := nd.args
		return step{name: nd.stage, a: e.memory(a[1]), b: e.memory(a[2]), c: e.memory(a[3]), e: e.memory(a[4])}
	},
	"c_subtract": (*emitter).pairStep,
}

// pairStep finds two complex numbers, or one that is multiplied by itself.
func (e *emitter) pairStep(nd *node) step {
	a := nd.args
	switch {
	case nd.stage == "c_multiply" && a[0] == a[2] && a[1] == a[3]:
		return step{name: "c_square", a: e.memory(a[1])}
	case nd.stage == "c_add" && e.held == a[2]:
		a[0], a[1], a[2], a[3] = a[2], a[3], a[0], a[1]
	}
	return step{name: nd.stage, a: e.memory(a[1]), c: e.memory(a[2]), b: e.memory(a[3])}
}

// roomFor is a slot for the other value of node i: that of an operand nothing else needs any more, if there is one.
func (e *emitter) roomFor(i int, nd *node) operand {
	for k, x := range nd.args[1:] {
		if nd.stage == "c_select" && (x == nd.args[1] || x == nd.args[3]) {
			continue // it reads real parts when it has left the imaginary one
		}
		if e.dies(x, i) && x != nd.args[0] && !slices.Contains(nd.args[k+2:], x) {
			room := e.home[x]
			e.home[x] = operand{kind: nowhere}
			return room
		}
	}
	return e.reserve()
}

// pairParameter reads an array of complex numbers in the order of the space. What is in the registers stays there if it
// is still wanted.
func (e *emitter) pairParameter(i int, nd *node, s pipeline.Stream) {
	from := e.stream(string(rune(i)), s)
	held := e.held
	if held != none && e.lastUse[held] > i && e.home[held].kind == nowhere && e.saves[i].kind == nowhere {
		re, im := e.reserve(), e.reserve()
		e.steps = append(e.steps, step{name: "split_pairs", a: from, b: im, c: re})
		e.home[i] = re
		e.leave(nd, im)
		return
	}
	room := e.reserve()
	e.stage("load_pairs", from, room)
	e.held = i
	e.spill(i)
	e.leave(nd, room)
}

// storePair stores a complex result.
func (e *emitter) storePair(i int, nd *node) {
	e.hold(nd.args[0])
	e.stage("store_pairs", operand{output, i}, e.memory(nd.args[1]))
}

// each applies a stage to each part.
func each(stage string) func(s *splitter, _ *node, x []pair) (pair, bool) {
	return func(s *splitter, _ *node, x []pair) (pair, bool) {
		var re, im []int
		for _, p := range x {
			re, im = append(re, p.re), append(im, p.im)
		}
		return pair{s.do(stage, re...), s.do(stage, im...)}, true
	}
}

func (s *splitter) compare(nd *node, x []pair) (pair, bool) {
	stage, join := "eq_f", "and"
	if nd.in.Attrs.(*hlo.CompareAttrs).Direction == hlo.Ne {
		stage, join = "ne_f", "or"
	}
	return pair{s.asks(join, s.asks(stage, x[0].re, x[1].re), s.asks(stage, x[0].im, x[1].im)), none}, true
}

// convert converts each part that there is, an imaginary one to complex numbers only: that of a real one is 0.
func (s *splitter) convert(nd *node, x []pair) (pair, bool) {
	part := func(n int) int {
		if partType(nd.from(0)) == s.t {
			return n
		}
		return s.put(node{op: hlo.Convert, in: nd.in, t: s.t, args: []int{n}})
	}
	re := part(x[0].re)
	switch {
	case !nd.t.IsComplex():
		return pair{re, none}, true
	case x[0].im == none:
		return pair{re, s.number(0)}, true
	}
	return pair{re, part(x[0].im)}, true
}
