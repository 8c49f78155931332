//go:build cgo

package cuda

import (
	"encoding/binary"
	"errors"
	"log/slog"
	"unsafe"

	"github.com/halo-xla/halo/cgo/cuda"
	"github.com/halo-xla/halo/cgo/cusolver"
	"github.com/halo-xla/halo/xla/exec"
)

// memory is the device's memory of one execution at a time, and its stream.
type memory struct {
	device *device
	stream cuda.Stream
	slab   cuda.Ptr
	// base are the addresses of slots; the last is that of the state of random numbers.
	base   []cuda.Ptr
	graphs map[*cuda.Array]*graph
	solver *cusolver.Handle // nil until it is wanted
}

// seedBytes is the room for the state of random numbers behind the slots.
const seedBytes = 256

func newMemory(d *device, p *exec.Places) (*memory, error) {
	m := &memory{device: d, graphs: map[*cuda.Array]*graph{}}
	var err error
	if m.stream, err = d.NewStream(); err != nil {
		return nil, err
	}
	if m.slab, err = d.alloc(p.Bytes+seedBytes, m.stream); err != nil {
		return nil, errors.Join(err, d.CloseStream(m.stream))
	}
	m.base = make([]cuda.Ptr, len(p.Offsets)+1)
	for i, at := range p.Offsets {
		if at >= 0 {
			m.base[i] = m.slab + cuda.Ptr(at)
		}
	}
	m.base[len(p.Offsets)] = m.slab + cuda.Ptr(p.Bytes)
	return m, nil
}

// Begin writes the state of the run's random numbers: their key, and nothing drawn yet.
func (m *memory) Begin(key uint64) error {
	state := make([]byte, 4*8)
	binary.LittleEndian.PutUint64(state, key)
	return m.device.in(m.base[len(m.base)-1], state, m.stream)
}

// In copies data to an offset of the slab.
func (m *memory) In(offset int64, data []byte) error {
	return m.device.in(m.slab+cuda.Ptr(offset), data, m.stream)
}

// Out copies from an offset of the slab, when all before is done.
func (m *memory) Out(data []byte, offset int64) error {
	return m.device.out(data, m.slab+cuda.Ptr(offset), m.stream)
}

// read copies what lies at s to the host.
func (m *memory) read(data []byte, s exec.Slice) error {
	return m.device.out(data, m.base[s.Slot]+cuda.Ptr(s.Offset), m.stream)
}

// Wait returns when all is done.
func (m *memory) Wait() error { return m.device.Synchronize(m.stream) }

// Close frees all. What fails is logged: nobody waits for it.
func (m *memory) Close() {
	var errs []error
	for _, g := range m.graphs {
		errs = append(errs, g.close(m.device))
	}
	// The pool gives memory back to the device when somebody waits: another program may want it at once.
	errs = append(errs, m.device.release(m.slab, m.stream), m.Wait())
	if m.solver != nil {
		errs = append(errs, m.device.Within(m.solver.Close))
	}
	errs = append(errs, m.device.CloseStream(m.stream))
	if err := errors.Join(errs...); err != nil {
		slog.Warn("cuda: memory of an execution", "error", err)
	}
}

// graph is commands that were captured: a second submission of the same ones.
type graph struct {
	made bool
	exec cuda.Exec
}

func (g *graph) close(d *device) error {
	if !g.made {
		return nil
	}
	return d.CloseExec(g.exec)
}

// submit enqueues a. The first time it does so command by command, since modules are loaded and memory is touched then;
// the second time it makes a graph, which runs from then on: addresses never change.
func (m *memory) submit(a *cuda.Array) error {
	if a.Len() < 2 {
		return m.device.Submit(a, m.stream, m.base)
	}
	g := m.graphs[a]
	switch {
	case g == nil:
		m.graphs[a] = &graph{}
		return m.device.Submit(a, m.stream, m.base)
	case !g.made:
		if err := m.capture(g, a); err != nil {
			return err
		}
	}
	return m.device.Device.Run(g.exec, m.stream)
}

// capture makes g the graph of a.
func (m *memory) capture(g *graph, a *cuda.Array) error {
	d := m.device
	if err := d.Capture(m.stream); err != nil {
		return err
	}
	failed := d.Submit(a, m.stream, m.base)
	captured, err := d.Captured(m.stream)
	if err != nil { // the stream must not stay as it is
		if captured, again := d.Captured(m.stream); again == nil {
			err = errors.Join(err, d.CloseGraph(captured))
		}
		return errors.Join(failed, err)
	}
	if failed != nil {
		return errors.Join(failed, d.CloseGraph(captured))
	}
	g.exec, err = d.Instantiate(captured)
	g.made = err == nil
	return errors.Join(err, d.CloseGraph(captured))
}

// bytesAt is memory of C as a slice.
func bytesAt(p unsafe.Pointer, n int64) []byte { return unsafe.Slice((*byte)(p), n) }
