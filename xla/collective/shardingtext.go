package collective

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// ShardingText is what a sharding's text says, which may be more than any array's Sharding.
type ShardingText struct {
	// Kind is "replicated", "maximal", "manual", "unknown", "unreduced", "devices", "tuple" or "mesh".
	Kind string
	// Tuple are the shardings of a tuple's leaves.
	Tuple []*ShardingText
	// Dims are the sizes of the tile assignment devices=[...], Order its devices.
	Dims  []int64
	Order DeviceOrder
	// Devices is the one of maximal.
	Devices []int64
	// ReplicateLast and Last say what the last dimensions of Dims are for.
	ReplicateLast bool
	Last          []string
	// Group is "shard_as" or "shard_like" with its number GroupID, or "".
	Group   string
	GroupID int64
	// Metadata are texts in braces.
	Metadata []string
	Mesh     *MeshSharding
}

// DeviceOrder lists devices: IDs one by one, or those from 0 on laid out as Reshape and transposed.
type DeviceOrder struct{ IDs, Reshape, Permutation []int64 }

// shardingKinds are the kinds of shardings that are a word.
var shardingKinds = []string{"replicated", "maximal", "manual", "unknown", "unreduced"}

// ReadSharding reads a sharding as HLO text has it, with or without braces. It fails for words that it does not know.
func ReadSharding(text string) (*ShardingText, error) { return readSharding(text, 0) }

func readSharding(text string, depth int) (*ShardingText, error) {
	text = strings.TrimSpace(text)
	if strings.HasPrefix(text, "{") {
		text = strings.TrimSpace(strings.TrimSuffix(text[1:], "}"))
	}
	switch {
	case depth > 1:
		return nil, errors.New("a tuple's shardings are one list")
	case text == "" || text[0] == '{':
		return readTuple(text, depth)
	case strings.HasPrefix(text, "mesh["):
		mesh, metadata, err := readMeshSharding(text)
		return &ShardingText{Kind: "mesh", Mesh: mesh, Metadata: metadata}, err
	}
	words, err := cutOutside(text, ' ')
	if err != nil {
		return nil, err
	}
	x := &ShardingText{}
	for i := 0; i < len(words); i++ {
		if (words[i] == "shard_as" || words[i] == "shard_like") && i+1 < len(words) { // a number follows
			words[i+1] = words[i] + "=" + words[i+1]
			i++
		}
		if err := x.word(words[i]); err != nil {
			return nil, err
		}
	}
	if x.Kind == "" {
		return nil, errors.New("want replicated, maximal, manual or devices=[...]")
	}
	return x, nil
}

func readTuple(text string, depth int) (*ShardingText, error) {
	x := &ShardingText{Kind: "tuple"}
	parts, err := cutOutside(text, ',')
	if err != nil {
		return nil, err
	}
	for _, p := range parts {
		leaf, err := readSharding(p, depth+1)
		if err != nil {
			return nil, err
		}
		x.Tuple = append(x.Tuple, leaf)
	}
	return x, nil
}

// word reads one word, "name" or "name=value".
func (x *ShardingText) word(word string) (err error) {
	name, value, _ := strings.Cut(word, "=")
	switch {
	case x.Kind == "" && slices.Contains(shardingKinds, word):
		x.Kind = word
	case x.Kind == "" && name == "devices":
		x.Kind = name
		x.Dims, x.Order, err = readTiles(value)
	case x.Kind == "maximal" && name == "device":
		x.Devices, err = numbers(value)
	case word == "last_tile_dim_replicate" && x.Last == nil:
		x.ReplicateLast = true
	case name == "last_tile_dims" && !x.ReplicateLast:
		x.Last, err = lastDims(value)
	case name == "shard_as" || name == "shard_like":
		x.Group = name
		x.GroupID, err = strconv.ParseInt(value, 10, 64)
	case name == "metadata":
		x.Metadata = append(x.Metadata, value)
	case x.Kind == "":
		err = fmt.Errorf("got %q, want replicated, maximal, manual or devices=[...]", word)
	default:
		err = fmt.Errorf("got %q, want last_tile_dim_replicate or last_tile_dims={...}", word)
	}
	return err
}

// readTiles reads "[2,1,2]<=[4]T(1,0)" or "[2,2]0,1,2,3".
func readTiles(text string) (dims []int64, order DeviceOrder, err error) {
	list, rest, ok := strings.Cut(strings.TrimPrefix(text, "["), "]")
	if dims, err = numbers(list); err != nil || !ok {
		return nil, order, errors.New("want devices=[number,...]")
	}
	if iota, compact := strings.CutPrefix(rest, "<="); compact {
		order, err = readIota(iota)
	} else {
		order.IDs, err = numbers(rest)
	}
	return dims, order, err
}

// readIota reads "[2,2]T(1,0)" or "[4]".
func readIota(text string) (order DeviceOrder, err error) {
	sizes, perm, ok := strings.Cut(strings.TrimPrefix(text, "["), "]")
	if !ok {
		return order, fmt.Errorf("got %q, want [size,...]", text)
	}
	if order.Reshape, err = numbers(sizes); err != nil || perm == "" {
		return order, err
	}
	if perm, err = inside(perm, "T(", ")"); err == nil {
		order.Permutation, err = numbers(perm)
	}
	return order, err
}

// lastDims reads "{manual, replicated}".
func lastDims(text string) ([]string, error) {
	var kinds []string
	for kind := range strings.SplitSeq(strings.Trim(text, "{}"), ",") {
		kind = strings.TrimSpace(kind)
		if !slices.Contains([]string{"manual", "replicated", "unreduced"}, kind) {
			return nil, fmt.Errorf("got %q in last_tile_dims, want manual, replicated or unreduced", kind)
		}
		kinds = append(kinds, kind)
	}
	return kinds, nil
}

func numbers(list string) ([]int64, error) {
	var out []int64
	for word := range strings.SplitSeq(list, ",") {
		n, err := strconv.ParseInt(strings.TrimSpace(word), 10, 64)
		if err != nil {
			return nil, fmt.Errorf("got %q, want numbers", list)
		}
		out = append(out, n)
	}
	return out, nil
}

// cutOutside cuts a text at a byte that stands outside of brackets and quotes, and drops white space and empty parts.
// It fails if a bracket or a quote is not closed.
func cutOutside(text string, at byte) (parts []string, err error) {
	depth, start := 0, 0
	add := func(end int) {
		if part := strings.TrimSpace(text[start:end]); part != "" {
			parts = append(parts, part)
		}
	}
	for i := 0; i < len(text) && err == nil; i++ {
		switch c := text[i]; {
		case c == '"' || c == '\'':
			i, err = endOfQuote(text, i)
		case strings.IndexByte("{[(", c) >= 0:
			depth++
		case strings.IndexByte("}])", c) >= 0:
			depth--
		case c == at && depth == 0:
			add(i)
			start = i + 1
		}
	}
	if err == nil && depth != 0 {
		err = errors.New("the brackets do not match")
	}
	add(len(text))
	return parts, err
}

// endOfQuote returns where the string that begins at i ends.
func endOfQuote(text string, i int) (int, error) {
	for k := i + 1; k < len(text); k++ {
		switch text[k] {
		case '\\':
			k++
		case text[i]:
			return k, nil
		}
	}
	return i, errors.New("a string does not end")
}
