package exec

import (
	"errors"
	"fmt"
	"strings"
	"time"

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

// Report lists the steps in order.
func (p *program) Report() []Step {
	var list []Step
	p.walk(func(st *step) {
		if st.in == nil {
			return
		}
		s := Step{Op: st.in.Op.String(), Kernel: st.kernel, Instruction: st.in.Name, Count: 1, Reason: st.reason,
			Runs: st.runs.Load(), Time: time.Duration(st.nanoseconds.Load())}
		if c, ok := st.thunk.(Caller); ok {
			s.Calls = c.Calls()
		}
		if _, ok := st.thunk.(nested); !ok {
			s.FLOPs = st.in.Work().FLOPs
			for _, u := range st.thunk.Uses() {
				s.Bytes += u.Slice.Size
			}
		}
		list = append(list, s)
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
