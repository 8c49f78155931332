// Package emit writes kernels in CUDA C for instructions and fusions of HLO: text, launches, and what they read and
// write. It needs neither a GPU nor a compiler.
package emit

import (
	"errors"
	"fmt"

	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/shape"
)

// Emission is the commands of one instruction, in order, for one stream.
type Emission struct {
	Steps []Step
	// Scratch has the bytes of each scratch buffer.
	Scratch []int64
	// Tables are constant data that kernels read.
	Tables [][]byte
	// InPlace are the results that may lie where an operand lies, with the same address.
	InPlace []Alias
}

// Step is one command: one of its fields is set.
type Step struct {
	Kernel *Kernel
	Copy   *Copy
	Fill   *Fill
	Gemm   *Gemm
	Solve  *Solve
	Fft    *Fft
	Conv   *Conv
	Trsm   *Trsm
}

// Copy copies bytes on the device, unless both have one address.
type Copy struct {
	Dst, Src Buffer
	Bytes    int64
}

// Fill sets bytes.
type Fill struct {
	Dst   Buffer
	Value byte
	Bytes int64
}

// Alias is a result and an operand, by the numbers of their leaves.
type Alias struct{ Result, Operand int }

// Buffer names memory of an instruction.
type Buffer struct {
	Kind  BufferKind
	Index int
}

// BufferKind says what a buffer is.
type BufferKind uint8

// Operands and results are numbered by leaves, over all operands and through tuples; scratch buffers and tables as the
// emission lists them. Seed is the state of a run's random numbers, u64[4]: their key, how many rng instructions have
// run, and what was added to the hidden state of rng-get-and-update-state, the low half first. Stop is a word of the
// host's memory that becomes 1 when loops shall end.
const (
	Operand BufferKind = iota
	Result
	Scratch
	Table
	Seed
	Stop
)

// Kernel is a launch of one function.
type Kernel struct {
	// Name is that of the function. A hash of the source is part of it: one name, one source.
	Name string
	// Source is the function alone, Uses are the pieces of the prelude that it needs.
	Source string
	Uses   []string
	// Grid and Block are the numbers of blocks and of threads in a block.
	Grid, Block [3]uint32
	// Shared is the dynamic shared memory in bytes.
	Shared uint32
	// Args are the parameters, pointers all, at most cuda.MaxParams.
	Args []Buffer
}

// emitter appends to e what computes in.
type emitter func(e *Emission, in *hlo.Instruction)

// emitters are the ops whose kernels are more than a loop over the elements of their result, by what elements says.
var emitters [hlo.NumOps]emitter

func init() {
	emitters = [hlo.NumOps]emitter{
		hlo.Cholesky:             emitCholesky,
		hlo.Concatenate:          emitConcatenate,
		hlo.Dot:                  emitDot,
		hlo.DynamicUpdateSlice:   emitUpdate,
		hlo.Fft:                  emitFft,
		hlo.Fusion:               emitFusion,
		hlo.Reduce:               emitReduce,
		hlo.ReduceWindow:         emitReduceWindow,
		hlo.Rng:                  emitRng,
		hlo.RngBitGenerator:      emitRandomBits,
		hlo.RngGetAndUpdateState: emitHiddenState,
		hlo.Scan:                 emitScan,
		hlo.Scatter:              emitScatter,
		hlo.Sort:                 emitSort,
		hlo.TopK:                 emitTopK,
		hlo.Transpose:            emitTranspose,
		hlo.TriangularSolve:      emitTriangularSolve,
	}
}

// unsupported is what the emitter has no kernel for; it ends the emission as a panic that Lower recovers.
type unsupported struct{ error }

// refuse ends the emission.
func refuse(format string, args ...any) {
	panic(unsupported{fmt.Errorf(format+": %w", append(args, errors.ErrUnsupported)...)})
}

// Lower returns what computes in, an op or a fusion on arrays of static shapes. It fails with errors.ErrUnsupported and
// a sentence if there is no kernel for it.
func Lower(in *hlo.Instruction) (*Emission, error) {
	return emission(in, func(e *Emission, in *hlo.Instruction) {
		if f := emitters[in.Op]; f != nil {
			f(e, in)
		} else {
			emitLoop(e, in)
		}
	})
}

// emission returns what f appends for in.
func emission(in *hlo.Instruction, f emitter) (e *Emission, err error) {
	defer func() {
		if r := recover(); r != nil {
			u, ok := r.(unsupported)
			if !ok {
				panic(r)
			}
			e, err = nil, u.error
		}
	}()
	checkShapes(in)
	e = &Emission{}
	f(e, in)
	return e, nil
}

// Has reports whether there may be a kernel for op.
func Has(op hlo.Opcode) bool { return emitters[op] != nil || elements[op] != nil && !inlineOnly[op] }

// inlineOnly are the ops that have elements within fusions only: by themselves they are exec's.
var inlineOnly = [hlo.NumOps]bool{hlo.Constant: true, hlo.GetTupleElement: true, hlo.Tuple: true}

// checkShapes refuses what has no static array shapes.
func checkShapes(in *hlo.Instruction) {
	if in.IsDynamic() {
		refuse("%s has dynamic dimensions", in.Op)
	}
	for _, s := range append(in.OperandShapes(), in.Shape) {
		for _, l := range leaves(s) {
			if !l.IsArray() {
				refuse("%s of %v", in.Op, l)
			}
		}
	}
}

// leaves lists the arrays of s, tuples taken apart.
func leaves(s shape.Shape) []shape.Shape {
	if !s.IsTuple() {
		return []shape.Shape{s}
	}
	var list []shape.Shape
	for _, e := range s.Elems {
		list = append(list, leaves(e)...)
	}
	return list
}

// firstLeaf returns the number of operand i's first leaf.
func firstLeaf(in *hlo.Instruction, i int) int {
	n := 0
	for _, o := range in.Operands[:i] {
		n += o.Shape.LeafCount()
	}
	return n
}

func (e *Emission) add(k *Kernel) { e.Steps = append(e.Steps, Step{Kernel: k}) }

func (e *Emission) copy(dst, src Buffer, bytes int64) {
	if bytes > 0 {
		e.Steps = append(e.Steps, Step{Copy: &Copy{dst, src, bytes}})
	}
}

// scratch returns a new scratch buffer.
func (e *Emission) scratch(bytes int64) Buffer {
	e.Scratch = append(e.Scratch, bytes)
	return Buffer{Scratch, len(e.Scratch) - 1}
}

// table returns a new table.
func (e *Emission) table(data []byte) Buffer {
	e.Tables = append(e.Tables, data)
	return Buffer{Table, len(e.Tables) - 1}
}
