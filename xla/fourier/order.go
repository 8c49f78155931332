package fourier

// Kind is what a transform goes between.
type Kind uint8

// The kinds.
const (
	Complex     Kind = iota // complex numbers, either way
	RealForward             // reals to the first half of their spectrum
	RealInverse             // the reverse
)

// Step is the transform of all lines along one dimension.
type Step struct {
	Dim  int
	Real bool // lines between reals and half spectra
	// Scaled says that the results are multiplied by the scale of the whole.
	Scaled bool
}

// Steps returns in which order the last count of dims are transformed, and where the results are scaled: both are part
// of the answers that are to be met. dims are those of the complex side.
func Steps(kind Kind, dims []int64, count int) []Step {
	first, last := len(dims)-count, len(dims)-1
	var steps []Step
	switch kind {
	case Complex: // the innermost first, but for those of size 1 after the second
		for last > first+1 && dims[last] == 1 {
			last--
		}
		for d := last; d >= first; d-- {
			steps = append(steps, Step{Dim: d, Scaled: d == last})
		}
	case RealForward: // and the outer ones, the outermost first
		steps = append(steps, Step{Dim: last, Real: true})
		for d := first; d < last; d++ {
			steps = append(steps, Step{Dim: d})
		}
	default:
		for i := range count - 1 {
			d := first + i
			if dims[last] == 1 {
				d = last - 1 - i
			}
			steps = append(steps, Step{Dim: d})
		}
		steps = append(steps, Step{Dim: last, Real: true, Scaled: true})
	}
	return steps
}
