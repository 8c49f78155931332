package collective

import (
	"cmp"
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

// readMesh reads "mesh['a'=2,'b'=4], device_ids=([4,2]T(1,0))" and returns what stands behind the next commas.
func readMesh(text string) (m *MeshSharding, rest []string, err error) {
	parts, err := cutOutside(text, ',')
	if err != nil {
		return nil, nil, err
	}
	m, rest = &MeshSharding{}, parts[1:]
	if err := m.axes(strings.TrimSuffix(strings.TrimPrefix(parts[0], "mesh["), "]")); err != nil {
		return nil, nil, err
	}
	if len(rest) == 0 {
		return m, nil, nil
	}
	if ids, ok := strings.CutPrefix(rest[0], "device_ids="); ok {
		rest, err = rest[1:], m.order(strings.TrimSuffix(strings.TrimPrefix(ids, "("), ")"))
	}
	return m, rest, err
}

// readMeshSharding reads "mesh['a'=2,'b'=4], [{'a'}, {'b':(1)2, ?}], replicated={'b'}".
func readMeshSharding(text string) (*MeshSharding, []string, error) {
	m, parts, err := readMesh(text)
	if err != nil {
		return nil, nil, err
	}
	var metadata []string
	for _, part := range parts {
		name, value, _ := strings.Cut(part, "=")
		switch {
		case part[0] == '[':
			err = m.dims(strings.TrimSuffix(part[1:], "]"))
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
		name, err := inside(quoted, "'", "'")
		ref := AxisRef{Axis: slices.IndexFunc(m.Axes, func(a MeshAxis) bool { return a.Name == name })}
		if err != nil || ref.Axis < 0 {
			return nil, fmt.Errorf("got %s, want an axis of the mesh", item)
		}
		if sub {
			pre, size, _ := strings.Cut(part, ")")
			var err2 error
			ref.Pre, err = strconv.ParseInt(pre, 10, 64)
			ref.Size, err2 = strconv.ParseInt(size, 10, 64)
			if err = errors.Join(err, err2); err == nil {
				err = m.checkPart(ref)
			}
			if err != nil {
				return nil, err
			}
		}
		refs = append(refs, ref)
	}
	return refs, err
}

// checkPart fails if an axis has no such part.
func (m *MeshSharding) checkPart(ref AxisRef) error {
	if n := m.Axes[ref.Axis].Size; ref.Pre < 1 || ref.Size < 1 || n%ref.Pre != 0 || n/ref.Pre%ref.Size != 0 {
		return fmt.Errorf("got the part (%d)%d, want 'axis':(pre)size whose product divides %d", ref.Pre, ref.Size, n)
	}
	return nil
}

// sharding returns what each device of the mesh has.
func (m *MeshSharding) sharding() (*Sharding, error) {
	s := &Sharding{Copies: 1}
	if m.Dims == nil {
		return s, nil
	}
	ids, err := m.places()
	if err != nil {
		return nil, err
	}
	devices, err := deviceList(ids)
	if err != nil {
		return nil, err
	}
	var refs []AxisRef
	for _, dim := range m.Dims {
		refs = append(refs, dim.Axes...)
	}
	digits, tiles, err := m.digits(refs)
	if err != nil {
		return nil, err
	}
	s.Tiles = make([]int64, len(m.Dims))
	for d, dim := range m.Dims {
		s.Tiles[d] = 1
		for _, ref := range dim.Axes {
			s.Tiles[d] *= m.size(ref)
		}
	}
	s.Copies = int64(len(devices)) / tiles
	parts := make([][]int, tiles)
	for place, device := range devices {
		t, _ := split(int64(place), digits)
		parts[t] = append(parts[t], device)
	}
	s.Devices = slices.Concat(parts...)
	return s, nil
}

// places lists the devices by their places in the mesh.
func (m *MeshSharding) places() ([]int64, error) {
	sizes := make([]int64, len(m.Axes))
	for i, a := range m.Axes {
		sizes[i] = a.Size
	}
	n, err := product(sizes)
	if err != nil {
		return nil, err
	}
	order := m.Order
	if order.IDs == nil && order.Reshape == nil {
		order.Reshape = []int64{n}
	}
	return order.list(n)
}

// size is how many places a reference to an axis tells apart.
func (m *MeshSharding) size(ref AxisRef) int64 {
	if ref.Size == 0 {
		return m.Axes[ref.Axis].Size
	}
	return ref.Size
}

// digit is what a reference to an axis tells of the number of a place: number / weight % size.
type digit struct{ weight, size int64 }

// digits returns the digits of references and the product of their sizes. It fails if two have something in common.
func (m *MeshSharding) digits(refs []AxisRef) (digits []digit, all int64, err error) {
	for _, ref := range refs {
		if m.size(ref) == 1 { // tells nothing
			continue
		}
		weight := m.Axes[ref.Axis].Size / (max(ref.Pre, 1) * m.size(ref))
		for _, behind := range m.Axes[ref.Axis+1:] {
			weight *= behind.Size
		}
		digits = append(digits, digit{weight, m.size(ref)})
	}
	sorted := slices.Clone(digits)
	slices.SortFunc(sorted, func(a, b digit) int { return cmp.Compare(a.weight, b.weight) })
	all, below := int64(1), int64(1)
	for _, d := range sorted {
		if d.weight%below != 0 {
			return nil, 0, errors.New("an axis cuts twice: its parts overlap")
		}
		below = d.weight * d.size
		all *= d.size
	}
	return digits, all, nil
}

// split returns the number that digits of a place are together, the last running fastest, and the place that has zeros
// for them.
func split(place int64, digits []digit) (number, base int64) {
	base = place
	for _, d := range digits {
		v := place / d.weight % d.size
		number = number*d.size + v
		base -= v * d.weight
	}
	return number, base
}
