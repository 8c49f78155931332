package pass

import (
	"encoding/binary"

	"github.com/halo-xla/halo/xla/hlo"
)

// rowKind is a way to see arrays as rows: by the sizes of a whole array and of its leading dimensions, which count the
// rows. Dimensions of size 1 do not count.
type rowKind struct{ whole, lead string }

// maxRowFusion bounds the members of a fusion over rows.
const maxRowFusion = 96

// fuseRows joins reductions of rows with the ops on elements before them and with those after them that spread their
// results over the rows again, kind by kind: what a softmax or a normalisation is made of.
func fuseRows(m *hlo.Module, f Fusible) *hlo.Module {
	if f.Rows == nil {
		return m
	}
	for _, kind := range rowKinds(m, f) {
		flow := controlFlow(m)
		m = edit(m, func(e *editor) {
			if !flow[e.old] {
				e.keepAllIf(false)
				return
			}
			u := newFuser(e, f)
			u.rows = &kind
			u.f.Max = min(u.f.Max, maxRowFusion)
			u.group()
			u.rebuild()
		})
	}
	return m
}

// rowKinds lists the kinds of rows that are reduced and have something spread over them in one computation.
func rowKinds(m *hlo.Module, f Fusible) []rowKind {
	var list []rowKind
	known := map[rowKind]bool{}
	flow := controlFlow(m)
	for _, c := range m.Computations {
		if !flow[c] {
			continue
		}
		spread := map[rowKind]bool{}
		for _, in := range c.Instructions {
			if k, ok := spreadKind(in); ok {
				spread[k] = true
			}
		}
		for _, in := range c.Instructions {
			if k, ok := reducedKind(in); ok && spread[k] && !known[k] && f.Rows(in) {
				known[k] = true
				list = append(list, k)
			}
		}
	}
	return list
}

// reducedKind returns what kind of rows a reduction reduces.
func reducedKind(in *hlo.Instruction) (rowKind, bool) {
	if in.Op != hlo.Reduce || len(in.Operands) != 2 || !plain(in.Operands[0].Shape) || in.IsDynamic() {
		return rowKind{}, false
	}
	dims := in.Operands[0].Shape.Dims
	n := len(dims) - len(in.Attrs.(*hlo.ReduceAttrs).Dimensions)
	for _, d := range in.Attrs.(*hlo.ReduceAttrs).Dimensions {
		if d < int64(n) {
			return rowKind{}, false
		}
	}
	return rowKind{sizesKey(dims), sizesKey(dims[:n])}, true
}

// spreadKind returns over what kind of rows a broadcast spreads an element for each row.
func spreadKind(in *hlo.Instruction) (rowKind, bool) {
	if in.Op != hlo.Broadcast || !plain(in.Shape) {
		return rowKind{}, false
	}
	next := int64(0)
	for i, d := range in.Attrs.(*hlo.BroadcastAttrs).Dimensions {
		if in.Operands[0].Shape.Dims[i] == 1 {
			continue
		}
		for ; next < d; next++ {
			if in.Shape.Dims[next] != 1 {
				return rowKind{}, false
			}
		}
		next = d + 1
	}
	return rowKind{sizesKey(in.Shape.Dims), sizesKey(in.Operands[0].Shape.Dims)}, true
}

// sizesKey has the sizes that are not 1.
func sizesKey(dims []int64) string {
	return string(appendSizes(nil, dims))
}

// appendSizes appends the sizes that are not 1 to a key, as fuser.sizes has them.
func appendSizes(key []byte, dims []int64) []byte {
	for _, n := range dims {
		if n != 1 {
			key = binary.AppendVarint(key, n)
		}
	}
	return key
}

// rowMember reports whether in takes part in a fusion over rows: as a reduction, by spreading, or on elements of whole
// arrays or of one element for each row.
func (u *fuser) rowMember(in *hlo.Instruction) bool {
	switch in.Op {
	case hlo.Reduce:
		k, ok := reducedKind(in)
		return ok && k == *u.rows && u.f.Rows(in)
	case hlo.Broadcast:
		k, ok := spreadKind(in)
		return ok && k == *u.rows && u.kind[in.Operands[0].Index()] == member && u.f.Elementwise(in)
	}
	key := sizesKey(in.Shape.Dims)
	return key == u.rows.whole || key == u.rows.lead
}

// insideRow reports whether the use of o by in, both members, is within a fusion over rows.
func (u *fuser) insideRow(o, in int) bool {
	whole, lead := u.sizes[u.rows.whole], u.sizes[u.rows.lead]
	switch u.old.Instructions[in].Op {
	case hlo.Reduce:
		return u.space[o] == whole
	case hlo.Broadcast:
		return u.space[o] == lead
	}
	return u.space[o] == u.space[in]
}

// paysRow reports whether a fusion over rows has what makes it one.
func (u *fuser) paysRow(f *fusion) bool {
	reduces, spreads := false, false
	for _, in := range f.members {
		reduces = reduces || in.Op == hlo.Reduce
		spreads = spreads || in.Op == hlo.Broadcast
	}
	return reduces && spreads
}
