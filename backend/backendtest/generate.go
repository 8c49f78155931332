package backendtest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/halo-xla/halo/xla/shape"
)

// val is a value of a random program: one line of its text.
type val struct {
	name string
	t    shape.ElementType
	dims []int64
	// mag bounds the elements if they are whole numbers; infinite if they may be anything.
	mag float64
	// ulp is how far a backend's elements may be from the reference's.
	ulp int64
	// line is the instruction's text after "name = ", operands are the values it names.
	line     string
	operands []*val
	// callees are computations that the line names, as text.
	callees string
}

func (v *val) shape() shape.Shape { return shape.Array(v.t, v.dims...) }

func (v *val) size() int64 { return v.shape().Size() }

// exact says whether sums of count products of elements are exact in v's type in any order.
func (v *val) exact(count int64, factor float64) bool {
	limit := math.Inf(1)
	if v.t.Class() == shape.FloatClass {
		limit = math.Ldexp(1, mantissaBits[v.t])
	}
	return v.ulp == 0 && v.mag*factor*float64(max(count, 1)) <= limit
}

// mantissaBits bound the whole numbers that sums keep exact.
var mantissaBits = map[shape.ElementType]int{shape.F64: 53, shape.F32: 24, shape.F16: 11, shape.BF16: 8}

// program makes a random program line by line.
type program struct {
	r      *rand.Rand
	values []*val
	params int
}

var types = []shape.ElementType{shape.F32, shape.F32, shape.F32, shape.F64, shape.BF16, shape.F16, shape.S32, shape.S32,
	shape.S64, shape.U8, shape.S8, shape.U32, shape.Pred, shape.C64}

var sizes = []int64{0, 1, 1, 2, 3, 4, 5, 7, 16, 17, 33, 130}

// generate makes a program of about n instructions, which depends on the seed alone.
func generate(seed uint64, n int) *program {
	p := &program{r: rand.New(rand.NewPCG(seed, 7))}
	for range 1 + p.r.IntN(3) {
		p.parameter(types[p.r.IntN(len(types))], p.randomDims())
	}
	for range 20 * n {
		if len(p.values) >= n {
			break
		}
		makers[p.r.IntN(len(makers))](p, p.pick())
	}
	return p
}

func (p *program) randomDims() []int64 {
	dims := make([]int64, p.r.IntN(4))
	total := int64(1)
	for i := range dims {
		dims[i] = sizes[p.r.IntN(len(sizes))]
		if total *= max(dims[i], 1); total > 4096 {
			dims[i] = 2
		}
	}
	return dims
}

// pick returns a value, later ones more often, so that programs get deep.
func (p *program) pick() *val {
	n := len(p.values)
	return p.values[n-1-min(p.r.IntN(n), p.r.IntN(n))]
}

// like returns a value of v's shape: one that is there or a new parameter.
func (p *program) like(v *val) *val {
	for range 4 {
		if w := p.pick(); w.t == v.t && slices.Equal(w.dims, v.dims) {
			return w
		}
	}
	return p.parameter(v.t, v.dims)
}

func (p *program) parameter(t shape.ElementType, dims []int64) *val {
	mag := 4.0
	if t.Class() == shape.PredClass {
		mag = 1
	}
	if p.r.IntN(4) == 0 && t.IsFloat() {
		mag = math.Inf(1) // anything, special values too
	}
	v := &val{t: t, dims: dims, mag: mag, line: fmt.Sprintf("parameter(%d)", p.params)}
	p.params++
	return p.keep(v)
}

func (p *program) keep(v *val) *val {
	v.name = fmt.Sprintf("v%d", len(p.values))
	p.values = append(p.values, v)
	return v
}

// add keeps an instruction op(operands), attributes.
func (p *program) add(t shape.ElementType, dims []int64, mag float64, op, attributes string, operands ...*val) *val {
	v := &val{t: t, dims: dims, mag: mag, operands: operands}
	names := make([]string, len(operands))
	for i, o := range operands {
		names[i] = o.name
		v.ulp = max(v.ulp, o.ulp)
	}
	v.line = op + "(" + strings.Join(names, ", ") + ")" + attributes
	return p.keep(v)
}

// text is the program that ends in root: what root does not need is left out, but for the parameters.
func (p *program) text(root *val) string {
	needed := map[*val]bool{}
	var need func(v *val)
	need = func(v *val) {
		if needed[v] {
			return
		}
		needed[v] = true
		for _, o := range v.operands {
			need(o)
		}
	}
	need(root)
	var callees, body strings.Builder
	for _, v := range p.values {
		if !needed[v] && !strings.HasPrefix(v.line, "parameter") {
			continue
		}
		callees.WriteString(v.callees)
		mark := ""
		if v == root {
			mark = "ROOT "
		}
		fmt.Fprintf(&body, "  %s%s = %v %s\n", mark, v.name, v.shape(), v.line)
	}
	return "HloModule random\n" + callees.String() + "ENTRY e {\n" + body.String() + "}\n"
}

// alone is the program of v's line with its operands as parameters.
func (v *val) alone() string {
	var b strings.Builder
	b.WriteString("HloModule alone\n" + v.callees + "ENTRY e {\n")
	seen := map[*val]bool{}
	n := 0
	for _, o := range v.operands {
		if !seen[o] {
			fmt.Fprintf(&b, "  %s = %v parameter(%d)\n", o.name, o.shape(), n)
			seen[o] = true
			n++
		}
	}
	fmt.Fprintf(&b, "  ROOT %s = %v %s\n}\n", v.name, v.shape(), v.line)
	return b.String()
}
