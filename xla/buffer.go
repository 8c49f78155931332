package xla

import (
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/halo-xla/halo/xla/exec"
	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// Buffer is an array on a device of a client. Its contents never change.
//
// Where devices have memory of their own, as GPUs do, an array lies there: it comes to the host when it is read, and an
// execution takes it where it is. Tuples, arrays of no bytes and those with sizes known at run time stay on the host.
type Buffer struct {
	device *Device
	state  *bufferState
	warden *warden // of an open buffer
}

// bufferState is shared with the clean-up of the warden, so it must not point back at the Buffer.
type bufferState struct {
	value  *literal.Literal
	array  *exec.Array // instead of value, where the device has memory of its own
	client *Client
	bytes  int64
	// users is twice the number of calls that work on the value while the buffer is open: 0 as it is made. Closing it
	// takes away a user and adds 1, so that it is odd from then on, and the value's memory is free at -1.
	users atomic.Int32
	// seen says that others may hold the value's memory: it is not used again.
	seen atomic.Bool
	// private says that the memory was made for the buffer, plain, which is known once it is pinned, that the value is.
	private, plain bool
	// light says that executions need neither take nor pin the value: it is a copy as small as those that they copy once
	// more before they run, and its memory is the collector's, who keeps it as long as somebody has it. So the atomic
	// operations are saved that callers on several processors would wait for each other with.
	light bool
	// pins keep the value's memory where native code has seen it, for as long as there are users.
	pinning sync.Mutex
	pinned  atomic.Bool
	pins    runtime.Pinner
	// recycle takes back the memory of a value that nobody has seen; nil: the collector does.
	recycle func(l *literal.Literal)
}

// newBuffer makes b a buffer of l.
func (d *Device) newBuffer(b *Buffer, l *literal.Literal, private bool, recycle func(l *literal.Literal)) *Buffer {
	return d.open(b, &bufferState{value: l, client: d.client, bytes: int64(len(l.Bytes())), private: private,
		recycle: recycle})
}

// newRemote makes b a buffer of an array in the device's memory, which is the buffer's from now on.
func (d *Device) newRemote(b *Buffer, a *exec.Array) *Buffer {
	st := &bufferState{array: a, client: d.client, bytes: a.Bytes(), private: true}
	st.pinned.Store(true)
	d.client.live.remote.Add(st.bytes)
	return d.open(b, st)
}

// open makes b the buffer of st.
func (d *Device) open(b *Buffer, st *bufferState) *Buffer {
	st.client.live.buffers.Add(1)
	st.client.live.bytes.Add(st.bytes)
	*b = Buffer{device: d, state: st, warden: watch(st)}
	return b
}

// put makes a buffer of l, which is copied to the device's memory if it has some.
func (d *Device) put(l *literal.Literal, private bool) (*Buffer, error) {
	if c := d.client; c.remote {
		a, err := exec.Hold(c.backend, d.id, l, c.options.MemoryLimit)
		if err != nil {
			return nil, wrap(err, Failed)
		}
		if a != nil {
			return d.newRemote(new(Buffer), a), nil
		}
	}
	b := d.newBuffer(new(Buffer), l, private, nil)
	if st := b.state; private && st.bytes <= exec.StagedBytes {
		st.light, st.private, st.plain = true, false, l.IsPlain()
	}
	return b, nil
}

// release closes the buffer and reports whether this call did it.
func (st *bufferState) release() bool {
	n, again := st.shut()
	if again {
		return false
	}
	st.client.live.buffers.Add(-1)
	st.client.live.bytes.Add(-st.bytes)
	if st.array != nil {
		st.client.live.remote.Add(-st.bytes)
	}
	if n == unused {
		st.free()
	}
	return true
}

// unused is users of a closed buffer whose value nobody works on.
const unused = -1

// shut closes the buffer, and returns what users is then and whether it was closed before.
func (st *bufferState) shut() (users int32, again bool) {
	for {
		n := st.users.Load()
		if n&1 != 0 {
			return n, true
		}
		if st.users.CompareAndSwap(n, n-1) {
			return n - 1, false
		}
	}
}

// take has the value stay as it is until drop is called. It reports false if the buffer is closed.
func (st *bufferState) take() bool {
	for {
		n := st.users.Load()
		if n&1 != 0 || st.light {
			return n&1 == 0
		}
		if st.users.CompareAndSwap(n, n+2) {
			return true
		}
	}
}

func (st *bufferState) shape() shape.Shape {
	if st.array != nil {
		return st.array.Shape()
	}
	return st.value.Shape()
}

// fits reports whether the value may be passed where one of shape want is declared.
func (st *bufferState) fits(want *shape.Shape) bool {
	if st.array != nil {
		return hlo.Fits(st.array.Shape(), *want)
	}
	return st.value.Fits(want)
}

// literal returns the value, of which others may see the memory, or a copy of what the device has.
func (st *bufferState) literal() (*literal.Literal, error) {
	if st.array == nil {
		return st.value, nil
	}
	l, err := st.array.Literal()
	return l, wrap(err, Failed)
}

// claim reports whether the caller, who has taken the value of a closed buffer, is the last to see its memory. If so it
// is his: nobody takes it back.
func (st *bufferState) claim() bool {
	return st.private && st.users.Load() == unused+2 && !st.seen.Swap(true)
}

// pin keeps the value's memory where it is until nobody uses it. The caller has taken the value.
func (st *bufferState) pin() {
	if st.light || st.pinned.Load() {
		return
	}
	st.pinning.Lock()
	defer st.pinning.Unlock()
	if st.pinned.Load() {
		return
	}
	st.plain = st.value.IsPlain()
	for _, l := range st.value.Leaves() {
		if data := l.Bytes(); len(data) > 0 {
			st.pins.Pin(&data[0])
		}
	}
	st.pinned.Store(true)
}

// drop ends the work of one call. The last one gives the memory back.
func (st *bufferState) drop() {
	if st.light {
		return
	}
	if st.users.Add(-2) == unused {
		st.free()
	}
}

// free gives back the memory of the value.
func (st *bufferState) free() {
	if st.array != nil {
		st.array.Close()
		return
	}
	if st.pinned.Load() {
		st.pins.Unpin()
	}
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
	return d.put(l, true)
}

// FromScalar makes a buffer of rank 0.
func FromScalar[T literal.Element](h Home, v T) (*Buffer, error) {
	d := h.home()
	if err := d.usable(); err != nil {
		return nil, err
	}
	return d.put(literal.Scalar(v), true)
}

// Device returns where the buffer is; it works after Close.
func (b *Buffer) Device() *Device { return b.device }

// CopyTo returns a buffer of the same array on d, which may be of another client. From GPU to GPU it goes without the
// host. It fails after Close.
func (b *Buffer) CopyTo(d *Device) (*Buffer, error) {
	if c := d.client; c.remote && b.state.array != nil {
		a, err := b.movedTo(d)
		if a != nil || err != nil {
			return a, err
		}
	}
	l, err := b.Literal()
	if err != nil {
		return nil, err
	}
	return d.FromLiteral(l)
}

// movedTo is CopyTo between devices with memory of their own; nil if there is no way.
func (b *Buffer) movedTo(d *Device) (*Buffer, error) {
	if err := d.usable(); err != nil {
		return nil, err
	}
	if err := b.take(); err != nil {
		return nil, err
	}
	defer b.drop()
	a, err := b.state.array.CopyTo(d.client.backend, d.id, d.client.options.MemoryLimit)
	if a == nil {
		return nil, wrap(err, Failed)
	}
	return d.newRemote(new(Buffer), a), nil
}

// Shape returns the buffer's shape; it works after Close.
func (b *Buffer) Shape() shape.Shape { return b.state.shape() }

// Literal returns the buffer's value, which must not be changed and may be kept: of what is in the memory of a device a
// copy, in the layout that it was given in. It fails after Close, and with what the device says.
func (b *Buffer) Literal() (*literal.Literal, error) {
	if err := b.take(); err != nil {
		return nil, err
	}
	defer b.drop()
	if b.state.array == nil {
		b.state.seen.Store(true)
	}
	return b.state.literal()
}

// take keeps the value until drop. It fails after Close, and if there is no buffer.
func (b *Buffer) take() error {
	if b == nil {
		return errorf(InvalidArgument, "%w", errNil)
	}
	if !b.state.take() {
		return errorf(Closed, "buffer %v: %w", b.Shape(), ErrClosed)
	}
	return nil
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
	if err := b.take(); err != nil {
		return err
	}
	defer b.drop()
	return b.state.copyTo(dst)
}

// ToSlice returns the buffer's elements, row-major, as a new slice. It fails if T is not the buffer's element type.
func ToSlice[T literal.Element](b *Buffer) ([]T, error) {
	if err := b.take(); err != nil {
		return nil, err
	}
	defer b.drop()
	if b.state.array != nil {
		v := make([]T, b.Shape().Size())
		if err := b.state.copyTo(v); err != nil {
			return nil, err
		}
		return v, nil
	}
	v, err := literal.View[T](b.state.value.RowMajor())
	if err != nil {
		return nil, &Error{Code: InvalidArgument, Err: err}
	}
	return append(make([]T, 0, len(v)), v...), nil
}

// copyTo copies the elements to dst.
func (st *bufferState) copyTo(dst any) error {
	s := st.shape()
	to, err := bytesFor(dst, &s)
	if err != nil {
		return errorf(InvalidArgument, "%w", err)
	}
	if st.array == nil {
		from := st.value.RowMajor().Bytes()
		if err := checkBools(&s, from); err != nil {
			return err
		}
		copy(to, from)
		return nil
	}
	if err := st.array.Read(to); err != nil {
		return wrap(err, Failed)
	}
	if err := checkBools(&s, to); err != nil {
		clear(to) // no bool may have such a byte
		return err
	}
	return nil
}

// checkBools fails if data, of an array of shape s, are bools other than 0 and 1.
func checkBools(s *shape.Shape, data []byte) error {
	if s.Type == shape.Pred && slices.ContainsFunc(data, func(b byte) bool { return b > 1 }) {
		return errorf(InvalidArgument, "copy %v: a byte is neither 0 nor 1", s)
	}
	return nil
}
