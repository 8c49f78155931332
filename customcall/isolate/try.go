package isolate

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/halo-xla/halo/ffi"
	"github.com/halo-xla/halo/xla/shape"
)

// Trial says how a call is tried: each array lies between pages that must not be touched, and operands cannot be
// written.
type Trial struct {
	// AtEnd has arrays end at such a page, as nearly as their alignment allows, else they begin at one.
	AtEnd bool
	// Fill is what every byte of the results is before the call.
	Fill byte
	// Copies are how many calls are made at the same time, on the same operands; 0 is one.
	Copies int
	// Open lets the memory around arrays be touched: what is written there is only seen afterwards.
	Open bool
	// Poison tells AddressSanitizer of the bytes around arrays, if the process has it.
	Poison bool
}

// canary is in the bytes around arrays that cannot be protected, since a page is the least that can be.
const canary = 0xC5

// area is an array of a trial and the memory around it.
type area struct {
	name      string // "result 0 (f32[2,3])"
	at, bytes int64  // the array
	from, to  int64  // the pages that it is in; may be empty
	readOnly  bool
	fill      byte
	start     []byte // what is in it before the call; nil: fill
}

// trial is a layout in which every array has pages of its own.
type trial struct {
	Trial
	areas []area
	runs  []places
	size  int64
}

func (t *trial) place(a area) int64 {
	t.size += page // that must not be touched
	a.from = t.size
	a.to = a.from + up(a.bytes, page)
	a.at = a.from
	if t.AtEnd {
		a.at = a.to - up(a.bytes, align)
	}
	t.size = a.to
	t.areas = append(t.areas, a)
	return a.at
}

func newTrial(t Trial, s *ffi.Site, c *ffi.Call) *trial {
	l := &trial{Trial: t, size: page}
	operands := make([]int64, len(c.Operands))
	for i, b := range c.Operands {
		if aliasOf(s, i) < 0 {
			operands[i] = l.place(area{name: nameOf("operand", i, b), bytes: int64(len(b.Data)), readOnly: true, start: b.Data})
		}
	}
	for range max(t.Copies, 1) {
		run := places{append([]int64(nil), operands...), make([]int64, len(c.Results))}
		for i, b := range c.Results {
			run.Results[i] = l.place(area{name: nameOf("result", i, b), bytes: int64(len(b.Data)), fill: t.Fill})
		}
		for i, b := range c.Operands {
			if r := aliasOf(s, i); r >= 0 {
				run.Operands[i] = run.Results[r]
				l.areas[len(l.areas)-len(c.Results)+r].start = b.Data
			}
		}
		l.runs = append(l.runs, run)
	}
	l.size += page
	return l
}

func nameOf(kind string, i int, b ffi.Buffer) string {
	return fmt.Sprintf("%s %d (%v)", kind, i, shape.Array(b.Type, b.Dims...))
}

// prepare fills the memory.
func (t *trial) prepare(memory []byte) {
	for _, a := range t.areas {
		for i := range memory[a.from:a.to] {
			memory[a.from+int64(i)] = canary
		}
		array := memory[a.at : a.at+a.bytes]
		for i := range array {
			array[i] = a.fill
		}
		if a.start != nil {
			copy(array, a.start)
		}
	}
}

// traps are the pages between arrays, those of operands, and the rest of pages for AddressSanitizer.
func (t *trial) traps() []trap {
	var list []trap
	if t.Open && !t.Poison {
		return nil
	}
	last := int64(page)
	for _, a := range t.areas {
		list, last = append(list, trap{Offset: last, Bytes: a.from - last}), a.to
		if a.readOnly && a.to > a.from {
			list = append(list, trap{a.from, a.to - a.from, true})
		}
		if end := a.at + a.bytes; t.Poison {
			list = append(list, trap{Offset: a.from, Bytes: a.at - a.from}, trap{Offset: end, Bytes: a.to - end})
		}
	}
	return append(list, trap{Offset: last, Bytes: t.size - last})
}

// changed lists the operands that were written, and the arrays around which something was.
func (t *trial) changed(memory []byte) []string {
	var found []string
	for _, a := range t.areas {
		end := a.at + a.bytes
		if now := memory[a.at:end]; a.readOnly && !bytes.Equal(now, a.start) {
			found = append(found, "the function wrote "+a.describe(a.at+firstDifference(now, a.start)))
		}
		for at := a.from; at < a.to; at++ {
			if (at < a.at || at >= end) && memory[at] != canary {
				found = append(found, "the function wrote "+a.describe(at))
				break
			}
		}
	}
	return found
}

func firstDifference(a, b []byte) int64 {
	for i := range a {
		if a[i] != b[i] {
			return int64(i)
		}
	}
	return -1
}

// describe says where an offset lies with regard to the array.
func (a *area) describe(at int64) string {
	switch end := a.at + a.bytes; {
	case at < a.at:
		return fmt.Sprintf("%s before the start of %s", count(a.at-at), a.name)
	case at >= end:
		return fmt.Sprintf("at byte %d of %s, which has %s", at-a.at, a.name, count(a.bytes))
	case a.readOnly:
		return fmt.Sprintf("to %s, at its byte %d: operands must not be changed", a.name, at-a.at)
	}
	return fmt.Sprintf("at byte %d of %s", at-a.at, a.name)
}

func count(n int64) string {
	if n == 1 {
		return "1 byte"
	}
	return fmt.Sprintf("%d bytes", n)
}

// find says which array an offset is nearest to, "" if it is near none.
func (t *trial) find(at int64) string {
	for i := range t.areas {
		a := &t.areas[i]
		next := t.size
		if i+1 < len(t.areas) {
			next = t.areas[i+1].from
		}
		if at < a.from-page || at >= next {
			continue
		}
		if i+1 < len(t.areas) && at >= a.to+page/2 {
			continue // it is nearer to the next
		}
		if a.readOnly && at >= a.at && at < a.at+a.bytes {
			return "which wrote " + a.describe(at)
		}
		return "which touched memory " + a.describe(at)
	}
	return ""
}

// Growth executes the site n times, three times over, and returns by how many bytes the heap of the process grew the
// second time and the third; both are 0 where nobody knows. It fails as Call does.
func (i *Instance) Growth(ctx context.Context, c *ffi.Call, n int) (second, third int64, err error) {
	err = i.with(ctx, func(p *process) error {
		l := layoutOf(i.site, c)
		if err := p.memory.grow(l.size); err != nil {
			return err
		}
		l.copyIn(p.memory.data, c)
		err := p.call(ctx, i, &request{Kind: growthKind, ID: i.id, RunID: c.RunID, Device: c.Device, Size: l.size,
			Runs: []places{l.places}, Times: n})
		second, third = p.growth[0], p.growth[1]
		return err
	})
	return second, third, err
}

// Try executes the site as t says and returns the results of each copy. The findings are sentences about memory that
// the function wrote and must not. It fails as Call does; a *Death says in Place which array the function left.
func (i *Instance) Try(ctx context.Context, c *ffi.Call, t Trial) (results [][]ffi.Buffer, findings []string,
	err error) {
	l := newTrial(t, i.site, c)
	err = i.with(ctx, func(p *process) error {
		if err := p.memory.grow(l.size); err != nil {
			return err
		}
		l.prepare(p.memory.data)
		if err := p.call(ctx, i, &request{Kind: callKind, ID: i.id, RunID: c.RunID, Device: c.Device, Size: l.size,
			Runs: l.runs, Traps: l.traps(), Poison: t.Poison}); err != nil {
			return err
		}
		findings = l.changed(p.memory.data)
		for _, run := range l.runs {
			_, out := run.buffers(p.memory.data, i.site)
			for n := range out {
				out[n].Data = bytes.Clone(out[n].Data)
			}
			results = append(results, out)
		}
		return nil
	})
	var d *Death
	if errors.As(err, &d) {
		if at, ok := d.offset(); ok {
			d.Place = l.find(at)
		}
	}
	return results, findings, err
}
