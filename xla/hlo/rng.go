package hlo

// RngAttrs are the attributes of rng, rows 109 to 111.
type RngAttrs struct{ Distribution Distribution }

// Fields lists the attributes.
func (a *RngAttrs) Fields() []Field {
	return []Field{{"distribution", "rng_distribution", &a.Distribution, Always}}
}

// Distribution is what rng draws from.
type Distribution uint8

// The distributions.
const (
	InvalidDistribution Distribution = iota
	RngUniform
	RngNormal
	RngBernoulli
)

var distributionNames = names{"", "rng_uniform", "rng_normal", "rng_bernoulli"}

// RngBitGeneratorAttrs are the attributes of rng-bit-generator, row 112.
type RngBitGeneratorAttrs struct{ Algorithm RandomAlgorithm }

// Fields lists the attributes.
func (a *RngBitGeneratorAttrs) Fields() []Field {
	return []Field{{"algorithm", "rng_algorithm", &a.Algorithm, Always}}
}

// RandomAlgorithm is a bit generator.
type RandomAlgorithm uint8

// The bit generators. RngDefault is Philox.
const (
	RngDefault RandomAlgorithm = iota
	RngThreeFry
	RngPhilox
)

var algorithmNames = names{"rng_default", "rng_three_fry", "rng_philox"}

// RngGetAndUpdateStateAttrs has what is added to the hidden state.
type RngGetAndUpdateStateAttrs struct{ Delta int64 }

// Fields lists the attributes.
func (a *RngGetAndUpdateStateAttrs) Fields() []Field { return []Field{{"delta", "", &a.Delta, Always}} }
