package hlo

// FftAttrs are the attributes of fft, row 95.
type FftAttrs struct {
	Type   FftType
	Length []int64
}

// Fields lists the attributes.
func (a *FftAttrs) Fields() []Field {
	return []Field{{"fft_type", "fft_type", &a.Type, Always}, {"fft_length", "fft_length", &a.Length, Always}}
}

// FftType is the kind of a Fourier transform.
type FftType uint8

// The transforms.
const (
	FFT FftType = iota
	IFFT
	RFFT
	IRFFT
)

var fftTypeNames = names{"FFT", "IFFT", "RFFT", "IRFFT"}
