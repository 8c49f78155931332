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
	// base are the addresses of slots, for each execution anew as far as arguments and results are concerned; the last is
	// that of the state of random numbers.
	base   []cuda.Ptr
	graphs map[*cuda.Array]*graphs
	solver *cusolver.Handle // nil until it is wanted
}

// seedBytes is the room for the state of random numbers behind the slots.
const seedBytes = 256

func newMemory(d *device, p *exec.Places) (*memory, error) {
	m := &memory{device: d, graphs: map[*cuda.Array]*graphs{}}
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
	if err := m.device.gone(); err != nil {
		return err
	}
	state := make([]byte, 4*8)
	binary.LittleEndian.PutUint64(state, key)
	return m.device.in(m.base[len(m.base)-1], state, m.stream)
}

// Bind has a slot lie at an address from now on.
func (m *memory) Bind(slot int32, at exec.Address) { m.base[slot] = cuda.Ptr(at) }

// In copies data to a slot.
func (m *memory) In(slot int32, data []byte) error { return m.device.in(m.base[slot], data, m.stream) }

// Out copies from a slot, when all before is done.
func (m *memory) Out(data []byte, slot int32) error {
	return m.device.out(data, m.base[slot], m.stream)
}

// Copy copies from an address to a slot.
func (m *memory) Copy(slot int32, from exec.Address, bytes int64) error {
	var a cuda.Array
	a.Copy(word(m.base[slot]), word(cuda.Ptr(from)), bytes)
	return m.device.Submit(&a, m.stream, nil)
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

// bytesAt is memory of C as a slice.
func bytesAt(p unsafe.Pointer, n int64) []byte { return unsafe.Slice((*byte)(p), n) }
