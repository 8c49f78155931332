package stablehlo

import (
	"errors"
	"math"
)

// vhloAttrs are the attributes of VHLO. They become those of StableHLO at once.
func vhloAttrs() []attrCode {
	return []attrCode{
		1:  func(c *cursor) Attr { return c.attrs() },
		2:  func(c *cursor) Attr { return BoolAttr(c.varint() != 0) },
		3:  enumCode("comparison_direction", 0),
		4:  enumCode("comparison_type", 0),
		5:  func(c *cursor) Attr { return number32(int64(c.varint())) }, // a custom call's api_version
		6:  (*cursor).dict,
		7:  enumCode("fft_type", 0),
		8:  func(c *cursor) Attr { return c.float(c.typ()) },
		9:  func(c *cursor) Attr { return c.integer(c.typ()) },
		10: (*cursor).outputAlias,
		11: enumCode("precision", 0),
		12: enumCode("rng_algorithm", 0),
		13: enumCode("rng_distribution", 1),
		14: func(c *cursor) Attr { return StringAttr(c.str()) },
		15: (*cursor).denseElements,
		16: enumCode("transpose", 0),
		17: func(c *cursor) Attr { return TypeAttr{c.typ()} },
		18: (*cursor).bounds,
		19: enumCode("result_accuracy_mode", 0),
		20: (*cursor).resultAccuracy,
		21: (*cursor).subAxis,
		22: (*cursor).axisRef,
		23: (*cursor).meshAxes,
		24: (*cursor).meshAxis,
		25: (*cursor).mesh,
	}
}

func vhloTypes() []typeCode {
	return []typeCode{
		0: intType(1, Signless),
		1: func(c *cursor) Type { return ComplexType{c.typ()} },
		2: floatType("bf16"), 3: floatType("f16"), 4: floatType("f32"), 5: floatType("f64"),
		6: floatType("f8E4M3FN"), 7: floatType("f8E5M2"),
		8:  func(c *cursor) Type { return FuncType{c.types(), c.types()} },
		9:  constantType(IndexType{}),
		10: intType(4, Signless), 11: intType(8, Signless), 12: intType(16, Signless), 13: intType(32, Signless),
		14: intType(64, Signless),
		15: intType(4, Unsigned), 16: intType(8, Unsigned), 17: intType(16, Unsigned), 18: intType(32, Unsigned),
		19: intType(64, Unsigned),
		20: func(c *cursor) Type { return c.tensor(nil) },
		21: func(c *cursor) Type { return c.tensor(c.attr()) },
		22: constantType(TokenType{}),
		23: func(c *cursor) Type { return newTuple(c.types()) },
		24: (*cursor).quantized,
		25: func(c *cursor) Type { return &TensorType{Unranked: true, Elem: c.typ()} },
		26: constantType(OpaqueType{"!shape.witness"}),
		27: floatType("f8E4M3FNUZ"), 28: floatType("f8E5M2FNUZ"), 29: floatType("f8E4M3B11FNUZ"),
		30: (*cursor).quantizedAxis,
		31: intType(2, Signless), 32: intType(2, Unsigned),
		33: constantType(NoneType{}),
		34: floatType("tf32"), 35: floatType("f8E4M3"), 36: floatType("f8E3M4"),
		37: floatType("f4E2M1FN"), 38: floatType("f6E2M3FN"), 39: floatType("f6E3M2FN"), 40: floatType("f8E8M0FNU"),
		41: (*cursor).buffer,
		42: func(c *cursor) Type { return FutureType{c.types()} },
	}
}

// enumCode reads a word of an enumeration, whose first word has the number first.
func enumCode(kind string, first uint64) attrCode {
	words := enums[kind]
	all := make([]*DialectAttr, len(words))
	for i, w := range words {
		all[i] = word(kind, w)
	}
	return func(c *cursor) Attr {
		n := c.varint() - first
		if n >= uint64(len(all)) {
			c.fail("%s has no word %d", kind, n+first)
			return nil
		}
		return all[n]
	}
}

func (c *cursor) outputAlias() Attr {
	return &DialectAttr{Name: "stablehlo.output_operand_alias", Fields: DictAttr{
		named("output_tuple_indices", numberList(c.signedList())), named("operand_index", number64(c.signed())),
		named("operand_tuple_indices", numberList(c.signedList())),
	}}
}

func (c *cursor) resultAccuracy() Attr {
	tolerance := func() Attr { return FloatAttr{floatText(math.Float64frombits(c.wide(64))), FloatType{"f64"}} }
	return &DialectAttr{Name: "stablehlo.result_accuracy", Fields: DictAttr{
		named("atol", tolerance()), named("rtol", tolerance()), named("ulps", number64(c.signed())),
		named("mode", c.attr()),
	}}
}

// subAxis is the (pre-size)size of a part of a mesh axis.
func (c *cursor) subAxis() Attr { return ArrayAttr{number64(c.signed()), number64(c.signed())} }

func (c *cursor) axisRef() Attr {
	a := &DialectAttr{Name: "stablehlo.axis_ref", Fields: DictAttr{named("name", c.attr())}}
	if c.varint() != 0 {
		a.Fields = append(a.Fields, named("sub_axis_info", c.attr()))
	}
	return a
}

func (c *cursor) meshAxes() Attr {
	mesh, axes := c.attr(), c.attr()
	if s, ok := mesh.(StringAttr); ok {
		mesh = symbolOf(string(s))
	}
	return &DialectAttr{Name: "stablehlo.replica_group_mesh_axes", Fields: DictAttr{named("mesh", mesh),
		named("axes", axes)}}
}

func (c *cursor) meshAxis() Attr {
	return &DialectAttr{Name: "stablehlo.mesh_axis", Body: c.kept(AttrString(c.attr())) + "=" + number64(c.signed()).Text}
}

// mesh is a list of axes, and maybe the devices in their order.
func (c *cursor) mesh() Attr {
	axes, _ := c.attr().(ArrayAttr)
	a := &DialectAttr{Name: "stablehlo.mesh", Body: c.kept("[" + joinBodies(axes) + "]")}
	if ids := c.optionalAttr(); ids != nil {
		a.Body += ", device_ids=" + c.kept(AttrString(ids))
	}
	return a
}

// buffer is a memory reference.
func (c *cursor) buffer() Type {
	t := TensorType{Dims: c.signedList(), Elem: c.typ()}
	dynamic(t.Dims)
	return OpaqueType{"memref" + c.kept(t.String()[len("tensor"):])}
}

func quantTypes() []typeCode {
	return []typeCode{4: (*cursor).quantized, 5: (*cursor).quantizedAxis}
}

// quantized reads a type with one scale and zero point.
func (c *cursor) quantized() Type {
	t := c.quantStorage()
	t.Scales = []float64{math.Float64frombits(c.wide(64))}
	t.ZeroPoints = []int64{c.signed()}
	c.quantRange(t)
	return c.checked(t)
}

// quantizedAxis reads a type with a scale and a zero point for each index of a dimension.
func (c *cursor) quantizedAxis() Type {
	t := c.quantStorage()
	t.Axes = []int64{int64(c.varint())}
	c.quantRange(t)
	for range c.count("scales") {
		t.Scales = append(t.Scales, math.Float64frombits(c.wide(64)))
	}
	t.ZeroPoints = c.signedList()
	if n := len(t.Scales); n == 0 || n != len(t.ZeroPoints) {
		c.fail("%d scales and %d zero points", n, len(t.ZeroPoints))
		return NoneType{}
	}
	t.ParamDims = []int64{int64(len(t.Scales))}
	return c.checked(t)
}

func (c *cursor) quantStorage() *QuantType {
	signed := c.varint()&1 != 0
	storage, ok := c.typ().(IntType)
	if !ok || storage.Width < 1 || storage.Width > 32 {
		c.fail("storage of a quantised type is no integer type: %v", errors.ErrUnsupported)
		storage.Width = 8
	}
	storage.Sign = Unsigned
	if signed {
		storage.Sign = Signless
	}
	return &QuantType{Storage: storage, Expressed: c.typ()}
}

// quantRange reads the range of what is stored.
func (c *cursor) quantRange(t *QuantType) {
	t.Min, t.Max = c.signed(), c.signed()
	low, high := storageRange(t.Storage)
	t.HasRange = t.Min != low || t.Max != high
}

// checked wants a type to be one that its text could give.
func (c *cursor) checked(t *QuantType) Type {
	if c.f.err == nil {
		p := c.f.textParser(c, t.String())
		p.parseType()
		p.endOfText(c.f)
	}
	return t
}
