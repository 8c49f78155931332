package cpu

import (
	"slices"

	"github.com/halo-xla/halo/backend/cpu/kernel"
	"github.com/halo-xla/halo/cgo/loops/run"
	"github.com/halo-xla/halo/cgo/onednn"
	"github.com/halo-xla/halo/xla/exec"
	"github.com/halo-xla/halo/xla/shape"
)

// The gradient of a convolution by its weights is a convolution whose window is as large as the results that it is made
// of, in which batch and feature have changed places. oneDNN has kernels for that, which are far quicker at it.
//
// gradient is such a convolution of n images. Parts of those make weights by themselves, which are summed in the order
// of the images, whatever the number of threads.
type gradient struct {
	*kernel.Convolution
	of      *contraction
	images  int64 // of a part
	list    []onednn.Piece
	first   *onednn.Primitive
	partial int64 // bytes of the weights of a part
}

// maxGradientParts bounds the parts, and leastPlaces is how many places of images a part has at least: each part's
// weights are written and read once more.
const (
	maxGradientParts = 8
	leastPlaces      = 256
)

// weightGradient lowers a convolution that is a gradient by weights; nil if it is none, or oneDNN cannot.
func weightGradient(l *exec.Lowering, s *kernel.Convolution, c *contraction) *thunk {
	if !run.Available() || c.lhsType != shape.F32 || c.rhsType != shape.F32 || c.outType != shape.F32 ||
		!isGradient(s) || onednn.Load() != nil {
		return nil
	}
	g := &gradient{Convolution: s, of: c}
	if g.pieces() != nil {
		return nil
	}
	unpack, err := g.first.Unpacker(g.weights())
	if err != nil {
		return nil
	}
	partial, parts := l.Scratch(g.partial*int64(len(g.list))), len(g.list)
	t := g.products(partial)
	if parts > 1 {
		sum := l.Scratch(g.partial)
		t, partial = sequence(t, contract(l, g.total(partial, sum, l.Pack(ones(shape.F32, parts))))), sum
	}
	pieces := []onednn.Piece{{Primitive: unpack}}
	o := onednn.Operands{Src: ref(partial), Dst: ref(c.out)}
	last := recordThunk("", append(exec.Reads(partial), exec.Writes(c.out)...), onednn.Record(o, pieces)).keeping(pieces)
	last.calling(reorderCalls(1, c.out.Size))
	whole := sequence(t, last)
	whole.kernel = "onednn " + g.first.Info()
	return whole
}

// isGradient says whether what is called batch lies where features do, and the window has more places than the result.
func isGradient(s *kernel.Convolution) bool {
	if slices.Contains(s.LHS, 0) || slices.Contains(s.RHS, 0) {
		return false
	}
	results := 1
	for i, w := range s.Window {
		results *= int(s.Out[s.Output.Spatial[i]])
		if w.BaseDilation > 1 || w.Size > 1 && w.Reversal {
			return false
		}
	}
	return len(s.Window) >= 1 && len(s.Window) <= 3 && s.FeatureGroups == 1 && s.BatchGroups == 1 &&
		s.Points() > results && s.Input.Feature < s.Input.Batch && s.Kernel.Feature < s.Kernel.Batch
}

func (g *gradient) pieces() error {
	n, places := g.LHS[g.Input.Feature], int64(g.Points())
	_, rows, columns, terms := g.of.Sizes()
	flops := 2 * float64(rows) * float64(columns) * float64(terms)
	want := int64(max(min(flops/blockFlops, maxGradientParts, float64(n*places/leastPlaces), float64(n)), 1))
	g.images = (n + want - 1) / want
	lhs, rhs := shape.Strides(g.LHS)[g.Input.Feature], shape.Strides(g.RHS)[g.Kernel.Feature]
	for at := int64(0); at < n; at += g.images {
		q, err := g.primitive(min(g.images, n-at))
		if err != nil {
			return err
		}
		g.list = append(g.list, onednn.Piece{Primitive: q, Src: at * lhs * 4, Dst: at * rhs * 4,
			Weights: int64(len(g.list)) * g.partial})
	}
	return nil
}

// primitive returns the gradient of n images: that of the first part, or one with weights laid out like its.
func (g *gradient) primitive(n int64) (*onednn.Primitive, error) {
	if g.first != nil && n == g.images {
		return g.first, nil
	}
	s := onednn.Spec{Kind: onednn.WeightGradient, Weights: g.weights(),
		Src: picked(g.LHS, append([]int64{g.Input.Feature, g.Input.Batch}, g.Input.Spatial...), n),
		Dst: picked(g.RHS, append([]int64{g.Kernel.Feature, g.Kernel.Batch}, g.Kernel.Spatial...), n)}
	s.Weights.Any = true
	for i, w := range g.Window {
		size := int(g.Out[g.Output.Spatial[i]])
		high := (w.Size-1)*w.WindowDilation + (size-1)*w.Stride + 1 - int(g.LHS[g.Input.Spatial[i]]) - w.PadLow
		s.Strides, s.Dilates = append(s.Strides, int64(w.WindowDilation)), append(s.Dilates, int64(w.Stride-1))
		s.Low, s.High = append(s.Low, int64(w.PadLow)), append(s.High, int64(high))
	}
	q, err := onednn.New(s, g.first)
	if err == nil && g.first == nil {
		g.first, g.partial = q, (q.WeightsBytes()+63)&^63
	}
	return q, err
}

// weights describes the result: output feature, input feature, space.
func (g *gradient) weights() onednn.Array {
	return picked(g.Out, append([]int64{g.Output.Feature, g.Output.Batch}, g.Output.Spatial...),
		g.Out[g.Output.Feature])
}

// picked describes the dimensions of a row-major array in another order, n places of the first of them.
func picked(dims, order []int64, n int64) onednn.Array {
	a, st := onednn.Array{Type: onednn.F32}, shape.Strides(dims)
	for _, d := range order {
		a.Dims, a.Strides = append(a.Dims, dims[d]), append(a.Strides, st[d])
	}
	a.Dims[0] = n
	return a
}

// products makes the weights of each part.
func (g *gradient) products(partial exec.Slice) *thunk {
	o := onednn.Operands{Src: ref(g.of.lhs), Weights: ref(partial), Dst: ref(g.of.rhs)}
	uses := append(exec.Reads(g.of.lhs, g.of.rhs), exec.Writes(partial)...)
	_, rows, columns, terms := g.of.Sizes()
	calls := productCalls(len(g.list), rows, columns, (terms+len(g.list)-1)/len(g.list), shape.F32)
	return recordThunk("", uses, onednn.Record(o, g.list)).keeping(g.list).calling(calls)
}

// total sums the parts' weights, by a product with ones.
func (g *gradient) total(partial, sum, ones exec.Slice) contraction {
	elements, parts := int(g.partial/4), len(g.list)
	walk := func(n, stride int) kernel.Walk { return kernel.Walk{}.Then(kernel.Step{N: n, Stride: stride}) }
	c := contraction{lhsType: shape.F32, rhsType: shape.F32, outType: shape.F32, lhs: partial, rhs: ones, out: sum}
	c.LHS = kernel.Operand{Rows: walk(elements, 1), Columns: walk(parts, elements)}
	c.RHS = kernel.Operand{Columns: walk(parts, 1)}
	c.Out = kernel.Operand{Rows: walk(elements, 1)}
	return c
}
