package hlo

import (
	"fmt"
	"slices"

	"github.com/halo-xla/halo/xla/collective"
	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// team is a collective's group of devices and this device's place in it.
type team struct {
	meeting collective.Meeting
	place   int // -1: this device is in no group
}

// size returns the number of members.
func (t *team) size() int { return len(t.meeting.Group) }

// teamOf returns the group that this device is in for the collective in.
func (e *Evaluator) teamOf(in *Instruction, a *CollectiveAttrs) (*team, error) {
	mode, err := groupMode(in.Op, a.ChannelID, a.UseGlobalDeviceIDs)
	if err != nil {
		return nil, err
	}
	groups, err := e.device.grid.Groups(mode, a.ReplicaGroups.Groups)
	if err != nil {
		return nil, fmt.Errorf("replica_groups: %w", err)
	}
	t := &team{place: -1}
	t.meeting.Op = opName(in)
	if t.meeting.Group = collective.GroupOf(groups, e.device.id); t.meeting.Group != nil {
		t.place = slices.Index(t.meeting.Group, e.device.id)
	}
	return t, nil
}

// member is teamOf for collectives that every device must be part of.
func (e *Evaluator) member(in *Instruction, a *CollectiveAttrs) (*team, error) {
	t, err := e.teamOf(in, a)
	if err == nil && t.place < 0 { // section 3.11
		return nil, fmt.Errorf("replica_groups: %s is in no group", e.device.grid.Name(e.device.id))
	}
	return t, err
}

// opName is how messages about several devices call an instruction: its name and place.
func opName(in *Instruction) string {
	if p := in.Pos.String(); p != "" {
		return in.Name + " (" + p + ")"
	}
	return in.Name
}

// meet brings args to the team and returns what combine makes of all members' args, once for all.
func meet[T any](e *Evaluator, in *Instruction, t *team, args []*literal.Literal,
	combine func(members [][]*literal.Literal) (T, error)) (T, error) {
	t.meeting.Program = MeetingText(in, shapesOf(args))
	v, err := e.meetingPlace().Meet(e.ctx, e.device.id, t.meeting, brought(args), func(values []any) (any, error) {
		members := make([][]*literal.Literal, len(values))
		for i, v := range values {
			members[i] = v.(brought)
		}
		return combine(members)
	})
	if err != nil {
		var none T
		return none, err
	}
	return v.(T), nil
}

func shapesOf(args []*literal.Literal) []shape.Shape {
	shapes := make([]shape.Shape, len(args))
	for i, a := range args {
		shapes[i] = a.Shape()
	}
	return shapes
}

// all is the combine of collectives that only exchange.
func all(members [][]*literal.Literal) ([][]*literal.Literal, error) { return members, nil }

// results is the value of a collective with these results: one alone, several as a tuple.
func results(v []*literal.Literal) *literal.Literal {
	if len(v) == 1 {
		return v[0]
	}
	return literal.NewTuple(v...)
}

func evalAllGather(e *Evaluator, in *Instruction, args []*literal.Literal) (*literal.Literal, error) {
	v, err := e.allGather(in, args, in.Shape)
	if err != nil {
		return nil, err
	}
	return results(v), nil
}

// allGather returns the gathered operands; whole is what the program says that their shapes are.
func (e *Evaluator) allGather(in *Instruction, args []*literal.Literal, whole shape.Shape) ([]*literal.Literal, error) {
	a := in.Attrs.(*AllGatherAttrs)
	t, err := e.member(in, &a.CollectiveAttrs)
	if err != nil {
		return nil, err
	}
	if err := checkTeamSize(in, shapesOf(args), whole, t.size()); err != nil {
		return nil, err
	}
	return meet(e, in, t, args, func(members [][]*literal.Literal) ([]*literal.Literal, error) {
		out := make([]*literal.Literal, len(args))
		for i := range out {
			out[i] = concatAlong(column(members, i), int64(a.Dimension))
		}
		return out, nil
	})
}

// column returns operand i of each member.
func column(members [][]*literal.Literal, i int) []*literal.Literal {
	v := make([]*literal.Literal, len(members))
	for k, m := range members {
		v[k] = m[i]
	}
	return v
}

func evalAllReduce(e *Evaluator, in *Instruction, args []*literal.Literal) (*literal.Literal, error) {
	a := in.Attrs.(*AllReduceAttrs)
	t, err := e.member(in, &a.CollectiveAttrs)
	if err != nil {
		return nil, err
	}
	v, err := meet(e, in, t, args, e.reducing(a.ToApply))
	if err != nil {
		return nil, err
	}
	return results(v), nil
}

// reducing is the combine that reduces each operand over the members, in the order of the group.
func (e *Evaluator) reducing(c *Computation) func([][]*literal.Literal) ([]*literal.Literal, error) {
	return func(members [][]*literal.Literal) ([]*literal.Literal, error) {
		out := make([]*literal.Literal, len(members[0]))
		for i := range out {
			var err error
			if out[i], err = e.reduceOver(c, column(members, i)); err != nil {
				return nil, err
			}
		}
		return out, nil
	}
}

// reduceOver folds arrays of one shape element by element with c, from the first to the last. Law: row 114.
func (e *Evaluator) reduceOver(c *Computation, v []*literal.Literal) (*literal.Literal, error) {
	t := c.Root.Shape.Type
	for i, l := range v {
		if l.Shape().Type != t {
			wide, err := literal.Convert(l, t)
			if err != nil {
				return nil, err
			}
			v[i] = wide
		}
	}
	if op, ok := simpleReducer(c); ok {
		return e.foldWith(op, v)
	}
	ap, err := e.applier(c)
	if err != nil {
		return nil, err
	}
	acc := v[0].Wide()
	in, out := make([]Cell, 2), make([]Cell, 1)
	for _, l := range v[1:] {
		w := l.Wide()
		for i := range w.Len() {
			in[0], in[1] = cellAt(acc, i), cellAt(w, i)
			if err := ap.apply(in, out); err != nil {
				return nil, err
			}
			setCell(acc, i, out[0])
			if err := e.poll(i); err != nil {
				return nil, err
			}
		}
	}
	return literal.FromWide(v[0].Shape(), acc), nil
}

// foldWith folds arrays with the binary op, which rounds every time as c would.
func (e *Evaluator) foldWith(op Opcode, v []*literal.Literal) (*literal.Literal, error) {
	acc := v[0]
	x := &Instruction{Op: Parameter, Shape: acc.Shape()}
	in := &Instruction{Op: op, Shape: acc.Shape(), Operands: []*Instruction{x, x}}
	for _, l := range v[1:] {
		if err := e.tick(); err != nil {
			return nil, err
		}
		var err error
		if acc, err = op.Info().Eval(e, in, []*literal.Literal{acc, l}); err != nil {
			return nil, err
		}
	}
	return acc, nil
}

func evalReduceScatter(e *Evaluator, in *Instruction, args []*literal.Literal) (*literal.Literal, error) {
	a := in.Attrs.(*ReduceScatterAttrs)
	t, err := e.member(in, &a.CollectiveAttrs)
	if err != nil {
		return nil, err
	}
	if err := checkTeamSize(in, shapesOf(args), in.Shape, t.size()); err != nil {
		return nil, err
	}
	sum, err := meet(e, in, t, args, e.reducing(a.ToApply))
	if err != nil {
		return nil, err
	}
	mine := make([]*literal.Literal, len(sum))
	for i, l := range sum {
		mine[i] = blockAlong(l, int64(a.Dimension), t.place, t.size())
	}
	return results(mine), nil
}

func evalAllToAll(e *Evaluator, in *Instruction, args []*literal.Literal) (*literal.Literal, error) {
	a := in.Attrs.(*AllToAllAttrs)
	t, err := e.member(in, &a.CollectiveAttrs)
	if err != nil {
		return nil, err
	}
	n := t.size()
	if err := checkTeamSize(in, shapesOf(args), in.Shape, n); err != nil {
		return nil, err
	}
	members, err := meet(e, in, t, args, all)
	if err != nil {
		return nil, err
	}
	if !a.Dimension.Set {
		return literal.NewTuple(column(members, t.place)...), nil
	}
	out := make([]*literal.Literal, len(args))
	for i := range out {
		blocks := column(members, i)
		for k, l := range blocks {
			blocks[k] = blockAlong(l, a.Dimension.Value, t.place, n)
		}
		out[i] = concatAlong(blocks, a.Dimension.Value)
	}
	return results(out), nil
}

// rootPlaces returns which member is the root for each of n operands, by place in the group, and the operands without
// the roots.
func rootPlaces(args []*literal.Literal, dynamic bool, size int) ([]int, []*literal.Literal, error) {
	if !dynamic {
		return make([]int, len(args)), args, nil
	}
	n := len(args) - 1
	places := make([]int, n)
	for i, r := range args[n].Wide().I {
		if r < 0 || r >= int64(size) {
			return nil, nil, fmt.Errorf("root %d of operand %d, and the group has %d devices", r, i, size)
		}
		places[i] = int(r)
	}
	return places, args[:n], nil
}

// firstOnly is the Needs of a broadcast from the first member.
func firstOnly(from, _ int) bool { return from == 0 }

func evalCollectiveBroadcast(e *Evaluator, in *Instruction, args []*literal.Literal) (*literal.Literal, error) {
	a := in.Attrs.(*CollectiveBroadcastAttrs)
	t, err := e.teamOf(in, &a.CollectiveAttrs)
	if err != nil {
		return nil, err
	}
	if t.place < 0 {
		return results(zerosLike(args[:wrapped(in.Shape)])), nil
	}
	root, data, err := rootPlaces(args, a.HasDynamicRoot, t.size())
	if err != nil {
		return nil, err
	}
	if !a.HasDynamicRoot {
		t.meeting.Needs = firstOnly
	}
	members, err := meet(e, in, t, data, all)
	if err != nil {
		return nil, err
	}
	out := make([]*literal.Literal, len(data))
	for i := range out {
		out[i] = members[root[i]][i]
	}
	return results(out), nil
}

func evalCollectiveReduce(e *Evaluator, in *Instruction, args []*literal.Literal) (*literal.Literal, error) {
	a := in.Attrs.(*CollectiveReduceAttrs)
	t, err := e.teamOf(in, &a.CollectiveAttrs)
	if err != nil {
		return nil, err
	}
	root, data, err := rootPlaces(args, a.HasDynamicRoot && t.place >= 0, t.size())
	if err != nil {
		return nil, err
	}
	out := make([]*literal.Literal, wrapped(in.Shape))
	for i := range out {
		out[i] = literal.Zeros(args[i].Shape().WithType(a.ToApply.Root.Shape.Type))
	}
	if t.place < 0 {
		return results(out), nil
	}
	sums, err := meet(e, in, t, data, e.reducing(a.ToApply))
	if err != nil {
		return nil, err
	}
	for i := range out {
		if root[i] == t.place {
			out[i] = sums[i]
		}
	}
	return results(out), nil
}

// wrapped returns how many results a collective of shape s has.
func wrapped(s shape.Shape) int {
	if s.IsTuple() {
		return len(s.Elems)
	}
	return 1
}

func zerosLike(v []*literal.Literal) []*literal.Literal {
	z := make([]*literal.Literal, len(v))
	for i, l := range v {
		z[i] = literal.Zeros(l.Shape())
	}
	return z
}
