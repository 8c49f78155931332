package stablehlo

// vhloEnums are VHLO's attributes that are enumerations, with their numbers and those of their first words.
var vhloEnums = map[string]struct{ code, first uint64 }{
	"comparison_direction": {3, 0}, "comparison_type": {4, 0}, "fft_type": {7, 0}, "precision": {11, 0},
	"rng_algorithm": {12, 0}, "rng_distribution": {13, 1}, "transpose": {16, 0}, "result_accuracy_mode": {19, 0},
}

// vhloPlainType is a type of VHLO without parts, with its number, and since when VHLO has it.
type vhloPlainType struct {
	typ          Type
	code         uint64
	major, minor int
}

var vhloPlainTypes = []vhloPlainType{
	{IntType{Width: 1}, 0, 0, 9}, {FloatType{"bf16"}, 2, 0, 9}, {FloatType{"f16"}, 3, 0, 9},
	{FloatType{"f32"}, 4, 0, 9}, {FloatType{"f64"}, 5, 0, 9}, {FloatType{"f8E4M3FN"}, 6, 0, 9},
	{FloatType{"f8E5M2"}, 7, 0, 9}, {IndexType{}, 9, 0, 9}, {IntType{Width: 4}, 10, 0, 9},
	{IntType{Width: 8}, 11, 0, 9}, {IntType{Width: 16}, 12, 0, 9}, {IntType{Width: 32}, 13, 0, 9},
	{IntType{Width: 64}, 14, 0, 9}, {IntType{Width: 4, Sign: Unsigned}, 15, 0, 9},
	{IntType{Width: 8, Sign: Unsigned}, 16, 0, 9}, {IntType{Width: 16, Sign: Unsigned}, 17, 0, 9},
	{IntType{Width: 32, Sign: Unsigned}, 18, 0, 9}, {IntType{Width: 64, Sign: Unsigned}, 19, 0, 9},
	{TokenType{}, 22, 0, 9}, {OpaqueType{"!shape.witness"}, 26, 0, 9}, {FloatType{"f8E4M3FNUZ"}, 27, 0, 10},
	{FloatType{"f8E5M2FNUZ"}, 28, 0, 10}, {FloatType{"f8E4M3B11FNUZ"}, 29, 0, 11}, {IntType{Width: 2}, 31, 1, 2},
	{IntType{Width: 2, Sign: Unsigned}, 32, 1, 2}, {NoneType{}, 33, 1, 6}, {FloatType{"tf32"}, 34, 1, 6},
	{FloatType{"f8E4M3"}, 35, 1, 7}, {FloatType{"f8E3M4"}, 36, 1, 7}, {FloatType{"f4E2M1FN"}, 37, 1, 8},
	{FloatType{"f6E2M3FN"}, 38, 1, 8}, {FloatType{"f6E3M2FN"}, 39, 1, 8}, {FloatType{"f8E8M0FNU"}, 40, 1, 8},
}

// vhloPlainNumbers are vhloPlainTypes by what MLIR calls them.
var vhloPlainNumbers = func() map[string]vhloPlainType {
	m := map[string]vhloPlainType{}
	for _, p := range vhloPlainTypes {
		m[p.typ.String()] = p
	}
	return m
}()

// builtinFloats are the float types of MLIR that programs may have, with their numbers.
var builtinFloats = map[string]uint64{"bf16": 3, "f16": 4, "f32": 5, "f64": 6, "tf32": 21, "f8E5M2": 22, "f8E4M3": 23,
	"f8E4M3FN": 24, "f8E5M2FNUZ": 25, "f8E4M3FNUZ": 26, "f8E4M3B11FNUZ": 27, "f8E3M4": 28, "f4E2M1FN": 29,
	"f6E2M3FN": 30, "f6E3M2FN": 31, "f8E8M0FNU": 32}
