package hlo

import (
	"strconv"
	"strings"

	"github.com/halo-xla/halo/xla/shape"
)

// Text returns the module as HLO text: what Parse reads back as the same module, and prints as the same text.
func (m *Module) Text() string { return string(m.Append(nil)) }

// Append appends the module's text to b. Operands have "%" and no shapes, constants all their values. Names are kept as
// they are, but for characters that text cannot have and for names that another computation, or another instruction
// of the computation, has before: those get a number.
func (m *Module) Append(b []byte) []byte {
	p := &printer{b: b, names: map[*Computation]string{}}
	taken := takenNames{}
	for _, c := range m.Computations {
		p.names[c] = taken.free(cleanName(c.Name, "computation"))
	}
	p.header(m)
	for _, c := range m.Computations {
		p.b = append(p.b, '\n')
		if c == m.Entry {
			p.b = append(p.b, "ENTRY "...)
		}
		p.computation(c)
	}
	return p.b
}

// takenNames are names in use, each with the number that the next of the same name may get.
type takenNames map[string]int

// free returns name, or name with a number if it is taken, and takes it.
func (t takenNames) free(name string) string {
	n := t[name]
	if n == 0 {
		t[name] = 1
		return name
	}
	free := name
	for ; t[free] > 0; n++ {
		free = name + "." + strconv.Itoa(n)
	}
	t[name], t[free] = n, 1
	return free
}

// cleanName returns name with underscores for what a name in text cannot have.
func cleanName(name, empty string) string {
	if name == "" {
		return empty
	}
	clean := true
	for i := range len(name) {
		clean = clean && wordByte[name[i]]
	}
	if clean && !strings.Contains(name, "->") {
		return name
	}
	b := []byte(strings.ReplaceAll(name, "->", "__"))
	for i, c := range b {
		if !wordByte[c] {
			b[i] = '_'
		}
	}
	return string(b)
}

type printer struct {
	b     []byte
	names map[*Computation]string
	// renamed are the instructions of the computation whose printed name is not their own.
	renamed map[*Instruction]string
	// first is the first instruction of a name in such a computation.
	first map[string]*Instruction
}

func (p *printer) string(parts ...string) {
	for _, s := range parts {
		p.b = append(p.b, s...)
	}
}

// header writes the module's line and its tables.
func (p *printer) header(m *Module) {
	c := &m.Config
	name := strings.Map(func(r rune) rune {
		if strings.ContainsRune(", \t\r\n{(", r) {
			return '_'
		}
		return r
	}, strings.TrimLeft(m.Name, "%"))
	if name == "" {
		name = "module"
	}
	p.string("HloModule ", name)
	if c.IsScheduled {
		p.string(", is_scheduled=true")
	}
	p.aliases(c)
	if c.EntryResult != nil {
		p.string(", entry_computation_layout={")
		p.shapes("(", c.EntryParams, ")->")
		p.b = append(c.EntryResult.Append(p.b, true), '}')
	}
	p.count(", replica_count=", c.NumReplicas)
	p.count(", num_partitions=", c.NumPartitions)
	p.frontend(c.Frontend)
	p.extra(c.Extra)
	p.string("\n")
	for _, t := range c.Tables {
		p.string("\n", t, "\n")
	}
}

// count writes a number of devices unless it is one, as without it.
func (p *printer) count(name string, n int64) {
	if n > 1 {
		p.b = strconv.AppendInt(append(p.b, name...), n, 10)
	}
}

// shapes writes shapes with their layouts and, after every five, a comment with the index as XLA does.
func (p *printer) shapes(open string, list []shape.Shape, end string) {
	p.string(open)
	for i, s := range list {
		if i > 0 {
			p.string(", ")
			if i%5 == 0 {
				p.string("/*index=", strconv.Itoa(i), "*/")
			}
		}
		p.b = s.Append(p.b, true)
	}
	p.string(end)
}

func (p *printer) aliases(c *ModuleConfig) {
	for i, a := range c.Alias {
		p.string([]string{", ", ", input_output_alias={ "}[b2i(i == 0)])
		p.b = append(appendInts(p.b, a.Output), ": ("...)
		p.parameterIndex(a.ParameterIndex)
		p.string([]string{", may-alias)", ", must-alias)"}[b2i(a.Must)], []string{"", " }"}[b2i(i == len(c.Alias)-1)])
	}
	for i, d := range c.BufferDonor {
		p.string([]string{", ", ", buffer_donor={ "}[b2i(i == 0)], "(")
		p.parameterIndex(d)
		p.string([]string{")", ") }"}[b2i(i == len(c.BufferDonor)-1)])
	}
}

func b2i(v bool) int {
	if v {
		return 1
	}
	return 0
}

func (p *printer) parameterIndex(x ParameterIndex) {
	p.b = append(strconv.AppendInt(p.b, x.Parameter, 10), ", "...)
	p.b = appendInts(p.b, x.Index)
}

func (p *printer) extra(list []RawAttr) {
	for _, a := range list {
		p.string(", ", a.Name, "=", a.Text)
	}
}

// frontend writes frontend attributes; a dictionary goes without quotes if it reads back as it is.
func (p *printer) frontend(list FrontendAttributes) {
	if len(list) == 0 {
		return
	}
	p.string(", frontend_attributes={")
	for i, kv := range list {
		if i > 0 {
			p.string(",")
		}
		if kv.Key != "" && cleanName(kv.Key, "") == kv.Key {
			p.string(kv.Key)
		} else {
			p.b = appendQuoted(p.b, kv.Key)
		}
		p.string("=")
		if isDictionary(kv.Value) {
			p.string(kv.Value)
		} else {
			p.b = appendQuoted(p.b, kv.Value)
		}
	}
	p.string("}")
}

// isDictionary reports whether the reader takes s as one value in braces, and keeps it as it is.
func isDictionary(s string) bool {
	if !strings.HasPrefix(s, "{") {
		return false
	}
	r := newScanner(s, "")
	text, err := r.value()
	return err == nil && r.pos == len(s) && text == s
}

// computation writes the head and the instructions of c.
func (p *printer) computation(c *Computation) {
	p.rename(c)
	p.string("%", p.names[c], " (")
	for i, in := range c.Parameters {
		if i > 0 {
			p.string(", ")
		}
		p.string(p.name(in), ": ")
		p.b = in.Shape.Append(p.b, false)
	}
	p.string(") -> ")
	p.b = append(c.Root.Shape.Append(p.b, false), " {\n"...)
	for _, in := range c.Instructions {
		p.string("  ")
		if in == c.Root {
			p.string("ROOT ")
		}
		p.instruction(in)
		p.string("\n")
	}
	p.string("}")
	p.extra(c.Extra)
	p.string("\n")
}

// rename finds the instructions of c that cannot keep their names.
func (p *printer) rename(c *Computation) {
	p.renamed, p.first = nil, nil
	taken := make(takenNames, len(c.Instructions))
	var clash []*Instruction
	for _, in := range c.Instructions {
		if clean := cleanName(in.Name, ""); clean != in.Name || clean == "" || taken[clean] > 0 {
			clash = append(clash, in)
			continue
		}
		taken[in.Name] = 1
	}
	if clash == nil {
		return
	}
	p.renamed, p.first = map[*Instruction]string{}, map[string]*Instruction{}
	for _, in := range clash {
		p.renamed[in] = taken.free(cleanName(in.Name, in.Op.String()))
	}
	for _, in := range c.Instructions {
		if p.first[in.Name] == nil {
			p.first[in.Name] = in
		}
	}
}

// name returns the name under which an instruction of the computation is printed.
func (p *printer) name(in *Instruction) string {
	if name, ok := p.renamed[in]; ok {
		return name
	}
	return in.Name
}

// instruction writes "%name = shape opcode(operands), attributes".
func (p *printer) instruction(in *Instruction) {
	p.string("%", p.name(in), " = ")
	p.b = append(in.Shape.Append(p.b, true), ' ')
	p.string(in.Op.String(), "(")
	for i, o := range in.Operands {
		if i > 0 {
			p.string(", ")
		}
		p.string("%", p.name(o))
	}
	var fields []Field
	if in.Attrs != nil {
		fields = in.Attrs.Fields()
	}
	for _, f := range fields {
		if f.When == Operand {
			p.operandField(f)
		}
	}
	p.string(")")
	for _, f := range fields {
		if f.Name != "" && f.When != Operand && f.printed() && !p.predicateBranches(in) {
			p.string(", ", f.Name, "=")
			p.field(f)
		}
	}
	if in.Common != nil {
		p.common(in.Common)
	}
}

// predicateBranches writes the branches of a conditional on a predicate, which XLA reads under these names only.
func (p *printer) predicateBranches(in *Instruction) bool {
	a, ok := in.Attrs.(*ConditionalAttrs)
	if !ok || len(a.Branches) != 2 || len(in.Operands) == 0 || in.Operands[0].Shape.Type != shape.Pred {
		return false
	}
	p.string(", true_computation=%", p.names[a.Branches[0]], ", false_computation=%", p.names[a.Branches[1]])
	return true
}

// common writes the attributes that any instruction may have.
func (p *printer) common(c *Common) {
	p.raw("sharding", c.Sharding)
	p.frontend(c.Frontend)
	if len(c.Predecessors) > 0 {
		p.string(", control-predecessors=")
		p.braces(len(c.Predecessors), ", ", func(i int) { p.string("%", p.predecessor(c.Predecessors[i])) })
	}
	p.raw("statistics", c.Statistics)
	p.raw("origin", c.Origin)
	p.raw("result_accuracy", c.ResultAccuracy)
	p.extra(c.Extra)
	p.raw("metadata", c.Metadata)
	switch {
	case c.BackendConfig.Dictionary:
		p.string(", backend_config=", c.BackendConfig.Config)
	case c.BackendConfig.Config != "":
		p.string(", backend_config=")
		p.b = appendQuoted(p.b, c.BackendConfig.Config)
	}
}

func (p *printer) raw(name string, text Raw) {
	if text != "" {
		p.string(", ", name, "=", string(text))
	}
}

// predecessor returns the printed name of the first instruction called name.
func (p *printer) predecessor(name string) string {
	if in := p.first[name]; in != nil {
		return p.name(in)
	}
	return name
}
