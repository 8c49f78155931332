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
	return fourier.Swift[T]{Lanes: int(fft.Lanes(isa, f.wide())), Radix: radix}
}

// swift adds the transform of one dimension of lines that have small factors, at the widest level whose vectors they
// fill, and reports whether it did.
func (f *nativeFft[T]) swift(t fft.Transform, s fourier.Step) bool {
	n := t.N
	if s.Real {
		n = f.last
	}
	if n < leastSwift {
		return false
	}
	w := fft.Swift{Dst: t.Dst, Src: t.Src, Outer: t.Outer, N: n, Forward: t.Forward, Wide: t.Wide, Scale: t.Scale}
	for _, isa := range f.swiftLevels() {
		w.ISA = isa
		if t.Inner > 1 && f.swiftColumns(w, t.Inner) || t.Inner == 1 && f.swiftLines(w, s.Real) {
			return true
		}
	}
	return false
}

// swiftColumns adds the transform of columns of arrays of n by inner.
func (f *nativeFft[T]) swiftColumns(w fft.Swift, inner int64) bool {
	plan := f.swiftPlan(w.ISA)
	lanes := int64(plan.Lanes)
	packed, ok := plan.PackColumns(int(w.N))
	if !ok || inner < lanes {
		return false
	}
	w.Inner = inner
	groups := w.Outer * ((inner + lanes - 1) / lanes)
	w.Tasks = f.swiftTasks(w.N, w.Outer*inner, groups)
	f.addSwift(w, packed, (packed.Work+w.N)*lanes) // a group that is not full is copied
	return true
}

// swiftLines adds the transform of contiguous lines. Those that are long, and few, are parted.
func (f *nativeFft[T]) swiftLines(w fft.Swift, real bool) bool {
	plan := f.swiftPlan(w.ISA)
	line, ok := plan.PackLine(int(w.N), int(w.Outer), real)
	if !ok {
		return false
	}
	lanes := int64(plan.Lanes)
	own, shared := line.Work*lanes, (line.A+lanes-1)/lanes*line.B*lanes
	if real {
		w.Kind = fft.ForwardReal
		if !w.Forward {
			w.Kind, w.Scale = fft.InverseReal, 2*w.Scale
		}
		shared += line.A * line.B
	}
	if line.Together {
		w.Together = true
		w.Tasks = f.swiftTasks(w.N, w.Outer, (w.Outer+lanes-1)/lanes)
		f.addSwift(w, line.Packed, (2*line.Work+2)*lanes) // and lines
		return true
	}
	w.Tasks = f.swiftTasks(w.N, w.Outer, w.Outer)
	if lineFlops(w.N) > 2*swiftTaskFlops*float64(w.Outer) {
		w.Tasks = f.swiftTasks(w.N, w.Outer, mostFftTasks)
		w.SharedBytes = f.swiftBytes(shared)
		f.addSwift(w, line.Packed, own)
		return true
	}
	f.addSwift(w, line.Packed, own+shared)
	return true
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
