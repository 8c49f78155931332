// Package pass makes programs better: steps from a module to one that means the same and runs faster or is simpler.
//
// A pass does not change the module that it is given. It makes new computations where something changes, by the editor
// of edit.go, and shares the others with the old module.
package pass

import (
	"context"
	"fmt"

	"github.com/halo-xla/halo/xla/hlo"
)

// Pass is one step.
type Pass struct {
	Name string
	// Run returns a module that means the same as m; m itself if there is nothing to do.
	Run func(m *hlo.Module) (*hlo.Module, error)
	// Within is Run of a pass that may take long, and gives up when ctx ends; Run is nil then.
	Within func(ctx context.Context, m *hlo.Module) (*hlo.Module, error)
}

// Options say what happens between passes. The zero value only runs them.
type Options struct {
	// Verify checks the module after each pass that changed it.
	Verify bool
	// After is called after each pass, with its place in the list; nil: nobody looks.
	After func(i int, p Pass, m *hlo.Module, changed bool) error
}

// Run runs passes on m in their order and returns what the last gives. It fails with the name of the pass that failed,
// or with ctx's error when ctx ends.
func Run(ctx context.Context, m *hlo.Module, passes []Pass, o Options) (*hlo.Module, error) {
	for i, p := range passes {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		next, err := p.run(ctx, m)
		if err != nil {
			return nil, fmt.Errorf("pass %s: %w", p.Name, err)
		}
		changed := next != m
		m = next
		if o.Verify && changed {
			if err := hlo.Verify(m); err != nil {
				return nil, fmt.Errorf("after pass %s: %w", p.Name, err)
			}
		}
		if o.After != nil {
			if err := o.After(i, p, m, changed); err != nil {
				return nil, err
			}
		}
	}
	return m, nil
}

// bug is what passes panic with when they have made a wrong instruction; it ends the pass as an error.
type bug struct{ error }

func (p Pass) run(ctx context.Context, m *hlo.Module) (out *hlo.Module, err error) {
	defer func() {
		if r := recover(); r != nil {
			b, ok := r.(bug)
			if !ok {
				panic(r)
			}
			err = fmt.Errorf("bug: %w", b.error)
		}
	}()
	if p.Within != nil {
		return p.Within(ctx, m)
	}
	return p.Run(m)
}

// cleanings is how often the passes of Clean run again because they have changed something.
const cleanings = 4

// Clean returns the pass, of any name, that simplifies a module and drops what nothing needs, until nothing changes.
func Clean(name string) Pass { return Repeat(name, cleanings, Tuples(), Simplify(), CSE(), DCE()) }

// Repeat returns a pass that runs passes again and again until none of them changes anything, at most times times.
func Repeat(name string, times int, passes ...Pass) Pass {
	return Pass{Name: name, Run: func(m *hlo.Module) (*hlo.Module, error) {
		for range times {
			before := m
			for _, p := range passes {
				var err error
				if m, err = p.Run(m); err != nil {
					return nil, fmt.Errorf("%s: %w", p.Name, err)
				}
			}
			if m == before {
				break
			}
		}
		return m, nil
	}}
}

// Order says that one pass must come before another where a pipeline has both.
type Order struct{ Before, After, Because string }

// CheckOrder fails if passes breaks one of orders, or if an order names a pass that the pipeline does not have.
func CheckOrder(passes []Pass, orders []Order) error {
	first, last := map[string]int{}, map[string]int{}
	for i, p := range passes {
		if _, ok := first[p.Name]; !ok {
			first[p.Name] = i
		}
		last[p.Name] = i
	}
	for _, o := range orders {
		after, ok := first[o.After]
		before, known := last[o.Before]
		if !ok || !known {
			return fmt.Errorf("order of %s and %s: the pipeline does not have both", o.Before, o.After)
		}
		if before > after {
			return fmt.Errorf("%s comes after %s, want it before because %s", o.Before, o.After, o.Because)
		}
	}
	return nil
}
