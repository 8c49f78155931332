package pass

import (
	"slices"

	"github.com/halo-xla/halo/xla/hlo"
)

// find returns the group of an instruction.
func (u *fuser) find(i int32) int32 {
	for u.up[i] != i {
		u.up[i] = u.up[u.up[i]]
		i = u.up[i]
	}
	return i
}

func (u *fuser) union(i, j int32) {
	i, j = u.find(i), u.find(j)
	u.up[max(i, j)] = min(i, j)
}

// join puts members of one stage and space into one group if one uses the other, or if both read the same array of
// that size.
func (u *fuser) join() {
	type reader struct{ input, stage, only, space int32 }
	first := map[reader]int32{}
	for i, in := range u.old.Instructions {
		if u.kind[i] < member {
			continue
		}
		for _, o := range in.Operands {
			o = u.source(o)
			j := int32(o.Index())
			switch r := (reader{j, u.stage[i], u.only[i], u.space[i]}); {
			case u.inside(int(j), i) && u.stage[j] == u.stage[i] && u.only[j] != u.only[i]:
			case u.inside(int(j), i) && u.stage[j] == u.stage[i]:
				u.union(j, int32(i))
			case u.rows != nil || u.kind[j] == leaf || u.size(o) != u.space[i] && !isSlice(in) || o.Shape.IsScalar():
			case first[r] == 0:
				first[r] = int32(i) + 1
			default:
				u.union(first[r]-1, int32(i))
			}
		}
	}
}

// source is the array that o reads if it is a leaf that works on the elements of one: what reads o reads that, and may
// be joined by what reads it, too.
func (u *fuser) source(o *hlo.Instruction) *hlo.Instruction {
	for u.f.Siblings != nil && u.rows == nil && u.kind[o.Index()] == leaf && cheapOps[o.Op] {
		k := slices.IndexFunc(o.Operands, func(x *hlo.Instruction) bool {
			return splatOf(x) == nil && !x.Shape.IsScalar()
		})
		if k < 0 {
			break
		}
		o = o.Operands[k]
	}
	return o
}

// raise moves groups that only later groups read to the first of those, last groups first.
func (u *fuser) raise() {
	members, order := u.groups()
	for k := len(order) - 1; k >= 0; k-- {
		g := order[k]
		limit, with := u.limit(g, members[g])
		if with < 0 || limit <= u.stage[g] {
			continue
		}
		for _, i := range members[g] {
			u.stage[i] = limit
		}
		u.union(g, with)
	}
}

// groups lists the members of each group, and the groups by stage.
func (u *fuser) groups() (members map[int32][]int32, order []int32) {
	members = map[int32][]int32{}
	last := int32(0)
	for i := range u.kind {
		if u.kind[i] >= member {
			g := u.find(int32(i))
			members[g] = append(members[g], int32(i))
			last = max(last, u.stage[i])
		}
	}
	byStage := make([][]int32, last+1)
	for i := range u.kind {
		if g := int32(i); u.kind[i] >= member && u.find(g) == g {
			byStage[u.stage[i]] = append(byStage[u.stage[i]], g)
		}
	}
	for _, list := range byStage {
		order = append(order, list...)
	}
	return members, order
}

// limit returns the last stage at which the users of a group's members allow it to be, and a member of a group of that
// stage that it would join, or -1.
func (u *fuser) limit(g int32, members []int32) (stage, with int32) {
	stage, with = 1<<30, -1
	for _, i := range members {
		for _, user := range u.users[i] {
			if u.find(user) == u.find(g) {
				continue
			}
			at, inside := u.latest(user), u.inside(int(i), int(user))
			if u.kind[user] >= member && !inside {
				at--
			}
			switch joins := inside && u.only[user] == u.only[i]; {
			case joins && at <= stage:
				stage, with = at, user
			case at < stage:
				stage, with = at, -1
			}
		}
	}
	return stage, with
}

// latest returns the stage of a user; that of a leaf is what its own users allow.
func (u *fuser) latest(i int32) int32 {
	if u.kind[i] != leaf {
		return u.stage[i]
	}
	at := int32(1 << 30)
	for _, user := range u.users[i] {
		s := u.latest(user)
		if u.kind[user] >= member {
			s--
		}
		at = min(at, s)
	}
	return max(at, u.stage[i])
}
