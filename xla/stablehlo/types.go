package stablehlo

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Dynamic stands for a dimension or bound written "?".
const Dynamic int64 = -1

// Type is the type of a value: one of the types of this file. String returns it as MLIR writes it.
type Type interface {
	String() string
}

// TensorType is tensor<2x?xf32>.
type TensorType struct {
	Dims     []int64 // sizes, Dynamic for "?"
	Unranked bool    // tensor<*xf32>
	Elem     Type
	Bounds   []int64 // of #stablehlo.bounds, one a dimension, Dynamic for "?"; nil without
	Encoding Attr    // any other encoding; nil without
	known    *typeShape
}

// Signedness says how an integer type is written.
type Signedness uint8

// The kinds of integer types: i32, si32, ui32.
const (
	Signless Signedness = iota
	Signed
	Unsigned
)

// IntType is an integer type of Width bits.
type IntType struct {
	Width int
	Sign  Signedness
}

// FloatType is a floating-point type by its MLIR name: "f32", "bf16", "f8E4M3FN".
type FloatType struct{ Name string }

// IndexType is index.
type IndexType struct{}

// NoneType is none.
type NoneType struct{}

// ComplexType is complex<f32>.
type ComplexType struct{ Elem Type }

// TupleType is tuple<...>.
type TupleType struct {
	Elems []Type
	known *tupleShape
}

// TokenType is !stablehlo.token.
type TokenType struct{}

// FutureType is !stablehlo.future<...>, what an asynchronous op returns.
type FutureType struct{ Elems []Type }

// FuncType is (A, B) -> (C).
type FuncType struct{ Inputs, Results []Type }

// OpaqueType is a type of a dialect this package knows nothing about, kept as written.
type OpaqueType struct{ Text string }

// QuantType is !quant.uniform<storage<min:max>:expressed:axes, parameters>.
//
// Without axes it has one scale and zero point. With one axis and no block sizes, one for each index of that
// axis. With block sizes, one for each block, in row-major order over ParamDims.
type QuantType struct {
	Storage    IntType
	Min, Max   int64
	HasRange   bool // Min and Max were written
	Expressed  Type
	Axes       []int64
	Blocks     []int64 // block size along each axis; nil for quantisation per axis
	ParamDims  []int64 // sizes of the nested parameter list; nil without axes
	Scales     []float64
	ZeroPoints []int64
}

var signs = [...]string{Signless: "i", Signed: "si", Unsigned: "ui"}

// String returns the type as MLIR writes it.
func (t IntType) String() string { return signs[t.Sign] + strconv.Itoa(t.Width) }

// String returns the type as MLIR writes it.
func (t FloatType) String() string { return t.Name }

// String returns the type as MLIR writes it.
func (IndexType) String() string { return "index" }

// String returns the type as MLIR writes it.
func (NoneType) String() string { return "none" }

// String returns the type as MLIR writes it.
func (TokenType) String() string { return "!stablehlo.token" }

// String returns the type as MLIR writes it.
func (t OpaqueType) String() string { return t.Text }

// String returns the type as MLIR writes it.
func (t ComplexType) String() string {
	return "complex<" + t.Elem.String() + ">"
}

// String returns the type as MLIR writes it.
func (t TupleType) String() string { return "tuple<" + joinTypes(t.Elems) + ">" }

// String returns the type as MLIR writes it.
func (t FutureType) String() string { return "!stablehlo.future<" + joinTypes(t.Elems) + ">" }

// String returns the type as MLIR writes it.
func (t FuncType) String() string {
	results := "(" + joinTypes(t.Results) + ")"
	if len(t.Results) == 1 {
		if _, isFunc := t.Results[0].(FuncType); !isFunc {
			results = t.Results[0].String()
		}
	}
	return "(" + joinTypes(t.Inputs) + ") -> " + results
}

// String returns the type as MLIR writes it.
func (t *TensorType) String() string {
	var b strings.Builder
	b.WriteString("tensor<")
	if t.Unranked {
		b.WriteString("*x")
	}
	for _, d := range t.Dims {
		b.WriteString(dimString(d) + "x")
	}
	b.WriteString(t.Elem.String())
	if t.Bounds != nil {
		b.WriteString(", #stablehlo.bounds<" + joinDims(t.Bounds) + ">")
	} else if t.Encoding != nil {
		b.WriteString(", " + AttrString(t.Encoding))
	}
	b.WriteByte('>')
	return b.String()
}

// String returns the type as MLIR writes it.
func (t *QuantType) String() string {
	var b strings.Builder
	b.WriteString("!quant.uniform<" + t.Storage.String())
	if t.HasRange {
		fmt.Fprintf(&b, "<%d:%d>", t.Min, t.Max)
	}
	b.WriteString(":" + t.Expressed.String())
	b.WriteString(t.axesString() + ", ")
	next := 0
	t.writeParams(&b, t.ParamDims, &next)
	b.WriteByte('>')
	return b.String()
}

func (t *QuantType) axesString() string {
	if t.Blocks == nil {
		if len(t.Axes) == 0 {
			return ""
		}
		return ":" + strconv.FormatInt(t.Axes[0], 10)
	}
	parts := make([]string, len(t.Axes))
	for i, a := range t.Axes {
		parts[i] = fmt.Sprintf("%d:%d", a, t.Blocks[i])
	}
	return ":{" + strings.Join(parts, ", ") + "}"
}

func (t *QuantType) writeParams(b *strings.Builder, dims []int64, next *int) {
	if len(dims) == 0 {
		b.WriteString(strconv.FormatFloat(t.Scales[*next], 'g', -1, 64))
		if z := t.ZeroPoints[*next]; z != 0 {
			fmt.Fprintf(b, ":%d", z)
		}
		*next++
		return
	}
	b.WriteByte('{')
	for i := int64(0); i < dims[0]; i++ {
		if i > 0 {
			b.WriteString(", ")
		}
		t.writeParams(b, dims[1:], next)
	}
	b.WriteByte('}')
}

func joinTypes(types []Type) string {
	parts := make([]string, len(types))
	for i, t := range types {
		parts[i] = t.String()
	}
	return strings.Join(parts, ", ")
}

func dimString(d int64) string {
	if d == Dynamic {
		return "?"
	}
	return strconv.FormatInt(d, 10)
}

func joinDims(dims []int64) string {
	parts := make([]string, len(dims))
	for i, d := range dims {
		parts[i] = dimString(d)
	}
	return strings.Join(parts, ", ")
}

// TypesEqual reports whether two types are the same.
func TypesEqual(a, b Type) bool {
	switch a := a.(type) {
	case *TensorType:
		b, ok := b.(*TensorType)
		return ok && (a == b || a.Unranked == b.Unranked && slices.Equal(a.Dims, b.Dims) &&
			slices.Equal(a.Bounds, b.Bounds) && TypesEqual(a.Elem, b.Elem) && AttrString(a.Encoding) == AttrString(b.Encoding))
	case TupleType:
		b, ok := b.(TupleType)
		return ok && listsEqual(a.Elems, b.Elems)
	case FutureType:
		b, ok := b.(FutureType)
		return ok && listsEqual(a.Elems, b.Elems)
	case FuncType:
		b, ok := b.(FuncType)
		return ok && listsEqual(a.Inputs, b.Inputs) && listsEqual(a.Results, b.Results)
	case ComplexType:
		b, ok := b.(ComplexType)
		return ok && TypesEqual(a.Elem, b.Elem)
	}
	return a.String() == b.String() // of types without parts
}

// listsEqual is TypesEqual for lists. A file may write one of very many parts once and name it often.
func listsEqual(a, b []Type) bool { return oneList(a, b) || slices.EqualFunc(a, b, TypesEqual) }
