package pass

import (
	"encoding/binary"

	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/shape"
)

// Fusible says what a backend computes inside a fusion.
type Fusible struct {
	// Elementwise reports whether in, an op on elements, a broadcast, a count or a slice, may be part of a fusion.
	Elementwise func(in *hlo.Instruction) bool
	// Reduce reports whether in, a reduction, may end a fusion; nil: none may.
	Reduce func(in *hlo.Instruction) bool
	// Siblings reports whether two reductions may end the same fusion; nil: those of the same dimensions may.
	Siblings func(a, b *hlo.Instruction) bool
	// Update reports whether in, a dynamic-update-slice, may be a result of the fusion that makes its update; nil: none.
	Update func(in *hlo.Instruction) bool
	// Mixed says that a fusion with reductions may have results that are not reduced besides.
	Mixed bool
	// Rows reports whether in, a reduction of the innermost dimensions, may be inside a fusion that spreads its results
	// over the rows again; nil: none may.
	Rows func(in *hlo.Instruction) bool
	// Threads says that each element has a thread of its own, which does small things again rather than read what another
	// has done, ops on scalars, sums of places, and gathers where the only use of them is.
	Threads bool
	// Counts says that loops whose rounds are known get their counts from elsewhere: what makes the next count is in no
	// fusion, so that it can be left out.
	Counts bool
	// Max is the most instructions of a fusion, 0 for 256.
	Max int
}

// Fuse joins ops on elements of arrays of one size into fusions, so that values between them need no memory: kind
// kLoop, or kInput for those that end in reductions. Nothing is computed twice but what is as cheap as reading its
// value: broadcasts, counts, slices, constants, conversions to wider types and cheap ops on one array. Values of a
// fusion that others need are its results, so that memory traffic never grows.
//
// Ops may be in one fusion if no path between them leaves it. That is so for ops of one stage: the stages of
// instructions rise along each use that cannot be within a fusion.
func Fuse(f Fusible) Pass {
	if f.Max == 0 {
		f.Max = 256
	}
	return Pass{Name: "fuse", Run: func(m *hlo.Module) (*hlo.Module, error) {
		m = fuseRows(m, f)
		counts := f.counts(m)
		flow := controlFlow(m)
		return edit(m, func(e *editor) {
			if !flow[e.old] {
				e.keepAllIf(false)
				return
			}
			u := newFuser(e, f)
			u.counts = counts
			u.group()
			u.rebuild()
		}), nil
	}}
}

// group finds the groups that become fusions.
func (u *fuser) group() {
	u.classify()
	u.setUsers()
	u.again()
	u.repeatCheap()
	u.setStages()
	u.setOnly()
	u.join()
	u.raise()
	u.dropReshapes()
}

// controlFlow returns the computations that run as a whole: the entry, and those called by calls, loops, conditionals
// and asynchronous calls. The others are applied to elements.
func controlFlow(m *hlo.Module) map[*hlo.Computation]bool {
	flow := map[*hlo.Computation]bool{m.Entry: true}
	for i := len(m.Computations) - 1; i >= 0; i-- {
		c := m.Computations[i]
		if !flow[c] {
			continue
		}
		for _, in := range c.Instructions {
			switch in.Op {
			case hlo.Call, hlo.While, hlo.Conditional, hlo.AsyncStart:
				for _, callee := range in.Called() {
					flow[callee] = true
				}
			}
		}
	}
	return flow
}

// fuseKind says what a fusion can do with an instruction.
type fuseKind uint8

const (
	outside  fuseKind = iota
	leaf              // cheap: computed in every fusion that reads it
	member            // computed in one fusion
	ending            // a reduction at the end of a fusion
	updating          // what puts a value of a fusion into an array
)

// counts are the instructions of m that make the next count of a loop whose rounds are known, if that matters.
func (f *Fusible) counts(m *hlo.Module) map[*hlo.Instruction]bool {
	found := map[*hlo.Instruction]bool{}
	for _, c := range m.Computations {
		for _, in := range c.Instructions {
			if l, ok := Trips(in); ok && f.Counts {
				found[element(in.Attrs.(*hlo.WhileAttrs).Body.Root, l.Index)] = true
			}
		}
	}
	return found
}

// fuser groups the instructions of one computation, by index.
type fuser struct {
	*editor
	f      Fusible
	counts map[*hlo.Instruction]bool
	rows   *rowKind // the kind of rows that are fused; nil: elements and reductions at the end
	kind   []fuseKind
	space  []int32 // of members: the sizes over which they run; of others those of their result
	stage  []int32
	up     []int32 // union-find
	users  [][]int32
	sizes  map[string]int32
	key    []byte
	// depth of leaves: how many leaves a leaf reads one through the other.
	depth []int8
	// only says of members that all of what uses them ends in reductions of one kind: which, 0 for others. Without
	// Fusible.Mixed they are apart from those.
	only []int32
}

// maxLeafDepth bounds how many leaves a leaf reads one through the other.
const maxLeafDepth = 4

func newFuser(e *editor, f Fusible) *fuser {
	n := len(e.old.Instructions)
	return &fuser{editor: e, f: f, kind: make([]fuseKind, n), space: make([]int32, n), stage: make([]int32, n),
		up: make([]int32, n), sizes: map[string]int32{}, depth: make([]int8, n), only: make([]int32, n)}
}

// spaceOf numbers sizes; dimensions of size 1 do not count.
func (u *fuser) spaceOf(s shape.Shape) int32 {
	u.key = appendSizes(u.key[:0], s.Dims)
	id, ok := u.sizes[string(u.key)]
	if !ok {
		id = int32(len(u.sizes))
		u.sizes[string(u.key)] = id
	}
	return id
}

// size is the number of the sizes of in's result.
func (u *fuser) size(in *hlo.Instruction) int32 {
	if k := u.kind[in.Index()]; k == ending || k == updating {
		return u.spaceOf(in.Shape)
	}
	return u.space[in.Index()]
}

func (u *fuser) classify() {
	for i, in := range u.old.Instructions {
		u.up[i] = int32(i)
		if !plain(in.Shape) || in.IsDynamic() || u.isPinned(in) || u.counts[in] {
			continue
		}
		u.space[i] = u.spaceOf(in.Shape)
		u.kind[i] = u.kindOf(in)
		switch u.kind[i] {
		case ending:
			u.space[i] = u.space[in.Operands[0].Index()]
		case updating:
			u.space[i] = u.space[in.Operands[1].Index()]
		}
	}
}

func (u *fuser) kindOf(in *hlo.Instruction) fuseKind {
	ofRow := u.rows != nil && u.rowMember(in)
	if ofRow && (in.Op == hlo.Broadcast || in.Op == hlo.Reduce) {
		return member
	}
	switch in.Op {
	case hlo.Constant:
		if in.Shape.IsScalar() {
			return leaf
		}
		return outside
	case hlo.Broadcast, hlo.Iota, hlo.Slice, hlo.Reverse, hlo.Transpose, hlo.DynamicSlice:
		if u.canBeLeaf(in) && u.f.Elementwise(in) {
			return leaf
		}
		return outside
	case hlo.Gather:
		if u.f.Threads && u.rows == nil && in.Users() == 1 && u.canBeLeaf(in) && u.f.Elementwise(in) {
			return leaf
		}
		return outside
	case hlo.DynamicUpdateSlice:
		if u.updates(in) {
			return updating
		}
		return outside
	case hlo.Reduce:
		if u.rows == nil && len(in.Operands) == 2 && plain(in.Operands[0].Shape) && u.f.Reduce != nil && u.f.Reduce(in) {
			return ending
		}
		return outside
	}
	if u.f.Threads && in.Op == hlo.Reshape && u.kind[in.Operands[0].Index()] == leaf && u.canBeLeaf(in) {
		return leaf
	}
	if u.rows != nil && !ofRow || !u.isOnElements(in) || !u.f.Elementwise(in) {
		return outside
	}
	if in.Op == hlo.Convert && in.Operands[0].Shape.Type.Bits() <= in.Shape.Type.Bits() &&
		u.kind[in.Operands[0].Index()] < member && u.canBeLeaf(in) {
		return leaf
	}
	return member
}

// canBeLeaf notes how deep a leaf would be.
func (u *fuser) canBeLeaf(in *hlo.Instruction) bool {
	for _, o := range in.Operands {
		if u.kind[o.Index()] == leaf {
			u.depth[in.Index()] = u.depth[o.Index()] + 1
		}
	}
	return u.depth[in.Index()] <= maxLeafDepth
}

// isOnElements reports whether in computes each element from the operands' elements at its place, scalars apart.
func (u *fuser) isOnElements(in *hlo.Instruction) bool {
	switch in.Op {
	case hlo.Clamp, hlo.Map, hlo.BitcastConvert, hlo.Reshape:
	default:
		if in.Op.Info().Traits&hlo.Elementwise == 0 {
			return false
		}
	}
	if len(in.Operands) == 0 {
		return false
	}
	for _, o := range in.Operands {
		if !plain(o.Shape) || u.size(o) != u.space[in.Index()] && !o.Shape.IsScalar() {
			return false
		}
	}
	return in.Op != hlo.Reshape || u.kind[in.Operands[0].Index()] == member
}

// inside reports whether the use of o by in can be within a fusion.
func (u *fuser) inside(o, in int) bool {
	if u.kind[o] != member || u.kind[in] < member {
		return false
	}
	if u.rows != nil {
		return u.insideRow(o, in)
	}
	return u.space[o] == u.space[in]
}

// setOnly finds the members that only reductions of one kind need. No path leads from those to others of their stage.
func (u *fuser) setOnly() {
	kinds := map[string]int32{}
	for i := len(u.kind) - 1; i >= 0 && !u.f.Mixed && u.rows == nil; i-- {
		in := u.old.Instructions[i]
		switch u.kind[i] {
		case ending:
			u.key = binary.AppendVarint(u.key[:0], int64(u.space[i]))
			for _, d := range in.Attrs.(*hlo.ReduceAttrs).Dimensions {
				u.key = binary.AppendVarint(u.key, d)
			}
			if kinds[string(u.key)] == 0 {
				kinds[string(u.key)] = int32(len(kinds) + 1)
			}
			u.only[i] = kinds[string(u.key)]
		case member:
			u.only[i] = u.onlyUse(i)
		}
	}
}

// onlyUse returns the kind of reductions in which all uses of a member end, or 0.
func (u *fuser) onlyUse(i int) int32 {
	if u.old.Instructions[i] == u.old.Root || len(u.users[i]) == 0 {
		return 0
	}
	kind := u.only[u.users[i][0]]
	for _, user := range u.users[i] {
		if u.only[user] != kind || !u.inside(i, int(user)) {
			return 0
		}
	}
	return kind
}

func (u *fuser) setUsers() {
	u.users = make([][]int32, len(u.kind))
	for i, in := range u.old.Instructions {
		for _, o := range in.Operands {
			u.users[o.Index()] = append(u.users[o.Index()], int32(i))
		}
	}
}

// repeatCheap makes leaves of cheap ops on one array from outside that is not wider than the result, if several members
// read them: each may read that array as well.
func (u *fuser) repeatCheap() {
	for i, in := range u.old.Instructions {
		if u.kind[i] != member || !cheapOps[in.Op] || len(u.users[i]) < 2 || in == u.old.Root || !u.canBeLeaf(in) {
			continue
		}
		arrays, ok := 0, true
		for _, o := range in.Operands {
			if splatOf(o) == nil {
				arrays++
				ok = ok && u.kind[o.Index()] < member && o.Shape.Type.Bits() <= in.Shape.Type.Bits()
			}
		}
		for _, user := range u.users[i] {
			ok = ok && u.kind[user] >= member && !u.isTarget(in, user)
		}
		if ok && arrays == 1 {
			u.kind[i] = leaf
		}
	}
}

// cheapOps take no longer than reading their operand.
var cheapOps = [hlo.NumOps]bool{
	hlo.Add: true, hlo.Subtract: true, hlo.Multiply: true, hlo.Negate: true, hlo.Abs: true, hlo.Maximum: true,
	hlo.Minimum: true, hlo.And: true, hlo.Or: true, hlo.Xor: true, hlo.Not: true, hlo.Convert: true, hlo.Compare: true,
}

// setStages gives each instruction the first stage that its operands allow. What has an effect comes no earlier than
// the one before it, and what a control dependency holds back comes later.
func (u *fuser) setStages() {
	effect := int32(0)
	for i, in := range u.old.Instructions {
		s := int32(0)
		for _, o := range in.Operands {
			j := o.Index()
			at := u.stage[j]
			if u.kind[i] >= member && !u.inside(j, i) {
				at++
			}
			s = max(s, at)
		}
		if u.isPinned(in) || u.kind[i] == outside && in.HasSideEffect() {
			s = max(s, effect+1)
			effect = s
		}
		u.stage[i] = s
	}
}

// dropReshapes leaves out of the groups what only renames the dimensions of a result.
func (u *fuser) dropReshapes() {
	for i := len(u.kind) - 1; i >= 0; i-- {
		if u.kind[i] != member || u.old.Instructions[i].Op != hlo.Reshape {
			continue
		}
		used := false
		for _, user := range u.users[i] {
			used = used || u.kind[user] >= member && u.find(user) == u.find(int32(i))
		}
		if !used {
			u.kind[i] = outside
		}
	}
}
