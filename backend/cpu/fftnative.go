package cpu

import (
	"math"
	"time"
	"unsafe"

	"github.com/halo-xla/halo/cgo/fftw"
	"github.com/halo-xla/halo/cgo/loops/fft"
	"github.com/halo-xla/halo/cgo/loops/run"
	"github.com/halo-xla/halo/xla/exec"
	"github.com/halo-xla/halo/xla/fourier"
	"github.com/halo-xla/halo/xla/shape"
)

// memory gives a lowering of records its scratch memory and its tables.
type memory interface {
	Scratch(bytes int64) exec.Slice
	Pack(data []byte) exec.Slice
}

// fftOptions say what runs a transform.
type fftOptions struct {
	isa    run.ISA
	vendor bool          // contiguous rows go to FFTW
	budget time.Duration // for FFTW to measure in; 0: it estimates
	folder string        // of what it has measured
}

// nativeFft makes the records of a transform, one or two for each dimension.
type nativeFft[T fourier.Number] struct {
	fftOptions
	memory  memory
	forward bool
	scale   float64
	last    int64      // the length of the last dimension in time
	calls   exec.Calls // of FFTW
	uses    []exec.Use
	records []run.Record
}

// partBytes returns the bytes of T.
func (f *nativeFft[T]) partBytes() int64 { return int64(unsafe.Sizeof(T(0))) }

func (f *nativeFft[T]) wide() bool { return f.partBytes() == 8 }

// newNativeFft makes the records of a whole transform from src to dst, which may be one memory if the kind is Complex.
// dims are those of the complex side.
func newNativeFft[T fourier.Number](m memory, o fftOptions, kind fourier.Kind, forward bool, dims, lengths []int64,
	dst, src exec.Slice) *nativeFft[T] {
	f := &nativeFft[T]{memory: m, fftOptions: o, forward: forward, scale: 1, last: lengths[len(lengths)-1]}
	if !forward {
		n := float64(shape.Product(lengths))
		f.scale = float64(T(1 / n))
	}
	f.uses = append(exec.Reads(src), exec.Writes(dst)...)
	steps := fourier.Steps(kind, dims, len(lengths))
	between := dst // where the complex side lies
	if kind == fourier.RealInverse && len(steps) > 1 {
		between = m.Scratch(shape.Product(dims) * 2 * f.partBytes())
		f.uses = append(f.uses, exec.Writes(between)...)
	}
	for i, s := range steps {
		to := between
		if i == len(steps)-1 {
			to = dst
		}
		f.step(s, dims, to, src)
		src = to
	}
	return f
}

// record is that of all steps.
func (f *nativeFft[T]) record() run.Record {
	if len(f.records) == 1 {
		return f.records[0]
	}
	return run.Repeat(1, run.NewSegment(f.records))
}

// step adds the transform of one dimension of an array whose complex side has dims.
func (f *nativeFft[T]) step(s fourier.Step, dims []int64, dst, src exec.Slice) {
	n, inner := dims[s.Dim], shape.Product(dims[s.Dim+1:])
	t := fft.Transform{Dst: ref(dst), Src: ref(src), Outer: shape.Product(dims[:s.Dim]), Inner: inner, N: n,
		Forward: f.forward, Wide: f.wide(), ISA: f.isa, Scale: 1}
	if s.Scaled {
		t.Scale = f.scale
	}
	rows := s.Dim == len(dims)-1 && !s.Real
	if rows && f.rows(t, dst, src) || f.swift(t, s) {
		return
	}
	if s.Real {
		f.real(t, n)
		return
	}
	t.From = fft.Lines{Outer: n * inner, Inner: 1, Step: inner}
	if inner == 1 {
		t.From, t.Inner, t.Outer = fft.Lines{Inner: n, Step: 1}, t.Outer, 1
	}
	t.To = t.From
	packed := fourier.NewPlan[T](int(n)).Pack()
	f.add(t, packed, n+packed.Work)
}

// The lengths of the rows of complex numbers that FFTW gets, if they are powers of two: shorter ones keep the bits of
// the reference, and others are faster here than its estimate.
const (
	leastVendor = leastSwift
	mostVendor  = 512
)

// rows adds the transform of contiguous rows by FFTW. Its columns would be slow: its estimate for strided lines is far
// from what it can do. It reports whether it did.
func (f *nativeFft[T]) rows(t fft.Transform, dst, src exec.Slice) bool {
	n, rows := t.N, t.Outer
	if !f.vendor || dst.Slot == src.Slot || n < leastVendor || n > mostVendor || n&(n-1) != 0 {
		return false
	}
	p := fftw.Problem{Wide: f.wide(), Kind: fftw.Forward, N: n, Rows: rows}
	if !f.forward {
		p.Kind = fftw.Backward
	}
	flops := int64(lineFlops(n) * float64(rows))
	tasks := max(1, min(flops/fftTaskFlops, mostFftTasks), min(flops/longFftTask, rows))
	chunk := (rows + tasks - 1) / tasks
	if tasks > 1 {
		chunk = (chunk + 15) &^ 15 // so that all tasks begin at aligned places
	}
	plan, err := fftw.NewPlan(p, chunk, f.budget)
	if err != nil {
		return false
	}
	f.calls = f.calls.Then(vendorCalls(int((rows+chunk-1)/chunk), lineFlops(n)*float64(chunk),
		float64(4*chunk*n*f.partBytes()), partTypes[f.wide()]))
	f.records = append(f.records, plan.Record(ref(dst), ref(src), t.Scale))
	return true
}

// partTypes are the types of parts, by whether they are wide.
var partTypes = map[bool]shape.ElementType{false: shape.F32, true: shape.F64}

// lineFlops is about how many operations a line takes.
func lineFlops(n int64) float64 { return 5 * float64(n) * math.Log2(float64(n)+1) }

// real adds the transform of the last dimension between reals and half spectra of half numbers.
func (f *nativeFft[T]) real(t fft.Transform, half int64) {
	t.N, t.Inner, t.Outer = f.last, t.Outer, 1
	t.Kind, t.From, t.To = fft.ForwardReal, fft.Lines{Inner: f.last, Step: 1}, fft.Lines{Inner: half, Step: 1}
	if !f.forward {
		t.Kind, t.From, t.To = fft.InverseReal, t.To, t.From
	}
	packed := fourier.NewRealPlan[T](int(f.last)).Pack()
	f.add(t, packed, (f.last+1)/2+packed.Work)
}

const (
	fftTaskFlops = 1 << 18 // of a task, about 50 us
	longFftTask  = 4 << 20 // of a task of FFTW, which does not look at the cancel word: about 1 ms
	mostFftTasks = 8       // each has memory of its own
	mostLaneWork = 4 << 20 // bytes of a task; with more than this, lines go one by one
)

// add makes the record of t, which takes so many complex numbers of work a line.
func (f *nativeFft[T]) add(t fft.Transform, p fourier.Packed, work int64) {
	lines := t.Outer * t.Inner
	bytes := work * 2 * f.partBytes()
	t.Lanes = fft.Lanes(f.isa, f.wide())
	if lines < t.Lanes/2 || bytes*t.Lanes > mostLaneWork {
		t.Lanes = 1
	}
	t.Tasks = min(max(1, int64(lineFlops(t.N)*float64(lines)/fftTaskFlops)), mostFftTasks, (lines+t.Lanes-1)/t.Lanes)
	t.WorkBytes = (bytes*t.Lanes + 63) &^ 63
	scratch, plan := f.memory.Scratch(t.WorkBytes*t.Tasks), f.memory.Pack(p.Data)
	t.Work, t.Plan, t.Root = ref(scratch), ref(plan), p.Root
	f.uses = append(append(f.uses, exec.Writes(scratch)...), exec.Reads(plan)...)
	f.records = append(f.records, t.Record())
}
