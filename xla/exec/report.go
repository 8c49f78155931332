package exec

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/halo-xla/halo/xla/hlo"
)

// lacking collects the instructions that a machine cannot run.
type lacking struct {
	names []string
	count map[string]int
	first map[string]*hlo.Instruction
}

func (l *lacking) add(in *hlo.Instruction) {
	if l.count == nil {
		l.count, l.first = map[string]int{}, map[string]*hlo.Instruction{}
	}
	name := in.Op.String()
	if l.count[name]++; l.count[name] == 1 {
		l.names, l.first[name] = append(l.names, name), in
	}
}

// err is one sentence that names each op once, with the place of the first; nil if nothing lacks.
func (l *lacking) err(machine string) error {
	if l.names == nil {
		return nil
	}
	parts := make([]string, len(l.names))
	for i, n := range l.names {
		parts[i] = n
		if p := l.first[n].Pos.String(); p != "" {
			parts[i] += " at " + p
		}
		if l.count[n] > 1 {
			parts[i] += fmt.Sprintf(" and %d more", l.count[n]-1)
		}
	}
	return fmt.Errorf("backend %s has no kernel for %s: %w", machine, strings.Join(parts, ", "), errors.ErrUnsupported)
}

// Report lists the steps by op and kernel.
func (p *program) Report() []Step {
	type key struct{ op, kernel, reason string }
	byKey := map[key]*Step{}
	p.walk(func(st *step) {
		if st.in == nil {
			return
		}
		k := key{st.in.Op.String(), st.kernel, st.reason}
		s := byKey[k]
		if s == nil {
			s = &Step{Op: k.op, Kernel: k.kernel, Instruction: st.in.Name, Reason: k.reason}
			byKey[k] = s
		}
		s.Count++
	})
	list := make([]Step, 0, len(byKey))
	for _, s := range byKey {
		list = append(list, *s)
	}
	slices.SortFunc(list, func(a, b Step) int {
		return strings.Compare(a.Op+"\x00"+a.Kernel+"\x00"+a.Reason, b.Op+"\x00"+b.Kernel+"\x00"+b.Reason)
	})
	return list
}

// walk calls f for every step, those of programs that steps run after the others.
func (p *program) walk(f func(*step)) {
	p.body.walk(f)
	for _, s := range p.subs {
		s.walk(f)
	}
}
