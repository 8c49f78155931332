package xla

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/halo-xla/halo/xla/exec"
	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/shape"
)

// Signature is what a program takes and gives.
type Signature struct {
	Parameters, Results []Value
}

// Value is a parameter or a result.
type Value struct {
	// Name is the producer's name for it, "arg0" or "result0" if it has none. The second of a name has "#2" added.
	Name  string
	Shape shape.Shape
	// Sharding is how a parameter is cut among devices where the program says so and leaves it to a compiler to do it:
	// "{devices=[2,1]<=[2]}" in HLO's text. It does not change what this library wants, which is all of Shape.
	Sharding string
}

// SignatureOf returns the signature of a module.
func SignatureOf(m *hlo.Module) Signature {
	var s Signature
	for i, p := range m.Entry.Parameters {
		name := cmp.Or(p.Name, fmt.Sprintf("arg%d", i))
		v := Value{Name: nameOr(m.ParameterNames, i, name), Shape: p.Shape}
		if p.Common != nil {
			v.Sharding = string(p.Common.Sharding)
		}
		s.Parameters = append(s.Parameters, v)
	}
	for i, r := range m.Entry.Root.Shape.Leaves() {
		s.Results = append(s.Results, Value{Name: nameOr(m.ResultNames, i, fmt.Sprintf("result%d", i)), Shape: r})
	}
	distinct(s.Parameters)
	distinct(s.Results)
	return s
}

// distinct makes names differ: a producer may give two values one name, as a dictionary "a/b" of "c" does beside one of
// "b/c" in "a".
func distinct(vs []Value) {
	count := make(map[string]int, len(vs))
	for _, v := range vs {
		count[v.Name] = 1
	}
	seen := make(map[string]bool, len(vs))
	for i := range vs {
		name := vs[i].Name
		for seen[vs[i].Name] {
			count[name]++
			vs[i].Name = fmt.Sprintf("%s#%d", name, count[name])
		}
		seen[vs[i].Name] = true
	}
}

// nameOr returns name i of the producer's, or name if it gave none.
func nameOr(names []string, i int, name string) string {
	if i < len(names) {
		return names[i]
	}
	return name
}

// String returns the signature on one line: "(x f32[2,3]) -> (result0 f32[2])". Of many parameters or results the first
// are named, and the others counted.
func (s Signature) String() string {
	return "(" + list(s.Parameters) + ") -> (" + list(s.Results) + ")"
}

// strangerTo says that b is a device of another client than d is, where their names do not tell.
func (d *Device) strangerTo(b *Device) string {
	if d.client == b.client {
		return ""
	}
	return " of another client"
}

// maxListed is how many values a line names.
const maxListed = 32

func list(vs []Value) string {
	var parts []string
	for _, v := range vs[:min(len(vs), maxListed)] {
		parts = append(parts, v.Name+" "+v.Shape.String())
	}
	if n := len(vs) - maxListed; n > 0 {
		parts = append(parts, fmt.Sprintf("and %d more", n))
	}
	return strings.Join(parts, ", ")
}

// take appends the values of args to out, which stay as they are until dropAll, or names the parameter that does not
// get what it wants, on device d.
func (s *Signature) take(c *exec.Call, args []*Buffer, d *Device) error {
	if len(args) != len(s.Parameters) {
		return errorf(InvalidArgument, "got %d arguments, want %d: %s", len(args), len(s.Parameters), list(s.Parameters))
	}
	c.Fit = true
	for i, b := range args {
		p := &s.Parameters[i]
		if b == nil {
			dropAll(args[:i])
			return errorf(InvalidArgument, "argument %d (%s): %w, want %v", i, p.Name, errNil, p.Shape)
		}
		if err := b.take(); err != nil {
			dropAll(args[:i])
			return errorf(Closed, "argument %d (%s): %w", i, p.Name, err)
		}
		if !b.state.fits(&p.Shape) {
			dropAll(args[:i+1])
			return errorf(InvalidArgument, "argument %d (%s): got %v, want %v%s", i, p.Name, b.Shape(), p.Shape,
				p.partHint(b.Shape()))
		}
		if b.device != d {
			dropAll(args[:i+1])
			return errorf(InvalidArgument, "argument %d (%s) is on device %v%s, want %v: CopyTo copies it there", i, p.Name,
				b.device, d.strangerTo(b.device), d)
		}
		b.state.pin() // so that executions at the same time need not do it each
		c.Args, c.Fit = append(c.Args, b.state.value), c.Fit && b.state.plain
		if b.state.array != nil {
			c.Arrays = append(append(c.Arrays, make([]*exec.Array, i-len(c.Arrays))...), b.state.array)
		}
	}
	return nil
}

// dropAll ends what take began.
func dropAll(args []*Buffer) {
	for _, b := range args {
		b.drop()
	}
}

// order puts named arguments into the order of the parameters.
func (s Signature) order(args map[string]*Buffer) ([]*Buffer, error) {
	out := make([]*Buffer, len(s.Parameters))
	left := len(args)
	for i, p := range s.Parameters {
		b, ok := args[p.Name]
		if !ok {
			return nil, errorf(InvalidArgument, "argument %q is missing, want %v", p.Name, p.Shape)
		}
		out[i] = b
		left--
	}
	if left == 0 {
		return out, nil
	}
	for name := range args {
		if !s.has(name) {
			return nil, errorf(InvalidArgument, "there is no parameter %q, want one of: %s", name, list(s.Parameters))
		}
	}
	return out, nil
}

func (s Signature) has(name string) bool {
	for _, p := range s.Parameters {
		if p.Name == name {
			return true
		}
	}
	return false
}
