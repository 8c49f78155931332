package exec

// readyBytes is the size up to which an arena lies ready. A compiled program takes more than that for itself.
const readyBytes = 64 << 10

// ready is a program's small arenas by seat. Whoever has the seat has the arena with it, without a lock or an atomic
// operation, which a shelf wants several of: they cost a tiny program a tenth of its time. An execution that leaves its
// seat on the way takes the arena along. What lies ready does not count towards the keeper's limit; trim gives it back
// once it has the seat, and the program when it is closed.
type ready []*instance

// keepReady reports whether m lies ready on s, which the caller has, or now does, since it is small and s had none.
func (p *program) keepReady(s *shelf, m *instance) bool {
	at := &p.ready[s.number]
	if *at == nil && m.mirror == nil && m.kept.bytes <= readyBytes {
		*at = m
		s.keeper.know(p.ready)
	}
	return *at == m
}

// takeAlong has m lie ready on s, which the caller has, no longer.
func (p *program) takeAlong(s *shelf, m *instance) {
	if p.ready[s.number] == m {
		p.ready[s.number] = nil
	}
}

// know has clearReady find what lies ready in r.
func (k *keeper) know(r ready) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.ready[&r[0]] = r
}

// clearReady gives back what lies ready on s, which the caller has.
func (k *keeper) clearReady(s *shelf) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, r := range k.ready {
		r.close(s.number)
	}
}

// forgetReady gives back what lies ready of a program that is closed.
func (k *keeper) forgetReady(r ready) {
	k.mu.Lock()
	defer k.mu.Unlock()
	delete(k.ready, &r[0])
	for seat := range r {
		r.close(seat)
	}
}

func (r ready) close(seat int) {
	if m := r[seat]; m != nil {
		r[seat] = nil
		m.close()
	}
}
