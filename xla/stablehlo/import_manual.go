package stablehlo

import (
	"slices"
	"strings"

	"github.com/halo-xla/halo/xla/collective"
	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// manual is an sdy.manual_computation while it is being imported: every device takes its parts of the operands, runs
// the body on them, and has the whole results again from the parts of all.
type manual struct {
	*ctx
	op   *Op
	axes []string // along which the body is for one device
	mesh []meshAxis
}

// importManual runs the body of a manual computation in place. Axes of the mesh that it leaves to the compiler count as
// replicated: their devices all do the same.
func importManual(c *ctx, op *Op) error {
	m := &manual{ctx: c, op: op, axes: quoted(attrText(op.Attr("manual_axes")))}
	in, out := shardings(attrText(op.Attr("in_shardings"))), shardings(attrText(op.Attr("out_shardings")))
	if len(op.Regions) != 1 || len(op.Regions[0].Blocks) != 1 {
		return op.Errorf("has no body of one block")
	}
	block := op.Regions[0].Blocks[0]
	if len(in) != len(op.Operands) || len(block.Args) != len(in) || len(out) != len(op.Results) {
		return op.Errorf("has %d in_shardings, %d operands and %d arguments, %d out_shardings and %d results",
			len(in), len(op.Operands), len(block.Args), len(out), len(op.Results))
	}
	for i, v := range op.Operands {
		x, err := c.value(v)
		if err == nil {
			x, err = m.part(x, in[i])
		}
		if err != nil {
			return err
		}
		c.set(block.Args[i], x)
	}
	results, err := c.body(block, op)
	if err != nil {
		return err
	}
	if len(results) != len(out) {
		return op.Errorf("its body returns %d values, want %d", len(results), len(out))
	}
	for i, r := range results {
		whole, err := m.whole(r, out[i])
		if err != nil {
			return err
		}
		c.set(op.Results[i], whole)
	}
	return nil
}

// sharding says of each dimension along which axes of a mesh it is split, the slowest first.
type sharding struct {
	mesh string
	dims [][]string
}

// attrText is the text of an attribute of Shardy, or of a list of such.
func attrText(a Attr) string {
	switch a := a.(type) {
	case *DialectAttr:
		return a.Body
	case ArrayAttr:
		parts := make([]string, len(a))
		for i, x := range a {
			if parts[i] = AttrString(x); parts[i] == "" {
				continue
			}
			if d, ok := x.(*DialectAttr); ok {
				parts[i] = "<" + d.Body + ">"
			}
		}
		return strings.Join(parts, ", ")
	}
	return ""
}

// shardings reads "<@mesh, [{"a"}, {}]>, ...", with or without brackets around.
func shardings(text string) (list []sharding) {
	for {
		_, rest, ok := strings.Cut(text, "<@")
		if !ok {
			return list
		}
		var s sharding
		body, after, _ := strings.Cut(rest, ">")
		name, dims, _ := strings.Cut(body, ",")
		s.mesh = strings.TrimSpace(name)
		dims, _, _ = strings.Cut(dims, "]")
		for _, d := range strings.Split(dims, "{")[1:] {
			s.dims = append(s.dims, quoted(d))
		}
		list, text = append(list, s), after
	}
}

// quoted are the words in quotation marks of a text; one with a part of an axis has that, too: x:(1)2.
func quoted(text string) (words []string) {
	fields := strings.Split(text, `"`)
	for i := 1; i < len(fields); i += 2 {
		word := fields[i]
		if i+1 < len(fields) && strings.HasPrefix(fields[i+1], ":") {
			word += fields[i+1]
		}
		words = append(words, word)
	}
	return words
}

// split returns the axes of the mesh, by number, along which dimension d of s is split inside the body, and into how
// many parts.
func (m *manual) split(s sharding, d int) (axes []int, parts int64, err error) {
	mesh, err := m.im.axesOf(m.op, s.mesh)
	if err != nil {
		return nil, 0, err
	}
	if m.mesh == nil {
		m.mesh = mesh
	}
	if !slices.Equal(m.mesh, mesh) {
		return nil, 0, unsupported(m.op, "shardings over several meshes")
	}
	parts = 1
	for _, word := range s.dims[d] {
		name, part, _ := strings.Cut(word, ":")
		if !slices.Contains(m.axes, name) {
			continue
		}
		if part != "" { // sdy.manual_computation, constraint 6
			return nil, 0, m.op.Errorf("the manual axis %q of mesh @%s is split", name, s.mesh)
		}
		i := slices.IndexFunc(mesh, func(a meshAxis) bool { return a.name == name })
		if i < 0 {
			return nil, 0, m.op.Errorf("mesh @%s has no axis %q", s.mesh, name)
		}
		axes, parts = append(axes, i), parts*mesh[i].size
	}
	return axes, parts, nil
}

// part is this device's part of an operand.
func (m *manual) part(x *hlo.Instruction, s sharding) (*hlo.Instruction, error) {
	if len(s.dims) != x.Shape.Rank() {
		return nil, m.op.Errorf("a sharding of %d dimensions for %v", len(s.dims), x.Shape)
	}
	operands, sizes, whole := []*hlo.Instruction{x}, slices.Clone(x.Shape.Dims), true
	for d := range s.dims {
		axes, parts, err := m.split(s, d)
		if err != nil {
			return nil, err
		}
		if sizes[d]%parts != 0 {
			return nil, m.op.Errorf("dimension %d of %v is not divisible into %d parts", d, x.Shape, parts)
		}
		sizes[d] /= parts
		whole = whole && parts == 1
		start, err := m.place(axes, sizes[d])
		if err != nil {
			return nil, err
		}
		operands = append(operands, start)
	}
	if whole {
		return x, nil
	}
	return m.add(m.op, hlo.DynamicSlice, &hlo.DynamicSliceAttrs{Sizes: sizes}, shape.Shape{}, operands...)
}

// place is where this device's part begins that is one of those along axes: its number times size.
func (m *manual) place(axes []int, size int64) (*hlo.Instruction, error) {
	at, err := m.number(0)
	for _, a := range axes {
		if at, err = m.times(at, err, m.mesh[a].size); err != nil {
			return nil, err
		}
		x, err := m.coordinate(a)
		if err != nil {
			return nil, err
		}
		if at, err = m.binary(hlo.Add, at, x); err != nil {
			return nil, err
		}
	}
	return m.times(at, err, size)
}

func (m *manual) times(x *hlo.Instruction, err error, n int64) (*hlo.Instruction, error) {
	if err != nil {
		return nil, err
	}
	y, err := m.number(n)
	if err != nil {
		return nil, err
	}
	return m.binary(hlo.Multiply, x, y)
}

// coordinate is this device's along axis a: devices are numbered with the last axis running fastest.
func (m *manual) coordinate(a int) (*hlo.Instruction, error) {
	stride := int64(1)
	for _, x := range m.mesh[a+1:] {
		stride *= x.size
	}
	id, err := m.add(m.op, hlo.PartitionId, nil, shape.Array(shape.U32))
	if err != nil {
		return nil, err
	}
	s, err := m.number(stride)
	if err != nil {
		return nil, err
	}
	n, err := m.number(m.mesh[a].size)
	if err != nil {
		return nil, err
	}
	if id, err = m.binary(hlo.Divide, id, s); err != nil {
		return nil, err
	}
	return m.binary(hlo.Remainder, id, n)
}

func (m *manual) binary(op hlo.Opcode, x, y *hlo.Instruction) (*hlo.Instruction, error) {
	return m.add(m.op, op, nil, shape.Shape{}, x, y)
}

func (m *manual) number(n int64) (*hlo.Instruction, error) {
	return m.constant(m.op, literal.ScalarOfInt(shape.U32, n))
}

// whole gathers the parts of a result from all devices, dimension by dimension.
func (m *manual) whole(x *hlo.Instruction, s sharding) (*hlo.Instruction, error) {
	if len(s.dims) != x.Shape.Rank() {
		return nil, m.op.Errorf("a sharding of %d dimensions for %v", len(s.dims), x.Shape)
	}
	for d := range s.dims {
		axes, parts, err := m.split(s, d)
		if err != nil {
			return nil, err
		}
		if parts == 1 {
			continue
		}
		a := &hlo.AllGatherAttrs{Dimension: hlo.OneDim(int64(d))}
		along := make([]collective.AxisRef, len(axes))
		for i, axis := range axes {
			along[i].Axis = axis
		}
		if a.ReplicaGroups.Groups, err = m.im.groupsAlong(m.op, mesh{axes: m.mesh}, along); err != nil {
			return nil, err
		}
		m.im.channels++
		a.ChannelID, a.UseGlobalDeviceIDs = firstChannel+m.im.channels, true
		told := x.Shape.WithDims(slices.Clone(x.Shape.Dims)...)
		told.Dims[d] *= parts
		if x, err = m.add(m.op, hlo.AllGather, a, told, x); err != nil {
			return nil, err
		}
	}
	return x, nil
}

// firstChannel is where the channels begin that no program names.
const firstChannel = 1 << 32
