package cpu

import (
	"fmt"
	"sync/atomic"

	"github.com/halo-xla/halo/backend/cpu/kernel"
	meet "github.com/halo-xla/halo/xla/collective"
	"github.com/halo-xla/halo/xla/exec"
	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/shape"
)

// member is what a device brings to a collective: where its operands lie, and where its results go. While the last to
// come does the exchange for all, the others wait, so that memory is safe to read and to write. Those of other
// processes have no results here, and no operands if nobody here needs them.
type member struct {
	team    hlo.Team
	in, out [][]byte
	away    bool // in another process
}

// Parts returns the memory of the operands.
func (m member) Parts() [][]byte { return m.in }

// With returns a member in another process.
func (m member) With(parts [][]byte) any { return member{in: parts, away: true} }

// present calls f with the members in this process, by their places in the group, until it fails.
func present(members []member, f func(place int, m member) error) error {
	for place, m := range members {
		if m.away {
			continue
		}
		if err := f(place, m); err != nil {
			return err
		}
	}
	return nil
}

// copyAll does the copies to each member in this process.
func copyAll(r *exec.Run, members []member, to func(place int, m member) ([]kernel.StripeCopy, error)) error {
	var copies []kernel.StripeCopy
	err := present(members, func(place int, m member) error {
		c, err := to(place, m)
		copies = append(copies, c...)
		return err
	})
	if err == nil {
		kernel.CopyStripes(copies, r.Parallel)
	}
	return err
}

// column returns operand i of each member.
func column(members []member, i int) [][]byte {
	v := make([][]byte, len(members))
	for k, m := range members {
		v[k] = m.in[i]
	}
	return v
}

// exchange does a collective for all members at once.
type exchange func(r *exec.Run, members []member) error

// collective is one that is ready to run: its shapes are known, its devices not yet.
type collective struct {
	in      *hlo.Instruction
	program string // what must be the same on all members
	teams   atomic.Pointer[teams]
	// alone is for a device that is in no group.
	alone func(r *exec.Run, m member)
	do    exchange
}

// teams are the teams of the devices of a grid, as far as they have been asked for.
type teams struct {
	grid meet.Grid
	list []atomic.Pointer[hlo.Team]
}

// team returns the devices with which that at p does the collective.
func (c *collective) team(p hlo.Place) (hlo.Team, error) {
	known := c.teams.Load()
	if known == nil || known.grid != p.Grid {
		known = &teams{p.Grid, make([]atomic.Pointer[hlo.Team], p.Grid.Size())}
		c.teams.Store(known)
	}
	if t := known.list[p.Device].Load(); t != nil {
		return *t, nil
	}
	t, err := p.Team(c.in)
	if err != nil {
		return t, err
	}
	t.Program = c.program
	t.Meeting = t.Ready()
	known.list[p.Device].Store(&t)
	return t, nil
}

// newCollective returns the thunk of a collective.
func newCollective(l *exec.Lowering, c *collective) exec.Thunk {
	var operands []exec.Slice
	for i := range l.In.Operands {
		operands = append(operands, l.Operands(i)...)
	}
	c.in, c.program = l.In, hlo.MeetingText(l.In, l.In.OperandShapes())
	results := l.Results()
	uses := append(exec.Reads(operands...), exec.Writes(results...)...)
	return goThunk("go "+l.In.Op.String(), uses, func(r *exec.Run) error {
		return c.run(r, member{in: memoryOf(r, operands), out: memoryOf(r, results)})
	})
}

func (c *collective) run(r *exec.Run, m member) (err error) {
	place := r.Place()
	if m.team, err = c.team(place); err != nil {
		return err
	}
	if m.team.Place < 0 {
		c.alone(r, m)
		return nil
	}
	if len(m.team.Group) == 1 {
		return c.do(r, []member{m})
	}
	meeting := m.team.Meeting
	meeting.Rest = r.Wait
	_, err = place.Hub.Meet(r.Context(), place.Device, meeting, m, func(values []any) (any, error) {
		members := make([]member, len(values))
		for i, v := range values {
			members[i] = v.(member)
		}
		return nil, c.do(r, members)
	})
	return err
}

// lowerAllGather joins the operands of all members. Row 113.
func lowerAllGather(l *exec.Lowering) (exec.Thunk, error) {
	d := int(l.In.Attrs.(*hlo.AllGatherAttrs).Dimension)
	stripes := stripesOf(l.In.OperandShapes(), d)
	return newCollective(l, &collective{
		do: func(r *exec.Run, members []member) error {
			return copyAll(r, members, func(_ int, m member) (copies []kernel.StripeCopy, _ error) {
				for i, s := range stripes {
					copies = append(copies, s.Gather(m.out[i], column(members, i))...)
				}
				return copies, nil
			})
		},
	}), nil
}

func stripesOf(shapes []shape.Shape, d int) []kernel.Stripes {
	v := make([]kernel.Stripes, len(shapes))
	for i, s := range shapes {
		v[i] = kernel.NewStripes(s.Dims, d, int64(s.Type.Bytes()))
	}
	return v
}

// lowerAllToAll sends block k of each member to member k. Row 116.
func lowerAllToAll(l *exec.Lowering) (exec.Thunk, error) {
	d := l.In.Attrs.(*hlo.AllToAllAttrs).Dimension
	if !d.Set {
		return newCollective(l, &collective{do: transposed}), nil
	}
	shapes := l.In.OperandShapes()
	stripes := stripesOf(shapes, int(d.Value))
	return newCollective(l, &collective{
		do: func(r *exec.Run, members []member) error {
			return copyAll(r, members, func(k int, m member) (copies []kernel.StripeCopy, _ error) {
				for i, s := range stripes {
					copies = append(copies, s.AllToAll(m.out[i], column(members, i), int64(k))...)
				}
				return copies, nil
			})
		},
	}), nil
}

// transposed gives member k operand k of each.
func transposed(r *exec.Run, members []member) error {
	return copyAll(r, members, func(k int, m member) (copies []kernel.StripeCopy, _ error) {
		for j, from := range members {
			copies = append(copies, kernel.WholeCopy(m.out[j], from.in[k]))
		}
		return copies, nil
	})
}

// lowerCollectivePermute hands each member its source's operands, or zeros. Row 117.
func lowerCollectivePermute(l *exec.Lowering) (exec.Thunk, error) {
	sizes, err := l.In.Attrs.(*hlo.CollectivePermuteAttrs).Slices()
	if err != nil {
		return nil, err
	}
	if sizes != nil {
		return newCollective(l, &collective{do: newPermuteInPlace(l, sizes).do}), nil
	}
	return newCollective(l, &collective{do: func(r *exec.Run, members []member) error {
		return copyAll(r, members, func(_ int, m member) (copies []kernel.StripeCopy, _ error) {
			for i, out := range m.out {
				if m.team.Source < 0 {
					clear(out)
				} else {
					copies = append(copies, kernel.WholeCopy(out, members[m.team.Source].in[i]))
				}
			}
			return copies, nil
		})
	}}), nil
}

// lowerCollectiveBroadcast hands the members the operands of the root; who is in no group gets zeros.
func lowerCollectiveBroadcast(l *exec.Lowering) (exec.Thunk, error) {
	roots := newRoots(l, l.In.Attrs.(*hlo.CollectiveBroadcastAttrs).HasDynamicRoot)
	return newCollective(l, &collective{
		alone: zeros,
		do: func(r *exec.Run, members []member) error {
			return copyAll(r, members, func(_ int, m member) (copies []kernel.StripeCopy, _ error) {
				places, err := roots.of(m, len(members))
				if err != nil {
					return nil, err
				}
				for i, out := range m.out {
					copies = append(copies, kernel.WholeCopy(out, members[places[i]].in[i]))
				}
				return copies, nil
			})
		},
	}), nil
}

func zeros(_ *exec.Run, m member) {
	for _, out := range m.out {
		clear(out)
	}
}

// roots says which member of a group is the root for each operand.
type roots struct {
	operands int
	dynamic  shape.ElementType // of the operand with the roots; Invalid: the first member is the root
}

func newRoots(l *exec.Lowering, dynamic bool) roots {
	n := len(l.In.Operands)
	if !dynamic {
		return roots{operands: n}
	}
	return roots{n - 1, l.In.Operands[n-1].Shape.Type}
}

// of returns the places that member m names, in a group of so many.
func (s roots) of(m member, size int) ([]int, error) {
	places := make([]int, s.operands)
	if s.dynamic == shape.Invalid {
		return places, nil
	}
	for i := range places {
		r := kernel.IntAt(m.in[s.operands], s.dynamic, int64(i))
		if r < 0 || r >= int64(size) {
			return nil, fmt.Errorf("root %d of operand %d, and the group has %d devices", r, i, size)
		}
		places[i] = int(r)
	}
	return places, nil
}

// lowerReplicaID and lowerPartitionID say where the device is.
func lowerReplicaID(l *exec.Lowering) (exec.Thunk, error) { return placeThunk(l, 0), nil }

func lowerPartitionID(l *exec.Lowering) (exec.Thunk, error) { return placeThunk(l, 1), nil }

func placeThunk(l *exec.Lowering, which int) exec.Thunk {
	out := l.Result()
	return goThunk("go place", exec.Writes(out), func(r *exec.Run) error {
		replica, partition := r.Place().Grid.Place(r.Place().Device)
		kernel.Cast[uint32](r.Bytes(out))[0] = uint32([2]int64{replica, partition}[which])
		return nil
	})
}
