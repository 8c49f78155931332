package pass

import (
	"github.com/halo-xla/halo/xla/hlo"
)

// maxAgain is how many ops on scalars a thread does at most for one that it would read else.
const maxAgain = 24

// again finds what each thread of a fusion computes for itself where a backend has one for each element: scalars that
// only arrays of other sizes are made of, and values of which all that is used are slices apart from each other.
func (u *fuser) again() {
	if !u.f.Threads || u.rows != nil {
		return
	}
	scalar := u.scalars()
	sunk := make([]bool, len(u.kind)) // all that uses it is in fusions and not a scalar of its own there
	for i := len(u.kind) - 1; i >= 0; i-- {
		in := u.old.Instructions[i]
		if in == u.old.Root || len(u.users[i]) == 0 {
			continue
		}
		switch {
		case u.kind[i] == leaf:
			sunk[i] = u.isSunk(i, sunk, false)
		case scalar[i] && u.isSunk(i, sunk, true), u.kind[i] == member && u.isSliced(i, sunk):
			u.kind[i], sunk[i] = leaf, true
		}
	}
	for i, in := range u.old.Instructions {
		if isSlice(in) && u.kind[i] == leaf && u.isApart(i, sunk) {
			u.kind[i] = member
		}
	}
}

func isSlice(in *hlo.Instruction) bool { return in.Op == hlo.Slice }

// maxSlices bounds the bytes of a slice that is made with others of the same array: they are in memory together.
const maxSlices = 1 << 20

// isApart reports whether i, a slice of what is in memory, is not too large and only for what is in no fusion.
func (u *fuser) isApart(i int, sunk []bool) bool {
	in := u.old.Instructions[i]
	size, err := in.Shape.ByteSize()
	if err != nil || size > maxSlices || u.kind[in.Operands[0].Index()] == leaf || in.Operands[0].Shape.Size() == 1 {
		return false
	}
	for _, user := range u.users[i] {
		if u.kind[user] >= member || u.kind[user] == leaf && sunk[user] {
			return false
		}
	}
	return true
}

// isSunk reports whether all that uses i is in fusions, with arrays of another size if so wanted.
func (u *fuser) isSunk(i int, sunk []bool, apart bool) bool {
	for _, user := range u.users[i] {
		within := u.kind[user] >= member && !(apart && u.space[user] == u.space[i])
		if !within && !(u.kind[user] == leaf && sunk[user]) {
			return false
		}
	}
	return true
}

// isSliced reports whether slices that do not read more than all of i's value, each for one op, are all that uses it.
func (u *fuser) isSliced(i int, sunk []bool) bool {
	n := int64(0)
	for _, user := range u.users[i] {
		in := u.old.Instructions[user]
		if in.Op != hlo.Slice || u.kind[user] != leaf || !sunk[user] || len(u.users[user]) != 1 {
			return false
		}
		n += in.Shape.Size()
	}
	return n <= u.old.Instructions[i].Shape.Size()
}

// scalars finds the ops on scalars that take no longer than reading their value.
func (u *fuser) scalars() []bool {
	found, cost := make([]bool, len(u.kind)), make([]int, len(u.kind))
	for i, in := range u.old.Instructions {
		if !u.isCheapScalar(in) {
			continue
		}
		cost[i] = 1
		for _, o := range in.Operands {
			cost[i] += cost[o.Index()]
		}
		if found[i] = cost[i] <= maxAgain; !found[i] {
			cost[i] = 0
		}
	}
	return found
}

func (u *fuser) isCheapScalar(in *hlo.Instruction) bool {
	if !plain(in.Shape) || in.IsDynamic() || in.Shape.Size() != 1 || u.isPinned(in) {
		return false
	}
	return u.kind[in.Index()] == member && (cheapOps[in.Op] || cheapScalars[in.Op]) ||
		in.Op == hlo.Reshape && plain(in.Operands[0].Shape) && !in.Operands[0].IsDynamic()
}

// cheapScalars are the ops on scalars that a thread may do again, besides cheapOps.
var cheapScalars = [hlo.NumOps]bool{
	hlo.ShiftLeft: true, hlo.ShiftRightLogical: true, hlo.ShiftRightArithmetic: true, hlo.Select: true, hlo.Clamp: true,
	hlo.Sign: true, hlo.Copy: true, hlo.BitcastConvert: true, hlo.Reshape: true, hlo.IsFinite: true,
}

// updates reports whether in puts an array into a larger one that lies in memory when the array is made.
func (u *fuser) updates(in *hlo.Instruction) bool {
	if u.rows != nil || u.f.Update == nil || !u.f.Update(in) {
		return false
	}
	to, from := in.Operands[0], in.Operands[1]
	return plain(to.Shape) && plain(from.Shape) && u.kind[to.Index()] != leaf &&
		u.space[to.Index()] != u.space[from.Index()] && from.Shape.Size() > 0
}

// isTarget reports whether user puts something into in, which must be in memory for that.
func (u *fuser) isTarget(in *hlo.Instruction, user int32) bool {
	return u.kind[user] == updating && u.old.Instructions[user].Operands[0] == in
}
