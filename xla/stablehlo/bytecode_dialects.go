package stablehlo

import (
	"slices"
	"strconv"
	"strings"
)

// stablehloAttrs are the attributes of StableHLO itself, in files that promise nothing.
func stablehloAttrs() []attrCode {
	return []attrCode{
		1:  func(c *cursor) Attr { return channelHandle(c.signed(), c.signed()) },
		2:  enumCode("comparison_direction", 0),
		3:  enumCode("comparison_type", 0),
		4:  func(c *cursor) Attr { return c.dimNumbers("stablehlo.conv", numberKeys("conv")) },
		5:  func(c *cursor) Attr { return c.dimNumbers("stablehlo.dot", numberKeys("dot")) },
		6:  enumCode("fft_type", 0),
		7:  batchedCode("gather", "operand_batching_dims", "start_indices_batching_dims"),
		8:  enumCode("precision", 0),
		9:  enumCode("rng_algorithm", 0),
		10: enumCode("rng_distribution", 1),
		11: batchedCode("scatter", "input_batching_dims", "scatter_indices_batching_dims"),
		12: enumCode("transpose", 0),
		13: (*cursor).bounds,
		14: (*cursor).outputAlias,
		15: (*cursor).dotAlgorithm,
		16: enumCode("result_accuracy_mode", 0),
		17: (*cursor).resultAccuracy,
	}
}

func stablehloTypes() []typeCode {
	return []typeCode{constantType(TokenType{}), func(c *cursor) Type { return FutureType{c.types()} }}
}

func chloAttrs() []attrCode {
	return []attrCode{0: enumCode("comparison_direction", 0), 1: enumCode("comparison_type", 0)}
}

// dimNumbers reads dimension numbers: one number for a key that ends in "_dim" or "_dimension", else a list.
func (c *cursor) dimNumbers(name string, keys []string) Attr {
	a := &DialectAttr{Name: name, Fields: DictAttr{}}
	for _, key := range keys {
		if strings.HasSuffix(key, "_dim") || strings.HasSuffix(key, "_dimension") {
			a.Fields = append(a.Fields, named(key, number64(c.signed())))
		} else {
			a.Fields = append(a.Fields, named(key, numberList(c.signedList())))
		}
	}
	return a
}

// numberKeys are the keys of dimension numbers of a kind, in the order of files.
func numberKeys(kind string) []string {
	if kind != "conv" {
		return strings.Fields(structs[kind])
	}
	var keys []string
	for _, s := range convSides {
		keys = append(keys, s.first, s.second, s.spatial)
	}
	return keys
}

// batchedCode reads the dimension numbers of a gather or scatter, which had no batching dimensions once.
func batchedCode(kind string, batching ...string) attrCode {
	name, keys := "stablehlo."+kind, numberKeys(kind)
	old := slices.DeleteFunc(slices.Clone(keys), func(key string) bool { return slices.Contains(batching, key) })
	return func(c *cursor) Attr {
		return c.either(func(c *cursor) Attr { return c.dimNumbers(name, keys) },
			func(c *cursor) Attr { return c.dimNumbers(name, old) })
	}
}

// either reads all that is left in the first of the given ways that takes exactly that.
func (c *cursor) either(ways ...func(c *cursor) Attr) Attr {
	for _, read := range ways[:len(ways)-1] {
		trial := *c
		a := read(&trial)
		if c.f.err == nil && trial.left() == 0 {
			*c = trial
			return a
		}
		c.f.err = nil // it was none before: cursors read nothing behind a fault
	}
	return ways[len(ways)-1](c)
}

func (c *cursor) dotAlgorithm() Attr {
	typ := func() Attr { return TypeAttr{c.typ()} }
	return &DialectAttr{Name: "stablehlo.dot_algorithm", Fields: DictAttr{
		named("lhs_precision_type", typ()), named("rhs_precision_type", typ()), named("accumulation_type", typ()),
		named("lhs_component_count", number64(c.signed())), named("rhs_component_count", number64(c.signed())),
		named("num_primitive_operations", number64(c.signed())),
		named("allow_imprecise_accumulation", BoolAttr(c.byte() != 0)),
	}}
}

// sdyAttrs are the attributes of Shardy. They are kept as text.
func sdyAttrs() []attrCode {
	return []attrCode{
		0:  func(c *cursor) Attr { return c.shardy("manual_axes", "{"+c.bodies()+"}") },
		1:  func(c *cursor) Attr { return c.shardy("mesh_axis", quote(c.str())+"="+c.decimal()) },
		2:  (*cursor).shardyMesh,
		3:  func(c *cursor) Attr { return c.shardy("sub_axis_info", "("+c.decimal()+")"+c.decimal()) },
		4:  (*cursor).shardyAxis,
		5:  (*cursor).shardyDim,
		6:  func(c *cursor) Attr { return c.sharding(false) },
		7:  (*cursor).shardyPerValue,
		8:  func(c *cursor) Attr { return c.shardy("dim_mapping", c.factors()) },
		9:  func(c *cursor) Attr { return c.shardy("tensor_mapping", "["+c.bodies()+"]") },
		10: (*cursor).shardyRule,
		11: func(c *cursor) Attr { return c.shardy("axis_ref_list", "{"+c.bodies()+"}") },
		12: func(c *cursor) Attr { return c.shardy("list_of_axis_ref_lists", "["+c.bodies()+"]") },
		13: func(c *cursor) Attr {
			return c.shardy("all_to_all_param", "{"+c.bodies()+"}: "+c.decimal()+"->"+c.decimal())
		},
		14: func(c *cursor) Attr { return c.shardy("all_to_all_param_list", "["+c.bodies()+"]") },
		15: func(c *cursor) Attr { return c.sharding(true) },
		16: (*cursor).shardyPerValue,
	}
}

func (c *cursor) shardy(name, body string) Attr {
	return &DialectAttr{Name: "sdy." + name, Body: c.kept(body)}
}

// kept counts a text that an attribute or type is kept as. Those that name others often could take far more memory than
// their file.
func (c *cursor) kept(text string) string {
	limit := max(1<<20, 16*len(c.f.data))
	if c.f.text += len(text); c.f.text > limit {
		c.fail("attributes and types that are kept as text take more than %d bytes", limit)
	}
	return text
}

func (c *cursor) decimal() string { return strconv.FormatInt(c.signed(), 10) }

// bodies reads a list of attributes and returns what stands between their brackets.
func (c *cursor) bodies() string { return joinBodies(c.attrs()) }

func joinBodies(list ArrayAttr) string {
	parts := make([]string, len(list))
	for i, a := range list {
		if d, ok := a.(*DialectAttr); ok {
			parts[i] = d.Body
		} else {
			parts[i] = AttrString(a)
		}
	}
	return strings.Join(parts, ", ")
}

func (c *cursor) shardyMesh() Attr {
	body := "[" + c.bodies() + "]"
	if ids := c.signedList(); len(ids) > 0 {
		body += ", device_ids=[" + joinDims(ids) + "]"
	}
	return c.shardy("mesh", body)
}

func (c *cursor) shardyAxis() Attr {
	body := quote(c.str())
	if d, ok := c.optionalAttr().(*DialectAttr); ok {
		body += ":" + d.Body
	}
	return c.shardy("axis_ref", body)
}

// shardyDim reads the axes along which a dimension is cut, whether others may be added, and a priority.
func (c *cursor) shardyDim() Attr {
	axes, closed := c.bodies(), c.byte() != 0
	if !closed {
		if axes != "" {
			axes += ", "
		}
		axes += "?"
	}
	body := "{" + axes + "}"
	if p, there := c.flagged(); there {
		body += "p" + strconv.FormatUint(p, 10)
	}
	return c.shardy("dimension_sharding", body)
}

// sharding reads the mesh, the dimensions' shardings and the axes that are replicated, maybe those not reduced.
func (c *cursor) sharding(unreduced bool) Attr {
	mesh := ""
	switch a := c.attr().(type) {
	case *DialectAttr:
		mesh = "mesh<" + a.Body + ">"
	default:
		mesh = AttrString(a)
	}
	body := mesh + ", [" + c.bodies() + "]"
	if axes := c.bodies(); axes != "" {
		body += ", replicated={" + axes + "}"
	}
	if unreduced {
		if axes := c.bodies(); axes != "" {
			body += ", unreduced={" + axes + "}"
		}
	}
	return c.shardy("sharding", body)
}

func (c *cursor) shardyPerValue() Attr {
	list := c.attrs()
	parts := make([]string, len(list))
	for i, a := range list {
		parts[i] = "<" + joinBodies(ArrayAttr{a}) + ">"
	}
	return c.shardy("sharding_per_value", "["+strings.Join(parts, ", ")+"]")
}

// factors reads the numbers of factors and names them: i to z, then z_1 and so on.
func (c *cursor) factors() string {
	var b strings.Builder
	for _, n := range c.signedList() {
		b.WriteString(factorName(n))
	}
	return b.String()
}

func factorName(n int64) string {
	const letters = 'z' - 'i' + 1
	if n < letters {
		return string(rune('i' + max(n, 0)))
	}
	return "z_" + strconv.FormatInt(n-letters+1, 10)
}

// shardyRule reads how the dimensions of operands and results belong together.
func (c *cursor) shardyRule() Attr {
	sizes := c.signedList()
	body := "(" + c.bodies() + ")->(" + c.bodies() + ")"
	parts := make([]string, len(sizes))
	for i, n := range sizes {
		parts[i] = factorName(int64(i)) + "=" + strconv.FormatInt(n, 10)
	}
	body += " {" + strings.Join(parts, ", ") + "}"
	for _, kind := range [...]string{"reduction", "need_replication", "permutation", "blocked_propagation"} {
		var names []string
		for _, n := range c.signedList() {
			names = append(names, factorName(n))
		}
		if names != nil {
			body += " " + kind + "={" + strings.Join(names, ", ") + "}"
		}
	}
	if c.byte() != 0 {
		body += ", custom"
	}
	return c.shardy("op_sharding_rule", body)
}
