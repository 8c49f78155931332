package cpu

import (
	"math"

	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/shape"
)

// absIdioms are the absolute values of complex numbers as jax.numpy writes them: both parts are scaled where a square
// could be no normal number.
func absIdioms() []idiom {
	return []idiom{{"absolute", absPattern(shape.F32, float32(0x1p63), 0x1p-12, 0x1p-75)},
		{"absolute", absPattern(shape.F64, 0x1p511, 0x1p-26, 0x1p-537)}}
}

// absPattern scales by down what is at least large, and by its inverse what is at most small.
func absPattern[T float32 | float64](t shape.ElementType, large, small, down T) *hlo.Computation {
	b := builder{hlo.NewBuilder("abs")}
	x, y := b.Parameter(0, shape.Array(t), "x"), b.Parameter(1, shape.Array(t), "y")
	number := func(v T) *hlo.Instruction { return numberOf(b, v) }
	ax, ay, inf := b.Abs(x), b.Abs(y), number(T(math.Inf(1)))
	most := b.Max(ax, ay)
	isLarge, isSmall := b.Ge(most, number(large)), b.Le(most, number(small))
	pick := func(down, up, same *hlo.Instruction) *hlo.Instruction {
		return b.Select(isLarge, down, b.Select(isSmall, up, same))
	}
	square := func(v *hlo.Instruction) *hlo.Instruction {
		s := pick(b.Mul(v, number(down)), b.Mul(v, number(1/down)), v)
		return b.Mul(s, s)
	}
	r := b.Mul(b.Sqrt(b.Add(square(x), square(y))), pick(number(1/down), number(down), number(1)))
	c, err := b.Build(b.Select(b.Or(b.Eq(ax, inf), b.Eq(ay, inf)), inf, r))
	if err != nil {
		panic("cpu: bug: " + err.Error())
	}
	return c
}
