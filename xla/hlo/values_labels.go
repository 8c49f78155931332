package hlo

import (
	"fmt"
	"strings"
)

// IsZero reports whether no dimension is named.
func (v *DimLabels) IsZero() bool {
	return v.InputBatch == 0 && v.InputFeature == 0 && v.KernelInput == 0 && v.KernelOutput == 0 &&
		v.OutputBatch == 0 && v.OutputFeature == 0 && len(v.InputSpatial) == 0 && len(v.KernelSpatial) == 0 &&
		len(v.OutputSpatial) == 0 && len(v.InputUnknown) == 0 && len(v.KernelUnknown) == 0 && len(v.OutputUnknown) == 0
}

// operandLabels is one side of the labels: two named dimensions, the spatial ones and those that text marks "?".
type operandLabels struct {
	letters          string // of first and second
	first, second    *int64
	spatial, unknown *[]int64
}

func (v *DimLabels) sides() [3]operandLabels {
	return [3]operandLabels{
		{"bf", &v.InputBatch, &v.InputFeature, &v.InputSpatial, &v.InputUnknown},
		{"io", &v.KernelInput, &v.KernelOutput, &v.KernelSpatial, &v.KernelUnknown},
		{"bf", &v.OutputBatch, &v.OutputFeature, &v.OutputSpatial, &v.OutputUnknown},
	}
}

// AppendText appends "b01f_01io->b01f".
func (v *DimLabels) AppendText(b []byte) []byte {
	s := v.sides()
	b = append(s[0].append(b), '_')
	b = append(s[1].append(b), "->"...)
	return s[2].append(b)
}

func (l operandLabels) append(b []byte) []byte {
	n := 2 + len(*l.spatial) + len(*l.unknown)
	label := make([]byte, n)
	set := func(d int64, c byte) {
		if d >= 0 && d < int64(n) {
			label[d] = c
		}
	}
	for i := range label {
		label[i] = '?'
	}
	set(*l.first, l.letters[0])
	set(*l.second, l.letters[1])
	for i, d := range *l.spatial {
		set(d, byte('0'+i))
	}
	return append(b, label...)
}

// ParseText reads the text. It fails if a letter is missing or doubled, or the spatial digits are not 0 to N-1.
func (v *DimLabels) ParseText(s string) error {
	lhs, rest, ok := strings.Cut(s, "_")
	rhs, out, ok2 := strings.Cut(rest, "->")
	if !ok || !ok2 {
		return fmt.Errorf("got %s, want labels such as b01f_01io->b01f", clip(s))
	}
	*v = DimLabels{}
	sides := v.sides()
	for i, text := range []string{lhs, rhs, out} {
		if err := sides[i].parse(text); err != nil {
			return fmt.Errorf("dim_labels %s: %w", clip(s), err)
		}
	}
	if n, k, o := len(v.InputSpatial), len(v.KernelSpatial), len(v.OutputSpatial); n != k || n != o {
		return fmt.Errorf("dim_labels %s: got %d, %d and %d spatial dimensions, want the same number", clip(s), n, k, o)
	}
	return nil
}

func (l operandLabels) parse(s string) error {
	*l.first, *l.second = -1, -1
	var spatial [10]int64
	seen := map[byte]bool{}
	digits := 0
	for d := range len(s) {
		c := s[d]
		if seen[c] {
			return fmt.Errorf("%q stands twice in %s", c, clip(s))
		}
		seen[c] = c != '?'
		switch {
		case c == l.letters[0]:
			*l.first = int64(d)
		case c == l.letters[1]:
			*l.second = int64(d)
		case c == '?':
			*l.unknown = append(*l.unknown, int64(d))
		case c >= '0' && c <= '9':
			spatial[c-'0'] = int64(d)
			digits++
		default:
			return fmt.Errorf("got %q in %s, want %c, %c, a digit or ?", c, clip(s), l.letters[0], l.letters[1])
		}
	}
	if *l.first < 0 || *l.second < 0 {
		return fmt.Errorf("%s has no %c or no %c", clip(s), l.letters[0], l.letters[1])
	}
	for i := range digits {
		if !seen[byte('0'+i)] {
			return fmt.Errorf("%s has no spatial dimension %d, want 0 to %d", clip(s), i, digits-1)
		}
		*l.spatial = append(*l.spatial, spatial[i])
	}
	return nil
}
