package hlopb

import (
	"strconv"
	"strings"

	"github.com/halo-xla/halo/xla/collective"
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

// sharding appends the fields of a text that shardingText writes; nothing of one that is none.
func (w *writer) sharding(text string) {
	if x, err := collective.ReadSharding(text); err == nil {
		w.shardingOf(x)
	}
}

func (w *writer) shardingOf(x *collective.ShardingText) {
	switch x.Kind {
	case "tuple":
		w.num("type", shardingTuple)
	case "mesh":
		w.sub("named_sharding", func() { w.named(x) })
		return
	case "devices":
		w.num("type", shardingOther)
		w.shardingTiles(x)
	default:
		w.num("type", shardingType(x.Kind))
	}
	for _, leaf := range x.Tuple {
		w.sub("tuple_shardings", func() { w.shardingOf(leaf) })
	}
	for _, d := range x.Devices {
		w.always("tile_assignment_devices", d)
	}
	w.flag("replicate_on_last_tile_dim", x.ReplicateLast)
	types := make([]int64, len(x.Last))
	for i, name := range x.Last {
		types[i] = shardingType(name)
	}
	w.nums("last_tile_dims", types)
	if x.Group != "" {
		w.flag("is_shard_group", true)
		w.num("shard_group_id", x.GroupID)
		w.flag("shard_group_type", x.Group == "shard_like")
	}
	for _, m := range x.Metadata {
		w.sub("metadata", func() { w.flat(m) })
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

func (w *writer) shardingTiles(x *collective.ShardingText) {
	w.nums("tile_assignment_dimensions", x.Dims)
	w.nums("tile_assignment_devices", x.Order.IDs)
	w.nums("iota_reshape_dims", x.Order.Reshape)
	order := x.Order.Permutation
	for i := len(order); i < len(x.Order.Reshape); i++ {
		order = append(order, int64(i))
	}
	w.nums("iota_transpose_perm", order)
}
