package hlo

import (
	"fmt"
	"strings"

	"github.com/halo-xla/halo/internal/unsupported"
)

// Unsupported returns nil if every op and custom call of m can be evaluated with handlers, which may be nil. Otherwise
// the error, an errors.ErrUnsupported, is one sentence that names each of them once, with the place of its first.
func Unsupported(m *Module, handlers Handlers) error {
	var names []string
	count := map[string]int{}
	first := map[string]*Instruction{}
	for _, c := range m.Computations {
		for _, in := range c.Instructions {
			name := lacking(in, handlers)
			if name == "" {
				continue
			}
			if count[name]++; count[name] == 1 {
				names, first[name] = append(names, name), in
			}
		}
	}
	if err := refused(m, handlers); err != nil || names == nil {
		return err
	}
	parts := make([]string, len(names))
	for i, n := range names {
		parts[i] = n
		if p := first[n].Pos.String(); p != "" && i > 0 {
			parts[i] += " at " + p
		}
		if count[n] > 1 {
			parts[i] += fmt.Sprintf(" and %d more", count[n]-1)
		}
	}
	return &Error{first[names[0]], unsupported.Error(fmt.Errorf("no function is registered for %s; the client's "+
		"Handlers, or --plugin of the tool, bring them", strings.Join(parts, ", ")))}
}

// refused returns why the first custom call that handlers refuse cannot be served.
func refused(m *Module, handlers Handlers) error {
	r, ok := handlers.(Refuser)
	if !ok {
		return nil
	}
	for _, c := range m.Computations {
		for _, in := range c.Instructions {
			if in.Op != CustomCall {
				continue
			}
			if err := r.Refuse(in); err != nil {
				return &Error{in, err}
			}
		}
	}
	return nil
}

// lacking names the custom call that in is if nobody serves it.
func lacking(in *Instruction, handlers Handlers) string {
	a, ok := in.Attrs.(*CustomCallAttrs)
	if !ok {
		return ""
	}
	if _, ok := lookup(handlers, a.Target); ok {
		return ""
	}
	if b, ok := builtins[a.Target]; ok && (b.fits == nil || b.fits(in)) {
		return ""
	}
	return fmt.Sprintf("the custom call %q", a.Target)
}
