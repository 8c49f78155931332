//go:build cgo

package cuda

import (
	"errors"
	"fmt"
	"slices"

	"github.com/halo-xla/halo/cgo/cuda"
	"github.com/halo-xla/halo/xla/exec"
	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/literal"
)

// exchanging is a collective whose operands and results stay on devices. Devices of one GPU copy, GPUs send each other
// by NCCL, in one process or between ranks; each folds for itself in the order of the group, so that the bits are those
// of every other way. Where there is no NCCL between GPUs, the host does it.
type exchanging struct {
	recordOnly
	plan              *plan
	in                *hlo.Instruction
	operands, results []exec.Slice
	program           string // what must be the same on all members
	built             *built
}

func (t *exchanging) Uses() []exec.Use {
	return append(exec.Reads(t.operands...), exec.Writes(t.results...)...)
}

// Kernel is what reports call it.
func (t *exchanging) Kernel() string { return "cuda " + t.in.Op.String() }

// member is what a device brings to a collective.
type member struct {
	device  *device
	stream  cuda.Stream
	in, out []cuda.Ptr
	offer   offer
	away    bool // in another process: the offer is all that is known
}

// Parts is what members in other processes get to know.
func (m *member) Parts() [][]byte { return [][]byte{m.offer.bytes()} }

// With returns a member in another process.
func (m *member) With(parts [][]byte) any {
	other := &member{away: true}
	if parts != nil {
		other.offer = offerOf(parts[0])
	}
	return other
}

// errByHost is what the members get whose GPUs have no way to each other.
var errByHost = errors.New("the host carries it")

// run does the collective for the device whose memory m is.
func (t *exchanging) run(r *exec.Run, m *memory) error {
	place := r.Place()
	team, err := place.Team(t.in)
	if err != nil {
		return err
	}
	if team.Place < 0 {
		return t.zeros(m)
	}
	if err := m.Wait(); err != nil {
		return err
	}
	team.Program = t.program
	team.Needs = nil // all offers count
	me := &member{device: m.device, stream: m.stream, in: m.all(t.operands), out: m.all(t.results)}
	if me.offer, err = t.offer(m.device, place, team); err != nil {
		return err
	}
	meeting := team.Meeting
	meeting.Rest = r.Wait
	carried, err := place.Hub.Meet(r.Context(), place.Device, meeting, me, func(values []any) (carried any, err error) {
		err = r.Wait(func() (err error) { // for GPUs of other ranks
			carried, err = t.together(r, team, values)
			return err
		})
		return carried, err
	})
	if err != nil {
		me.offer.drop()
		return err
	}
	m.device.links.leave(me.offer)
	if carried == errByHost {
		return t.byHost(r, m)
	}
	return nil
}

// all are the addresses of slices, 0 for tokens.
func (m *memory) all(list []exec.Slice) []cuda.Ptr {
	out := make([]cuda.Ptr, len(list))
	for i, s := range list {
		if s.Slot != exec.NoSlot {
			out[i] = m.base[s.Slot] + cuda.Ptr(s.Offset)
		}
	}
	return out
}

// zeros is for a device that is in no group.
func (t *exchanging) zeros(m *memory) error {
	var a cuda.Array
	for i, out := range m.all(t.results) {
		a.Fill(word(out), t.results[i].Size, 0)
	}
	return m.device.Submit(&a, m.stream, nil)
}

// byHost does the collective by its definition, on copies.
func (t *exchanging) byHost(r *exec.Run, m *memory) error {
	args := make([]*literal.Literal, len(t.operands))
	for i, s := range t.operands {
		data := make([]byte, s.Size)
		if err := m.read(data, s); err != nil {
			return err
		}
		var err error
		if args[i], err = literal.FromBytes(t.in.Operands[i].Shape.WithoutLayout(), data); err != nil {
			return err
		}
	}
	var out *literal.Literal
	err := r.Wait(func() (err error) {
		out, err = r.Evaluator().Instruction(t.in, args)
		return err
	})
	if err != nil {
		return err
	}
	for i, l := range out.Leaves() {
		if err := m.device.in(m.all(t.results)[i], l.RowMajor().Bytes(), m.stream); err != nil {
			return err
		}
	}
	return nil
}

// exchange is one collective of one group, done for all members of this process at once.
type exchange struct {
	t       *exchanging
	run     *exec.Run
	members []*member
	teams   []hlo.Team // of each member
	group   []int
	gpus    []gpu
	brought map[bringing]cuda.Ptr // operands of members on other GPUs
	scratch []allocation
	folded  bool // NCCL has made the results
}

// bringing is operand i of the member at place from, on a device.
type bringing struct {
	to      *device
	from, i int
}

type allocation struct {
	device *device
	stream cuda.Stream
	at     cuda.Ptr
}

// gpu is one on which there are members, the first of them at a place of the group.
type gpu struct {
	first  int
	rank   int
	offer  offer
	device *device // nil: it is another rank's
}

// together does the collective, when all members have come.
func (t *exchanging) together(r *exec.Run, team hlo.Team, values []any) (_ any, err error) {
	x := &exchange{t: t, run: r, group: team.Group, brought: map[bringing]cuda.Ptr{}}
	for i, v := range values {
		x.members = append(x.members, v.(*member))
		if t.in.Op != hlo.CollectivePermute {
			continue
		}
		place := r.Place()
		place.Device = x.group[i]
		other, err := place.Team(t.in)
		if err != nil {
			return nil, err
		}
		x.teams = append(x.teams, other)
	}
	if !x.findGPUs() {
		return errByHost, nil
	}
	defer func() { err = errors.Join(err, x.free()) }()
	if len(x.gpus) > 1 {
		if err := x.carry(); err != nil {
			return nil, fmt.Errorf("%s of group %v over NCCL: %w", t.in.Op, x.group, x.ended(err))
		}
	}
	return nil, x.finish()
}

// ended is err, with the end of the execution's context before it if that has come: ranks that it made leave first are
// gone to the others, which is not the reason then.
func (x *exchange) ended(err error) error {
	if end := x.run.Context().Err(); end != nil && !errors.Is(err, end) {
		return fmt.Errorf("%w: %w", end, err)
	}
	return err
}

// findGPUs fills in x.gpus, and reports whether they can reach each other.
func (x *exchange) findGPUs() bool {
	owners := x.run.Place().Hub.Owners()
	apart, nccl := true, true
	for place, m := range x.members {
		rank := 0
		if owners != nil {
			rank = owners[x.group[place]]
		}
		same := slices.IndexFunc(x.gpus, func(g gpu) bool { return g.offer.id == m.offer.id })
		if same < 0 {
			x.gpus = append(x.gpus, gpu{place, rank, m.offer, m.device})
		} else if x.gpus[same].rank != rank {
			apart = false // NCCL has one rank a GPU
		}
		nccl = nccl && m.offer.nccl
	}
	return apart && (nccl || len(x.gpus) == 1)
}

// on reports whether the member at a place is on a GPU.
func (x *exchange) on(place int, g gpu) bool { return x.members[place].offer.id == g.offer.id }

// at is where operand i of the member at from lies, as that at to, which is of this process, sees it.
func (x *exchange) at(to, from, i int) cuda.Ptr {
	if x.members[from].device == x.members[to].device {
		return x.members[from].in[i]
	}
	return x.brought[bringing{x.members[to].device, from, i}]
}

// firstBeside is the first member on the device of that at to.
func (x *exchange) firstBeside(to int) int { return x.firstOn(x.members[to].device) }

// firstOn is the first member on a device of this process.
func (x *exchange) firstOn(d *device) int {
	return slices.IndexFunc(x.members, func(m *member) bool { return m.device == d })
}

// needed reports whether some member on g needs operand i of that at from.
func (x *exchange) needed(g gpu, i, from int) bool {
	if x.t.plan.needs == nil {
		return true
	}
	for to := range x.members {
		if x.on(to, g) && x.t.plan.needs(x, i, from, to) {
			return true
		}
	}
	return false
}

// allocate returns memory that is freed when x is over.
func (x *exchange) allocate(d *device, bytes int64) (cuda.Ptr, error) {
	if bytes == 0 {
		return 0, nil
	}
	s := x.members[x.firstOn(d)].stream
	p, err := d.alloc(bytes, s)
	if err != nil {
		return 0, limit(err, bytes)
	}
	x.scratch = append(x.scratch, allocation{d, s, p})
	return p, nil
}

func (x *exchange) free() error {
	var errs []error
	for _, a := range x.scratch {
		errs = append(errs, a.device.release(a.at, a.stream))
	}
	return errors.Join(errs...)
}

// finish makes the results on each GPU of this process, and waits: others read what is there.
func (x *exchange) finish() error {
	for _, g := range x.gpus {
		if g.device == nil || x.folded {
			continue
		}
		var a cuda.Array
		for to := range x.members {
			if x.members[to].device != g.device {
				continue
			}
			if err := x.t.plan.do(x, &a, to); err != nil {
				return err
			}
		}
		s := x.members[g.first].stream
		if err := g.device.Submit(&a, s, nil); err != nil {
			return err
		}
		if err := g.device.Synchronize(s); err != nil {
			return err
		}
	}
	return nil
}
