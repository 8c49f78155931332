package stablehlo

import (
	"errors"
	"slices"
	"strconv"
)

// attrKey stands for the attributes of an op: its kind, and the numbers of its dictionary and properties, each plus
// one.
type attrKey struct {
	op, dict, props uint64
}

// opKind reads the attributes of an op. Ops with the same have their kind in common.
func (f *bytecode) opKind(c *cursor, n uint64, mask byte) *opKind {
	key := attrKey{op: n}
	if mask&hasAttrs != 0 {
		key.dict = c.varint() + 1
	}
	if mask&hasProperties != 0 {
		p := c.varint()
		if key.props = p + 1; p >= uint64(len(f.props)) {
			c.fail("properties %d: there are %d", p, len(f.props))
			return nil
		}
	}
	if key.dict > 0 {
		if f.kinds[key] == nil {
			f.kinds[key] = f.newKind(c, key)
		}
		return f.kinds[key]
	}
	kind := &f.ops[n].bare
	if key.props > 0 {
		p := &f.props[key.props-1]
		if p.of != n {
			p.of, p.kind = n, nil
		}
		kind = &p.kind
	}
	if *kind == nil {
		*kind = f.newKind(c, key)
	}
	return *kind
}

// newKind puts properties and a dictionary together as the attributes of an op.
func (f *bytecode) newKind(c *cursor, key attrKey) *opKind {
	op := &f.ops[key.op]
	var attrs []NamedAttr
	if key.props > 0 {
		attrs = f.properties(op, f.props[key.props-1].body)
	}
	if key.dict > 0 {
		d, ok := f.attr(c, key.dict-1).(DictAttr)
		if !ok {
			c.fail("%s: its attributes are no dictionary", op.row.file)
		}
		attrs = append(attrs, d...)
	}
	if f.version < versionProperties {
		op.row.markProperties(attrs)
	}
	if op.row.upgrade != nil && f.err == nil && (key.dict > 0 || key.props > 0) {
		l := attrList(attrs)
		op.row.upgrade(&l)
		attrs = l
	}
	return &opKind{name: op.row.name, attrs: attrs[:len(attrs):len(attrs)]}
}

func markedProperties(d DictAttr) []NamedAttr {
	attrs := slices.Clone(d)
	for i := range attrs {
		attrs[i].Property = true
	}
	return attrs
}

// markProperties says which attributes are properties, where the file keeps all in one dictionary.
func (r *bytecodeRow) markProperties(attrs []NamedAttr) {
	for _, list := range r.properties {
		for _, p := range list {
			for i := range attrs {
				attrs[i].Property = attrs[i].Property || attrs[i].Name == p.name
			}
		}
	}
}

// properties reads the properties of an op.
func (f *bytecode) properties(op *bytecodeOp, body cursor) []NamedAttr {
	if !op.registered { // the producer did not know the op and wrote a dictionary
		d, ok := body.attr().(DictAttr)
		if !ok {
			body.fail("properties of %s are no dictionary", op.row.file)
		}
		return markedProperties(d)
	}
	lists := op.row.properties
	if lists == nil && body.left() > 0 {
		body.fail("%s has properties that are not known: %v", op.row.file, errors.ErrUnsupported)
		return nil
	}
	var first error
	for _, list := range lists {
		trial := body
		attrs := trial.properties(op.row, list)
		if trial.done("properties of %s", op.row.file); f.err == nil {
			return attrs
		}
		if first == nil {
			first = f.err
		}
		f.err = nil // none was there before: an older list may be right
	}
	f.err = first
	return nil
}

// properties reads a list of properties: attributes, then the sizes of segments.
func (c *cursor) properties(row *bytecodeRow, list []propertyRow) []NamedAttr {
	attrs := make([]NamedAttr, 0, len(list)+2)
	old := c.f.version < versionSegments
	if row.operandSegments > 0 && old {
		attrs = append(attrs, property("operandSegmentSizes", c.attr()))
	}
	for _, p := range list {
		var a Attr
		if p.optional {
			a = c.optionalAttr()
		} else {
			a = c.attr()
		}
		if a != nil {
			attrs = append(attrs, property(p.name, a))
		}
	}
	if row.operandSegments > 0 && !old {
		attrs = append(attrs, property("operandSegmentSizes", c.segments(row.operandSegments)))
	}
	switch {
	case row.resultSegments > 0 && old:
		attrs = append(attrs, property("resultSegmentSizes", c.attr()))
	case row.resultSegments > 0:
		attrs = append(attrs, property("resultSegmentSizes", c.segments(row.resultSegments)))
	}
	return attrs
}

// segments reads the sizes of n segments: how many of them are not zero, and these one by one or each with its place.
func (c *cursor) segments(n int) Attr {
	sizes := make([]string, n)
	for i := range sizes {
		sizes[i] = "0"
	}
	given, sparse := c.flagged()
	bits := uint64(0)
	if sparse && given > 0 {
		bits = c.varint()
	}
	for i := range c.bounded(given, "segments") {
		v, at := c.varint(), uint64(i)
		if sparse && bits <= 8 {
			v, at = v>>bits, v&(1<<bits-1)
		}
		if at >= uint64(n) || bits > 8 {
			c.fail("segment %d: there are %d", at, n)
			break
		}
		sizes[at] = strconv.FormatUint(v, 10)
	}
	return DenseArrayAttr{Elem: IntType{Width: 32}, Elems: sizes}
}
