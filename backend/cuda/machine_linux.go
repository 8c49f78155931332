//go:build cgo

package cuda

import (
	"errors"
	"fmt"
	"log/slog"

	"github.com/halo-xla/halo/backend/cuda/emit"
	"github.com/halo-xla/halo/cgo/cuda"
	"github.com/halo-xla/halo/customcall/lapack"
	"github.com/halo-xla/halo/xla/exec"
	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/pass"
)

// New returns the backend. It fails with errors.ErrUnsupported and a sentence that names what was tried if there is no
// driver, no device or no compiler.
func New(o Options) (exec.Backend, error) {
	devices, err := openAll(o)
	if err != nil {
		return nil, err
	}
	return backendOf(devices), nil
}

// openAll opens the devices that o means.
func openAll(o Options) ([]*device, error) {
	first, err := open(o)
	if err != nil {
		return nil, err
	}
	count, err := o.count(first.Driver)
	if err != nil {
		return nil, errors.Join(missing(err), first.Close())
	}
	devices := []*device{first}
	for len(devices) < count {
		o.Device++
		d, err := open(o)
		if err != nil {
			for _, d := range devices {
				err = errors.Join(err, d.Close())
			}
			return nil, err
		}
		devices = append(devices, d)
	}
	return devices, nil
}

// backendOf returns the backend of devices that reach each other.
func backendOf(devices []*device) exec.Backend {
	var machines []exec.Machine
	for _, d := range devices {
		d.gpus, d.links = len(devices), devices[0].links
		machines = append(machines, &machine{d})
	}
	return exec.Several(machines...)
}

// Describe says what a backend with these options would run on. It fails as New does.
func Describe(o Options) (*Info, error) {
	d, err := open(o)
	if err != nil {
		return nil, err
	}
	d.info.Solver = said(d.solver.lib.of(d.kit))
	d.info.FFT = said(d.fft.lib.of(d.kit))
	d.info.DNN = said(d.dnn.lib.of(d.kit))
	return &d.info, d.Close()
}

// machine is a device as exec sees it.
type machine struct{ device *device }

func (m *machine) Name() string {
	if m.device.options.Emulated {
		return "cuda-emu"
	}
	return "cuda"
}

// Threads is one: executions follow each other on the device.
func (m *machine) Threads() int { return 1 }

func (m *machine) Passes() []pass.Pass {
	return append(passes(m.device.options.Plain), m.device.epilogues())
}

// Serving adds LAPACK's targets, which run on the host.
func (m *machine) Serving(h hlo.Handlers) hlo.Handlers {
	if all, ok := h.(lapack.Handlers); ok {
		return all
	}
	return lapack.Handlers{User: h}
}

// ways are how instructions are done, the first that there is for one. A way gives nil for what is not its.
var ways = []func(*device, *exec.Lowering) (exec.Thunk, error){
	lowerExchanging,
	lowerCalling,
	(*device).lowerSolve,
	lowerHosted,
	(*device).lowerGemm,
	(*device).lowerTrsm,
	(*device).lowerBiased,
	(*device).lowerFft,
	(*device).lowerConvolution,
	lowerWhile,
	lowerKernels,
}

// Lower makes a thunk of the first way that there is.
func (m *machine) Lower(l *exec.Lowering) (exec.Thunk, error) {
	for _, way := range ways {
		if t, err := way(m.device, l); t != nil || err != nil {
			return t, err
		}
	}
	return nil, fmt.Errorf("backend %s has no kernel for %s: %w", m.Name(), l.In.Op, errors.ErrUnsupported)
}

// lowerWhile returns the thunk of a loop that is one kernel; nil for all else.
func lowerWhile(_ *device, l *exec.Lowering) (exec.Thunk, error) {
	if l.In.Op != hlo.While {
		return nil, nil
	}
	e, err := emit.While(l.In)
	if err != nil {
		return nil, err
	}
	return newThunk(l, e), nil
}

// lowerKernels returns the thunk of the kernels that the emitter writes; nil for an op that it has none for.
func lowerKernels(_ *device, l *exec.Lowering) (exec.Thunk, error) {
	if !emit.Has(l.In.Op) {
		return nil, nil
	}
	e, err := emit.Lower(l.In)
	if err != nil {
		return nil, err
	}
	return newThunk(l, e), nil
}

// Memory allocates the memory of one execution at a time.
func (m *machine) Memory(p *exec.Places) (exec.RemoteMemory, error) {
	out, err := newMemory(m.device, p)
	if err != nil {
		return nil, limit(err, p.Bytes)
	}
	return out, nil
}

// Capacity is how many bytes the device has.
func (m *machine) Capacity() int64 { return m.device.info.Memory }

// Alloc allocates a block for any stream.
func (m *machine) Alloc(bytes int64) (exec.Address, error) {
	d := m.device
	if err := d.gone(); err != nil {
		return 0, err
	}
	p, err := d.alloc(bytes, d.transfers)
	if err != nil {
		return 0, limit(err, bytes)
	}
	if err := d.Synchronize(d.transfers); err != nil { // it is there for this stream alone before
		return 0, errors.Join(err, d.release(p, d.transfers))
	}
	return exec.Address(p), nil
}

// Free frees a block; the pool gives it back to the device when somebody waits. What fails is logged.
func (m *machine) Free(at exec.Address) {
	d := m.device
	if err := errors.Join(d.release(cuda.Ptr(at), d.transfers), d.Synchronize(d.transfers)); err != nil {
		slog.Warn("cuda: memory of arrays", "error", err)
	}
}

// Put copies data to an address.
func (m *machine) Put(at exec.Address, data []byte) error {
	d := m.device
	if err := d.gone(); err != nil {
		return err
	}
	return errors.Join(d.in(cuda.Ptr(at), data, d.transfers), d.Synchronize(d.transfers))
}

// Get copies from an address.
func (m *machine) Get(data []byte, at exec.Address) error {
	if err := m.device.gone(); err != nil {
		return err
	}
	return m.device.out(data, cuda.Ptr(at), m.device.transfers)
}

// Fetch copies from a GPU of the same driver.
func (m *machine) Fetch(dst exec.Address, from exec.Remote, src exec.Address, bytes int64) error {
	d := m.device
	other, ok := from.(*machine)
	if !ok || other.device.info.DriverPath != d.info.DriverPath {
		return fmt.Errorf("no copies from another driver: %w", errors.ErrUnsupported)
	}
	if err := errors.Join(d.gone(), other.device.gone()); err != nil {
		return err
	}
	err := d.FetchAsync(cuda.Ptr(dst), other.device.Device, cuda.Ptr(src), bytes, d.transfers)
	return errors.Join(err, d.Synchronize(d.transfers))
}

// limit makes an error of a device that has no room for some bytes one of a limit that is passed.
func limit(err error, bytes int64) error {
	if errors.Is(err, cuda.ErrOutOfMemory) {
		return fmt.Errorf("%w: %d bytes on the device: %w", hlo.ErrLimit, bytes, err)
	}
	return err
}

// Recorded reports whether t runs on the device.
func (m *machine) Recorded(t exec.Thunk) bool {
	switch t.(type) {
	case *thunk, *exchanging, *calling:
		return true
	}
	return false
}

// Copy makes a copy on the device.
func (m *machine) Copy(dst, src exec.Slice) exec.Thunk {
	return &copying{dst: dst, src: src}
}

// While makes a loop: a node of a graph if that can be, else the host looks at its condition.
func (m *machine) While(cond []exec.Thunk, again exec.Slice, body []exec.Thunk) exec.Thunk {
	t := &looping{cond: parts(cond), again: again, body: parts(body)}
	t.whole = m.device.conditional && allFit(t.cond) && allFit(t.body)
	return t
}

// Conditional makes a choice: nodes of a graph if that can be, else the host's.
func (m *machine) Conditional(index exec.Slice, isPred bool, branches [][]exec.Thunk) exec.Thunk {
	t := &choosing{index: index, isPred: isPred, whole: m.device.conditional}
	for _, b := range branches {
		list := parts(b)
		t.branches, t.whole = append(t.branches, list), t.whole && allFit(list)
	}
	return t
}

// Segment makes one submission of list, as far as no loop and no choice is in it.
func (m *machine) Segment(list []exec.Thunk) exec.Segment { return newSegment(list) }

// hosted are the ops that the host does, and what reports call that.
var hosted = [hlo.NumOps]string{
	hlo.AllGather: "host collective", hlo.AllReduce: "host collective", hlo.AllToAll: "host collective",
	hlo.CollectiveBroadcast: "host collective", hlo.CollectivePermute: "host collective",
	hlo.CollectiveReduce: "host collective", hlo.RaggedAllToAll: "host collective",
	hlo.ReduceScatter: "host collective", hlo.Infeed: "host feed", hlo.Outfeed: "host feed", hlo.Recv: "host feed",
	hlo.RecvDone: "host feed", hlo.Send: "host feed", hlo.SendDone: "host feed", hlo.ReplicaId: "host",
	hlo.PartitionId: "host",
}

// lowerHosted returns the thunk of what the host does; nil for all else. Functions of targets are the host's: they take
// arrays in its memory, if lowerCalling does not have them.
func lowerHosted(_ *device, l *exec.Lowering) (exec.Thunk, error) {
	kernel := hosted[l.In.Op]
	if a, ok := l.In.Attrs.(*hlo.CustomCallAttrs); ok {
		if _, known := l.Options().Handlers.Lookup(a.Target); known || a.Target == "shape_assertion" {
			kernel = "host function"
		}
	}
	if kernel == "" {
		return nil, nil
	}
	return l.Host(kernel), nil
}
