package hlo

import (
	"fmt"
	"strings"

	"github.com/halo-xla/halo/xla/shape"
)

// Limits of the text, so that no input overflows the stack or asks for more memory than its size excuses.
const (
	maxTextDepth   = 500     // nesting of instructions and computations written in place, and of tuples in constants
	maxInPlace     = 20      // nesting of computations written in place, which are read once for each level around them
	maxAttributes  = 1_000   // attributes of an instruction
	maxCallChain   = 5_000   // computations that must be read before the one that names them
	maxIotaDevices = 1 << 22 // ids that all iota forms of a text spell out together
)

// Parse reads the text of a module, as XLA prints it and printed it since 2017; file is what positions say. Names may
// go without "%", operands without shapes, instructions without their own shape where it can be inferred. Every
// instruction is checked by its op's rules where it stands. Attributes that no op knows are kept; UnknownAttributes
// lists them.
//
// It fails with an *Error or a *SyntaxError, which say "file:line:col: what, got, want".
func Parse(src []byte, file string) (*Module, error) { return parse(src, file, false) }

func parse(src []byte, file string, lenient bool) (*Module, error) {
	p := &parser{scanner: newScanner(string(src), file), lenient: lenient,
		byName: map[string]*unit{}, shapes: map[string]shape.Shape{}}
	p.m = &Module{}
	if err := p.header(); err != nil {
		return nil, err
	}
	if err := p.index(); err != nil {
		return nil, err
	}
	for _, u := range p.units {
		if err := p.computation(u); err != nil {
			return nil, err
		}
	}
	entry, err := p.entry()
	if err != nil {
		return nil, err
	}
	p.m.Entry = entry.comp
	if p.m.Name == "" {
		p.m.Name = "module_" + entry.name
	}
	return p.m, p.checkEntryLayout()
}

// parser reads a module in two passes: index finds the computations, then each is read after those it names.
type parser struct {
	scanner
	m      *Module
	units  []*unit
	byName map[string]*unit
	// lenient: operands of mixed float types are widened.
	lenient bool
	// shapes are the array shapes seen so far by their text.
	shapes map[string]shape.Shape
	// chain is how many computations are being read, depth how deep instructions and computations in place nest.
	chain, depth int
	inPlaceDepth int
	iotaDevices  int
	layoutAt     int // where the entry layout stands
	// adders are the computations that cross-replica-sum stands for.
	adders map[shape.ElementType]*Computation
}

// unit is a computation's place in the text.
type unit struct {
	name      string
	at        int // of the name
	entry     bool
	params    []shape.Shape // of the signature
	result    shape.Shape
	signature bool
	body      int // of the opening brace
	extra     []RawAttr
	state     unitState
	comp      *Computation
}

type unitState uint8

const (
	unread unitState = iota
	reading
	read
)

// index finds the computations and the tables between them.
func (p *parser) index() error {
	for {
		p.space()
		if p.pos >= len(p.src) {
			break
		}
		if table := p.atTable(); table != "" {
			if err := p.table(table); err != nil {
				return err
			}
			continue
		}
		u, err := p.unit()
		if err != nil {
			return err
		}
		if other := p.byName[u.name]; other != nil {
			return p.errorAt(u.at, "computation %s is defined twice, first at line %d", u.name, p.place(other.at).Line)
		}
		p.byName[u.name] = u
		p.units = append(p.units, u)
	}
	if len(p.units) == 0 {
		return p.errorAt(p.gap, "text has no computation, want at least the entry")
	}
	return nil
}

// unit reads a computation's head and skips its body.
func (p *parser) unit() (*unit, error) {
	u := &unit{at: p.pos}
	w, err := p.name(`"ENTRY" or the name of a computation`)
	if err != nil {
		return nil, err
	}
	if w == "HloModule" {
		return nil, p.errorAt(u.at, "a second module begins here, want one module in a text")
	}
	p.space()
	if w == "ENTRY" && p.src[u.at] != '%' && !p.atBodyOrSignature() {
		u.entry, u.at = true, p.pos
		if w, err = p.name("the name of the entry computation"); err != nil {
			return nil, err
		}
	}
	u.name = strings.Clone(w)
	if err := p.unitSignature(u); err != nil {
		return nil, err
	}
	p.space()
	u.body = p.pos
	if p.pos >= len(p.src) || p.src[p.pos] != '{' {
		return nil, p.wrong(fmt.Sprintf("the body of computation %s in braces", u.name))
	}
	if err := p.skipBlock(); err != nil {
		return nil, err
	}
	u.extra, err = p.rawAttributes()
	return u, err
}

func (p *parser) atBodyOrSignature() bool {
	return p.pos < len(p.src) && (p.src[p.pos] == '{' || p.src[p.pos] == '(')
}

// unitSignature reads "(a: f32[2], b: s32[]) -> f32[2]", which may be absent.
func (p *parser) unitSignature(u *unit) (err error) {
	if !p.take("(") {
		return nil
	}
	u.signature = true
	for !p.take(")") {
		if len(u.params) > 0 {
			if err := p.need(","); err != nil {
				return err
			}
		}
		if _, err := p.name("the name of a parameter"); err != nil {
			return err
		}
		if err := p.need(":"); err != nil {
			return err
		}
		s, err := p.arrayOrTuple()
		if err != nil {
			return err
		}
		u.params = append(u.params, s)
	}
	if err := p.need("->"); err != nil {
		return err
	}
	u.result, err = p.arrayOrTuple()
	return err
}

// rawAttributes reads ", name=value" as often as it stands there.
func (p *parser) rawAttributes() ([]RawAttr, error) {
	var list []RawAttr
	for p.take(",") {
		name := p.word()
		if name == "" {
			return nil, p.wrong("the name of an attribute")
		}
		if err := p.need("="); err != nil {
			return nil, err
		}
		p.space()
		text, err := p.value()
		if err != nil {
			return nil, err
		}
		list = append(list, RawAttr{strings.Clone(name), strings.Clone(text)})
	}
	return list, nil
}

// computation reads the body of u, unless that was done.
func (p *parser) computation(u *unit) error {
	switch u.state {
	case read:
		return nil
	case reading:
		return p.errorAt(u.at, "computation %s calls itself, directly or through others", u.name)
	}
	if p.chain++; p.chain > maxCallChain {
		return p.errorAt(u.at, "computations name later ones more than %d deep", maxCallChain)
	}
	u.state = reading
	pos, depth := p.pos, p.depth
	p.pos, p.depth = u.body, 0
	c, err := p.body(u.name)
	if err != nil {
		return err
	}
	p.pos, p.depth = pos, depth
	p.chain--
	c.Extra = u.extra
	u.state, u.comp = read, c
	p.m.Computations = append(p.m.Computations, c)
	return p.checkSignature(u)
}

// checkSignature compares the head of a computation with its parameters and root.
func (p *parser) checkSignature(u *unit) error {
	if !u.signature {
		return nil
	}
	params, result := u.comp.ProgramShape()
	if len(params) != len(u.params) {
		return p.errorAt(u.at, "computation %s declares %d parameters, got %d", u.name, len(u.params), len(params))
	}
	for i, s := range params {
		if !s.Compatible(u.params[i]) {
			return p.errorAt(u.at, "computation %s declares parameter %d as %v, got %v", u.name, i, u.params[i], s)
		}
	}
	if !result.Compatible(u.result) {
		return p.errorAt(u.at, "computation %s declares result %v, got %v", u.name, u.result, result)
	}
	return nil
}

// entry returns the computation marked ENTRY, or the last one if none is.
func (p *parser) entry() (*unit, error) {
	entry := p.units[len(p.units)-1]
	marked := false
	for _, u := range p.units {
		if u.entry && marked {
			return nil, p.errorAt(u.at, "computation %s is marked ENTRY, and so is %s before", u.name, entry.name)
		}
		if u.entry {
			entry, marked = u, true
		}
	}
	return entry, nil
}

// arrayOrTuple reads a shape. Shapes of one text are shared.
func (p *parser) arrayOrTuple() (shape.Shape, error) {
	p.space()
	end := p.arrayEnd()
	if s, ok := p.shapes[p.src[p.pos:end]]; ok && end > p.pos {
		p.pos = end
		return s, nil
	}
	start := p.pos
	s, err := p.shape()
	if err != nil {
		return s, err
	}
	if err := validLayouts(s); err != nil {
		return s, p.errorAt(start, "shape: %w", err)
	}
	if p.pos == end {
		p.shapes[strings.Clone(p.src[start:end])] = s
	}
	return s, nil
}

// arrayEnd returns the end of the plain array shape at the position, or the position if it is not so plain.
func (p *parser) arrayEnd() int {
	i := p.pos
	for i < len(p.src) && wordByte[p.src[i]] {
		i++
	}
	if i == p.pos || i >= len(p.src) || p.src[i] != '[' {
		return p.pos
	}
	for i < len(p.src) && p.src[i] != ']' {
		i++
	}
	if i++; i >= len(p.src) || p.src[i] != '{' {
		return min(i, len(p.src))
	}
	for j := i + 1; j < len(p.src); j++ {
		switch c := p.src[j]; {
		case c == '}':
			return j + 1
		case (c < '0' || c > '9') && c != ',':
			return p.pos // tiles and the like, or no layout
		}
	}
	return p.pos
}

// validLayouts checks the layouts of s.
func validLayouts(s shape.Shape) error {
	for _, e := range s.Elems {
		if err := validLayouts(e); err != nil {
			return err
		}
	}
	if s.Layout == nil {
		return nil
	}
	return s.Layout.Validate(s)
}
