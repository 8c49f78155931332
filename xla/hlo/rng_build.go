package hlo

import "github.com/halo-xla/halo/xla/shape"

// RngUniform makes an array of values drawn evenly from low up to high, which it never is; if high is not above low,
// all are low.
//
//	low T[]   high T[]   result s of T
//
// It fails if types or shapes differ from these, or for complex numbers. Law: row 111.
func (b *Builder) RngUniform(low, high *Instruction, s shape.Shape) *Instruction {
	return b.add(Rng, &RngAttrs{RngUniform}, s, low, high)
}

// RngNormal makes an array of values of the normal distribution with mean mu and deviation sigma.
//
//	mu T[]   sigma T[]   result s of T
//
// It fails if types or shapes differ from these, or for elements that are no floats. Law: row 110.
func (b *Builder) RngNormal(mu, sigma *Instruction, s shape.Shape) *Instruction {
	return b.add(Rng, &RngAttrs{RngNormal}, s, mu, sigma)
}

// RngBernoulli makes an array of ones with the probability mean, and else zeros.
//
//	mean f32[]   result s of u32
//
// It fails if types or shapes differ from these. Law: row 109.
func (b *Builder) RngBernoulli(mean *Instruction, s shape.Shape) *Instruction {
	return b.add(Rng, &RngAttrs{RngBernoulli}, s, mean)
}

// RngBitGenerator makes an array of random bits and returns it after the new state.
//
//	initialState u64[2] or, for Philox, u64[3]   result (u64[2] or u64[3], s)
//
// It fails if the state has another shape or s has predicates or complex numbers. Law: row 112.
func (b *Builder) RngBitGenerator(a RandomAlgorithm, initialState *Instruction, s shape.Shape) *Instruction {
	b.present(RngBitGenerator, &initialState)
	return b.add(RngBitGenerator, &RngBitGeneratorAttrs{a}, shape.TupleOf(initialState.Shape, s), initialState)
}

// RngGetAndUpdateState returns the hidden state of random generation, 128 bits with the low half first, and adds
// delta to it.
//
//	result u64[2]
//
// It never fails. Law: HLO rng-get-and-update-state.
func (b *Builder) RngGetAndUpdateState(delta int64) *Instruction {
	return b.add(RngGetAndUpdateState, &RngGetAndUpdateStateAttrs{delta}, shape.Array(shape.U64, 2))
}
