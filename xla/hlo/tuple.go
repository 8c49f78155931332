package hlo

import "github.com/halo-xla/halo/xla/literal"

// ParameterAttrs has the number of a parameter of its computation.
type ParameterAttrs struct {
	Number      int64
	Replication []bool
}

// Fields lists the attributes.
func (a *ParameterAttrs) Fields() []Field {
	return []Field{{"", "", &a.Number, Operand}, {"parameter_replication", "", &a.Replication, Set}}
}

// ConstantAttrs has the value of a constant.
type ConstantAttrs struct{ Literal *literal.Literal }

// Fields lists the attributes.
func (a *ConstantAttrs) Fields() []Field { return []Field{{"", "value", &a.Literal, Operand}} }

// GetTupleElementAttrs says which element of a tuple is taken.
type GetTupleElementAttrs struct{ Index int64 }

// Fields lists the attributes.
func (a *GetTupleElementAttrs) Fields() []Field { return []Field{{"index", "index", &a.Index, Always}} }

// DomainAttrs are kept as text.
type DomainAttrs struct{ Domain Raw }

// Fields lists the attributes.
func (a *DomainAttrs) Fields() []Field { return []Field{{"domain", "", &a.Domain, Set}} }
