//go:build cgo

package cuda

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/halo-xla/halo/cgo/cuda"
	"github.com/halo-xla/halo/cgo/nccl"
	"github.com/halo-xla/halo/xla/collective"
	"github.com/halo-xla/halo/xla/exec"
	"github.com/halo-xla/halo/xla/hlo"
)

// links are the ways from GPU to GPU of one backend: communicators of NCCL. Executions that run at the same time must
// not meet on one communicator, in an order of which every rank has its own; so a group has lanes, as many as there are
// collectives of it under way, and its first member says which one is taken, and how often that was before.
type links struct {
	open func() (*nccl.Library, error)
	warn sync.Once // of collectives that the host carries

	mu    sync.Mutex
	lanes map[laneKey][]*lane
}

// laneKey is a group of devices of a job. As long as it is there no other job has the job's address.
type laneKey struct {
	job   *collective.Job
	group string // and the ranks that have the devices
}

func keyOf(h *collective.Hub, group []int) laneKey {
	return laneKey{h.Job(), fmt.Sprint(group, h.Owners())}
}

func newLinks(open func() (*nccl.Library, error)) *links {
	return &links{open: sync.OnceValues(open), lanes: map[laneKey][]*lane{}}
}

// offer is what a member says of itself to the others. Where NCCL carries, the first member's says how.
type offer struct {
	id   [16]byte // the GPU's
	nccl bool
	// lane and turn are what the first member takes, comm is the id of a communicator that begins with it.
	lane, turn uint64
	comm       nccl.ID
	taken      *lane // for who made the offer; else nil
}

func (o offer) bytes() []byte {
	b := append([]byte(nil), o.id[:]...)
	var can byte
	if o.nccl {
		can = 1
	}
	b = binary.LittleEndian.AppendUint64(append(b, can), o.lane)
	return append(binary.LittleEndian.AppendUint64(b, o.turn), o.comm[:]...)
}

func offerOf(b []byte) offer {
	o := offer{id: [16]byte(b), nccl: b[16] == 1, lane: binary.LittleEndian.Uint64(b[17:])}
	o.turn, o.comm = binary.LittleEndian.Uint64(b[25:]), nccl.ID(b[33:])
	return o
}

// offer makes the offer of the device at p; that of a group's first member takes a lane if there may be several GPUs.
func (t *exchanging) offer(d *device, p hlo.Place, team hlo.Team) (offer, error) {
	o := offer{id: d.uuid}
	owners := p.Hub.Owners()
	if !d.crosses(p.Device, team.Group, owners) {
		return o, nil
	}
	lib, err := d.links.open()
	if o.nccl = err == nil; !o.nccl {
		d.links.warn.Do(func() { slog.Warn("cuda: the host carries collectives between GPUs", "reason", err) })
		return o, nil
	}
	if p.Device != team.Group[0] {
		return o, nil
	}
	return o, d.links.take(lib, keyOf(p.Hub, team.Group), &o)
}

// crosses reports whether the devices of a group may be on several GPUs.
func (d *device) crosses(self int, group, owners []int) bool {
	return slices.ContainsFunc(group, func(other int) bool {
		return owners != nil && owners[other] != owners[self] ||
			exec.MachineOf(other, d.gpus) != exec.MachineOf(self, d.gpus)
	})
}

// take takes a lane that is free, or a new one.
func (k *links) take(lib *nccl.Library, key laneKey, o *offer) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	list := k.lanes[key]
	for i, l := range list {
		if key.job == nil && l.isBroken() { // no other rank counts its turns
			list[i] = newLane()
		}
	}
	for o.lane = 0; o.lane < uint64(len(list)) && (list[o.lane].busy || list[o.lane].isBroken()); o.lane++ {
	}
	l, err := k.lane(key, o.lane)
	if err != nil {
		return err
	}
	if l.offers == 0 {
		if o.comm, err = lib.NewID(); err != nil {
			return err
		}
	}
	l.busy = true
	l.offers++
	o.turn, o.taken = l.offers, l
	return nil
}

// maxLanes bounds the collectives of a group that are under way at a time, what another rank says of them too.
const maxLanes = 1 << 10

// lane returns a lane of a group. The links are locked. It fails if there are not so many.
func (k *links) lane(key laneKey, number uint64) (*lane, error) {
	if number >= maxLanes {
		return nil, fmt.Errorf("lane %d of a group, want one of 0 to %d", number, maxLanes-1)
	}
	for uint64(len(k.lanes[key])) <= number {
		k.lanes[key] = append(k.lanes[key], newLane())
	}
	return k.lanes[key][number], nil
}

// laneOf returns the lane of an offer of a group's first member.
func (k *links) laneOf(key laneKey, o offer) (*lane, error) {
	if o.taken != nil {
		return o.taken, nil
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.lane(key, o.lane)
}

// leave gives back the lane that an offer took, drop one of which nobody knows how far it is.
func (k *links) leave(o offer) {
	if o.taken == nil {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	o.taken.busy = false
}

func (o offer) drop() {
	if o.taken != nil {
		o.taken.fail(errors.New("a collective before it has failed"))
	}
}

// close ends all communicators.
func (k *links) close() {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, list := range k.lanes {
		for _, l := range list {
			l.fail(errors.New("the devices are closed"))
		}
	}
	k.lanes = map[laneKey][]*lane{}
}

// carry brings operands to the GPUs that need them, by the lane that the first member has taken.
func (x *exchange) carry() error {
	lib, err := x.here().links.open()
	if err != nil {
		return err
	}
	hub, o, k := x.run.Place().Hub, x.members[0].offer, x.here().links
	l, err := k.laneOf(keyOf(hub, x.group), o)
	if err != nil {
		return err
	}
	if err := l.await(x.run.Context(), hub, o.turn); err != nil {
		return err
	}
	return l.leave(o.turn, x.over(lib, l, o))
}

// here is a device of this process.
func (x *exchange) here() *device {
	for _, m := range x.members {
		if !m.away {
			return m.device
		}
	}
	panic("cuda: bug: a collective without a member")
}

// over sends and receives on a lane whose turn it is.
func (x *exchange) over(lib *nccl.Library, l *lane, o offer) error {
	if o.turn == 1 {
		if err := x.join(lib, l, o.comm); err != nil {
			return err
		}
	}
	ops, err := x.operations(l)
	if err != nil || len(ops) == 0 {
		return err
	}
	for _, a := range x.scratch { // the memory is there once the stream says so
		if err := a.device.Synchronize(a.stream); err != nil {
			return err
		}
	}
	if err := l.ends[0].device.Within(func() error { return lib.Group(ops) }); err != nil {
		return err
	}
	return x.done(l)
}

// join makes the GPUs of this process ranks of a communicator.
func (x *exchange) join(lib *nccl.Library, l *lane, id nccl.ID) error {
	for number, g := range x.gpus {
		if g.device == nil {
			continue
		}
		e, err := endOf(lib, g.device, id, number, len(x.gpus))
		if err != nil {
			return err
		}
		l.mu.Lock()
		l.ends = append(l.ends, e)
		l.mu.Unlock()
	}
	return x.all(l, func(e end) (bool, error) { return e.comm.Done() })
}

func endOf(lib *nccl.Library, d *device, id nccl.ID, number, count int) (end, error) {
	e := end{device: d}
	var err error
	if e.stream, err = d.NewStream(); err != nil {
		return e, err
	}
	if e.event, err = d.NewEvent(); err != nil {
		return e, errors.Join(err, d.CloseStream(e.stream))
	}
	err = d.Within(func() (err error) {
		e.comm, err = lib.Join(id, number, count)
		return err
	})
	if err != nil {
		err = errors.Join(err, d.CloseStream(e.stream), d.CloseEvent(e.event))
	}
	return e, err
}

// operations are what the GPUs of this process do, in an order that all ranks have. Where each member has a GPU, all
// operands go to all at once, or come as their fold if NCCL's is exact.
func (x *exchange) operations(l *lane) ([]nccl.Op, error) {
	p, alone := x.t.plan, len(x.members) == len(x.gpus)
	x.folded = alone && p.exact != nil
	var list []nccl.Op
	for i, s := range x.t.operands {
		var ops []nccl.Op
		var err error
		switch {
		case s.Size == 0:
		case x.folded:
			ops = x.reduced(l, i)
		case alone && p.needs == nil:
			ops, err = x.gathered(l, i)
		default:
			ops, err = x.sent(l, i)
		}
		if err != nil {
			return nil, err
		}
		list = append(list, ops...)
	}
	return list, nil
}

// reduced has NCCL make the results of operand i.
func (x *exchange) reduced(l *lane, i int) []nccl.Op {
	var list []nccl.Op
	for _, e := range l.ends {
		m := x.members[x.firstOn(e.device)]
		op := *x.t.plan.exact[i]
		op.Comm, op.Stream, op.From, op.To = e.comm, e.stream.Pointer(), uint64(m.in[i]), uint64(m.out[i])
		list = append(list, op)
	}
	return list
}

// gathered brings operand i of all members to all.
func (x *exchange) gathered(l *lane, i int) ([]nccl.Op, error) {
	size := x.t.operands[i].Size
	var list []nccl.Op
	for _, e := range l.ends {
		p, err := x.allocate(e.device, size*int64(len(x.members)))
		if err != nil {
			return nil, err
		}
		for from := range x.members {
			x.brought[bringing{e.device, from, i}] = p + cuda.Ptr(int64(from)*size)
		}
		list = append(list, nccl.Op{Kind: nccl.AllGather, Comm: e.comm, Stream: e.stream.Pointer(),
			From: uint64(x.members[x.firstOn(e.device)].in[i]), To: uint64(p), Count: size, Type: nccl.Uint8})
	}
	return list, nil
}

// sent brings operand i of each member to the GPUs that need it.
func (x *exchange) sent(l *lane, i int) ([]nccl.Op, error) {
	ends := map[*device]end{}
	for _, e := range l.ends {
		ends[e.device] = e
	}
	size := x.t.operands[i].Size
	var list []nccl.Op
	for from, m := range x.members {
		for number, g := range x.gpus {
			if x.on(from, g) || !x.needed(g, i, from) {
				continue
			}
			if e, ok := ends[m.device]; ok {
				list = append(list, nccl.Op{Kind: nccl.Send, Comm: e.comm, Stream: e.stream.Pointer(), From: uint64(m.in[i]),
					Count: size, Type: nccl.Uint8, Peer: number})
			}
			if e, ok := ends[g.device]; ok {
				p, err := x.allocate(g.device, size)
				if err != nil {
					return nil, err
				}
				x.brought[bringing{g.device, from, i}] = p
				list = append(list, nccl.Op{Kind: nccl.Recv, Comm: e.comm, Stream: e.stream.Pointer(), To: uint64(p),
					Count: size, Type: nccl.Uint8, Peer: x.numberOf(from)})
			}
		}
	}
	return list, nil
}

// numberOf is the number of the GPU of the member at a place.
func (x *exchange) numberOf(place int) int {
	for number, g := range x.gpus {
		if x.on(place, g) {
			return number
		}
	}
	panic("cuda: bug: a member on no GPU")
}

// done waits until what was enqueued on a lane is done.
func (x *exchange) done(l *lane) error {
	if err := x.all(l, func(e end) (bool, error) { return e.comm.Done() }); err != nil {
		return err
	}
	for _, e := range l.ends {
		if err := e.device.Record(e.event, e.stream); err != nil {
			return err
		}
	}
	return x.all(l, func(e end) (bool, error) {
		if ok, err := e.device.Happened(e.event); ok || err != nil {
			return ok, err
		}
		_, err := e.comm.Done()
		return false, err
	})
}

// all asks done of each end of a lane, in turns, until all say so: in one process they wait for each other.
func (x *exchange) all(l *lane, done func(e end) (bool, error)) error {
	over := make([]bool, len(l.ends))
	return x.until(func() (bool, error) {
		all := true
		for i, e := range l.ends {
			var err error
			if !over[i] {
				over[i], err = done(e)
			}
			if err != nil {
				return false, err
			}
			all = all && over[i]
		}
		return all, nil
	})
}

// until asks done until it says so. It fails with the fault of the execution, or when its context ends.
func (x *exchange) until(done func() (bool, error)) error {
	hub := x.run.Place().Hub
	for wait := time.Microsecond; ; wait = min(2*wait, time.Millisecond) {
		if ok, err := done(); ok || err != nil {
			return err
		}
		if err := pause(x.run.Context(), hub, nil, time.After(wait)); err != nil {
			return err
		}
	}
}

// pause waits for a change or for the time. It fails with the fault of the execution, or when its context ends.
func pause(ctx context.Context, h *collective.Hub, changed <-chan struct{}, enough <-chan time.Time) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-h.Failed():
		return cmp.Or(h.Err(), context.Canceled)
	case <-changed:
	case <-enough:
	}
	return nil
}
