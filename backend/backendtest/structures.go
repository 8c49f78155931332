package backendtest

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/halo-xla/halo/xla/shape"
)

// reducers by class; sums only where they are exact in any order.
var reducerOps = map[shape.Class][]string{
	shape.PredClass:     {"and", "or"},
	shape.SignedClass:   {"add", "multiply", "maximum", "minimum", "and", "or", "xor"},
	shape.UnsignedClass: {"add", "multiply", "maximum", "minimum", "and", "or", "xor"},
	shape.FloatClass:    {"add", "maximum", "minimum"},
	shape.ComplexClass:  {"add"},
}

// reducer returns an op that folds count elements of x exactly, its computation's name and text; "" if there is none.
func (p *program) reducer(x *val, count int64) (op, name, text string) {
	op = choose(p, reducerOps[x.t.Class()]...)
	if op == "add" && !x.exact(count+1, 1) && x.t.Class() >= shape.FloatClass || x.ulp > 0 {
		return "", "", ""
	}
	name = fmt.Sprintf("r%d", len(p.values))
	s := shape.Array(x.t)
	return op, name, fmt.Sprintf(`%s {
  a = %v parameter(0)
  b = %v parameter(1)
  ROOT c = %v %s(a, b)
}
`, name, s, s, s, op)
}

func folded(op string, x, init *val, count int64) float64 {
	if op == "add" {
		return x.mag*float64(count) + init.mag
	}
	return math.Inf(1)
}

func reduced(p *program, x *val) {
	var over []int
	dims := []int64{}
	count := int64(1)
	for i, n := range x.dims {
		if p.r.IntN(2) == 0 {
			over = append(over, i)
			count *= n
		} else {
			dims = append(dims, n)
		}
	}
	op, name, text := p.reducer(x, count)
	init := p.whole(x.t)
	if op != "" && len(over) > 0 {
		v := p.add(x.t, dims, folded(op, x, init, count), "reduce",
			fmt.Sprintf(", dimensions=%s, to_apply=%s", braces(over), name), x, init)
		v.callees = text
	}
}

// whole is a parameter of rank 0 that is a small whole number.
func (p *program) whole(t shape.ElementType) *val {
	v := p.parameter(t, nil)
	if v.mag > 4 {
		v.mag = 4
	}
	return v
}

func windowed(p *program, x *val) {
	if len(x.dims) == 0 || x.size() > 2000 {
		return
	}
	var size, stride, pad, dilate []string
	dims := slices.Clone(x.dims)
	count := int64(1)
	for i, n := range x.dims {
		s, st, lo, hi, di := 1+p.r.Int64N(3), 1+p.r.Int64N(2), p.r.Int64N(2), p.r.Int64N(2), 1+p.r.Int64N(2)
		dims[i] = max(0, (n+lo+hi-((s-1)*di+1))/st+1)
		if n+lo+hi < (s-1)*di+1 {
			dims[i] = 0
		}
		count *= s
		size, stride = append(size, fmt.Sprint(s)), append(stride, fmt.Sprint(st))
		pad, dilate = append(pad, fmt.Sprintf("%d_%d", lo, hi)), append(dilate, fmt.Sprint(di))
	}
	op, name, text := p.reducer(x, count)
	init := p.whole(x.t)
	if op == "" {
		return
	}
	v := p.add(x.t, dims, folded(op, x, init, count), "reduce-window", fmt.Sprintf(
		", window={size=%s stride=%s pad=%s rhs_dilate=%s}, to_apply=%s", strings.Join(size, "x"), strings.Join(stride, "x"),
		strings.Join(pad, "x"), strings.Join(dilate, "x"), name), x, init)
	v.callees = text
}

func dotted(p *program, x *val) {
	if len(x.dims) == 0 || x.t.Class() == shape.PredClass || x.size() > 4000 {
		return
	}
	batch := len(x.dims) > 1 && p.r.IntN(2) == 0
	k := len(x.dims) - 1
	count, n := x.dims[k], choose(p, int64(1), 2, 3, 8, 19)
	dims, rhs, where := slices.Clone(x.dims[:k]), []int64{count, n}, ""
	at := 0
	if batch {
		rhs, at = []int64{x.dims[0], count, n}, 1
		where = "lhs_batch_dims={0}, rhs_batch_dims={0}, "
	}
	if p.r.IntN(2) == 0 { // the other way round
		last := len(rhs) - 1
		rhs[last], rhs[last-1], at = rhs[last-1], rhs[last], last
	}
	y := p.like(&val{t: x.t, dims: rhs})
	if !x.exact(count, y.mag) || y.ulp > 0 {
		return
	}
	p.add(x.t, append(dims, n), x.mag*y.mag*float64(max(count, 1)), "dot",
		fmt.Sprintf(", %slhs_contracting_dims={%d}, rhs_contracting_dims={%d}", where, k, at), x, y)
}

func convolved(p *program, x *val) {
	if len(x.dims) != 3 || x.t.Class() == shape.PredClass || x.size() > 2000 || x.dims[1] == 0 {
		return
	}
	taps, out := 1+p.r.Int64N(3), 1+p.r.Int64N(4)
	stride, lo, hi := 1+p.r.Int64N(2), p.r.Int64N(2), p.r.Int64N(2)
	y := p.like(&val{t: x.t, dims: []int64{taps, x.dims[2], out}})
	count := taps * x.dims[2]
	width := x.dims[1] + lo + hi - taps
	if !x.exact(count, y.mag) || y.ulp > 0 || width < 0 || x.dims[2] == 0 {
		return
	}
	p.add(x.t, []int64{x.dims[0], width/stride + 1, out}, x.mag*y.mag*float64(count), "convolution",
		fmt.Sprintf(", window={size=%d stride=%d pad=%d_%d}, dim_labels=b0f_0io->b0f", taps, stride, lo, hi), x, y)
}

func sorted(p *program, x *val) {
	if len(x.dims) == 0 || x.t.IsComplex() || x.ulp > 0 || math.IsInf(x.mag, 1) && x.t.IsFloat() {
		return // where NaN goes is up to the comparator
	}
	name, s := fmt.Sprintf("s%d", len(p.values)), shape.Array(x.t)
	v := p.add(x.t, x.dims, x.mag, "sort", fmt.Sprintf(", dimensions={%d}, is_stable=true, to_apply=%s",
		p.r.IntN(len(x.dims)), name), x)
	v.callees = fmt.Sprintf("%s {\n  a = %v parameter(0)\n  b = %v parameter(1)\n  ROOT c = pred[] compare(a, b), "+
		"direction=%s\n}\n", name, s, s, choose(p, "LT", "GT"))
}

// gathered takes rows, some of whose numbers are out of bounds.
func gathered(p *program, x *val) {
	if len(x.dims) == 0 || x.dims[0] == 0 {
		return
	}
	n := 1 + p.r.Int64N(6)
	rows := p.parameter(shape.S32, []int64{n, 1})
	sizes := append([]int64{1}, x.dims[1:]...)
	offsets := make([]int, len(x.dims)-1)
	for i := range offsets {
		offsets[i] = i + 1
	}
	p.add(x.t, append([]int64{n}, x.dims[1:]...), x.mag, "gather", fmt.Sprintf(", offset_dims=%s, "+
		"collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes=%s", braces(offsets), braces(sizes)),
		x, rows)
}

// scattered folds rows into x, some of them several times and some out of bounds.
func scattered(p *program, x *val) {
	if len(x.dims) == 0 || x.dims[0] == 0 {
		return
	}
	n := 1 + p.r.Int64N(6)
	rows, u := p.parameter(shape.S32, []int64{n, 1}), p.like(&val{t: x.t, dims: append([]int64{n}, x.dims[1:]...)})
	op, name, text := p.reducer(&val{t: x.t, mag: max(x.mag, u.mag), ulp: x.ulp + u.ulp}, n+1)
	if op == "" {
		return
	}
	window := make([]int, len(x.dims)-1)
	for i := range window {
		window[i] = i + 1
	}
	v := p.add(x.t, x.dims, folded(op, u, x, n), "scatter", fmt.Sprintf(", update_window_dims=%s, "+
		"inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=%s", braces(window), name),
		x, rows, u)
	v.callees = text
}

// looped makes a while that counts and changes an array, inside a call.
func looped(p *program, x *val) {
	if x.ulp > 0 {
		return
	}
	n := len(p.values)
	s, state := x.shape(), fmt.Sprintf("(s32[], %v)", x.shape())
	op := choose(p, unaryOps[x.t.Class()]...)
	text := fmt.Sprintf(`b%d {
  p = %s parameter(0)
  i = s32[] get-tuple-element(p), index=0
  one = s32[] constant(1)
  j = s32[] add(i, one)
  x = %v get-tuple-element(p), index=1
  y = %v %s(x)
  ROOT t = %s tuple(j, y)
}
`, n, state, s, s, op, state)
	text += fmt.Sprintf(`c%d {
  p = %s parameter(0)
  i = s32[] get-tuple-element(p), index=0
  n = s32[] constant(%d)
  ROOT l = pred[] compare(i, n), direction=LT
}
`, n, state, p.r.IntN(4))
	text += fmt.Sprintf(`w%d {
  x = %v parameter(0)
  zero = s32[] constant(0)
  t = %s tuple(zero, x)
  w = %s while(t), condition=c%d, body=b%d
  ROOT r = %v get-tuple-element(w), index=1
}
`, n, s, state, state, n, n, s)
	p.add(x.t, x.dims, math.Inf(1), "call", fmt.Sprintf(", to_apply=w%d", n), x).callees = text
}

// branched makes a conditional of two branches.
func branched(p *program, x *val) {
	if x.ulp > 0 {
		return
	}
	n, s := len(p.values), x.shape()
	text := ""
	for i := range 2 {
		text += fmt.Sprintf("t%d_%d {\n  x = %v parameter(0)\n  ROOT y = %v %s(x)\n}\n", n, i, s, s,
			choose(p, unaryOps[x.t.Class()]...))
	}
	p.add(x.t, x.dims, math.Inf(1), "conditional", fmt.Sprintf(", true_computation=t%d_0, false_computation=t%d_1", n, n),
		p.parameter(shape.Pred, nil), x, x).callees = text
}

// mapped applies a computation to the elements.
func mapped(p *program, x *val) {
	if x.ulp > 0 || len(x.dims) == 0 {
		return
	}
	n, s := len(p.values), shape.Array(x.t)
	dims := make([]int, len(x.dims))
	for i := range dims {
		dims[i] = i
	}
	v := p.add(x.t, x.dims, math.Inf(1), "map", fmt.Sprintf(", dimensions=%s, to_apply=m%d", braces(dims), n), x)
	v.callees = fmt.Sprintf("m%d {\n  x = %v parameter(0)\n  y = %v %s(x)\n  ROOT z = %v %s(y)\n}\n", n, s, s,
		choose(p, unaryOps[x.t.Class()]...), s, choose(p, unaryOps[x.t.Class()]...))
}
