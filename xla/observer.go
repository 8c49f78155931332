package xla

import (
	"sync/atomic"
	"time"
)

// Observer is told what a client does, for metrics and traces. Its methods are called on the goroutine that did it,
// when it is done; they must be quick, and safe for concurrent use.
type Observer interface {
	// Compiled is called after each Compile.
	Compiled(e CompileEvent)
	// Executed is called after each execution.
	Executed(e ExecuteEvent)
}

// CompileEvent is one Compile.
type CompileEvent struct {
	// Program is the module's name, "" if it could not be read.
	Program string
	// Cached says that the program had been compiled before.
	Cached   bool
	Duration time.Duration
	Err      error
}

// ExecuteEvent is one execution.
type ExecuteEvent struct {
	// Program is the module's name.
	Program string
	// Devices is how many devices it ran on.
	Devices  int
	Duration time.Duration
	Err      error
}

// Totals count what a client has done since it was made.
type Totals struct {
	// Compiles are those that succeeded, Cached among them found compiled.
	Compiles, Cached int64
	// Executions are all that began, Failures those that ended with an error.
	Executions, Failures int64
}

// totals are counts; executions of open executables on one device are counted by their gates.
type totals struct{ compiles, cached, executions, failures atomic.Int64 }

// Totals returns what the client has done so far.
func (c *Client) Totals() Totals {
	c.mu.Lock()
	defer c.mu.Unlock()
	t := &c.totals
	sum := Totals{
		Compiles: t.compiles.Load(), Cached: t.cached.Load(),
		Executions: t.executions.Load(), Failures: t.failures.Load(),
	}
	for st := range c.executables {
		sum.Executions += st.gate.through()
	}
	return sum
}

// noteCompile counts a Compile, logs it, and tells the observer.
func (c *Client) noteCompile(name string, cached bool, start time.Time, err error) {
	took := time.Since(start)
	c.logger().Debug("xla: compiled", "program", name, "backend", c.backend.Name(), "cached", cached,
		"took", took, "err", err)
	if err == nil {
		c.totals.compiles.Add(1)
		if cached {
			c.totals.cached.Add(1)
		}
	}
	if o := c.options.Observer; o != nil {
		o.Compiled(CompileEvent{Program: name, Cached: cached, Duration: took, Err: err})
	}
}

// noteExecute counts the failure of an execution, if it is one, and tells the observer, if there is one: then the
// execution began at start.
func (c *Client) noteExecute(name string, devices int, start time.Time, err error) {
	if err != nil {
		c.totals.failures.Add(1)
	}
	if o := c.options.Observer; o != nil {
		o.Executed(ExecuteEvent{Program: name, Devices: devices, Duration: time.Since(start), Err: err})
	}
}

// clock returns the time for an observer, none if there is none.
func (c *Client) clock() time.Time {
	if c.options.Observer == nil {
		return time.Time{}
	}
	return time.Now()
}
