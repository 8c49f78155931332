//go:build cgo

package cuda

import (
	"encoding/binary"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
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
	// base are the addresses of slots, for each execution anew as far as arguments and results are concerned; the last are
	// those of the state of random numbers, number seed, and of the word that ends loops.
	base   []cuda.Ptr
	seed   int
	graphs map[node]*graphs
	called map[*commands]bool // whose libraries have worked
	// counters is the memory of loops that count.
	counters map[*counting]cuda.Ptr
	stop     stop
	solver   *cusolver.Handle // nil until it is wanted
}

// seedBytes is the room for the state of random numbers behind the slots.
const seedBytes = 256

func newMemory(d *device, p *exec.Places) (*memory, error) {
	m := &memory{device: d, seed: len(p.Offsets), graphs: map[node]*graphs{}, called: map[*commands]bool{},
		counters: map[*counting]cuda.Ptr{}}
	var err error
	if m.stream, err = d.NewStream(); err != nil {
		return nil, err
	}
	if m.slab, err = d.alloc(p.Bytes+seedBytes, m.stream); err != nil {
		return nil, errors.Join(err, d.CloseStream(m.stream))
	}
	m.base = make([]cuda.Ptr, len(p.Offsets)+2)
	for i, at := range p.Offsets {
		if at >= 0 {
			m.base[i] = m.slab + cuda.Ptr(at)
		}
	}
	m.base[m.seed] = m.slab + cuda.Ptr(p.Bytes)
	if b, ok := p.Built.(*built); ok && b.stops {
		if m.base[m.seed+1], err = m.stop.on(d); err != nil {
			m.Close()
			return nil, err
		}
	}
	return m, nil
}

// Begin writes the state of the run's random numbers: their key, and nothing drawn yet.
func (m *memory) Begin(key uint64) error {
	if err := m.device.gone(); err != nil {
		return err
	}
	state := make([]byte, 4*8)
	binary.LittleEndian.PutUint64(state, key)
	return m.device.in(m.base[m.seed], state, m.stream)
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

// Cancel has the loops of graphs end, or not any more.
func (m *memory) Cancel(on bool) { m.stop.set(on) }

// Close frees all. What fails is logged: nobody waits for it.
func (m *memory) Close() {
	var errs []error
	for _, g := range m.graphs {
		errs = append(errs, g.close(m.device))
	}
	for _, at := range m.counters {
		errs = append(errs, m.device.release(at, m.stream))
	}
	// The pool gives memory back to the device when somebody waits: another program may want it at once.
	errs = append(errs, m.device.release(m.slab, m.stream), m.Wait())
	if m.solver != nil {
		errs = append(errs, m.device.Within(m.solver.Close))
	}
	errs = append(errs, m.stop.close(m.device), m.device.CloseStream(m.stream))
	if err := errors.Join(errs...); err != nil {
		slog.Warn("cuda: memory of an execution", "error", err)
	}
}

// stop is a word that loops on the device look at in each round: it is memory of the host, for which the host needs
// nothing of the device, which may be busy with the loop.
type stop struct {
	mu   sync.Mutex
	word *uint32 // nil until a loop wants it
	at   cuda.Ptr
	now  bool
}

// on returns where kernels find the word.
func (s *stop) on(d *device) (cuda.Ptr, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.word == nil {
		p, at, err := d.AllocMapped(4)
		if err != nil {
			return 0, err
		}
		s.word, s.at = (*uint32)(p), at
		s.write()
	}
	return s.at, nil
}

func (s *stop) set(now bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.now = now
	s.write()
}

func (s *stop) write() {
	v := uint32(0)
	if s.now {
		v = 1
	}
	if s.word != nil {
		atomic.StoreUint32(s.word, v)
	}
}

// close frees the word, which no loop looks at any more.
func (s *stop) close(d *device) error {
	if s.word == nil {
		return nil
	}
	return d.FreeHost(unsafe.Pointer(s.word))
}

// bytesAt is memory of C as a slice.
func bytesAt(p unsafe.Pointer, n int64) []byte { return unsafe.Slice((*byte)(p), n) }
