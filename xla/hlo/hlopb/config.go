package hlopb

import (
	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/shape"
)

// config reads what the module says besides its computations.
func (r *reader) config() {
	if r.err != nil {
		return
	}
	c := &r.m.Config
	texts := r.texts()
	if s := r.sub("host_program_shape"); s != nil {
		r.programShape(s)
	}
	if text, ok := texts["entry_computation_layout"]; ok {
		r.entryLayout(text)
	}
	if s := r.sub("input_output_alias"); s != nil {
		s.subs("entries", func(e *message) {
			c.Alias = append(c.Alias, hlo.Alias{Output: some(e.nums("output_shape_index")),
				ParameterIndex: parameterIndex(e), Must: e.num("kind") == 2})
		})
	}
	if s := r.sub("buffer_donor"); s != nil {
		s.subs("entries", func(e *message) { c.BufferDonor = append(c.BufferDonor, parameterIndex(e)) })
	}
	c.Frontend = frontend(r.message)
	c.Tables = r.frames.tables()
	r.extra(&c.Extra, nil)
	c.Proto = r.message.rest(nil)
	r.deviceCounts(c)
}

// entryLayout takes the shapes that callers use from text: a tuple of parameters and result, or nothing.
func (r *reader) entryLayout(text string) {
	c := &r.m.Config
	s, err := shape.Parse(text)
	if n := len(s.Elems); err == nil && c.EntryResult != nil && n == len(c.EntryParams)+1 &&
		s.Compatible(shape.TupleOf(append(c.EntryParams, *c.EntryResult)...)) {
		c.EntryParams, c.EntryResult = s.Elems[:n-1:n-1], &s.Elems[n-1]
		return
	}
	c.EntryParams, c.EntryResult = nil, nil
}

// deviceCounts reads for how many devices the module is. Which ones they are is kept as it is.
func (r *reader) deviceCounts(c *hlo.ModuleConfig) {
	s := r.sub("device_assignment")
	if s == nil {
		return
	}
	count := func(field string) int64 {
		if n := s.num(field); n > 1 && n <= maxDevices {
			return n
		}
		return 0
	}
	c.NumReplicas, c.NumPartitions = count("replica_count"), count("computation_count")
}

func some(list []int64) []int64 {
	if list == nil {
		return []int64{}
	}
	return list
}

func parameterIndex(e *message) hlo.ParameterIndex {
	return hlo.ParameterIndex{Parameter: e.num("parameter_number"), Index: some(e.nums("parameter_shape_index"))}
}

// programShape reads the shapes that callers use, which must be those of the entry computation but for layouts.
func (r *reader) programShape(s *message) {
	c := &r.m.Config
	params, result := r.m.Entry.ProgramShape()
	s.subs("parameters", func(p *message) { c.EntryParams = append(c.EntryParams, r.shape(p)) })
	t := r.shape(s.need("result"))
	c.EntryResult = &t
	if len(params) != len(c.EntryParams) {
		s.fail("parameters", "got %d parameters, the entry computation has %d", len(c.EntryParams), len(params))
	}
	if r.err != nil {
		return
	}
	for i, p := range params {
		if !p.Compatible(c.EntryParams[i]) {
			s.fail("parameters", "parameter %d is %v, the entry computation's is %v", i, c.EntryParams[i], p)
		}
	}
	if !result.Compatible(t) {
		s.fail("result", "got %v, the entry computation's is %v", t, result)
	}
	r.parameterNames(s.strs("parameter_names"))
}

// parameterNames keeps the producer's names of parameters if they say more than the instructions' do.
func (r *reader) parameterNames(names []string) {
	params := r.m.Entry.Parameters
	if len(names) != len(params) {
		return
	}
	for i, p := range params {
		if names[i] != p.Name {
			r.m.ParameterNames = names
			return
		}
	}
}

// config appends what a module says besides its computations.
func (w *writer) config(m *hlo.Module, bare bool) {
	c := &m.Config
	w.sub("host_program_shape", func() {
		params, result := m.Entry.ProgramShape()
		if c.EntryResult != nil {
			params, result = c.EntryParams, *c.EntryResult
		}
		names := m.ParameterNames
		if len(names) != len(params) {
			names = ownNames(m.Entry)
		}
		w.programShape(params, result, names)
	})
	if c.EntryResult == nil {
		w.text("entry_computation_layout", "")
	} else {
		w.ownLayouts("entry_computation_layout", shape.TupleOf(append(c.EntryParams[:len(c.EntryParams):len(c.EntryParams)],
			*c.EntryResult)...), bare)
	}
	if len(c.Alias) > 0 {
		w.sub("input_output_alias", func() {
			for _, a := range c.Alias {
				w.sub("entries", func() { w.alias(a) })
			}
		})
	}
	if len(c.BufferDonor) > 0 {
		w.sub("buffer_donor", func() {
			for _, d := range c.BufferDonor {
				w.sub("entries", func() { w.parameterIndex(d) })
			}
		})
	}
	w.frontend(c.Frontend)
	w.tables(c.Tables)
	for _, a := range c.Extra {
		w.text(a.Name, a.Text)
	}
	w.b = append(w.b, c.Proto...)
	w.devices(c)
}

// shape reads a shape, without layouts if the module has none.
func (r *reader) shape(m *message) shape.Shape {
	s := shapeOf(m)
	if r.bare {
		s = s.WithoutLayout()
	}
	return s
}

func (w *writer) alias(a hlo.Alias) {
	w.nums("output_shape_index", a.Output)
	w.parameterIndex(a.ParameterIndex)
	if a.Must {
		w.num("kind", 2)
	} else {
		w.num("kind", 1)
	}
}

func (w *writer) parameterIndex(x hlo.ParameterIndex) {
	w.num("parameter_number", x.Parameter)
	w.nums("parameter_shape_index", x.Index)
}

// ownNames are the names of the parameter instructions.
func ownNames(c *hlo.Computation) []string {
	names := make([]string, len(c.Parameters))
	for i, p := range c.Parameters {
		names[i] = p.Name
	}
	return names
}

func (w *writer) programShape(params []shape.Shape, result shape.Shape, names []string) {
	for _, p := range params {
		w.shape("parameters", p)
	}
	w.shape("result", result)
	w.strs("parameter_names", names...)
}

// devices says for how many devices the module is, unless that was kept: replica r of partition p runs on r*P+p.
func (w *writer) devices(c *hlo.ModuleConfig) {
	replicas, partitions := max(c.NumReplicas, 1), max(c.NumPartitions, 1)
	kept := (&decoder{src: c.Proto}).open(w.desc)
	if replicas*partitions == 1 || kept.has("device_assignment") {
		return
	}
	w.sub("device_assignment", func() {
		w.num("replica_count", replicas)
		w.num("computation_count", partitions)
		for p := range partitions {
			w.sub("computation_devices", func() {
				ids := make([]int64, replicas)
				for r := range replicas {
					ids[r] = r*partitions + p
				}
				w.nums("replica_device_ids", ids)
			})
		}
	})
}
