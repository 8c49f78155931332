package hlo

import (
	"fmt"
	"strconv"
	"strings"
)

// headerAttrs are the attributes of the module's line that have a field of their own.
var headerAttrs = map[string]func(p *parser, c *ModuleConfig) error{
	"is_scheduled":             into((*parser).boolean, func(c *ModuleConfig) *bool { return &c.IsScheduled }),
	"num_partitions":           into((*parser).count, func(c *ModuleConfig) *int64 { return &c.NumPartitions }),
	"replica_count":            into((*parser).count, func(c *ModuleConfig) *int64 { return &c.NumReplicas }),
	"input_output_alias":       (*parser).aliases,
	"buffer_donor":             (*parser).donors,
	"entry_computation_layout": (*parser).entryLayout,
	"frontend_attributes":      into((*parser).frontend, func(c *ModuleConfig) *FrontendAttributes { return &c.Frontend }),
}

// into is a reader that stores what read returns.
func into[T any](read func(*parser) (T, error), field func(*ModuleConfig) *T) func(*parser, *ModuleConfig) error {
	return func(p *parser, c *ModuleConfig) (err error) {
		*field(c), err = read(p)
		return err
	}
}

// header reads the module's line, which may be absent.
func (p *parser) header() error {
	p.space()
	start := p.pos
	if w := p.word(); w != "HloModule" || p.atBodyOrSignature() {
		p.pos = start
		return nil
	}
	p.space()
	start = p.pos
	for p.pos < len(p.src) && strings.IndexByte(", \t\r\n{(", p.src[p.pos]) < 0 {
		p.pos++
	}
	if p.pos == start {
		return p.wrong("the name of the module")
	}
	p.m.Name = strings.Clone(strings.TrimLeft(p.src[start:p.pos], "%"))
	seen := map[string]bool{}
	for p.take(",") {
		p.space()
		at := p.pos
		name := p.word()
		if name == "" {
			return p.wrong("the name of an attribute")
		}
		if seen[name] {
			return p.errorAt(at, "attribute %s is given twice", name)
		}
		seen[name] = true
		if err := p.headerAttr(name); err != nil {
			return err
		}
	}
	return nil
}

func (p *parser) headerAttr(name string) error {
	if err := p.need("="); err != nil {
		return err
	}
	p.space()
	if read := headerAttrs[name]; read != nil {
		return read(p, &p.m.Config)
	}
	text, err := p.value()
	p.m.Config.Extra = append(p.m.Config.Extra, RawAttr{strings.Clone(name), strings.Clone(text)})
	return err
}

func (p *parser) boolean() (bool, error) {
	p.space()
	at := p.pos
	switch w := p.word(); w {
	case "true", "1":
		return true, nil
	case "false", "0":
		return false, nil
	}
	p.pos = at
	return false, p.wrong("true or false")
}

// number reads an integer.
func (p *parser) number() (int64, error) {
	p.space()
	at := p.pos
	n, err := parseInt(p.word())
	if err != nil {
		return 0, p.errorAt(at, "%w", err)
	}
	return n, nil
}

// maxDevices is the largest number of replicas or of partitions that a header may say.
const maxDevices = 1 << 20

// count reads a number of devices.
func (p *parser) count() (int64, error) {
	p.space()
	at := p.pos
	n, err := p.number()
	if err == nil && (n < 1 || n > maxDevices) {
		err = p.errorAt(at, "got %d, want 1 to %d", n, maxDevices)
	}
	return n, err
}

// indices reads "{0,1}".
func (p *parser) indices() ([]int64, error) {
	list := []int64{}
	err := p.braced(func() error {
		n, err := p.number()
		list = append(list, n)
		return err
	})
	return list, err
}

// braced reads items in braces with commas between.
func (p *parser) braced(item func() error) error {
	if err := p.need("{"); err != nil {
		return err
	}
	for first := true; !p.take("}"); first = false {
		if !first {
			if err := p.need(","); err != nil {
				return err
			}
		}
		if err := item(); err != nil {
			return err
		}
	}
	return nil
}

// aliases reads "{ {0}: (0, {}, may-alias), {1}: 2 }".
func (p *parser) aliases(c *ModuleConfig) error {
	return p.braced(func() (err error) {
		var a Alias
		if a.Output, err = p.indices(); err != nil {
			return err
		}
		if err := p.need(":"); err != nil {
			return err
		}
		p.space()
		if p.pos < len(p.src) && p.src[p.pos] != '(' { // until 2018 only the parameter's number
			a.Parameter, err = p.number()
			c.Alias = append(c.Alias, a)
			return err
		}
		if err := p.need("("); err != nil {
			return err
		}
		if a.ParameterIndex, err = p.parameterIndex(); err != nil {
			return err
		}
		if p.take(",") {
			p.space()
			at := p.pos
			switch w := p.word(); w {
			case "must-alias", "must_alias", "MUST_ALIAS":
				a.Must = true
			case "may-alias", "may_alias", "MAY_ALIAS":
			default:
				return p.errorAt(at, "got %q, want may-alias or must-alias", w)
			}
		}
		c.Alias = append(c.Alias, a)
		return p.need(")")
	})
}

// ParseAliases reads what OutputOperandAliasing and FusionAttrs.Aliases say, "{{0}: (1, {})}": which results live in
// which operands, whose numbers are in Parameter. With an error comes what could be read before it.
func ParseAliases(text Raw) ([]Alias, error) {
	if text == "" {
		return nil, nil
	}
	p := &parser{scanner: newScanner(string(text), "")}
	var c ModuleConfig
	err := p.aliases(&c)
	if p.space(); err != nil || p.pos < len(p.src) {
		return c.Alias, fmt.Errorf("got %s, want {{result}: (operand, {part}), ...}", clip(string(text)))
	}
	return c.Alias, nil
}

// AliasesText is the text that ParseAliases reads; "" for no aliases.
func AliasesText(list []Alias) Raw {
	if len(list) == 0 {
		return ""
	}
	b := []byte{'{'}
	for i, a := range list {
		if i > 0 {
			b = append(b, ", "...)
		}
		b = append(appendInts(b, a.Output), ": ("...)
		b = append(strconv.AppendInt(b, a.Parameter, 10), ", "...)
		b = append(appendInts(b, a.Index), ')')
	}
	return Raw(append(b, '}'))
}

// parameterIndex reads "0, {1}".
func (p *parser) parameterIndex() (x ParameterIndex, err error) {
	if x.Parameter, err = p.number(); err != nil {
		return x, err
	}
	if err := p.need(","); err != nil {
		return x, err
	}
	x.Index, err = p.indices()
	return x, err
}

// donors reads "{ (0, {}), (1, {0}) }".
func (p *parser) donors(c *ModuleConfig) error {
	return p.braced(func() error {
		if err := p.need("("); err != nil {
			return err
		}
		x, err := p.parameterIndex()
		if err != nil {
			return err
		}
		c.BufferDonor = append(c.BufferDonor, x)
		return p.need(")")
	})
}

// entryLayout reads "{(f32[2]{0}, s32[])->f32[2]{0}}".
func (p *parser) entryLayout(c *ModuleConfig) error {
	p.layoutAt = p.pos
	if err := p.need("{"); err != nil {
		return err
	}
	if err := p.need("("); err != nil {
		return err
	}
	for !p.take(")") {
		if len(c.EntryParams) > 0 {
			if err := p.need(","); err != nil {
				return err
			}
		}
		s, err := p.arrayOrTuple()
		if err != nil {
			return err
		}
		c.EntryParams = append(c.EntryParams, s)
	}
	if err := p.need("->"); err != nil {
		return err
	}
	s, err := p.arrayOrTuple()
	if err != nil {
		return err
	}
	c.EntryResult = &s
	return p.need("}")
}

// checkEntryLayout compares the entry layout with the entry computation.
func (p *parser) checkEntryLayout() error {
	c := &p.m.Config
	if c.EntryResult == nil {
		return nil
	}
	params, result := p.m.Entry.ProgramShape()
	if len(params) != len(c.EntryParams) {
		return p.errorAt(p.layoutAt, "entry_computation_layout has %d parameters, the entry computation %d",
			len(c.EntryParams), len(params))
	}
	for i, s := range params {
		if !s.Compatible(c.EntryParams[i]) {
			return p.errorAt(p.layoutAt, "entry_computation_layout: parameter %d is %v, the entry computation's is %v", i,
				c.EntryParams[i], s)
		}
	}
	if !result.Compatible(*c.EntryResult) {
		return p.errorAt(p.layoutAt, "entry_computation_layout: result is %v, the entry computation's is %v",
			*c.EntryResult, result)
	}
	return nil
}

// frontend reads `{key="value",other={dictionary}}`, each key once.
func (p *parser) frontend() (FrontendAttributes, error) {
	var list FrontendAttributes
	seen := map[string]bool{}
	err := p.braced(func() error {
		p.space()
		at := p.pos
		var kv KeyValue
		var err error
		if p.pos < len(p.src) && p.src[p.pos] == '"' {
			kv.Key, err = p.text()
		} else {
			kv.Key, err = p.name("the key of a frontend attribute")
		}
		if err != nil {
			return err
		}
		if seen[kv.Key] {
			return p.errorAt(at, "frontend attribute %s is given twice", kv.Key)
		}
		if err := p.need("="); err != nil {
			return err
		}
		p.space()
		if p.pos < len(p.src) && p.src[p.pos] == '"' {
			kv.Value, err = p.text()
		} else {
			kv.Value, err = p.value()
		}
		kv = KeyValue{strings.Clone(kv.Key), strings.Clone(kv.Value)}
		seen[kv.Key] = true
		list = append(list, kv)
		return err
	})
	return list, err
}

// tables are the keywords of the tables after the module's line, which may be empty.
var tables = map[string]bool{"FileNames": true, "FunctionNames": true, "FileLocations": true, "StackFrames": true}

// atTable returns the keyword of the table at the position, "" if none begins there. A word, a number and a string or
// list begin a table that is newer than this.
func (p *parser) atTable() string {
	save := p.pos
	w := p.word()
	p.space()
	if tables[w] && !p.atBodyOrSignature() {
		return w
	}
	at := p.pos
	if _, err := strconv.Atoi(p.word()); err == nil && w > "A" && w != "ENTRY" {
		p.space()
		if p.pos < len(p.src) && (p.src[p.pos] == '"' || p.src[p.pos] == '{') {
			p.pos = at
			return w
		}
	}
	p.pos = save
	return ""
}

// table reads the numbered entries of a table and keeps them as text: a string or a list in braces each.
func (p *parser) table(keyword string) error {
	b := []byte(keyword)
	for {
		p.space()
		save := p.pos
		n, err := strconv.Atoi(p.word())
		if err != nil {
			p.pos = save
			break
		}
		p.space()
		if p.pos >= len(p.src) || p.src[p.pos] != '"' && p.src[p.pos] != '{' {
			return p.wrong("a quoted string or a list in braces")
		}
		b = append(strconv.AppendInt(append(b, '\n'), int64(n), 10), ' ')
		if p.src[p.pos] == '"' {
			s, err := p.text()
			if err != nil {
				return err
			}
			b = appendQuoted(b, s)
			continue
		}
		text, err := p.value()
		if err != nil {
			return err
		}
		b = append(b, text...)
	}
	p.m.Config.Tables = append(p.m.Config.Tables, string(b))
	return nil
}
