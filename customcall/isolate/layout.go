package isolate

import "github.com/halo-xla/halo/ffi"

// page is the size of the parts that memory is protected in, and at least that of the machine's pages.
const page = 64 << 10

// align is what the addresses of arrays are multiples of.
const align = 64

// layout says where the arrays of a call lie in the shared memory. The first page is for the record of a crash.
type layout struct {
	places
	size int64
}

func up(n, to int64) int64 { return (n + to - 1) / to * to }

// layoutOf packs the arrays. An operand whose memory a result has lies in the result's place.
func layoutOf(s *ffi.Site, c *ffi.Call) *layout {
	l := &layout{places{make([]int64, len(c.Operands)), make([]int64, len(c.Results))}, page}
	place := func(bytes int) int64 {
		at := l.size
		l.size += up(int64(bytes), align)
		return at
	}
	for i, b := range c.Results {
		l.Results[i] = place(len(b.Data))
	}
	for i, b := range c.Operands {
		if r := aliasOf(s, i); r >= 0 {
			l.Operands[i] = l.Results[r]
		} else {
			l.Operands[i] = place(len(b.Data))
		}
	}
	l.size = up(l.size, page)
	return l
}

// aliasOf is the result that has the memory of operand i, -1 if none has.
func aliasOf(s *ffi.Site, i int) int {
	for _, a := range s.Aliases {
		if a.Operand == i {
			return a.Result
		}
	}
	return -1
}

func (p *places) copyIn(memory []byte, c *ffi.Call) {
	for i, b := range c.Operands {
		copy(memory[p.Operands[i]:], b.Data)
	}
}

func (p *places) copyOut(memory []byte, c *ffi.Call) {
	for i, b := range c.Results {
		copy(b.Data, memory[p.Results[i]:])
	}
}

// buffers are the arrays as slices of the memory.
func (p *places) buffers(memory []byte, s *ffi.Site) (operands, results []ffi.Buffer) {
	take := func(values []ffi.Value, at []int64) []ffi.Buffer {
		out := make([]ffi.Buffer, len(values))
		for i, v := range values {
			end := at[i] + v.Bytes()
			out[i] = ffi.Buffer{Value: v, Data: memory[at[i]:end:end]}
		}
		return out
	}
	return take(s.Operands, p.Operands), take(s.Results, p.Results)
}
