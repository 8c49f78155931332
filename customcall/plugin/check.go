package plugin

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/halo-xla/halo/customcall"
	"github.com/halo-xla/halo/customcall/isolate"
	"github.com/halo-xla/halo/ffi"
)

// Checker tries every call of the handlers that it wraps and collects what their functions do wrong. The zero value
// looks for results that are not written and operands that are.
type Checker struct {
	// GuardPages puts pages that must not be touched around every array.
	GuardPages bool
	// Race is how many calls are made at the same time, if above 1.
	Race int
	// ASan tells AddressSanitizer, which the processes must have, where arrays end.
	ASan bool

	mu       sync.Mutex
	findings []Finding
	calls    int
}

// Finding is something that a function does wrong.
type Finding struct {
	Target string `json:"target"`
	// Trial is what was done: "guard pages", "race", ...
	Trial string `json:"trial"`
	What  string `json:"what"`
}

// Findings returns what was found, and how many calls were tried.
func (c *Checker) Findings() ([]Finding, int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.findings, c.calls
}

// add keeps a finding unless it is known.
func (c *Checker) add(target, trial, what string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	f := Finding{target, trial, what}
	for _, known := range c.findings {
		if known == f {
			return
		}
	}
	c.findings = append(c.findings, f)
}

// Wrap returns h with its calls tried. Its instances are those of package isolate; others are only called.
func (c *Checker) Wrap(h customcall.Handler) customcall.Handler { return checked{c, h} }

type checked struct {
	*Checker
	customcall.Handler
}

// Instantiate wraps an instance. A process that ends meanwhile is a finding.
func (c checked) Instantiate(ctx context.Context, s *ffi.Site) (customcall.Instance, error) {
	made, err := c.Handler.Instantiate(ctx, s)
	if err != nil {
		c.died(s.Target, "load", err)
		return nil, err
	}
	if i, ok := made.(*isolate.Instance); ok {
		return &checkedInstance{c.Checker, i, s}, nil
	}
	return made, nil
}

// died adds a finding if err is the end of a process, or a hang.
func (c *Checker) died(target, trial string, err error) bool {
	var d *isolate.Death
	var known *ffi.Error
	switch {
	case errors.As(err, &d):
		what := d.Unwrap().(*ffi.Error).Message
		if d.Place != "" {
			what = d.Place[len("which "):] // the sentence about memory says it all
			what = "it " + what
		}
		c.add(target, trial, what)
		return true
	case errors.As(err, &known) && known.Code == ffi.DeadlineExceeded:
		c.add(target, trial, known.Message)
		return true
	}
	return false
}

type checkedInstance struct {
	*Checker
	*isolate.Instance
	site *ffi.Site
}

// Call executes the site as the program wants it, and then as often as the checks need.
func (i *checkedInstance) Call(ctx context.Context, c *ffi.Call) error {
	i.mu.Lock()
	i.calls++
	known := len(i.findings)
	i.mu.Unlock()
	again := *c
	again.Operands = clones(c.Operands)
	err := i.Instance.Call(ctx, c)
	i.results(ctx, &again, err)
	if i.ASan {
		i.try(ctx, &again, "asan", isolate.Trial{Poison: true}, err)
	}
	if err == nil && !i.site.HasSideEffect {
		i.leaks(ctx, &again)
	}
	if found, _ := i.Findings(); len(found) == known { // else the trials have said it better
		i.died(i.site.Target, "call", err)
	}
	return err
}

// What is a leak: so many calls leave so many bytes each, which is half of the least that an allocator gives, and the
// same number of calls once more do so too.
const (
	leakCalls = 32
	leakBytes = 16
)

// leaks looks whether calls keep memory.
func (i *checkedInstance) leaks(ctx context.Context, c *ffi.Call) {
	second, third, err := i.Instance.Growth(ctx, c, leakCalls)
	if known := (*ffi.Error)(nil); errors.As(err, &known) && known.Code == ffi.DeadlineExceeded {
		return // so many calls may take longer than one may
	}
	least := min(second, third) // a thread that begins meanwhile takes memory, too
	if i.died(i.site.Target, "leak", err) || err != nil || least < leakCalls*leakBytes {
		return
	}
	i.add(i.site.Target, "leak", fmt.Sprintf("each call leaves about %d bytes allocated", least/leakCalls))
}

func clones(list []ffi.Buffer) []ffi.Buffer {
	out := make([]ffi.Buffer, len(list))
	for i, b := range list {
		out[i] = ffi.Buffer{Value: b.Value, Data: bytes.Clone(b.Data)}
	}
	return out
}

// The bytes of results before a call: what is left of both was not written.
const (
	fillA = 0xFF // of floats, a NaN
	fillB = 0x5A
)

// results tries the call twice and compares: what was not written, what differs.
func (i *checkedInstance) results(ctx context.Context, c *ffi.Call, failed error) {
	a := i.try(ctx, c, i.guards("start"), isolate.Trial{Fill: fillA}, failed)
	b := i.try(ctx, c, i.guards("end"), isolate.Trial{Fill: fillB, AtEnd: true}, failed)
	if failed != nil || a == nil || b == nil {
		return
	}
	i.compare("results", a[0], b[0], true)
	if i.Race < 2 {
		return
	}
	many := i.try(ctx, c, "race", isolate.Trial{Fill: fillA, Copies: i.Race}, failed)
	for _, results := range many {
		i.compare("race", a[0], results, false)
	}
}

// guards is the trial's name.
func (i *checkedInstance) guards(side string) string {
	if i.GuardPages {
		return "guard pages at the " + side
	}
	return "memory"
}

// try returns the results of each copy, nil if the function failed, which it may if it failed before.
func (i *checkedInstance) try(ctx context.Context, c *ffi.Call, name string, t isolate.Trial,
	failed error) [][]ffi.Buffer {
	t.Open = !i.GuardPages
	results, findings, err := i.Instance.Try(ctx, c, t)
	for _, f := range findings {
		i.add(i.site.Target, name, f)
	}
	if err != nil {
		if !i.died(i.site.Target, name, err) && failed == nil {
			i.add(i.site.Target, name, "it fails when it is called again: "+err.Error())
		}
		return nil
	}
	return results
}

// compare looks for elements that two calls left as they were, and for others that differ.
func (i *checkedInstance) compare(trial string, a, b []ffi.Buffer, fills bool) {
	for r := range a {
		width := max(int64(len(a[r].Data))/max(a[r].Elements(), 1), 1)
		for at := range a[r].Data {
			x, y := a[r].Data[at], b[r].Data[at]
			if x == y {
				continue
			}
			where := fmt.Sprintf("result %d, element %d", r, int64(at)/width)
			switch {
			case fills && x == fillA && y == fillB:
				i.add(i.site.Target, trial, where+" is not written")
			case i.site.HasSideEffect:
			case trial == "race":
				i.add(i.site.Target, trial, where+" differs when several calls are made at the same time")
			default:
				i.add(i.site.Target, trial, where+" differs between two calls on the same operands")
			}
			break // one a result
		}
	}
}
