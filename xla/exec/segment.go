package exec

// linker makes what runs of the blocks' steps.
type linker struct {
	recorder Recorder // nil: the machine has no records
	single   bool     // every record is a segment of its own
	segments []Segment
}

// link fills in b.code: records that stand together become segments, while and conditional of nothing but records
// become records.
func (k *linker) link(p *program, b *block) {
	var pending []*step
	flush := func() {
		if len(pending) > 0 {
			b.code = append(b.code, k.segment(p, pending))
		}
		pending = nil
	}
	for _, st := range b.steps {
		if k.recordable(st) {
			pending = append(pending, st)
			if k.single {
				flush()
			}
			continue
		}
		flush()
		if n, ok := st.thunk.(nested); ok {
			for _, inner := range n.blocks() {
				k.link(p, inner)
			}
		}
		b.code = append(b.code, st)
	}
	flush()
}

// segment makes one step of steps with records.
func (k *linker) segment(p *program, steps []*step) *step {
	s := k.recorder.Segment(k.records(steps))
	k.segments = append(k.segments, s)
	t := segmentThunk{Segment: s}
	within := &block{steps: steps}
	within.walk(func(st *step) { t.uses = append(t.uses, st.uses()...) })
	if p.places != nil {
		t.first = p.readFirst(steps)
	}
	joined := &step{thunk: t, kernel: "segment"}
	if len(steps) == 1 {
		joined.of, joined.in, joined.kernel = steps[0], steps[0].in, steps[0].kernel
	}
	return joined
}

// segmentThunk is a segment among thunks.
type segmentThunk struct {
	Segment
	uses  []Use
	first []int32 // slots that it needs, in remote memory
}

func (t segmentThunk) Uses() []Use { return t.uses }

// recordable reports whether st can be a record.
func (k *linker) recordable(st *step) bool {
	if k.recorder == nil {
		return false
	}
	switch t := st.thunk.(type) {
	case *copyThunk:
		return !t.toBox && !t.fromBox
	case nested:
		if k.single {
			return false
		}
		for _, b := range t.blocks() {
			for _, inner := range b.steps {
				if !k.recordable(inner) {
					return false
				}
			}
		}
		return true
	default:
		return k.recorder.Recorded(t)
	}
}

// records returns the thunks with records that do what the steps do.
func (k *linker) records(steps []*step) []Thunk {
	steps = k.counts(steps)
	out := make([]Thunk, len(steps))
	for i, st := range steps {
		switch t := st.thunk.(type) {
		case *copyThunk:
			out[i] = k.recorder.Copy(t.to.Slice, t.from.Slice)
		case *loop:
			if counting, ok := k.recorder.(Counting); ok && t.counted != nil {
				out[i] = counting.Count(t.counted.Count, k.records(t.counted.left(t.body.steps)))
				continue
			}
			out[i] = k.recorder.While(k.records(t.cond.steps), t.again, k.records(t.body.steps))
		case *branch:
			parts := make([][]Thunk, len(t.branches))
			for j, b := range t.branches {
				parts[j] = k.records(b.steps)
			}
			out[i] = k.recorder.Conditional(t.index, t.isPred, parts)
		default:
			out[i] = t
		}
	}
	return out
}

func (k *linker) close() {
	for _, s := range k.segments {
		s.Close()
	}
}
