package hlo

import (
	"go/ast"
	goparser "go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/halo-xla/halo/xla/shape"
)

// TestEveryBuilderMethodIsTested wants every builder method in a test file: as b.Method or (*Builder).Method.
func TestEveryBuilderMethodIsTested(t *testing.T) {
	paths, err := filepath.Glob("*_test.go")
	if err != nil || len(paths) == 0 {
		t.Fatalf("got test files %v, %v", paths, err)
	}
	mentioned := map[string]bool{}
	for _, path := range paths {
		f, err := goparser.ParseFile(token.NewFileSet(), path, nil, goparser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(f, func(n ast.Node) bool {
			if s, ok := n.(*ast.SelectorExpr); ok && isBuilder(s.X) {
				mentioned[s.Sel.Name] = true
			}
			return true
		})
	}
	methods := reflect.TypeFor[*Builder]()
	for i := range methods.NumMethod() {
		if name := methods.Method(i).Name; !mentioned[name] {
			t.Errorf("no test calls Builder.%s", name)
		}
	}
}

// isBuilder reports whether x is b or (*Builder).
func isBuilder(x ast.Expr) bool {
	if p, ok := x.(*ast.ParenExpr); ok {
		if star, ok := p.X.(*ast.StarExpr); ok {
			x = star.X
		}
	}
	name, ok := x.(*ast.Ident)
	return ok && (name.Name == "b" || name.Name == "Builder")
}

// accurate are the methods that take a ResultAccuracy, with an argument and the result for it.
var accurate = []struct {
	name string
	f    func(b *Builder, operand *Instruction, accuracy ...ResultAccuracy) *Instruction
	x    float64
	want float64
}{
	{"Cbrt", (*Builder).Cbrt, -27, -3},
	{"Cos", (*Builder).Cos, 1, 0.5403023058681398},
	{"Cosh", (*Builder).Cosh, 1, 1.5430806348152437},
	{"Erf", (*Builder).Erf, 1, 0.8427007929497149},
	{"Exp", (*Builder).Exp, 1, 2.718281828459045},
	{"Expm1", (*Builder).Expm1, 1, 1.718281828459045},
	{"Log", (*Builder).Log, 2, 0.6931471805599453},
	{"Log1p", (*Builder).Log1p, 1, 0.6931471805599453},
	{"Logistic", (*Builder).Logistic, 1, 0.7310585786300049},
	{"Rsqrt", (*Builder).Rsqrt, 16, 0.25},
	{"Sin", (*Builder).Sin, 1, 0.8414709848078965},
	{"Sqrt", (*Builder).Sqrt, 2, 1.4142135623730951},
	{"Tan", (*Builder).Tan, 1, 1.5574077246549023},
	{"Tanh", (*Builder).Tanh, 1, 0.7615941559557649},
}

func TestBuilderResultAccuracy(t *testing.T) {
	for _, c := range accurate {
		var asked, plain *Instruction
		got := evalBuilt(t, func(b *Builder) *Instruction {
			x := ConstantR0(b, c.x)
			plain, asked = c.f(b, x), c.f(b, x, ResultAccuracy{ULPs: 3})
			return b.Tuple(plain, asked, c.f(b, x, ResultAccuracy{Mode: "highest"}))
		})
		for _, l := range got.Elems() {
			checkULPs(t, c.name, elems[float64](t, l)[0], c.want)
		}
		const want = "{tolerance={atol=0,rtol=0,ulps=3}}"
		if plain.Common != nil || string(asked.Common.ResultAccuracy) != want {
			t.Errorf("%s: got attributes %v and %v, want none and %s", c.name, plain.Common, asked.Common, want)
		}
	}
}

func TestBuilderUnary(t *testing.T) {
	for _, c := range []struct {
		name string
		f    func(b *Builder, operand *Instruction) *Instruction
		x    float64
		want float64
	}{
		{"Abs", (*Builder).Abs, -2, 2},
		{"Acos", (*Builder).Acos, 0.5, 1.0471975511965979},
		{"Acosh", (*Builder).Acosh, 2, 1.3169578969248166},
		{"Asin", (*Builder).Asin, 0.5, 0.5235987755982989},
		{"Asinh", (*Builder).Asinh, 1, 0.881373587019543},
		{"Atan", (*Builder).Atan, 1, 0.7853981633974483},
		{"Atanh", (*Builder).Atanh, 0.5, 0.5493061443340548},
		{"Ceil", (*Builder).Ceil, -1.5, -1},
		{"Floor", (*Builder).Floor, -1.5, -2},
		{"Imag", (*Builder).Imag, 3, 0},
		{"Neg", (*Builder).Neg, 3, -3},
		{"Real", (*Builder).Real, 3, 3},
		{"Reciprocal", (*Builder).Reciprocal, 4, 0.25},
		{"Round", (*Builder).Round, 2.5, 3},
		{"RoundNearestAfz", (*Builder).RoundNearestAfz, -2.5, -3},
		{"RoundNearestEven", (*Builder).RoundNearestEven, 2.5, 2},
		{"Sign", (*Builder).Sign, -7, -1},
		{"Sinh", (*Builder).Sinh, 1, 1.1752011936438014},
		{"Square", (*Builder).Square, -3, 9},
	} {
		got := evalBuilt(t, func(b *Builder) *Instruction { return c.f(b, ConstantR0(b, c.x)) })
		checkULPs(t, c.name, elems[float64](t, got)[0], c.want)
	}
}

func TestBuilderIntegers(t *testing.T) {
	const x, y = -7, 3 // 0b11111001 and 0b00000011
	for _, c := range []struct {
		name string
		f    func(b *Builder, lhs, rhs *Instruction, broadcastDimensions ...int64) *Instruction
		want int8
	}{
		{"Add", (*Builder).Add, -4},
		{"Sub", (*Builder).Sub, -10},
		{"Mul", (*Builder).Mul, -21},
		{"Mulhi", (*Builder).Mulhi, -1},
		{"Div", (*Builder).Div, -2},
		{"Rem", (*Builder).Rem, -1},
		{"Pow", (*Builder).Pow, -87}, // -343
		{"Max", (*Builder).Max, 3},
		{"Min", (*Builder).Min, -7},
		{"And", (*Builder).And, 1},
		{"LogicalAnd", (*Builder).LogicalAnd, 1},
		{"Or", (*Builder).Or, -5},
		{"LogicalOr", (*Builder).LogicalOr, -5},
		{"Xor", (*Builder).Xor, -6},
		{"ShiftLeft", (*Builder).ShiftLeft, -56},
		{"ShiftRightArithmetic", (*Builder).ShiftRightArithmetic, -1},
		{"ShiftRightLogical", (*Builder).ShiftRightLogical, 31},
	} {
		got := evalBuilt(t, func(b *Builder) *Instruction {
			return c.f(b, ConstantR2(b, []int8{x, x}, []int8{0, x}), ConstantR1[int8](b, y, y), 0)
		})
		if l := elems[int8](t, got); len(l) != 4 || l[0] != c.want || l[1] != c.want || l[3] != c.want {
			t.Errorf("%s: got %v, want %d but in place 2", c.name, l, c.want)
		}
	}
	got := evalBuilt(t, func(b *Builder) *Instruction {
		v := ConstantR0[int8](b, x)
		return b.Tuple(b.Not(v), b.LogicalNot(v), b.PopulationCount(v), b.Clz(b.Not(v)))
	})
	for i, want := range []int8{6, 6, 6, 5} {
		wantElems(t, "of -7", got.Elems()[i], want)
	}
}

// TestBuilderComparisons: row 2 of the operands are zeros of both signs, row 3 NaN of the same bits.
func TestBuilderComparisons(t *testing.T) {
	for _, c := range []struct {
		name string
		f    func(b *Builder, lhs, rhs *Instruction, broadcastDimensions ...int64) *Instruction
		want []bool
	}{
		{"Eq", (*Builder).Eq, []bool{false, true, true, false}},
		{"Ne", (*Builder).Ne, []bool{true, false, false, true}},
		{"Ge", (*Builder).Ge, []bool{false, true, true, false}},
		{"Gt", (*Builder).Gt, []bool{false, false, false, false}},
		{"Le", (*Builder).Le, []bool{true, true, true, false}},
		{"Lt", (*Builder).Lt, []bool{true, false, false, false}},
		{"EqTotalOrder", (*Builder).EqTotalOrder, []bool{false, true, false, true}},
		{"NeTotalOrder", (*Builder).NeTotalOrder, []bool{true, false, true, false}},
		{"GeTotalOrder", (*Builder).GeTotalOrder, []bool{false, true, false, true}},
		{"GtTotalOrder", (*Builder).GtTotalOrder, []bool{false, false, false, false}},
		{"LeTotalOrder", (*Builder).LeTotalOrder, []bool{true, true, true, true}},
		{"LtTotalOrder", (*Builder).LtTotalOrder, []bool{true, false, true, false}},
	} {
		got := evalBuilt(t, func(b *Builder) *Instruction {
			x := b.ConstantLiteral(floatsOf(shape.F32, 1, 2, negZero, nan))
			return c.f(b, x, b.ConstantLiteral(floatsOf(shape.F32, 2, 2, 0, nan)))
		})
		wantElems(t, c.name, got, c.want...)
	}
}
