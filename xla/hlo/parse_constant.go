package hlo

import (
	"encoding/binary"
	"slices"
	"strconv"
	"strings"

	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// constant reads a literal of shape s: a number, nested braces, or a tuple in parentheses. Its shape may stand before.
func (p *parser) constant(s shape.Shape) (*literal.Literal, error) {
	if p.depth++; p.depth > maxTextDepth {
		return nil, p.errorAt(p.pos, "tuples nest deeper than %d", maxTextDepth)
	}
	defer func() { p.depth-- }()
	p.space()
	at := p.pos
	if p.atShape() && p.src[p.pos] != '(' {
		told, err := p.arrayOrTuple()
		if err != nil {
			return nil, err
		}
		if !told.Compatible(s) {
			return nil, p.errorAt(at, "constant is written as %v, want %v", told, s)
		}
	}
	switch {
	case s.IsTuple():
		return p.tupleConstant(s)
	case s.IsToken():
		return literal.NewToken(), nil
	case !s.IsArray():
		return nil, p.errorAt(at, "constant of shape %v, want an array or a tuple", s)
	}
	return p.arrayConstant(s)
}

func (p *parser) tupleConstant(s shape.Shape) (*literal.Literal, error) {
	if err := p.need("("); err != nil {
		return nil, err
	}
	var elems []*literal.Literal
	for i, e := range s.Elems {
		if i > 0 {
			if err := p.need(","); err != nil {
				return nil, err
			}
		}
		l, err := p.constant(e)
		if err != nil {
			return nil, err
		}
		elems = append(elems, l)
	}
	return literal.NewTuple(elems...), p.need(")")
}

// arrayReader reads the elements of an array straight into its bytes.
type arrayReader struct {
	*parser
	shape shape.Shape
	// sizes are the dimensions' sizes; those of dynamic dimensions are -1 until the text has shown them.
	sizes []int64
	// strides are the bytes from an element to the next in each dimension.
	strides []int64
	data    []byte
	put     putElement
}

// putElement stores the element that text says in dst, or says why it cannot.
type putElement func(dst []byte, text string) error

func (p *parser) arrayConstant(s shape.Shape) (*literal.Literal, error) {
	s = s.WithoutLayout()
	at := p.pos
	if err := p.checkElided(); err != nil {
		return nil, err
	}
	n, ok := s.CheckedSize()
	if !ok {
		return nil, p.errorAt(at, "constant of shape %v has no known size", s)
	}
	if n > int64(len(p.src)-p.pos) && !s.IsDynamic() {
		return nil, p.errorAt(at, "constant of shape %v has %d elements, the text after it is shorter", s, n)
	}
	if n > int64(len(p.src)) {
		return nil, p.errorAt(at, "constant of shape %v may have %d elements, the text is shorter", s, n)
	}
	l, err := literal.New(s)
	if err != nil {
		return nil, p.errorAt(at, "constant: %w", err)
	}
	r := &arrayReader{parser: p, shape: s, data: l.Bytes(), put: putter(s.Type)}
	r.layOut()
	if n == 0 && p.emptyBraces() {
		return l, nil
	}
	if err := r.dim(0, 0); err != nil {
		return nil, err
	}
	for d, size := range r.sizes {
		if size >= 0 && size < s.Dims[d] {
			l.SetDynamicSize(d, size)
		}
	}
	return l, nil
}

// checkElided refuses "{...}", which XLA prints for large constants and itself reads as made-up numbers.
func (p *parser) checkElided() error {
	p.space()
	rest := p.src[p.pos:min(len(p.src), p.pos+10)]
	if inner, ok := strings.CutPrefix(rest, "{"); ok {
		rest = strings.TrimLeft(inner, " \n\t")
	}
	if strings.HasPrefix(rest, "...") {
		return p.errorAt(p.pos, "constant is elided: got {...}, want its values: write the text with "+
			"--xla_dump_large_constants (print_large_constants), or use the proto")
	}
	return nil
}

// emptyBraces takes "{}" for an array without elements whatever its rank.
func (p *parser) emptyBraces() bool {
	save := p.pos
	if p.take("{") && p.take("}") {
		return true
	}
	p.pos = save
	return false
}

func (r *arrayReader) layOut() {
	s := r.shape
	r.sizes, r.strides = slices.Clone(s.Dims), make([]int64, s.Rank())
	step := int64(s.Type.Bytes())
	for d := s.Rank() - 1; d >= 0; d-- {
		r.strides[d] = step
		step *= s.Dims[d]
		if s.IsDynamicDim(d) {
			r.sizes[d] = -1
		}
	}
}

// dim reads dimension d, whose elements begin at an offset of the data.
func (r *arrayReader) dim(d int, at int64) error {
	if d == len(r.sizes) {
		return r.element(at)
	}
	if err := r.need("{"); err != nil {
		return err
	}
	if d == 0 && len(r.sizes) == 1 && r.packedPred() {
		return nil
	}
	n := int64(0)
	for !r.take("}") {
		if n > 0 {
			if err := r.need(","); err != nil {
				return err
			}
		}
		if r.sizes[d] >= 0 && n >= r.sizes[d] || n >= r.shape.Dims[d] {
			return r.errorAt(r.pos, "constant of shape %v has more than %d elements in dimension %d", r.shape, n, d)
		}
		if err := r.dim(d+1, at+n*r.strides[d]); err != nil {
			return err
		}
		n++
	}
	if r.sizes[d] < 0 {
		r.sizes[d] = n
	}
	if n != r.sizes[d] {
		return r.errorAt(r.pos-1, "constant of shape %v has %d elements in dimension %d, want %d", r.shape, n, d, r.sizes[d])
	}
	return nil
}

// packedPred reads "1101}", as predicates were written in 2017.
func (r *arrayReader) packedPred() bool {
	n := int(r.shape.Dims[0])
	if r.shape.Type != shape.Pred || n < 2 {
		return false
	}
	save := r.pos
	w := r.word()
	if len(w) != n || strings.Trim(w, "01") != "" || !r.take("}") {
		r.pos = save
		return false
	}
	for i := range w {
		r.data[i] = w[i] - '0'
	}
	r.sizes[0] = int64(n)
	return true
}

// element reads one element.
func (r *arrayReader) element(at int64) error {
	r.space()
	start := r.pos
	dst := r.data[at:]
	var text string
	if r.shape.Type.IsComplex() && r.pos < len(r.src) && r.src[r.pos] == '(' {
		return r.complexElement(dst)
	}
	text = r.elementText()
	if err := r.put(dst, text); err != nil {
		r.pos = start
		if err := r.checkElided(); err != nil {
			return err
		}
		if text == "" {
			return r.wrong("a value of type " + r.shape.Type.String())
		}
		return r.errorAt(start, "%w", err)
	}
	return nil
}

// elementText reads up to the comma, white space or bracket after an element; a NaN's payload has brackets of its own.
func (r *arrayReader) elementText() string {
	start := r.pos
	for r.pos < len(r.src) {
		switch r.src[r.pos] {
		case ',', '}', ')', ' ', '\n', '\t', '\r', '/', '{':
			return r.src[start:r.pos]
		case '(':
			if end := strings.IndexByte(r.src[r.pos:min(len(r.src), r.pos+24)], ')'); end > 0 {
				r.pos += end
			}
		}
		r.pos++
	}
	return r.src[start:r.pos]
}

// complexElement reads "(re, im)".
func (r *arrayReader) complexElement(dst []byte) error {
	r.pos++
	half := r.shape.Type.Component()
	part := arrayReader{parser: r.parser, shape: shape.Array(half), data: dst, put: putter(half)}
	if err := part.element(0); err != nil {
		return err
	}
	if err := r.need(","); err != nil {
		return err
	}
	part.data = dst[half.Bytes():]
	if err := part.element(0); err != nil {
		return err
	}
	return r.need(")")
}

// putter returns the reader of elements of type t. It is fast for plain numbers of the wide types and leaves everything
// else, and all faults, to literal.ParseElement.
func putter(t shape.ElementType) putElement {
	bits, size := t.Bits(), t.Bytes()
	switch {
	case t.IsComplex():
		return putter(t.Component()) // the imaginary part stays 0
	case t.IsSigned():
		return func(dst []byte, text string) error {
			if v, err := strconv.ParseInt(text, 10, bits); err == nil && text[0] != '+' {
				store(dst, uint64(v), size)
				return nil
			}
			return putAny(t, dst, text)
		}
	case t.IsUnsigned():
		return func(dst []byte, text string) error {
			if v, err := strconv.ParseUint(text, 10, bits); err == nil {
				store(dst, v, size)
				return nil
			}
			return putAny(t, dst, text)
		}
	case t == shape.F32 || t == shape.F64:
		return func(dst []byte, text string) error {
			if v, err := strconv.ParseFloat(text, bits); err == nil && isPlain(text) {
				store(dst, t.FromFloat64(v), size)
				return nil
			}
			return putAny(t, dst, text)
		}
	}
	return func(dst []byte, text string) error { return putAny(t, dst, text) }
}

// isPlain reports whether text has only what decimal numbers have.
func isPlain(text string) bool {
	for i := range len(text) {
		if c := text[i]; (c < '0' || c > '9') && strings.IndexByte("+-.eE", c) < 0 {
			return false
		}
	}
	return text[0] != '+'
}

func putAny(t shape.ElementType, dst []byte, text string) error {
	b, err := literal.ParseElement(t, text)
	copy(dst, b)
	return err
}

// store writes the low size bytes of v.
func store(dst []byte, v uint64, size int) {
	switch size {
	case 1:
		dst[0] = byte(v)
	case 2:
		binary.LittleEndian.PutUint16(dst, uint16(v))
	case 4:
		binary.LittleEndian.PutUint32(dst, uint32(v))
	default:
		binary.LittleEndian.PutUint64(dst, v)
	}
}
