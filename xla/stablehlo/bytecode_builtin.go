package stablehlo

import (
	"errors"
	"slices"
	"strconv"

	"github.com/halo-xla/halo/xla/shape"
)

// attrCode and typeCode read what stands behind the number of a kind of attribute or type.
type (
	attrCode func(c *cursor) Attr
	typeCode func(c *cursor) Type
)

// attrCodes and typeCodes are the kinds of each dialect by their numbers. They are filled in init, since the functions
// come back to them.
var (
	attrCodes map[string][]attrCode
	typeCodes map[string][]typeCode
)

func init() {
	attrCodes = map[string][]attrCode{
		"builtin": builtinAttrs(), "vhlo": vhloAttrs(), "stablehlo": stablehloAttrs(), "chlo": chloAttrs(), "sdy": sdyAttrs(),
	}
	typeCodes = map[string][]typeCode{
		"builtin": builtinTypes(), "vhlo": vhloTypes(), "stablehlo": stablehloTypes(), "quant": quantTypes(),
	}
}

func builtinAttrs() []attrCode {
	return []attrCode{
		0: func(c *cursor) Attr { return c.attrs() },
		1: (*cursor).dict,
		2: func(c *cursor) Attr { return StringAttr(c.str()) },
		3: func(c *cursor) Attr {
			s := StringAttr(c.str())
			c.typ()
			return s
		},
		4:  func(c *cursor) Attr { return SymbolAttr{Path: []string{c.text()}} },
		5:  (*cursor).symbol,
		6:  func(c *cursor) Attr { return TypeAttr{c.typ()} },
		7:  func(*cursor) Attr { return UnitAttr{} },
		8:  func(c *cursor) Attr { return c.integer(c.typ()) },
		9:  func(c *cursor) Attr { return c.float(c.typ()) },
		10: func(c *cursor) Attr { return c.location(LocCallSite, 2) },
		11: (*cursor).fileLocation,
		12: func(c *cursor) Attr { return c.location(LocFused, c.count("locations")) },
		13: func(c *cursor) Attr {
			l := c.location(LocFused, c.count("locations"))
			c.attr()
			return l
		},
		14: (*cursor).nameLocation,
		15: func(*cursor) Attr { return LocAttr{&Location{}} },
		16: (*cursor).denseResource,
		17: (*cursor).denseArray,
		18: (*cursor).denseElements,
		21: (*cursor).attr,
		22: (*cursor).rangeLocation,
	}
}

func builtinTypes() []typeCode {
	codes := []typeCode{
		0: (*cursor).integerType,
		1: constantType(IndexType{}),
		2: func(c *cursor) Type { return FuncType{c.types(), c.types()} },
		7: constantType(FloatType{"f80"}),
		8: constantType(FloatType{"f128"}),
		9: func(c *cursor) Type { return ComplexType{c.typ()} },
		10: func(c *cursor) Type {
			t := c.buffer()
			c.attr() // the layout
			return t
		},
		12: constantType(NoneType{}),
		13: func(c *cursor) Type { return c.tensor(nil) },
		14: func(c *cursor) Type { return c.tensor(c.attr()) },
		15: func(c *cursor) Type { return newTuple(c.types()) },
		18: func(c *cursor) Type { return &TensorType{Unranked: true, Elem: c.typ()} },
		32: nil,
	}
	for name, code := range builtinFloats {
		codes[code] = constantType(FloatType{name})
	}
	return codes
}

func constantType(t Type) typeCode { return func(*cursor) Type { return t } }

// text reads the number of an attribute that is a string.
func (c *cursor) text() string {
	at := c.pos
	s, ok := c.attr().(StringAttr)
	if !ok {
		c.f.failAt(at, "attribute is no string")
	}
	return string(s)
}

func (c *cursor) dict() Attr {
	d := make(DictAttr, c.count("entries"))
	for i := range d {
		d[i] = NamedAttr{Name: c.text(), Value: c.attr()}
	}
	return d
}

func (c *cursor) symbol() Attr {
	s := SymbolAttr{Path: []string{c.text()}}
	for range c.count("names") {
		inner, ok := c.attr().(SymbolAttr)
		if !ok || len(inner.Path) != 1 {
			c.fail("attribute is no symbol of one name")
			break
		}
		s.Path = append(s.Path, inner.Path[0])
	}
	return s
}

// integerType reads the width and the sign of an integer type in one number.
func (c *cursor) integerType() Type {
	v := c.varint()
	if v&3 > uint64(Unsigned) || v>>2 > 1<<24 {
		c.fail("integer type %#x has no such sign or width", v)
	}
	return IntType{Width: int(v >> 2), Sign: Signedness(v & 3)}
}

// tensor reads the sizes and the type of the elements.
func (c *cursor) tensor(encoding Attr) Type {
	t := &TensorType{Dims: c.signedList(), Elem: c.typ()}
	dynamic(t.Dims)
	switch e := encoding.(type) {
	case nil:
	case boundsAttr:
		if t.Bounds = e; len(e) != len(t.Dims) {
			c.fail("%d bounds for %d dimensions", len(e), len(t.Dims))
		}
	default:
		t.Encoding = e
	}
	return t
}

// dynamic replaces what stands for a size that is not known: negative numbers.
func dynamic(dims []int64) {
	for i, d := range dims {
		if d < 0 {
			dims[i] = Dynamic
		}
	}
}

// boundsAttr is the encoding of a tensor that says its bounds. It is part of the tensor's type in the tree.
type boundsAttr []int64

func (boundsAttr) attr() {}

func (c *cursor) bounds() Attr {
	b := boundsAttr(c.signedList())
	dynamic(b)
	return b
}

// integer reads a number of an integer type.
func (c *cursor) integer(t Type) Attr {
	width, sign := 64, Signless
	switch t := t.(type) {
	case IntType:
		width, sign = t.Width, t.Sign
	case IndexType:
	default:
		c.fail("type of an integer is %s", t)
		return nil
	}
	if width == 0 || width > 64 {
		c.fail("integer of %d bits: %v", width, errors.ErrUnsupported)
		return nil
	}
	v, free := c.wide(width), 64-width
	switch {
	case width == 1 && sign == Signless:
		return BoolAttr(v&1 != 0)
	case sign == Unsigned:
		return IntAttr{strconv.FormatUint(v<<free>>free, 10), t}
	}
	return IntAttr{strconv.FormatInt(int64(v<<free)>>free, 10), t}
}

// float reads a number of a float type.
func (c *cursor) float(t Type) Attr {
	f, _ := t.(FloatType)
	e, ok := shape.TypeByMLIR(f.Name)
	if !ok || !e.IsFloat() {
		c.fail("type of a number is %s: %v", t, errors.ErrUnsupported)
		return nil
	}
	return floatAttr(e, f, c.wide(e.Bits())<<(64-e.Bits())>>(64-e.Bits()))
}

// location reads a location that is made of n others.
func (c *cursor) location(kind LocKind, n int) Attr {
	l := &Location{Kind: kind, Children: make([]*Location, n)}
	for i := range l.Children {
		l.Children[i] = c.childLocation()
	}
	return LocAttr{l}
}

func (c *cursor) childLocation() *Location {
	a, ok := c.attr().(LocAttr)
	if !ok {
		c.fail("attribute is no location")
		return &Location{}
	}
	return a.Loc
}

func (c *cursor) nameLocation() Attr {
	l := &Location{Kind: LocName, Name: c.text()}
	if child := c.childLocation(); child.Kind != LocUnknown {
		l.Children = []*Location{child}
	}
	return LocAttr{l}
}

func (c *cursor) fileLocation() Attr {
	return LocAttr{&Location{Kind: LocFile, File: c.text(), Line: int(uint32(c.varint())), Col: int(uint32(c.varint()))}}
}

// rangeLocation reads a file with up to four numbers: line and column, and those of the end.
func (c *cursor) rangeLocation() Attr {
	l := &Location{Kind: LocFile, File: c.text()}
	for i := range c.count("numbers") {
		switch v := int(uint32(c.varint())); i {
		case 0:
			l.Line = v
		case 1:
			l.Col = v
		}
	}
	return LocAttr{l}
}

// elementsType reads the type of elements.
func (c *cursor) elementsType() *TensorType {
	at := c.pos
	t, ok := c.typ().(*TensorType)
	if !ok || t.Unranked || slices.Contains(t.Dims, Dynamic) {
		c.f.failAt(at, "type of elements is no tensor of known shape")
		return &TensorType{Elem: NoneType{}}
	}
	return t
}

// denseElements reads a type and the bytes of its elements: of all, or of one for all.
func (c *cursor) denseElements() Attr {
	t := c.elementsType()
	at := c.pos
	return &DenseAttr{Pos: c.f.posAt(at), Kind: DenseBytes, Data: slices.Clone(c.blob()), Type: t, Prog: c.f.prog}
}

// denseResource reads elements whose bytes are a resource.
func (c *cursor) denseResource() Attr {
	a := &DenseAttr{Pos: c.f.posAt(c.pos), Kind: DenseBytes, Type: c.elementsType(), Prog: c.f.prog}
	n := c.varint()
	if n >= uint64(len(c.f.blobs)) {
		c.fail("resource %d: there are %d", n, len(c.f.blobs))
		return a
	}
	a.Data = slices.Clone(c.f.blobs[n].data)
	return a
}

// denseArray reads array<elem: ...>.
func (c *cursor) denseArray() Attr {
	a := DenseArrayAttr{Elem: c.typ()}
	n, data := c.varint(), c.blob()
	e, ok := elementType(a.Elem)
	if !ok || uint64(len(data)) != n*uint64(e.Bytes()) || n > uint64(len(data)) {
		c.fail("array of %d elements of type %s has %d bytes", n, a.Elem, len(data))
		return a
	}
	a.Elems = elementTexts(e, data)
	return a
}

// elementTexts writes elements one by one.
func elementTexts(e shape.ElementType, data []byte) []string {
	width := e.Bytes()
	texts := make([]string, 0, len(data)/width)
	for ; len(data) > 0; data = data[width:] {
		texts = append(texts, elementText(e, data[:width]))
	}
	return texts
}
