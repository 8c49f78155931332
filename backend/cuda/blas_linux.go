//go:build cgo

package cuda

import (
	"errors"
	"fmt"

	"github.com/halo-xla/halo/backend/cuda/emit"
	"github.com/halo-xla/halo/cgo/cublas"
	"github.com/halo-xla/halo/cgo/cublaslt"
	"github.com/halo-xla/halo/xla/exec"
	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/shape"
)

// blas is the library of matrix products; nil where there is none, and kernels do them.
type blas struct {
	handle    *cublas.Handle
	lt        *cublaslt.Handle // nil where there is none
	ltVersion string           // that of cublasLt
	refusals  gemmRefusals
	// workspace is what a product may use besides, in bytes.
	workspace int64
}

// openBLAS opens the library. Where there is none, Info says why.
func (d *device) openBLAS() error {
	l, err := openLibrary(d.kit, "cublas", cublas.Open)
	d.info.BLAS = said(l, err)
	if err != nil {
		return nil
	}
	b := &blas{workspace: d.workspace()}
	err = d.Within(func() (err error) {
		b.handle, err = l.NewHandle()
		return err
	})
	if err != nil {
		return err
	}
	if err := b.openLT(d); err != nil {
		return errors.Join(err, b.close(d))
	}
	d.blas = b
	return nil
}

// workspace is what the library is said to want by default, in bytes.
func (d *device) workspace() int64 {
	var arch int
	if _, err := fmt.Sscanf(d.info.Arch, "sm_%d", &arch); err == nil && arch >= 90 && !d.options.Emulated {
		return 32 << 20
	}
	if d.options.Emulated {
		return 64 << 10
	}
	return 4 << 20
}

// close frees the handle of d.
func (b *blas) close(d *device) error {
	if b == nil {
		return nil
	}
	return d.Within(func() error {
		if b.lt == nil {
			return b.handle.Close()
		}
		return errors.Join(b.lt.Close(), b.handle.Close())
	})
}

var blasTypes = map[shape.ElementType]cublas.Type{shape.F32: cublas.F32, shape.F64: cublas.F64, shape.F16: cublas.F16,
	shape.BF16: cublas.BF16, shape.S8: cublas.S8, shape.S32: cublas.S32, shape.C64: cublas.C64, shape.C128: cublas.C128}

var blasSums = map[shape.ElementType]cublas.Compute{shape.F64: cublas.SumF64, shape.C128: cublas.SumF64,
	shape.S32: cublas.SumS32}

// lowerGemm returns the thunk of a product; nil if the library is not there or l.In is nothing for it.
func (d *device) lowerGemm(l *exec.Lowering) (exec.Thunk, error) {
	if d.blas == nil {
		return nil, nil
	}
	e := emit.LowerGemm(l.In, d.blas.workspace)
	if e == nil {
		return nil, nil
	}
	g := e.Steps[0].Gemm
	g.TF32 = g.TF32 || d.rounds(l.In)
	c, err := d.blas.choose(d, g)
	switch {
	case errors.Is(err, errors.ErrUnsupported):
		if refused, err := d.blas.refuses(d, g); refused || err != nil {
			return nil, err
		}
		t := newThunk(l, e)
		t.kernel, t.calls = "cublas gemm"+rounded(g.TF32), map[*emit.Gemm]call{g: d.blas.call(l, g)}
		return t, nil
	case err != nil:
		return nil, err
	}
	l.OnClose(c.Close)
	e.Scratch[g.Work.Index] = c.work + workAlign
	t := newThunk(l, e)
	t.kernel, t.calls = "cublasLt gemm"+rounded(g.TF32), map[*emit.Gemm]call{g: c}
	return t, nil
}

// rounds reports whether operands of in may be rounded to TF32 because the user lets them.
func (d *device) rounds(in *hlo.Instruction) bool { return d.options.TF32 && emit.MayRound(in) }

// rounded is what reports say of a product or a convolution in TF32.
func rounded(tf32 bool) string {
	if tf32 {
		return " in TF32"
	}
	return ""
}

// lowerTrsm returns the thunk of triangular systems; nil if the library is not there or l.In is nothing for it.
func (d *device) lowerTrsm(l *exec.Lowering) (exec.Thunk, error) {
	if d.blas == nil {
		return nil, nil
	}
	e := emit.LowerTriangularSolve(l.In, d.blas.workspace)
	if e == nil {
		return nil, nil
	}
	t := newThunk(l, e)
	for _, s := range e.Steps {
		if s.Trsm != nil {
			c := d.blas.handle.Trsm(transposed(s.Trsm))
			l.OnClose(c.Close)
			t.kernel, t.trsm = "cublas trsm", c
		}
	}
	return t, nil
}

// transposed are triangular systems as the library has them, column-major: the unknowns and the triangle are
// transposed, which turns sides and leaves op as it is.
func transposed(x *emit.Trsm) cublas.Trsm {
	op := map[hlo.TransposeA]cublas.Op{hlo.NoTranspose: cublas.None, hlo.TransposeMatrix: cublas.Transpose,
		hlo.Adjoint: cublas.Adjoint}
	return cublas.Trsm{Type: blasTypes[x.Type], M: x.M, K: x.K, Batch: x.Batch, Right: x.Left, Upper: x.Lower,
		Unit: x.Unit, Op: op[x.Transpose]}
}

// call makes the product ready to be enqueued as long as the program is.
func (b *blas) call(l *exec.Lowering, g *emit.Gemm) call {
	c := b.handle.Gemm(columnMajor(g))
	l.OnClose(c.Close)
	return c
}

// columnMajor is a product as the library has it: the transpose of C is that of B times that of A.
func columnMajor(g *emit.Gemm) cublas.Gemm {
	compute, ok := blasSums[g.C.Type]
	switch {
	case g.TF32:
		compute = cublas.SumTF32
	case !ok:
		compute = cublas.SumF32
	}
	out := cublas.Gemm{M: g.N, N: g.M, K: g.K, Batch: g.Batch, Compute: compute}
	out.A, out.TransA = blasMatrix(g.B)
	out.B, out.TransB = blasMatrix(g.A)
	out.C, _ = blasMatrix(g.C)
	return out
}

// blasMatrix is a row-major matrix read as the column-major one of its transpose; one whose columns lie together is
// transposed once more.
func blasMatrix(m emit.Matrix) (cublas.Matrix, bool) {
	out := cublas.Matrix{Type: blasTypes[m.Type], Ld: max(m.Row, m.Column), Stride: m.Batch}
	return out, m.Column != 1
}
