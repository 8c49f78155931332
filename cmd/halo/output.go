package main

import (
	"cmp"
	"io"
)

// output is the standard output of a command. It remembers how it first failed: commands print many lines, and ask
// after none of them.
type output struct {
	w   io.Writer
	err error
}

func (o *output) Write(b []byte) (int, error) {
	n, err := o.w.Write(b)
	o.err = cmp.Or(o.err, err)
	return n, err
}

// behind is the writer behind an output: processes that are started take a file as it is.
func behind(w io.Writer) io.Writer {
	if o, ok := w.(*output); ok {
		return o.w
	}
	return w
}
