package hlopb

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// brackets returns what stands between the bracket at the position and the one that closes it.
func (s *scanner) brackets() (inner string, ok bool) {
	start, depth := s.at+1, 0
	for s.at < len(s.src) {
		switch c := s.src[s.at]; {
		case c == '"' || c == '\'':
			s.quoted()
			continue
		case strings.IndexByte("{[(", c) >= 0:
			depth++
		case strings.IndexByte("}])", c) >= 0:
			depth--
		}
		s.at++
		if depth <= 0 {
			return s.src[min(start, s.at-1) : s.at-1], true
		}
	}
	return "", false
}

// statisticsText writes a StatisticsViz: "{visualizing_index=0,stat-0=0.5}", "" for none.
func statisticsText(m *message) string {
	var list []string
	m.subs("statistics", func(s *message) {
		list = append(list, s.str("stat_name")+"="+strconv.FormatFloat(s.float("stat_val"), 'g', -1, 64))
	})
	if at := m.num("stat_index_to_visualize"); list != nil || at != 0 {
		return "{" + strings.Join(append([]string{fmt.Sprintf("visualizing_index=%d", at)}, list...), ",") + "}"
	}
	return ""
}

func (w *writer) statistics(text string) {
	for _, item := range splitList(strings.TrimSuffix(strings.TrimPrefix(text, "{"), "}")) {
		name, value, _ := strings.Cut(item, "=")
		if name == "visualizing_index" {
			w.num("stat_index_to_visualize", atoi(value))
			continue
		}
		v, err := strconv.ParseFloat(value, 64)
		if err != nil {
			continue // the text itself is kept
		}
		w.sub("statistics", func() {
			w.str("stat_name", name)
			w.float("stat_val", v)
		})
	}
}

// originLeaf is the array of the unoptimized program that a part of a result was, none if it has no name.
type originLeaf struct {
	index []int64
	text  string
}

// originText writes an OriginalValueProto: `{({"v1"}, {"v2" {1}})}`, for an array `{{"v1"}}`.
func originText(m *message) string {
	var leaves []originLeaf
	m.subs("elements", func(e *message) {
		leaf := originLeaf{index: e.nums("shape_index"), text: "{}"}
		if a := e.sub("original_array"); a != nil {
			leaf.text = "{" + string(appendQuoted(nil, a.str("instruction_name")))
			if path := a.nums("shape_index"); len(path) > 0 {
				leaf.text += " {" + joined(path) + "}"
			}
			leaf.text += "}"
		}
		leaves = append(leaves, leaf)
	})
	if leaves == nil || slices.ContainsFunc(leaves, func(l originLeaf) bool { return len(l.index) > maxOrigin }) {
		return ""
	}
	slices.SortStableFunc(leaves, func(a, b originLeaf) int { return slices.Compare(a.index, b.index) })
	tree, rest := originTree(leaves, 0)
	if len(rest) > 0 {
		return "" // no tree
	}
	return "{" + tree + "}"
}

// originTree writes the leaves that share an index so far, and returns those that do not.
func originTree(leaves []originLeaf, depth int) (string, []originLeaf) {
	first := leaves[0]
	if len(first.index) == depth {
		return first.text, leaves[1:]
	}
	var parts []string
	for len(leaves) > 0 && len(leaves[0].index) > depth && slices.Equal(leaves[0].index[:depth], first.index[:depth]) &&
		leaves[0].index[depth] == int64(len(parts)) {
		var part string
		part, leaves = originTree(leaves, depth+1)
		parts = append(parts, part)
	}
	if parts == nil {
		return "", leaves // an index that does not begin at 0
	}
	return "(" + strings.Join(parts, ", ") + ")", leaves
}

func (w *writer) origin(text string) {
	s := &scanner{src: strings.TrimSuffix(strings.TrimPrefix(text, "{"), "}")}
	w.originPart(s, nil)
}

// originPart appends the leaves of one part.
func (w *writer) originPart(s *scanner, index []int64) {
	if s.space(); s.at >= len(s.src) || len(index) > maxOrigin {
		return
	}
	switch s.src[s.at] {
	case '{':
		inner, _ := s.brackets()
		w.originLeaf(inner, index)
	case '(':
		inner, _ := s.brackets()
		parts := &scanner{src: inner}
		for i := int64(0); parts.at < len(inner); i++ {
			w.originPart(parts, append(slices.Clip(index), i))
			if parts.space(); !parts.take(',') {
				break
			}
		}
	}
}

// maxOrigin bounds how deep tuples of origins nest.
const maxOrigin = 64

// originLeaf appends a leaf: "", `"name"` or `"name" {1,2}`.
func (w *writer) originLeaf(inner string, index []int64) {
	w.sub("elements", func() {
		w.nums("shape_index", index)
		leaf := &scanner{src: inner}
		if inner == "" || inner[0] != '"' {
			return
		}
		name, _ := leaf.quoted()
		w.sub("original_array", func() {
			w.str("instruction_name", name)
			if leaf.space(); leaf.at < len(inner) {
				path, _ := leaf.brackets()
				w.nums("shape_index", split(path))
			}
		})
	})
}

// domainText writes what a domain parts: `{kind="sharding", entry={maximal device=0}, exit={replicated}}`. XLA's text
// calls entry what its proto calls exit.
func domainText(m *message) string {
	entry, exit := m.sub("domain_entry_sharding"), m.sub("domain_exit_sharding")
	if entry == nil && exit == nil {
		return ""
	}
	text := func(s *message) string {
		if s == nil {
			return "{}"
		}
		return shardingText(s)
	}
	return `{kind="sharding", entry=` + text(exit) + ", exit=" + text(entry) + "}"
}

func (w *writer) domain(text string) {
	inner := strings.TrimSuffix(strings.TrimPrefix(text, `{kind="sharding", entry=`), "}")
	entry, exit, ok := strings.Cut(inner, ", exit=")
	if !ok {
		return // of another kind
	}
	w.sub("domain_entry_sharding", func() { w.sharding(exit) })
	w.sub("domain_exit_sharding", func() { w.sharding(entry) })
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
