package backendtest

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/halo-xla/halo/xla/shape"
)

// makers add an instruction that uses x, or none if there is none that fits.
var makers = []func(p *program, x *val){
	unary, unary, binary, binary, binary, binary, compared, selected, clamped, converted, approximated, broadcasted,
	transposed, reshaped, sliced, padded, concatenated, reversed, dynamicSliced, updated, reduced, reduced, windowed,
	dotted, dotted, convolved, sorted, gathered, scattered, looped, iota, branched, mapped,
}

// choose returns one of a list.
func choose[T any](p *program, list ...T) T { return list[p.r.IntN(len(list))] }

// elementwiseOps are exact ops by class: the reference rounds them once, and so must a backend.
var unaryOps = map[shape.Class][]string{
	shape.PredClass:     {"not"},
	shape.SignedClass:   {"negate", "abs", "sign", "not", "popcnt", "count-leading-zeros"},
	shape.UnsignedClass: {"negate", "not", "popcnt", "count-leading-zeros"},
	shape.FloatClass:    {"negate", "abs", "sign", "floor", "ceil", "round-nearest-even", "round-nearest-afz", "sqrt"},
	shape.ComplexClass:  {"negate"},
}

var binaryOps = map[shape.Class][]string{
	shape.PredClass: {"and", "or", "xor", "maximum", "minimum"},
	shape.SignedClass: {"add", "subtract", "multiply", "divide", "remainder", "maximum", "minimum", "and", "or", "xor",
		"shift-left", "shift-right-arithmetic", "shift-right-logical"},
	shape.UnsignedClass: {"add", "subtract", "multiply", "divide", "remainder", "maximum", "minimum", "and", "or", "xor",
		"shift-left", "shift-right-arithmetic", "shift-right-logical"},
	shape.FloatClass:   {"add", "subtract", "multiply", "divide", "remainder", "maximum", "minimum"},
	shape.ComplexClass: {"add", "subtract"},
}

func unary(p *program, x *val) {
	op := choose(p, unaryOps[x.t.Class()]...)
	mag := x.mag
	if op == "sqrt" {
		mag = math.Inf(1)
	}
	if x.ulp == 0 {
		p.add(x.t, x.dims, mag, op, "", x)
	}
}

func binary(p *program, x *val) {
	y := p.like(x)
	if x.ulp+y.ulp > 0 {
		return
	}
	op := choose(p, binaryOps[x.t.Class()]...)
	mag := math.Inf(1)
	switch op {
	case "add", "subtract":
		mag = x.mag + y.mag
	case "multiply":
		mag = x.mag * y.mag
	case "maximum", "minimum":
		mag = max(x.mag, y.mag)
	}
	p.add(x.t, x.dims, mag, op, "", x, y)
}

func compared(p *program, x *val) {
	y := p.like(x)
	directions := []string{"EQ", "NE", "LT", "LE", "GT", "GE"}
	if x.t.IsComplex() {
		directions = directions[:2]
	}
	if x.ulp+y.ulp == 0 {
		p.add(shape.Pred, x.dims, 1, "compare", ", direction="+choose(p, directions...), x, y)
	}
}

func selected(p *program, x *val) {
	y := p.like(x)
	pred := p.like(&val{t: shape.Pred, dims: x.dims})
	p.add(x.t, x.dims, max(x.mag, y.mag), "select", "", pred, x, y)
}

func clamped(p *program, x *val) {
	if c := x.t.Class(); x.ulp == 0 && c != shape.ComplexClass && c != shape.PredClass {
		low, high := p.parameter(x.t, nil), p.parameter(x.t, nil)
		p.add(x.t, x.dims, math.Inf(1), "clamp", "", low, x, high)
	}
}

func converted(p *program, x *val) {
	t := types[p.r.IntN(len(types))]
	if x.t.IsComplex() || t.IsComplex() || x.ulp > 0 {
		return
	}
	mag := x.mag
	if bits, ok := mantissaBits[t]; ok && mag > math.Ldexp(1, bits) || t.Class() == shape.UnsignedClass {
		mag = math.Inf(1)
	}
	p.add(t, x.dims, mag, "convert", "", x)
}

// approximated ops have a tolerance of their own; nothing is computed with their results.
func approximated(p *program, x *val) {
	ops := map[string]int64{"exponential": 2, "tanh": 4, "logistic": 4, "sine": 2, "cosine": 2, "log": 2, "rsqrt": 2,
		"cbrt": 2, "exponential-minus-one": 2, "log-plus-one": 2}
	names := []string{"cbrt", "cosine", "exponential", "exponential-minus-one", "log", "log-plus-one", "logistic", "rsqrt",
		"sine", "tanh"}
	if x.t.Class() != shape.FloatClass || x.ulp > 0 {
		return
	}
	op := choose(p, names...)
	p.add(x.t, x.dims, math.Inf(1), op, "", x).ulp = ops[op]
}

func broadcasted(p *program, x *val) {
	if x.size() > 256 {
		return
	}
	dims, at := []int64{}, []string{}
	for i := 0; i <= len(x.dims); i++ {
		if p.r.IntN(2) == 0 {
			dims = append(dims, choose(p, int64(1), 2, 3, 9))
		}
		if i < len(x.dims) {
			at = append(at, fmt.Sprint(len(dims)))
			dims = append(dims, x.dims[i])
		}
	}
	p.add(x.t, dims, x.mag, "broadcast", ", dimensions={"+strings.Join(at, ",")+"}", x)
}

func transposed(p *program, x *val) {
	perm := p.r.Perm(len(x.dims))
	dims := make([]int64, len(perm))
	for i, d := range perm {
		dims[i] = x.dims[d]
	}
	p.add(x.t, dims, x.mag, "transpose", ", dimensions="+braces(perm), x)
}

// braces writes a list as HLO does.
func braces[T any](list []T) string {
	words := make([]string, len(list))
	for i, v := range list {
		words[i] = fmt.Sprint(v)
	}
	return "{" + strings.Join(words, ",") + "}"
}

func reshaped(p *program, x *val) {
	p.add(x.t, []int64{x.size()}, x.mag, "reshape", "", x)
}

func sliced(p *program, x *val) {
	dims := slices.Clone(x.dims)
	words := make([]string, len(dims))
	for i, n := range x.dims {
		start := p.r.Int64N(n + 1)
		limit := start + p.r.Int64N(n-start+1)
		stride := 1 + p.r.Int64N(3)
		dims[i] = (limit - start + stride - 1) / stride
		words[i] = fmt.Sprintf("[%d:%d:%d]", start, limit, stride)
	}
	p.add(x.t, dims, x.mag, "slice", ", slice={"+strings.Join(words, ", ")+"}", x)
}

func padded(p *program, x *val) {
	if len(x.dims) == 0 {
		return
	}
	v := p.parameter(x.t, nil)
	dims := slices.Clone(x.dims)
	words := make([]string, len(dims))
	for i, n := range x.dims {
		inner := p.r.Int64N(2)
		full := n + max(n-1, 0)*inner
		low := p.r.Int64N(4) - min(1, full)
		high := p.r.Int64N(3)
		dims[i] = full + low + high
		words[i] = fmt.Sprintf("%d_%d_%d", low, high, inner)
	}
	p.add(x.t, dims, max(x.mag, v.mag), "pad", ", padding="+strings.Join(words, "x"), x, v).ulp = x.ulp
}

func concatenated(p *program, x *val) {
	if len(x.dims) == 0 {
		return
	}
	d := p.r.IntN(len(x.dims))
	y := p.like(x)
	dims := slices.Clone(x.dims)
	dims[d] *= 3
	p.add(x.t, dims, max(x.mag, y.mag), "concatenate", fmt.Sprintf(", dimensions={%d}", d), x, y, x)
}

func reversed(p *program, x *val) {
	if len(x.dims) > 0 {
		p.add(x.t, x.dims, x.mag, "reverse", fmt.Sprintf(", dimensions={%d}", p.r.IntN(len(x.dims))), x)
	}
}

func (p *program) starts(n int) []*val {
	list := make([]*val, n)
	for i := range list {
		list[i] = p.parameter(shape.S32, nil)
	}
	return list
}

func dynamicSliced(p *program, x *val) {
	dims := make([]int64, len(x.dims))
	for i, n := range x.dims {
		dims[i] = p.r.Int64N(n + 1)
	}
	p.add(x.t, dims, x.mag, "dynamic-slice", ", dynamic_slice_sizes="+braces(dims),
		append([]*val{x}, p.starts(len(dims))...)...)
}

func updated(p *program, x *val) {
	dims := make([]int64, len(x.dims))
	for i, n := range x.dims {
		dims[i] = p.r.Int64N(n + 1)
	}
	u := p.like(&val{t: x.t, dims: dims})
	p.add(x.t, x.dims, max(x.mag, u.mag), "dynamic-update-slice", "",
		append([]*val{x, u}, p.starts(len(dims))...)...)
}

func iota(p *program, x *val) {
	if len(x.dims) > 0 && x.t.Class() != shape.PredClass && x.t.Class() != shape.ComplexClass {
		d := p.r.IntN(len(x.dims))
		p.add(x.t, x.dims, float64(x.dims[d]), "iota", fmt.Sprintf(", iota_dimension=%d", d))
	}
}
