package export

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/halo-xla/halo/xla/shape"
)

// side are the fields of the arguments or of the results, and what a leaf without a path is called.
type side struct {
	tree, avals, avalNumbers, shardings, shardingNumbers int
	name                                                 string
	arguments                                            bool
}

var (
	inputs  = side{fieldInTree, fieldInAvals, fieldInAvalNumbers, fieldInShardings, fieldInShardingNumbers, "arg", true}
	outputs = side{fieldOutTree, fieldOutAvals, fieldOutAvalNumbers, fieldOutShardings, fieldOutShardingNumbers,
		"result", false}
)

// leaves reads one side of the function: its arrays with their names.
func leaves(t table, s side) ([]Array, error) {
	avals := t.tables(s.avals)
	if numbers := t.uint32s(s.avalNumbers); len(numbers) > 0 {
		var err error
		if avals, err = choose(t.tables(fieldUniqueAvals), numbers); err != nil {
			return nil, fmt.Errorf("%s: aval %w", s.name, err)
		}
	}
	shardings, err := shardingTexts(t, s)
	if err != nil {
		return nil, err
	}
	names, err := leafNames(t, s)
	if err != nil {
		return nil, fmt.Errorf("%s: tree: %w", s.name, err)
	}
	if len(names) != len(avals) {
		return nil, fmt.Errorf("%s: the tree has %d leaves, but there are %d arrays", s.name, len(names), len(avals))
	}
	arrays := make([]Array, len(avals))
	for i, a := range avals {
		arrays[i] = arrayOf(a)
		arrays[i].Name = names[i]
		if i < len(shardings) {
			arrays[i].Sharding = shardings[i]
		}
	}
	return arrays, nil
}

func choose(unique []table, numbers []uint32) ([]table, error) {
	list := make([]table, len(numbers))
	for i, n := range numbers {
		if int64(n) >= int64(len(unique)) {
			return nil, fmt.Errorf("number %d, want less than %d", n, len(unique))
		}
		list[i] = unique[n]
	}
	return list, nil
}

// elementTypes are the types by JAX's numbers. Those without an element type here have a name.
var elementTypes = []struct {
	t    shape.ElementType
	name string
}{
	{shape.Pred, ""}, {shape.S8, ""}, {shape.S16, ""}, {shape.S32, ""}, {shape.S64, ""}, {shape.U8, ""},
	{shape.U16, ""}, {shape.U32, ""}, {shape.U64, ""}, {shape.F16, ""}, {shape.F32, ""}, {shape.F64, ""},
	{shape.C64, ""}, {shape.C128, ""}, {shape.BF16, ""}, {shape.S4, ""}, {shape.U4, ""}, {shape.F8E4M3B11FNUZ, ""},
	{shape.F8E4M3FN, ""}, {shape.F8E4M3FNUZ, ""}, {shape.F8E5M2, ""}, {shape.F8E5M2FNUZ, ""}, {shape.Pred, "float0"},
	{shape.F8E4M3, ""}, {shape.F8E3M4, ""}, {shape.F8E8M0FNU, ""}, {shape.F4E2M1FN, ""}, {shape.Invalid, "key<fry>"},
	{shape.Invalid, "key<rbg>"}, {shape.Invalid, "key<urbg>"},
}

func arrayOf(t table) Array {
	a := Array{Dims: t.texts(1), Kind: "unknown"}
	if n := int(t.int8(2)); n >= 0 && n < len(elementTypes) {
		a.Type, a.Kind = elementTypes[n].t, elementTypes[n].name
	}
	if t.int8(0) == 1 {
		a.Type, a.Kind = shape.Token, "token"
	}
	return a
}

// The kinds of a tree's nodes.
const (
	leafNode = iota
	noneNode
	tupleNode
	listNode
	dictNode
	customNode
)

// node is a node of a tree of containers.
type node struct {
	kind     int8
	keys     []string // of the children; nil where they have numbers
	children []node
}

const (
	maxTreeDepth = 500
	minNodeBytes = 8 // of a table and the offset to it
)

// readTree reads a node and all below it. Tables may be shared by damaged data, so that the nodes are counted: left is
// how many the data have room for.
func readTree(t table, depth int, left *int) (node, error) {
	if *left--; *left < 0 || depth > maxTreeDepth {
		return node{}, fmt.Errorf("more nodes than %d bytes can hold, or nested deeper than %d", len(t.Bytes), maxTreeDepth)
	}
	n := node{kind: t.int8(0)}
	if n.kind == dictNode {
		n.keys = t.texts(2)
	}
	for _, c := range t.tables(1) {
		child, err := readTree(c, depth+1, left)
		if err != nil {
			return n, err
		}
		n.children = append(n.children, child)
	}
	switch {
	case n.kind < leafNode || n.kind > customNode:
		return n, fmt.Errorf("unknown kind of node %d", n.kind)
	case n.kind == dictNode && len(n.keys) != len(n.children):
		return n, fmt.Errorf("a dictionary has %d keys and %d values", len(n.keys), len(n.children))
	case n.kind == customNode:
		n.keys = fieldNames(t, len(n.children))
	}
	return n, nil
}

// fieldNames are the names of a custom node's n children: JAX keeps those of named tuples and ordered dictionaries as a
// list in JSON. It returns nil for what other types keep.
func fieldNames(t table, n int) []string {
	text := t.bytes(4)
	if n == 0 || !bytes.HasPrefix(text, []byte("[\"")) {
		return nil
	}
	t.spend(stringBytes*bytes.Count(text, []byte(",")) + len(text))
	var names []string
	if json.Unmarshal(text, &names) != nil || len(names) != n {
		return nil
	}
	return names
}

// paths appends the paths to n's leaves. t counts what they take.
func (n node) paths(t table, prefix []string, list [][]string) [][]string {
	if n.kind == leafNode {
		for _, part := range prefix {
			t.spend(stringBytes + len(part))
		}
		return append(list, append([]string(nil), prefix...))
	}
	for i, c := range n.children {
		key := strconv.Itoa(i)
		if n.keys != nil {
			key = n.keys[i]
		}
		list = c.paths(t, append(prefix, key), list)
	}
	return list
}

// leafNames are the names of one side's leaves: the path in its argument, with the argument's number before it where
// that alone would name two leaves or none.
func leafNames(t table, s side) ([]string, error) {
	root, ok := t.table(s.tree)
	if !ok {
		return nil, errors.New("missing")
	}
	left := len(t.Bytes) / minNodeBytes
	n, err := readTree(root, 0, &left)
	if err != nil {
		return nil, err
	}
	var paths [][]string
	if s.arguments && len(n.children) == 2 && n.kind == tupleNode { // positional arguments, keyword arguments
		for i, a := range n.children[0].children {
			paths = a.paths(t, []string{s.name + strconv.Itoa(i)}, paths)
		}
		for _, p := range n.children[1].paths(t, nil, nil) {
			paths = append(paths, append([]string{""}, p...))
		}
	} else {
		for i, p := range n.paths(t, nil, nil) {
			if len(p) == 0 {
				p = []string{strconv.Itoa(i)}
			}
			paths = append(paths, append([]string{s.name + p[0]}, p[1:]...))
		}
	}
	return shorten(paths), nil
}

// shorten joins paths, each without its first part where what is left is unlike all others.
func shorten(paths [][]string) []string {
	count := map[string]int{}
	for _, p := range paths {
		count[below(p)]++
	}
	names := make([]string, len(paths))
	for i, p := range paths {
		name := below(p)
		if len(p) > 1 && p[0] != "" && (count[name] > 1 || isNumber(p[1])) {
			name = p[0] + "/" + name
		}
		names[i] = name
	}
	return names
}

// below is a path without its first part, or that part if nothing is below it.
func below(path []string) string {
	if rest := strings.Join(path[1:], "/"); rest != "" {
		return rest
	}
	return path[0]
}

func isNumber(s string) bool {
	_, err := strconv.Atoi(s)
	return err == nil
}

// shardingTexts are the shardings of one side's arrays in words.
func shardingTexts(t table, s side) ([]string, error) {
	numbers := t.uint32s(s.shardingNumbers)
	unique := t.tables(fieldUniqueShardings)
	meshes := t.tables(fieldUniqueMeshes)
	texts := make([]string, len(numbers))
	known := make([]string, len(unique))
	for i, n := range numbers {
		if int64(n) > int64(len(unique)) {
			return nil, fmt.Errorf("%s: sharding number %d, want at most %d", s.name, n, len(unique))
		}
		if n > 0 {
			if known[n-1] == "" {
				known[n-1] = shardingText(unique[n-1], meshes)
			}
			texts[i] = known[n-1]
		}
	}
	return texts, nil
}

// shardingText is "mesh(x=2,y=4) (x,None)".
func shardingText(t table, meshes []table) string {
	mesh, ok := t.table(0)
	if n := int(t.uint32(3)); !ok && n < len(meshes) {
		mesh, ok = meshes[n], true
	}
	var axes []string
	if ok {
		sizes := mesh.uint32s(0)
		for i, name := range mesh.texts(1) {
			if i < len(sizes) {
				axes = append(axes, fmt.Sprintf("%s=%d", name, sizes[i]))
			}
		}
	}
	var parts []string
	if spec, ok := t.table(1); ok {
		for _, p := range spec.tables(0) {
			parts = append(parts, partText(p.texts(0)))
		}
	}
	return "mesh(" + strings.Join(axes, ",") + ") (" + strings.Join(parts, ",") + ")"
}

func partText(axes []string) string {
	switch len(axes) {
	case 0:
		return "None"
	case 1:
		return axes[0]
	}
	return "(" + strings.Join(axes, ",") + ")"
}
