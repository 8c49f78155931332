package emit

import (
	"errors"
	"fmt"
	"slices"

	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/shape"
)

// LowerPatches returns in, a convolution of f32 or one and a bias or an array that is added, as products of a library
// and a kernel: one product with patches that a kernel has gathered, what each place of the result is made of, or,
// where a base dilation spreads the operand out, one for each place of the window, whose results a kernel sums.
// library says what workspace a product takes, if that is to be done with so many bytes between it and the kernel; it
// fails with errors.ErrUnsupported if not. LowerPatches returns nil if in is nothing of that, or the library takes
// none of it.
func LowerPatches(in *hlo.Instruction, finite func(operand int) bool,
	library func(g *Gemm, between int64) (int64, error)) (*Emission, error) {
	conv, from, added, bias := convolutionIn(in)
	if conv == nil || !convolvable(conv) || conv.Operands[0].Shape.Type != shape.F32 || conv.Shape.Type != shape.F32 {
		return nil, nil
	}
	a := conv.Attrs.(*hlo.ConvolutionAttrs)
	if a.FeatureGroupCount > 1 || a.BatchGroupCount > 1 {
		return nil, nil
	}
	spread := slices.ContainsFunc(a.Window, func(w hlo.WindowDim) bool { return w.BaseDilation > 1 })
	for _, fused := range []bool{true, false} {
		p := &convolving{e: &Emission{}, in: conv, a: a, whole: in, added: added, bias: bias, from: from,
			finite: finite(from[1].Index)}
		lower := (*convolving).gathered
		if spread {
			lower = (*convolving).summed
		}
		if fused && (bias == nil || spread) {
			continue
		}
		if e, err := lower(p, fused, library); !errors.Is(err, errors.ErrUnsupported) {
			return e, err
		}
	}
	return nil, nil
}

// joined are the dimensions of weights from first on, the outermost in memory first, and the distance of neighbours as
// if they were one; none if they are not.
func (p *convolving) joined(first int) (order []int, step int64) {
	w := &p.c.W
	for d := first; d < len(w.Dims); d++ {
		if w.Dims[d] != 1 {
			order = append(order, d)
		}
	}
	slices.SortStableFunc(order, func(x, y int) int { return int(min(max(w.Strides[y]-w.Strides[x], -1), 1)) })
	size := int64(1)
	for _, d := range slices.Backward(order) {
		if step == 0 {
			step = w.Strides[d]
		} else if w.Strides[d] != size*step {
			return nil, 0
		}
		size *= w.Dims[d]
	}
	return order, step
}

// gathered is a convolution as a product with patches: of them with the weights where features lie last in the result,
// of the weights with them for each of a batch where space does.
func (p *convolving) gathered(fused bool, library func(*Gemm, int64) (int64, error)) (*Emission, error) {
	p.forward()
	w, y := p.c.W, p.c.Y
	order, step := p.joined(1)
	p.last = y.packed(true)
	if len(order) == 0 || min(step, w.Strides[0]) != 1 || !p.last && (fused || !y.packed(false)) {
		return nil, errors.ErrUnsupported
	}
	places, features, k := shape.Product(y.Dims[2:]), y.Dims[1], shape.Product(w.Dims[1:])
	bytes := 4 * y.Dims[0] * places * k
	patches := Matrix{p.e.scratch(bytes), shape.F32, k, 1, 0}
	p.gather(patches.Buffer, order)
	g := &Gemm{M: y.Dims[0] * places, N: features, K: k, Batch: 1, A: patches,
		B: Matrix{w.Buffer, shape.F32, step, w.Strides[0], 0}, C: Matrix{y.Buffer, shape.F32, features, 1, 0}}
	if !p.last {
		patches.Row, patches.Batch = places, k*places
		g = &Gemm{M: features, N: places, K: k, Batch: y.Dims[0], A: Matrix{w.Buffer, shape.F32, w.Strides[0], step, 0},
			B: patches, C: Matrix{y.Buffer, shape.F32, places, 1, features * places}}
	}
	if fused {
		g.Bias, p.bias = p.bias, nil
	}
	if err := p.multiply(g, bytes, library); err != nil {
		return nil, err
	}
	p.addBias()
	p.careful()
	return p.e, nil
}

// multiply appends a product that a library does.
func (p *convolving) multiply(g *Gemm, between int64, library func(*Gemm, int64) (int64, error)) error {
	if min(g.M, g.N, g.K) < gemmFrom {
		return errors.ErrUnsupported
	}
	work, err := library(g, between)
	if err != nil {
		return err
	}
	g.Work = p.e.scratch(work)
	p.e.Steps = append(p.e.Steps, Step{Gemm: g})
	return nil
}

// gather appends a kernel that writes what each place of the result is made of: for each of a batch first all of one
// place where features lie last, else all places of one number. Dimensions of weights are in their order in memory.
func (p *convolving) gather(to Buffer, order []int) {
	c, space := &p.c, len(p.c.Stride)
	depth := make([]int64, len(order))
	for i, d := range order {
		depth[i] = c.W.Dims[d]
	}
	of, place, within := slices.Concat(c.Y.Dims[:1], c.Y.Dims[2:], depth), 1, 1+space
	if !p.last {
		of, place, within = slices.Concat(c.Y.Dims[:1], depth, c.Y.Dims[2:]), 1+len(order), 1
	}
	b := newBody(p.e, shape.Product(c.X.Dims), shape.Product(of))
	b.threads(shape.Product(of))
	coordinates := b.coordinates(index{flat: "t", of: of})
	at, inside := times(coordinates[0], c.X.Strides[0]), []string(nil)
	if i := slices.Index(order, 1); i >= 0 {
		at = plus(at, times(coordinates[within+i], c.X.Strides[1]))
	}
	for d := range space {
		x := plus(times(coordinates[place+d], c.Stride[d]), num(-c.Pre[d]))
		if i := slices.Index(order, 2+d); i >= 0 {
			x = plus(x, times(p.windowPlace(b, coordinates[within+i], d), c.Dilation[d]))
		}
		x = b.integer(x)
		if c.Pre[d] > 0 || c.Post[d] > 0 {
			inside = append(inside, fmt.Sprintf("%s >= 0 && %s < %d", x, x, c.X.Dims[2+d]))
		}
		at = plus(at, times(x, c.X.Strides[2+d]))
	}
	p.e.add(b.moved(c.X, ConvArray{Buffer: to, Type: c.X.Type}, at, inside, shape.Product(of)))
}

// windowPlace is where along dimension d of space in the window what lies at k in memory belongs.
func (p *convolving) windowPlace(b *body, k string, d int) string {
	if !p.flip[d] {
		return k
	}
	return b.integer(differ(num(p.c.W.Dims[2+d]-1), k))
}

// mostSummed is how many places of a window are summed.
const mostSummed = 64

// summed is a convolution of an operand that is spread out, a gradient by data, as a product for each place of the
// window, and a kernel that sums what meets at each place of the result.
func (p *convolving) summed(_ bool, library func(*Gemm, int64) (int64, error)) (*Emission, error) {
	if !p.backwardData() || !p.c.Y.packed(true) || !p.c.X.packed(true) {
		return nil, errors.ErrUnsupported
	}
	w, y := p.c.W, p.c.Y
	order, step := p.joined(2)
	places, window := y.Dims[0]*shape.Product(y.Dims[2:]), shape.Product(w.Dims[2:])
	if len(order) == 0 || window > mostSummed || min(w.Strides[0], w.Strides[1]) != 1 {
		return nil, errors.ErrUnsupported
	}
	bytes := 4 * window * places * w.Dims[1]
	parts := p.e.scratch(bytes)
	g := &Gemm{M: places, N: w.Dims[1], K: w.Dims[0], Batch: window,
		A: Matrix{y.Buffer, shape.F32, y.Dims[1], 1, 0}, B: Matrix{w.Buffer, shape.F32, w.Strides[0], w.Strides[1], step},
		C: Matrix{parts, shape.F32, w.Dims[1], 1, places * w.Dims[1]}}
	if err := p.multiply(g, bytes, library); err != nil {
		return nil, err
	}
	p.sum(parts, order)
	p.addBias()
	return p.e, nil
}

// sum appends the kernel of summed: a thread for each element of the result.
func (p *convolving) sum(parts Buffer, order []int) {
	c, space := &p.c, len(p.c.Stride)
	of := slices.Concat(c.X.Dims[:1], c.X.Dims[2:], c.X.Dims[1:2])
	each := slices.Concat(c.Y.Dims[:1], c.Y.Dims[2:], c.X.Dims[1:2]) // a part
	b := newBody(p.e, shape.Product(of), shape.Product(each)*shape.Product(c.W.Dims[2:]))
	b.threads(shape.Product(of))
	at := b.coordinates(index{flat: "t", of: of})
	b.line("float sum = 0;")
	for k := range shape.Product(c.W.Dims[2:]) {
		inside, from, rest := []string{"true"}, slices.Clone(at), k
		window := make([]int64, space)
		for _, d := range slices.Backward(order) {
			window[d-2], rest = rest%c.W.Dims[d], rest/c.W.Dims[d]
		}
		for d, n := range window {
			if p.flip[d] {
				n = c.W.Dims[2+d] - 1 - n
			}
			x := b.integer(plus(at[1+d], num(c.Pre[d]-n*c.Dilation[d])))
			from[1+d] = b.integer(over(x, c.Stride[d]))
			inside = append(inside, fmt.Sprintf("%s >= 0 && %s == 0 && %s < %d", x, modulo(x, c.Stride[d]), from[1+d],
				c.Y.Dims[2+d]))
		}
		b.open("if (%s) {", joined(inside))
		flat := plus(b.flat(index{dims: from, of: each}), num(k*shape.Product(each)))
		v := b.load(parts, shape.F32, index{flat: b.integer(flat)})
		b.line("sum += %s;", v.text)
		b.close("}")
	}
	b.store(theResult, "t", b.frozen(shape.F32, "sum"))
	p.e.add(b.kernel("sum", ceil(shape.Product(of), blockSize), blockSize))
}
