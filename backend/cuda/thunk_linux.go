//go:build cgo

package cuda

import (
	"slices"

	"github.com/halo-xla/halo/backend/cuda/emit"
	"github.com/halo-xla/halo/cgo/cuda"
	"github.com/halo-xla/halo/cgo/cudnn"
	"github.com/halo-xla/halo/cgo/cufft"
	"github.com/halo-xla/halo/xla/exec"
)

// call is what a library does, until the program is closed.
type call interface {
	cuda.Call
	Close()
}

// thunk is the commands of one instruction with their operands bound.
type thunk struct {
	emission *emit.Emission
	memory   [emit.Seed][]exec.Slice // by the kind of buffers
	inPlace  []exec.Pair
	kernel   string
	calls    map[*emit.Gemm]call
	trsm     call
	solves   map[*emit.Solve]*solving
	ffts     map[*emit.Fft]*cufft.Call
	convs    map[*emit.Conv]*cudnn.Call
	built    *built // set by Build
}

func newThunk(l *exec.Lowering, e *emit.Emission) *thunk {
	t := &thunk{emission: e, kernel: "cuda " + l.In.Op.String()}
	for i := range l.In.Operands {
		t.memory[emit.Operand] = append(t.memory[emit.Operand], l.Operands(i)...)
	}
	t.memory[emit.Result] = l.Results()
	for _, n := range e.Scratch {
		t.memory[emit.Scratch] = append(t.memory[emit.Scratch], l.Scratch(n))
	}
	for _, data := range e.Tables {
		t.memory[emit.Table] = append(t.memory[emit.Table], l.Pack(data))
	}
	for _, a := range e.InPlace {
		t.inPlace = append(t.inPlace, exec.Pair{Result: t.memory[emit.Result][a.Result].Slot,
			Operand: t.memory[emit.Operand][a.Operand].Slot})
	}
	return t
}

// Run is never called: thunks of the device run in segments.
func (t *thunk) Run(*exec.Run) error { panic("cuda: bug: a thunk outside a segment") }

func (t *thunk) Uses() []exec.Use {
	reads := append(exec.Reads(t.memory[emit.Operand]...), exec.Reads(t.memory[emit.Table]...)...)
	return append(reads, exec.Writes(t.memory[emit.Result]...)...)
}

func (t *thunk) InPlace() []exec.Pair { return t.inPlace }

func (t *thunk) Kernel() string { return t.kernel }

// value is where a buffer lies.
func (t *thunk) value(b emit.Buffer) cuda.Value {
	switch b.Kind {
	case emit.Seed:
		return cuda.Value{Slot: t.built.seed}
	case emit.Stop:
		return cuda.Value{Slot: t.built.seed + 1}
	}
	return valueOf(t.memory[b.Kind][b.Index])
}

func valueOf(s exec.Slice) cuda.Value { return cuda.Value{Slot: int64(s.Slot), Offset: s.Offset} }

// appendTo appends the commands of t to q.
func (t *thunk) appendTo(q *queue) {
	for _, s := range t.emission.Steps {
		if s.Solve != nil {
			q.did(t.touches())
			q.add(t.solves[s.Solve])
			continue
		}
		a := q.array()
		switch {
		case s.Copy != nil:
			a.Copy(t.value(s.Copy.Dst), t.value(s.Copy.Src), s.Copy.Bytes)
		case s.Fill != nil:
			a.Fill(t.value(s.Fill.Dst), s.Fill.Bytes, s.Fill.Value)
		case s.Gemm != nil:
			t.multiply(a, s.Gemm)
		case s.Fft != nil:
			a.Call(t.ffts[s.Fft], t.value(s.Fft.From), t.value(s.Fft.To), t.value(s.Fft.Work))
		case s.Conv != nil:
			t.convolve(a, s.Conv)
		case s.Trsm != nil:
			a.Call(t.trsm, t.value(s.Trsm.A), t.value(s.Trsm.X), t.value(s.Trsm.Work),
				cuda.Word(t.emission.Scratch[s.Trsm.Work.Index]))
		default:
			a.Launch(t.launch(s.Kernel))
		}
	}
	q.did(t.touches())
}

// touches is all that the commands of t read and write: also what only they know.
func (t *thunk) touches() []exec.Use {
	uses := append(t.Uses(), exec.Writes(t.memory[emit.Scratch]...)...)
	if wants(kernelsOf(t.emission), emit.Seed) {
		return append(uses, exec.Writes(exec.Slice{Slot: int32(t.built.seed), Size: seedBytes})...)
	}
	return uses
}

// wants reports whether kernels have a parameter of a kind.
func wants(kernels []*emit.Kernel, kind emit.BufferKind) bool {
	return slices.ContainsFunc(kernels, func(k *emit.Kernel) bool {
		return slices.ContainsFunc(k.Args, func(b emit.Buffer) bool { return b.Kind == kind })
	})
}

// multiply appends a product, of which the library sees the transpose.
func (t *thunk) multiply(a *cuda.Array, g *emit.Gemm) {
	x, y, z, w := t.value(g.B.Buffer), t.value(g.A.Buffer), t.value(g.C.Buffer), t.value(g.Work)
	if g.Bias != nil {
		a.Call(t.calls[g], x, y, z, t.value(*g.Bias), w)
		return
	}
	a.Call(t.calls[g], x, y, z, w, cuda.Word(t.emission.Scratch[g.Work.Index]))
}

// convolve appends a convolution.
func (t *thunk) convolve(a *cuda.Array, c *emit.Conv) {
	words := []cuda.Value{t.value(c.X.Buffer), t.value(c.W.Buffer), t.value(c.Y.Buffer)}
	if c.Bias != nil {
		words = append(words, t.value(*c.Bias))
	}
	if c.Added != nil {
		words = append(words, t.value(*c.Added))
	}
	a.Call(t.convs[c], append(words, t.value(c.Work))...)
}

func (t *thunk) launch(k *emit.Kernel) cuda.Launch {
	l := cuda.Launch{Function: t.built.functions[k.Name], Grid: k.Grid, Block: k.Block, Shared: k.Shared}
	for _, b := range k.Args {
		l.Params = append(l.Params, t.value(b))
	}
	return l
}

// recordOnly is the Thunk of what is known to segments alone.
type recordOnly struct{}

func (recordOnly) Run(*exec.Run) error { panic("cuda: bug: a record outside a segment") }

func (recordOnly) Uses() []exec.Use { return nil }

// copying copies on the device.
type copying struct {
	recordOnly
	dst, src exec.Slice
}

func (t *copying) appendTo(q *queue) {
	q.array().Copy(valueOf(t.dst), valueOf(t.src), t.dst.Size)
	q.did(append(exec.Reads(t.src), exec.Writes(t.dst)...))
}
