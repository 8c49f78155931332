//go:build cgo

package cuda

// #include "cuda.h"
import "C"

import (
	"slices"
	"unsafe"
)

// conditionalsFrom is the first version of CUDA whose drivers have loops and choices as nodes, within each other too.
const conditionalsFrom = 12040

// Conditionals reports whether graphs may have conditional nodes: NewGraph and what follows is for drivers that do.
func (d *Driver) Conditionals() (bool, error) {
	v, err := d.Version()
	return v >= conditionalsFrom && d.t.cuGraphCreate != nil && d.t.cuStreamBeginCaptureToGraph != nil &&
		d.t.cuStreamGetCaptureInfo_v3 != nil && d.t.cuGraphConditionalHandleCreate != nil &&
		d.t.cuGraphAddNode_v2 != nil, err
}

func (g Graph) c() C.halo_graph { return C.halo_graph(g.p) }

// NewGraph makes a graph without nodes.
func (d *Device) NewGraph() (Graph, error) {
	var g C.halo_graph
	err := d.check("cuGraphCreate", C.halo_cuGraphCreate(d.t, d.context, &g, 0))
	return Graph{unsafe.Pointer(g)}, err
}

// nodes is a list of nodes for C.
func nodes(list []Node) (**C.struct_CUgraphNode_st, C.size_t) {
	return (**C.struct_CUgraphNode_st)(unsafe.Pointer(unsafe.SliceData(list))), C.size_t(len(list))
}

// CaptureInto makes s gather what is enqueued on it into g, behind some nodes, instead of running it.
func (d *Device) CaptureInto(s Stream, g Graph, after ...Node) error {
	list, n := nodes(after)
	return d.check("cuStreamBeginCaptureToGraph", C.halo_cuda_capture(d.t, d.context, s.c(), g.c(), list, n))
}

// Last returns the nodes that what s gathers next is behind.
func (d *Device) Last(s Stream) ([]Node, error) {
	var last **C.struct_CUgraphNode_st
	var n C.size_t
	err := d.check("cuStreamGetCaptureInfo", C.halo_cuda_last(d.t, d.context, s.c(), &last, &n))
	if err != nil {
		return nil, err
	}
	return slices.Clone(unsafe.Slice((*Node)(unsafe.Pointer(last)), int(n))), nil
}

// NewCondition makes a condition for a conditional node of g. Kernels set it with cudaGraphSetConditional.
func (d *Device) NewCondition(g Graph) (Condition, error) {
	var c C.uint64_t
	err := d.check("cuGraphConditionalHandleCreate",
		C.halo_cuGraphConditionalHandleCreate(d.t, d.context, &c, g.c(), d.context, 0, 0))
	return Condition(c), err
}

// Conditional adds a node to g, behind others, that runs the graph body, which is empty yet: once if c is not 0, or, if
// it loops, as long as that is so. The body is the node's.
func (d *Device) Conditional(g Graph, c Condition, loops bool, after ...Node) (n Node, body Graph, err error) {
	var node *C.struct_CUgraphNode_st
	var inner C.halo_graph
	kind := C.int(0)
	if loops {
		kind = 1
	}
	list, count := nodes(after)
	err = d.check("cuGraphAddNode", C.halo_cuda_conditional_node(d.t, d.context, g.c(), list, count, C.uint64_t(c), kind,
		&node, &inner))
	return Node{unsafe.Pointer(node)}, Graph{unsafe.Pointer(inner)}, err
}
