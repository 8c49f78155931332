package xla

import (
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// Buffer is an array on a device of a client. Its contents never change.
type Buffer struct {
	device *Device
	state  *bufferState
	warden *warden // of an open buffer
}

// bufferState is shared with the clean-up of the warden, so it must not point back at the Buffer.
type bufferState struct {
	value  *literal.Literal
	client *Client
	bytes  int64
	// users are the calls that work on the value, and one for the open buffer. At 0 the value's memory is free.
	users  atomic.Int32
	closed atomic.Bool
	// seen says that others may hold the value's memory: it is not used again.
	seen atomic.Bool
	// private says that the memory was made for the buffer.
	private bool
	// pins keep the value's memory where native code has seen it, for as long as there are users.
	pinning sync.Mutex
	pinned  atomic.Bool
	pins    runtime.Pinner
	// recycle takes back the memory of a value that nobody has seen; nil: the collector does.
	recycle func(l *literal.Literal)
}

func (d *Device) newBuffer(l *literal.Literal, private bool, recycle func(l *literal.Literal)) *Buffer {
	c := d.client
	st := &bufferState{value: l, client: c, bytes: int64(len(l.Bytes())), private: private, recycle: recycle}
	st.users.Store(1)
	c.live.buffers.Add(1)
	c.live.bytes.Add(st.bytes)
	return &Buffer{device: d, state: st, warden: watch(st)}
}

// release closes the buffer and reports whether this call did it.
func (st *bufferState) release() bool {
	if st.closed.Swap(true) {
		return false
	}
	st.client.live.buffers.Add(-1)
	st.client.live.bytes.Add(-st.bytes)
	st.drop()
	return true
}

// take returns the value, which stays as it is until drop is called; nil if the buffer is closed.
func (st *bufferState) take() *literal.Literal {
	for {
		n := st.users.Load()
		if n == 0 || st.closed.Load() {
			return nil
		}
		if st.users.CompareAndSwap(n, n+1) {
			return st.value
		}
	}
}

// claim reports whether the caller, who has taken the value of a closed buffer, is the last to see its memory. If so it
// is his: nobody takes it back.
func (st *bufferState) claim() bool {
	return st.private && st.users.Load() == 1 && !st.seen.Swap(true)
}

// pin keeps the value's memory where it is until nobody uses it. The caller has taken the value.
func (st *bufferState) pin() {
	if st.pinned.Load() {
		return
	}
	st.pinning.Lock()
	defer st.pinning.Unlock()
	if st.pinned.Load() {
		return
	}
	for _, l := range st.value.Leaves() {
		if data := l.Bytes(); len(data) > 0 {
			st.pins.Pin(&data[0])
		}
	}
	st.pinned.Store(true)
}

// drop ends the work of one call. The last one gives the memory back.
func (st *bufferState) drop() {
	if st.users.Add(-1) != 0 {
		return
	}
	st.pins.Unpin()
	if !st.seen.Load() && st.recycle != nil {
		st.recycle(st.value)
	}
}

// FromSlice makes a buffer of the row-major elements v[D0*...*Dn] with the dimensions dims; without dims, of rank 1.
// v is copied. It fails if the count is not the product of dims.
func FromSlice[T literal.Element](h Home, v []T, dims ...int64) (*Buffer, error) {
	d := h.home()
	if err := d.usable(); err != nil {
		return nil, err
	}
	if len(dims) == 0 {
		dims = []int64{int64(len(v))}
	}
	l, err := literal.FromSlice(v, dims...)
	if err != nil {
		return nil, &Error{Code: InvalidArgument, Err: err}
	}
	return d.newBuffer(l, true, nil), nil
}

// FromScalar makes a buffer of rank 0.
func FromScalar[T literal.Element](h Home, v T) (*Buffer, error) {
	d := h.home()
	if err := d.usable(); err != nil {
		return nil, err
	}
	return d.newBuffer(literal.Scalar(v), true, nil), nil
}

// Device returns where the buffer is; it works after Close.
func (b *Buffer) Device() *Device { return b.device }

// CopyTo returns a buffer of the same array on d. It fails after Close.
func (b *Buffer) CopyTo(d *Device) (*Buffer, error) {
	l, err := b.Literal()
	if err != nil {
		return nil, err
	}
	return d.FromLiteral(l)
}

// Shape returns the buffer's shape; it works after Close.
func (b *Buffer) Shape() shape.Shape { return b.state.value.Shape() }

// Literal returns the buffer's value, which must not be changed and may be kept. It fails after Close.
func (b *Buffer) Literal() (*literal.Literal, error) {
	l, err := b.take()
	if err != nil {
		return nil, err
	}
	b.state.seen.Store(true)
	b.drop()
	return l, nil
}

// take returns the value for the time until drop. It fails after Close.
func (b *Buffer) take() (*literal.Literal, error) {
	l := b.state.take()
	if l == nil {
		return nil, errorf(Closed, "buffer %v: %w", b.Shape(), ErrClosed)
	}
	return l, nil
}

func (b *Buffer) drop() {
	b.state.drop()
	runtime.KeepAlive(b)
}

// Close lets go of the buffer. Executions under way that use it keep its memory until they end; after that, memory that
// nobody got through Literal may be used for other results. It always returns nil.
func (b *Buffer) Close() error {
	if b.state.release() {
		b.warden.dismiss()
		b.warden = nil
	}
	return nil
}

// To copies the buffer's elements, row-major, into dst: a slice of the Go type of the buffer's element type and of its
// length. It fails if type or length differ.
func (b *Buffer) To(dst any) error {
	l, err := b.take()
	if err != nil {
		return err
	}
	defer b.drop()
	return copyTo(dst, l)
}

// ToSlice returns the buffer's elements, row-major, as a new slice. It fails if T is not the buffer's element type.
func ToSlice[T literal.Element](b *Buffer) ([]T, error) {
	l, err := b.take()
	if err != nil {
		return nil, err
	}
	defer b.drop()
	v, err := literal.View[T](l.RowMajor())
	if err != nil {
		return nil, &Error{Code: InvalidArgument, Err: err}
	}
	return append(make([]T, 0, len(v)), v...), nil
}

func copyTo(dst any, l *literal.Literal) error {
	s := l.Shape()
	to, err := bytesFor(dst, &s)
	if err != nil {
		return errorf(InvalidArgument, "%w", err)
	}
	from := l.RowMajor().Bytes()
	if s.Type == shape.Pred && slices.ContainsFunc(from, func(b byte) bool { return b > 1 }) {
		return errorf(InvalidArgument, "copy %v: a byte is neither 0 nor 1", s)
	}
	copy(to, from)
	return nil
}
