//go:build cgo && linux

package ffi

import (
	"context"
	"errors"
	"unsafe"
)

// Call executes the site on buffers in their layouts. It fails as Frame.Call does; the buffers of an unfinished call
// are only pinned. Without layouts it needs no memory.
func (n *Native) Call(ctx context.Context, c *Call) (err error) {
	if len(c.Operands) != len(n.site.Operands) || len(c.Results) != len(n.site.Results) {
		return errors.New("ffi: a call with other operands or results than its site")
	}
	f := n.Frame()
	defer n.Release(f)
	defer func() { f.drop(err) }()
	for i, b := range c.Operands {
		if _, err := f.take(i, b); err != nil {
			return err
		}
	}
	for i, b := range c.Results {
		data, err := f.take(len(c.Operands)+i, b)
		if err != nil {
			return err
		}
		f.results = append(f.results, data)
	}
	if err := f.Call(ctx, c.RunID, c.Device); err != nil {
		return err
	}
	for i, b := range c.Results {
		if b.MinorToMajor != nil {
			copy(b.Data, b.Laid(f.results[i]))
		}
	}
	return nil
}

// take pins the elements of buffer i for the next call and returns them, row-major: frames give functions the layout
// that they want.
func (f *Frame) take(i int, b Buffer) ([]byte, error) {
	if want := b.Bytes(); int64(len(b.Data)) != want {
		return nil, Errorf(InvalidArgument, "buffer %d has %d bytes, want %d", i, len(b.Data), want)
	}
	data := b.Data
	f.Addresses[i] = 0
	if len(data) == 0 {
		return data, nil
	}
	if b.MinorToMajor != nil {
		data = b.RowMajor(data)
	}
	f.pins.Pin(&data[0])
	f.Addresses[i] = uintptr(unsafe.Pointer(&data[0]))
	return data, nil
}

// drop lets go of what the frame took for a call that ended with err: now, or when an *Unfinished is over.
func (f *Frame) drop(err error) {
	clear(f.results)
	f.results = f.results[:0]
	if !f.left {
		f.pins.Unpin()
		return
	}
	var u *Unfinished
	errors.As(err, &u)
	go func() {
		<-u.over
		f.pins.Unpin()
	}()
}
