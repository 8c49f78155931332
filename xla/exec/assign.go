package exec

import (
	"fmt"

	"github.com/halo-xla/halo/xla/hlo"
)

// alignment is that of temporaries in the arena, in bytes: a line of the cache.
const alignment = 64

// assign gives every temporary a place in the arena.
func (p *program) assign() error {
	var end int64
	for i := range p.slots {
		if s := &p.slots[i]; s.kind == temporary {
			s.offset = end
			end += (s.size + alignment - 1) / alignment * alignment
		}
	}
	p.arenaBytes = end
	if limit := p.options.MemoryLimit; limit > 0 && end > limit {
		return fmt.Errorf("%w: the program's temporary values take %d bytes, the limit is %d", hlo.ErrLimit, end, limit)
	}
	return nil
}
