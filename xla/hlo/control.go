package hlo

// CallAttrs: rows 75 and 76. A composite has its name, attributes and version in the frontend attributes.
type CallAttrs struct {
	ToApply     *Computation
	IsComposite bool
}

// Fields lists the attributes.
func (a *CallAttrs) Fields() []Field {
	return []Field{{"to_apply", "", &a.ToApply, Always}, {"is_composite", "", &a.IsComposite, Set}}
}

// WhileAttrs: row 79.
type WhileAttrs struct{ Condition, Body *Computation }

// Fields lists the attributes.
func (a *WhileAttrs) Fields() []Field {
	return []Field{{"condition", "", &a.Condition, Always}, {"body", "", &a.Body, Always}}
}

// ConditionalAttrs: rows 80 and 81. With a predicate operand there are two branches, the first for true.
type ConditionalAttrs struct{ Branches []*Computation }

// Fields lists the attributes.
func (a *ConditionalAttrs) Fields() []Field {
	return []Field{{"branch_computations", "", &a.Branches, Always}}
}

// FusionAttrs: a fusion means a call of the computation.
type FusionAttrs struct {
	Kind    Raw
	Calls   *Computation
	Aliases Raw
}

// Fields lists the attributes.
func (a *FusionAttrs) Fields() []Field {
	return []Field{{"kind", "", &a.Kind, Always}, {"output_to_operand_aliasing", "", &a.Aliases, Set}, {"calls", "", &a.Calls, Always}}
}
