package hlopb

import (
	"math/bits"
	"strconv"
	"strings"

	"github.com/halo-xla/halo/xla/collective"
)

// axisLists are the lists of a NamedShardingProto of axes that cut no dimension, by their names in XLA's text.
var axisLists = [...]struct{ name, field string }{
	{"replicated", "replicated_axes"}, {"unreduced", "unreduced_axes"}, {"manual", "manual_axes"},
}

// namedText writes a NamedShardingProto as XLA's text has it: "{mesh['a'=2,'b'=4], [{'a'}, {'b':(1)2, ?}],
// replicated={'b'}}". One without dimensions is a word.
func namedText(m *message) string {
	text, axes := "{mesh[]", &meshAxes{}
	if mesh := m.sub("mesh"); mesh != nil {
		text, axes = "{"+meshText(mesh), axesOf(mesh)
	}
	var dims []string
	m.subs("dim_shardings", func(d *message) {
		refs := axes.refs(d, "axes")
		if !d.flag("is_closed") {
			refs = append(refs, "?")
		}
		dims = append(dims, "{"+strings.Join(refs, ", ")+"}")
	})
	lists, some, word := "", 0, "replicated"
	for _, l := range axisLists {
		refs := axes.refs(m, l.field)
		if len(refs) == 0 {
			continue
		}
		some++
		lists += ", " + l.name + "={" + strings.Join(refs, ", ") + "}"
		if word = ""; strings.Join(refs, ",") == strings.Join(axes.names, ",") && l.name != "replicated" {
			word = l.name // of all axes
		}
	}
	if dims == nil && word != "" && some < 2 {
		text, lists = text+", "+word, ""
	} else {
		text += ", [" + strings.Join(dims, ", ") + "]"
	}
	var metadata []string
	m.subs("metadata", func(s *message) { metadata = append(metadata, flatText(s, false)) })
	if metadata != nil {
		lists += ", metadata={" + strings.Join(metadata, ", ") + "}"
	}
	return text + lists + "}"
}

// meshAxes are the axes of a mesh.
type meshAxes struct {
	names []string // in their quotes
	left  []int    // how often each may yet be named
}

// axesOf returns the axes of a mesh. A sharding names each whole or in parts that have no device twice, so no oftener
// than its size has bits, whatever its lists say: its text grows with its message.
func axesOf(mesh *message) *meshAxes {
	x := &meshAxes{}
	mesh.subs("axes", func(a *message) {
		x.names = append(x.names, "'"+a.str("name")+"'")
		x.left = append(x.left, bits.Len64(uint64(max(a.num("size"), 1))))
	})
	return x
}

// meshText writes a mesh: "mesh['a'=2,'b'=4], device_ids=([4,2]T(1,0))".
func meshText(mesh *message) string {
	var axes []string
	mesh.subs("axes", func(a *message) {
		axes = append(axes, "'"+a.str("name")+"'="+strconv.FormatInt(a.num("size"), 10))
	})
	text := "mesh[" + strings.Join(axes, ",") + "]"
	if iota := mesh.sub("iota_transform"); iota != nil {
		sizes, order := joined(iota.nums("reshape_dims")), joined(iota.nums("transpose_perm"))
		return text + ", device_ids=([" + sizes + "]T(" + order + "))"
	}
	if ids := mesh.nums("device_ids"); ids != nil {
		text += ", device_ids=(" + joined(ids) + ")"
	}
	return text
}

// refs writes the axes of a list, "'a'" or "'a':(1)2" for a part of one.
func (x *meshAxes) refs(m *message, list string) (refs []string) {
	m.subs(list, func(a *message) {
		i, text := a.num("mesh_axis_index"), ""
		if i < 0 || i >= int64(len(x.names)) {
			m.fail(list, "axis %d of a mesh of %d", i, len(x.names))
			return
		}
		if sub := a.sub("sub_axis_info"); sub != nil {
			text = ":(" + strconv.FormatInt(sub.num("pre_size"), 10) + ")" + strconv.FormatInt(sub.num("size"), 10)
		}
		if text == "" {
			x.left[i] = min(x.left[i], 1) // nothing of it is left
		}
		if x.left[i]--; x.left[i] < 0 {
			m.fail(list, "axis %d is named more often than it has parts", i)
			return
		}
		refs = append(refs, x.names[i]+text)
	})
	return refs
}

// named appends the fields of a sharding by the axes of a mesh.
func (w *writer) named(x *collective.ShardingText) {
	m := x.Mesh
	w.sub("mesh", func() {
		for _, a := range m.Axes {
			w.sub("axes", func() { w.str("name", a.Name); w.num("size", a.Size) })
		}
		w.nums("device_ids", m.Order.IDs)
		if m.Order.Reshape != nil {
			w.sub("iota_transform", func() {
				w.nums("reshape_dims", m.Order.Reshape)
				w.nums("transpose_perm", m.Order.Permutation)
			})
		}
	})
	for _, d := range m.Dims {
		w.sub("dim_shardings", func() {
			w.axisRefs("axes", d.Axes)
			w.flag("is_closed", !d.Open)
		})
	}
	w.axisRefs("replicated_axes", m.Replicated)
	w.axisRefs("unreduced_axes", m.Unreduced)
	w.axisRefs("manual_axes", m.Manual)
	for _, text := range x.Metadata {
		w.sub("metadata", func() { w.flat(text) })
	}
}

func (w *writer) axisRefs(field string, refs []collective.AxisRef) {
	for _, r := range refs {
		w.sub(field, func() {
			w.num("mesh_axis_index", int64(r.Axis))
			if r.Size > 0 {
				w.sub("sub_axis_info", func() { w.num("pre_size", r.Pre); w.num("size", r.Size) })
			}
		})
	}
}
