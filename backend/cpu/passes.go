package cpu

import "github.com/halo-xla/halo/xla/pass"

// rounds is how often the cleaning passes run again because they have changed something.
const rounds = 4

// Passes is the pipeline of this backend.
func (m *machine) Passes() []pass.Pass {
	return []pass.Pass{
		pass.Inline(),
		pass.DCE(),
		pass.Repeat("clean", rounds, pass.Tuples(), pass.Simplify(), pass.Fold(), pass.CSE(), pass.DCE()),
	}
}
