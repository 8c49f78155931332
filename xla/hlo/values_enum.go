package hlo

import (
	"fmt"
	"strings"
)

// parseEnum sets v to the value that s names in n. Letters of any case are taken, and a prefix that the text's names
// have and other writers leave out: "uniform" is "rng_uniform".
func parseEnum[T ~uint8](v *T, n names, prefix, s string) error {
	for i, name := range n {
		if name != "" && (strings.EqualFold(name, s) || prefix != "" && strings.EqualFold(name, prefix+s)) {
			*v = T(i)
			return nil
		}
	}
	return fmt.Errorf("got %s, want one of %s", clip(s), n.list())
}

// text returns the name of value i; values without a name are written as numbers, which nothing reads.
func (n names) text(i uint8) string {
	if int(i) < len(n) {
		return n[i]
	}
	return fmt.Sprint(i)
}

// String returns the direction's name, "EQ".
func (v Direction) String() string { return directionNames.text(uint8(v)) }

// IsZero reports whether the direction is EQ.
func (v *Direction) IsZero() bool { return *v == 0 }

// AppendText appends the direction's name.
func (v *Direction) AppendText(b []byte) []byte { return append(b, v.String()...) }

// ParseText reads the direction's name.
func (v *Direction) ParseText(s string) error { return parseEnum(v, directionNames, "", s) }

// String returns the type's name, "TOTALORDER", or "" for the one that follows from the element type.
func (v ComparisonType) String() string { return comparisonNames.text(uint8(v)) }

// IsZero reports whether the type follows from the element type.
func (v *ComparisonType) IsZero() bool { return *v == 0 }

// AppendText appends the type's name.
func (v *ComparisonType) AppendText(b []byte) []byte { return append(b, v.String()...) }

// ParseText reads the type's name; "TOTAL" is TOTALORDER, "PARTIAL" says nothing.
func (v *ComparisonType) ParseText(s string) error {
	switch s {
	case "NOTYPE", "PARTIAL", "PARTIALORDER":
		*v = DefaultComparison
		return nil
	case "TOTAL":
		s = "TOTALORDER"
	}
	return parseEnum(v, comparisonNames, "", s)
}

// String returns the distribution's name, "rng_uniform".
func (v Distribution) String() string { return distributionNames.text(uint8(v)) }

// IsZero reports whether there is no distribution.
func (v *Distribution) IsZero() bool { return *v == 0 }

// AppendText appends the distribution's name.
func (v *Distribution) AppendText(b []byte) []byte { return append(b, v.String()...) }

// ParseText reads the distribution's name.
func (v *Distribution) ParseText(s string) error { return parseEnum(v, distributionNames, "rng_", s) }

// String returns the generator's name, "rng_philox".
func (v RandomAlgorithm) String() string { return algorithmNames.text(uint8(v)) }

// IsZero reports whether the generator is the default one.
func (v *RandomAlgorithm) IsZero() bool { return *v == 0 }

// AppendText appends the generator's name.
func (v *RandomAlgorithm) AppendText(b []byte) []byte { return append(b, v.String()...) }

// ParseText reads the generator's name.
func (v *RandomAlgorithm) ParseText(s string) error { return parseEnum(v, algorithmNames, "rng_", s) }

// String returns the transform's name, "RFFT".
func (v FftType) String() string { return fftTypeNames.text(uint8(v)) }

// IsZero reports whether the transform is FFT.
func (v *FftType) IsZero() bool { return *v == 0 }

// AppendText appends the transform's name.
func (v *FftType) AppendText(b []byte) []byte { return append(b, v.String()...) }

// ParseText reads the transform's name.
func (v *FftType) ParseText(s string) error { return parseEnum(v, fftTypeNames, "", s) }

// String returns the name of the way, "ADJOINT".
func (v TransposeA) String() string { return transposeNames.text(uint8(v)) }

// IsZero reports whether no way is given.
func (v *TransposeA) IsZero() bool { return *v == 0 }

// AppendText appends the name.
func (v *TransposeA) AppendText(b []byte) []byte { return append(b, v.String()...) }

// ParseText reads the name.
func (v *TransposeA) ParseText(s string) error { return parseEnum(v, transposeNames, "", s) }

// String returns the convention's name, "API_VERSION_TYPED_FFI".
func (v APIVersion) String() string { return apiVersionNames.text(uint8(v)) }

// IsZero reports whether no convention is given.
func (v *APIVersion) IsZero() bool { return *v == 0 }

// AppendText appends the convention's name.
func (v *APIVersion) AppendText(b []byte) []byte { return append(b, v.String()...) }

// ParseText reads the convention's name.
func (v *APIVersion) ParseText(s string) error {
	return parseEnum(v, apiVersionNames, "API_VERSION_", s)
}

// String returns the level's name, "highest".
func (v PrecisionLevel) String() string { return precisionNames.text(uint8(v)) }

// IsZero reports whether every operand has the default precision.
func (v *Precision) IsZero() bool {
	for _, p := range *v {
		if p != DefaultPrecision {
			return false
		}
	}
	return true
}

// AppendText appends "{high,highest}".
func (v *Precision) AppendText(b []byte) []byte {
	return appendBraced(b, *v, func(b []byte, p PrecisionLevel) []byte { return append(b, p.String()...) })
}

// ParseText reads a list of levels.
func (v *Precision) ParseText(s string) error {
	inner, ok := unbrace(s)
	if !ok {
		return fmt.Errorf("got %s, want a list {default,high,highest}", clip(s))
	}
	*v = nil
	for inner != "" {
		var item string
		item, inner, _ = strings.Cut(inner, ",")
		var p PrecisionLevel
		if err := parseEnum(&p, precisionNames, "", strings.TrimSpace(item)); err != nil {
			return err
		}
		*v = append(*v, p)
	}
	return nil
}
