package hlo

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/halo-xla/halo/xla/shape"
)

// dotAlgorithm is what a named algorithm does to the operands: each is taken as parts numbers of a narrow type, and of
// the products of parts the first products are summed, largest first.
type dotAlgorithm struct {
	name         string
	operand, sum string // types as StableHLO calls them; "f8" is any 8-bit float
	products     int64
	imprecise    bool
	parts        int
}

// dotAlgorithms are XLA's PrecisionConfig.Algorithm; row 92.
var dotAlgorithms = []dotAlgorithm{
	{"dot_any_f8_any_f8_f32", "f8", "f32", 1, false, 1},
	{"dot_any_f8_any_f8_f32_fast_accum", "f8", "f32", 1, true, 1},
	{"dot_f16_f16_f16", "f16", "f16", 1, false, 1},
	{"dot_f16_f16_f32", "f16", "f32", 1, false, 1},
	{"dot_bf16_bf16_bf16", "bf16", "bf16", 1, false, 1},
	{"dot_bf16_bf16_f32", "bf16", "f32", 1, false, 1},
	{"dot_bf16_bf16_f32_x3", "bf16", "f32", 3, false, 2},
	{"dot_bf16_bf16_f32_x6", "bf16", "f32", 6, false, 3},
	{"dot_bf16_bf16_f32_x9", "bf16", "f32", 9, false, 3},
	{"dot_tf32_tf32_f32", "tf32", "f32", 1, false, 1},
	{"dot_tf32_tf32_f32_x3", "tf32", "f32", 3, false, 2},
	{"dot_f32_f32_f32", "f32", "f32", 1, false, 1},
	{"dot_f64_f64_f64", "f64", "f64", 1, false, 1},
}

// DotAlgorithm is the parts of StableHLO's dot_algorithm attribute. The types are MLIR's names, or "tf32".
type DotAlgorithm struct {
	LHSPrecisionType, RHSPrecisionType, AccumulationType         string
	LHSComponentCount, RHSComponentCount, NumPrimitiveOperations int64
	AllowImpreciseAccumulation                                   bool
}

// Name returns the name of the algorithm in HLO. It fails if a count is not positive or no known algorithm has these
// parts. Law: StableHLO dot_general C22 to C24.
func (d DotAlgorithm) Name() (Raw, error) {
	for _, c := range []struct {
		name string
		n    int64
	}{
		{"lhs_component_count", d.LHSComponentCount},           // C22
		{"rhs_component_count", d.RHSComponentCount},           // C23
		{"num_primitive_operations", d.NumPrimitiveOperations}, // C24
	} {
		if c.n < 1 {
			return "", fmt.Errorf("algorithm: %s is %d, want 1 or more", c.name, c.n)
		}
	}
	for _, a := range dotAlgorithms {
		if a.takes(d.LHSPrecisionType) && a.takes(d.RHSPrecisionType) && a.sum == d.AccumulationType &&
			a.products == d.NumPrimitiveOperations && a.imprecise == d.AllowImpreciseAccumulation {
			return Raw(a.name), nil
		}
	}
	return "", fmt.Errorf("algorithm: %s by %s, sums in %s, %d products, imprecise %v, is none of the known ones",
		d.LHSPrecisionType, d.RHSPrecisionType, d.AccumulationType, d.NumPrimitiveOperations, d.AllowImpreciseAccumulation)
}

// DotAlgorithmOf returns the parts of the algorithm that HLO calls name, and whether there is one. Any 8-bit float is
// "f8".
func DotAlgorithmOf(name Raw) (DotAlgorithm, bool) {
	a, err := findAlgorithm(name)
	if err != nil || a == nil {
		return DotAlgorithm{}, false
	}
	return DotAlgorithm{a.operand, a.operand, a.sum, 1, 1, a.products, a.imprecise}, true
}

func (a *dotAlgorithm) takes(t string) bool {
	if a.operand == "f8" {
		return strings.HasPrefix(t, "f8")
	}
	return a.operand == t
}

// findAlgorithm returns the named algorithm, nil for the open choice.
func findAlgorithm(name Raw) (*dotAlgorithm, error) {
	if name == "" || name == "unset" || name == "dot_unset" {
		return nil, nil
	}
	i := slices.IndexFunc(dotAlgorithms, func(a dotAlgorithm) bool { return a.name == string(name) })
	if i < 0 {
		return nil, fmt.Errorf("algorithm: got %s, want one of XLA's dot algorithms", name)
	}
	return &dotAlgorithms[i], nil
}

func checkAlgorithm(name Raw, _ shape.ElementType) error {
	_, err := findAlgorithm(name)
	return err
}

// DotSplit is how an algorithm takes floats: as the sum of Parts numbers, each rounded by Round from what the ones
// before it leave, of which the products in Pairs (part of lhs, part of rhs) are summed, and the sum rounded by Sum.
type DotSplit struct {
	Parts      int
	Round, Sum func(float64) float64
	Pairs      [][2]int
}

// DotSplitOf returns how the named algorithm takes operands of types lhs and rhs for a result of type out; nil if it
// changes nothing: no algorithm, no floats, or types that are no wider than the algorithm's.
func DotSplitOf(name Raw, lhs, rhs, out shape.ElementType) *DotSplit {
	a, err := findAlgorithm(name)
	if err != nil || a == nil || a.operand == "f8" || a.operand == "f64" || !out.IsFloat() ||
		!lhs.IsFloat() || !rhs.IsFloat() {
		return nil
	}
	if a.parts == 1 && a.holds(lhs) && a.holds(rhs) && (a.sum == "f32" && out != shape.F64 || a.sum == out.String()) {
		return nil
	}
	return &DotSplit{a.parts, roundTo(a.operand), roundTo(a.sum), a.pairs()}
}

// holds says whether rounding to the algorithm's type leaves values of t as they are.
func (a *dotAlgorithm) holds(t shape.ElementType) bool {
	return t.String() == a.operand || a.operand == "f32" && t.IsFloat() && t != shape.F64
}

// split returns x as the algorithm's parts, the largest first.
func (a *dotAlgorithm) split(x []float64) [][]float64 {
	round := roundTo(a.operand)
	parts := make([][]float64, a.parts)
	rest := slices.Clone(x)
	for p := range parts {
		parts[p] = make([]float64, len(x))
		for i, v := range rest {
			r := round(v)
			parts[p][i] = r
			if rest[i] = v - r; math.IsInf(r, 0) {
				rest[i] = 0
			}
		}
	}
	return parts
}

// pairs returns which parts of lhs and rhs are multiplied: the products with the smallest sums of part numbers.
func (a *dotAlgorithm) pairs() [][2]int {
	var p [][2]int
	for sum := 0; sum <= 2*(a.parts-1); sum++ {
		for l := range min(sum+1, a.parts) {
			if r := sum - l; r < a.parts && int64(len(p)) < a.products {
				p = append(p, [2]int{l, r})
			}
		}
	}
	return p
}

// roundTo returns the function that rounds to a float type.
func roundTo(name string) func(float64) float64 {
	switch name {
	case "tf32": // 8 bits of exponent, 10 of mantissa
		return func(v float64) float64 {
			b := math.Float32bits(float32(v))
			if b&0x7f800000 == 0x7f800000 {
				return v
			}
			b += 0xfff + b>>13&1
			return float64(math.Float32frombits(b &^ 0x1fff))
		}
	case "f16", "bf16", "f32":
		t, _ := shape.TypeByName(name)
		return func(v float64) float64 { return t.ToFloat64(t.FromFloat64(v)) }
	}
	return func(v float64) float64 { return v }
}
