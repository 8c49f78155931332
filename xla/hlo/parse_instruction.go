package hlo

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/halo-xla/halo/internal/spelling"
	"github.com/halo-xla/halo/xla/shape"
)

// body is a computation being read.
type body struct {
	*parser
	name         string
	byName       map[string]*Instruction
	instructions []*Instruction
	root         *Instruction
	// later are the control predecessors, looked up when all instructions are known.
	later []pendingName
}

type pendingName struct {
	name string
	at   int
}

// body reads instructions in braces.
func (p *parser) body(name string) (*Computation, error) {
	b := &body{parser: p, name: name, byName: map[string]*Instruction{}}
	start := p.pos
	if err := p.need("{"); err != nil {
		return nil, err
	}
	for !p.take("}") {
		if err := b.instruction(); err != nil {
			return nil, err
		}
	}
	if len(b.instructions) == 0 {
		return nil, p.errorAt(start, "computation %s has no instructions", name)
	}
	for _, n := range b.later {
		if b.byName[n.name] == nil {
			return nil, p.errorAt(n.at, "control predecessor %s is not defined in computation %s", n.name, name)
		}
	}
	b.nameTheNameless()
	if b.root == nil {
		b.root = b.instructions[len(b.instructions)-1]
	}
	c, err := NewComputation(name, b.instructions, b.root)
	if err != nil {
		return nil, p.placed(start, err)
	}
	return c, nil
}

// placed gives an error that names no place the one at an offset.
func (p *parser) placed(at int, err error) error {
	if isPlaced(err) {
		return err
	}
	return p.errorAt(at, "%w", err)
}

func isPlaced(err error) bool {
	var in *Error
	var syntax *SyntaxError
	return errors.As(err, &in) || errors.As(err, &syntax)
}

// nameTheNameless names the instructions that stand in the operands of others.
func (b *body) nameTheNameless() {
	for i, in := range b.instructions {
		if in.Name != "" {
			continue
		}
		for n := i; in.Name == "" || b.byName[in.Name] != nil; n++ {
			in.Name = fmt.Sprintf("%s.%d", in.Op, n)
		}
		b.byName[in.Name] = in
	}
}

// instruction reads "ROOT name = shape opcode(operands), attributes".
func (b *body) instruction() error {
	b.space()
	at := b.pos
	name, err := b.scanner.name("the name of an instruction")
	if err != nil {
		return err
	}
	root := false
	if b.space(); name == "ROOT" && b.src[at] != '%' && b.pos < len(b.src) && b.src[b.pos] != '=' {
		root, at = true, b.pos
		if name, err = b.scanner.name("the name of the root"); err != nil {
			return err
		}
	}
	if other := b.byName[name]; other != nil {
		return b.errorAt(at, "instruction %s is defined twice in computation %s, first at line %d", name, b.name,
			other.Pos.Line)
	}
	if err := b.need("="); err != nil {
		return err
	}
	in, err := b.operation(strings.Clone(name), at)
	if err != nil {
		return err
	}
	b.byName[in.Name] = in
	if root && b.root != nil {
		return b.errorAt(at, "instruction %s is marked ROOT, and so is %s before", name, b.root.Name)
	}
	if root {
		b.root = in
	}
	return nil
}

// operation reads what follows the equals sign, or an instruction in place of an operand.
func (b *body) operation(name string, at int) (*Instruction, error) {
	if b.depth++; b.depth > maxTextDepth {
		return nil, b.errorAt(at, "instructions nest deeper than %d", maxTextDepth)
	}
	defer func() { b.depth-- }()
	var told shape.Shape
	if b.atShape() {
		var err error
		if told, err = b.arrayOrTuple(); err != nil {
			return nil, err
		}
	}
	b.space()
	opAt := b.pos
	opcode := b.word()
	if opcode == "" {
		return nil, b.wrong("a shape or an opcode")
	}
	d := &draft{body: b, name: name, at: at, opcode: opcode, opAt: opAt, told: told}
	if err := d.findOp(); err != nil {
		return nil, err
	}
	if err := d.read(); err != nil {
		return nil, err
	}
	return d.finish()
}

// draft is an instruction being read.
type draft struct {
	*body
	name     string
	at       int
	opcode   string
	opAt     int
	told     shape.Shape
	op       Opcode
	old      oldOp // how to rewrite a removed op; nil for the ops of today
	operands []*Instruction
	attrs    Attrs
	// given is the attributes as they stand in the text.
	given  []attrText
	common Common
}

// attrText is one attribute in the text: its names, its value and their places.
type attrText struct {
	name   string
	nameAt int
	at     int
	text   string
	used   bool
}

// findOp looks the opcode up.
func (d *draft) findOp() error {
	op, ok := OpByName(d.opcode)
	if ok {
		d.op = op
		return nil
	}
	if old, ok := oldOps[d.opcode]; ok {
		d.op, d.old = old.op, old.rewrite
		return nil
	}
	if base, step, ok := asyncSugar(d.opcode); ok {
		d.op, d.old = base, step
		return nil
	}
	return d.errorAt(d.opAt, "unknown opcode %s%s", clip(d.opcode),
		spelling.Meant(d.opcode, slices.Sorted(maps.Keys(opsByName))))
}

// read reads operands and attributes.
func (d *draft) read() error {
	if err := d.need("("); err != nil {
		return err
	}
	if a := d.op.Info().Attrs; a != nil {
		d.attrs = a()
	}
	if err := d.readOperands(); err != nil {
		return err
	}
	return d.readAttributes()
}

func (d *draft) readOperands() error {
	switch a := d.attrs.(type) {
	case *ParameterAttrs:
		n, err := d.number()
		if err != nil {
			return err
		}
		a.Number = n
		return d.need(")")
	case *ConstantAttrs:
		if d.told.Type == shape.Invalid {
			return d.errorAt(d.opAt, "constant %s has no shape", d.name)
		}
		l, err := d.constant(d.told)
		if err != nil {
			return err
		}
		a.Literal = l
		return d.need(")")
	}
	for !d.take(")") {
		if len(d.operands) > 0 {
			if err := d.need(","); err != nil {
				return err
			}
		}
		in, err := d.operand()
		if err != nil {
			return err
		}
		d.operands = append(d.operands, in)
	}
	return nil
}

// operand reads a name, with a shape before it or without, or an instruction in place.
func (d *draft) operand() (*Instruction, error) {
	d.space()
	at := d.pos
	var told shape.Shape
	if d.atShape() {
		var err error
		if told, err = d.arrayOrTuple(); err != nil {
			return nil, err
		}
	}
	d.space()
	nameAt := d.pos
	name, err := d.scanner.name("an operand")
	if err != nil {
		return nil, err
	}
	if d.space(); d.pos < len(d.src) && d.src[d.pos] == '(' && d.src[nameAt] != '%' {
		d.pos = at
		return d.operation("", at)
	}
	in := d.byName[name]
	if in == nil {
		return nil, d.errorAt(nameAt, "operand %s is not defined before its use in computation %s", name, d.body.name)
	}
	if told.Type != shape.Invalid && !told.Compatible(in.Shape) {
		return nil, d.errorAt(at, "operand %s is declared as %v, got %v", name, told, in.Shape)
	}
	return in, nil
}

// readAttributes reads ", name=value" as often as it stands there, then gives each to its field.
func (d *draft) readAttributes() error {
	for d.atAttribute() {
		d.space()
		a := attrText{nameAt: d.pos}
		if a.name = d.word(); a.name == "" {
			return d.wrong("the name of an attribute")
		}
		for i := range d.given {
			if d.given[i].name == a.name {
				return d.errorAt(a.nameAt, "attribute %s is given twice", a.name)
			}
		}
		if len(d.given) >= maxAttributes {
			return d.errorAt(a.nameAt, "%s has more than %d attributes", d.opcode, maxAttributes)
		}
		if err := d.need("="); err != nil {
			return err
		}
		if a.name != "padding" { // a scalar's is empty
			d.space()
		}
		a.at = d.pos
		var err error
		if a.text, err = d.attributeValue(a.name); err != nil {
			return err
		}
		d.given = append(d.given, a)
	}
	return d.setAttributes()
}

// atAttribute takes the comma before an attribute. After an instruction in place of an operand the comma may belong to
// the operands around it.
func (d *draft) atAttribute() bool {
	start := d.pos
	if !d.take(",") {
		return false
	}
	name := d.pos
	if d.name == "" && (d.word() == "" || !d.take("=")) {
		d.pos = start
		return false
	}
	d.pos = name
	return true
}

// attributeValue reads the text of a value. The one that has a space outside brackets is a literal, "f32[2] {1,2}".
func (d *draft) attributeValue(name string) (string, error) {
	switch {
	case name == "padding": // a scalar's is empty
		return d.balanced()
	case name == "replica_groups" && strings.HasPrefix(d.src[d.pos:], "mesh["):
		return d.meshValue()
	case name != "literal" || !d.atShape():
		return d.value()
	}
	s, err := d.arrayOrTuple()
	if err != nil {
		return "", err
	}
	d.space()
	text, err := d.value()
	if s.Layout == nil && s.Rank() > 0 { // else the reader may take the values for one
		s.Layout = shape.DefaultLayout(s.Rank())
	}
	return s.Text() + " " + text, err
}

// meshValue reads "mesh['x'=2,'y'=2], device_ids=(3,1,2,0) {'x'}", where spaces and a comma stand outside of brackets.
func (d *draft) meshValue() (string, error) {
	mesh, err := d.value()
	if err != nil {
		return "", err
	}
	save := d.pos
	if !d.take(",") || !d.take("device_ids=") {
		d.pos = save
	} else if ids, err := d.value(); err != nil {
		return "", err
	} else {
		mesh += ", device_ids=" + ids
	}
	if d.space(); d.pos < len(d.src) && d.src[d.pos] == '{' {
		axes, err := d.value()
		return mesh + " " + axes, err
	}
	if i := strings.LastIndexByte(mesh, '{'); i >= 0 { // the axes stand close to what is before
		mesh = mesh[:i] + " " + mesh[i:]
	}
	return mesh, nil
}

// finish makes the instruction and checks it.
func (d *draft) finish() (*Instruction, error) {
	if d.old != nil {
		return d.old(d)
	}
	in := &Instruction{Name: d.name, Op: d.op, Shape: d.told, Operands: d.operands, Attrs: d.attrs, Pos: d.place(d.at)}
	if !d.common.isZero() {
		in.Common = &d.common
	}
	if d.lenient {
		for _, w := range Widen(in) {
			if _, err := d.add(w); err != nil {
				return nil, err
			}
		}
	}
	return d.add(in)
}

// add checks in, whose Shape is the declared one or the zero Shape, and appends it.
func (b *body) add(in *Instruction) (*Instruction, error) {
	setDefaults(in.Op, in.Attrs)
	s, err := Infer(in)
	switch {
	case err != nil && in.Shape.Type == shape.Invalid && strings.Contains(err.Error(), in.Shape.String()):
		return nil, errorf(in, "the text gives no shape, want one: it does not follow from the operands")
	case err != nil:
		return nil, err
	}
	if in.Shape.Type == shape.Invalid {
		in.Shape = s
	} else if !agrees(s, in.Shape) {
		return nil, errorf(in, "declared shape is %v, want %v", in.Shape, s)
	}
	b.instructions = append(b.instructions, in)
	return in, nil
}
