package hlo

import (
	"fmt"
	"slices"
	"strings"
)

// meshAxis is a named axis of a mesh of devices.
type meshAxis struct {
	name string
	size int64
}

// axisRef is an axis, or the part of one that is left when pre devices before it and the rest behind it are split off.
type axisRef struct {
	axis      int
	pre, size int64
}

// parseMesh reads groups of a mesh, "mesh['x'=2,'y'=4], device_ids=([4,2]T(1,0)) {'y':(1)2}": devices that differ in
// nothing but their places on the listed axes are a group. The ids are counted up along the mesh unless device_ids
// says otherwise. Groups and their members are in the order of the mesh's axes.
func (v *ReplicaGroups) parseMesh(s string) error {
	axesText, rest, ok := strings.Cut(strings.TrimPrefix(s, "mesh["), "]")
	open := strings.LastIndexByte(rest, '{')
	if !ok || open < 0 || !strings.HasSuffix(rest, "}") {
		return fmt.Errorf("got %s, want groups such as mesh['x'=2,'y'=4] {'x'}", clip(s))
	}
	axes, total, err := parseMeshAxes(axesText)
	if err != nil {
		return err
	}
	ids, err := meshIDs(strings.TrimSpace(rest[:open]), total)
	if err != nil {
		return err
	}
	refs, err := parseAxisRefs(rest[open+1:len(rest)-1], axes)
	if err != nil {
		return err
	}
	sizes, grouped, err := splitAxes(axes, refs)
	if err != nil {
		return err
	}
	perm, members := make([]int64, 0, len(sizes)), int64(1)
	for d := range sizes {
		if !slices.Contains(grouped, int64(d)) {
			perm = append(perm, int64(d))
		}
	}
	for _, d := range grouped {
		members *= sizes[d]
	}
	ids = transposeIDs(ids, sizes, append(perm, grouped...))
	*v = ReplicaGroups{Groups: cut(ids, int(members)), Iota: s}
	return nil
}

// parseMeshAxes reads "'x'=2,'y'=4" and returns the number of devices too.
func parseMeshAxes(s string) (axes []meshAxis, total int64, err error) {
	total = 1
	for more := s != ""; more; {
		var item string
		item, s, more = strings.Cut(s, ",")
		name, size, ok := strings.Cut(strings.TrimSpace(item), "=")
		n, err := parseInt(size)
		if !ok || err != nil || n < 1 || n > maxDevices || total > maxDevices/n {
			return nil, 0, fmt.Errorf("got axis %s, want 'name'=size, and at most %d devices", clip(item), maxDevices)
		}
		if len(axes) == maxWindowRank {
			return nil, 0, fmt.Errorf("mesh has more than %d axes", maxWindowRank)
		}
		total *= n
		axes = append(axes, meshAxis{name, n})
	}
	return axes, total, nil
}

// meshIDs reads ", device_ids=(3,1,2,0)" or ", device_ids=([2,2]T(1,0))"; without it the ids count up.
func meshIDs(s string, total int64) ([]int64, error) {
	if s == "" {
		return iotaIDs(total), nil
	}
	inner, ok := strings.CutPrefix(strings.TrimSpace(strings.TrimPrefix(s, ",")), "device_ids=(")
	inner, ok2 := strings.CutSuffix(inner, ")")
	if !ok || !ok2 {
		return nil, fmt.Errorf("got %s, want device_ids=(...)", clip(s))
	}
	if strings.HasPrefix(inner, "[") {
		return iotaForm(inner, total)
	}
	ids, err := parseInts("{" + inner + "}")
	if err == nil && int64(len(ids)) != total {
		err = fmt.Errorf("got %d device ids, want %d as the mesh has", len(ids), total)
	}
	return ids, err
}

// iotaForm reads "[2,4]T(1,0)": total ids counted up in the sizes, transposed.
func iotaForm(s string, total int64) ([]int64, error) {
	text, perm, transposed := strings.Cut(s, "T")
	sizes, count, err := parseSizes(text)
	if err != nil {
		return nil, err
	}
	if count != total {
		return nil, fmt.Errorf("%s has %d ids for %d places", clip(s), count, total)
	}
	ids := iotaIDs(total)
	if !transposed {
		return ids, nil
	}
	p, err := parseInts("{" + strings.TrimSuffix(strings.TrimPrefix(perm, "("), ")") + "}")
	if err != nil {
		return nil, err
	}
	if !isPermutation(p, len(sizes)) {
		return nil, fmt.Errorf("got T%s, want a permutation of %d dimensions", clip(perm), len(sizes))
	}
	return transposeIDs(ids, sizes, p), nil
}

// parseAxisRefs reads "'x','y':(1)2".
func parseAxisRefs(s string, axes []meshAxis) ([]axisRef, error) {
	var refs []axisRef
	for more := strings.TrimSpace(s) != ""; more; {
		var item string
		item, s, more = strings.Cut(s, ",")
		item = strings.TrimSpace(item)
		name, part, sub := strings.Cut(item, ":(")
		i := slices.IndexFunc(axes, func(a meshAxis) bool { return a.name == name })
		if i < 0 {
			return nil, fmt.Errorf("got %s, want an axis of the mesh", clip(item))
		}
		ref := axisRef{i, 1, axes[i].size}
		if sub {
			pre, size, _ := strings.Cut(part, ")")
			var err error
			if ref.pre, err = parseInt(pre); err == nil {
				ref.size, err = parseInt(size)
			}
			if err != nil || ref.pre < 1 || ref.size < 1 || axes[i].size%ref.pre != 0 || axes[i].size/ref.pre%ref.size != 0 {
				return nil, fmt.Errorf("got %s, want 'axis':(pre)size whose product divides %d", clip(item), axes[i].size)
			}
		}
		refs = append(refs, ref)
	}
	return refs, nil
}

// splitAxes cuts the axes where refs begin and end. It returns the sizes of the parts and which of them refs name, in
// the order of the axes.
func splitAxes(axes []meshAxis, refs []axisRef) (sizes, grouped []int64, err error) {
	for i, a := range axes {
		var mine []axisRef
		for _, r := range refs {
			if r.axis == i {
				mine = append(mine, r)
			}
		}
		sorted := slices.Clone(mine)
		slices.SortStableFunc(sorted, func(a, b axisRef) int { return int(a.pre - b.pre) })
		at := map[int64]int64{} // the part that begins behind pre devices
		done := int64(1)
		for _, r := range sorted {
			if r.pre%done != 0 {
				return nil, nil, fmt.Errorf("parts of axis %s overlap", a.name)
			}
			if r.pre > done {
				sizes = append(sizes, r.pre/done)
			}
			at[r.pre] = int64(len(sizes))
			sizes = append(sizes, r.size)
			done = r.pre * r.size
		}
		if done < a.size {
			sizes = append(sizes, a.size/done)
		}
		for _, r := range mine {
			grouped = append(grouped, at[r.pre])
		}
		if len(at) != len(mine) {
			return nil, nil, fmt.Errorf("parts of axis %s overlap", a.name)
		}
	}
	return sizes, grouped, nil
}
