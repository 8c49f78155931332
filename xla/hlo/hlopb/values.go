package hlopb

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// shortest returns the number that the shortest text of a float32 says: 0.001 and not the float32 next to it.
func shortest(v float64) float64 {
	short, err := strconv.ParseFloat(strconv.FormatFloat(v, 'g', -1, 32), 64)
	if err != nil {
		return v
	}
	return short
}

// value reads an attribute that is more than numbers.
func (m *message) value(name string, f hlo.Field) {
	switch p := f.Ptr.(type) {
	case **literal.Literal:
		*p = literalOf(m.need(name))
	case *[]shape.Shape:
		if m.flag("constrain_layout") {
			*p = []shape.Shape{}
			m.subs(name, func(s *message) { *p = append(*p, shapeOf(s)) })
		}
	case *hlo.OptionalShape:
		if s := m.sub(name); s != nil {
			t := shapeOf(s)
			p.Shape = &t
		}
	case *hlo.OneDim:
		*p = hlo.OneDim(m.first(name).Value)
	case *hlo.OptionalDim:
		*p = hlo.OptionalDim(m.first(name))
	case *hlo.Optional:
		*p = m.first(name)
	case *hlo.Precision:
		m.scalars(name, func(_ int, n uint64) { *p = append(*p, hlo.PrecisionLevel(min(n, math.MaxUint8))) })
	case *hlo.Padding:
		if s := m.sub(name); s != nil {
			s.subs("dimensions", func(d *message) {
				*p = append(*p, hlo.PadDim{Low: d.num("edge_padding_low"), High: d.num("edge_padding_high"),
					Interior: d.num("interior_padding")})
			})
		}
	case *hlo.SliceDims:
		m.subs(name, func(d *message) {
			*p = append(*p, hlo.SliceDim{Start: d.num("start"), Limit: d.num("limit"), Stride: orOne(d.num("stride"))})
		})
	case *hlo.Pairs:
		m.subs(name, func(d *message) { *p = append(*p, [2]int64{d.num("source"), d.num("target")}) })
	case *hlo.Window:
		*p = m.window(name)
	case *hlo.DimLabels:
		m.dimLabels(name, p)
	case *hlo.ReplicaGroups:
		m.groups(p)
	case *hlo.ComparisonType:
		text := m.str(name)
		if order := m.str("comparison_order"); text == "" || order == "TOTAL" {
			text = order
		}
		m.parseWord(p, name, text)
	case hlo.Value:
		switch name {
		case "output_operand_aliasing":
			m.parseWord(p, name, m.aliasing())
			return
		case "domain_entry_sharding":
			m.parseWord(p, name, domainText(m))
			return
		}
		m.parseWord(p, name, m.word(name))
	}
}

func (m *message) parseWord(v hlo.Value, field, text string) {
	if text != "" && m.err == nil {
		m.parse(v, field, text)
	}
}

func orOne(n int64) int64 {
	if n == 0 {
		return 1
	}
	return n
}

// windowFields are the fields of WindowDimension.
func windowFields(d *hlo.WindowDim) map[string]*int64 {
	return map[string]*int64{"size": &d.Size, "stride": &d.Stride, "padding_low": &d.PadLow, "padding_high": &d.PadHigh,
		"window_dilation": &d.WindowDilation, "base_dilation": &d.BaseDilation}
}

func (m *message) window(name string) (list hlo.Window) {
	w := m.sub(name)
	if w == nil {
		return nil
	}
	w.subs("dimensions", func(s *message) {
		d := hlo.WindowDim{Reversal: s.flag("window_reversal")}
		for field, p := range windowFields(&d) {
			*p = s.num(field)
		}
		d.Stride, d.WindowDilation, d.BaseDilation = orOne(d.Stride), orOne(d.WindowDilation), orOne(d.BaseDilation)
		list = append(list, d)
	})
	return list
}

// labelNumbers and labelLists are the fields of ConvolutionDimensionNumbers.
func labelNumbers(v *hlo.DimLabels) map[string]*int64 {
	return map[string]*int64{
		"input_batch_dimension": &v.InputBatch, "input_feature_dimension": &v.InputFeature,
		"kernel_input_feature_dimension": &v.KernelInput, "kernel_output_feature_dimension": &v.KernelOutput,
		"output_batch_dimension": &v.OutputBatch, "output_feature_dimension": &v.OutputFeature,
	}
}

func labelLists(v *hlo.DimLabels) map[string]*[]int64 {
	return map[string]*[]int64{"input_spatial_dimensions": &v.InputSpatial,
		"kernel_spatial_dimensions": &v.KernelSpatial, "output_spatial_dimensions": &v.OutputSpatial}
}

func (m *message) dimLabels(name string, v *hlo.DimLabels) {
	s := m.sub(name)
	if s == nil {
		return
	}
	for field, p := range labelNumbers(v) {
		*p = s.num(field)
	}
	for field, p := range labelLists(v) {
		*p = s.nums(field)
	}
}

// groups reads replica groups in the forms of several years: lists, the ids counted up in sizes, axes of a mesh.
func (m *message) groups(v *hlo.ReplicaGroups) {
	lists := func(g *message) { v.Groups = append(v.Groups, g.nums("replica_ids")) }
	m.subs("replica_groups", lists)
	iota := m.sub("iota_collective_device_list")
	if list := m.sub("collective_device_list"); list != nil {
		v.Groups = nil
		list.subs("replica_groups", lists)
		if old := list.sub("iota_replica_group_list"); old != nil {
			iota = old
		}
	}
	text := ""
	if iota != nil {
		text = iotaText(iota)
	} else if axes := m.sub("mesh_axes_replica_group_list"); axes != nil {
		text = axesText(axes)
	}
	if text == "" || m.err != nil {
		return
	}
	m.parse(v, "replica_groups", text)
	m.countDevices(v)
}

// iotaText writes groups that are counted up as XLA's text has them: "[4,2]<=[2,4]T(1,0)".
func iotaText(iota *message) string {
	text := fmt.Sprintf("[%d,%d]<=[%s]", iota.num("num_replica_groups"), iota.num("num_devices_per_group"),
		joined(iota.nums("iota_reshape_dims")))
	if perm := iota.nums("iota_transpose_perm"); !isIdentity(perm) {
		text += "T(" + joined(perm) + ")"
	}
	return text
}

// axesText writes groups along axes of a mesh as XLA's text has them: "mesh['x'=2,'y'=4] {'x','y':(1)2}".
func axesText(m *message) string {
	text, axes := "mesh[]", &meshAxes{}
	if mesh := m.sub("mesh"); mesh != nil {
		text, axes = meshText(mesh), axesOf(mesh)
	}
	return text + " {" + strings.Join(axes.refs(m, "axes"), ",") + "}"
}

// maxDevices bounds the ids that all iota forms of a file spell out.
const maxDevices = 1 << 22

func (m *message) countDevices(v *hlo.ReplicaGroups) {
	for _, g := range v.Groups {
		m.devices += len(g)
	}
	if m.devices > maxDevices {
		m.fail("replica_groups", "the groups of the file spell out more than %d ids", maxDevices)
	}
}

func joined(list []int64) string {
	parts := make([]string, len(list))
	for i, n := range list {
		parts[i] = strconv.FormatInt(n, 10)
	}
	return strings.Join(parts, ",")
}

func isIdentity(perm []int64) bool {
	for i, n := range perm {
		if n != int64(i) {
			return false
		}
	}
	return true
}

// aliasing reads which results live in which operands.
func (m *message) aliasing() string {
	var list []hlo.Alias
	m.subs("output_operand_aliasing", func(a *message) {
		list = append(list, hlo.Alias{Output: a.nums("output_shape_index"), ParameterIndex: hlo.ParameterIndex{
			Parameter: a.num("operand_index"), Index: a.nums("operand_shape_index")}})
	})
	return string(hlo.AliasesText(list))
}

// setAliasing appends what aliasing reads, up to where the text is no such list.
func (w *writer) setAliasing(text string) {
	list, _ := hlo.ParseAliases(hlo.Raw(text))
	for _, a := range list {
		w.sub("output_operand_aliasing", func() {
			w.nums("output_shape_index", a.Output)
			w.num("operand_index", a.Parameter)
			w.nums("operand_shape_index", a.Index)
		})
	}
}

// split reads numbers with commas between, and stops at what is none.
func split(s string) (list []int64) {
	for _, word := range strings.Split(s, ",") {
		n, err := strconv.ParseInt(strings.TrimSpace(word), 10, 64)
		if err != nil {
			break
		}
		list = append(list, n)
	}
	return list
}

// value appends an attribute that is more than numbers.
func (w *writer) value(name string, f hlo.Field, in *hlo.Instruction) {
	switch p := f.Ptr.(type) {
	case **literal.Literal:
		w.literal(name, *p, in.Shape.Layout)
	case *[]shape.Shape:
		w.flag("constrain_layout", *p != nil)
		for _, s := range *p {
			w.shape(name, s)
		}
	case *hlo.OptionalShape:
		if p.Shape != nil {
			w.shape(name, *p.Shape)
		}
	case *hlo.OneDim:
		w.nums(name, []int64{int64(*p)})
	case *hlo.OptionalDim:
		w.optional(name, hlo.Optional(*p))
	case *hlo.Optional:
		w.optional(name, *p)
	case *hlo.Precision:
		list := make([]int64, len(*p))
		for i, v := range *p {
			list[i] = int64(v)
		}
		w.nums(name, list)
	case *hlo.Padding:
		w.padding(name, *p)
	case *hlo.SliceDims:
		for _, d := range *p {
			w.sub(name, func() { w.num("start", d.Start); w.num("limit", d.Limit); w.num("stride", d.Stride) })
		}
	case *hlo.Pairs:
		for _, d := range *p {
			w.sub(name, func() { w.num("source", d[0]); w.num("target", d[1]) })
		}
	case *hlo.Window:
		w.window(name, *p, in)
	case *hlo.DimLabels:
		w.dimLabels(name, p)
	case *hlo.ReplicaGroups:
		for _, g := range p.Groups {
			w.sub(name, func() { w.nums("replica_ids", g) })
		}
	case *hlo.ComparisonType:
		w.str(name, p.String())
		if p.String() == "TOTALORDER" {
			w.str("comparison_order", "TOTAL")
		}
	case hlo.Value:
		w.valueText(name, p)
	}
}

func (w *writer) valueText(name string, v hlo.Value) {
	text := string(v.AppendText(nil))
	switch {
	case text == "":
	case name == "output_operand_aliasing":
		w.setAliasing(text)
	case name == "domain_entry_sharding":
		w.domain(text)
	default:
		w.setWord(name, text)
	}
}

func (w *writer) optional(name string, v hlo.Optional) {
	if v.Set {
		w.nums(name, []int64{v.Value})
	}
}

func (w *writer) padding(name string, list hlo.Padding) {
	w.sub(name, func() {
		for _, d := range list {
			w.sub("dimensions", func() {
				w.num("edge_padding_low", d.Low)
				w.num("edge_padding_high", d.High)
				w.num("interior_padding", d.Interior)
			})
		}
	})
}

// window appends a window; a convolution has one even without dimensions.
func (w *writer) window(name string, list hlo.Window, in *hlo.Instruction) {
	if len(list) == 0 && in.Op == hlo.CustomCall {
		return
	}
	w.sub(name, func() {
		for _, d := range list {
			d.Stride, d.WindowDilation, d.BaseDilation = orOne(d.Stride), orOne(d.WindowDilation), orOne(d.BaseDilation)
			w.sub("dimensions", func() {
				fields := windowFields(&d)
				for _, f := range w.desc.fields {
					if p := fields[f.name]; p != nil {
						w.num(f.name, *p)
					}
				}
				w.flag("window_reversal", d.Reversal)
			})
		}
	})
}

func (w *writer) dimLabels(name string, v *hlo.DimLabels) {
	if v.IsZero() {
		return
	}
	w.sub(name, func() {
		numbers, lists := labelNumbers(v), labelLists(v)
		for _, f := range w.desc.fields {
			if p := numbers[f.name]; p != nil {
				w.num(f.name, *p)
			}
			if p := lists[f.name]; p != nil {
				w.nums(f.name, *p)
			}
		}
	})
}

// textOf is the text of an attribute that is more than integers, "" for the others and for one that says nothing.
func textOf(f hlo.Field) string {
	switch p := f.Ptr.(type) {
	case *float64:
		return strconv.FormatFloat(*p, 'g', -1, 64)
	case hlo.Value:
		if !p.IsZero() {
			return string(p.AppendText(nil))
		}
	}
	return ""
}
