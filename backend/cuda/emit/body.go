package emit

import (
	"crypto/sha256"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/halo-xla/halo/cgo/cuda"
	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/shape"
)

// value is an element in a kernel: an expression without effects, cheap to write twice. Raw ones are in the form that
// memory has; only floats of fewer than 32 bits have such a form, so that what is only moved keeps its bits.
type value struct {
	text string
	t    shape.ElementType
	raw  bool
}

// body is a kernel that is being written. Its variables never change but for those of loops and accumulators.
type body struct {
	e      *Emission
	text   strings.Builder
	depth  int
	names  int
	uses   []string
	params []*param
	known  []map[string][]value // by what they are, a map for each block that is open
	ix     string               // the type of indices
	own    string               // the index of the element that the thread owns; "" for none
	vector int                  // how many elements a thread owns
	rolled bool                 // loops over windows are not unrolled: it hardly ever runs
	lookup bool                 // elements of scatters look through their updates
	alone  bool                 // the kernel is one block, which may have all registers: others want none
}

// param is a pointer that the kernel takes.
type param struct {
	Buffer
	t         string // of what it points to
	written   bool
	own       bool // read at the thread's own elements
	elsewhere bool // read at others
}

func newBody(e *Emission, sizes ...int64) *body {
	b := &body{e: e, known: []map[string][]value{{}}, ix: "s32", vector: 1, depth: 1}
	for _, n := range sizes {
		if n >= 1<<30 {
			b.ix = "s64"
		}
	}
	return b
}

// sizesOf lists the numbers of elements of in's operands and results.
func sizesOf(in *hlo.Instruction) []int64 {
	var list []int64
	for _, s := range append(in.OperandShapes(), in.Shape) {
		for _, l := range leaves(s) {
			list = append(list, l.Size())
		}
	}
	return list
}

// line writes a line.
func (b *body) line(format string, args ...any) {
	b.text.WriteString(strings.Repeat("  ", b.depth))
	fmt.Fprintf(&b.text, format, args...)
	b.text.WriteByte('\n')
}

// lines counts those so far.
func (b *body) lines() int { return strings.Count(b.text.String(), "\n") }

// open writes the head of a block, close its end. What is computed within is not known after it.
func (b *body) open(format string, args ...any) {
	b.line(format, args...)
	b.depth++
	b.known = append(b.known, map[string][]value{})
}

func (b *body) close(tail string) {
	b.depth--
	b.known = b.known[:len(b.known)-1]
	b.line("%s", tail)
}

// longBody is how many lines of a loop leave no registers for another round of it beside them.
const longBody = 32

// rounds writes a loop, with a hint unless it is "". A long one is never unrolled: NVRTC would do it for few rounds,
// and keep registers in memory across the calls that rare cases of divisions and roots are.
func (b *body) rounds(hint, head string, inner func()) {
	before := b.text.String()
	b.text.Reset()
	b.open("%s", head)
	inner()
	b.close("}")
	text := b.text.String()
	b.text.Reset()
	b.text.WriteString(before)
	if strings.Count(text, "\n") > longBody {
		hint = "#pragma unroll 1"
	}
	if hint != "" {
		b.line("%s", hint)
	}
	b.text.WriteString(text)
}

// shared writes what the threads of a block do with n things, which they share. Where each has one at most that is no
// loop: NVRTC would keep registers in memory around it.
func (b *body) shared(hint, i string, n, block int64, inner func()) {
	if n > block {
		b.rounds(hint, fmt.Sprintf("for (s32 %s = threadIdx.x; %s < %d; %s += %d) {", i, i, n, i, block), inner)
		return
	}
	b.open("if (const s32 %s = threadIdx.x; %s < %d) {", i, i, n)
	inner()
	b.close("}")
}

// name returns a new name.
func (b *body) name(prefix string) string {
	b.names++
	return fmt.Sprintf("%s%d", prefix, b.names)
}

// need notes a piece of the prelude.
func (b *body) need(piece string) {
	if piece != "" && !slices.Contains(b.uses, piece) {
		b.uses = append(b.uses, piece)
	}
}

// find returns what is known by a key.
func (b *body) find(key string) []value {
	for i := len(b.known) - 1; i >= 0; i-- {
		if v, ok := b.known[i][key]; ok {
			return v
		}
	}
	return nil
}

func (b *body) keep(key string, v []value) []value {
	b.known[len(b.known)-1][key] = v
	return v
}

// let returns a constant with the value of an expression of type ctype: one that is known already, or a new one.
func (b *body) let(ctype, expression string) string {
	if isName(expression) {
		return expression
	}
	key := ctype + " " + expression
	if v := b.find(key); v != nil {
		return v[0].text
	}
	n := b.name("v")
	b.line("const %s %s = %s;", ctype, n, expression)
	b.keep(key, []value{{text: n}})
	return n
}

// isName reports whether a text is a name or a number, which needs no constant.
func isName(text string) bool {
	for _, r := range text {
		if r != '_' && (r < '0' || r > '9') && (r < 'a' || r > 'z') {
			return false
		}
	}
	return true
}

// element returns a value of an expression.
func (b *body) element(t shape.ElementType, expression string) value {
	b.need(ctypes[t].uses)
	return value{text: b.let(ctypes[t].value, expression), t: t}
}

// frozen returns what a variable holds now.
func (b *body) frozen(t shape.ElementType, variable string) value {
	n := b.name("v")
	b.line("const %s %s = %s;", ctypes[t].value, n, variable)
	return value{text: n, t: t}
}

// variable declares a variable that holds v.
func (b *body) variable(v value) value {
	v = b.plain(v)
	n := b.name("w")
	b.line("%s %s = %s;", ctypes[v.t].value, n, v.text)
	return value{text: n, t: v.t}
}

// plain returns v as a value to compute with.
func (b *body) plain(v value) value {
	if !v.raw {
		return v
	}
	return b.element(v.t, fill(ctypes[v.t].from, v.text))
}

// stored returns the text of v as memory has it.
func (b *body) stored(v value) string {
	b.need(ctypes[v.t].uses)
	if v.raw {
		return v.text
	}
	return fill(ctypes[v.t].to, v.text)
}

// asRaw returns v in the form of memory, if its type has one.
func (b *body) asRaw(v value) value {
	if v.raw || !narrow(v.t) {
		return v
	}
	return value{b.let(ctypes[v.t].store, b.stored(v)), v.t, true}
}

// carrier is the C type that holds v in its form.
func carrier(v value) string {
	if v.raw {
		return ctypes[v.t].store
	}
	return ctypes[v.t].value
}

// pointer returns the parameter of a buffer.
func (b *body) pointer(buf Buffer, t string) (*param, string) {
	for i, p := range b.params {
		if p.Buffer == buf && p.t == t {
			return p, fmt.Sprintf("p%d", i)
		}
	}
	p := &param{Buffer: buf, t: t}
	b.params = append(b.params, p)
	return p, fmt.Sprintf("p%d", len(b.params)-1)
}

// load returns an element of a buffer of an array.
func (b *body) load(buf Buffer, t shape.ElementType, ix index) value {
	c := ctypes[t]
	b.need(c.uses)
	p, name := b.pointer(buf, c.store)
	at := b.flat(ix)
	text := name + "[" + at + "]"
	if at == b.own {
		p.own = true
		if b.vector > 1 {
			text = "x" + name + ".v[k]"
		}
	} else {
		p.elsewhere = true
	}
	if narrow(t) {
		return value{b.let(c.store, text), t, true}
	}
	return b.element(t, fill(c.from, text))
}

// store writes v to place at of a buffer.
func (b *body) store(buf Buffer, at string, v value) {
	p, name := b.pointer(buf, ctypes[v.t].store)
	p.written = true
	if at == b.own && b.vector > 1 {
		b.line("x%s.v[k] = %s;", name, b.stored(v))
		return
	}
	b.line("%s[%s] = %s;", name, at, b.stored(v))
}

// kernel is the function with the text so far.
func (b *body) kernel(op string, grid int64, block int) *Kernel {
	return b.kernel3(op, [3]int64{grid, 1, 1}, [3]int{block, 1, 1})
}

func (b *body) kernel3(op string, grid [3]int64, block [3]int) *Kernel {
	for i, n := range grid {
		if n > math.MaxInt32 || i > 0 && n > math.MaxUint16 {
			refuse("%s needs %d blocks", op, n)
		}
	}
	k := &Kernel{Grid: [3]uint32{uint32(grid[0]), uint32(grid[1]), uint32(grid[2])},
		Block: [3]uint32{uint32(block[0]), uint32(block[1]), uint32(block[2])}, Uses: b.uses}
	bounds := num(int64(block[0] * block[1] * block[2]))
	if b.alone {
		bounds += ", 1"
	}
	head := fmt.Sprintf("__launch_bounds__(%s)", bounds)
	text := b.arguments(k) + b.text.String() + "}\n"
	sum := sha256.Sum256([]byte(head + text))
	k.Name = fmt.Sprintf("%s_%x", identifier(op), sum[:6])
	k.Source = "extern \"C\" __global__ void " + head + " " + k.Name + text
	return k
}

// arguments writes what comes before the text of k, and gives it its arguments: the pointers, or a table of them where
// there are too many.
func (b *body) arguments(k *Kernel) string {
	list := make([]string, len(b.params))
	for i, p := range b.params {
		list[i] = p.declaration(i)
		k.Args = append(k.Args, p.Buffer)
	}
	if len(list) <= cuda.MaxParams {
		return "(" + strings.Join(list, ", ") + ") {\n"
	}
	k.Args = []Buffer{b.e.addresses(k.Args)}
	text := "(const u64* __restrict__ table) {\n"
	for i, p := range b.params {
		text += fmt.Sprintf("  %s = (%s*)table[%d];\n", list[i], p.t, i)
	}
	return text
}

// addresses makes kernels that write a table of where buffers lie: addresses are parameters of launches, which change
// from run to run.
func (e *Emission) addresses(list []Buffer) Buffer {
	table, at := e.scratch(8*int64(len(list))), 0
	for part := range slices.Chunk(list, cuda.MaxParams-1) {
		b := newBody(e)
		p, name := b.pointer(table, "u64")
		p.written = true
		for _, buf := range part {
			_, from := b.pointer(buf, "u8")
			b.line("%s[%d] = (u64)%s;", name, at, from)
			at++
		}
		e.add(b.kernel("addresses", 1, 1))
	}
	return table
}

// declaration declares a pointer. None is __restrict__ where results may lie on operands.
func (p *param) declaration(i int) string {
	switch {
	case p.written:
		return fmt.Sprintf("%s* p%d", p.t, i)
	case p.elsewhere && !p.own:
		return fmt.Sprintf("const %s* __restrict__ p%d", p.t, i)
	}
	return fmt.Sprintf("const %s* p%d", p.t, i)
}

// identifier makes a name of C of an op's.
func identifier(op string) string { return strings.ReplaceAll(op, "-", "_") }
