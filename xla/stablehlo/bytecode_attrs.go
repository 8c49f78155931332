package stablehlo

import (
	"math"
	"slices"
	"strconv"

	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// attr numbers an attribute as one of VHLO.
func (w *bytecodeWriter) attr(a Attr) uint64 {
	number := func(code uint64, head ...byte) uint64 {
		return w.attrs.number(vhloDialect, append(appendVarint(nil, code), head...))
	}
	switch a := a.(type) {
	case BoolAttr:
		return number(2, appendVarint(nil, uint64(btoi(bool(a))))...)
	case UnitAttr:
		return w.attr(BoolAttr(true))
	case IntAttr:
		return w.numberAttr(vhloDialect, 9, 8, a.Text, a.Type)
	case FloatAttr:
		return w.numberAttr(vhloDialect, 9, 8, a.Text, a.Type)
	case StringAttr:
		return number(14, appendVarint(nil, w.strings.number(string(a)))...)
	case SymbolAttr:
		return w.attr(StringAttr(a.name()))
	case TypeAttr:
		return number(17, appendVarint(nil, w.typ(a.Type))...)
	case ArrayAttr:
		return number(1, appendList(nil, w.attrList(a))...)
	case DictAttr:
		b := appendVarint(nil, uint64(len(a)))
		for _, kv := range a {
			b = appendVarint(appendVarint(b, w.attr(StringAttr(kv.Name))), w.attr(kv.Value))
		}
		return number(6, b...)
	case DenseArrayAttr:
		return w.arrayAttr(a)
	case *DenseAttr:
		return w.denseAttr(a)
	case *DialectAttr:
		return w.dialectAttr(a)
	case OpaqueAttr:
		return w.attr(w.parsed(string(a)))
	}
	w.lack("attribute %s is none of VHLO", AttrString(a))
	return 0
}

func (w *bytecodeWriter) attrList(list ArrayAttr) []uint64 {
	numbers := make([]uint64, len(list))
	for i, a := range list {
		numbers[i] = w.attr(a)
	}
	return numbers
}

// parsed reads an attribute that was kept as text.
func (w *bytecodeWriter) parsed(text string) Attr {
	f := &bytecode{name: "attribute", prog: w.prog}
	p := f.textParser(&cursor{f: f}, text)
	a := p.attr()
	if p.endOfText(f); f.err != nil {
		w.fail("attribute: %v", f.err)
	}
	if o, same := a.(OpaqueAttr); same {
		w.lack("attribute %s is none of VHLO", o)
		return UnitAttr{}
	}
	return a
}

// numberAttr numbers a number: one of a float type has a code of its own.
func (w *bytecodeWriter) numberAttr(dialect int, intCode, floatCode uint64, text string, t Type) uint64 {
	typ := w.typ
	if dialect == builtinDialect {
		typ = w.builtinType
	}
	if f, ok := t.(FloatType); ok {
		e, known := shape.TypeByMLIR(f.Name)
		v, wrong := floatBits(e, text)
		if !known || wrong != "" {
			w.lack("number %s of type %s", text, t)
		}
		return w.attrs.number(dialect, appendWide(appendVarint(appendVarint(nil, floatCode), typ(t)), e.Bits(), v))
	}
	width := 64
	if i, ok := t.(IntType); ok {
		width = i.Width
	}
	v, err := strconv.ParseInt(text, 0, 64)
	if u, err2 := strconv.ParseUint(text, 0, 64); err != nil && err2 == nil {
		v, err = int64(u), nil
	}
	if err != nil || width < 1 || width > 64 {
		w.lack("integer %s of type %s", text, t)
		return 0
	}
	bits := uint64(v) << (64 - width) >> (64 - width)
	return w.attrs.number(dialect, appendWide(appendVarint(appendVarint(nil, intCode), typ(t)), width, bits))
}

// arrayAttr numbers a list of numbers, which VHLO has as a tensor.
func (w *bytecodeWriter) arrayAttr(a DenseArrayAttr) uint64 {
	t := &TensorType{Dims: []int64{int64(len(a.Elems))}, Elem: a.Elem}
	return w.attr(&DenseAttr{Kind: DenseBytes, Data: w.arrayBytes(a), Type: t})
}

// arrayBytes returns the bytes of a list of numbers.
func (w *bytecodeWriter) arrayBytes(a DenseArrayAttr) (data []byte) {
	e, ok := elementType(a.Elem)
	if !ok {
		w.lack("array of %s", a.Elem)
		return nil
	}
	for _, text := range a.Elems {
		var wrong string
		if data, wrong = appendElement(data, e, text); wrong != "" {
			w.fail("element of an array of %s: %s", a.Elem, wrong)
		}
	}
	return data
}

// denseAttr numbers the elements of a tensor. Large ones are compared by where they are, not by what they are.
func (w *bytecodeWriter) denseAttr(a *DenseAttr) uint64 {
	if n, ok := w.dense[a]; ok {
		return n
	}
	data := w.rawElements(a)
	head := appendVarint(appendVarint(appendVarint(nil, 15), w.typ(a.Type)), uint64(len(data)))
	var n uint64
	if len(data) <= 1024 {
		n = w.attrs.number(vhloDialect, append(head, data...))
	} else {
		n = w.attrs.add(coded{dialect: vhloDialect, head: head, blob: data})
	}
	w.dense[a] = n
	return n
}

// rawElements returns elements as MLIR has them: those of a splat once, flags eight a byte.
func (w *bytecodeWriter) rawElements(a *DenseAttr) []byte {
	source := a
	if a.isSplat() {
		one := *a
		one.Type = &TensorType{Elem: a.Type.Elem}
		source = &one
	}
	l, err := source.Literal()
	if err != nil {
		w.fail("%v", err)
		return nil
	}
	return packed(l, source != a)
}

// packed returns the bytes of a literal, flags eight a byte; those of a splat are all the same.
func packed(l *literal.Literal, splat bool) []byte {
	data := l.Bytes()
	if l.Shape().Type != shape.Pred {
		return data
	}
	if splat {
		return []byte{-data[0]}
	}
	bits := make([]byte, (len(data)+7)/8)
	for i, b := range data {
		bits[i/8] |= b << (i % 8)
	}
	return bits
}

// dialectAttr numbers an attribute of StableHLO or Shardy.
func (w *bytecodeWriter) dialectAttr(a *DialectAttr) uint64 {
	dialect, kind, _ := cutName(a.Name)
	if dialect == "sdy" {
		w.need(1, 11, "an attribute of Shardy")
		return w.attrs.add(coded{dialect: sdyDialect, text: true, head: append([]byte(AttrString(a)), 0)})
	}
	if e, ok := vhloEnums[kind]; ok {
		i := slices.Index(enums[kind], a.Word)
		if i < 0 || kind == "precision" && i > 2 {
			w.lack("%s %s", kind, a.Word)
		}
		return w.attrs.number(vhloDialect, appendVarint(appendVarint(nil, e.code), uint64(i)+e.first))
	}
	write, ok := map[string]func(b []byte, f DictAttr) []byte{
		"output_operand_alias":    w.aliasBytes,
		"result_accuracy":         w.accuracyBytes,
		"replica_group_mesh_axes": w.meshAxesBytes,
		"axis_ref":                w.axisRefBytes,
	}[kind]
	if !ok {
		w.lack("attribute %s is none of VHLO", AttrString(a))
		return 0
	}
	return w.attrs.number(vhloDialect, write(nil, a.Fields))
}

func (w *bytecodeWriter) aliasBytes(b []byte, f DictAttr) []byte {
	out, _ := intsOf(f.Lookup("output_tuple_indices"))
	index, _ := intOf(f.Lookup("operand_index"))
	in, _ := intsOf(f.Lookup("operand_tuple_indices"))
	return appendSignedList(appendSigned(appendSignedList(appendVarint(b, 10), out), index), in)
}

func (w *bytecodeWriter) accuracyBytes(b []byte, f DictAttr) []byte {
	fields := &Op{Name: w.at.Name, Attrs: f}
	b = appendVarint(b, 20)
	for _, key := range [...]string{"atol", "rtol"} {
		v := 0.0
		if f.Lookup(key) != nil {
			var err error
			if v, err = fields.Float(key); err != nil {
				w.fail("%v", err)
			}
		}
		b = appendWide(b, 64, math.Float64bits(v))
	}
	ulps, _ := intOf(f.Lookup("ulps"))
	mode := f.Lookup("mode")
	if text, ok := mode.(OpaqueAttr); ok {
		mode = w.parsed(string(text))
	}
	if mode == nil {
		mode = word("result_accuracy_mode", "DEFAULT")
	}
	return appendVarint(appendSigned(b, ulps), w.attr(mode))
}

func (w *bytecodeWriter) meshAxesBytes(b []byte, f DictAttr) []byte {
	w.need(1, 16, "groups by the axes of a mesh")
	mesh, axes := w.attr(f.Lookup("mesh")), w.attr(f.Lookup("axes"))
	return appendVarint(appendVarint(appendVarint(b, 23), mesh), axes)
}

func (w *bytecodeWriter) axisRefBytes(b []byte, f DictAttr) []byte {
	b = appendVarint(appendVarint(b, 22), w.attr(f.Lookup("name")))
	part, ok := intsOf(f.Lookup("sub_axis_info"))
	if !ok || len(part) != 2 {
		return appendVarint(b, 0)
	}
	sub := appendSigned(appendSigned(appendVarint(nil, 21), part[0]), part[1])
	return appendVarint(appendVarint(b, 1), w.attrs.number(vhloDialect, sub))
}

// builtinAttr numbers an attribute as one of MLIR itself, as modules have them.
func (w *bytecodeWriter) builtinAttr(a Attr) uint64 {
	number := func(code uint64, head ...byte) uint64 {
		return w.attrs.number(builtinDialect, append(appendVarint(nil, code), head...))
	}
	switch a := a.(type) {
	case BoolAttr:
		return w.numberAttr(builtinDialect, 8, 9, strconv.Itoa(btoi(bool(a))), IntType{Width: 1})
	case UnitAttr:
		return number(7)
	case IntAttr:
		return w.numberAttr(builtinDialect, 8, 9, a.Text, a.Type)
	case FloatAttr:
		return w.numberAttr(builtinDialect, 8, 9, a.Text, a.Type)
	case StringAttr:
		return w.builtinString(string(a))
	case SymbolAttr:
		return number(4, appendVarint(nil, w.builtinString(a.name()))...)
	case ArrayAttr:
		b := appendVarint(nil, uint64(len(a)))
		for _, e := range a {
			b = appendVarint(b, w.builtinAttr(e))
		}
		return number(0, b...)
	case DictAttr:
		b := appendVarint(nil, uint64(len(a)))
		for _, kv := range a {
			b = appendVarint(appendVarint(b, w.builtinString(kv.Name)), w.builtinAttr(kv.Value))
		}
		return number(1, b...)
	case *DialectAttr:
		return w.chloText(a)
	case DenseArrayAttr:
		data := w.arrayBytes(a)
		b := appendVarint(appendVarint(nil, w.builtinType(a.Elem)), uint64(len(a.Elems)))
		return number(17, append(appendVarint(b, uint64(len(data))), data...)...)
	case *DenseAttr:
		data := w.rawElements(a)
		return number(18, append(appendVarint(appendVarint(nil, w.builtinType(a.Type)), uint64(len(data))), data...)...)
	case OpaqueAttr:
		return w.builtinAttr(w.parsed(string(a)))
	}
	w.lack("attribute %s", AttrString(a))
	return 0
}

// builtinType numbers a type of MLIR itself.
func (w *bytecodeWriter) builtinType(t Type) uint64 {
	number := func(code uint64, head ...byte) uint64 {
		return w.types.number(builtinDialect, append(appendVarint(nil, code), head...))
	}
	switch t := t.(type) {
	case IntType:
		return number(0, appendVarint(nil, uint64(t.Width)<<2|uint64(t.Sign))...)
	case IndexType:
		return number(1)
	case FloatType:
		if code, ok := builtinFloats[t.Name]; ok {
			return number(code)
		}
	case ComplexType:
		return number(9, appendVarint(nil, w.builtinType(t.Elem))...)
	case *TensorType:
		if !t.Unranked && t.Bounds == nil && t.Encoding == nil {
			return number(13, appendVarint(appendSignedList(nil, unknown(t.Dims)), w.builtinType(t.Elem))...)
		}
	}
	w.lack("type %s", t)
	return 0
}

// typ numbers a type as one of VHLO.
func (w *bytecodeWriter) typ(t Type) uint64 {
	if tensor, ok := t.(*TensorType); ok {
		n, known := w.tensors[tensor]
		if !known {
			n = w.types.number(vhloDialect, w.tensorBytes(tensor))
			w.tensors[tensor] = n
		}
		return n
	}
	if t, ok := t.(builtinTyped); ok {
		return w.builtinType(t.Type)
	}
	return w.types.number(vhloDialect, w.typeBytes(t))
}

func (w *bytecodeWriter) typeBytes(t Type) []byte {
	switch t := t.(type) {
	case ComplexType:
		return appendVarint(appendVarint(nil, 1), w.typ(t.Elem))
	case FuncType:
		return appendList(appendList(appendVarint(nil, 8), w.typeList(t.Inputs)), w.typeList(t.Results))
	case TupleType:
		return appendList(appendVarint(nil, 23), w.typeList(t.Elems))
	case FutureType:
		w.need(1, 15, "a future")
		return appendList(appendVarint(nil, 42), w.typeList(t.Elems))
	case *QuantType:
		return w.quantBytes(t)
	}
	s, ok := vhloPlainNumbers[t.String()]
	if !ok {
		w.lack("type %s is none of VHLO", t)
	} else {
		w.need(s.major, s.minor, "type "+t.String())
	}
	return appendVarint(nil, s.code)
}

func (w *bytecodeWriter) typeList(types []Type) []uint64 {
	numbers := make([]uint64, len(types))
	for i, t := range types {
		numbers[i] = w.typ(t)
	}
	return numbers
}

func (w *bytecodeWriter) tensorBytes(t *TensorType) []byte {
	elem := w.typ(t.Elem)
	switch {
	case t.Unranked:
		return appendVarint(appendVarint(nil, 25), elem)
	case t.Encoding != nil:
		w.lack("encoding of type %s", t)
	}
	b := appendVarint(nil, 20)
	if t.Bounds != nil {
		bounds := w.attrs.number(vhloDialect, appendSignedList(appendVarint(nil, 18), unknown(t.Bounds)))
		b = appendVarint(appendVarint(nil, 21), bounds)
	}
	return appendVarint(appendSignedList(b, unknown(t.Dims)), elem)
}

// unknown returns sizes as files have them: the smallest number for those not known.
func unknown(dims []int64) []int64 {
	dims = slices.Clone(dims)
	for i, d := range dims {
		if d == Dynamic {
			dims[i] = math.MinInt64
		}
	}
	return dims
}

func (w *bytecodeWriter) quantBytes(t *QuantType) []byte {
	if t.Blocks != nil || len(t.Axes) > 1 {
		w.lack("type %s is none of VHLO", t)
	}
	signed := t.Storage.Sign != Unsigned
	code := uint64(24)
	if len(t.Axes) == 1 {
		w.need(0, 18, "a scale for each index")
		code = 30
	}
	b := appendVarint(appendVarint(nil, code), uint64(btoi(signed)))
	b = appendVarint(appendVarint(b, w.typ(IntType{Width: t.Storage.Width})), w.typ(t.Expressed))
	limits := func() { b = appendSigned(appendSigned(b, t.Min), t.Max) }
	if len(t.Axes) == 0 {
		b = appendSigned(appendWide(b, 64, math.Float64bits(t.Scales[0])), t.ZeroPoints[0])
		limits()
		return b
	}
	b = appendVarint(b, uint64(t.Axes[0]))
	limits()
	b = appendVarint(b, uint64(len(t.Scales)))
	for _, s := range t.Scales {
		b = appendWide(b, 64, math.Float64bits(s))
	}
	return appendSignedList(b, t.ZeroPoints)
}
