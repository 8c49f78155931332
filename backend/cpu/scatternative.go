package cpu

import (
	"github.com/halo-xla/halo/backend/cpu/kernel"
	"github.com/halo-xla/halo/cgo/loops/index"
	"github.com/halo-xla/halo/cgo/loops/run"
	"github.com/halo-xla/halo/xla/shape"
)

// foldTypes are the types whose elements native loops fold.
var foldTypes = map[shape.ElementType]index.Type{
	shape.S8: index.S8, shape.S16: index.S16, shape.S32: index.S32, shape.S64: index.S64, shape.U8: index.U8,
	shape.U16: index.U16, shape.U32: index.U32, shape.U64: index.U64, shape.F32: index.F32, shape.F64: index.F64,
	shape.BF16: index.BF16, shape.F16: index.F16, shape.C64: index.C64, shape.C128: index.C128, shape.Pred: index.U8,
}

// foldOf are the native reducers.
var foldOf = map[kernel.Reducer]index.Reducer{
	kernel.Assign: index.Assign, kernel.AddOf: index.Add, kernel.MultiplyOf: index.Multiply,
	kernel.MinimumOf: index.Minimum, kernel.MaximumOf: index.Maximum, kernel.AndOf: index.And, kernel.OrOf: index.Or,
	kernel.XorOf: index.Xor,
}

// foldOfPreds are the reducers on predicates, which are bytes 0 and 1.
var foldOfPreds = map[kernel.Reducer]index.Reducer{
	kernel.AddOf: index.Or, kernel.MultiplyOf: index.And, kernel.MinimumOf: index.And, kernel.MaximumOf: index.Or,
	kernel.AndOf: index.And, kernel.OrOf: index.Or, kernel.XorOf: index.Xor,
}

// wordTypes are the types of assignments, by the logarithm of the width.
var wordTypes = []index.Type{index.U8, index.U16, index.U32, index.U64, index.Wide}

// native returns what the native kernel does for s, if there is one: not if the results have wider types.
func (s *scatter) native() ([]index.Body, bool) {
	if !run.Available() {
		return nil, false
	}
	for i := range s.from {
		if s.from[i].Type != s.to[i].Type {
			return nil, false
		}
	}
	var list []index.Body
	for i := range s.combines {
		r, t, ok := s.fold(s.to[i].Type)
		if !ok {
			return nil, false
		}
		b := s.body(i, i+1)
		b.Reducer, b.Type = r, t
		list = append(list, b)
	}
	if s.program != nil {
		if !s.program.Native() {
			return nil, false
		}
		b := s.body(0, len(s.inputs))
		b.Program = s.program.Pack()
		list = append(list, b)
	}
	return list, true
}

// fold returns the loop for elements of type t.
func (s *scatter) fold(t shape.ElementType) (index.Reducer, index.Type, bool) {
	if s.reducer == kernel.Assign {
		return index.Assign, wordTypes[indexType(t).LogBytes], true
	}
	if t == shape.Pred {
		return foldOfPreds[s.reducer], index.U8, true
	}
	f, ok := foldTypes[t]
	return foldOf[s.reducer], f, ok
}

// freeParts is the number of parts that an axis of the windows must be long enough for to split work by it.
const freeParts = 8

// body is the scatter of operands first to last-1, which share the windows of the first.
func (s *scatter) body(first, last int) index.Body {
	x := s.x.Of(widthOf(s.to[first]))
	b := index.Body{Plan: *nativePlan(&x, s.starts), Slab: x.Slab, Free: x.FreeAxis(freeParts)}
	for _, a := range x.Window {
		b.Window = append(b.Window, index.WindowAxis{N: a.N, Windowed: a.Windowed, Operand: a.Operand})
	}
	if len(b.Window) == 0 {
		b.Window = []index.WindowAxis{{N: 1}}
	}
	for i := first; i < last; i++ {
		b.Arrays = append(b.Arrays, index.Array{Dst: ref(s.results[i]), Src: ref(s.inputs[i]), Updates: ref(s.updates[i]),
			Width: widthOf(s.to[i]), Bytes: s.results[i].Size})
	}
	return b
}
