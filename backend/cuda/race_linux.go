//go:build cgo

package cuda

import (
	"errors"
	"fmt"
	"hash/maphash"
	"log/slog"
	"time"

	"github.com/halo-xla/halo/cgo/cuda"
)

// race is a product or a convolution that is done in several ways, with operands of its own, on a stream of its own.
type race struct {
	*device
	what     string // for messages
	enqueue  func(way) error
	result   extent // of memory
	stream   cuda.Stream
	from, to cuda.Event
	memory   cuda.Ptr
	bytes    int64
	seed     maphash.Seed
}

// extent is a part of a race's memory, in bytes.
type extent struct{ at, bytes int64 }

// mostTrial is how many bytes the arrays of a race may have: the emulated device takes long for large ones.
func (d *device) mostTrial() int64 {
	if d.options.Emulated {
		return 256 << 10
	}
	return 2 << 30
}

var errTooLarge = errors.New("too large to be timed")

// place lays out an array of a race and returns where it is.
func (t *race) place(bytes int64) extent {
	s := extent{t.bytes, bytes}
	t.bytes += (bytes + workAlign - 1) / workAlign * workAlign
	return s
}

// address is where a part of a race's memory is.
func (t *race) address(s extent) cuda.Ptr { return t.memory + cuda.Ptr(s.at) }

// open makes what has to be closed.
func (t *race) open() (err error) {
	if t.bytes > t.mostTrial() {
		return fmt.Errorf("%d bytes of arrays are %w", t.bytes, errTooLarge)
	}
	t.seed = maphash.MakeSeed()
	if t.stream, err = t.NewStream(); err != nil {
		return err
	}
	if t.from, err = t.NewTimer(); err != nil {
		return err
	}
	if t.to, err = t.NewTimer(); err != nil {
		return err
	}
	t.memory, err = t.alloc(t.bytes, t.stream)
	return err
}

// close frees what open has made, as far as it came. What fails is logged.
func (t *race) close() {
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
		slog.Warn("cuda: "+t.what+" that was timed", "error", err)
	}
}

// timed runs a way some times and says how long each took.
func (t *race) timed(w way, count int) (time.Duration, error) {
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

// What of a result is looked at: so many parts of so many bytes, which lie as far apart as they can, or all of it.
const (
	partsRead = 8
	partBytes = 1 << 20
)

// partsOf are the parts of so many bytes that are looked at, the first and the last always.
func partsOf(bytes int64) (list []extent) {
	if bytes > partsRead*partBytes {
		for i := range int64(partsRead) {
			list = append(list, extent{(bytes - partBytes) * i / (partsRead - 1), partBytes})
		}
		return list
	}
	for at := int64(0); at < bytes; at += partBytes {
		list = append(list, extent{at, min(partBytes, bytes-at)})
	}
	return list
}

// once runs a way, and returns how long it took and what it has written as a number.
func (t *race) once(w way) (time.Duration, uint64, error) {
	bytes := t.result.bytes
	if err := t.FillAsync(t.address(t.result), ^uint32(0), (bytes+3)/4, t.stream); err != nil {
		return 0, 0, err
	}
	took, err := t.timed(w, 1)
	if err != nil {
		return 0, 0, err
	}
	var sum maphash.Hash
	sum.SetSeed(t.seed)
	data := make([]byte, min(bytes, partBytes))
	for _, p := range partsOf(bytes) {
		data = data[:p.bytes]
		if err := t.out(data, t.address(t.result)+cuda.Ptr(p.at), t.stream); err != nil {
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
func (t *race) same(list []way) (runners []runner, err error) {
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
		return nil, fmt.Errorf("a library does %s in no way: %w", t.what, errors.ErrUnsupported)
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
func (t *race) fastest(list []way) (way, error) {
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
	slog.Debug("cuda: "+t.what+" was timed", "ways", len(list), "same", len(runners), "first", runners[0].took,
		"best", best.took)
	best.way.took = best.took
	return best.way, nil
}

// raced returns the fastest of ways in a trial that begin makes. It is the first, and not sure, where there is no room
// for a trial.
func raced[T interface {
	fastest([]way) (way, error)
	close()
}](d *device, list []way, begin func() (T, error)) (fastest way, sure bool, err error) {
	t, err := begin()
	if errors.Is(err, cuda.ErrOutOfMemory) || errors.Is(err, errTooLarge) {
		slog.Debug("cuda: ways are not timed", "error", err)
		return list[0], false, nil
	}
	if err != nil {
		return way{}, false, err
	}
	d.choices.timed++
	defer t.close()
	fastest, err = t.fastest(list)
	return fastest, err == nil, err
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
