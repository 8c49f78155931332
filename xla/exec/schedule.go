package exec

import (
	"slices"

	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/shape"
)

// schedule returns the instructions of comp in an order in which less lives at a time, if it finds one: always the
// ready instruction that adds least to what lives, the earlier one of equals. Side effects keep their order, and the
// order of a module that says that it is scheduled stays.
func (c *compiler) schedule(comp *hlo.Computation) []*hlo.Instruction {
	if c.program.module.Config.IsScheduled || len(comp.Instructions) > mostScheduled {
		return comp.Instructions
	}
	s := newScheduler(comp)
	if s == nil {
		return comp.Instructions
	}
	order := s.order()
	if s.peak(order)/gain*(gain+1) < s.peak(comp.Instructions) {
		return order
	}
	return comp.Instructions
}

// mostScheduled bounds the work of the scheduler, which looks at all ready instructions at each step.
const mostScheduled = 4000

// gain is the part of the peak that another order must save: one in so many. The program's own order is kind to caches.
const gain = 20

// scheduler knows what each instruction makes and needs. Instructions are numbered as they stand.
type scheduler struct {
	list  []*hlo.Instruction
	bytes []int64 // made by the instruction
	needs [][]int // the makers of the memory that it reads, once each
	after [][]int // those that must come later
	waits []int   // how many must come before
	uses  []int   // how many read what it made; one more for the root's makers
	left  []int   // uses to come
	parts [][]int // the makers of its value
	begin map[*hlo.Instruction]int
}

// mostParts is how many makers a value may have for the scheduler to look at the computation: tuples can be huge.
const mostParts = 1000

func newScheduler(comp *hlo.Computation) *scheduler {
	n, byName := len(comp.Instructions), map[string]int{}
	s := &scheduler{list: comp.Instructions, bytes: make([]int64, n), needs: make([][]int, n), after: make([][]int, n),
		waits: make([]int, n), uses: make([]int, n), left: make([]int, n), parts: make([][]int, n),
		begin: make(map[*hlo.Instruction]int, n)}
	effect := -1
	for i, in := range s.list {
		s.begin[in], byName[in.Name] = i, i
		s.read(i, in)
		if in.Common != nil {
			for _, name := range in.Common.Predecessors {
				if k, ok := byName[name]; ok && k != i {
					s.before(k, i)
				}
			}
		}
		if len(s.needs[i]) > mostParts {
			return nil
		}
		if in.HasSideEffect() {
			if effect >= 0 {
				s.before(effect, i)
			}
			effect = i
		}
	}
	for _, m := range s.parts[s.begin[comp.Root]] {
		s.uses[m]++
	}
	return s
}

// read notes what instruction i makes and what it reads.
func (s *scheduler) read(i int, in *hlo.Instruction) {
	for _, o := range in.Operands {
		k := s.begin[o]
		s.before(k, i)
		for _, m := range s.parts[k] {
			if !slices.Contains(s.needs[i], m) {
				s.needs[i] = append(s.needs[i], m)
				s.uses[m]++
			}
		}
	}
	switch {
	case in.Op == hlo.Parameter || in.Op == hlo.Constant: // no memory of the arena
	case renames[in.Op]:
		s.parts[i] = s.needs[i]
	default:
		s.bytes[i], s.parts[i] = leafBytes(in.Shape), []int{i}
	}
}

// renames are the ops whose value is in the memory of their operands.
var renames = [hlo.NumOps]bool{
	hlo.AddDependency: true, hlo.AsyncDone: true, hlo.AsyncUpdate: true, hlo.Bitcast: true, hlo.Copy: true,
	hlo.CopyDone: true, hlo.CopyStart: true, hlo.Domain: true, hlo.GetTupleElement: true,
	hlo.OptimizationBarrier: true, hlo.Reshape: true, hlo.Tuple: true,
}

func leafBytes(s shape.Shape) int64 {
	var n int64
	for _, e := range s.Leaves() {
		if b, err := e.WithoutLayout().ByteSize(); err == nil && !e.HasUnbounded() {
			n += aligned64(b)
		}
	}
	return n
}

func (s *scheduler) before(first, second int) {
	s.after[first] = append(s.after[first], second)
	s.waits[second]++
}

// growth is what running i adds to the memory that lives.
func (s *scheduler) growth(i int) int64 {
	n := s.bytes[i]
	if s.uses[i] == 0 {
		n = 0
	}
	for _, m := range s.needs[i] {
		if s.left[m] == 1 {
			n -= s.bytes[m]
		}
	}
	return n
}

// order is the greedy order.
func (s *scheduler) order() []*hlo.Instruction {
	copy(s.left, s.uses)
	waits := slices.Clone(s.waits)
	var ready []int
	for i := range s.list {
		if waits[i] == 0 {
			ready = append(ready, i)
		}
	}
	out := make([]*hlo.Instruction, 0, len(s.list))
	for len(ready) > 0 {
		k := s.best(ready)
		i := ready[k]
		ready = slices.Delete(ready, k, k+1)
		out = append(out, s.list[i])
		for _, m := range s.needs[i] {
			s.left[m]--
		}
		for _, next := range s.after[i] {
			if waits[next]--; waits[next] == 0 {
				ready = append(ready, next)
			}
		}
	}
	return out
}

// best is the place in ready of the instruction that adds least, the first in the program of equals.
func (s *scheduler) best(ready []int) int {
	best, least := 0, s.growth(ready[0])
	for k, i := range ready[1:] {
		if g := s.growth(i); g < least || g == least && i < ready[best] {
			best, least = k+1, g
		}
	}
	return best
}

// peak is the most that lives at a time in an order.
func (s *scheduler) peak(order []*hlo.Instruction) int64 {
	copy(s.left, s.uses)
	var now, most int64
	for _, in := range order {
		i := s.begin[in]
		now += s.bytes[i]
		most = max(most, now)
		if s.uses[i] == 0 {
			now -= s.bytes[i]
		}
		for _, m := range s.needs[i] {
			if s.left[m]--; s.left[m] == 0 {
				now -= s.bytes[m]
			}
		}
	}
	return most
}
