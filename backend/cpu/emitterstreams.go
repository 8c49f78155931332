package cpu

import (
	"encoding/binary"
	"math"

	"github.com/halo-xla/halo/backend/cpu/tile"
	"github.com/halo-xla/halo/cgo/loops/pipeline"
	"github.com/halo-xla/halo/xla/exec"
	"github.com/halo-xla/halo/xla/shape"
)

// stream returns the number of an input; key says what it is.
func (e *emitter) stream(key string, s pipeline.Stream) operand {
	k, ok := e.known[key]
	if !ok {
		k = len(e.inputs)
		e.known[key] = k
		e.inputs = append(e.inputs, s)
	}
	return operand{input, k}
}

// constant returns the input that is one lane everywhere.
func (e *emitter) constant(lane uint64) operand {
	if e.lane < 8 {
		lane &= 1<<e.bits() - 1
	}
	key := string(binary.LittleEndian.AppendUint64([]byte("constant"), lane))
	return e.stream(key, pipeline.Stream{Kind: pipeline.Immediate, Value: lane})
}

// laneOf returns the value of a constant as a lane.
func (e *emitter) laneOf(nd *node) uint64 {
	w := nd.value.Wide()
	switch {
	case w.Class == shape.FloatClass && e.lane == 4:
		return uint64(math.Float32bits(float32(w.F[0])))
	case w.Class == shape.FloatClass:
		return math.Float64bits(w.F[0])
	case w.Class == shape.PredClass:
		return uint64(-wideInt(w))
	}
	return uint64(wideInt(w))
}

// conversion names how elements of type t become lanes.
func (e *emitter) conversion(t shape.ElementType) (string, bool) {
	switch {
	case t == shape.Pred && e.lane > 1:
		return "pred", true
	case t == shape.Pred, t.Bits() == e.bits():
		return "", true
	case t.Bits() < 8 && t.IsSigned():
		return "low_s", true
	case t.Bits() < 8 && t.IsUnsigned():
		return "low_u", true
	case t.IsInteger(), t == shape.F16, t == shape.BF16, t == shape.F32, isSmall(t):
		return t.String(), true
	}
	return "", false
}

func (e *emitter) parameter(i int, nd *node) {
	name, _ := e.conversion(nd.t)
	s := pipeline.Stream{Ref: ref(e.f.inputs[nd.input]), Kind: pipeline.Strided, Size: nd.t.Bytes(), Convert: name,
		Bits: nd.t.Bits(), Offset: nd.access.Offset, Strides: nd.access.Strides}
	e.f.find(&s, nd.access)
	nd.part.of(&s, nd.t)
	if nd.part == bothParts {
		e.pairParameter(i, nd, s)
		return
	}
	if e.lane == 1 && nd.t == shape.Pred { // of bytes, which become masks
		e.stage("load", e.stream(string(rune(i)), s), number(0))
		e.stage("nonzero", number(0), number(0))
		e.held = i
		e.spill(i)
		return
	}
	lies := s.Kind == pipeline.Linear || s.Kind == pipeline.Rowwise
	if !e.converts || !lies || s.ByRow || !pipeline.Has("load_"+s.Convert) {
		e.home[i] = e.stream(string(rune(i)), s)
		return
	}
	load := "load_" + s.Convert
	s.Convert = ""
	e.stage(load, e.stream("as it lies "+string(rune(i)), s), number(0))
	e.held = i
	e.spill(i)
}

// find chooses how a stream finds the elements of an access.
func (f *fused) find(s *pipeline.Stream, a tile.Access) {
	a.Offset = 0
	lead := tile.Access{Strides: a.Strides[:min(f.lead, len(a.Strides))]}
	switch {
	case isConstant(a):
		s.Kind = pipeline.Splat
	case inOrder(f.dims, a):
		s.Kind = pipeline.Linear
	case !f.rows:
	case f.isByRow(a):
		s.ByRow, s.Strides = true, lead.Strides
		if inOrder(f.dims[:f.lead], lead) {
			s.Kind = pipeline.Linear
		}
	case inOrder(f.dims[f.lead:], tile.Access{Strides: a.Strides[f.lead:]}):
		s.Kind, s.Strides = pipeline.Rowwise, lead.Strides
	}
}

func isConstant(a tile.Access) bool {
	for _, s := range a.Strides {
		if s != 0 {
			return false
		}
	}
	return true
}

// iota loads the numbers and converts them from integers to the type.
func (e *emitter) iota(i int, nd *node) bool {
	last := nd.access.Offset
	for d, s := range nd.access.Strides {
		last += s * (e.f.dims[d] - 1)
	}
	if min(last, nd.access.Offset) < math.MinInt32 || max(last, nd.access.Offset) > math.MaxInt32 {
		return false
	}
	s := pipeline.Stream{Kind: pipeline.Iota, Size: e.lane, Offset: nd.access.Offset, Strides: nd.access.Strides}
	if e.f.rows && e.f.isByRow(nd.access) {
		s.ByRow, s.Strides = true, s.Strides[:e.f.lead]
	}
	e.home[i] = e.stream(string(rune(i)), s)
	if !nd.t.IsFloat() && nd.t.Bits() >= 32 && e.saves[i].kind == nowhere {
		return true
	}
	e.stage("load", e.home[i], number(0))
	if f := convertStages[shape.SignedClass][nd.t.Class()]; f == nil || !f(e, shape.S32, nd.t) {
		return false
	}
	e.home[i], e.held = operand{kind: nowhere}, i
	e.spill(i)
	return true
}

// storing names the stage that stores with a conversion.
func storing(conversion string) string {
	if conversion == "" {
		return "store"
	}
	return "store_" + conversion
}

// narrow names the conversion of result i if a stage makes it as it stores the elements.
func (e *emitter) narrow(i int) string {
	c, _ := e.conversion(e.f.nodes[e.f.roots[i]].t)
	if !e.converts || e.f.rootParts != nil && e.f.rootParts[i] != whole || !pipeline.Has("store_"+c) {
		return ""
	}
	return c
}

// output is the stream of result i, the elements of node r.
func (e *emitter) output(i, r int, to exec.Slice) pipeline.Stream {
	t := e.f.nodes[r].t
	name, _ := e.conversion(t)
	s := pipeline.Stream{Ref: ref(to), Size: t.Bytes(), Convert: name, Bits: t.Bits()}
	if out := e.f.out; out != nil {
		s.Kind, s.Offset, s.Strides = pipeline.Rowwise, out.Offset, out.Strides[:e.f.lead]
	}
	if e.f.rootParts != nil {
		e.f.rootParts[i].of(&s, t)
	}
	if e.narrow(i) != "" {
		s.Convert = ""
	}
	return s
}
