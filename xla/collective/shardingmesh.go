package collective

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// MeshSharding is a sharding by the axes of a mesh of devices.
type MeshSharding struct {
	Axes  []MeshAxis
	Order DeviceOrder // of the mesh's places; none: the devices count up
	// Dims are the axes that cut each dimension; nil for arrays of any rank.
	Dims []DimAxes
	// Replicated, Unreduced and Manual are axes that cut nothing.
	Replicated, Unreduced, Manual []AxisRef
}

// MeshAxis is a named axis of a mesh.
type MeshAxis struct {
	Name string
	Size int64
}

// AxisRef is an axis by its number, or the part of one that is left when Pre places before it and the rest behind it
// are split off; a whole axis has Size 0.
type AxisRef struct {
	Axis      int
	Pre, Size int64
}

// DimAxes are the axes that cut a dimension, Open if a compiler may add some.
type DimAxes struct {
	Axes []AxisRef
	Open bool
}

// readMesh reads "mesh['a'=2,'b'=4], device_ids=([4,2]T(1,0)), [{'a'}, {'b':(1)2, ?}], replicated={'b'}".
func readMesh(text string) (*MeshSharding, []string, error) {
	parts, err := cutOutside(text, ',')
	if err != nil {
		return nil, nil, err
	}
	m := &MeshSharding{}
	var metadata []string
	for i, part := range parts {
		name, value, _ := strings.Cut(part, "=")
		switch {
		case i == 0:
			err = m.axes(strings.TrimSuffix(strings.TrimPrefix(part, "mesh["), "]"))
		case part[0] == '[':
			err = m.dims(strings.TrimSuffix(part[1:], "]"))
		case name == "device_ids":
			err = m.order(strings.TrimSuffix(strings.TrimPrefix(value, "("), ")"))
		case name == "metadata":
			metadata, err = cutOutside(strings.TrimSuffix(strings.TrimPrefix(value, "{"), "}"), ',')
		default:
			err = m.list(name, value)
		}
		if err != nil {
			return nil, nil, err
		}
	}
	return m, metadata, nil
}

// axes reads "'a'=2,'b'=4".
func (m *MeshSharding) axes(text string) error {
	list, err := cutOutside(text, ',')
	for _, axis := range list {
		at := strings.LastIndexByte(axis, '=')
		if at < 2 || axis[0] != '\'' || axis[at-1] != '\'' {
			return fmt.Errorf("got axis %s, want 'name'=size", axis)
		}
		n, err := strconv.ParseInt(axis[at+1:], 10, 64)
		if err != nil || n < 1 || len(m.Axes) == maxAxes {
			return fmt.Errorf("got axis %s, want 'name'=size, and at most %d of them", axis, maxAxes)
		}
		m.Axes = append(m.Axes, MeshAxis{axis[1 : at-1], n})
	}
	return err
}

// maxAxes is the most axes a mesh may have.
const maxAxes = 64

// order reads "0,2,1,3" or "[2,2]T(1,0)".
func (m *MeshSharding) order(text string) (err error) {
	if strings.HasPrefix(text, "[") {
		m.Order, err = readIota(text)
	} else {
		m.Order.IDs, err = numbers(text)
	}
	return err
}

// dims reads "{'a'}, {'b', ?}".
func (m *MeshSharding) dims(text string) error {
	list, err := cutOutside(text, ',')
	if len(list) > maxRank {
		return fmt.Errorf("a sharding of %d dimensions, want at most %d", len(list), maxRank)
	}
	m.Dims = []DimAxes{}
	for _, dim := range list {
		if dim[0] != '{' {
			return fmt.Errorf("got %s, want {axes} for each dimension", dim)
		}
		inner, open := strings.CutSuffix(strings.TrimSpace(strings.TrimSuffix(dim[1:], "}")), "?")
		refs, err := m.refs(inner)
		if err != nil {
			return err
		}
		m.Dims = append(m.Dims, DimAxes{refs, open})
	}
	return err
}

// list reads a list of axes that cut nothing; a name alone means all of them.
func (m *MeshSharding) list(name, value string) error {
	list := map[string]*[]AxisRef{"replicated": &m.Replicated, "unreduced": &m.Unreduced, "manual": &m.Manual}[name]
	switch {
	case list == nil:
		return fmt.Errorf("got %q, want replicated, unreduced, manual, device_ids or metadata", name)
	case value != "":
		refs, err := m.refs(strings.TrimSuffix(strings.TrimPrefix(value, "{"), "}"))
		*list = refs
		return err
	case name != "replicated": // which is said of no axis
		for i := range m.Axes {
			*list = append(*list, AxisRef{Axis: i})
		}
	}
	return nil
}

// refs reads "'a', 'b':(1)2".
func (m *MeshSharding) refs(text string) (refs []AxisRef, err error) {
	list, err := cutOutside(text, ',')
	for _, item := range list {
		quoted, part, sub := strings.Cut(item, ":(")
		name, begun := strings.CutPrefix(quoted, "'")
		name, ended := strings.CutSuffix(name, "'")
		i := slices.IndexFunc(m.Axes, func(a MeshAxis) bool { return begun && ended && a.Name == name })
		if i < 0 {
			return nil, fmt.Errorf("got %s, want an axis of the mesh", item)
		}
		ref := AxisRef{Axis: i}
		if sub {
			pre, size, _ := strings.Cut(part, ")")
			var err2 error
			ref.Pre, err = strconv.ParseInt(pre, 10, 64)
			ref.Size, err2 = strconv.ParseInt(size, 10, 64)
			if n := m.Axes[i].Size; err != nil || err2 != nil || ref.Pre < 1 || ref.Size < 1 || n%ref.Pre != 0 ||
				n/ref.Pre%ref.Size != 0 {
				return nil, fmt.Errorf("got %s, want 'axis':(pre)size whose product divides %d", item, n)
			}
		}
		refs = append(refs, ref)
	}
	return refs, err
}

// sharding returns what each device of the mesh has.
func (m *MeshSharding) sharding() (*Sharding, error) {
	s := &Sharding{Copies: 1}
	if m.Dims == nil {
		return s, nil
	}
	devices, err := m.devices()
	if err != nil {
		return nil, err
	}
	n := int64(len(devices))
	s.Tiles = make([]int64, len(m.Dims))
	tiles, cuts := int64(1), []cut(nil)
	for d, dim := range m.Dims {
		s.Tiles[d] = 1
		for _, ref := range dim.Axes {
			c := m.cut(ref)
			s.Tiles[d] *= c.size
			if tiles *= c.size; tiles > n {
				return nil, errors.New("an axis cuts twice")
			}
			if c.size > 1 {
				cuts = append(cuts, c)
			}
		}
	}
	s.Copies = n / tiles
	parts := make([][]int, tiles)
	for place, device := range devices {
		t := tileOf(cuts, int64(place))
		parts[t] = append(parts[t], device)
	}
	for _, p := range parts {
		if int64(len(p)) != s.Copies {
			return nil, errors.New("an axis cuts twice")
		}
	}
	s.Devices = slices.Concat(parts...)
	return s, nil
}

// devices lists the devices by their places in the mesh.
func (m *MeshSharding) devices() ([]int, error) {
	n := int64(1)
	for _, a := range m.Axes {
		if n *= a.Size; n > MaxDevices || a.Size > MaxDevices {
			return nil, fmt.Errorf("more than %d devices", MaxDevices)
		}
	}
	order := m.Order
	if order.IDs == nil && order.Reshape == nil {
		order.Reshape = []int64{n}
	}
	return order.devices(n)
}

// cut is a part of an axis: the places of a mesh count through its size, so many steps each.
type cut struct{ step, size int64 }

func (m *MeshSharding) cut(ref AxisRef) cut {
	a := m.Axes[ref.Axis]
	c := cut{1, a.Size}
	if ref.Size > 0 {
		c = cut{a.Size / (ref.Pre * ref.Size), ref.Size}
	}
	for _, behind := range m.Axes[ref.Axis+1:] {
		c.step *= behind.Size
	}
	return c
}

// tileOf returns the number of the tile that a place of the mesh has.
func tileOf(cuts []cut, place int64) (tile int64) {
	for _, c := range cuts {
		tile = tile*c.size + place/c.step%c.size
	}
	return tile
}
