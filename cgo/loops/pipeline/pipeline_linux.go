//go:build cgo

package pipeline

// #cgo LDFLAGS: -lm
// #include "pipeline.h"
import "C"

import (
	"sync"
	"unsafe"

	"github.com/halo-xla/halo/cgo/loops/run"
)

// numbers returns the numbers of names.
func numbers(n C.int32_t, name func(i C.int32_t) *C.char) map[string]C.int32_t {
	m := map[string]C.int32_t{}
	for i := range n {
		m[C.GoString(name(i))] = i
	}
	return m
}

var (
	stages = sync.OnceValue(func() map[string]C.int32_t {
		return numbers(C.halo_stage_count(), func(i C.int32_t) *C.char { return C.halo_stage_name(i) })
	})
	converts = sync.OnceValue(func() map[string]C.int32_t {
		return numbers(C.halo_convert_count(), func(i C.int32_t) *C.char { return C.halo_convert_name(i) })
	})
	reducers = sync.OnceValue(func() map[string]C.int32_t {
		return numbers(C.halo_reducer_count(), func(i C.int32_t) *C.char { return C.halo_reducer_name(i) })
	})
)

// Has reports whether there is a stage of the name.
func Has(stage string) bool {
	_, ok := stages()[stage]
	return ok
}

// Record makes the record of a program for the instruction set level, which the machine must have.
func (p *Program) Record(level run.ISA) run.Record {
	if !p.Fits() {
		panic("pipeline: bug: a program beyond the limits")
	}
	head := C.halo_pipeline_record{
		elements: C.int64_t(p.Elements()), task: C.int64_t(p.Task), rank: C.int32_t(len(p.Dims)), level: C.int32_t(level),
		lane: C.int32_t(p.Lane), streams: C.int32_t(len(p.Inputs)), outputs: C.int32_t(len(p.Outputs)),
		slots: C.int32_t(p.Slots), stages: C.int32_t(len(p.Stages) + 1), row: C.int64_t(p.Row),
		reductions: C.int32_t(len(p.Reductions)), mask: C.int32_t(p.Mask),
	}
	for i, d := range p.Dims {
		head.dims[i] = C.int64_t(d)
	}
	args := bytesOf(&head)[unsafe.Sizeof(head.head):]
	for _, list := range [][]Stream{p.Inputs, p.Outputs} {
		for i := range list {
			s := list[i].native()
			args = append(args, bytesOf(&s)...)
		}
	}
	for _, st := range append(p.Stages[:len(p.Stages):len(p.Stages)], Stage{Name: "end"}) {
		s := st.native(level, p.Lane)
		args = append(args, bytesOf(&s)...)
	}
	for i := range p.Reductions {
		d := p.Reductions[i].native()
		args = append(args, bytesOf(&d)...)
	}
	return run.Record{Fn: unsafe.Pointer(C.halo_pipeline), Args: args}
}

func (s *Stream) native() C.halo_stream {
	convert, ok := converts()[s.Convert]
	if !ok {
		panic("pipeline: bug: no conversion " + s.Convert)
	}
	n := C.halo_stream{
		ref:  C.halo_ref{slot: C.int32_t(s.Ref.Slot), offset: C.int64_t(s.Ref.Offset)},
		kind: C.int32_t(s.Kind), size: C.int32_t(s.Size), convert: convert, bits: C.int32_t(s.Bits),
		offset: C.int64_t(s.Offset), value: C.uint64_t(s.Value),
	}
	for i, v := range s.Strides {
		n.strides[i] = C.int64_t(v)
	}
	return n
}

func (d *Reduction) native() C.halo_reduction {
	reducer, ok := reducers()[d.Reducer]
	if !ok {
		panic("pipeline: bug: no reducer " + d.Reducer)
	}
	return C.halo_reduction{accumulator: C.int32_t(d.Accumulator), init: C.int32_t(d.Init), reducer: reducer,
		output: d.Output.native()}
}

func (s *Stage) native(level run.ISA, lane int) C.halo_stage {
	number, ok := stages()[s.Name]
	if !ok {
		panic("pipeline: bug: no stage " + s.Name)
	}
	fn := C.halo_stage_function(C.int32_t(level), C.int32_t(lane), number)
	if fn == nil {
		panic("pipeline: bug: this build has no level " + level.String())
	}
	return C.halo_stage{fn: (*[0]byte)(fn), a: C.int32_t(s.A), b: C.int32_t(s.B)}
}

// bytesOf copies the bytes of a struct.
func bytesOf[T any](v *T) []byte {
	return append([]byte(nil), unsafe.Slice((*byte)(unsafe.Pointer(v)), unsafe.Sizeof(*v))...)
}
