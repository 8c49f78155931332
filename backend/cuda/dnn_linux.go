//go:build cgo

package cuda

import (
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/halo-xla/halo/backend/cuda/emit"
	"github.com/halo-xla/halo/cgo/cudnn"
	"github.com/halo-xla/halo/xla/exec"
	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// convolutions is the library of convolutions, which is opened when a program first wants it.
type convolutions struct {
	lib     library[cudnn.Library]
	mu      sync.Mutex
	handle  *cudnn.Handle
	missing error // why there is none of an opened library
}

// of returns the handle of d. It fails with errors.ErrUnsupported where there is no library, or none that can be used.
func (c *convolutions) of(d *device) (*cudnn.Handle, error) {
	l, err := c.lib.of(d.kit)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.handle != nil || c.missing != nil {
		return c.handle, c.missing
	}
	err = d.Within(func() (err error) {
		c.handle, err = l.NewHandle()
		return err
	})
	if errors.Is(err, errors.ErrUnsupported) {
		c.missing = err
	}
	return c.handle, err
}

// close frees the handle of d.
func (c *convolutions) close(d *device) error {
	if c.handle == nil {
		return nil
	}
	return d.Within(c.handle.Close)
}

// convolutionSpace is how much workspace a convolution may have in bytes: for copies of its arrays in another order.
func (d *device) convolutionSpace() int64 {
	if d.options.Emulated {
		return 64 << 10
	}
	return 1 << 30
}

// lowerConvolution returns the thunk of a convolution that a library does, that of convolutions unless products are
// known to be faster; nil if none does, or is there.
func (d *device) lowerConvolution(l *exec.Lowering) (exec.Thunk, error) {
	own, err := d.ownConvolutionOf(l)
	if err != nil {
		return nil, err
	}
	if d.blas != nil && (own == nil || own.took != 0) {
		if t, err := d.lowerPatches(l, own); t != nil || err != nil {
			return t, err
		}
	}
	if own == nil {
		return nil, nil
	}
	return own.thunk(l), nil
}

// ownConvolution is a convolution by the library of them.
type ownConvolution struct {
	emission *emit.Emission
	calls    map[*emit.Conv]*cudnn.Call
	took     time.Duration // with kernels that arrange its arrays; 0 if it was not timed
}

// ownConvolutionOf returns a convolution that the library of them does; nil if it does not, or is not there.
func (d *device) ownConvolutionOf(l *exec.Lowering) (*ownConvolution, error) {
	c := &ownConvolution{calls: map[*emit.Conv]*cudnn.Call{}}
	e, err := emit.LowerConvolution(l.In, func(i int) bool { return known(l, i) }, func(x *emit.Conv) (int64, error) {
		x.TF32 = d.rounds(l.In)
		call, err := d.choose(x)
		if err != nil {
			slog.Debug("cuda: a convolution is not the library's", "instruction", l.In.Name, "error", err)
			return 0, err
		}
		c.calls[x], c.took = call.Call, call.took
		l.OnClose(func() { d.closeConvolution(call.Call) })
		return call.Work + workAlign, nil
	})
	if e == nil || err != nil {
		return nil, err
	}
	for _, s := range e.Steps {
		if s.Kernel != nil && strings.HasPrefix(s.Kernel.Name, "arrange") && c.took != 0 {
			c.took += kernelTakes
		}
	}
	c.emission = e
	return c, nil
}

// thunk is that of c.
func (c *ownConvolution) thunk(l *exec.Lowering) exec.Thunk {
	t := newThunk(l, c.emission)
	t.kernel, t.convs = "cudnn convolution", c.calls
	for _, s := range c.emission.Steps {
		switch {
		case s.Conv == nil || s.Conv.Bias == nil:
		case s.Conv.Added != nil:
			t.kernel += " with sum"
		default:
			t.kernel += " with bias"
		}
		if s.Conv != nil {
			t.kernel += rounded(s.Conv.TF32 && c.calls[s.Conv].Rounds())
		}
	}
	return t
}

// known reports whether an operand is a constant without infinities and NaN.
func known(l *exec.Lowering, operand int) bool {
	w := l.Constant(operand)
	if w == nil {
		return false
	}
	if v, err := literal.View[float32](w); err == nil {
		return !slices.ContainsFunc(v, func(x float32) bool { return x-x != 0 })
	}
	return !slices.ContainsFunc(w.Wide().F, func(x float64) bool { return x-x != 0 })
}

var dnnTypes = map[shape.ElementType]cudnn.Type{shape.F32: cudnn.F32, shape.F64: cudnn.F64, shape.F16: cudnn.F16,
	shape.BF16: cudnn.BF16}

var dnnKinds = map[emit.ConvKind]cudnn.Kind{emit.ConvForward: cudnn.Forward, emit.ConvBackwardData: cudnn.BackwardData,
	emit.ConvBackwardFilter: cudnn.BackwardFilter}

// dnnConvolution is a convolution as the library has it.
func dnnConvolution(x *emit.Conv) cudnn.Convolution {
	c := cudnn.Convolution{Kind: dnnKinds[x.Kind], Space: len(x.Stride), X: dnnTensor(x.X), W: dnnTensor(x.W),
		Y: dnnTensor(x.Y), Sum: dnnTypes[x.Sum], Bias: x.Bias != nil, Added: x.Added != nil,
		TF32: x.TF32}
	copy(c.Stride[:], x.Stride)
	copy(c.Dilation[:], x.Dilation)
	copy(c.Pre[:], x.Pre)
	copy(c.Post[:], x.Post)
	return c
}

func dnnTensor(a emit.ConvArray) cudnn.Tensor {
	t := cudnn.Tensor{Type: dnnTypes[a.Type]}
	copy(t.Dims[:], a.Dims)
	copy(t.Strides[:], a.Strides)
	return t
}
