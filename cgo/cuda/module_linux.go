//go:build cgo

package cuda

// #include <stdlib.h>
// #include "cuda.h"
import "C"

import (
	"errors"
	"fmt"
	"strings"
	"unsafe"
)

func (f Function) c() C.halo_function { return C.halo_function(f.p) }

// The options of loading: where the linker's words go.
const (
	optionErrorLog     = 5
	optionErrorLogSize = 6
	logBytes           = 16 << 10
)

// LoadModule loads a cubin, or PTX with a 0 at its end. It fails with what the driver's compiler says.
func (d *Device) LoadModule(image []byte) (Module, error) {
	if len(image) == 0 {
		return Module{}, errors.New("cuda: cuModuleLoadDataEx: the image is empty")
	}
	log := (*C.char)(C.calloc(logBytes, 1))
	defer C.free(unsafe.Pointer(log))
	data := C.CBytes(image)
	defer C.free(data)
	options := [2]C.uint{optionErrorLog, optionErrorLogSize}
	values := (*[2]unsafe.Pointer)(C.calloc(2, C.size_t(unsafe.Sizeof(uintptr(0)))))
	defer C.free(unsafe.Pointer(values))
	values[0], *(*uintptr)(unsafe.Pointer(&values[1])) = unsafe.Pointer(log), logBytes
	var m C.halo_module
	err := d.check("cuModuleLoadDataEx", C.halo_cuModuleLoadDataEx(d.t, d.context, &m, data, C.uint(len(options)),
		&options[0], &values[0]))
	if said := strings.TrimSpace(C.GoString(log)); err != nil && said != "" {
		err = fmt.Errorf("%w: %s", err, said)
	}
	return Module{unsafe.Pointer(m)}, err
}

// CloseModule unloads a module; none of its kernels may be running.
func (d *Device) CloseModule(m Module) error {
	return d.check("cuModuleUnload", C.halo_cuModuleUnload(d.t, d.context, C.halo_module(m.p)))
}

// Function returns a kernel of m.
func (d *Device) Function(m Module, name string) (Function, error) {
	text := C.CString(name)
	defer C.free(unsafe.Pointer(text))
	var f C.halo_function
	err := d.check("cuModuleGetFunction", C.halo_cuModuleGetFunction(d.t, d.context, &f, C.halo_module(m.p), text))
	if err != nil {
		err = fmt.Errorf("%w: kernel %s", err, name)
	}
	return Function{unsafe.Pointer(f)}, err
}

// The headers have the same number of parameters.
var _ = [1]struct{}{}[MaxParams-C.HALO_CUDA_PARAMS]

// SetFunctionAttribute sets a property of a kernel.
func (d *Device) SetFunctionAttribute(f Function, a FunctionAttribute, v int) error {
	return d.check("cuFuncSetAttribute", C.halo_cuFuncSetAttribute(d.t, d.context, f.c(), C.uint(a), C.int(v)))
}

// Submit enqueues the commands of a on s; base are the addresses that its values count from. It stops at the first
// command that cannot be enqueued and says which.
func (d *Device) Submit(a *Array, s Stream, base []Ptr) error {
	if len(a.commands) == 0 {
		return nil
	}
	if n := a.slots(); n > int64(len(base)) {
		panic(fmt.Sprintf("cuda: bug: %d bases for commands that want %d", len(base), n))
	}
	var done C.int64_t
	status := C.halo_cuda_submit(d.t, d.context, s.c(), (*C.halo_cuda_command)(unsafe.Pointer(&a.commands[0])),
		C.int64_t(len(a.commands)), (*C.halo_cuda_value)(unsafe.Pointer(unsafe.SliceData(a.values))),
		(*C.ulonglong)(unsafe.Pointer(unsafe.SliceData(base))), &done)
	if status == 0 {
		return nil
	}
	n := int(done)
	if n < 0 {
		return d.check("cuCtxSetCurrent", status)
	}
	var err error
	if c := a.calls[n]; c != nil {
		err = c.Failed(int(status))
	} else {
		err = d.check(calls[a.commands[n].kind], status)
	}
	return fmt.Errorf("%w (command %d of %d)", err, done, len(a.commands))
}

var calls = []string{
	kindLaunch: "cuLaunchKernel", kindCopy: "cuMemcpyDtoDAsync", kindFill: "cuMemsetD8Async", kindRecord: "cuEventRecord",
	kindWait: "cuStreamWaitEvent", kindGraph: "cuGraphLaunch", kindCopyRows: "cuMemcpy2DAsync",
}

// Capture makes s gather what is enqueued on it, instead of running it. Captured gives the graph.
func (d *Device) Capture(s Stream) error {
	const relaxed = 2 // other threads go on as ever
	return d.check("cuStreamBeginCapture", C.halo_cuStreamBeginCapture_v2(d.t, d.context, s.c(), relaxed))
}

// Captured ends Capture and returns what was gathered.
func (d *Device) Captured(s Stream) (Graph, error) {
	var g C.halo_graph
	err := d.check("cuStreamEndCapture", C.halo_cuStreamEndCapture(d.t, d.context, s.c(), &g))
	return Graph{unsafe.Pointer(g)}, err
}

// Instantiate makes a graph ready to run.
func (d *Device) Instantiate(g Graph) (Exec, error) {
	var x C.halo_graph_exec
	err := d.check("cuGraphInstantiate", C.halo_cuGraphInstantiateWithFlags(d.t, d.context, &x, C.halo_graph(g.p), 0))
	return Exec{unsafe.Pointer(x)}, err
}

// Update gives x the parameters of g, a graph with the same nodes.
func (d *Device) Update(x Exec, g Graph) error {
	return d.check("cuGraphExecUpdate", C.halo_cuda_update(d.t, d.context, C.halo_graph_exec(x.p), C.halo_graph(g.p)))
}

// Run enqueues a graph.
func (d *Device) Run(x Exec, s Stream) error {
	return d.check("cuGraphLaunch", C.halo_cuGraphLaunch(d.t, d.context, C.halo_graph_exec(x.p), s.c()))
}

// CloseGraph frees a graph.
func (d *Device) CloseGraph(g Graph) error {
	return d.check("cuGraphDestroy", C.halo_cuGraphDestroy(d.t, d.context, C.halo_graph(g.p)))
}

// CloseExec frees an instantiated graph when it is done.
func (d *Device) CloseExec(x Exec) error {
	return d.check("cuGraphExecDestroy", C.halo_cuGraphExecDestroy(d.t, d.context, C.halo_graph_exec(x.p)))
}
