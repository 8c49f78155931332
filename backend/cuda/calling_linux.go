//go:build cgo

package cuda

import (
	"fmt"
	"slices"

	"github.com/halo-xla/halo/cgo/cuda"
	"github.com/halo-xla/halo/customcall"
	"github.com/halo-xla/halo/customcall/lapack"
	"github.com/halo-xla/halo/ffi"
	"github.com/halo-xla/halo/xla/exec"
	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/shape"
)

// streaming is handlers some of whose functions are for a GPU, as customcall.Registry has them.
type streaming interface {
	InstantiateOnStream(in *hlo.Instruction) (*customcall.Bound, error)
}

// calling is a custom call whose function enqueues its work on the stream, with arrays in the device's memory.
type calling struct {
	recordOnly
	target            string
	native            *ffi.Native
	operands, results []exec.Slice
	aliases           []ffi.Alias
}

// lowerCalling returns the thunk of a custom call that functions of a GPU serve; nil if that is the host's.
func lowerCalling(_ *device, l *exec.Lowering) (exec.Thunk, error) {
	a, ok := l.In.Attrs.(*hlo.CustomCallAttrs)
	if !ok {
		return nil, nil
	}
	h, ok := l.Options().Handlers.(lapack.Handlers).User.(streaming) // as Serving makes them
	if !ok {
		return nil, nil
	}
	b, err := h.InstantiateOnStream(l.In)
	if b == nil || err != nil {
		return nil, ofTarget(a.Target, err)
	}
	l.OnClose(b.Close)
	if err := asTheyLie(b.Site); err != nil {
		return nil, ofTarget(a.Target, err)
	}
	t := &calling{target: a.Target, results: l.Results(), aliases: b.Site.Aliases}
	t.native, _ = customcall.NativeOf(b.Instance)
	for i := range l.In.Operands {
		t.operands = append(t.operands, l.Operands(i)...)
	}
	return t, nil
}

// ofTarget says of what custom call err is.
func ofTarget(target string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("custom call %q: %w", target, err)
}

// asTheyLie fails if functions would get arrays otherwise than they lie in the device's memory: row-major, a byte or
// more for each element.
func asTheyLie(s *ffi.Site) error {
	for _, v := range slices.Concat(s.Operands, s.Results) {
		if v.MinorToMajor != nil || v.Type != shape.Token && v.Type.Bits() < 8 {
			return fmt.Errorf("functions of a GPU get arrays as they lie, row-major and not packed; got %v with the layout %v",
				shape.Array(v.Type, v.Dims...), v.MinorToMajor)
		}
	}
	return nil
}

func (t *calling) Uses() []exec.Use {
	return append(exec.Reads(t.operands...), exec.Writes(t.results...)...)
}

// Kernel is what reports call it.
func (t *calling) Kernel() string { return "cuda function" }

// frame is a call frame of one execution.
type frame struct {
	*ffi.Frame
	native *ffi.Native
}

func (f frame) Close() { f.native.Release(f.Frame) }

// run calls the function, which enqueues. What it takes of streams and memory is the device's.
func (t *calling) run(r *exec.Run, m *memory) error {
	f := r.Local(t, func() exec.Local { return frame{t.native.Frame(), t.native} }).(frame)
	operands, results := m.all(t.operands), m.all(t.results)
	if err := t.share(m, operands, results); err != nil {
		return err
	}
	for i, p := range slices.Concat(operands, results) {
		f.Addresses[i] = uintptr(p)
	}
	f.On(m.stream.Handle())
	return ofTarget(t.target, m.device.Within(func() error { return f.Call(r.Context(), r.ID(), int32(r.Device())) }))
}

// share has operands lie where the results do that have their memory.
func (t *calling) share(m *memory, operands, results []cuda.Ptr) error {
	var a cuda.Array
	for _, x := range t.aliases {
		if from, to := operands[x.Operand], results[x.Result]; from != to {
			a.Copy(word(to), word(from), t.results[x.Result].Size)
			operands[x.Operand] = to
		}
	}
	return m.device.Submit(&a, m.stream, nil)
}
