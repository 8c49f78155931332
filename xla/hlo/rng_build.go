package hlo

import "github.com/halo-xla/halo/xla/shape"

// RngUniform makes an array of shape s of values drawn evenly from [a, b); a and b are scalars of its element type.
// Row 111.
func (b *Builder) RngUniform(low, high *Instruction, s shape.Shape) *Instruction {
	return b.add(Rng, &RngAttrs{RngUniform}, s, low, high)
}

// RngNormal makes an array of shape s of values of the normal distribution with mean mu and deviation sigma, scalars
// of its element type. Row 110.
func (b *Builder) RngNormal(mu, sigma *Instruction, s shape.Shape) *Instruction {
	return b.add(Rng, &RngAttrs{RngNormal}, s, mu, sigma)
}

// RngBernoulli makes a u32 array of shape s of ones with the probability mean, an f32 scalar, and else zeros. Row 109.
func (b *Builder) RngBernoulli(mean *Instruction, s shape.Shape) *Instruction {
	return b.add(Rng, &RngAttrs{RngBernoulli}, s, mean)
}

// RngBitGenerator makes an array of shape s of random bits and returns the tuple of the new state and it. Row 112.
func (b *Builder) RngBitGenerator(a RandomAlgorithm, initialState *Instruction, s shape.Shape) *Instruction {
	return b.add(RngBitGenerator, &RngBitGeneratorAttrs{a}, shape.TupleOf(initialState.Shape, s), initialState)
}

// RngGetAndUpdateState returns the hidden state of random generation, 128 bits as u64[2] with the low half first, and
// adds delta to it.
func (b *Builder) RngGetAndUpdateState(delta int64) *Instruction {
	return b.add(RngGetAndUpdateState, &RngGetAndUpdateStateAttrs{delta}, shape.Array(shape.U64, 2))
}
