package mpi

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"github.com/halo-xla/halo/cgo/mpi"
	"github.com/halo-xla/halo/xla/collective"
)

// A message is a header, which has the first bytes of the data, and pieces with the rest. Headers have a tag of MPI's
// own; the pieces of a message have one that the sender has chosen, so those of two messages do not mix.
const (
	headBytes  = 40
	eagerBytes = 4096
	inline     = eagerBytes - headBytes
	smallBytes = 16 << 10
	pieceBytes = 1 << 20
	window     = 4 // pieces of a message that are on their way at a time
	headTag    = 0
	maxUnsent  = 256 << 20 // bytes that Send leaves unreceived
	maxFlows   = 4096      // and messages
	maxMessage = 1 << 36   // bytes that Recv takes
)

// What a header announces.
const (
	dataKind uint32 = iota
	faultKind
	byeKind
	brokenKind // goodbye of one that had a fault
)

// header is what every message begins with. rest is the MPI tag of the pieces.
type header struct {
	kind, from uint32
	tag        uint64
	length     uint64
	rest       uint32
}

func (h header) put(b []byte) {
	binary.LittleEndian.PutUint32(b, h.kind)
	binary.LittleEndian.PutUint32(b[4:], h.from)
	binary.LittleEndian.PutUint64(b[8:], h.tag)
	binary.LittleEndian.PutUint64(b[16:], h.length)
	binary.LittleEndian.PutUint32(b[24:], h.rest)
}

func headerOf(b []byte) header {
	return header{
		kind: binary.LittleEndian.Uint32(b), from: binary.LittleEndian.Uint32(b[4:]),
		tag: binary.LittleEndian.Uint64(b[8:]), length: binary.LittleEndian.Uint64(b[16:]),
		rest: binary.LittleEndian.Uint32(b[24:]),
	}
}

// arrival is a message whose header has come.
type arrival struct {
	header
	first []byte
}

// piece is an operation on memory of the pool; what is received are the n bytes of its message from lo.
type piece struct {
	memory mpi.Memory
	op     *mpi.Operation
	lo, n  int
}

// pool keeps memory for headers and small pieces, and for large ones.
type pool struct{ small, large []mpi.Memory }

// take returns memory for n bytes, at most pieceBytes.
func (p *pool) take(n int) (mpi.Memory, error) {
	free, size := &p.large, pieceBytes
	if n <= smallBytes {
		free, size = &p.small, smallBytes
	}
	if k := len(*free); k > 0 {
		m := (*free)[k-1]
		*free = (*free)[:k-1]
		return m, nil
	}
	return mpi.Alloc(size)
}

func (p *pool) give(m mpi.Memory) {
	if len(m.Bytes()) == smallBytes {
		p.small = append(p.small, m)
	} else {
		p.large = append(p.large, m)
	}
}

// flow is a message on its way out.
type flow struct {
	to    int
	head  header
	data  []byte
	begun bool
	next  int // byte of data
	out   []*piece
}

// message makes a flow to a rank. If it has pieces, it takes a tag that no other flow has until all are received.
func (t *Transport) message(to int, kind uint32, tag uint64, data []byte) *flow {
	h := header{kind: kind, from: uint32(t.job.Rank), tag: tag, length: uint64(len(data))}
	if len(data) > inline {
		for taken := true; taken; taken = t.tags[t.nextTag] {
			t.nextTag = t.nextTag%mpi.MaxTag + 1
		}
		t.tags[t.nextTag] = true
		h.rest = uint32(t.nextTag)
	}
	return &flow{to: to, head: h, data: data}
}

// advance does what can be done without waiting, and reports whether the message has left.
func (f *flow) advance(t *Transport) (bool, error) {
	if err := t.settle(&f.out, nil); err != nil {
		return false, err
	}
	for len(f.out) < window && (!f.begun || f.next < len(f.data)) {
		if err := f.push(t); err != nil {
			return false, err
		}
	}
	if len(f.out) > 0 {
		return false, nil
	}
	t.tags[f.head.rest] = false
	return true, nil
}

// push sends the header, or the next piece.
func (f *flow) push(t *Transport) error {
	size := eagerBytes
	if f.begun {
		size = min(pieceBytes, len(f.data)-f.next)
	}
	m, err := t.pool.take(size)
	if err != nil {
		return err
	}
	p := &piece{memory: m}
	if f.begun {
		n := copy(m.Bytes()[:size], f.data[f.next:])
		f.next += n
		p.op = t.job.SendMet(m, n, f.to, int(f.head.rest))
	} else {
		f.begun = true
		f.head.put(m.Bytes())
		f.next = copy(m.Bytes()[headBytes:eagerBytes], f.data)
		p.op = t.job.Send(m, headBytes+f.next, f.to, headTag)
	}
	f.out = append(f.out, p)
	return nil
}

// receipt is a message that somebody waits for. sized: into has its length, and is not made.
type receipt struct {
	at      address
	into    []byte
	sized   bool
	arrived bool
	rest    int
	next    int // byte that no piece is posted for
	left    int // bytes that have not come
	in      []*piece
}

// advance takes in what has come, and reports whether that was all.
func (r *receipt) advance(t *Transport) (bool, error) {
	if !r.arrived {
		if ok, err := r.open(t); !ok || err != nil {
			return false, err
		}
	}
	err := t.settle(&r.in, func(p *piece) {
		r.left -= copy(r.into[p.lo:], p.memory.Bytes()[:p.n])
	})
	for err == nil && len(r.in) < window && r.next < len(r.into) {
		err = r.post(t)
	}
	return err == nil && r.left == 0, err
}

// open takes the header if it has come.
func (r *receipt) open(t *Transport) (bool, error) {
	list := t.boxes[r.at]
	if len(list) == 0 {
		if t.gone[r.at.from] {
			return false, &collective.LostError{Ranks: []int{r.at.from}, Err: errors.New("it has closed its transport")}
		}
		return false, nil
	}
	a := list[0]
	if t.boxes[r.at] = list[1:]; len(list) == 1 {
		delete(t.boxes, r.at)
	}
	if !r.sized && a.length > maxMessage {
		return false, fmt.Errorf("mpi: rank %d sends %d bytes, want at most %d", r.at.from, a.length, uint64(maxMessage))
	}
	if !r.sized {
		r.into = make([]byte, a.length)
	}
	if uint64(len(r.into)) != a.length {
		return false, fmt.Errorf("mpi: rank %d sends %d bytes, want %d", r.at.from, a.length, len(r.into))
	}
	if a.length > inline && (a.rest < 1 || a.rest > mpi.MaxTag) {
		return false, fmt.Errorf("mpi: rank %d sends pieces with tag %d, want 1 to %d", r.at.from, a.rest, mpi.MaxTag)
	}
	r.arrived, r.rest = true, int(a.rest)
	r.next = copy(r.into, a.first)
	r.left = len(r.into) - r.next
	return true, nil
}

// post begins to receive the next piece.
func (r *receipt) post(t *Transport) error {
	n := min(pieceBytes, len(r.into)-r.next)
	m, err := t.pool.take(n)
	if err != nil {
		return err
	}
	r.in = append(r.in, &piece{memory: m, op: t.job.Receive(m, n, r.at.from, r.rest), lo: r.next, n: n})
	r.next += n
	return nil
}

// settle removes the pieces that are done.
func (t *Transport) settle(pieces *[]*piece, each func(*piece)) error {
	var fault error
	*pieces = slices.DeleteFunc(*pieces, func(p *piece) bool {
		done, err := p.op.Done()
		if !done {
			return false
		}
		if err != nil {
			fault = err
		} else if each != nil {
			each(p)
		}
		p.op.Free()
		t.pool.give(p.memory)
		return true
	})
	return fault
}
