package cpu

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/halo-xla/halo/xla/exec"
	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// product is a program of one contraction of two parameters, in which the types stand as LHS, RHS and OUT.
type product struct{ text string }

func (p product) with(lhs, rhs, out shape.ElementType) string {
	return strings.NewReplacer("LHS", lhs.String(), "RHS", rhs.String(), "OUT", out.String()).Replace(p.text)
}

// compile parses a program and compiles it for a backend.
func compile(t testing.TB, b exec.Backend, text string) (*hlo.Module, exec.Program) {
	t.Helper()
	m, err := hlo.Parse([]byte(text), "test.hlo")
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	p, err := b.Compile(context.Background(), m, exec.Options{})
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	t.Cleanup(p.Close)
	return m, p
}

func execute(t testing.TB, p exec.Program, args ...*literal.Literal) *literal.Literal {
	t.Helper()
	out, err := p.Run(context.Background(), [][]*literal.Literal{args}, exec.RunOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return out[0]
}

// check runs a program with random operands by the backend and by the reference, with 1 and with 3 threads. Integers
// must be equal, floats within c n u sum |a||b|, and the bits the same for both numbers of threads.
func (p product) check(t *testing.T, r *rand.Rand, lhs, rhs, out shape.ElementType) {
	t.Helper()
	text := p.with(lhs, rhs, out)
	m, one := compile(t, New(Options{Threads: 1}), text)
	_, three := compile(t, New(Options{Threads: 3}), text)
	_, reference := compile(t, exec.Reference(), text)
	x, y := random(r, m.Entry.Parameters[0].Shape), random(r, m.Entry.Parameters[1].Shape)
	got, want := execute(t, one, x, y), execute(t, reference, x, y)
	if d := literal.Compare(execute(t, three, x, y), got, literal.Tolerance{Bits: true}); d != nil {
		t.Fatalf("3 threads against 1: %v\n%s", d, text)
	}
	p.judge(t, x, y, got, want, out)
	if y.Shape().Size() > 0 && y.Shape().Size() < 10_000 { // with weights that are known
		_, values, _ := strings.Cut(y.String(), " ")
		text = strings.Replace(text, "parameter(1)", "constant("+values+")", 1)
		_, packed := compile(t, New(Options{Threads: 3}), text)
		p.judge(t, x, y, execute(t, packed, x), want, out)
	}
}

// judge compares a result with the reference's.
func (p product) judge(t *testing.T, x, y, got, want *literal.Literal, out shape.ElementType) {
	t.Helper()
	text := p.text
	if !out.IsFloat() && !out.IsComplex() {
		if d := literal.Compare(got, want, literal.Tolerance{}); d != nil {
			t.Fatalf("%v\n%s", d, text)
		}
		return
	}
	_, sizes := compile(t, exec.Reference(), p.with(shape.F64, shape.F64, shape.F64))
	bounds := numbers(execute(t, sizes, magnitudes(x), magnitudes(y)))
	terms := float64(x.Shape().Size() + 8)
	wanted := numbers(want)
	for i, g := range numbers(got) {
		w := wanted[i]
		b := real(bounds[i])*min(terms, 4096)*unit(sumOf(out)) + 2*unit(out)*math.Hypot(real(w), imag(w)) + smallest(out)
		if differ(real(g), real(w), b) || differ(imag(g), imag(w), b) {
			t.Fatalf("element %d: got %v, want %v within %g\n%s", i, g, w, b, text)
		}
	}
}

// sumOf is the type in which a result's sums may be made.
func sumOf(t shape.ElementType) shape.ElementType {
	if t == shape.F64 || t == shape.C128 {
		return shape.F64
	}
	return shape.F32
}

func differ(got, want, bound float64) bool {
	if got == want {
		return false
	}
	if want != want {
		return got == got
	}
	return !(math.Abs(got-want) <= bound)
}

// unit is the greatest relative error of rounding to t, smallest its least positive number.
func unit(t shape.ElementType) float64 {
	return math.Ldexp(1, -1-t.Component().MantissaBits())
}

func smallest(t shape.ElementType) float64 {
	if t == shape.F8E8M0FNU {
		return 0x1p-127
	}
	return t.Component().ToFloat64(1)
}

// random fills an array: integers of all bits, floats of some digits between -2 and 2.
func random(r *rand.Rand, s shape.Shape) *literal.Literal {
	l := literal.Zeros(s)
	t := s.Type
	switch {
	case t.IsFloat() || t.IsComplex():
		c := t.Component()
		parts := make([]byte, 0, len(l.Bytes()))
		for len(parts) < len(l.Bytes()) {
			x := float64(r.IntN(4001)-2000) / 1000
			if t == shape.F8E8M0FNU { // has no negative numbers
				x = math.Ldexp(1, r.IntN(9)-4)
			}
			v := c.FromFloat64(x)
			for i := range c.Bytes() {
				parts = append(parts, byte(v>>(8*i)))
			}
		}
		copy(l.Bytes(), parts)
	default:
		for i := range l.Bytes() {
			b := byte(r.Uint32())
			switch {
			case t == shape.Pred:
				b &= 1
			case t.IsSigned() && t.Bits() < 8:
				b = byte(int8(b<<(8-t.Bits())) >> (8 - t.Bits()))
			case t.Bits() < 8:
				b &= 1<<t.Bits() - 1
			}
			l.Bytes()[i] = b
		}
	}
	return l
}

// numbers returns the elements, whatever their type.
func numbers(l *literal.Literal) []complex128 {
	wide, err := literal.Convert(l, shape.C128)
	if err != nil {
		panic(err)
	}
	v, err := literal.View[complex128](wide)
	if err != nil {
		panic(err)
	}
	return v
}

// magnitudes returns |l| in f64.
func magnitudes(l *literal.Literal) *literal.Literal {
	var v []float64
	for _, x := range numbers(l) {
		v = append(v, math.Hypot(real(x), imag(x)))
	}
	m := literal.Zeros(shape.Array(shape.F64, l.Shape().Dims...))
	to, err := literal.View[float64](m)
	if err != nil {
		panic(err)
	}
	copy(to, v)
	return m
}

// common are the types of results that all shapes are tested with; others share the shapes among them.
var common = map[shape.ElementType]bool{shape.F32: true, shape.F64: true, shape.S8: true, shape.C64: true}

// typesOfProducts are operand and result types of contractions: all types by themselves, and mixed ones.
func typesOfProducts() [][3]shape.ElementType {
	var list [][3]shape.ElementType
	for t := range shape.NumElementTypes {
		if t.IsArray() {
			list = append(list, [3]shape.ElementType{t, t, t})
		}
	}
	return append(list, [][3]shape.ElementType{
		{shape.S8, shape.S8, shape.S32}, {shape.U8, shape.S8, shape.S32}, {shape.S4, shape.S8, shape.S32},
		{shape.U8, shape.U8, shape.U32}, {shape.S32, shape.S32, shape.S64}, {shape.Pred, shape.Pred, shape.S32},
		{shape.BF16, shape.BF16, shape.F32}, {shape.F16, shape.F16, shape.F32}, {shape.F32, shape.F32, shape.BF16},
		{shape.F8E4M3FN, shape.F8E5M2, shape.F32}, {shape.F8E4M3FN, shape.F8E4M3FN, shape.BF16},
		{shape.BF16, shape.F32, shape.F32}, {shape.F32, shape.F32, shape.F64}, {shape.F64, shape.F64, shape.F32},
		{shape.S8, shape.S8, shape.F32}, {shape.S32, shape.S32, shape.F32}, {shape.F32, shape.F32, shape.C64},
	}...)
}

// dots are shapes of dots: all kinds of dimensions, in all orders.
var dots = []struct{ lhs, rhs, out, dims string }{
	{"[5]", "[5]", "[]", "lhs_contracting_dims={0}, rhs_contracting_dims={0}"},
	{"[]", "[]", "[]", ""},
	{"[3]", "[4]", "[3,4]", ""},
	{"[3,5]", "[5]", "[3]", "lhs_contracting_dims={1}, rhs_contracting_dims={0}"},
	{"[5]", "[5,7]", "[7]", "lhs_contracting_dims={0}, rhs_contracting_dims={0}"},
	{"[17,33]", "[33,9]", "[17,9]", "lhs_contracting_dims={1}, rhs_contracting_dims={0}"},
	{"[33,17]", "[9,33]", "[17,9]", "lhs_contracting_dims={0}, rhs_contracting_dims={1}"},
	{"[33,17]", "[33,9]", "[17,9]", "lhs_contracting_dims={0}, rhs_contracting_dims={0}"},
	{"[70,3]", "[3,130]", "[70,130]", "lhs_contracting_dims={1}, rhs_contracting_dims={0}"},
	{"[2,3,4,5]", "[5,3,6,2]", "[2,4,6]", "lhs_batch_dims={0}, rhs_batch_dims={3}, lhs_contracting_dims={3,1}, rhs_contracting_dims={0,1}"},
	{"[3,8,4,5]", "[3,8,5,6]", "[3,8,4,6]", "lhs_batch_dims={0,1}, rhs_batch_dims={0,1}, lhs_contracting_dims={3}, rhs_contracting_dims={2}"},
	{"[3,4,8,5]", "[3,6,8,5]", "[3,8,4,6]", "lhs_batch_dims={0,2}, rhs_batch_dims={0,2}, lhs_contracting_dims={3}, rhs_contracting_dims={3}"},
	{"[4,16]", "[4,16]", "[16]", "lhs_batch_dims={1}, rhs_batch_dims={1}, lhs_contracting_dims={0}, rhs_contracting_dims={0}"},
	{"[16]", "[16]", "[16]", "lhs_batch_dims={0}, rhs_batch_dims={0}"},
	{"[0,3]", "[3,4]", "[0,4]", "lhs_contracting_dims={1}, rhs_contracting_dims={0}"},
	{"[2,0]", "[0,4]", "[2,4]", "lhs_contracting_dims={1}, rhs_contracting_dims={0}"},
	{"[150,70]", "[70,90]", "[150,90]", "lhs_contracting_dims={1}, rhs_contracting_dims={0}"},
	{"[70,150]", "[90,70]", "[150,90]", "lhs_contracting_dims={0}, rhs_contracting_dims={1}"},
	{"[70,33]", "[33,40]", "[70,40]", "lhs_contracting_dims={1}, rhs_contracting_dims={0}"},
	{"[33,70]", "[40,33]", "[70,40]", "lhs_contracting_dims={0}, rhs_contracting_dims={1}"},
	{"[2,700]", "[700,3]", "[2,3]", "lhs_contracting_dims={1}, rhs_contracting_dims={0}"},
}

func dotProgram(i int, extra string) product {
	d := dots[i]
	if d.dims != "" {
		d.dims = ", " + d.dims
	}
	return product{fmt.Sprintf("ENTRY e { a = LHS%s parameter(0) b = RHS%s parameter(1) ROOT c = OUT%s dot(a, b)%s%s }",
		d.lhs, d.rhs, d.out, d.dims, extra)}
}

// TestLargeDot multiplies matrices that are split into pieces, not all of one size.
func TestLargeDot(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 1))
	p := product{"ENTRY e { a = LHS[331,170] parameter(0) b = RHS[170,290] parameter(1) ROOT c = OUT[331,290] dot(a, b), " +
		"lhs_contracting_dims={1}, rhs_contracting_dims={0} }"}
	narrow := product{strings.Replace(strings.Replace(p.text, "170,290", "170,50", 1), "331,290", "331,50", 1)}
	for _, types := range [][3]shape.ElementType{{shape.F32, shape.F32, shape.F32}, {shape.F64, shape.F64, shape.F64},
		{shape.BF16, shape.BF16, shape.F32}, {shape.S8, shape.S8, shape.S32}, {shape.U8, shape.S8, shape.S32},
		{shape.F16, shape.F16, shape.F16}, {shape.S32, shape.S32, shape.S32}, {shape.C64, shape.C64, shape.C64}} {
		p.check(t, r, types[0], types[1], types[2])
		narrow.check(t, r, types[0], types[1], types[2]) // also with weights that are known
	}
}

// TestShortSums multiplies matrices of short sums, whose results are large enough for pieces of them to pay, and wants
// them to have pieces.
func TestShortSums(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 2))
	for _, s := range [][3]int{{144, 24, 3136}, {24, 144, 3136}, {2051, 8, 759}, {4099, 16, 129}} {
		if few := fewOf(s[0], s[2], s[1]); few < 2 {
			t.Errorf("%v: got %v pieces, want 2 or more", s, few)
		}
		product{fmt.Sprintf("ENTRY e { a = LHS[%[1]d,%[2]d] parameter(0) b = RHS[%[2]d,%[3]d] parameter(1) "+
			"ROOT c = OUT[%[1]d,%[3]d] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0} }",
			s[0], s[1], s[2])}.check(t, r, shape.F32, shape.F32, shape.F32)
	}
	if few := fewOf(24, 24, 16384); few != 1 {
		t.Errorf("long sums of few rows and columns: got %v pieces, want 1", few)
	}
}

// TestVectorProducts multiplies vectors and matrices that several tasks read, in parts of rows or of sums.
func TestVectorProducts(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 1))
	checkProducts(t, r, []shape.ElementType{shape.F32, shape.F64, shape.C64, shape.F16, shape.BF16},
		"ENTRY e { a = LHS[1,960] parameter(0) b = RHS[960,701] parameter(1) ROOT c = OUT[1,701] dot(a, b), "+
			"lhs_contracting_dims={1}, rhs_contracting_dims={0} }",
		"ENTRY e { a = LHS[256,2101] parameter(0) b = RHS[256] parameter(1) ROOT c = OUT[2101] dot(a, b), "+
			"lhs_contracting_dims={0}, rhs_contracting_dims={0} }",
		"ENTRY e { a = LHS[1003,700] parameter(0) b = RHS[700] parameter(1) ROOT c = OUT[1003] dot(a, b), "+
			"lhs_contracting_dims={1}, rhs_contracting_dims={0} }",
		"ENTRY e { a = LHS[300,40] parameter(0) b = RHS[300,40] parameter(1) ROOT c = OUT[300] dot(a, b), "+
			"lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={1}, rhs_contracting_dims={1} }",
		"ENTRY e { a = LHS[7,1,64] parameter(0) b = RHS[7,64,513] parameter(1) ROOT c = OUT[7,1,513] dot(a, b), "+
			"lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_contracting_dims={1} }")
}

// TestFewRows multiplies narrow elements of fewer rows than are packed of others, by few columns and terms.
func TestFewRows(t *testing.T) {
	r := rand.New(rand.NewPCG(29, 1))
	for _, s := range [][3]int{{32, 5, 4}, {33, 64, 64}, {47, 131, 3}, {63, 1, 70}, {32, 70, 129}} {
		p := product{fmt.Sprintf("ENTRY e { a = LHS[%[1]d,%[2]d] parameter(0) b = RHS[%[2]d,%[3]d] parameter(1) "+
			"ROOT c = OUT[%[1]d,%[3]d] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0} }", s[0], s[1], s[2])}
		for _, types := range [][3]shape.ElementType{{shape.S8, shape.S8, shape.S32}, {shape.U8, shape.S8, shape.S32},
			{shape.S8, shape.U8, shape.S32}, {shape.U8, shape.U8, shape.U32}, {shape.BF16, shape.BF16, shape.BF16},
			{shape.F16, shape.F16, shape.F32}} {
			p.check(t, r, types[0], types[1], types[2])
		}
	}
}

// TestManyProducts multiplies many small matrices, that lie in all ways or are vectors.
func TestManyProducts(t *testing.T) {
	r := rand.New(rand.NewPCG(17, 1))
	checkProducts(t, r, []shape.ElementType{shape.F32, shape.F64, shape.BF16},
		"ENTRY e { a = LHS[70,3,4] parameter(0) b = RHS[70,4,5] parameter(1) ROOT c = OUT[70,3,5] dot(a, b), "+
			"lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_contracting_dims={1} }",
		"ENTRY e { a = LHS[9,5,4,3] parameter(0) b = RHS[9,5,2,4] parameter(1) ROOT c = OUT[9,5,3,2] dot(a, b), "+
			"lhs_batch_dims={0,1}, rhs_batch_dims={0,1}, lhs_contracting_dims={2}, rhs_contracting_dims={3} }",
		"ENTRY e { a = LHS[5,9,3,3] parameter(0) b = RHS[9,5,3] parameter(1) ROOT c = OUT[9,5,3] dot(a, b), "+
			"lhs_batch_dims={1,0}, rhs_batch_dims={0,1}, lhs_contracting_dims={3}, rhs_contracting_dims={2} }",
		"ENTRY e { a = LHS[70,3] parameter(0) b = RHS[70,3,6] parameter(1) ROOT c = OUT[70,6] dot(a, b), "+
			"lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={1}, rhs_contracting_dims={1} }",
		"ENTRY e { a = LHS[40,2,3] parameter(0) b = RHS[40,2,3] parameter(1) ROOT c = OUT[40] dot(a, b), "+
			"lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={1,2}, rhs_contracting_dims={1,2} }",
		"ENTRY e { a = LHS[4,3,40] parameter(0) b = RHS[40,3] parameter(1) ROOT c = OUT[40,4] dot(a, b), "+
			"lhs_batch_dims={2}, rhs_batch_dims={0}, lhs_contracting_dims={1}, rhs_contracting_dims={1} }")
}

// TestMovedProducts multiplies what does not lie as BLAS has it.
func TestMovedProducts(t *testing.T) {
	r := rand.New(rand.NewPCG(19, 1))
	checkProducts(t, r, []shape.ElementType{shape.F32, shape.F64, shape.S32},
		"ENTRY e { a = LHS[9,50,60] parameter(0) b = RHS[9,60,50] parameter(1) ROOT c = OUT[9] dot(a, b), "+
			"lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={1,2}, rhs_contracting_dims={2,1} }",
		"ENTRY e { a = LHS[16,20,8] parameter(0) b = RHS[16,30,8] parameter(1) ROOT c = OUT[20,30] dot(a, b), "+
			"lhs_contracting_dims={0,2}, rhs_contracting_dims={0,2} }",
		"ENTRY e { a = LHS[8,160] parameter(0) b = RHS[16,8,30] parameter(1) ROOT c = OUT[160,16,30] dot(a, b), "+
			"lhs_contracting_dims={0}, rhs_contracting_dims={1} }",
		"ENTRY e { a = LHS[6,5,40,8] parameter(0) b = RHS[5,40,8,7] parameter(1) ROOT c = OUT[5,6,40,40,7] dot(a, b), "+
			"lhs_batch_dims={1}, rhs_batch_dims={0}, lhs_contracting_dims={3}, rhs_contracting_dims={2} }")
}

// TestLongSums makes sums in parts.
func TestLongSums(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 1))
	checkProducts(t, r, []shape.ElementType{shape.F32, shape.S16, shape.BF16},
		"ENTRY e { a = LHS[8000000] parameter(0) b = RHS[8000000] parameter(1) ROOT c = OUT[] dot(a, b), "+
			"lhs_contracting_dims={0}, rhs_contracting_dims={0} }",
		"ENTRY e { a = LHS[40960,30] parameter(0) b = RHS[40960,20] parameter(1) ROOT c = OUT[30,20] dot(a, b), "+
			"lhs_contracting_dims={0}, rhs_contracting_dims={0} }",
		"ENTRY e { a = LHS[2,40960,30] parameter(0) b = RHS[40960,2,20] parameter(1) ROOT c = OUT[2,30,20] dot(a, b), "+
			"lhs_batch_dims={0}, rhs_batch_dims={1}, lhs_contracting_dims={1}, rhs_contracting_dims={0} }")
}

// checkProducts checks programs whose arrays all have one of the types.
func checkProducts(t *testing.T, r *rand.Rand, types []shape.ElementType, texts ...string) {
	t.Helper()
	for _, text := range texts {
		for _, typ := range types {
			product{text}.check(t, r, typ, typ, typ)
		}
	}
}

func TestDot(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for _, types := range typesOfProducts() {
		t.Run(fmt.Sprint(types), func(t *testing.T) {
			for i := range dots {
				if common[types[2]] || i%4 == int(types[2])%4 {
					dotProgram(i, "").check(t, r, types[0], types[1], types[2])
				}
			}
		})
	}
}

// TestDotAlgorithms runs the algorithms that take their operands apart.
func TestDotAlgorithms(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 1))
	for _, name := range []string{"dot_bf16_bf16_f32", "dot_bf16_bf16_f32_x3", "dot_bf16_bf16_f32_x6",
		"dot_bf16_bf16_f32_x9", "dot_tf32_tf32_f32", "dot_tf32_tf32_f32_x3", "dot_f32_f32_f32", "dot_f64_f64_f64"} {
		for _, i := range []int{0, 5, 9, 12, 16} {
			dotProgram(i, ", algorithm="+name).check(t, r, shape.F32, shape.F32, shape.F32)
		}
	}
	dotProgram(5, ", algorithm=dot_f16_f16_f16").check(t, r, shape.F32, shape.F32, shape.F16)
}

// convolutions are shapes of convolutions: all kinds of windows, labels and groups.
var convolutions = []struct{ lhs, rhs, out, attrs string }{
	{"[2,6,6,3]", "[3,3,3,4]", "[2,6,6,4]", "window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f"},
	{"[2,3,6,7]", "[4,3,3,2]", "[2,4,2,3]", "window={size=3x2 stride=2x2}, dim_labels=bf01_oi01->bf01"},
	{"[1,9,2]", "[3,2,5]", "[1,5,5]", "window={size=3 rhs_dilate=2}, dim_labels=b0f_0io->b0f"},
	{"[1,4,2]", "[3,2,5]", "[1,9,5]", "window={size=3 pad=2_2 lhs_dilate=2}, dim_labels=b0f_0io->b0f"},
	{"[2,5,5,6]", "[3,3,2,9]", "[2,3,3,9]", "window={size=3x3}, dim_labels=b01f_01io->b01f, feature_group_count=3"},
	{"[2,5,5,16]", "[3,3,1,16]", "[2,5,5,16]", "window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f, feature_group_count=16"},
	{"[1,5,5,8]", "[3,3,1,16]", "[1,3,3,16]", "window={size=3x3}, dim_labels=b01f_01io->b01f, feature_group_count=8"},
	{"[6,5,5,2]", "[3,3,2,9]", "[2,3,3,9]", "window={size=3x3}, dim_labels=b01f_01io->b01f, batch_group_count=3"},
	{"[1,5,5,2]", "[3,3,2,3]", "[1,5,5,3]", "window={size=3x3 pad=1_1x1_1 rhs_reversal=1x0}, dim_labels=b01f_01io->b01f"},
	{"[1,6,6,2]", "[3,3,2,3]", "[1,3,3,3]", "window={size=3x3 pad=-1_0x0_-1}, dim_labels=b01f_01io->b01f"},
	{"[1,4,4,4,2]", "[2,2,2,2,3]", "[1,3,3,3,3]", "window={size=2x2x2}, dim_labels=b012f_012io->b012f"},
	{"[4,3]", "[3,5]", "[4,5]", "dim_labels=bf_io->bf"},
	{"[3,6,6,2]", "[3,3,5,3]", "[4,4,5,2]", "window={size=3x3}, dim_labels=f01b_i0o1->01fb"}, // no two labels alike
	{"[2,1,1,70]", "[1,1,70,5]", "[2,1,1,5]", "window={size=1x1}, dim_labels=b01f_01io->b01f"},
	{"[0,6,6,3]", "[3,3,3,4]", "[0,4,4,4]", "window={size=3x3}, dim_labels=b01f_01io->b01f"},
	{"[1,2,2,3]", "[3,3,3,4]", "[1,0,0,4]", "window={size=3x3}, dim_labels=b01f_01io->b01f"},
	{"[1,6,6,0]", "[3,3,0,4]", "[1,4,4,4]", "window={size=3x3}, dim_labels=b01f_01io->b01f"},
	{"[1,5,2]", "[2,2,3]", "[1,10,3]", "window={size=2 stride=1 pad=3_3}, dim_labels=b0f_0io->b0f"},
	{"[3,5,8,9]", "[6,5,1,1]", "[3,6,8,9]", "window={size=1x1}, dim_labels=bf01_oi01->bf01"},
	{"[2,9,70]", "[9,4,1]", "[2,4,70]", "window={size=1}, dim_labels=bf0_io0->bf0"},
}

func convolutionProgram(i int) product {
	c := convolutions[i]
	return product{fmt.Sprintf(
		"ENTRY e { a = LHS%s parameter(0) b = RHS%s parameter(1) ROOT c = OUT%s convolution(a, b), %s }",
		c.lhs, c.rhs, c.out, c.attrs)}
}

// TestSpecialValues wants infinities and NaN to go where they belong, and nowhere else: not through padding either.
func TestSpecialValues(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 1))
	var programs []product
	for i := range dots {
		programs = append(programs, dotProgram(i, ""))
	}
	for i := range convolutions {
		programs = append(programs, convolutionProgram(i))
	}
	for _, p := range programs {
		for _, typ := range []shape.ElementType{shape.F32, shape.F64, shape.BF16} {
			text := p.with(typ, typ, typ)
			m, fast := compile(t, New(Options{Threads: 2}), text)
			_, reference := compile(t, exec.Reference(), text)
			x, y := random(r, m.Entry.Parameters[0].Shape), random(r, m.Entry.Parameters[1].Shape)
			sprinkle(r, x)
			sprinkle(r, y)
			got, want := numbers(execute(t, fast, x, y)), numbers(execute(t, reference, x, y))
			for i := range got {
				if differ(real(got[i]), real(want[i]), 0.01*(1+math.Abs(real(want[i])))*float64(x.Shape().Size())) {
					t.Fatalf("element %d: got %v, want %v\n%s", i, got[i], want[i], text)
				}
			}
		}
	}
}

// sprinkle puts infinities, NaN and zeros at some places.
func sprinkle(r *rand.Rand, l *literal.Literal) {
	t := l.Shape().Type
	values := []float64{math.Inf(1), math.Inf(-1), math.NaN(), 0, math.Copysign(0, -1)}
	for i := range l.Shape().Size() {
		if r.IntN(20) > 0 {
			continue
		}
		bits := t.FromFloat64(values[r.IntN(len(values))])
		for j := range t.Bytes() {
			l.Bytes()[int(i)*t.Bytes()+j] = byte(bits >> (8 * j))
		}
	}
}

func TestConvolution(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 1))
	for _, types := range typesOfProducts() {
		t.Run(fmt.Sprint(types), func(t *testing.T) {
			for i := range convolutions {
				if common[types[2]] || i%4 == int(types[2])%4 {
					convolutionProgram(i).check(t, r, types[0], types[1], types[2])
				}
			}
		})
	}
}

// TestSumsOfNegativeZeros wants +0 where every product is -0, since sums begin at 0.
func TestSumsOfNegativeZeros(t *testing.T) {
	for _, text := range []string{
		"T[1,3000,1] T[3,1,1] T[1,3000,1] convolution(a, b), window={size=3 pad=1_1}, dim_labels=b0f_0io->b0f",
		"T[1,60,60,1] T[3,3,1,1] T[1,58,58,1] convolution(a, b), window={size=3x3}, dim_labels=b01f_01io->b01f",
		"T[1,20,20,32] T[3,3,1,32] T[1,20,20,32] convolution(a, b), window={size=3x3 pad=1_1x1_1}, " +
			"dim_labels=b01f_01io->b01f, feature_group_count=32",
		"T[1,20,20,32] T[3,3,32,32] T[1,20,20,32] convolution(a, b), window={size=3x3 pad=1_1x1_1}, " +
			"dim_labels=b01f_01io->b01f",
		"T[1,20,20,3] T[5,5,3,2] T[1,8,8,2] convolution(a, b), window={size=5x5 stride=2x2}, dim_labels=b01f_01io->b01f",
		"T[2,20,20,32] T[1,1,32,64] T[2,20,20,64] convolution(a, b), window={size=1x1}, dim_labels=b01f_01io->b01f",
		"T[5,1] T[1,700] T[5,700] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}",
		"T[300] T[300] T[] dot(a, b), lhs_contracting_dims={0}, rhs_contracting_dims={0}",
		"T[300,200] T[200] T[300] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}",
		"T[1,200] T[200,300] T[1,300] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}",
		"T[50,40] T[40,30] T[50,30] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}",
		"T[300,300] T[300,300] T[300,300] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}",
		"T[9,8,4] T[9,4,8] T[9,8,8] dot(a, b), lhs_contracting_dims={2}, rhs_contracting_dims={1}, " +
			"lhs_batch_dims={0}, rhs_batch_dims={0}",
	} {
		for _, name := range []string{"f32", "f64"} {
			f := strings.SplitN(strings.ReplaceAll(text, "T[", name+"["), " ", 4)
			program := fmt.Sprintf("ENTRY e { a = %s parameter(0) b = %s parameter(1) ROOT c = %s %s }", f[0], f[1], f[2], f[3])
			m, p := compile(t, New(Options{Threads: 2}), program)
			y := m.Entry.Parameters[1].Shape
			ones, err := literal.ScalarOf(y.Type, -1).Broadcast(y.Dims, nil)
			if err != nil {
				t.Fatal(err)
			}
			got := execute(t, p, literal.Zeros(m.Entry.Parameters[0].Shape), ones)
			if d := literal.Compare(got, literal.Zeros(got.Shape()), literal.Tolerance{Bits: true}); d != nil {
				t.Errorf("%v\n%s", d, program)
			}
		}
	}
}
