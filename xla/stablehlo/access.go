package stablehlo

import (
	"slices"
	"strconv"

	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// Attr returns the value of an attribute, nil if the op does not have it.
func (o *Op) Attr(name string) Attr { return DictAttr(o.Attrs).Lookup(name) }

// attrPos returns where an attribute stands, or where the op does.
func (o *Op) attrPos(name string) Pos {
	for i := range o.Attrs {
		if o.Attrs[i].Name == name && o.Attrs[i].Pos != (Pos{}) {
			return o.Attrs[i].Pos
		}
	}
	return o.Pos
}

// wrong is the error of an attribute that is missing or of another kind than wanted.
func (o *Op) wrong(name, want string) error {
	a := o.Attr(name)
	if a == nil {
		return o.Errorf("attribute %s is missing, want %s", name, want)
	}
	text := AttrString(a)
	if len(text) > 60 {
		text = text[:60] + "..."
	}
	return &Error{Pos: o.attrPos(name), Op: o.Name,
		Msg: o.Signature() + ": attribute " + name + ": got " + text + ", want " + want}
}

// Int returns an integer attribute. It fails if there is none, or it does not fit in 64 bits.
func (o *Op) Int(name string) (int64, error) {
	if v, ok := intOf(o.Attr(name)); ok {
		return v, nil
	}
	return 0, o.wrong(name, "an integer")
}

// IntOr is Int, and otherwise where the attribute is not there.
func (o *Op) IntOr(name string, otherwise int64) (int64, error) {
	if o.Attr(name) == nil {
		return otherwise, nil
	}
	return o.Int(name)
}

// Float returns a number. A number of type f32 is rounded to it; an integer in hexadecimal has the bits of its
// float type.
func (o *Op) Float(name string) (float64, error) {
	switch a := o.Attr(name).(type) {
	case FloatAttr:
		if v, err := strconv.ParseFloat(a.Text, 64); err == nil {
			return roundTo(a.Type, v), nil
		}
	case IntAttr:
		if t, isFloat := a.Type.(FloatType); isFloat {
			e, known := shape.TypeByMLIR(t.Name)
			if bits, err := strconv.ParseUint(a.Text, 0, 64); err == nil && known {
				return e.ToFloat64(bits), nil
			}
		} else if v, ok := intOf(a); ok {
			return float64(v), nil
		}
	}
	return 0, o.wrong(name, "a number")
}

func roundTo(t Type, v float64) float64 {
	if f, ok := t.(FloatType); ok {
		if e, known := shape.TypeByMLIR(f.Name); known {
			return e.ToFloat64(e.FromFloat64(v))
		}
	}
	return v
}

// Bool returns a flag: true, false, or present as a unit. A flag that is not there is false.
func (o *Op) Bool(name string) (bool, error) {
	switch a := o.Attr(name).(type) {
	case nil:
		return false, nil
	case BoolAttr:
		return bool(a), nil
	case UnitAttr:
		return true, nil
	}
	return false, o.wrong(name, "true or false")
}

// Text returns a string, or the name of a symbol.
func (o *Op) Text(name string) (string, error) {
	switch a := o.Attr(name).(type) {
	case StringAttr:
		return string(a), nil
	case SymbolAttr:
		return a.name(), nil
	}
	return "", o.wrong(name, "a string")
}

// Word returns the word of an enumeration: "HIGH" of #stablehlo<precision HIGH>.
func (o *Op) Word(name string) (string, error) {
	switch a := o.Attr(name).(type) {
	case *DialectAttr:
		if a.Word != "" {
			return a.Word, nil
		}
	case StringAttr:
		return string(a), nil
	}
	return "", o.wrong(name, "a word of an enumeration")
}

// Ints returns a list of integers, written array<i64: 1, 2>, dense<[1, 2]> : tensor<2xi64> of any shape, or [1, 2].
func (o *Op) Ints(name string) ([]int64, error) {
	v, ok := intsOf(o.Attr(name))
	if !ok {
		return nil, o.wrong(name, "a list of integers")
	}
	return v, nil
}

// IntsOr is Ints, and otherwise where the attribute is not there.
func (o *Op) IntsOr(name string, otherwise []int64) ([]int64, error) {
	if o.Attr(name) == nil {
		return otherwise, nil
	}
	return o.Ints(name)
}

// Bools returns a list of flags, written array<i1: true>, dense<true> : tensor<1xi1> or [true].
func (o *Op) Bools(name string) ([]bool, error) {
	v, ok := boolsOf(o.Attr(name))
	if !ok {
		return nil, o.wrong(name, "a list of true and false")
	}
	return v, nil
}

func intOf(a Attr) (int64, bool) {
	i, ok := a.(IntAttr)
	if !ok {
		return 0, false
	}
	if v, err := strconv.ParseInt(i.Text, 0, 64); err == nil {
		return v, true
	}
	v, err := strconv.ParseUint(i.Text, 0, 64)
	return int64(v), err == nil
}

func intsOf(a Attr) ([]int64, bool) {
	list := []int64{}
	switch a := a.(type) {
	case DenseArrayAttr:
		for _, e := range a.Elems {
			v, err := strconv.ParseInt(e, 0, 64)
			if err != nil {
				return nil, false
			}
			list = append(list, v)
		}
	case ArrayAttr:
		for _, e := range a {
			v, ok := intOf(e)
			if !ok {
				return nil, false
			}
			list = append(list, v)
		}
	case *DenseAttr:
		return a.ints()
	default:
		return nil, false
	}
	return list, true
}

func boolsOf(a Attr) ([]bool, bool) {
	list := []bool{}
	switch a := a.(type) {
	case DenseArrayAttr:
		for _, e := range a.Elems {
			list = append(list, e == "true")
		}
	case ArrayAttr:
		for _, e := range a {
			b, ok := e.(BoolAttr)
			if !ok {
				return nil, false
			}
			list = append(list, bool(b))
		}
	case *DenseAttr:
		l, err := a.short()
		if err != nil || l.Shape().Type != shape.Pred {
			return nil, false
		}
		for _, b := range l.Bytes() {
			list = append(list, b != 0)
		}
	default:
		return nil, false
	}
	return list, true
}

// short is Literal for the lists that attributes have: one element for many more than there are dimensions is refused,
// so that a short text takes no memory.
func (a *DenseAttr) short() (*literal.Literal, error) {
	if s, err := shapeOf(a.Type); err == nil && a.isSplat() {
		if n, ok := s.CheckedSize(); ok && n > splatLimit {
			return nil, errorf(a.Pos, "list of %d equal elements, want at most %d", n, splatLimit)
		}
	}
	return a.Literal()
}

// ints returns the elements of a list of integers.
func (a *DenseAttr) ints() ([]int64, bool) {
	t := *a.Type
	if _, index := t.Elem.(IndexType); index {
		t.Elem = IntType{Width: 64}
	}
	b := *a
	b.Type = &t
	l, err := b.short()
	if err != nil || !l.Shape().Type.IsInteger() {
		return nil, false
	}
	w := l.Wide()
	if w.U == nil {
		return slices.Clone(w.I), true
	}
	list := make([]int64, len(w.U))
	for i, u := range w.U {
		list[i] = int64(u)
	}
	return list, true
}
