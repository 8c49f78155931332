//go:build cgo

package cuda

import (
	"errors"
	"time"

	"github.com/halo-xla/halo/backend/cuda/emit"
	"github.com/halo-xla/halo/cgo/cublaslt"
	"github.com/halo-xla/halo/xla/exec"
	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/pass"
	"github.com/halo-xla/halo/xla/shape"
)

// openLT opens the library of products in several ways and with a bias, which the other one has opened; where it is not
// there, products and biases are apart. Info says which.
func (b *blas) openLT(d *device) error {
	l, err := openLibrary(d.kit, "cublasLt", cublaslt.Open)
	d.info.BLASLt = said(l, err)
	if err != nil {
		return nil
	}
	b.ltVersion = l.Version()
	return d.Within(func() (err error) {
		b.lt, err = l.NewHandle()
		return err
	})
}

// epilogues is the pass that puts a dot or a convolution and its bias together, or a convolution and an array that is
// added to it, where a library does both, and a dot and what is done with its elements where a kernel does.
func (d *device) epilogues() pass.Pass {
	elementwise := func(in *hlo.Instruction) bool { return true }
	return pass.Epilogue(func(c, in *hlo.Instruction) bool {
		switch {
		case c.Op == hlo.Transpose: // a kernel of its own
			return false
		case emit.Followed(c, in):
			return true
		case emit.Biased(c, in):
			return d.blas != nil && d.blas.lt != nil
		case d.blas != nil && emit.LowerGemm(c, 0) != nil: // a product, to which a kernel adds the rest
			return false
		case emit.BiasedConvolution(c, in):
			_, err := d.dnn.of(d)
			return err == nil
		}
		return false
	}, elementwise, false)
}

// lowerBiased returns the thunk of a product with a bias; nil if l.In is none.
func (d *device) lowerBiased(l *exec.Lowering) (exec.Thunk, error) {
	b := d.blas
	if b == nil {
		return nil, nil
	}
	calls := map[*emit.Gemm]call{}
	e, err := emit.LowerBiased(l.In, b.workspace, func(g *emit.Gemm) (int64, error) {
		g.TF32 = g.TF32 || d.rounds(l.In)
		c, err := b.choose(d, g)
		if err != nil {
			return 0, err
		}
		calls[g] = c
		l.OnClose(c.Close)
		return c.work + workAlign, nil
	})
	if e == nil || err != nil {
		return nil, err
	}
	t := newThunk(l, e)
	g := e.Steps[0].Gemm
	t.kernel, t.calls = "cublasLt gemm with bias", calls
	if calls[g] == nil {
		t.kernel, calls[g] = "cublas gemm", b.call(l, g)
	}
	t.kernel += rounded(g.TF32)
	return t, nil
}

// ltCall is a product of cuBLASLt, in the way that was chosen, and the workspace that it takes.
type ltCall struct {
	*cublaslt.Call
	work int64
}

// choose returns a product of cuBLASLt as it is done on d. It fails with errors.ErrUnsupported if there is none, or
// cuBLAS is to do it.
func (b *blas) choose(d *device, g *emit.Gemm) (*ltCall, error) {
	c, _, err := b.chooseTimed(d, g)
	return c, err
}

// chooseTimed is choose, and says how long the product takes, by cuBLAS too; 0 if it is not timed.
func (b *blas) chooseTimed(d *device, g *emit.Gemm) (*ltCall, time.Duration, error) {
	if b.lt == nil || !ltTakes(g) || d.options.NoAutotune && g.Bias == nil {
		return nil, 0, errors.ErrUnsupported
	}
	var c *cublaslt.Call
	err := d.Within(func() (err error) {
		c, err = b.lt.Product(ltProduct(g))
		return err
	})
	if err != nil {
		return nil, 0, err
	}
	w, err := b.way(d, g, c)
	if err == nil && w.lt == nil {
		err = errors.ErrUnsupported
	}
	if err != nil {
		c.Close()
		return nil, w.took, err
	}
	c.Take(*w.lt)
	return &ltCall{c, w.lt.Work}, w.took, nil
}

var ltTypes = map[shape.ElementType]cublaslt.Type{shape.F32: cublaslt.F32, shape.F16: cublaslt.F16,
	shape.BF16: cublaslt.BF16}

// ltTakes reports whether a product is of types that it is asked for here.
func ltTakes(g *emit.Gemm) bool {
	_, operands := ltTypes[g.A.Type]
	_, result := ltTypes[g.C.Type]
	return operands && result
}

// ltProduct is a product as the library has it: the transpose of C is that of B times that of A.
func ltProduct(g *emit.Gemm) cublaslt.Product {
	p := cublaslt.Product{Batch: g.Batch, TF32: g.TF32, Bias: g.Bias != nil}
	p.A, p.TransA = ltMatrix(g.B, g.N, g.K)
	p.B, p.TransB = ltMatrix(g.A, g.K, g.M)
	p.D, _ = ltMatrix(g.C, g.N, g.M)
	return p
}

// ltMatrix is a row-major matrix read as its transpose, rows by columns, which is column-major; one whose columns lie
// together is transposed once more.
func ltMatrix(m emit.Matrix, rows, columns int64) (cublaslt.Matrix, bool) {
	out := cublaslt.Matrix{Type: ltTypes[m.Type], Rows: rows, Columns: columns, Ld: max(m.Row, m.Column),
		Stride: m.Batch}
	if m.Column != 1 {
		out.Rows, out.Columns = columns, rows
	}
	return out, m.Column != 1
}
