package hlopb

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/shape"
)

// Marshal returns m as a HloModuleProto. Computations and instructions are numbered; names that another instruction of
// the module has get a number, as XLA wants it. Fields of the file that m came from and that mean nothing here are in
// it again.
func Marshal(m *hlo.Module) []byte { return module(m).b }

// MarshalText returns m as a HloModuleProto in text.
func MarshalText(m *hlo.Module) string {
	w := module(m)
	return textForm(w.desc, w.b)
}

// numbering are the ids and names that a module's computations and instructions have in the file.
type numbering struct {
	computations map[*hlo.Computation]int64
	fused        map[*hlo.Computation]bool
	bare         bool           // no shape says its layout
	names        map[string]int // in use, with the number that the next of the name may get
}

func module(m *hlo.Module) *writer {
	w := &writer{desc: describe("HloModuleProto")}
	n := &numbering{map[*hlo.Computation]int64{}, map[*hlo.Computation]bool{}, true, map[string]int{}}
	taken := map[string]int{}
	for i, c := range m.Computations {
		n.computations[c] = int64(i + 1)
		for _, in := range c.Instructions {
			if _, ok := in.Attrs.(*hlo.FusionAttrs); ok {
				n.fused[in.Called()[0]] = true
			}
			bare, _ := layouts(in.Shape)
			n.bare = n.bare && bare
		}
	}
	w.str("name", m.Name)
	w.num("entry_computation_id", n.computations[m.Entry])
	var sequences []func()
	for _, c := range m.Computations {
		name := free(taken, c.Name)
		if c == m.Entry {
			w.str("entry_computation_name", name)
		}
		first := int64(len(n.names)) + 1
		w.sub("computations", func() { w.computation(c, name, n) })
		if m.Config.IsScheduled && !n.fused[c] {
			sequences = append(sequences, func() { w.sequence(n.computations[c], first, len(c.Instructions)) })
		}
	}
	if m.Config.IsScheduled {
		w.sub("schedule", func() {
			for _, s := range sequences {
				w.sub("sequences", s)
			}
		})
	}
	if n.bare {
		w.text("layouts", "none")
	}
	w.config(m, n.bare)
	return w
}

// ownLayouts appends the text of a shape if some array in it does not say its layout, unless none of the module does.
func (w *writer) ownLayouts(name string, s shape.Shape, allBare bool) {
	bare, full := layouts(s)
	if !full && !(bare && allBare) {
		w.text(name, s.Text())
	}
}

// free returns name, or name with a number if it is taken, and takes it.
func free(taken map[string]int, name string) string {
	n, ok := taken[name]
	if !ok {
		taken[name] = 1
		return name
	}
	for ; ; n++ {
		other := name + "." + strconv.Itoa(n)
		if _, ok := taken[other]; !ok {
			taken[name], taken[other] = n+1, 1
			return other
		}
	}
}

// sequence appends the order of a computation: its instructions have ids from first on.
func (w *writer) sequence(id, first int64, n int) {
	w.num("key", id)
	w.sub("value", func() {
		ids := make([]int64, n)
		for i := range ids {
			ids[i] = first + int64(i)
		}
		w.nums("instruction_ids", ids)
	})
}

func (w *writer) computation(c *hlo.Computation, name string, n *numbering) {
	w.str("name", name)
	if name != c.Name {
		w.text("", c.Name)
	}
	ids, byName := map[*hlo.Instruction]int64{}, map[string]int64{}
	for _, in := range c.Instructions {
		unique := free(n.names, cmp.Or(in.Name, in.Op.String()))
		ids[in] = int64(len(n.names))
		if _, ok := byName[in.Name]; !ok {
			byName[in.Name] = ids[in]
		}
		w.sub("instructions", func() { w.instruction(in, unique, ids, byName, n) })
	}
	w.sub("program_shape", func() {
		params, result := c.ProgramShape()
		w.programShape(params, result, ownNames(c))
	})
	w.num("id", n.computations[c])
	w.num("root_id", ids[c.Root])
	w.flag("is_fusion_computation", n.fused[c])
	for _, a := range c.Extra {
		if thread, quoted := (&scanner{src: a.Text}).value(); a.Name == "execution_thread" && quoted {
			w.str(a.Name, thread)
		} else {
			w.text(a.Name, a.Text)
		}
	}
	w.b = append(w.b, c.Proto...)
}

func (w *writer) instruction(in *hlo.Instruction, name string, ids map[*hlo.Instruction]int64, byName map[string]int64,
	n *numbering) {
	w.str("name", name)
	if name != in.Name {
		w.text("", in.Name)
	}
	w.str("opcode", in.Op.String())
	w.shape("shape", in.Shape)
	w.ownLayouts("shape", in.Shape, n.bare)
	w.num("id", ids[in])
	operands := make([]int64, len(in.Operands))
	for i, o := range in.Operands {
		operands[i] = ids[o]
	}
	w.nums("operand_ids", operands)
	called := make([]int64, len(in.Called()))
	for i, c := range in.Called() {
		called[i] = n.computations[c]
	}
	if in.Op == hlo.While {
		slices.Reverse(called)
	}
	w.nums("called_computation_ids", called)
	w.checkedAttrs(in)
	w.common(in.Common, byName)
}

// checkedAttrs appends the attributes, those that their fields do not give back to the letter as text too.
func (w *writer) checkedAttrs(in *hlo.Instruction) {
	if in.Attrs == nil {
		return
	}
	if _, ok := in.Attrs.(*hlo.ConstantAttrs); ok {
		w.attrs(in.Op, in.Attrs, in)
		return
	}
	inner := &writer{desc: w.desc}
	inner.attrs(in.Op, in.Attrs, in)
	w.b = append(w.b, inner.b...)
	m := (&decoder{src: inner.b}).open(inner.desc)
	again := readAttrs(m, in.Op)
	fields := again.Fields()
	for i, f := range in.Attrs.Fields() {
		if c, ok := f.Ptr.(**hlo.Computation); ok && *c != nil && in.Op == hlo.CustomCall {
			w.text("to_apply", "")
		}
		if text := textOf(f); text != "" && (m.err != nil || text != textOf(fields[i])) {
			w.text(f.Name, text)
		}
	}
}
