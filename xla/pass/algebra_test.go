package pass

import (
	"testing"

	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// algebraTypes have each class, small ones and those without infinities or without -0.
var algebraTypes = []shape.ElementType{shape.Pred, shape.S4, shape.S8, shape.S32, shape.S64, shape.U8, shape.U64,
	shape.F8E4M3FN, shape.F8E5M2, shape.F8E4M3FNUZ, shape.F4E2M1FN, shape.F16, shape.BF16, shape.F32, shape.F64, shape.C64}

// algebraArgument has every special value of type t.
func algebraArgument(t shape.ElementType) *literal.Literal {
	w := literal.ConvertWide(literal.Wide{Class: shape.FloatClass, F: specials}, shape.F64, t)
	return literal.FromWide(shape.Array(t, int64(len(specials))), w)
}

// checkAlgebra simplifies the program that build makes of x, a vector, and compares the results on special values:
// the bits must be the same but for what tol allows. Programs that the ops refuse are left out; it reports those that
// a rule changed.
func checkAlgebra(t *testing.T, p Pass, et shape.ElementType, tol literal.Tolerance,
	build func(g *generator, x *hlo.Instruction) *hlo.Instruction) bool {
	t.Helper()
	arg := algebraArgument(et)
	g := &generator{}
	x := g.try(hlo.Parameter, &hlo.ParameterAttrs{}, arg.Shape())
	root := build(g, x)
	if root == nil {
		return false
	}
	c, err := hlo.NewComputation("e", g.list, root)
	if err != nil {
		t.Fatal(err)
	}
	before := hlo.NewModule("m", c)
	after, err := Run(t.Context(), before, []Pass{p}, Options{Verify: true})
	if err != nil {
		t.Fatal(err)
	}
	if after == before {
		return false
	}
	results := [2]*literal.Literal{}
	for i, m := range []*hlo.Module{before, after} {
		if results[i], err = hlo.Evaluate(t.Context(), m, []*literal.Literal{arg}, hlo.EvalOptions{}); err != nil {
			t.Fatalf("%v\n%s", err, m.Text())
		}
	}
	if diff := difference(results[1], results[0], tol); diff != "" {
		t.Errorf("%s\nargument %v\nbefore:\n%s\nafter:\n%s", diff, arg, before.Text(), after.Text())
	}
	return true
}

// splat makes an array like x of one value.
func (g *generator) splat(x *hlo.Instruction, v float64) *hlo.Instruction {
	l := literal.ScalarOf(x.Shape.Type, v)
	c := g.try(hlo.Constant, &hlo.ConstantAttrs{Literal: l}, shape.Shape{})
	return g.try(hlo.Broadcast, &hlo.BroadcastAttrs{}, x.Shape, c)
}

// TestAlgebra tries every elementwise op of two operands on x and each special value, both ways round, and on x and x,
// in every type.
func TestAlgebra(t *testing.T) {
	changed := map[string]int{}
	for op := range hlo.NumOps {
		info := op.Info()
		n, _ := info.Arity()
		if info.Traits&hlo.Elementwise == 0 || n != 2 || op == hlo.StochasticConvert {
			continue
		}
		var attrs []hlo.Attrs
		for d := range 6 {
			attrs = append(attrs, &hlo.CompareAttrs{Direction: hlo.Direction(d)})
		}
		if op != hlo.Compare {
			attrs = []hlo.Attrs{nil}
		}
		for _, et := range algebraTypes {
			for _, a := range attrs {
				changed[info.Name] += algebraCases(t, op, a, et)
			}
		}
	}
	t.Logf("programs changed: %v", changed)
	for _, op := range algebraic {
		if n, _ := op.Info().Arity(); n == 2 && changed[op.String()] == 0 {
			t.Errorf("no program with %v was changed", op)
		}
	}
}

func algebraCases(t *testing.T, op hlo.Opcode, a hlo.Attrs, et shape.ElementType) int {
	t.Helper()
	changed := 0
	tol := literal.Tolerance{ULP: op.Info().ULPOf(et)}
	for i := range 2*len(specials) + 1 {
		if checkAlgebra(t, Simplify(), et, tol, func(g *generator, x *hlo.Instruction) *hlo.Instruction {
			y := x
			if i > 0 {
				y = g.splat(x, specials[(i-1)%len(specials)])
			}
			if i > len(specials) {
				x, y = y, x
			}
			return g.try(op, a, shape.Shape{}, x, y)
		}) {
			changed++
		}
	}
	return changed
}

// TestAlgebraOfTwo tries pairs of ops, one after the other, with special values as their second operands.
func TestAlgebraOfTwo(t *testing.T) {
	one := func(g *generator, op hlo.Opcode, x *hlo.Instruction, v float64) *hlo.Instruction {
		switch n, _ := op.Info().Arity(); {
		case x == nil || op == hlo.Power:
			return nil
		case op == hlo.Compare:
			return g.try(op, &hlo.CompareAttrs{Direction: hlo.Lt}, shape.Shape{}, x, g.splat(x, v))
		case n == 1:
			return g.try(op, nil, shape.Shape{}, x)
		case n == 2:
			return g.try(op, nil, shape.Shape{}, x, g.splat(x, v))
		}
		return nil
	}
	few := []shape.ElementType{shape.Pred, shape.S8, shape.U64, shape.F8E4M3FNUZ, shape.F32, shape.C64}
	for _, et := range few {
		for _, first := range algebraic {
			for _, second := range algebraic {
				for i := range specials {
					checkAlgebra(t, Simplify(), et, literal.Tolerance{}, func(g *generator, x *hlo.Instruction) *hlo.Instruction {
						return one(g, second, one(g, first, x, specials[i]), specials[(i+5)%len(specials)])
					})
				}
			}
		}
	}
}

// TestConversions converts from type to type to type: where one conversion stands for two, the values are the same.
func TestConversions(t *testing.T) {
	joined := 0
	for _, from := range algebraTypes {
		for _, through := range algebraTypes {
			for _, to := range algebraTypes {
				if checkAlgebra(t, Simplify(), from, literal.Tolerance{}, func(g *generator, x *hlo.Instruction) *hlo.Instruction {
					y := g.try(hlo.Convert, nil, x.Shape.WithType(through), x)
					return g.try(hlo.Convert, nil, x.Shape.WithType(to), y)
				}) {
					joined++
				}
			}
		}
	}
	if joined < 100 {
		t.Errorf("only %d pairs were joined", joined)
	}
	t.Logf("%d pairs became one or none", joined)
}
