package hlo

import (
	"math"
	"math/bits"

	"github.com/halo-xla/halo/xla/shape"
)

// Cost is the work of a program or an instruction, by count: additions and multiplications, and the bytes of operands
// and results.
type Cost struct {
	FLOPs, Bytes int64
}

func (c *Cost) add(d Cost, times int64) {
	c.FLOPs = saturated(c.FLOPs, d.FLOPs, times)
	c.Bytes = saturated(c.Bytes, d.Bytes, times)
}

// saturated is a + b*times, of what is not negative, or the greatest number: functions that call others twice each
// count to any.
func saturated(a, b, times int64) int64 {
	if times > 0 && b > (math.MaxInt64-a)/times {
		return math.MaxInt64
	}
	return a + b*times
}

// boundedProduct is the product of what is not negative, or the greatest number.
func boundedProduct(list ...int64) int64 {
	n := int64(1)
	for _, v := range list {
		n = saturated(0, n, v)
	}
	return n
}

// Cost returns the work of one run of m's entry. trips says how often a while runs its body; nil, or a result below 0,
// means once. Of a conditional the dearest branch counts.
func (m *Module) Cost(trips func(while *Instruction) int64) Cost {
	k := costs{trips: trips, known: map[*Computation]Cost{}}
	return k.computation(m.Entry)
}

// OutsideBytes returns the bytes of m's arguments and results. What is between stays in registers and caches where it
// can, so that the bytes of Cost over the time of a run may be a speed that no memory has.
func (m *Module) OutsideBytes() int64 {
	n := leafBytes(m.Entry.Root.Shape)
	for _, p := range m.Entry.Parameters {
		n = saturated(n, leafBytes(p.Shape), 1)
	}
	return n
}

// Cost returns the work of the instruction itself, called computations not counted in.
func (in *Instruction) Cost() Cost {
	c := Cost{Bytes: leafBytes(in.Shape)}
	for _, o := range in.Operands {
		c.Bytes = saturated(c.Bytes, leafBytes(o.Shape), 1)
	}
	switch f := flops[in.Op]; {
	case f != nil:
		c.FLOPs = f(in)
	case in.Op.Info().Traits&Elementwise != 0:
		c.FLOPs = countElements(in.Shape)
	}
	if free[in.Op] {
		c.Bytes = 0
	}
	return c
}

// Work returns the work of the instruction with the computations that it calls as a whole, which Module.Cost counts in:
// a fusion's, a while's once.
func (in *Instruction) Work() Cost {
	k, c := costs{known: map[*Computation]Cost{}}, in.Cost()
	k.called(&c, in)
	return c
}

// flops are the operations of the ops that do not take one for each element of the result.
var flops = map[Opcode]func(in *Instruction) int64{
	Copy: none, Convert: none, Compare: func(in *Instruction) int64 { return countElements(in.Shape) },
	Dot: dotFLOPs, ScaledDot: dotFLOPs, RaggedDot: raggedFLOPs,
	Convolution: convolutionFLOPs, DynamicConvolution: convolutionFLOPs,
	Reduce: operandElements, ReduceWindow: windowFLOPs, SelectAndScatter: operandElements,
	Fft: fftFLOPs, Cholesky: func(in *Instruction) int64 { return cubic(in.Shape) / 3 },
	TriangularSolve: func(in *Instruction) int64 {
		return boundedProduct(countElements(in.Shape), lastDim(in.Operands[0].Shape))
	},
	BatchNormInference: func(in *Instruction) int64 { return boundedProduct(2, operandElements(in)) },
	BatchNormTraining:  func(in *Instruction) int64 { return boundedProduct(7, operandElements(in)) },
	BatchNormGrad:      func(in *Instruction) int64 { return boundedProduct(11, operandElements(in)) },
	AllReduce:          operandElements, ReduceScatter: operandElements,
}

// free ops move nothing.
var free = map[Opcode]bool{
	Parameter: true, Constant: true, Tuple: true, GetTupleElement: true, Bitcast: true, Reshape: true, AfterAll: true,
	AddDependency: true, OptimizationBarrier: true, While: true, Conditional: true, Call: true, Domain: true,
}

type costs struct {
	trips func(while *Instruction) int64
	known map[*Computation]Cost
}

func (k *costs) computation(c *Computation) Cost {
	if sum, ok := k.known[c]; ok {
		return sum
	}
	var sum Cost
	for _, in := range c.Instructions {
		sum.add(in.Cost(), 1)
		k.called(&sum, in)
	}
	k.known[c] = sum
	return sum
}

// called adds the work of the computations that in runs as a whole; those applied to elements are in the op's own.
func (k *costs) called(sum *Cost, in *Instruction) {
	switch a := in.Attrs.(type) {
	case *WhileAttrs:
		n := int64(1)
		if k.trips != nil {
			if t := k.trips(in); t >= 0 {
				n = t
			}
		}
		sum.add(k.computation(a.Body), n)
		sum.add(k.computation(a.Condition), n+1)
	case *ConditionalAttrs:
		var most Cost
		for _, b := range a.Branches {
			if c := k.computation(b); saturated(c.FLOPs, c.Bytes, 1) > saturated(most.FLOPs, most.Bytes, 1) {
				most = c
			}
		}
		sum.add(most, 1)
	case *CallAttrs:
		sum.add(k.computation(a.ToApply), 1)
	case *FusionAttrs: // what lies between its instructions stays in registers
		sum.add(Cost{FLOPs: k.computation(a.Calls).FLOPs}, 1)
	}
}

func none(*Instruction) int64 { return 0 }

func countElements(s shape.Shape) int64 {
	n := int64(0)
	for _, l := range s.Leaves() {
		if size, ok := l.CheckedSize(); ok && l.IsArray() {
			n = saturated(n, size, 1)
		}
	}
	return n
}

func leafBytes(s shape.Shape) int64 {
	n := int64(0)
	for _, l := range s.Leaves() {
		n = saturated(n, arrayBytes(l.Static()), 1)
	}
	return n
}

func operandElements(in *Instruction) int64 { return countElements(in.Operands[0].Shape) }

func lastDim(s shape.Shape) int64 {
	if len(s.Dims) == 0 {
		return 1
	}
	return max(s.Dims[len(s.Dims)-1], 0)
}

// sizes is the product of the sizes of some dimensions, 0 if one is unknown.
func sizes(s shape.Shape, dims []int64) int64 {
	n := int64(1)
	for _, d := range dims {
		n = boundedProduct(n, max(s.Dims[d], 0))
	}
	return n
}

func cubic(s shape.Shape) int64 { return boundedProduct(countElements(s), lastDim(s)) }

func dotFLOPs(in *Instruction) int64 {
	a := in.Attrs.(*DotAttrs)
	return boundedProduct(2, countElements(in.Shape), sizes(in.Operands[0].Shape, a.LHSContracting))
}

func raggedFLOPs(in *Instruction) int64 {
	a := in.Attrs.(*RaggedDotAttrs)
	return boundedProduct(2, countElements(in.Shape), sizes(in.Operands[0].Shape, a.LHSContracting))
}

func convolutionFLOPs(in *Instruction) int64 {
	a := in.Attrs.(*ConvolutionAttrs)
	kernel := in.Operands[1].Shape
	taps := boundedProduct(sizes(kernel, a.DimLabels.KernelSpatial), max(kernel.Dims[a.DimLabels.KernelInput], 0))
	return boundedProduct(2, countElements(in.Shape), taps) / max(a.BatchGroupCount, 1)
}

func windowFLOPs(in *Instruction) int64 {
	n := countElements(in.Shape)
	for _, d := range in.Attrs.(*ReduceWindowAttrs).Window {
		n = boundedProduct(n, max(d.Size, 1))
	}
	return n
}

func fftFLOPs(in *Instruction) int64 {
	n := int64(1)
	for _, l := range in.Attrs.(*FftAttrs).Length {
		n = boundedProduct(n, max(l, 1))
	}
	elements := max(countElements(in.Shape), operandElements(in))
	return boundedProduct(5, elements, int64(bits.Len64(uint64(n))-1))
}
