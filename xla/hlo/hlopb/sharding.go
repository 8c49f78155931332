package hlopb

import (
	"strconv"
	"strings"
)

// shardingTypes are the values of OpSharding.Type as text has them; TUPLE and OTHER have texts of their own.
var shardingTypes = map[int64]string{0: "replicated", 1: "maximal", 4: "manual", 5: "unknown", 6: "unreduced"}

const (
	shardingMaximal = 1
	shardingTuple   = 2
	shardingOther   = 3
)

// shardingText writes an OpSharding as XLA's text has it: "{devices=[2,2]<=[4] last_tile_dim_replicate}".
func shardingText(m *message) string {
	if m.num("type") == shardingTuple {
		var parts []string
		m.subs("tuple_shardings", func(s *message) { parts = append(parts, shardingText(s)) })
		return "{" + strings.Join(parts, ", ") + "}"
	}
	if named := m.sub("named_sharding"); named != nil {
		return namedText(named)
	}
	var words []string
	switch name := shardingTypes[m.num("type")]; {
	case m.num("type") == shardingOther:
		words = append(words, "devices=["+joined(m.nums("tile_assignment_dimensions"))+"]"+shardingDevices(m))
	case name == "maximal":
		words = append(words, "maximal device="+joined(m.nums("tile_assignment_devices")))
	default:
		words = append(words, name)
	}
	if m.flag("replicate_on_last_tile_dim") {
		words = append(words, "last_tile_dim_replicate")
	}
	var last []string
	for _, t := range m.nums("last_tile_dims") {
		last = append(last, shardingTypes[t])
	}
	if last != nil {
		words = append(words, "last_tile_dims={"+strings.Join(last, ", ")+"}")
	}
	if m.flag("is_shard_group") {
		kind := []string{"shard_as ", "shard_like "}[m.num("shard_group_type")&1]
		words = append(words, kind+strconv.FormatInt(m.num("shard_group_id"), 10))
	}
	m.subs("metadata", func(s *message) { words = append(words, "metadata="+flatText(s, false)) })
	return "{" + strings.Join(words, " ") + "}"
}

// shardingDevices are the devices one by one, or "<=[2,2]T(1,0)": counted up in sizes and transposed.
func shardingDevices(m *message) string {
	dims := m.nums("iota_reshape_dims")
	if dims == nil {
		return joined(m.nums("tile_assignment_devices"))
	}
	text := "<=[" + joined(dims) + "]"
	if perm := m.nums("iota_transpose_perm"); !isIdentity(perm) {
		text += "T(" + joined(perm) + ")"
	}
	return text
}

// sharding appends the fields of a text that shardingText writes, as far as it understands them.
func (w *writer) sharding(text string) {
	inner := strings.TrimSuffix(strings.TrimPrefix(text, "{"), "}")
	if strings.HasPrefix(inner, "mesh[") {
		w.sub("named_sharding", func() { w.named(text) })
		return
	}
	if strings.HasPrefix(inner, "{") || inner == "" {
		w.num("type", shardingTuple)
		for _, part := range splitBraces(inner) {
			w.sub("tuple_shardings", func() { w.sharding(part) })
		}
		return
	}
	s := &scanner{src: inner}
	for s.space(); s.at < len(s.src); s.space() {
		name := s.word()
		if name == "" {
			return
		}
		value := ""
		if s.take('=') {
			value, _ = s.value()
		}
		w.shardingWord(s, name, value)
	}
}

func (w *writer) shardingWord(s *scanner, name, value string) {
	switch name {
	case "devices":
		w.num("type", shardingOther)
		w.shardingTiles(value)
	case "device":
		w.always("tile_assignment_devices", atoi(value))
	case "last_tile_dim_replicate":
		w.flag("replicate_on_last_tile_dim", true)
	case "last_tile_dims":
		var types []int64
		for _, word := range strings.Split(strings.Trim(value, "{}"), ",") {
			types = append(types, shardingType(strings.TrimSpace(word)))
		}
		w.nums("last_tile_dims", types)
	case "shard_as", "shard_like":
		w.flag("is_shard_group", true)
		s.space()
		w.num("shard_group_id", atoi(s.word()))
		w.flag("shard_group_type", name == "shard_like")
	case "metadata":
		w.sub("metadata", func() { w.flat(value) })
	default:
		w.num("type", shardingType(name))
	}
}

func shardingType(name string) int64 {
	for n, s := range shardingTypes {
		if s == name {
			return n
		}
	}
	return 0
}

// shardingTiles reads "[2,2]0,1,2,3" and "[2,2]<=[2,2]T(1,0)".
func (w *writer) shardingTiles(text string) {
	dims, rest, _ := strings.Cut(strings.TrimPrefix(text, "["), "]")
	w.nums("tile_assignment_dimensions", split(dims))
	iota, ok := strings.CutPrefix(rest, "<=[")
	if !ok {
		w.nums("tile_assignment_devices", split(rest))
		return
	}
	sizes, perm, _ := strings.Cut(iota, "]")
	w.nums("iota_reshape_dims", split(sizes))
	order := split(strings.Trim(perm, "T()"))
	for i := len(order); i < len(split(sizes)); i++ {
		order = append(order, int64(i))
	}
	w.nums("iota_transpose_perm", order)
}

// splitBraces cuts "{a}, {b}" into its parts.
func splitBraces(s string) (parts []string) {
	depth, start := 0, 0
	for i := range len(s) {
		switch s[i] {
		case '{':
			if depth++; depth == 1 {
				start = i
			}
		case '}':
			if depth--; depth == 0 {
				parts = append(parts, s[start:i+1])
			}
		}
	}
	return parts
}
