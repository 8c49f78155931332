// Package spelling finds the name that a person meant who wrote another one.
package spelling

import (
	"regexp"
	"slices"
	"strings"
)

// Meant is a hint at the name that a misspelt one is nearest to, "" if none is near.
func Meant(got string, names []string) string { return hint(Nearest(got, names)) }

// Nearest returns the name that a misspelt one is nearest to, "" if none is near: at most two letters, and less than
// half of the name, are wrong.
func Nearest(got string, names []string) string {
	best, at := 3, ""
	for _, name := range names {
		if strings.EqualFold(got, name) {
			return name
		}
		if far := len(got) - len(name); far > 2 || far < -2 {
			continue
		}
		if d := Typos(got, name); d < best && 2*d < min(len(got), len(name)) {
			best, at = d, name
		}
	}
	return at
}

func hint(name string) string {
	if name == "" {
		return ""
	}
	return ", did you mean " + name
}

// otherNames are the names of element types in languages other than HLO's text and MLIR's.
var otherNames = map[string][]string{
	"float": {"f32"}, "single": {"f32"}, "double": {"f64"}, "half": {"f16"}, "bfloat": {"bf16"},
	"int": {"s32", "i32"}, "long": {"s64", "i64"}, "byte": {"u8", "ui8"},
	"bool": {"pred", "i1"}, "boolean": {"pred", "i1"}, "pred": {"i1"}, "i1": {"pred"},
	"complex64": {"c64", "complex<f32>"}, "complex128": {"c128", "complex<f64>"},
	"c64": {"complex<f32>"}, "c128": {"complex<f64>"},
}

// sized are the names of types that end with the number of their bits.
var sized = regexp.MustCompile(`^(float|fp|bfloat|f|int|i|s|uint|ui|u)([0-9]+)(_t)?$`)

var sizedNames = map[string][]string{
	"float": {"f"}, "fp": {"f"}, "bfloat": {"bf"}, "int": {"s", "i"}, "i": {"s"}, "s": {"i", "si"},
	"uint": {"u", "ui"}, "ui": {"u"}, "u": {"ui"},
}

// Type is Meant for an element type: names are those of the language it was written in, got may be one of numpy's or
// C's, or of HLO's where MLIR's are wanted.
func Type(got string, names []string) string {
	others := otherNames[got]
	if m := sized.FindStringSubmatch(got); m != nil {
		for _, kind := range sizedNames[m[1]] {
			others = append(slices.Clip(others), kind+m[2])
		}
	}
	for _, name := range others {
		if slices.Contains(names, name) {
			return hint(name)
		}
	}
	return Meant(got, names)
}

// Typos is how many letters must be put in, left out, replaced or swapped with the next to make b of a.
func Typos(a, b string) int {
	var before, above []int
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		before, above, row = above, row, make([]int, len(b)+1)
		row[0] = i + 1
		for j := range len(b) {
			row[j+1] = min(row[j]+1, above[j+1]+1, above[j]+differ(a[i], b[j]))
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
	}
	return row[len(b)]
}

func differ(x, y byte) int {
	if x == y {
		return 0
	}
	return 1
}
