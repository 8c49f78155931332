package hlo

import (
	"context"
	"fmt"

	"github.com/halo-xla/halo/xla/collective"
	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// Team is the devices with which one does a collective.
type Team struct {
	collective.Meeting
	// Place is the device's place in the group; -1: it is in none.
	Place int
	// Source is the place of the member whose operands a collective-permute hands to the device; -1: nobody's.
	Source int
}

// Team returns the devices with which that at p does the collective in. Only collective-broadcast and
// collective-reduce may leave it out of all groups.
//
// It fails if the groups or pairs do not fit the devices, or the shapes, or in is no collective.
func (p Place) Team(in *Instruction) (Team, error) {
	e := &Evaluator{device: device{p.Grid, p.Device, p.Hub}}
	if a, ok := in.Attrs.(*CollectivePermuteAttrs); ok {
		mode, err := groupMode(in.Op, a.ChannelID, a.UseGlobalDeviceIDs)
		if err != nil {
			return Team{}, err
		}
		peers, err := e.peersOf(in, mode, a.SourceTargetPairs)
		if err != nil {
			return Team{}, err
		}
		return Team{peers.team.meeting, 0, peers.source}, nil
	}
	a := teamAttrs(in)
	if a == nil {
		return Team{}, fmt.Errorf("%s is no collective", in.Op)
	}
	find := e.member
	if in.Op == CollectiveBroadcast || in.Op == CollectiveReduce {
		find = e.teamOf
	}
	t, err := find(in, a)
	if err == nil && t.place >= 0 {
		err = checkTeamSize(in, in.OperandShapes(), in.Shape, t.size())
	}
	if err != nil {
		return Team{}, err
	}
	if b, ok := in.Attrs.(*CollectiveBroadcastAttrs); ok && !b.HasDynamicRoot {
		t.meeting.Needs = firstOnly
	}
	return Team{t.meeting, t.place, -1}, nil
}

// teamAttrs returns what in shares with other collectives over groups; nil: it is none.
func teamAttrs(in *Instruction) *CollectiveAttrs {
	switch a := in.Attrs.(type) {
	case *AllGatherAttrs:
		return &a.CollectiveAttrs
	case *AllReduceAttrs:
		return &a.CollectiveAttrs
	case *ReduceScatterAttrs:
		return &a.CollectiveAttrs
	case *AllToAllAttrs:
		return &a.CollectiveAttrs
	case *CollectiveBroadcastAttrs:
		return &a.CollectiveAttrs
	case *CollectiveReduceAttrs:
		return &a.CollectiveAttrs
	case *RaggedAllToAllAttrs:
		return &a.CollectiveAttrs
	}
	return nil
}

// Meets reports whether m has to do with other devices: with several, it does not mean the same as alone.
func Meets(m *Module) bool {
	for _, c := range m.Computations {
		for _, in := range c.Instructions {
			if in.Op == ReplicaId || in.Op == PartitionId || in.Op == CollectivePermute || teamAttrs(in) != nil {
				return true
			}
			if a, ok := in.Attrs.(*ChannelAttrs); ok && !a.IsHostTransfer && (in.Op == Send || in.Op == Recv) {
				return true
			}
		}
	}
	return false
}

// ChannelOf returns the channel of the collective in; 0: it has none.
func ChannelOf(in *Instruction) int64 {
	if a := teamAttrs(in); a != nil {
		return a.ChannelID
	}
	if a, ok := in.Attrs.(*CollectivePermuteAttrs); ok {
		return a.ChannelID
	}
	return 0
}

// Slices returns the sizes of the slices that an in-place collective-permute moves; none for another.
func (a *CollectivePermuteAttrs) Slices() ([][]int64, error) {
	if a.SliceSizes == "" {
		return nil, nil
	}
	return a.slices()
}

// Send sends l, which must not change any more, as the send in of the device at p says: to the host, to another device
// or, if in's pairs leave the device out, to nobody. It waits only while the channel is full.
func (p Place) Send(ctx context.Context, o EvalOptions, in *Instruction, l *literal.Literal) error {
	_, err := evalSend(p.evaluator(ctx, o), in, []*literal.Literal{l})
	return err
}

// Recv waits for what the recv-done in of the device at p gets. It is nil if in's pairs leave the device out: nobody
// sends to it.
func (p Place) Recv(ctx context.Context, o EvalOptions, in *Instruction, want shape.Shape) (*literal.Literal, error) {
	l, err := p.evaluator(ctx, o).recv(in, nil, want)
	if err != nil || l == nil {
		return nil, err
	}
	if !Fits(l.Shape(), want) { // row 89
		return nil, fmt.Errorf("what was sent is %v, want %v", l.Shape(), want)
	}
	return l.RowMajor(), nil
}

func (p Place) evaluator(ctx context.Context, o EvalOptions) *Evaluator {
	return NewEvaluator(ctx, o, p)
}

// TakeInfeed takes the next value of the infeed, of shape want, for the device at p. It waits for one and fails as
// infeed does.
func (p Place) TakeInfeed(ctx context.Context, o EvalOptions, want shape.Shape) (*literal.Literal, error) {
	out, err := evalInfeed(p.evaluator(ctx, o), &Instruction{Shape: shape.TupleOf(want, shape.TokenShape())}, nil)
	if err != nil {
		return nil, err
	}
	return out.Elems()[0], nil
}

// PutOutfeed puts l, which must not change any more, at the end of the outfeed of the device at p. It waits while that
// is full and fails as outfeed does.
func (p Place) PutOutfeed(ctx context.Context, o EvalOptions, l *literal.Literal) error {
	_, err := evalOutfeed(p.evaluator(ctx, o), nil, []*literal.Literal{l})
	return err
}
