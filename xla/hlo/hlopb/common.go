package hlopb

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/halo-xla/halo/xla/hlo"
)

// readCommon reads the attributes that any instruction may have; predecessors are names by then. What nobody has read
// of m when it is done is kept as it is.
func readCommon(m *message, attrs hlo.Attrs, names map[int64]string) *hlo.Common {
	c := hlo.Common{Predecessors: predecessors(m, names), Frontend: frontend(m)}
	texts := m.texts()
	for _, p := range commonTexts {
		if s := m.sub(p.field); s != nil {
			*p.text(&c) = hlo.Raw(p.read(s))
		}
		if text, ok := texts[p.name]; ok {
			*p.text(&c) = hlo.Raw(text)
		}
	}
	if config := m.str("backend_config"); config != "" {
		c.BackendConfig = hlo.NewBackendConfig(config)
		if texts["backend_config"] == "string" {
			c.BackendConfig.Dictionary = false
		}
	}
	m.extra(&c.Extra, attrs)
	c.Proto = m.rest(nil)
	if c.Frontend == nil && c.Predecessors == nil && c.Extra == nil && len(c.Proto) == 0 && c.BackendConfig.Config == "" &&
		!slices.ContainsFunc(commonTexts, func(p commonText) bool { return *p.text(&c) != "" }) {
		return nil
	}
	return &c
}

// commonText is a common attribute that HLO text has as it is, and the field that means it: how the message there
// becomes a text, and how it is filled from one.
type commonText struct {
	name, field string
	text        func(c *hlo.Common) *hlo.Raw
	read        func(m *message) string
	write       func(w *writer, text string)
}

var commonTexts = []commonText{
	{"sharding", "sharding", func(c *hlo.Common) *hlo.Raw { return &c.Sharding }, shardingText, (*writer).sharding},
	{"metadata", "metadata", func(c *hlo.Common) *hlo.Raw { return &c.Metadata }, metadataText, (*writer).flat},
	{"statistics", "statistics_viz", func(c *hlo.Common) *hlo.Raw { return &c.Statistics }, statisticsText,
		(*writer).statistics},
	{"origin", "original_value", func(c *hlo.Common) *hlo.Raw { return &c.Origin }, originText, (*writer).origin},
	{"result_accuracy", "result_accuracy", func(c *hlo.Common) *hlo.Raw { return &c.ResultAccuracy }, accuracyText,
		(*writer).accuracy},
}

// metadataText writes an OpMetadata; "" if it says nothing.
func metadataText(m *message) string {
	if len(m.fields) == 0 {
		return ""
	}
	return flatText(m, false)
}

// notExtra are the names, beside those of commonTexts, under which halo_text says something else than an attribute that
// nobody knows.
var notExtra = map[string]bool{"": true, "backend_config": true, "entry_computation_layout": true, "to_apply": true,
	"layouts": true, "shape": true}

// extra appends the attributes that text has and no field; those of the op have been read.
func (m *message) extra(list *[]hlo.RawAttr, attrs hlo.Attrs) {
	var fields []hlo.Field
	if attrs != nil && m.has("halo_text") {
		fields = attrs.Fields()
	}
	m.subs("halo_text", func(t *message) {
		name := t.str("name")
		own := slices.ContainsFunc(fields, func(f hlo.Field) bool { return f.Name == name }) ||
			slices.ContainsFunc(commonTexts, func(p commonText) bool { return p.name == name })
		if !own && !notExtra[name] {
			*list = append(*list, hlo.RawAttr{Name: name, Text: t.str("text")})
		}
	})
}

func predecessors(m *message, names map[int64]string) (list []string) {
	for _, id := range m.nums("control_predecessor_ids") {
		name, ok := names[id]
		if !ok {
			m.fail("control_predecessor_ids", "there is no instruction %d in the computation", id)
		}
		list = append(list, name)
	}
	return list
}

// frontend reads the pairs of frontend_attributes in the order of the file; of two with one key the last counts.
func frontend(m *message) (list hlo.FrontendAttributes) {
	s := m.sub("frontend_attributes")
	if s == nil {
		return nil
	}
	at := map[string]int{}
	s.subs("map", func(e *message) {
		kv := hlo.KeyValue{Key: e.str("key"), Value: e.str("value")}
		if i, ok := at[kv.Key]; ok {
			list[i] = kv
			return
		}
		at[kv.Key] = len(list)
		list = append(list, kv)
	})
	return list
}

func (w *writer) frontend(list hlo.FrontendAttributes) {
	if len(list) == 0 {
		return
	}
	w.sub("frontend_attributes", func() {
		for _, kv := range list {
			w.sub("map", func() {
				w.str("key", kv.Key)
				w.str("value", kv.Value)
			})
		}
	})
}

// common appends the common attributes; ids are those of the instructions of the computation.
func (w *writer) common(c *hlo.Common, ids map[string]int64) {
	if c == nil {
		return
	}
	var list []int64
	for _, name := range c.Predecessors {
		list = append(list, ids[name])
	}
	w.nums("control_predecessor_ids", list)
	w.frontend(c.Frontend)
	for _, p := range commonTexts {
		w.textField(p, string(*p.text(c)))
	}
	w.str("backend_config", c.BackendConfig.Config)
	if c.BackendConfig.Config != "" && c.BackendConfig != hlo.NewBackendConfig(c.BackendConfig.Config) {
		w.text("backend_config", "string")
	}
	for _, a := range c.Extra {
		w.text(a.Name, a.Text)
	}
	w.b = append(w.b, c.Proto...)
}

// textField appends the field of a common attribute, and the text itself if the field does not give it back.
func (w *writer) textField(p commonText, text string) {
	if text == "" {
		return
	}
	inner := &writer{desc: w.desc.field(p.field).message}
	p.write(inner, text)
	m := (&decoder{src: inner.b}).open(inner.desc)
	same := m.err == nil && p.read(m) == text
	w.packed(p.field, func() { w.b = append(w.b, inner.b...) })
	if !same {
		w.text(p.name, text)
	}
}

// flatText writes numbers and strings of m as "{name=1 other="x"}", as XLA's text has metadata; with all, zeros too.
func flatText(m *message, all bool) string {
	b := []byte{'{'}
	for _, f := range m.desc.fields {
		if !all && !m.has(f.name) || f.kind == messageKind || f.name == "size_of_generated_code_in_bytes" ||
			f.name == "size_of_memory_working_set_in_bytes" {
			continue
		}
		if len(b) > 1 {
			b = append(b, ' ')
		}
		b = append(append(b, f.name...), '=')
		switch {
		case f.repeated:
			b = append(append(append(b, '{'), joined(m.nums(f.name))...), '}')
		case f.kind == stringKind:
			b = appendQuoted(b, m.str(f.name))
		default:
			b = strconv.AppendInt(b, m.num(f.name), 10)
		}
	}
	return string(append(b, '}'))
}

// flat appends the fields of text that flatText writes; it passes over what it does not know.
func (w *writer) flat(text string) {
	s := &scanner{src: strings.TrimSuffix(strings.TrimPrefix(text, "{"), "}")}
	for s.space(); s.at < len(s.src); s.space() {
		name := s.word()
		if name == "" || !s.take('=') {
			return
		}
		f := w.desc.byName[name]
		value, quoted := s.value()
		switch {
		case f == nil:
		case f.kind == stringKind && quoted:
			w.str(name, value)
		case f.kind == intKind && !quoted:
			w.num(name, atoi(value))
		case f.repeated:
			w.nums(name, split(strings.Trim(value, "{}")))
		}
	}
}

func atoi(s string) int64 {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		return 0
	}
	return n
}

// accuracyText writes a ResultAccuracy: "{mode=highest}", "{tolerance={atol=0,rtol=0,ulps=2}}".
func accuracyText(m *message) string {
	if t := m.sub("tolerance"); t != nil {
		return fmt.Sprintf("{tolerance={atol=%v,rtol=%v,ulps=%d}}", t.float("atol"), t.float("rtol"), t.num("ulps"))
	}
	f := m.desc.field("mode")
	return "{mode=" + strings.ToLower(f.enum.names[m.num("mode")]) + "}"
}

func (w *writer) accuracy(text string) {
	inner, ok := strings.CutPrefix(strings.ReplaceAll(text, " ", ""), "{mode=")
	if ok {
		w.setWord("mode", strings.TrimSuffix(inner, "}"))
		return
	}
	inner = strings.TrimPrefix(strings.ReplaceAll(text, " ", ""), "{tolerance={")
	w.sub("tolerance", func() {
		for _, part := range strings.Split(strings.TrimRight(inner, "}"), ",") {
			name, value, _ := strings.Cut(part, "=")
			if name == "ulps" {
				w.num(name, atoi(value))
			} else if v, err := strconv.ParseFloat(value, 64); err == nil && (name == "atol" || name == "rtol") {
				w.float(name, v)
			}
		}
	})
}
