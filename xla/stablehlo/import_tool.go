package stablehlo

import (
	"strings"

	"github.com/halo-xla/halo/xla/hlo"
)

// toolImports are the ops of the dialects check and interpreter, which programs use to test themselves. Each
// becomes a custom call whose target is the op's name and whose backend_config is the dictionary of its
// attributes.
var toolImports = map[string]importFunc{
	"check.expect_almost_eq":       importCheck,
	"check.expect_almost_eq_const": importCheck,
	"check.expect_close":           importCheck,
	"check.expect_eq":              importCheck,
	"check.expect_eq_const":        importCheck,
	"check.expect_serialized_eq":   importCheck,
	"interpreter.print":            importCheck,
	"interpreter.probe":            importCheck,
	"interpreter.run_parallel":     importRunParallel,
}

// toolDefaults are the attributes that an op has when its text does not say them.
var toolDefaults = map[string]DictAttr{
	"check.expect_almost_eq":     {{Name: "tolerance", Value: FloatAttr{"1.0e-4", FloatType{"f64"}}}},
	"check.expect_close":         {intDefault("max_ulp_difference", "1"), intDefault("min_ulp_difference", "0")},
	"check.expect_serialized_eq": {intDefault("iter", "0")},
}

func intDefault(name, value string) NamedAttr {
	return NamedAttr{Name: name, Value: IntAttr{value, IntType{Width: 64}}}
}

// importCheck imports an op as a custom call. A constant among its attributes becomes the last operand, so that
// the call has the values got and wanted.
func importCheck(c *ctx, op *Op) error {
	target := strings.TrimSuffix(op.Name, "_const")
	operands, err := c.operands(op)
	if err != nil {
		return err
	}
	config := DictAttr{}
	for _, a := range op.Attrs {
		value, dense := a.Value.(*DenseAttr)
		if a.Name != "value" || !dense {
			config = append(config, NamedAttr{Name: a.Name, Value: a.Value})
			continue
		}
		in, err := c.denseConstant(op, value)
		if err != nil {
			return err
		}
		operands = append(operands, in)
	}
	for _, d := range toolDefaults[target] {
		if config.Lookup(d.Name) == nil {
			config = append(config, d)
		}
	}
	if err := checkOperands(op, target, operands); err != nil {
		return err
	}
	return c.toolCall(op, &hlo.CustomCallAttrs{Target: target}, config, operands)
}

// checkOperands wants the two values of a comparison to have one shape.
func checkOperands(op *Op, target string, operands []*hlo.Instruction) error {
	want := 2
	if target == "check.expect_serialized_eq" || strings.HasPrefix(target, "interpreter.") {
		want = 1
	}
	if len(operands) != want {
		return op.Errorf("has %d operands, want %d", len(operands), want)
	}
	if want == 2 && !refines(operands[0].Shape, operands[1].Shape) {
		return op.Errorf("compares %s and %s", operands[0].Shape, operands[1].Shape)
	}
	return nil
}

// toolCall makes the custom call of an op.
func (c *ctx) toolCall(op *Op, a *hlo.CustomCallAttrs, config DictAttr, operands []*hlo.Instruction) error {
	a.HasSideEffect, a.APIVersion = true, hlo.APITypedFFI
	told, err := declared(op)
	if err != nil {
		return err
	}
	in, err := c.add(op, hlo.CustomCall, a, told, operands...)
	if err != nil {
		return err
	}
	if err := c.oneOrTuple(op, in); err != nil {
		return err
	}
	common := hlo.Common{}
	if in.Common != nil {
		common = *in.Common
	}
	if common.Config, err = c.im.text(op, config); err != nil {
		return err
	}
	common.Dictionary = true
	in.Common = &common
	return nil
}

// importRunParallel imports interpreter.run_parallel, which runs functions on the devices of a grid. The called
// computations are the programs, replica by replica, and then those that give infeeds.
func importRunParallel(c *ctx, op *Op) error {
	programs, ok := op.Attr("programs").(ArrayAttr)
	if !ok || len(programs) == 0 {
		return op.wrong("programs", "a list of lists of functions")
	}
	a := &hlo.CustomCallAttrs{Target: op.Name}
	var inputs, results []Type
	width := -1
	for _, row := range programs {
		list, ok := row.(ArrayAttr)
		if !ok || len(list) == 0 || width >= 0 && len(list) != width {
			return op.wrong("programs", "rows of equal length")
		}
		width = len(list)
		for _, p := range list {
			comp, err := c.functionOf(op, p)
			if err != nil {
				return err
			}
			t := c.im.functions[p.(SymbolAttr).name()].typ
			inputs, results = append(inputs, t.Inputs...), append(results, t.Results...)
			a.CalledComputations = append(a.CalledComputations, comp)
		}
	}
	if err := sameTypes(op, FuncType{inputs, results}); err != nil {
		return err
	}
	if err := c.infeeds(op, a); err != nil {
		return err
	}
	operands, err := c.operands(op)
	if err != nil {
		return err
	}
	config := DictAttr{{Name: "programs", Value: programs}}
	if infeed := op.Attr("infeed"); infeed != nil {
		config = append(config, NamedAttr{Name: "infeed", Value: infeed})
	}
	return c.toolCall(op, a, config, operands)
}

// infeeds adds the functions that give infeeds.
func (c *ctx) infeeds(op *Op, a *hlo.CustomCallAttrs) error {
	infeed := op.Attr("infeed")
	if infeed == nil {
		return nil
	}
	list, ok := infeed.(ArrayAttr)
	if !ok || len(list) == 0 {
		return op.wrong("infeed", "a list of functions")
	}
	for _, f := range list {
		comp, err := c.functionOf(op, f)
		if err != nil {
			return err
		}
		if len(comp.Parameters) != 0 {
			return op.Errorf("infeed function %s takes arguments", AttrString(f))
		}
		a.CalledComputations = append(a.CalledComputations, comp)
	}
	return nil
}
