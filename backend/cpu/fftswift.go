package cpu

import (
	"github.com/halo-xla/halo/cgo/loops/fft"
	"github.com/halo-xla/halo/cgo/loops/run"
	"github.com/halo-xla/halo/xla/exec"
	"github.com/halo-xla/halo/xla/fourier"
)

// leastSwift is the length from which on a transform's arithmetic is free: shorter ones keep the bits of the reference.
const leastSwift = 64

// swiftLevels are the levels from that of f down.
func (f *nativeFft[T]) swiftLevels() []run.ISA {
	if f.isa == run.NEON {
		return []run.ISA{run.Base}
	}
	return []run.ISA{run.AVX512, run.AVX2, run.Base}[run.AVX512-f.isa:]
}

// swiftPlan is what plans of a level go by. More registers take larger butterflies.
func (f *nativeFft[T]) swiftPlan(isa run.ISA) fourier.Swift[T] {
	radix := 8
	if isa == run.AVX512 {
		radix = 16
	}
	return fourier.Swift[T]{Lanes: int(fft.Lanes(isa, f.wide())), Radix: radix, Prime: fft.LargestPrime}
}

// swift adds the transform of one dimension of lines, at the level that suits them best, and reports whether it did.
func (f *nativeFft[T]) swift(t fft.Transform, s fourier.Step) bool {
	n := t.N
	if s.Real {
		n = f.last
	}
	if n < leastSwift {
		return false
	}
	w := fft.Swift{Dst: t.Dst, Src: t.Src, Outer: t.Outer, N: n, Forward: t.Forward, Wide: t.Wide, Scale: t.Scale}
	if t.Inner == 1 {
		f.swiftLines(w, s.Real)
		return true
	}
	return f.swiftColumns(w, t.Inner)
}

// swiftColumns adds the transform of columns of arrays of n by inner, in the widest vectors that they fill. It reports
// whether they do not take too much memory.
func (f *nativeFft[T]) swiftColumns(w fft.Swift, inner int64) bool {
	for _, w.ISA = range f.swiftLevels() {
		plan := f.swiftPlan(w.ISA)
		lanes := int64(plan.Lanes)
		if inner < lanes && w.ISA != run.Base {
			continue
		}
		packed := plan.PackColumns(int(w.N))
		if packed.Work > 2*w.N && f.swiftBytes(packed.Work*lanes) > mostLaneWork {
			continue
		}
		w.Inner = inner
		groups := w.Outer * ((inner + lanes - 1) / lanes)
		w.Tasks = f.swiftTasks(w.N, w.Outer*inner, groups)
		f.addSwift(w, packed, (packed.Work+w.N)*lanes) // a group that is not full is copied
		return true
	}
	return false
}

// swiftLine returns the cheapest plan of contiguous lines, and its level.
func (f *nativeFft[T]) swiftLine(w fft.Swift, real bool) (line fourier.SwiftLine, isa run.ISA) {
	for i, level := range f.swiftLevels() {
		if l := f.swiftPlan(level).PackLine(int(w.N), int(w.Outer), real); i == 0 || l.Cost < line.Cost {
			line, isa = l, level
		}
	}
	return line, isa
}

// swiftLines adds the transform of contiguous lines. Those that are long, and few, are parted.
func (f *nativeFft[T]) swiftLines(w fft.Swift, real bool) {
	line, isa := f.swiftLine(w, real)
	w.ISA = isa
	lanes := int64(f.swiftPlan(isa).Lanes)
	own, shared := line.Work*lanes, (line.A+lanes-1)/lanes*line.B*lanes+line.Own
	if real {
		w.Kind = fft.ForwardReal
		if !w.Forward {
			w.Kind = fft.InverseReal
		}
	}
	if w.Kind == fft.InverseReal && w.N%2 == 0 {
		w.Scale *= 2 // halves are folded
	}
	if line.Together {
		w.Together = true
		w.Tasks = f.swiftTasks(w.N, w.Outer, (w.Outer+lanes-1)/lanes)
		f.addSwift(w, line.Packed, (line.Work+2*(line.B+1))*lanes) // and lines
		return
	}
	w.Tasks = f.swiftTasks(w.N, w.Outer, w.Outer)
	if lineFlops(w.N) > 2*swiftTaskFlops*float64(w.Outer) {
		w.Tasks = f.swiftTasks(w.N, w.Outer, mostFftTasks)
		w.SharedBytes = f.swiftBytes(shared)
		f.addSwift(w, line.Packed, own)
		return
	}
	if numbers := line.A * line.B; w.Kind == fft.Complex && f.staged(numbers, w.Outer) {
		w.Staged = true
		shared += (numbers + lanes - 1) / lanes * lanes
	}
	f.addSwift(w, line.Packed, own+shared)
}

// Lines of arrays of so many bytes, which no cache near a core holds, are staged if they are longer than a page and do
// not leave, with their stage, the second cache. Those of reals are not: halves go through memory as it lies.
const (
	leastStaged   = 4 << 20
	shortStaged   = 4 << 10
	longestStaged = 64 << 10
)

// staged reports whether lines of so many complex numbers are.
func (f *nativeFft[T]) staged(numbers, lines int64) bool {
	bytes := f.swiftBytes(numbers)
	return bytes > shortStaged && bytes <= longestStaged && bytes*lines >= leastStaged
}

// swiftTaskFlops are the operations of a task, about 20 us.
const swiftTaskFlops = 1 << 20

// swiftTasks returns in how many tasks so many lines are done, which are parts of that number at most.
func (f *nativeFft[T]) swiftTasks(n, lines, parts int64) int64 {
	return min(max(1, int64(lineFlops(n)*float64(lines)/swiftTaskFlops)), mostFftTasks, parts)
}

// swiftBytes are those of so many complex numbers, in lines of the cache.
func (f *nativeFft[T]) swiftBytes(numbers int64) int64 { return (numbers*2*f.partBytes() + 63) &^ 63 }

// addSwift makes the record of w, each of whose tasks takes so many complex numbers of work.
func (f *nativeFft[T]) addSwift(w fft.Swift, p fourier.Packed, work int64) {
	w.WorkBytes = f.swiftBytes(work)
	scratch, plan := f.memory.Scratch(w.SharedBytes+w.WorkBytes*w.Tasks), f.memory.Pack(p.Data)
	w.Work, w.Plan, w.Root = ref(scratch), ref(plan), p.Root
	f.uses = append(append(f.uses, exec.Writes(scratch)...), exec.Reads(plan)...)
	f.records = append(f.records, w.Record())
}
