package hlopb

import (
	"strconv"
	"strings"
)

// axisLists are the lists of a NamedShardingProto of axes that cut no dimension, by their names in XLA's text.
var axisLists = [...]struct{ name, field string }{
	{"replicated", "replicated_axes"}, {"unreduced", "unreduced_axes"}, {"manual", "manual_axes"},
}

// namedText writes a NamedShardingProto as XLA's text has it: "{mesh['a'=2,'b'=4], [{'a'}, {'b':(1)2, ?}],
// replicated={'b'}}". One without dimensions is a word.
func namedText(m *message) string {
	text, axes := "{mesh[]", []string(nil)
	if mesh := m.sub("mesh"); mesh != nil {
		text, axes = "{"+meshText(mesh), axisNames(mesh)
	}
	var dims []string
	m.subs("dim_shardings", func(d *message) {
		refs := axisRefs(d, "axes", axes)
		if !d.flag("is_closed") {
			refs = append(refs, "?")
		}
		dims = append(dims, "{"+strings.Join(refs, ", ")+"}")
	})
	lists, some, word := "", 0, "replicated"
	for _, l := range axisLists {
		refs := axisRefs(m, l.field, axes)
		if len(refs) == 0 {
			continue
		}
		some++
		lists += ", " + l.name + "={" + strings.Join(refs, ", ") + "}"
		if word = ""; strings.Join(refs, ",") == strings.Join(axes, ",") && l.name != "replicated" {
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

// axisNames are the names of a mesh's axes in their quotes.
func axisNames(mesh *message) (names []string) {
	mesh.subs("axes", func(a *message) { names = append(names, "'"+a.str("name")+"'") })
	return names
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

// axisRefs writes the axes of a list, "'a'" or "'a':(1)2" for a part of one.
func axisRefs(m *message, list string, axes []string) (refs []string) {
	m.subs(list, func(a *message) {
		i, text := a.num("mesh_axis_index"), ""
		if i < 0 || i >= int64(len(axes)) {
			m.fail(list, "axis %d of a mesh of %d", i, len(axes))
			return
		}
		if sub := a.sub("sub_axis_info"); sub != nil {
			text = ":(" + strconv.FormatInt(sub.num("pre_size"), 10) + ")" + strconv.FormatInt(sub.num("size"), 10)
		}
		refs = append(refs, axes[i]+text)
	})
	return refs
}

// named appends the fields of a text that namedText writes, as far as it understands them.
func (w *writer) named(text string) {
	s := &scanner{src: strings.TrimSuffix(strings.TrimPrefix(text, "{"), "}")}
	var axes []string
	for s.space(); s.at < len(s.src); s.space() {
		if s.take(',') {
			continue
		}
		if s.at < len(s.src) && s.src[s.at] == '[' {
			dims, _ := s.brackets()
			w.dimShardings(dims, axes)
			continue
		}
		name := s.word()
		if name == "" {
			return
		}
		value := ""
		if s.take('=') || name == "mesh" {
			value, _ = s.brackets()
		}
		if name == "mesh" {
			axes = w.mesh(s, value)
			continue
		}
		w.namedWord(name, value, axes)
	}
}

// namedWord appends a list of axes, all of them for a word alone, or the metadata.
func (w *writer) namedWord(name, value string, axes []string) {
	if name == "metadata" {
		for _, part := range splitBraces(value) {
			w.sub("metadata", func() { w.flat(part) })
		}
		return
	}
	for _, l := range axisLists {
		switch {
		case l.name != name:
		case value != "":
			w.axisRefs(l.field, value, axes)
		case name != "replicated":
			w.axisRefs(l.field, strings.Join(axes, ","), axes)
		}
	}
}

// mesh appends a mesh of the axes "'a'=2,'b'=4" and the device_ids that follow, and returns the names in their quotes.
func (w *writer) mesh(s *scanner, list string) (names []string) {
	w.sub("mesh", func() {
		for _, axis := range splitList(list) {
			at := strings.LastIndexByte(axis, '=')
			if at < 0 {
				continue
			}
			names = append(names, axis[:at])
			w.sub("axes", func() {
				w.str("name", strings.Trim(axis[:at], "'"))
				w.num("size", atoi(axis[at+1:]))
			})
		}
		ids, ok := strings.CutPrefix(s.src[s.at:], ", device_ids=")
		if !ok {
			return
		}
		s.at = len(s.src) - len(ids)
		ids, _ = s.brackets()
		if !strings.HasPrefix(ids, "[") {
			w.nums("device_ids", split(ids))
			return
		}
		sizes, perm, _ := strings.Cut(ids[1:], "]")
		w.sub("iota_transform", func() {
			w.nums("reshape_dims", split(sizes))
			w.nums("transpose_perm", split(strings.Trim(perm, "T()")))
		})
	})
	return names
}

// dimShardings appends the axes of each dimension: "{'a'}, {'b', ?}".
func (w *writer) dimShardings(dims string, axes []string) {
	for _, dim := range splitBraces(dims) {
		list := strings.TrimSpace(dim[1 : len(dim)-1])
		refs, open := strings.CutSuffix(list, "?")
		w.sub("dim_shardings", func() {
			w.axisRefs("axes", refs, axes)
			w.flag("is_closed", !open)
		})
	}
}

// axisRefs appends axes: "'a', 'b':(1)2".
func (w *writer) axisRefs(field, list string, axes []string) {
	for _, ref := range splitList(list) {
		name, part, sub := strings.Cut(ref, ":(")
		for i := range axes {
			if axes[i] != name {
				continue
			}
			w.sub(field, func() {
				w.num("mesh_axis_index", int64(i))
				if pre, size, _ := strings.Cut(part, ")"); sub {
					w.sub("sub_axis_info", func() {
						w.num("pre_size", atoi(pre))
						w.num("size", atoi(size))
					})
				}
			})
		}
	}
}

// splitList cuts a list at its commas, without spaces and empty items.
func splitList(list string) (items []string) {
	s := &scanner{src: list}
	start := 0
	for s.at < len(list) {
		switch c := list[s.at]; c {
		case '\'', '"':
			s.quoted()
			continue
		case ',':
			items = append(items, strings.TrimSpace(list[start:s.at]))
			start = s.at + 1
		}
		s.at++
	}
	if last := strings.TrimSpace(list[start:]); last != "" {
		items = append(items, last)
	}
	return items
}
