package exec

import (
	"runtime"
	"sync/atomic"
	"unsafe"

	"github.com/halo-xla/halo/xla/literal"
)

// instance is the memory of one execution on one device: one block that the Go collector does not manage, with the
// cancel word, the table of addresses by slot, and the arena.
type instance struct {
	block []byte
	table []uintptr
	arena []byte
	pins  *runtime.Pinner // of the constants
	leak  runtime.Cleanup
	// mirror is the remote memory of machines that have such, else nil.
	mirror *mirrored
	// run is used again with the memory.
	run  Run
	kept kept
}

// headerBytes is the room before the table; the cancel word is its first four bytes.
const headerBytes = 64

// noBytes is where slots without bytes lie.
var noBytes [alignment]byte

func newInstance(p *program) (*instance, error) {
	table := int64(len(p.slots)) * int64(unsafe.Sizeof(uintptr(0)))
	arena := aligned64(headerBytes + table)
	mirror, err := newMirror(p)
	if err != nil {
		return nil, err
	}
	b, err := newBlock(arena + p.arenaBytes + alignment)
	if err != nil {
		mirror.close()
		return nil, err
	}
	m := &instance{block: b, table: unsafe.Slice((*uintptr)(unsafe.Pointer(&b[headerBytes])), len(p.slots)),
		arena: b[arena : arena+p.arenaBytes], pins: &runtime.Pinner{}, mirror: mirror}
	m.leak = runtime.AddCleanup(m, free, owned{b, m.pins, mirror})
	m.kept = kept{bytes: int64(len(b)) + mirror.bytes(), memory: m, program: p}
	n := len(p.resultSlots)
	m.run = Run{program: p, memory: m, boxes: make([]*literal.Literal, p.boxes), own: make([][]byte, n),
		again: make([]*literal.Literal, n)}
	m.pins.Pin(&noBytes[0])
	for i, s := range p.slots {
		switch {
		case s.size == 0:
			m.table[i] = uintptr(unsafe.Pointer(&noBytes[0]))
		case s.kind == temporary && s.host == NoSlot || s.staged: // a result gives room to others when it is there
			m.table[i] = uintptr(unsafe.Pointer(&b[arena+s.offset]))
		case s.kind == constant:
			m.lend(int32(i), s.data, m.pins)
		}
	}
	return m, nil
}

// lend gives slot s the address of data for the time of the run.
func (r *Run) lend(s int32, data []byte) {
	r.lends = true
	r.memory.lend(s, data, &r.pins)
}

// lend gives slot s the address of data, which must live until the pins are taken out.
func (m *instance) lend(s int32, data []byte, pins *runtime.Pinner) {
	m.point(s, data)
	pins.Pin((*byte)(m.address(s)))
}

// point gives slot s the address of data, which stays where it is.
func (m *instance) point(s int32, data []byte) {
	if len(data) == 0 {
		data = noBytes[:]
	}
	m.table[s] = uintptr(unsafe.Pointer(unsafe.SliceData(data)))
}

// address reads the table. It is read as a pointer, since what it points at is pinned or no memory of Go's.
func (m *instance) address(s int32) unsafe.Pointer {
	return *(*unsafe.Pointer)(unsafe.Pointer(&m.table[s]))
}

func (m *instance) cancelWord() *uint32 { return (*uint32)(unsafe.Pointer(&m.block[0])) }

// cancel makes native code, and what runs in remote memory, stop soon; clear undoes it.
func (m *instance) cancel() { m.setCancel(1) }

func (m *instance) clear() { m.setCancel(0) }

func (m *instance) setCancel(word uint32) {
	atomic.StoreUint32(m.cancelWord(), word)
	if m.mirror != nil {
		m.mirror.Cancel(word != 0)
	}
}

func (m *instance) base() unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(m.table)) }

func (m *instance) close() {
	m.leak.Stop()
	free(owned{m.block, m.pins, m.mirror})
}

// owned is what an instance must give back, be it closed or, in a program that nobody closed, collected.
type owned struct {
	block  []byte
	pins   *runtime.Pinner
	mirror *mirrored
}

func free(o owned) {
	o.mirror.close()
	o.pins.Unpin()
	freeBlock(o.block)
}
