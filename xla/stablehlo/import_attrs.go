package stablehlo

import (
	"errors"
	"strings"

	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/shape"
)

// importGeneric imports an op that is a row of HLO's op table and whose attributes are one to one.
func importGeneric(c *ctx, op *Op, code hlo.Opcode) error {
	if len(op.Regions) > 0 {
		return op.Errorf("has %d regions, want none", len(op.Regions))
	}
	var attrs hlo.Attrs
	if code.Info().Attrs != nil {
		var err error
		if attrs, err = attrsOf(op, code, genericAttrs); err != nil {
			return err
		}
	}
	return c.simple(op, code, attrs)
}

// opcodeOf returns the row of HLO's op table for an op that has one.
func opcodeOf(op *Op) hlo.Opcode {
	if code, ok := hlo.OpByMLIR(op.Name); ok && op.Dialect() != "mhlo" {
		return code
	}
	for _, name := range spellings(op.Name) {
		if code, ok := hlo.OpByMLIR(name); ok {
			return code
		}
	}
	panic("stablehlo: bug: no opcode for " + op.Name)
}

// simple imports an op whose operands and results are those of an instruction.
func (c *ctx) simple(op *Op, code hlo.Opcode, attrs hlo.Attrs) error {
	operands, err := c.operands(op)
	if err != nil {
		return err
	}
	told, err := declared(op)
	if err != nil {
		return err
	}
	in, err := c.add(op, code, attrs, told, operands...)
	if err != nil {
		return err
	}
	return c.oneOrTuple(op, in)
}

// genericAttrs makes the attributes of an instruction from those of an op under the names of HLO's op table.
func genericAttrs(op *Op, code hlo.Opcode) (hlo.Attrs, error) {
	a := code.Info().Attrs()
	return a, setAttrs(op, a)
}

// setAttrs sets the fields that have a name in MLIR.
func setAttrs(op *Op, a hlo.Attrs) error {
	for _, f := range a.Fields() {
		if f.MLIR == "" {
			continue
		}
		if op.Attr(f.MLIR) == nil {
			if f.When == hlo.Always {
				return op.Errorf("attribute %s is missing", f.MLIR)
			}
			continue
		}
		if err := setField(op, f.MLIR, f.Ptr); err != nil {
			return err
		}
	}
	return nil
}

// setField sets one field from an attribute.
func setField(op *Op, name string, ptr any) (err error) {
	switch p := ptr.(type) {
	case *bool:
		*p, err = op.Bool(name)
	case *int64:
		*p, err = op.Int(name)
	case *hlo.OneDim:
		var v int64
		v, err = op.Int(name)
		*p = hlo.OneDim(v)
	case *float64:
		*p, err = op.Float(name)
	case *string:
		*p, err = op.Text(name)
	case *[]int64:
		*p, err = op.Ints(name)
	case *[]bool:
		*p, err = op.Bools(name)
	case *hlo.Precision:
		*p, err = precision(op, name)
	case *hlo.Pairs:
		*p, err = pairsOf(op, name)
	case *hlo.ComparisonType:
		err = setComparison(op, name, p)
	case hlo.Value:
		err = setWord(op, name, p)
	default:
		err = errors.New("stablehlo: bug: no way to set " + name)
	}
	return err
}

// setWord sets an enumeration.
func setWord(op *Op, name string, v hlo.Value) error {
	word, err := op.Word(name)
	if err != nil {
		return err
	}
	if err := v.ParseText(word); err != nil {
		return op.Errorf("attribute %s: %v", name, err)
	}
	return nil
}

func setComparison(op *Op, name string, v *hlo.ComparisonType) error {
	if word, err := op.Word(name); err == nil && word == "NOTYPE" {
		return nil
	}
	return setWord(op, name, v)
}

// precision reads [#stablehlo<precision HIGH>, ...].
func precision(op *Op, name string) (hlo.Precision, error) {
	list, ok := op.Attr(name).(ArrayAttr)
	if !ok {
		return nil, op.wrong(name, "a list of precisions")
	}
	if len(list) == 0 {
		return nil, nil
	}
	if len(list) > 2 {
		return nil, op.wrong(name, "at most two precisions")
	}
	words := make([]string, len(list))
	for i, a := range list {
		d, ok := a.(*DialectAttr)
		if !ok {
			return nil, op.wrong(name, "a list of precisions")
		}
		words[i] = strings.ToLower(d.Word)
	}
	var p hlo.Precision
	if err := p.ParseText("{" + strings.Join(words, ",") + "}"); err != nil {
		return nil, op.Errorf("attribute %s: %v", name, err)
	}
	return p, nil
}

// matrix returns a list of integers and its two sizes.
func matrix(op *Op, name string) (v []int64, rows, cols int64, err error) {
	if v, err = op.Ints(name); err != nil {
		return nil, 0, 0, err
	}
	d, ok := op.Attr(name).(*DenseAttr)
	switch {
	case !ok && len(v) == 0:
		return nil, 0, 0, nil
	case ok && len(d.Type.Dims) == 2:
		return v, d.Type.Dims[0], d.Type.Dims[1], nil
	case ok && len(v) == 0:
		return nil, 0, 0, nil
	}
	return nil, 0, 0, op.wrong(name, "a matrix of integers")
}

// pairsOf reads a matrix of two columns.
func pairsOf(op *Op, name string) (hlo.Pairs, error) {
	v, rows, cols, err := matrix(op, name)
	if err != nil {
		return nil, err
	}
	if rows > 0 && cols != 2 {
		return nil, op.wrong(name, "a matrix of two columns")
	}
	pairs := make(hlo.Pairs, rows)
	for i := range pairs {
		pairs[i] = [2]int64{v[2*i], v[2*i+1]}
	}
	return pairs, nil
}

// renamed are the keys of dimension numbers that HLO text spells in another way.
var renamed = map[string]string{
	"lhs_batching_dimensions": "lhs_batch_dims", "rhs_batching_dimensions": "rhs_batch_dims",
	"lhs_contracting_dimensions": "lhs_contracting_dims", "rhs_contracting_dimensions": "rhs_contracting_dims",
	"lhs_ragged_dimensions": "lhs_ragged_dims", "rhs_group_dimensions": "rhs_group_dims",
}

// setNumbers sets fields from the keys of dimension numbers, an attribute #stablehlo.kind<key = value>.
func setNumbers(op *Op, name, kind string, a hlo.Attrs) error {
	d, ok := op.Attr(name).(*DialectAttr)
	if !ok || !strings.HasSuffix(d.Name, "."+kind) {
		return op.wrong(name, "#stablehlo."+kind+"<...>")
	}
	fields := map[string]any{}
	for _, f := range a.Fields() {
		fields[f.Name] = f.Ptr
	}
	numbers := &Op{Name: op.Name, Pos: op.attrPos(name), Operands: op.Operands, Attrs: d.Fields}
	for _, kv := range d.Fields {
		key := kv.Name
		if renamed[key] != "" {
			key = renamed[key]
		}
		ptr, ok := fields[key]
		if !ok {
			return op.Errorf("%s: key %s is unknown", name, kv.Name)
		}
		if err := setField(numbers, kv.Name, ptr); err != nil {
			return err
		}
	}
	return nil
}

// noShape is the told shape of instructions whose shape follows from their operands.
var noShape shape.Shape
