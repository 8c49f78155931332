package hlo

import (
	"fmt"
	"strconv"

	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// operandField writes a parameter's number or a constant's value.
func (p *printer) operandField(f Field) {
	switch v := f.Ptr.(type) {
	case *int64:
		p.b = strconv.AppendInt(p.b, *v, 10)
	case **literal.Literal:
		p.b = appendConstant(p.b, *v)
	}
}

// appendConstant appends the values of l. An array without elements but with many empty rows is one pair of braces.
func appendConstant(b []byte, l *literal.Literal) []byte {
	s := l.Shape()
	if s.IsTuple() && len(l.Elems()) > 0 {
		for i, e := range l.Elems() {
			b = appendConstant(append(b, []string{", ", "( "}[b2i(i == 0)]...), e)
		}
		return append(b, " )"...)
	}
	if s.IsArray() && s.Size() == 0 {
		rows := int64(1)
		for _, n := range s.Dims {
			if rows *= min(n, 1001); rows > 1000 {
				return append(b, "{}"...)
			}
			if n == 0 {
				break
			}
		}
	}
	return l.Append(b)
}

// printed reports whether the attribute has to be in the text.
func (f Field) printed() bool {
	switch p := f.Ptr.(type) {
	case *bool:
		return f.When == Always || *p
	case *int64:
		return f.When == Always || f.When == Set && *p != 0 || f.When == One && *p > 1
	case *float64:
		return f.When == Always || *p != 0
	case *string:
		return f.When == Always || *p != ""
	case *[]int64:
		return f.When == Always || len(*p) > 0
	case *[]bool:
		return f.When == Always || len(*p) > 0
	case **Computation:
		return *p != nil
	case *[]*Computation:
		return f.When == Always || len(*p) > 0
	case *shape.Shape:
		return p.Type != shape.Invalid
	case *[]shape.Shape:
		return f.When == Always || *p != nil
	case *shape.ElementType:
		return *p != shape.Invalid
	case Value:
		return f.When == Always || !p.IsZero()
	}
	panic(fmt.Sprintf("hlo: bug: attribute %s has type %T", f.Name, f.Ptr))
}

// field writes the value of an attribute.
func (p *printer) field(f Field) {
	switch v := f.Ptr.(type) {
	case *bool:
		p.b = strconv.AppendBool(p.b, *v)
	case *int64:
		p.b = strconv.AppendInt(p.b, *v, 10)
	case *float64:
		p.b = strconv.AppendFloat(p.b, *v, 'g', -1, 64)
	case *string:
		p.b = appendQuoted(p.b, *v)
	case *[]int64:
		p.b = appendInts(p.b, *v)
	case *[]bool:
		p.braces(len(*v), ",", func(i int) { p.b = strconv.AppendBool(p.b, (*v)[i]) })
	case **Computation:
		p.string("%", p.names[*v])
	case *[]*Computation:
		p.braces(len(*v), ", ", func(i int) { p.string("%", p.names[(*v)[i]]) })
	case *shape.Shape:
		p.b = v.Append(p.b, true)
	case *[]shape.Shape:
		p.shapes("{", *v, "}")
	case *shape.ElementType:
		p.string(v.String())
	case Value:
		p.b = v.AppendText(p.b)
	}
}

func (p *printer) braces(n int, comma string, item func(i int)) {
	p.string("{")
	for i := range n {
		if i > 0 {
			p.string(comma)
		}
		item(i)
	}
	p.string("}")
}
