package hlo

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

func evaluate(b *testing.B, c *Computation, args ...*literal.Literal) {
	b.Helper()
	for b.Loop() {
		e := &Evaluator{ctx: context.Background()}
		if _, err := e.Call(c, args); err != nil {
			b.Fatal(err)
		}
	}
}

func randomIndices(n, limit int) *literal.Literal {
	v := make([]int32, n)
	for i := range v {
		v[i] = int32(rand.IntN(limit))
	}
	l, _ := literal.FromSlice(v)
	return l
}

// BenchmarkMove has each kind of movement on 4 MiB of f32.
func BenchmarkMove(b *testing.B) {
	const n = 1 << 20
	vector, square := shape.Array(shape.F32, n), shape.Array(shape.F32, 1024, 1024)
	index := randomIndices(n, n)
	add := scalarOpB(Add)
	for _, c := range []struct {
		name  string
		args  []*literal.Literal
		build func(p []*Instruction, bl *Builder) *Instruction
	}{
		{"gather of elements", []*literal.Literal{literal.Zeros(vector), index}, func(p []*Instruction, bl *Builder) *Instruction {
			return bl.Gather(p[0], p[1], GatherAttrs{CollapsedSliceDims: dims(0), StartIndexMap: dims(0), IndexVectorDim: 1, SliceSizes: dims(1)})
		}},
		{"gather of rows", []*literal.Literal{literal.Zeros(square), randomIndices(1024, 1024)}, func(p []*Instruction, bl *Builder) *Instruction {
			return bl.Gather(p[0], p[1], GatherAttrs{OffsetDims: dims(1), CollapsedSliceDims: dims(0), StartIndexMap: dims(0), IndexVectorDim: 1,
				SliceSizes: dims(1, 1024)})
		}},
		{"scatter of elements", []*literal.Literal{literal.Zeros(vector), index, literal.Zeros(vector)}, func(p []*Instruction, bl *Builder) *Instruction {
			return bl.Scatter(p[:1], p[1], p[2:], rowScatter(add))
		}},
		{"slice", []*literal.Literal{literal.Zeros(square)}, func(p []*Instruction, bl *Builder) *Instruction {
			return bl.Slice(p[0], dims(0, 1), dims(1024, 1024), nil)
		}},
		{"strided slice", []*literal.Literal{literal.Zeros(square)}, func(p []*Instruction, bl *Builder) *Instruction {
			return bl.Slice(p[0], dims(0, 0), dims(1024, 1024), dims(1, 2))
		}},
		{"concatenate", []*literal.Literal{literal.Zeros(square), literal.Zeros(square)}, func(p []*Instruction, bl *Builder) *Instruction {
			return bl.ConcatInDim(p, 1)
		}},
		{"pad", []*literal.Literal{literal.Zeros(square), literal.Scalar(float32(0))}, func(p []*Instruction, bl *Builder) *Instruction {
			return bl.Pad(p[0], p[1], Padding{{1, 1, 0}, {1, 1, 1}})
		}},
		{"reverse", []*literal.Literal{literal.Zeros(square)}, func(p []*Instruction, bl *Builder) *Instruction {
			return bl.Rev(p[0], dims(1))
		}},
		{"sort", []*literal.Literal{randomIndices(n, n)}, func(p []*Instruction, bl *Builder) *Instruction {
			return bl.Sort(p, nil, 0, false)
		}},
	} {
		b.Run(c.name, func(b *testing.B) {
			bl := NewBuilder("main")
			var p []*Instruction
			for i, a := range c.args {
				p = append(p, bl.Parameter(int64(i), a.Shape(), ""))
			}
			comp, err := bl.Build(c.build(p, bl))
			if err != nil {
				b.Fatal(err)
			}
			b.SetBytes(4 * n)
			evaluate(b, comp, c.args...)
		})
	}
}

func scalarOpB(op Opcode) *Computation {
	bl := NewBuilder(op.String())
	f := shape.Array(shape.F32)
	c, err := bl.Build(bl.add(op, nil, shape.Shape{}, bl.Parameter(0, f, "x"), bl.Parameter(1, f, "y")))
	if err != nil {
		panic(err)
	}
	return c
}
