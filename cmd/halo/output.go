package main

import (
	"cmp"
	"context"
	"io"
	"sync"

	"github.com/halo-xla/halo/internal/wholefile"
)

// output is the standard output of a command. It remembers how it first failed: commands print many lines, and ask
// after none of them.
type output struct {
	w io.Writer

	mu  sync.Mutex // a command that is told to stop leaves behind who prints
	err error
}

func (o *output) Write(b []byte) (int, error) {
	n, err := o.w.Write(b)
	o.mu.Lock()
	defer o.mu.Unlock()
	o.err = cmp.Or(o.err, err)
	return n, err
}

// failure is how the output first failed.
func (o *output) failure() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.err
}

// behind is the writer behind an output: processes that are started take a file as it is.
func behind(w io.Writer) io.Writer {
	if o, ok := w.(*output); ok {
		return o.w
	}
	return w
}

// stoppable is a writer that fails when ctx ends, in the middle of much, too.
type stoppable struct {
	ctx context.Context
	w   io.Writer
}

// writtenAtOnce is how many bytes a stoppable writes between two looks at its context.
const writtenAtOnce = 1 << 22

func (s stoppable) Write(b []byte) (int, error) {
	for done := 0; ; {
		if err := s.ctx.Err(); err != nil {
			return done, err
		}
		n, err := s.w.Write(b[done:min(len(b), done+writtenAtOnce)])
		if done += n; err != nil || done == len(b) {
			return done, err
		}
	}
}

// writeMuch makes a file of what fill writes, unless the tool is told to stop meanwhile.
func (t *tool) writeMuch(path string, fill func(io.Writer) error) error {
	return wholefile.WriteFrom(path, func(w io.Writer) error { return fill(stoppable{t.ctx, w}) })
}
