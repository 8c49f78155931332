package hlo

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/halo-xla/halo/internal/testfile"
	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

func dotOf(t *testing.T, lhs, rhs *literal.Literal, a DotAttrs, opts ...DotOptions) *literal.Literal {
	t.Helper()
	return evalBuilt(t, func(b *Builder) *Instruction {
		return b.DotGeneral(b.ConstantLiteral(lhs), b.ConstantLiteral(rhs), a, opts...)
	})
}

// The document's table of vectors and matrices.
func TestDotTable(t *testing.T) {
	v, w := numLit(t, shape.F32, []float64{1, 2, 3}, 3), numLit(t, shape.F32, []float64{4, 5, 6}, 3)
	m, n := numLit(t, shape.F32, []float64{1, 2, 3, 4, 5, 6}, 2, 3), numLit(t, shape.F32, []float64{1, 0, 2, 1, 0, 3}, 3, 2)
	for _, c := range []struct {
		lhs, rhs *literal.Literal
		shape    string
		want     []float64
	}{
		{v, w, "f32[]", []float64{32}},
		{m, w, "f32[2]", []float64{32, 77}},
		{m, n, "f32[2,2]", []float64{5, 11, 14, 23}},
		{v, n, "f32[2]", []float64{5, 11}},
	} {
		got := evalBuilt(t, func(b *Builder) *Instruction { return b.Dot(b.ConstantLiteral(c.lhs), b.ConstantLiteral(c.rhs)) })
		wantFloats(t, got, c.shape, c.want...)
	}
}

func TestDotTypes(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, c := range []struct {
		name     string
		et, out  shape.ElementType
		lhs, rhs []float64
		want     float64
	}{
		{"wraps", shape.S8, shape.S8, []float64{100, 100}, []float64{1, 1}, 200 - 256},
		{"preferred type", shape.S8, shape.S32, []float64{100, 100}, []float64{100, 100}, 20000},
		{"unsigned wraps", shape.U8, shape.U8, []float64{16, 1}, []float64{17, 1}, 273 - 256},
		{"predicates", shape.Pred, shape.Pred, []float64{1, 0, 1}, []float64{0, 1, 1}, 1},
		{"false predicates", shape.Pred, shape.Pred, []float64{1, 0, 1}, []float64{0, 1, 0}, 0},
		{"many true predicates", shape.Pred, shape.Pred, slices.Repeat([]float64{1}, 256), slices.Repeat([]float64{1}, 256), 1},
		{"counted predicates", shape.Pred, shape.S32, []float64{1, 1, 1}, []float64{1, 0, 1}, 2},
		{"half rounds once", shape.F16, shape.F16, []float64{2048, 1, 1}, []float64{1, 1, 1}, 2050},
		{"bf16 into f32", shape.BF16, shape.F32, []float64{256, 1}, []float64{1, 1}, 257},
		{"NaN times zero", shape.F32, shape.F32, []float64{nan, 1}, []float64{0, 1}, nan},
		{"infinity times zero", shape.F32, shape.F32, []float64{inf, 1}, []float64{0, 1}, nan},
		{"nothing to sum", shape.F32, shape.F32, nil, nil, 0},
		{"complex", shape.C64, shape.C64, []float64{2, 3}, []float64{4, 5}, 23},
		{"f8", shape.F8E4M3FN, shape.F32, []float64{1.5, 2}, []float64{2, 3}, 9},
	} {
		t.Run(c.name, func(t *testing.T) {
			l, r := numLit(t, c.et, c.lhs, int64(len(c.lhs))), numLit(t, c.et, c.rhs, int64(len(c.rhs)))
			a := DotAttrs{LHSContracting: []int64{0}, RHSContracting: []int64{0}}
			got := dotOf(t, l, r, a, DotOptions{PreferredElementType: c.out})
			wantFloats(t, got, c.out.String()+"[]", c.want)
		})
	}
	l, r := numArray(t, []complex64{1i, 2}, 2), numArray(t, []complex64{1i, 1 + 1i}, 2)
	got := dotOf(t, l, r, DotAttrs{LHSContracting: []int64{0}, RHSContracting: []int64{0}})
	if v, _ := literal.View[complex64](got); v[0] != 1+2i { // no conjugation
		t.Errorf("complex dot: got %v, want (1+2i)", v)
	}
}

// Random dimension numbers against the definition, element by element.
func TestDotGeneralRandom(t *testing.T) {
	seed := testfile.Seed(t)
	r := rand.New(rand.NewPCG(seed, 1))
	for i := range 300 {
		a, ld, rd := randomDot(r)
		lhs, rhs := randomInts(r, ld), randomInts(r, rd)
		got := dotOf(t, numLit(t, shape.F32, lhs, ld...), numLit(t, shape.F32, rhs, rd...), a)
		want := naiveDot(lhs, rhs, ld, rd, a, got.Shape().Dims)
		f := got.Wide().F
		if !slices.Equal(f, want) {
			t.Fatalf("seed %d, case %d: %+v of %v and %v: got %v, want %v", seed, i, a, ld, rd, f, want)
		}
	}
}

// randomDot returns dimension numbers and sizes, 0 among them.
func randomDot(r *rand.Rand) (a DotAttrs, ld, rd []int64) {
	nb, nc := r.IntN(3), r.IntN(3)
	lp, rp := r.Perm(nb+nc+r.IntN(3)), r.Perm(nb+nc+r.IntN(3))
	ld, rd = make([]int64, len(lp)), make([]int64, len(rp))
	for d := range ld {
		ld[d] = 1 + r.Int64N(4)
	}
	for d := range rd {
		rd[d] = 1 + r.Int64N(4)
	}
	for i := range nb + nc {
		l, q := int64(lp[i]), int64(rp[i])
		rd[q] = ld[l]
		if r.IntN(12) == 0 {
			ld[l], rd[q] = 0, 0
		}
		if i < nb {
			a.LHSBatch, a.RHSBatch = append(a.LHSBatch, l), append(a.RHSBatch, q)
		} else {
			a.LHSContracting, a.RHSContracting = append(a.LHSContracting, l), append(a.RHSContracting, q)
		}
	}
	return a, ld, rd
}

func randomInts(r *rand.Rand, dims []int64) []float64 {
	n := int64(1)
	for _, d := range dims {
		n *= d
	}
	v := make([]float64, n)
	for i := range v {
		v[i] = float64(r.IntN(19) - 9)
	}
	return v
}

// naiveDot is the definition: for each result index, the sum over the contracting indices.
func naiveDot(lhs, rhs []float64, ld, rd []int64, a DotAttrs, od []int64) []float64 {
	ls, rs := shape.Array(shape.F32, ld...), shape.Array(shape.F32, rd...)
	lf, rf := shape.OtherDims(len(ld), a.LHSBatch, a.LHSContracting), shape.OtherDims(len(rd), a.RHSBatch, a.RHSContracting)
	out := make([]float64, shape.Array(shape.F32, od...).Size())
	k := shape.Shape{}
	for _, d := range a.LHSContracting {
		k.Dims = append(k.Dims, ld[d])
	}
	eachIndex(od, func(o []int64) {
		li, ri := make([]int64, len(ld)), make([]int64, len(rd))
		for i := range a.LHSBatch {
			li[a.LHSBatch[i]], ri[a.RHSBatch[i]] = o[i], o[i]
		}
		for i, d := range lf {
			li[d] = o[len(a.LHSBatch)+i]
		}
		for i, d := range rf {
			ri[d] = o[len(a.LHSBatch)+len(lf)+i]
		}
		eachIndex(k.Dims, func(c []int64) {
			for i := range c {
				li[a.LHSContracting[i]], ri[a.RHSContracting[i]] = c[i], c[i]
			}
			out[position(od, o)] += lhs[position(ls.Dims, li)] * rhs[position(rs.Dims, ri)]
		})
	})
	return out
}

// eachIndex calls f with each index of an array.
func eachIndex(dims []int64, f func(index []int64)) {
	if slices.Contains(dims, 0) {
		return
	}
	s, index := shape.Array(shape.F32, dims...), make([]int64, len(dims))
	for more := true; more; more = s.BumpIndices(index) {
		f(index)
	}
}

// position returns the row-major position of an index.
func position(dims, index []int64) int64 {
	p := int64(0)
	for d, i := range index {
		p = p*dims[d] + i
	}
	return p
}

func TestDotErrors(t *testing.T) {
	f32, s8, unknown := shape.F32, shape.S8, shape.Unbounded
	dot := func(lt, rt shape.ElementType, ld, rd []int64, a DotAttrs, opts ...DotOptions) func(b *Builder) *Instruction {
		return func(b *Builder) *Instruction {
			return b.DotGeneral(numParam(b, lt, ld...), numParam(b, rt, rd...), a, opts...)
		}
	}
	l := func(v ...int64) []int64 { return v }
	cube := l(unknown, unknown, unknown)
	for _, c := range []struct {
		want  string
		build func(b *Builder) *Instruction
	}{
		{"lhs is f32[], want rank 1 or 2", func(b *Builder) *Instruction { return b.Dot(numParam(b, f32), numParam(b, f32, 2)) }},
		{"rhs is f32[2,2,2], want rank 1 or 2", func(b *Builder) *Instruction { return b.Dot(numParam(b, f32, 2), numParam(b, f32, 2, 2, 2)) }},
		{"contracting sizes differ: lhs dim 1 is 3, rhs dim 0 is 4",
			func(b *Builder) *Instruction { return b.Dot(numParam(b, f32, 2, 3), numParam(b, f32, 4, 5)) }},
		{"element types differ: lhs is f32, rhs is s8", dot(f32, s8, l(2), l(2), DotAttrs{})},
		{"batch dimensions: lhs has 1, rhs has 0", dot(f32, f32, l(2), l(2), DotAttrs{LHSBatch: l(0)})},                                // C1
		{"contracting dimensions: lhs has 0, rhs has 1", dot(f32, f32, l(2), l(2), DotAttrs{RHSContracting: l(0)})},                    // C2
		{"dimension 0 is there twice", dot(f32, f32, cube, cube, DotAttrs{l(0), l(0), l(0), l(1), nil, ""})},                           // C3
		{"dimension 1 is there twice", dot(f32, f32, cube, cube, DotAttrs{l(0), l(1), l(1), l(1), nil, ""})},                           // C4
		{"dimension 3 is out of range", dot(f32, f32, cube, cube, DotAttrs{l(3), l(1), l(0), l(1), nil, ""})},                          // C5
		{"dimension -1 is out of range", dot(f32, f32, cube, cube, DotAttrs{l(0), l(-1), l(0), l(1), nil, ""})},                        // C6
		{"rhs batch and contracting dimensions: dimension 3", dot(f32, f32, cube, cube, DotAttrs{l(0), l(1), l(3), l(1), nil, ""})},    // C7
		{"dimension 3 is out of range", dot(f32, f32, cube, cube, DotAttrs{l(0), l(1), l(0), l(3), nil, ""})},                          // C8
		{"batch sizes differ: lhs dim 0 is 2, rhs dim 1 is 3", dot(f32, f32, l(2), l(2, 3), DotAttrs{LHSBatch: l(0), RHSBatch: l(1)})}, // C9
		{"operand_precision: got 3 levels, want 2", // C11
			dot(f32, f32, l(2), l(2), DotAttrs{}, DotOptions{Precision: Precision{0, 0, 0}})},
		{"algorithm: got dot_u3, want one of", dot(f32, f32, l(2), l(2), DotAttrs{}, DotOptions{Algorithm: "dot_u3"})},
		{"result type: got s8, want one not narrower than s32",
			dot(shape.S32, shape.S32, l(2), l(2), DotAttrs{}, DotOptions{PreferredElementType: s8})},
		{"result type: got f32, want one that holds the values of c64",
			dot(shape.C64, shape.C64, l(2), l(2), DotAttrs{}, DotOptions{PreferredElementType: f32})},
	} {
		wantBuildError(t, c.want, c.build)
	}
}

func TestDotDynamic(t *testing.T) {
	b := NewBuilder("test")
	lhs := b.Parameter(0, shape.Shape{Type: shape.F32, Dims: []int64{shape.Unbounded, 4, 8}, Dynamic: []bool{false, true, false}}, "lhs")
	rhs := numParam(b, shape.F32, 2, shape.Unbounded, 3)
	d := b.DotGeneral(lhs, rhs, DotAttrs{LHSBatch: []int64{0}, RHSBatch: []int64{0}, LHSContracting: []int64{2}, RHSContracting: []int64{1}})
	if got := d.Shape.String(); b.err != nil || got != "f32[2,<=4,3]" {
		t.Errorf("got %v, %v, want f32[2,<=4,3]", got, b.err)
	}
}

// Each algorithm loses no more of 1 + 2^-n than its parts allow.
func TestDotAlgorithms(t *testing.T) {
	x := 1 + math.Ldexp(1, -7) + math.Ldexp(1, -12) + math.Ldexp(1, -21)
	for _, c := range []struct {
		name Raw
		want float64
	}{
		{"", float64(float32(x * x))},
		{"dot_f32_f32_f32", float64(float32(x * x))},
		{"dot_bf16_bf16_f32", 1 + math.Ldexp(1, -6) + math.Ldexp(1, -14)},
		{"dot_bf16_bf16_bf16", 1 + math.Ldexp(1, -6)},
		{"dot_tf32_tf32_f32", 1 + math.Ldexp(1, -6) + math.Ldexp(1, -14)},
		{"dot_bf16_bf16_f32_x9", float64(float32(x * x))},
	} {
		l := numLit(t, shape.F32, []float64{x}, 1)
		got := dotOf(t, l, l, DotAttrs{LHSContracting: []int64{0}, RHSContracting: []int64{0}}, DotOptions{Algorithm: c.name})
		if f := got.Wide().F[0]; f != c.want {
			t.Errorf("%s: got %v, want %v", c.name, f, c.want)
		}
	}
	alg := DotAlgorithm{"bf16", "bf16", "f32", 2, 2, 3, false}
	if n, err := alg.Name(); n != "dot_bf16_bf16_f32_x3" || err != nil {
		t.Errorf("got %v, %v, want dot_bf16_bf16_f32_x3", n, err)
	}
	for _, a := range dotAlgorithms {
		d, ok := DotAlgorithmOf(Raw(a.name))
		if n, err := d.Name(); !ok || n != Raw(a.name) || err != nil {
			t.Errorf("%s: its parts %+v have the name %v, %v", a.name, d, n, err)
		}
	}
	for _, bad := range []DotAlgorithm{
		{"tf32", "tf32", "f32", -1, 1, 1, false}, // C22
		{"tf32", "tf32", "f32", 1, 0, 1, false},  // C23
		{"tf32", "tf32", "f32", 1, 1, 0, false},  // C24
		{"f32", "i8", "f32", 1, 1, 1, false},
		{"f32", "f32", "f32", 1, 1, 1, true},
	} {
		if n, err := bad.Name(); err == nil {
			t.Errorf("%+v: got %v, want an error", bad, n)
		}
	}
}

func BenchmarkDot(b *testing.B) {
	for _, c := range []struct{ m, k, n int64 }{{512, 512, 512}, {1, 2048, 2048}, {2048, 2048, 1}, {64, 8, 4096}} {
		b.Run(fmt.Sprintf("%dx%dx%d", c.m, c.k, c.n), func(b *testing.B) {
			nb := NewBuilder("dot")
			d := nb.Dot(numParam(nb, shape.F32, c.m, c.k), numParam(nb, shape.F32, c.k, c.n))
			args := []*literal.Literal{literal.Zeros(d.Operands[0].Shape), literal.Zeros(d.Operands[1].Shape)}
			e := &Evaluator{ctx: context.Background()}
			b.ResetTimer()
			for range b.N {
				if _, err := evalDot(e, d, args); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.N*int(c.m*c.k*c.n))/b.Elapsed().Seconds()/1e6, "Mmuladd/s")
		})
	}
}
