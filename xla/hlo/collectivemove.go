package hlo

import (
	"fmt"
	"maps"
	"slices"

	"github.com/halo-xla/halo/xla/collective"
	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// stripes returns how an array lies along dimension d: count stripes of width bytes each, one for each index of the
// dimensions before d.
func stripes(s shape.Shape, d int64) (count, width int) {
	count, width = 1, s.Type.Bytes()
	for i, n := range s.Dims {
		if int64(i) < d {
			count *= int(n)
		} else {
			width *= int(n)
		}
	}
	return count, width
}

// concatAlong joins arrays that differ at most in dimension d along it.
func concatAlong(parts []*literal.Literal, d int64) *literal.Literal {
	s := parts[0].Shape()
	n := int64(0)
	for _, p := range parts {
		n += p.Shape().Dims[d]
	}
	out := literal.Zeros(withDim(s, d, n))
	count, width := stripes(out.Shape(), d)
	at := 0
	for _, p := range parts {
		_, w := stripes(p.Shape(), d)
		for i := range count {
			copy(out.Bytes()[i*width+at:], p.Bytes()[i*w:(i+1)*w])
		}
		at += w
	}
	return out
}

// blockAlong returns block k of the n equal ones that l has along dimension d.
func blockAlong(l *literal.Literal, d int64, k, n int) *literal.Literal {
	s := l.Shape()
	out := literal.Zeros(withDim(s, d, s.Dims[d]/int64(n)))
	count, width := stripes(s, d)
	w := width / n
	for i := range count {
		copy(out.Bytes()[i*w:], l.Bytes()[i*width+k*w:i*width+(k+1)*w])
	}
	return out
}

// peers are the pairs of a collective-permute on this grid, seen from this device.
type peers struct {
	team   team
	source int // whose operands this device gets, by place in the team; -1: nobody's
}

// peersOf returns the devices that pairs link with this one, directly or not.
func (e *Evaluator) peersOf(in *Instruction, mode collective.Mode, ids [][2]int64) (*peers, error) {
	pairs, err := e.device.grid.Pairs(mode, ids)
	if err != nil {
		return nil, fmt.Errorf("source_target_pairs: %w", err)
	}
	self, targets, sources := e.device.id, map[int]int{}, map[int]int{}
	for _, p := range pairs {
		targets[p[0]], sources[p[1]] = p[1], p[0]
	}
	linked := map[int]bool{self: true}
	for _, next := range []map[int]int{targets, sources} { // pairs make chains and rings
		for d, ok := next[self]; ok && !linked[d]; d, ok = next[d] {
			linked[d] = true
		}
	}
	p := &peers{source: -1}
	group := slices.Sorted(maps.Keys(linked))
	p.team.meeting.Op, p.team.meeting.Group = opName(in), group
	p.team.meeting.Needs = func(from, to int) bool {
		source, ok := sources[group[to]]
		return ok && source == group[from]
	}
	if source, ok := sources[self]; ok {
		p.source = slices.Index(group, source)
	}
	return p, nil
}

func evalCollectivePermute(e *Evaluator, in *Instruction, args []*literal.Literal) (*literal.Literal, error) {
	v, err := e.collectivePermute(in, args)
	if err != nil {
		return nil, err
	}
	return results(v), nil
}

// collectivePermute returns what this device gets: its source's operands, or zeros. Law: row 117.
func (e *Evaluator) collectivePermute(in *Instruction, args []*literal.Literal) ([]*literal.Literal, error) {
	a := in.Attrs.(*CollectivePermuteAttrs)
	mode, err := groupMode(in.Op, a.ChannelID, a.UseGlobalDeviceIDs)
	if err != nil {
		return nil, err
	}
	p, err := e.peersOf(in, mode, a.SourceTargetPairs)
	if err != nil {
		return nil, err
	}
	members, err := meet(e, in, &p.team, args, all)
	if err != nil {
		return nil, err
	}
	if a.SliceSizes != "" {
		return inPlacePermute(a, args, members, p.source)
	}
	if p.source < 0 {
		return zerosLike(args), nil
	}
	return members[p.source], nil
}
