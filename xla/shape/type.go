package shape

import (
	"maps"
	"slices"
)

// ElementType is the type of an array's elements, or the kind of a value that is no array.
// The numbers are those of XLA's PrimitiveType.
type ElementType uint8

// The element types, in the order of their numbers.
const (
	Invalid ElementType = iota
	Pred
	S8
	S16
	S32
	S64
	U8
	U16
	U32
	U64
	F16
	F32
	F64
	Tuple
	Opaque
	C64
	BF16
	Token
	C128
	F8E5M2
	F8E4M3FN
	S4
	U4
	F8E4M3B11FNUZ
	F8E5M2FNUZ
	F8E4M3FNUZ
	S2
	U2
	F8E4M3
	F8E3M4
	S1
	U1
	F4E2M1FN
	F8E8M0FNU
	Buffer
	F6E3M2FN
	F6E2M3FN
	NumElementTypes
)

// Class is the wide class in which the reference computes with an element type.
type Class uint8

// The classes. NoClass is the class of tuples, tokens, opaque values and buffers.
const (
	NoClass       Class = iota
	PredClass           // bool
	SignedClass         // int64
	UnsignedClass       // uint64
	FloatClass          // float64
	ComplexClass        // complex128
)

var classNames = [...]string{"no array", "predicate", "signed integer", "unsigned integer", "floating point",
	"complex"}

// String returns the class in words, as error messages use it.
func (c Class) String() string { return classNames[c] }

type typeInfo struct {
	name  string
	mlir  string
	class Class
	bits  int
}

var types = [NumElementTypes]typeInfo{
	Invalid:       {"invalid", "", NoClass, 0},
	Pred:          {"pred", "i1", PredClass, 8},
	S8:            {"s8", "i8", SignedClass, 8},
	S16:           {"s16", "i16", SignedClass, 16},
	S32:           {"s32", "i32", SignedClass, 32},
	S64:           {"s64", "i64", SignedClass, 64},
	U8:            {"u8", "ui8", UnsignedClass, 8},
	U16:           {"u16", "ui16", UnsignedClass, 16},
	U32:           {"u32", "ui32", UnsignedClass, 32},
	U64:           {"u64", "ui64", UnsignedClass, 64},
	F16:           {"f16", "f16", FloatClass, 16},
	F32:           {"f32", "f32", FloatClass, 32},
	F64:           {"f64", "f64", FloatClass, 64},
	Tuple:         {"tuple", "tuple", NoClass, 0},
	Opaque:        {"opaque", "", NoClass, 0},
	C64:           {"c64", "complex<f32>", ComplexClass, 64},
	BF16:          {"bf16", "bf16", FloatClass, 16},
	Token:         {"token", "!stablehlo.token", NoClass, 0},
	C128:          {"c128", "complex<f64>", ComplexClass, 128},
	F8E5M2:        {"f8e5m2", "f8E5M2", FloatClass, 8},
	F8E4M3FN:      {"f8e4m3fn", "f8E4M3FN", FloatClass, 8},
	S4:            {"s4", "i4", SignedClass, 4},
	U4:            {"u4", "ui4", UnsignedClass, 4},
	F8E4M3B11FNUZ: {"f8e4m3b11fnuz", "f8E4M3B11FNUZ", FloatClass, 8},
	F8E5M2FNUZ:    {"f8e5m2fnuz", "f8E5M2FNUZ", FloatClass, 8},
	F8E4M3FNUZ:    {"f8e4m3fnuz", "f8E4M3FNUZ", FloatClass, 8},
	S2:            {"s2", "i2", SignedClass, 2},
	U2:            {"u2", "ui2", UnsignedClass, 2},
	F8E4M3:        {"f8e4m3", "f8E4M3", FloatClass, 8},
	F8E3M4:        {"f8e3m4", "f8E3M4", FloatClass, 8},
	S1:            {"s1", "", SignedClass, 1},
	U1:            {"u1", "", UnsignedClass, 1},
	F4E2M1FN:      {"f4e2m1fn", "f4E2M1FN", FloatClass, 4},
	F8E8M0FNU:     {"f8e8m0fnu", "f8E8M0FNU", FloatClass, 8},
	Buffer:        {"b", "", NoClass, 0},
	F6E3M2FN:      {"f6e3m2fn", "f6E3M2FN", FloatClass, 6},
	F6E2M3FN:      {"f6e2m3fn", "f6E2M3FN", FloatClass, 6},
}

// String returns the type's name in HLO text: "f32", "pred", "f8e4m3fn".
func (t ElementType) String() string { return types[t].name }

// MLIR returns the type's name in MLIR text: "f32", "i1", "ui8"; "" if MLIR has none.
func (t ElementType) MLIR() string { return types[t].mlir }

// Class returns the wide class of t.
func (t ElementType) Class() Class { return types[t].class }

// Bits returns the width of an element in bits: 8 for Pred, 4 for S4, 128 for C128, 0 for what is no array.
func (t ElementType) Bits() int { return types[t].bits }

// Bytes returns the bytes an element takes in a literal: types narrower than a byte take a whole one.
func (t ElementType) Bytes() int { return (types[t].bits + 7) / 8 }

// IsArray reports whether t is the element type of an array.
func (t ElementType) IsArray() bool { return types[t].class != NoClass }

// IsFloat reports whether t is a floating-point type, complex types not counted.
func (t ElementType) IsFloat() bool { return types[t].class == FloatClass }

// IsComplex reports whether t is C64 or C128.
func (t ElementType) IsComplex() bool { return types[t].class == ComplexClass }

// IsSigned reports whether t is a signed integer type.
func (t ElementType) IsSigned() bool { return types[t].class == SignedClass }

// IsUnsigned reports whether t is an unsigned integer type.
func (t ElementType) IsUnsigned() bool { return types[t].class == UnsignedClass }

// IsInteger reports whether t is a signed or unsigned integer type; Pred is neither.
func (t ElementType) IsInteger() bool { return t.IsSigned() || t.IsUnsigned() }

// Component returns the type of a complex type's parts, and t itself otherwise.
func (t ElementType) Component() ElementType {
	switch t {
	case C64:
		return F32
	case C128:
		return F64
	}
	return t
}

var byName, byMLIR = func() (map[string]ElementType, map[string]ElementType) {
	n, m := map[string]ElementType{}, map[string]ElementType{}
	for i, t := range types {
		n[t.name] = ElementType(i)
		if t.mlir != "" {
			m[t.mlir] = ElementType(i)
		}
	}
	return n, m
}()

// names are what HLO text calls the types that may stand there alone.
func names() []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(byName)), func(name string) bool {
		return name == "invalid" || name == "tuple"
	})
}

// TypeByName returns the type that HLO text calls name, and whether there is one.
func TypeByName(name string) (ElementType, bool) { t, ok := byName[name]; return t, ok }

// TypeByMLIR returns the type that MLIR text calls name, and whether there is one.
func TypeByMLIR(name string) (ElementType, bool) { t, ok := byMLIR[name]; return t, ok }
