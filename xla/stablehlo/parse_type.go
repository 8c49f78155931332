package stablehlo

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/halo-xla/halo/internal/spelling"
)

var floatTypes = []string{
	"f16", "bf16", "f32", "f64", "tf32", "f8E5M2", "f8E4M3", "f8E4M3FN", "f8E4M3FNUZ", "f8E5M2FNUZ",
	"f8E4M3B11FNUZ", "f8E3M4",
	"f8E8M0FNU", "f4E2M1FN", "f6E2M3FN", "f6E3M2FN", "f80", "f128",
}

// parseType reads a type.
func (p *parser) parseType() Type {
	defer p.leave()
	if !p.enter() {
		return NoneType{}
	}
	switch p.tok.kind {
	case '(':
		return p.funcType()
	case tokBang:
		return p.bangType()
	case tokIdent:
		if t := p.identType(); t != nil {
			return t
		}
	}
	p.fail("got %s, want a type%s", p.tok, p.meantType())
	return NoneType{}
}

// meantType is a hint at the type that the next word may have been meant for.
func (p *parser) meantType() string {
	if p.tok.kind != tokIdent {
		return ""
	}
	names := append([]string{"tensor", "tuple", "index", "complex<f32>", "complex<f64>"}, floatTypes...)
	for _, i := range []string{"i1", "i2", "i4", "i8", "i16", "i32", "i64"} {
		names = append(names, i, "u"+i, "s"+i)
	}
	return spelling.Type(p.tok.text, names)
}

// identType reads a type that begins with a bare name, or returns nil.
func (p *parser) identType() Type {
	name := p.tok.text
	if t := scalarType(name); t != nil {
		p.advance()
		return t
	}
	switch name {
	case "tensor":
		return p.tensorType()
	case "complex":
		p.advance()
		p.expect('<')
		elem := p.parseType()
		p.expect('>')
		return ComplexType{elem}
	case "tuple":
		p.advance()
		var elems []Type
		p.list('<', '>', func() { elems = append(elems, p.parseType()) })
		return newTuple(elems)
	case "memref", "vector":
		start := p.tok.off
		p.advance()
		_, end := p.rawBody()
		return OpaqueType{p.lex.text[start:end]}
	}
	return nil
}

// scalarType returns the type of a name that is a whole type, nil for another.
func scalarType(name string) Type {
	switch name {
	case "index":
		return IndexType{}
	case "none":
		return NoneType{}
	}
	if slices.Contains(floatTypes, name) {
		return FloatType{name}
	}
	sign := Signless
	digits, ok := strings.CutPrefix(name, "i")
	for s := Signed; !ok && s <= Unsigned; s++ {
		digits, ok = strings.CutPrefix(name, signs[s])
		sign = s
	}
	width, err := strconv.Atoi(digits)
	if !ok || err != nil || digits[0] == '0' || !digit(digits[0]) || width > 1<<24-1 {
		return nil
	}
	return IntType{Width: width, Sign: sign}
}

// tensorType reads tensor<2x?xf32, encoding>.
func (p *parser) tensorType() Type {
	p.advance()
	if !p.is('<') {
		p.want("'<'")
		return NoneType{}
	}
	t := &TensorType{}
	p.dimensions(t)
	t.Elem = p.parseType()
	if p.accept(',') {
		p.encoding(t)
	}
	p.expect('>')
	return t
}

// dimensions reads the part of a tensor type between "<" and the element type. It cuts the text itself, since
// "2x3xf32" is no list of tokens.
func (p *parser) dimensions(t *TensorType) {
	text, off := p.lex.text, p.tok.end
	if strings.HasPrefix(text[off:], "*x") {
		t.Unranked = true
		p.resetTo(off + 2)
		return
	}
	for p.err == nil {
		for off < len(text) && (text[off] == ' ' || text[off] == '\n' || text[off] == '\t') {
			off++
		}
		start := off
		if off < len(text) && text[off] == '?' {
			off++
		} else {
			off = p.lex.while(off, digit)
		}
		if off == start {
			break
		}
		d := Dynamic
		if text[start] != '?' {
			var err error
			if d, err = strconv.ParseInt(text[start:off], 10, 64); err != nil {
				p.fail("dimension %s is too large", text[start:off])
			}
		}
		t.Dims = append(t.Dims, d)
		if off == len(text) || text[off] != 'x' {
			p.fail("no 'x' after dimension %s", text[start:off])
			return
		}
		off++
	}
	p.resetTo(off)
}

// encoding reads what stands behind the element type.
func (p *parser) encoding(t *TensorType) {
	pos := p.pos()
	t.Encoding = p.attr()
	d, ok := t.Encoding.(*DialectAttr)
	if !ok || (d.Name != "stablehlo.bounds" && d.Name != "stablehlo.type_extensions") {
		return
	}
	list, ok := d.Fields.Lookup("bounds").(DenseArrayAttr)
	if !ok || len(list.Elems) != len(t.Dims) {
		p.failAt(pos, "bounds of a tensor with %d dimensions: got %d of them", len(t.Dims), len(list.Elems))
		return
	}
	t.Encoding, t.Bounds = nil, []int64{}
	for i, e := range list.Elems {
		b := Dynamic
		if e != "?" {
			b, _ = strconv.ParseInt(e, 10, 64)
			if t.Dims[i] != Dynamic {
				p.failAt(pos, "dimension %d is %d and has a bound, want '?' as one of them", i, t.Dims[i])
			}
		}
		t.Bounds = append(t.Bounds, b)
	}
}

// funcType reads (A, B) -> C or (A, B) -> (C, D).
func (p *parser) funcType() FuncType {
	var t FuncType
	p.list('(', ')', func() { t.Inputs = append(t.Inputs, p.parseType()) })
	p.expect(tokArrow)
	t.Results = p.resultTypes()
	return t
}

// resultTypes reads C or (C, D).
func (p *parser) resultTypes() []Type {
	if !p.is('(') {
		return []Type{p.parseType()}
	}
	var types []Type
	p.list('(', ')', func() { types = append(types, p.parseType()) })
	return types
}

// bangType reads !alias or !dialect.type<...>.
func (p *parser) bangType() Type {
	name := p.tok.text
	if t, ok := p.types[name]; ok {
		p.nodes += p.sizes["!"+name]
		p.advance()
		return t
	}
	dialect, rest, dotted := strings.Cut(name, ".")
	if !dotted {
		p.fail("type alias !%s is not defined", name)
		return NoneType{}
	}
	switch {
	case name == "quant.uniform":
		p.advance()
		return p.quantType()
	case dialect == "stablehlo" || dialect == "mhlo":
		return p.dialectType(name, rest)
	}
	start := p.tok.off
	end := p.tok.end
	p.advance()
	if p.is('<') {
		_, end = p.rawBody()
	}
	if p.err != nil {
		return NoneType{}
	}
	return OpaqueType{p.lex.text[start:end]}
}

// dialectType reads !stablehlo.token and !stablehlo.future<...>.
func (p *parser) dialectType(name, rest string) Type {
	switch rest {
	case "token":
		p.advance()
		return TokenType{}
	case "future":
		p.advance()
		var elems []Type
		pos := p.pos()
		p.list('<', '>', func() {
			t := p.parseType()
			if _, tensor := t.(*TensorType); !tensor && t != (TokenType{}) {
				p.failAt(pos, "!stablehlo.future of %s, want tensors or tokens", t)
			}
			elems = append(elems, t)
		})
		return FutureType{elems}
	}
	p.fail("type !%s is unknown", name)
	return NoneType{}
}

// quantType reads <i8<-128:127>:f32:1, {0.5:3, 0.25}> behind !quant.uniform.
func (p *parser) quantType() Type {
	q := &QuantType{}
	p.expect('<')
	pos := p.pos()
	storage, ok := p.storageType().(IntType)
	if !ok || storage.Width > 32 {
		p.failAt(pos, "storage of a quantised type is no integer of at most 32 bits")
	}
	q.Storage = storage
	q.Min, q.Max = storageRange(storage)
	if p.accept('<') {
		q.HasRange = true
		low, high := q.Min, q.Max
		q.Min = p.int64()
		p.expect(':')
		q.Max = p.int64()
		if q.Min < low || q.Max > high || q.Min >= q.Max {
			p.failAt(pos, "storage range %d:%d does not lie in %d:%d", q.Min, q.Max, low, high)
		}
		p.expect('>')
	}
	p.expect(':')
	q.Expressed = p.parseType()
	if p.accept(':') {
		p.quantAxes(q)
	}
	p.expect(',')
	if !p.is('{') || len(q.Axes) == 0 {
		p.quantParam(q)
	} else {
		p.quantParams(q, 0)
	}
	p.expect('>')
	p.checkQuant(pos, q)
	return q
}

// storageType reads an integer type, which may be written u8 when it is unsigned.
func (p *parser) storageType() Type {
	if width, ok := strings.CutPrefix(p.tok.text, "u"); ok && p.is(tokIdent) && digits(width) {
		p.advance()
		n, _ := strconv.Atoi(width)
		return IntType{Width: n, Sign: Unsigned}
	}
	return p.parseType()
}

func storageRange(t IntType) (low, high int64) {
	if t.Width < 1 || t.Width > 32 {
		return 0, 0
	}
	if t.Sign == Unsigned {
		return 0, 1<<t.Width - 1
	}
	return -1 << (t.Width - 1), 1<<(t.Width-1) - 1
}

// quantAxes reads 1 or {0:2, 1:4}.
func (p *parser) quantAxes(q *QuantType) {
	if !p.is('{') {
		q.Axes = []int64{p.int64()}
		return
	}
	q.Blocks = []int64{}
	p.list('{', '}', func() {
		q.Axes = append(q.Axes, p.int64())
		p.expect(':')
		q.Blocks = append(q.Blocks, p.int64())
	})
}

// quantParams reads nested lists of scales and zero points; all lists of one level have the same length.
func (p *parser) quantParams(q *QuantType, level int) {
	defer p.leave()
	if !p.enter() {
		return
	}
	pos, n := p.pos(), int64(0)
	first := level == len(q.ParamDims)
	if first {
		q.ParamDims = append(q.ParamDims, 0)
	}
	p.list('{', '}', func() {
		n++
		if p.is('{') {
			p.quantParams(q, level+1)
		} else {
			if level+1 != len(q.ParamDims) {
				p.fail("lists of scales are not all of one depth")
			}
			p.quantParam(q)
		}
	})
	if first {
		q.ParamDims[level] = n
	} else if q.ParamDims[level] != n {
		p.failAt(pos, "list of scales has %d elements, the ones before have %d", n, q.ParamDims[level])
	}
}

// quantParam reads scale or scale:zero_point.
func (p *parser) quantParam(q *QuantType) {
	pos := p.pos()
	scale := p.float64()
	if !(scale > 0) || math.IsInf(scale, 0) {
		p.failAt(pos, "scale is %v, want a positive number", scale)
	}
	zero := int64(0)
	if p.accept(':') {
		pos = p.pos()
		zero = p.int64()
		if zero < q.Min || zero > q.Max {
			p.failAt(pos, "zero point %d lies outside the storage range %d:%d", zero, q.Min, q.Max)
		}
	}
	q.Scales = append(q.Scales, scale)
	q.ZeroPoints = append(q.ZeroPoints, zero)
}

func (p *parser) checkQuant(pos Pos, q *QuantType) {
	if _, ok := q.Expressed.(FloatType); !ok {
		p.failAt(pos, "expressed type of a quantised type is %s, want a float type", q.Expressed)
	}
	if q.Blocks != nil && len(q.ParamDims) < len(q.Axes) || q.Blocks == nil && len(q.ParamDims) != len(q.Axes) {
		p.failAt(pos, "scales of a quantised type with %d axes are lists of depth %d", len(q.Axes), len(q.ParamDims))
	}
	if len(q.ParamDims) > 0 && len(q.Scales) == 0 {
		p.failAt(pos, "quantised type has no scales")
	}
	for _, a := range q.Axes {
		if a < 0 {
			p.failAt(pos, "axis %d of a quantised type is negative", a)
		}
	}
}
