package hlo

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/halo-xla/halo/internal/spelling"
	"github.com/halo-xla/halo/xla/shape"
)

// commonAttrs are the attributes that any instruction may have.
var commonAttrs = map[string]func(d *draft, a *attrText) error{
	"sharding":             rawInto(func(c *Common) *Raw { return &c.Sharding }),
	"metadata":             rawInto(func(c *Common) *Raw { return &c.Metadata }),
	"statistics":           rawInto(func(c *Common) *Raw { return &c.Statistics }),
	"origin":               rawInto(func(c *Common) *Raw { return &c.Origin }),
	"result_accuracy":      rawInto(func(c *Common) *Raw { return &c.ResultAccuracy }),
	"backend_config":       (*draft).backendConfig,
	"opaque":               (*draft).backendConfig, // of custom calls until 2020
	"frontend_attributes":  (*draft).frontendAttributes,
	"control-predecessors": (*draft).predecessors,
}

func rawInto(field func(c *Common) *Raw) func(d *draft, a *attrText) error {
	return func(d *draft, a *attrText) error {
		*field(&d.common) = Raw(strings.Clone(a.text))
		return nil
	}
}

func (c *Common) isZero() bool {
	return c.Sharding == "" && c.Metadata == "" && c.Statistics == "" && c.Origin == "" && c.ResultAccuracy == "" &&
		c.BackendConfig == BackendConfig{} && len(c.Frontend) == 0 && len(c.Predecessors) == 0 && len(c.Extra) == 0
}

func (d *draft) backendConfig(a *attrText) error {
	switch {
	case strings.HasPrefix(a.text, "{"):
		d.common.BackendConfig = BackendConfig{Config: strings.Clone(a.text), Dictionary: true}
		return nil
	case strings.HasPrefix(a.text, `"`):
		s, err := unquote(a.text)
		d.common.BackendConfig = BackendConfig{Config: s}
		return err
	}
	return fmt.Errorf("got %s, want a quoted string or a dictionary in braces", clip(a.text))
}

// unquote reads a text that is one quoted string.
func unquote(s string) (string, error) {
	if len(s) < 2 || s[0] != '"' || stringEnd(s, 0) != len(s) {
		return "", fmt.Errorf("got %s, want a quoted string", clip(s))
	}
	return strings.Clone(unescape(s[1 : len(s)-1])), nil
}

// reread runs read with the position at the attribute's value.
func (d *draft) reread(a *attrText, read func() error) error {
	save := d.pos
	d.pos = a.at
	err := read()
	d.pos = save
	return err
}

func (d *draft) frontendAttributes(a *attrText) error {
	return d.reread(a, func() (err error) { d.common.Frontend, err = d.frontend(); return err })
}

func (d *draft) predecessors(a *attrText) error {
	return d.reread(a, func() error {
		return d.braced(func() error {
			d.space()
			at := d.pos
			name, err := d.scanner.name("the name of an instruction")
			if err != nil {
				return err
			}
			name = strings.Clone(name)
			d.common.Predecessors = append(d.common.Predecessors, name)
			d.later = append(d.later, pendingName{name, at})
			return nil
		})
	})
}

// setAttributes gives each attribute of the text to the field, or the common attribute, that it names.
func (d *draft) setAttributes() error {
	d.renameOld()
	if d.attrs != nil {
		for _, f := range d.attrs.Fields() {
			if f.Name == "" || f.When == Operand {
				continue
			}
			if err := d.setField(f); err != nil {
				return err
			}
		}
	}
	for i := range d.given {
		if err := d.setCommon(&d.given[i]); err != nil {
			return err
		}
	}
	return nil
}

// setField reads the attribute that f names, if it is there.
func (d *draft) setField(f Field) error {
	i := slices.IndexFunc(d.given, func(a attrText) bool { return a.name == f.Name })
	if i < 0 {
		if done, err := d.trueAndFalse(f); done {
			return err
		}
		return d.absent(f)
	}
	a := &d.given[i]
	a.used = true
	if err := d.parseField(f, a); err != nil {
		return d.attributeError(a, err)
	}
	return nil
}

// attributeError gives an error that names no place that of the attribute.
func (d *draft) attributeError(a *attrText, err error) error {
	if isPlaced(err) {
		return err
	}
	return d.errorAt(a.at, "%s: %s: %w", d.opcode, a.name, err)
}

// setCommon keeps an attribute that no field of the op took.
func (d *draft) setCommon(a *attrText) error {
	if a.used {
		return nil
	}
	if read := commonAttrs[a.name]; read != nil {
		if err := read(d, a); err != nil {
			return d.attributeError(a, err)
		}
		return nil
	}
	d.common.Extra = append(d.common.Extra, RawAttr{strings.Clone(a.name), strings.Clone(a.text)})
	return nil
}

// absent says what it means that the text does not have f.
func (d *draft) absent(f Field) error {
	switch {
	case f.When != Always || d.old != nil:
		return nil
	case f.Name == "replica_groups", f.Name == "window", d.op == Broadcast:
		return nil // none
	case f.Name == "largest":
		*f.Ptr.(*bool) = true
		return nil
	case d.op == Map && f.Name == "dimensions":
		if len(d.operands) > 0 {
			for i := range d.operands[0].Shape.Dims {
				*f.Ptr.(*[]int64) = append(*f.Ptr.(*[]int64), int64(i))
			}
		}
		return nil
	}
	for _, a := range d.given {
		if !knownAttributes()[a.name] && spelling.Nearest(a.name, []string{f.Name}) != "" {
			return d.errorAt(a.at, "%s: got attribute %s, want %s", d.opcode, a.name, f.Name)
		}
	}
	return d.errorAt(d.opAt, "%s %s has no attribute %s", d.opcode, d.name, f.Name)
}

// parseField reads the value of a field.
func (d *draft) parseField(f Field, a *attrText) (err error) {
	switch p := f.Ptr.(type) {
	case *bool:
		*p, err = parseBool(a.text)
	case *int64:
		*p, err = parseInt(a.text)
	case *float64:
		*p, err = parseFloat(a.text)
	case *string:
		*p, err = unquote(a.text)
	case *[]int64:
		*p, err = parseInts(a.text)
	case *[]bool:
		*p, err = parseBools(a.text)
	case **Computation:
		*p, err = d.called(a)
	case *[]*Computation:
		*p, err = d.calledList(a)
	case *shape.Shape:
		*p, err = shape.Parse(a.text)
	case *[]shape.Shape:
		*p = []shape.Shape{} // an empty list is said
		err = d.reread(a, func() error {
			return d.braced(func() error {
				s, err := d.arrayOrTuple()
				*p = append(*p, s)
				return err
			})
		})
	case *shape.ElementType:
		var ok bool
		if *p, ok = shape.TypeByName(a.text); !ok {
			err = fmt.Errorf("got %s, want an element type", clip(a.text))
		}
	case Value:
		if err = p.ParseText(strings.Clone(a.text)); err == nil {
			err = d.countDevices(p)
		}
	default:
		panic(fmt.Sprintf("hlo: bug: attribute %s of %s has type %T", f.Name, d.op, f.Ptr))
	}
	return err
}

// countDevices bounds what the iota forms of a text take together.
func (d *draft) countDevices(v Value) error {
	g, ok := v.(*ReplicaGroups)
	if !ok || g.Iota == "" {
		return nil
	}
	for _, ids := range g.Groups {
		d.iotaDevices += len(ids)
	}
	if d.iotaDevices > maxIotaDevices {
		return fmt.Errorf("groups of the text spell out more than %d ids", maxIotaDevices)
	}
	return nil
}

func parseBool(s string) (bool, error) {
	switch s {
	case "true", "1":
		return true, nil
	case "false", "0":
		return false, nil
	}
	return false, fmt.Errorf("got %s, want true or false", clip(s))
}

func parseBools(s string) ([]bool, error) {
	inner, ok := unbrace(s)
	if !ok {
		return nil, fmt.Errorf("got %s, want a list {true,false}", clip(s))
	}
	var list []bool
	for more := inner != ""; more; {
		var item string
		item, inner, more = strings.Cut(inner, ",")
		v, err := parseBool(strings.TrimSpace(item))
		if err != nil {
			return nil, err
		}
		list = append(list, v)
	}
	return list, nil
}

func parseFloat(s string) (float64, error) {
	v, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return 0, fmt.Errorf("got %s, want a number", clip(s))
	}
	return v, nil
}

// called returns the computation that the attribute names or has in place.
func (d *draft) called(a *attrText) (c *Computation, err error) {
	err = d.reread(a, func() (err error) { c, err = d.calledHere(a.name); return err })
	return c, err
}

// calledHere reads the name of a computation, or a computation in place of its name.
func (d *draft) calledHere(attribute string) (*Computation, error) {
	d.space()
	if d.pos < len(d.src) && d.src[d.pos] == '{' {
		return d.inPlace(attribute)
	}
	at := d.pos
	name, err := d.scanner.name("the name of a computation")
	if err != nil {
		return nil, err
	}
	c, err := d.calledName(name)
	if err != nil && !isPlaced(err) {
		err = d.errorAt(at, "%s: %s: %w", d.opcode, attribute, err)
	}
	return c, err
}

func (d *draft) calledName(name string) (*Computation, error) {
	u := d.parser.byName[name]
	if u == nil {
		return nil, fmt.Errorf("computation %s is not defined", clip(name))
	}
	if u.state == reading {
		return nil, fmt.Errorf("computation %s calls itself, directly or through others", name)
	}
	if err := d.computation(u); err != nil {
		return nil, err
	}
	return u.comp, nil
}

// inPlace reads a computation written where its name could be.
func (d *draft) inPlace(attribute string) (*Computation, error) {
	if d.inPlaceDepth++; d.inPlaceDepth > maxInPlace {
		return nil, d.errorAt(d.pos, "computations in place of their names nest deeper than %d", maxInPlace)
	}
	c, err := d.parser.body(d.freeName(d.name + "." + attribute))
	d.inPlaceDepth--
	if err == nil {
		d.keep(c)
	}
	return c, err
}

// freeName returns base, or base with a number, so that no computation has that name yet.
func (p *parser) freeName(base string) string {
	name := base
	for n := 1; p.byName[name] != nil; n++ {
		name = fmt.Sprintf("%s.%d", base, n)
	}
	p.byName[name] = &unit{name: name, state: reading}
	return name
}

// keep adds a computation that has no place of its own in the text to the module; its name is from freeName.
func (p *parser) keep(c *Computation) {
	u := p.byName[c.Name]
	u.state, u.comp = read, c
	p.m.Computations = append(p.m.Computations, c)
}

// calledList returns the computations of "{a, b}".
func (d *draft) calledList(a *attrText) (list []*Computation, err error) {
	err = d.reread(a, func() error {
		return d.braced(func() error {
			c, err := d.calledHere(a.name)
			list = append(list, c)
			return err
		})
	})
	return list, err
}
