package exec

import (
	"errors"
	"fmt"

	"github.com/halo-xla/halo/xla/hlo"
)

// maxWritten is how many instructions a program may have when its calls are written out, beyond four times those of
// its text: passes make some of them one, but a short text whose functions call others twice has no end of them.
const maxWritten = 16 * maxSteps

// checkWritten fails if m is too large once the computations that it calls stand in the place of their calls. Passes
// would put many there before that is found.
func checkWritten(m *hlo.Module) error {
	own := 0
	for _, c := range m.Computations {
		own += len(c.Instructions)
	}
	limit := maxWritten + 4*own
	if n := written(m.Entry, limit, map[*hlo.Computation]int{}); n > limit {
		return fmt.Errorf("%s: the program has more than %d instructions when its calls are expanded: %w", m.Name, limit,
			errors.ErrUnsupported)
	}
	return nil
}

// written counts the instructions of c with those of all that it calls, as often as it does, up to limit + 1.
func written(c *hlo.Computation, limit int, known map[*hlo.Computation]int) int {
	n, ok := known[c]
	if ok {
		return n
	}
	for _, in := range c.Instructions {
		n = min(n+1, limit+1)
		for _, called := range in.Called() {
			n = min(n+written(called, limit, known), limit+1)
		}
	}
	known[c] = n
	return n
}
