package hlo

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/halo-xla/halo/internal/testfile"
	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// Each mode against the definition by elements. There are 2 batch entries, 5 rows, 7 contracted elements and 3 columns.
func TestRaggedDotModes(t *testing.T) {
	seed := testfile.Seed(t)
	r := rand.New(rand.NewPCG(seed, 5))
	t.Logf("seed %d", seed)
	const B, M, K, N, G = 2, 5, 7, 3, 4
	lhs := randomInts(r, []int64{B, M, K})
	group := func(i int, sizes []float64) int { // of element i
		for g, n := range sizes {
			if i < int(n) {
				return g
			}
			i -= int(n)
		}
		return -1
	}
	for _, c := range []struct {
		name   string
		ragged int64
		sizes  []float64 // one list or one for each batch entry
	}{
		{"rows", 1, []float64{2, 0, 1, 1}},
		{"rows by batch", 1, []float64{2, 0, 1, 1, 0, 5, 0, 0}},
		{"more than all rows", 1, []float64{2, 9, 1, 1}},
		{"contracted", 2, []float64{2, 0, 3, 1}},
		{"contracted by batch", 2, []float64{2, 0, 4, 1, 1, 1, 1, 1}},
		{"batch", 0, []float64{1, 0, 0, 0}},
	} {
		t.Run(c.name, func(t *testing.T) {
			sizeDims := []int64{G}
			if len(c.sizes) > G {
				sizeDims = []int64{B, G}
			}
			a := RaggedDotAttrs{LHSBatch: []int64{0}, RHSBatch: []int64{0}, LHSContracting: []int64{2}, RHSContracting: []int64{1},
				LHSRagged: []int64{c.ragged}}
			rd, od := []int64{B, K, N}, []int64{B, M, N}
			switch c.ragged {
			case 1:
				rd, a.RHSGroup, a.RHSBatch, a.RHSContracting = []int64{G, B, K, N}, []int64{0}, []int64{1}, []int64{2}
			case 2:
				od = []int64{G, B, M, N}
			}
			rhs := randomInts(r, rd)
			got := evalBuilt(t, func(b *Builder) *Instruction {
				return b.RaggedDot(b.ConstantLiteral(numLit(t, shape.F32, lhs, B, M, K)), b.ConstantLiteral(numLit(t, shape.F32, rhs, rd...)),
					b.ConstantLiteral(numLit(t, shape.S32, c.sizes, sizeDims...)), a, shape.Invalid)
			})
			want := make([]float64, shape.Array(shape.F32, od...).Size())
			for b := range B {
				sizes := c.sizes[len(c.sizes)/G/B*b*G:][:G]
				for m := range M {
					for n := range N {
						for k := range K {
							g := group([]int{b, m, k}[c.ragged], sizes)
							if g < 0 {
								continue
							}
							from, to := (b*K+k)*N+n, (b*M+m)*N+n
							if c.ragged == 1 {
								from += g * B * K * N
							} else if c.ragged == 2 {
								to += g * B * M * N
							}
							want[to] += lhs[(b*M+m)*K+k] * rhs[from]
						}
					}
				}
			}
			if f := got.Wide().F; !slices.Equal(got.Shape().Dims, od) || !slices.Equal(f, want) {
				t.Errorf("got %v %v, want %v %v", got.Shape(), f, od, want)
			}
		})
	}
}

// A NaN in the matrix of one group stays in it.
func TestRaggedDotKeepsGroupsApart(t *testing.T) {
	got := evalBuilt(t, func(b *Builder) *Instruction {
		a := RaggedDotAttrs{LHSContracting: []int64{1}, RHSContracting: []int64{1}, LHSRagged: []int64{0}, RHSGroup: []int64{0}}
		return b.RaggedDot(b.ConstantLiteral(numLit(t, shape.F32, []float64{1, 2, 3}, 3, 1)),
			b.ConstantLiteral(numLit(t, shape.F32, []float64{10, math.NaN()}, 2, 1, 1)),
			b.ConstantLiteral(numLit(t, shape.S64, []float64{1, 1}, 2)), a, shape.Invalid)
	})
	wantFloats(t, got, "f32[3,1]", 10, math.NaN(), 0)
}

func TestRaggedDotErrors(t *testing.T) {
	l := func(v ...int64) []int64 { return v }
	rows := RaggedDotAttrs{LHSContracting: l(1), RHSContracting: l(1), LHSRagged: l(0), RHSGroup: l(0)}
	ragged := func(ld, rd, sd []int64, a RaggedDotAttrs) func(b *Builder) *Instruction {
		return func(b *Builder) *Instruction {
			return b.RaggedDot(numParam(b, shape.F32, ld...), numParam(b, shape.F32, rd...), numParam(b, shape.S64, sd...), a, shape.Invalid)
		}
	}
	two, none, far, batch := rows, rows, rows, rows
	two.LHSRagged, none.RHSGroup, far.LHSRagged = l(0, 1), nil, l(2)
	batch.LHSBatch, batch.RHSBatch, batch.LHSContracting, batch.RHSContracting, batch.LHSRagged = l(0), l(1), l(2), l(2), l(0)
	for _, c := range []struct {
		want  string
		build func(b *Builder) *Instruction
	}{
		{"contracting sizes differ: lhs dim 1 is 5, rhs dim 0 is 2", ragged(l(11, 5), l(3, 2, 7), l(3), rows)},
		{"group_sizes is s64[3,2], want integers of rank 1", ragged(l(11, 5), l(3, 5, 7), l(3, 2), rows)},
		{"groups differ: rhs dim 0 is 3, group_sizes is s64[4]", ragged(l(11, 5), l(3, 5, 7), l(4), rows)},
		{"lhs_ragged_dims: got {0, 1}, want one dimension", ragged(l(11, 5), l(3, 5, 7), l(3), two)},
		{"lhs_ragged_dims: dimension 2 is out of range", ragged(l(11, 5), l(3, 5, 7), l(3), far)},
		{"rhs_group_dims: got {}, want 1 dimensions", ragged(l(11, 5), l(3, 5, 7), l(3), none)},
		{"rhs_group_dims: got {0}, want 0 dimensions", ragged(l(2, 11, 5), l(3, 2, 5, 7), l(3), batch)},
		{"element types differ", func(b *Builder) *Instruction {
			return b.RaggedDot(numParam(b, shape.F32, 11, 5), numParam(b, shape.S32, 3, 5, 7), numParam(b, shape.S64, 3), rows, shape.Invalid)
		}},
	} {
		wantBuildError(t, c.want, c.build)
	}
}

func TestScaledDot(t *testing.T) {
	a := DotAttrs{LHSContracting: []int64{1}, RHSContracting: []int64{0}}
	scaled := func(ls, rs *literal.Literal) *literal.Literal {
		return evalBuilt(t, func(b *Builder) *Instruction {
			lhs := b.ConstantLiteral(numLit(t, shape.F8E4M3FN, []float64{1, 2, 3, 4, 5, 6, 7, 8}, 2, 4))
			rhs := b.ConstantLiteral(numLit(t, shape.F8E5M2, []float64{1, 1, 1, 1}, 4, 1))
			return b.ScaledDot(lhs, rhs, b.ConstantLiteral(ls), b.ConstantLiteral(rs), a, shape.F32)
		})
	}
	e8 := shape.F8E8M0FNU
	wantFloats(t, scaled(numLit(t, e8, []float64{2, 4, 1, 8}, 2, 2), numLit(t, e8, []float64{1, 0.5}, 2, 1)), "f32[2,1]", 2*3+4*7*.5, 11+8*15*.5)
	wantFloats(t, scaled(literal.ScalarOf(e8, 2), numLit(t, e8, []float64{1, 1, 1, 2}, 4, 1)), "f32[2,1]", 2*14, 2*34)
	wantBuildError(t, "dim 1 is 3, want a divisor of 4", func(b *Builder) *Instruction {
		return b.ScaledDot(numParam(b, shape.F8E5M2, 2, 4), numParam(b, shape.F8E5M2, 4, 1), numParam(b, e8, 2, 3), numParam(b, e8), a, shape.F32)
	})
	wantBuildError(t, "rhs_scale is f8e8m0fnu[2], want the rank of f8e5m2[4,1]", func(b *Builder) *Instruction {
		return b.ScaledDot(numParam(b, shape.F8E5M2, 2, 4), numParam(b, shape.F8E5M2, 4, 1), numParam(b, e8), numParam(b, e8, 2), a, shape.F32)
	})
	wantBuildError(t, "want floating point", func(b *Builder) *Instruction {
		return b.ScaledDot(numParam(b, shape.S8, 2, 4), numParam(b, shape.S8, 4, 1), numParam(b, e8), numParam(b, e8), a, shape.S32)
	})
}

func TestScan(t *testing.T) {
	b := NewBuilder("sum")
	x, c := numParam(b, shape.S32), numParam(b, shape.S32)
	s := b.add(Add, nil, shape.Shape{}, x, c)
	sum, err := b.Build(b.add(Tuple, nil, shape.Shape{}, s, s))
	if err != nil {
		t.Fatal(err)
	}
	scan := func(reverse bool, v ...float64) *literal.Literal {
		return evalBuilt(t, func(b *Builder) *Instruction {
			in := b.ConstantLiteral(numLit(t, shape.S32, v, int64(len(v))))
			return b.Scan(just(in), just(b.ConstantLiteral(literal.ScalarOfInt(shape.S32, 10))), sum, 0, reverse, false)
		})
	}
	for _, c := range []struct {
		got   *literal.Literal
		shape string
		out   []float64
		carry float64
	}{
		{scan(false, 1, 2, 3), "s32[3]", []float64{11, 13, 16}, 16},
		{scan(true, 1, 2, 3), "s32[3]", []float64{16, 15, 13}, 16},
		{scan(false), "s32[0]", nil, 10},
	} {
		wantFloats(t, c.got.Elems()[0], c.shape, c.out...)
		wantFloats(t, c.got.Elems()[1], "s32[]", c.carry)
	}
	for _, c := range []struct {
		want  string
		build func(b *Builder) *Instruction
	}{
		{"parameter 1 is s32[], want s32[3]", func(b *Builder) *Instruction {
			return b.Scan(just(numParam(b, shape.S32, 3)), just(numParam(b, shape.S32, 3)), sum, 0, false, false)
		}},
		{"parameter 0 is s32[], want f32[]", func(b *Builder) *Instruction {
			return b.Scan(just(numParam(b, shape.F32, 3)), just(numParam(b, shape.S32)), sum, 0, false, false)
		}},
		{"dimension 1 is out of range", func(b *Builder) *Instruction {
			return b.Scan(just(numParam(b, shape.S32, 3)), just(numParam(b, shape.S32)), sum, 1, false, false)
		}},
		{"sizes along dimension 0 differ", func(b *Builder) *Instruction {
			return b.Scan([]*Instruction{numParam(b, shape.S32, 3), numParam(b, shape.S32, 4)}, nil, sum, 0, false, false)
		}},
		{"takes 2 parameters, want 1", func(b *Builder) *Instruction {
			return b.Scan(just(numParam(b, shape.S32, 3)), nil, sum, 0, false, false)
		}},
	} {
		wantBuildError(t, c.want, c.build)
	}
}

// Along the last dimension, with arrays as carries.
func TestScanOfRows(t *testing.T) {
	b := NewBuilder("step")
	x, c := numParam(b, shape.S32, 2), numParam(b, shape.S32, 2)
	step, err := b.Build(b.add(Tuple, nil, shape.Shape{}, b.add(Multiply, nil, shape.Shape{}, x, c), b.add(Add, nil, shape.Shape{}, x, c)))
	if err != nil {
		t.Fatal(err)
	}
	got := evalBuilt(t, func(b *Builder) *Instruction {
		in := b.ConstantLiteral(numLit(t, shape.S32, []float64{1, 2, 3, 4, 5, 6}, 2, 3))
		return b.Scan(just(in), just(b.ConstantLiteral(numLit(t, shape.S32, []float64{1, 10}, 2))), step, 1, false, false)
	})
	wantFloats(t, got.Elems()[0], "s32[2,3]", 1*1, 2*2, 3*4, 4*10, 5*14, 6*19)
	wantFloats(t, got.Elems()[1], "s32[2]", 7, 25)
}
