//go:build cgo

package cuda

import (
	"slices"

	"github.com/halo-xla/halo/cgo/cuda"
	"github.com/halo-xla/halo/xla/exec"
)

// work is some commands that follow each other, up to number end, and all the memory that they use.
type work struct {
	end  int
	uses []exec.Use
}

// What a piece of work takes on a GPU, about: so many seconds for a command to begin, so many bytes in a second. A
// sequence has branches if the device would be done with them in less than one part in worthwhile of the time.
const (
	commandTime = 1.5e-6
	bytesPerSec = 3e12
	worthwhile  = 1.1
	mostWork    = 2000 // of a sequence with branches: what depends on what is asked of each pair
)

// branches returns for each piece of work the numbers of those that it must wait for, without those that these wait for
// themselves, so that the device may do several at a time; nil if it does one after the other.
func (c *commands) branches(m *memory) [][]int {
	n := len(c.work)
	if !m.device.conditional || n < 3 || n > mostWork || c.work[n-1].end < c.Len() {
		return nil
	}
	before, all := make([][]int, n), make([]bits, n)
	memory := make([]access, n)
	ends := make([]float64, n) // when each is done, at best
	var total, moved, last float64
	from := 0
	for i, w := range c.work {
		memory[i], all[i] = m.access(w.uses), make(bits, n/64+1)
		for k := i - 1; k >= 0; k-- {
			if !all[i].has(k) && memory[i].conflicts(&memory[k]) {
				before[i] = append(before[i], k)
				all[i].join(all[k], k)
				ends[i] = max(ends[i], ends[k])
			}
		}
		begin, move := commandTime*float64(w.end-from), memory[i].bytes/bytesPerSec
		ends[i] += begin + move
		total, moved, last, from = total+begin+move, moved+move, max(last, ends[i]), w.end
	}
	if total < worthwhile*max(last, moved) {
		return nil
	}
	return before
}

// bits is a set of numbers.
type bits []uint64

func (b bits) has(i int) bool { return b[i/64]>>(i%64)&1 != 0 }

// join adds a set, and a number.
func (b bits) join(other bits, i int) {
	for w, x := range other {
		b[w] |= x
	}
	b[i/64] |= 1 << (i % 64)
}

// access is the memory that a piece of work reads and writes.
type access struct {
	reads, writes []span
	bytes         float64
}

type span struct{ from, to cuda.Ptr }

// access is where uses lie now.
func (m *memory) access(uses []exec.Use) (a access) {
	for _, u := range uses {
		if u.Slice.Slot == exec.NoSlot || u.Slice.Size == 0 {
			continue
		}
		from := m.base[u.Slice.Slot] + cuda.Ptr(u.Slice.Offset)
		s := span{from, from + cuda.Ptr(u.Slice.Size)}
		if u.Write {
			a.writes = append(a.writes, s)
		} else {
			a.reads = append(a.reads, s)
		}
		a.bytes += float64(u.Slice.Size)
	}
	return a
}

// conflicts reports whether one writes what the other reads or writes.
func (a *access) conflicts(b *access) bool {
	return meet(a.writes, b.writes) || meet(a.writes, b.reads) || meet(a.reads, b.writes)
}

func meet(a, b []span) bool {
	return slices.ContainsFunc(a, func(x span) bool {
		return slices.ContainsFunc(b, func(y span) bool { return x.from < y.to && y.from < x.to })
	})
}
