package hlo

import (
	"fmt"
	"strings"
)

// maxDevices bounds the ids that an iota form may spell out.
const maxDevices = 1 << 20

// IsZero reports whether there are no groups, which means one group of all.
func (v *ReplicaGroups) IsZero() bool { return len(v.Groups) == 0 }

// AppendText appends "{{0,1},{2,3}}", or the iota form that the groups came from.
func (v *ReplicaGroups) AppendText(b []byte) []byte {
	if v.Iota != "" {
		return append(b, v.Iota...)
	}
	return appendBraced(b, v.Groups, appendInts)
}

// ParseText reads lists of ids, the iota forms "[2,2]<=[4]" and "[4,2]<=[2,4]T(1,0)", that is the ids counted up in the
// shape after "<=", transposed by T and cut into groups of the shape before it, or axes of a mesh.
func (v *ReplicaGroups) ParseText(s string) error {
	switch {
	case strings.HasPrefix(s, "mesh["):
		return v.parseMesh(s)
	case !strings.HasPrefix(s, "["):
		groups, err := parseIntLists(s)
		*v = ReplicaGroups{Groups: groups}
		return err
	}
	dims, from, ok := strings.Cut(s, "<=")
	if !ok {
		return fmt.Errorf("got %s, want groups such as {{0,1},{2,3}} or [2,2]<=[4]", clip(s))
	}
	size, count, err := parseSizes(dims)
	if err != nil {
		return err
	}
	if len(size) != 2 {
		return fmt.Errorf("got %d sizes in %s, want [groups,members]", len(size), clip(dims))
	}
	ids, err := iotaForm(from, count)
	if err != nil {
		return err
	}
	*v = ReplicaGroups{Groups: cut(ids, int(size[1])), Iota: s}
	return nil
}

// parseSizes reads "[4,2]" and returns the product too.
func parseSizes(s string) (sizes []int64, product int64, err error) {
	inner, ok := strings.CutPrefix(s, "[")
	inner, ok2 := strings.CutSuffix(inner, "]")
	if !ok || !ok2 {
		return nil, 0, fmt.Errorf("got %s, want sizes such as [4,2]", clip(s))
	}
	if sizes, err = parseInts("{" + inner + "}"); err != nil {
		return nil, 0, err
	}
	product = 1
	for _, n := range sizes {
		if n < 1 || n > maxDevices || product > maxDevices/n {
			return nil, 0, fmt.Errorf("got sizes %s, want 1 to %d ids", clip(s), maxDevices)
		}
		product *= n
	}
	return sizes, product, nil
}

func iotaIDs(n int64) []int64 {
	ids := make([]int64, n)
	for i := range ids {
		ids[i] = int64(i)
	}
	return ids
}

// isPermutation reports whether p has each of 0 to n-1 once.
func isPermutation(p []int64, n int) bool {
	seen := make([]bool, n)
	for _, d := range p {
		if d < 0 || d >= int64(n) || seen[d] {
			return false
		}
		seen[d] = true
	}
	return len(p) == n
}

// transposeIDs returns ids, row-major in sizes, in row-major order of the transposed array, whose dimension i is
// dimension perm[i].
func transposeIDs(ids, sizes, perm []int64) []int64 {
	strides := make([]int64, len(sizes))
	step := int64(1)
	for d := len(sizes) - 1; d >= 0; d-- {
		strides[d] = step
		step *= sizes[d]
	}
	out := make([]int64, 0, len(ids))
	index := make([]int64, len(perm))
	for range ids {
		at := int64(0)
		for i, d := range perm {
			at += index[i] * strides[d]
		}
		out = append(out, ids[at])
		for i := len(perm) - 1; i >= 0; i-- {
			if index[i]++; index[i] < sizes[perm[i]] {
				break
			}
			index[i] = 0
		}
	}
	return out
}

// cut cuts ids into groups of n.
func cut(ids []int64, n int) [][]int64 {
	groups := make([][]int64, 0, len(ids)/n)
	for len(ids) > 0 {
		groups = append(groups, ids[:n:n])
		ids = ids[n:]
	}
	return groups
}
