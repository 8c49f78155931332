//go:build cgo

package cuda

import (
	"errors"

	"github.com/halo-xla/halo/backend/cuda/emit"
	"github.com/halo-xla/halo/cgo/cublaslt"
	"github.com/halo-xla/halo/cgo/cuda"
)

// mostWays is how many ways of cuBLASLt are timed.
const mostWays = 8

// time returns the fastest way to do a product among those that give the same bits as the first: cuBLAS, or with a bias
// cuBLASLt's first choice. It is not sure of one that it had no room to compare.
func (b *blas) time(d *device, g *emit.Gemm, c *cublaslt.Call) (fastest way, sure bool, err error) {
	list, err := b.proposed(d, c, mostWays)
	switch {
	case g.Bias == nil && errors.Is(err, errors.ErrUnsupported):
		return way{}, true, nil
	case err != nil:
		return way{}, false, err
	case g.Bias == nil:
		list = append([]way{{}}, list...)
	}
	return raced(d, list, func() (*trial, error) { return b.newTrial(d, g, c) })
}

// trial is a race of a product.
type trial struct {
	race
	product          *emit.Gemm
	lt               *cublaslt.Call
	blas             call
	a, b, bias, work extent
}

// newTrial makes one, with operands written.
func (b *blas) newTrial(d *device, g *emit.Gemm, c *cublaslt.Call) (*trial, error) {
	t, err := b.emptyTrial(d, g)
	if err != nil {
		return nil, err
	}
	t.lt = c
	if err := t.fill(); err != nil {
		t.close()
		return nil, err
	}
	return t, nil
}

// emptyTrial makes one whose operands are anything.
func (b *blas) emptyTrial(d *device, g *emit.Gemm) (*trial, error) {
	t := &trial{race: race{device: d, what: "a product"}, product: g}
	t.race.enqueue = t.enqueue
	t.a = t.place(bytesOf(g.A, g.M, g.A.Row, g.K, g.A.Column, g.Batch))
	t.b = t.place(bytesOf(g.B, g.K, g.B.Row, g.N, g.B.Column, g.Batch))
	t.result = t.place(bytesOf(g.C, g.M, g.C.Row, g.N, g.C.Column, g.Batch))
	t.bias = t.place(g.N * int64(g.C.Type.Bytes()))
	t.work = t.place(b.workspace + workAlign)
	t.blas = b.handle.Gemm(columnMajor(g))
	if err := t.open(); err != nil {
		t.close()
		return nil, err
	}
	return t, nil
}

// close frees what newTrial has made.
func (t *trial) close() {
	t.blas.Close()
	t.race.close()
}

// fill writes the operands.
func (t *trial) fill() error {
	g := t.product
	a := trialOperand(g.A, lines{g.M, g.A.Row, g.K, g.A.Column}, g.Batch, false)
	if err := t.in(t.address(t.a), a, t.stream); err != nil {
		return err
	}
	b := trialOperand(g.B, lines{g.N, g.B.Column, g.K, g.B.Row}, g.Batch, true)
	if err := t.in(t.address(t.b), b, t.stream); err != nil {
		return err
	}
	return t.in(t.address(t.bias), trialBias(g.C.Type, g.N), t.stream)
}

// enqueue enqueues the product in one way.
func (t *trial) enqueue(w way) error {
	at := func(s extent) cuda.Value { return word(t.address(s)) }
	words := []cuda.Value{at(t.b), at(t.a), at(t.result)}
	if t.product.Bias != nil {
		words = append(words, at(t.bias))
	}
	words = append(words, at(t.work))
	var list cuda.Array
	if w.lt == nil {
		list.Call(t.blas, append(words, cuda.Word(t.work.bytes))...)
	} else {
		t.lt.Take(*w.lt)
		list.Call(t.lt, words...)
	}
	return t.Submit(&list, t.stream, nil)
}
