package hlopb

import (
	"math"

	"github.com/halo-xla/halo/xla/shape"
)

// shapeOf reads a ShapeProto. XLA's numbers of element types are ours.
func shapeOf(m *message) shape.Shape {
	s := shape.Shape{Type: elementType(m, "element_type"), Dims: m.nums("dimensions")}
	m.subs("tuple_shapes", func(e *message) { s.Elems = append(s.Elems, shapeOf(e)) })
	if len(s.Dims) > shape.MaxRank {
		m.fail("dimensions", "the shape has %d dimensions, want at most %d", len(s.Dims), shape.MaxRank)
	}
	for d, n := range s.Dims {
		if n < 0 && n != shape.Unbounded {
			m.fail("dimensions", "dimension %d has the size %d, want 0 or more", d, n)
		}
	}
	dynamic(m, &s)
	if layout := m.sub("layout"); layout != nil && s.IsArray() && m.err == nil {
		s.Layout = layoutOf(layout, s)
	}
	if s.Type == shape.Invalid && m.err == nil || s.Type == shape.Buffer && len(s.Elems) != 1 {
		m.fail("element_type", "the shape has no type")
	}
	if len(s.Dims) > 0 && !s.IsArray() || len(s.Elems) > 0 && s.IsArray() {
		m.fail("", "the shape of a %v has %d sizes and %d elements", s.Type, len(s.Dims), len(s.Elems))
	}
	return s
}

func elementType(m *message, field string) shape.ElementType {
	n := m.num(field)
	if n < 0 || n >= int64(shape.NumElementTypes) {
		m.fail(field, "element type %d is not known", n)
		return shape.Invalid
	}
	return shape.ElementType(n)
}

// dynamic reads which dimensions may be smaller than they say.
func dynamic(m *message, s *shape.Shape) {
	any := false
	list := make([]bool, len(s.Dims))
	n := m.scalars("is_dynamic_dimension", func(i int, v uint64) {
		if i < len(list) {
			list[i] = v != 0
			any = any || v != 0
		}
	})
	if n != 0 && n != len(s.Dims) {
		m.fail("is_dynamic_dimension", "got %d values for %d dimensions", n, len(s.Dims))
	}
	if any {
		s.Dynamic = list
	}
}

// layoutOf reads a LayoutProto, which has to be one for s; nil for that of a scalar. How sparse arrays are stored is
// not read.
func layoutOf(m *message, s shape.Shape) *shape.Layout {
	l := &shape.Layout{MinorToMajor: m.nums("minor_to_major"), ElementBits: m.num("element_size_in_bits"),
		MemorySpace: m.num("memory_space"), Tail: m.num("tail_padding_alignment_in_elements"),
		MetadataBytes: m.num("dynamic_shape_metadata_prefix_bytes"),
		IndexType:     elementType(m, "index_primitive_type"), PointerType: elementType(m, "pointer_primitive_type")}
	if l.Tail == 1 {
		l.Tail = 0
	}
	m.subs("tiles", func(t *message) {
		sizes := t.nums("dimensions")
		for i, n := range sizes {
			if n == math.MinInt64 { // XLA's number for a dimension that joins the next
				sizes[i] = shape.CombineDim
			}
		}
		l.Tiles = append(l.Tiles, sizes)
	})
	m.subs("split_configs", func(c *message) {
		l.Splits = append(l.Splits, shape.Split{Dim: c.num("dimension"), Indices: c.nums("split_indices")})
	})
	if p := m.sub("physical_shape"); p != nil {
		physical := shapeOf(p)
		l.Physical = &physical
	}
	if m.err == nil {
		if err := l.Validate(s); err != nil {
			m.fail("", "%w", err)
		}
	}
	if len(s.Dims) == 0 && l.Equal(shape.Layout{}) {
		return nil
	}
	return l
}

// shape appends a ShapeProto.
func (w *writer) shape(name string, s shape.Shape) { w.sub(name, func() { w.shapeFields(s) }) }

func (w *writer) shapeFields(s shape.Shape) {
	w.num("element_type", int64(s.Type))
	w.nums("dimensions", s.Dims)
	for _, e := range s.Elems {
		w.shape("tuple_shapes", e)
	}
	if s.IsArray() {
		w.layout(s)
	}
	if s.IsDynamic() && s.IsArray() {
		list := make([]bool, len(s.Dims))
		for d := range list {
			list[d] = s.IsDynamicDim(d)
		}
		w.flags("is_dynamic_dimension", list)
	}
}

// layout appends the layout of s, row-major if it says none: XLA wants one everywhere.
func (w *writer) layout(s shape.Shape) {
	l := s.Layout
	if l == nil {
		l = shape.DefaultLayout(len(s.Dims))
	}
	w.sub("layout", func() {
		w.nums("minor_to_major", l.MinorToMajor)
		for _, t := range l.Tiles {
			w.sub("tiles", func() { w.nums("dimensions", tileSizes(t)) })
		}
		w.num("element_size_in_bits", l.ElementBits)
		w.num("memory_space", l.MemorySpace)
		if l.Physical != nil {
			w.shape("physical_shape", *l.Physical)
		}
		w.num("index_primitive_type", int64(l.IndexType))
		w.num("pointer_primitive_type", int64(l.PointerType))
		w.num("dynamic_shape_metadata_prefix_bytes", l.MetadataBytes)
		w.num("tail_padding_alignment_in_elements", l.Tail)
		for _, s := range l.Splits {
			w.sub("split_configs", func() {
				w.num("dimension", s.Dim)
				w.nums("split_indices", s.Indices)
			})
		}
	})
}

func tileSizes(t shape.Tile) []int64 {
	sizes := make([]int64, len(t))
	for i, n := range t {
		if sizes[i] = n; n == shape.CombineDim {
			sizes[i] = math.MinInt64
		}
	}
	return sizes
}

// layouts reports in bare whether no array of rank 1 or more in s says its layout, in full whether all
// do.
func layouts(s shape.Shape) (bare, full bool) {
	bare, full = true, true
	for _, e := range s.Elems {
		b, f := layouts(e)
		bare, full = bare && b, full && f
	}
	if len(s.Dims) > 0 {
		bare, full = s.Layout == nil, s.Layout != nil
	}
	return bare, full
}
