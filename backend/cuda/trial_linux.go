//go:build cgo

package cuda

import (
	"errors"
	"fmt"
	"hash/maphash"
	"log/slog"
	"time"

	"github.com/halo-xla/halo/backend/cuda/emit"
	"github.com/halo-xla/halo/cgo/cublaslt"
	"github.com/halo-xla/halo/cgo/cuda"
)

// mostWays is how many ways of cuBLASLt are timed.
const mostWays = 8

// mostTrial is how many bytes the arrays of a product may have to be timed: the emulated device takes long for large
// ones.
func (d *device) mostTrial() int64 {
	if d.options.Emulated {
		return 256 << 10
	}
	return 2 << 30
}

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
	t, err := b.newTrial(d, g, c)
	if errors.Is(err, cuda.ErrOutOfMemory) || errors.Is(err, errTooLarge) {
		slog.Debug("cuda: a product is not timed", "error", err)
		return list[0], false, nil
	}
	if err != nil {
		return way{}, false, err
	}
	b.choices.timed++
	defer t.close()
	fastest, err = t.fastest(list)
	return fastest, true, err
}

// trial is a product with operands of its own, on a stream of its own.
type trial struct {
	*device
	product  *emit.Gemm
	lt       *cublaslt.Call
	blas     call
	stream   cuda.Stream
	from, to cuda.Event
	memory   cuda.Ptr
	at       trialPlaces
	seed     maphash.Seed
}

// trialPlaces are where a product's arrays lie in the memory of a trial.
type trialPlaces struct{ a, b, c, bias, work, bytes int64 }

var errTooLarge = errors.New("too large to be timed")

// trialPlacesOf lays out the arrays of a product.
func trialPlacesOf(g *emit.Gemm, workspace int64) trialPlaces {
	var p trialPlaces
	place := func(bytes int64) (at int64) {
		at = p.bytes
		p.bytes += (bytes + workAlign - 1) / workAlign * workAlign
		return at
	}
	p.a = place(bytesOf(g.A, g.M, g.A.Row, g.K, g.A.Column, g.Batch))
	p.b = place(bytesOf(g.B, g.K, g.B.Row, g.N, g.B.Column, g.Batch))
	p.c = place(bytesOf(g.C, g.M, g.C.Row, g.N, g.C.Column, g.Batch))
	p.bias = place(g.N * int64(g.C.Type.Bytes()))
	p.work = place(workspace + workAlign)
	return p
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
	t := &trial{device: d, product: g, at: trialPlacesOf(g, b.workspace), seed: maphash.MakeSeed()}
	if t.at.bytes > d.mostTrial() {
		return nil, fmt.Errorf("%d bytes of arrays are %w", t.at.bytes, errTooLarge)
	}
	t.blas = b.handle.Gemm(columnMajor(g))
	if err := t.open(); err != nil {
		t.close()
		return nil, err
	}
	return t, nil
}

// open makes what has to be closed.
func (t *trial) open() (err error) {
	if t.stream, err = t.NewStream(); err != nil {
		return err
	}
	if t.from, err = t.NewTimer(); err != nil {
		return err
	}
	if t.to, err = t.NewTimer(); err != nil {
		return err
	}
	t.memory, err = t.alloc(t.at.bytes, t.stream)
	return err
}

// close frees what open has made, as far as it came. What fails is logged.
func (t *trial) close() {
	t.blas.Close()
	var errs []error
	if t.memory != 0 {
		errs = append(errs, t.release(t.memory, t.stream), t.Synchronize(t.stream))
	}
	for _, e := range []cuda.Event{t.from, t.to} {
		if e != (cuda.Event{}) {
			errs = append(errs, t.CloseEvent(e))
		}
	}
	if t.stream != (cuda.Stream{}) {
		errs = append(errs, t.CloseStream(t.stream))
	}
	if err := errors.Join(errs...); err != nil {
		slog.Warn("cuda: a product that was timed", "error", err)
	}
}

// fill writes the operands.
func (t *trial) fill() error {
	g := t.product
	a := trialOperand(g.A, lines{g.M, g.A.Row, g.K, g.A.Column}, g.Batch, false)
	if err := t.in(t.memory+cuda.Ptr(t.at.a), a, t.stream); err != nil {
		return err
	}
	b := trialOperand(g.B, lines{g.N, g.B.Column, g.K, g.B.Row}, g.Batch, true)
	if err := t.in(t.memory+cuda.Ptr(t.at.b), b, t.stream); err != nil {
		return err
	}
	return t.in(t.memory+cuda.Ptr(t.at.bias), trialBias(g.C.Type, g.N), t.stream)
}

// enqueue enqueues the product in one way.
func (t *trial) enqueue(w way) error {
	at := func(offset int64) cuda.Value { return word(t.memory + cuda.Ptr(offset)) }
	words := []cuda.Value{at(t.at.b), at(t.at.a), at(t.at.c)}
	if t.product.Bias != nil {
		words = append(words, at(t.at.bias))
	}
	words = append(words, at(t.at.work))
	var list cuda.Array
	if w.lt == nil {
		list.Call(t.blas, append(words, cuda.Word(t.at.bytes-t.at.work))...)
	} else {
		t.lt.Take(*w.lt)
		list.Call(t.lt, words...)
	}
	return t.Submit(&list, t.stream, nil)
}

// timed runs a way some times and says how long each took.
func (t *trial) timed(w way, count int) (time.Duration, error) {
	if err := t.Record(t.from, t.stream); err != nil {
		return 0, err
	}
	for range count {
		if err := t.enqueue(w); err != nil {
			return 0, err
		}
	}
	if err := errors.Join(t.Record(t.to, t.stream), t.WaitFor(t.to)); err != nil {
		return 0, err
	}
	all, err := t.Elapsed(t.from, t.to)
	return all / time.Duration(count), err
}

// once runs a way, and returns how long it took and what it has written as a number.
func (t *trial) once(w way) (time.Duration, uint64, error) {
	bytes := t.at.bias - t.at.c
	if err := t.FillAsync(t.memory+cuda.Ptr(t.at.c), ^uint32(0), bytes/4, t.stream); err != nil {
		return 0, 0, err
	}
	took, err := t.timed(w, 1)
	if err != nil {
		return 0, 0, err
	}
	var sum maphash.Hash
	sum.SetSeed(t.seed)
	data := make([]byte, min(bytes, 8*pieceBytes))
	for at := int64(0); at < bytes; at += int64(len(data)) {
		data = data[:min(int64(len(data)), bytes-at)]
		if err := t.out(data, t.memory+cuda.Ptr(t.at.c+at), t.stream); err != nil {
			return 0, 0, err
		}
		sum.Write(data)
	}
	return took, sum.Sum64(), nil
}

// runner is a way that is in the race.
type runner struct {
	way  way
	took time.Duration
}

// same returns the ways that give, twice, the bits of the first that the library does not refuse, and how long the
// second run took: in the first one kernels are loaded.
func (t *trial) same(list []way) (runners []runner, err error) {
	var want uint64
	for _, w := range list {
		_, first, err := t.once(w)
		if err != nil && !errors.Is(err, errors.ErrUnsupported) {
			return nil, err
		}
		if err != nil || len(runners) > 0 && first != want {
			continue
		}
		took, second, err := t.once(w)
		if err != nil {
			return nil, err
		}
		if first == second {
			runners, want = append(runners, runner{w, took}), first
		}
	}
	if len(runners) == 0 {
		return nil, fmt.Errorf("cublasLt does a product in no way: %w", errors.ErrUnsupported)
	}
	return runners, nil
}

// How ways are timed: longRun is how long a run lasts of which one says enough; of others there are rounds, of runs
// that last so long together.
const (
	longRun  = 5 * time.Millisecond
	roundRun = time.Millisecond
	mostRuns = 20
	rounds   = 3
)

// fastest returns the way of a list that takes the least time; the first of several.
func (t *trial) fastest(list []way) (way, error) {
	runners, err := t.same(list)
	if err != nil {
		return way{}, err
	}
	for range rounds {
		for i := range runners {
			r := &runners[i]
			if r.took >= longRun || r.took > 2*least(runners).took {
				continue
			}
			runs := min(max(roundRun/max(r.took, 1), 1), mostRuns)
			took, err := t.timed(r.way, int(runs))
			if err != nil {
				return way{}, err
			}
			r.took = min(r.took, took)
		}
	}
	best := least(runners)
	slog.Debug("cuda: a product was timed", "ways", len(list), "same", len(runners), "first", runners[0].took,
		"best", best.took)
	return best.way, nil
}

// least is the runner that took the least time.
func least(runners []runner) runner {
	best := runners[0]
	for _, r := range runners[1:] {
		if r.took < best.took {
			best = r
		}
	}
	return best
}
