package collective

import (
	"errors"
	"fmt"
	"strings"
)

// ReadGroups reads groups of ids in a compact form of HLO text: "[4,2]<=[2,4]T(1,0)" as [Iota] makes them, or places of
// a mesh, "mesh['x'=2,'y'=4], device_ids=([4,2]T(1,0)) {'y':(1)2}", of which those that differ on the listed axes alone
// are a group. The groups are then in the order of the mesh's places, the members in that of the listed axes.
func ReadGroups(text string) ([][]int64, error) {
	if strings.HasPrefix(text, "mesh[") {
		return readMeshGroups(text)
	}
	dims, from, ok := strings.Cut(text, "<=")
	if !ok {
		return nil, errors.New("want groups such as {{0,1},{2,3}} or [2,2]<=[4]")
	}
	list, err := inside(dims, "[", "]")
	if err != nil {
		return nil, err
	}
	sizes, err := numbers(list)
	if err != nil {
		return nil, err
	}
	order, err := readIota(from)
	if err != nil {
		return nil, err
	}
	return order.rows(sizes)
}

func readMeshGroups(text string) ([][]int64, error) {
	open := strings.LastIndexByte(text, '{')
	if open < 0 || !strings.HasSuffix(text, "}") {
		return nil, errors.New("want groups such as mesh['x'=2,'y'=4] {'x'}")
	}
	m, rest, err := readMesh(text[:open])
	if err == nil && len(rest) > 0 {
		err = fmt.Errorf("got %s, want device_ids=(...) or {axes}", rest[0])
	}
	if err != nil {
		return nil, err
	}
	refs, err := m.refs(text[open+1 : len(text)-1])
	if err != nil {
		return nil, err
	}
	return m.Groups(refs)
}

// Groups cuts the mesh's devices, at most 2^20, into groups of those whose places differ on the axes refs alone. The
// members are in the order of refs, the last running fastest, the groups in that of the mesh's places. It fails if refs
// overlap or name no part of an axis.
func (m *MeshSharding) Groups(refs []AxisRef) ([][]int64, error) {
	for _, ref := range refs {
		if ref.Size == 0 {
			continue
		}
		if err := m.checkPart(ref); err != nil {
			return nil, err
		}
	}
	ids, err := m.places()
	if err != nil {
		return nil, err
	}
	digits, members, err := m.digits(refs)
	if err != nil {
		return nil, err
	}
	all, first := make([]int64, len(ids)), make([]int64, len(ids)) // first: where the group of a place with zeros lies
	groups := make([][]int64, 0, int64(len(ids))/members)
	for place, id := range ids {
		member, base := split(int64(place), digits)
		if member == 0 {
			first[base] = int64(len(groups)) * members
			groups = append(groups, all[first[base]:first[base]+members:first[base]+members])
		}
		all[first[base]+member] = id
	}
	return groups, nil
}

// inside returns what stands between two marks. It fails unless text has them as its ends.
func inside(text, begin, end string) (string, error) {
	inner, ok := strings.CutPrefix(text, begin)
	inner, ok2 := strings.CutSuffix(inner, end)
	if !ok || !ok2 {
		return "", fmt.Errorf("got %q, want %s...%s", text, begin, end)
	}
	return inner, nil
}
