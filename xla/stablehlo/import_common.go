package stablehlo

import (
	"fmt"
	"slices"
	"strings"

	"github.com/halo-xla/halo/xla/hlo"
)

// spellings returns the names under which an op may have a row: its own, and that of the dialects MHLO was
// taken from.
func spellings(name string) []string {
	rest, ok := strings.CutPrefix(name, "mhlo.")
	if !ok {
		return []string{name}
	}
	return []string{"stablehlo." + rest, name, "chlo." + rest}
}

// usesQuantised reports whether an operand or result is quantised.
func usesQuantised(op *Op) bool {
	for _, list := range [...][]*Value{op.Operands, op.Results} {
		for _, v := range list {
			if quantised(v.Type) {
				return true
			}
		}
	}
	return false
}

// common sets the attributes that any instruction may have.
func (c *ctx) common(op *Op, in *hlo.Instruction) error {
	if k := op.shared(); k != nil && k.row != nil && k.bare || !slices.ContainsFunc(op.Attrs, isCommon) {
		return nil
	}
	var common hlo.Common
	for _, a := range op.Attrs {
		var text string
		var err error
		switch a.Name {
		case "mhlo.sharding":
			if s, ok := a.Value.(StringAttr); ok {
				common.Sharding = hlo.Raw(s)
			}
		case "mhlo.frontend_attributes":
			common.Frontend, err = c.im.frontend(op, a.Value, common.Frontend)
		case "backend_config", "mhlo.backend_config":
			err = c.setBackendConfig(op, &common, a.Value)
		case "error_message", "rng_algorithm", "mhlo.attributes": // what some custom calls say besides
			if in.Op != hlo.CustomCall {
				continue
			}
			if text, err = c.im.plainText(op, a.Value); err == nil {
				common.Frontend, err = c.im.withEntry(op, common.Frontend, a.Name, text)
			}
		case sizeOperands:
			if v, ok := intsOf(a.Value); ok && in.Op == hlo.CustomCall {
				common.Frontend, err = c.im.withEntry(op, common.Frontend, a.Name, "["+joinInts(v)+"]")
			}
		case "result_accuracy":
			common.ResultAccuracy, err = accuracy(op)
		case "sdy.sharding":
			if text, err = c.im.text(op, a.Value); err == nil {
				common.Frontend, err = c.im.withEntry(op, common.Frontend, "xla.sdy.sharding", text)
			}
		}
		if err != nil {
			return err
		}
	}
	if common.Sharding == "" && common.Frontend == nil && common.Config == "" && common.ResultAccuracy == "" {
		return nil
	}
	if in.Common != nil {
		common.Metadata = in.Common.Metadata
	}
	in.Common = &common
	return nil
}

// sizeOperands says of a custom call which of its operands are the sizes of its results.
const sizeOperands = "indices_of_shape_operands"

func isCommon(a NamedAttr) bool { return commonNames[a.Name] }

// commonNames are the attributes that common looks at.
var commonNames = map[string]bool{
	"mhlo.sharding": true, "mhlo.frontend_attributes": true, "backend_config": true, "mhlo.backend_config": true,
	"error_message": true, "rng_algorithm": true, "mhlo.attributes": true, sizeOperands: true, "result_accuracy": true,
	"sdy.sharding": true,
}

// accuracy reads #stablehlo.result_accuracy<...> as HLO text has it. Only the mode TOLERANCE has tolerances.
func accuracy(op *Op) (hlo.Raw, error) {
	d, ok := op.Attr("result_accuracy").(*DialectAttr)
	if !ok {
		return "", op.wrong("result_accuracy", "#stablehlo.result_accuracy<...>")
	}
	fields := &Op{Name: op.Name, Pos: op.Pos, Operands: op.Operands, Attrs: d.Fields}
	var tolerance [3]float64
	for i, name := range [...]string{"atol", "rtol", "ulps"} {
		if fields.Attr(name) == nil {
			continue
		}
		var err error
		if tolerance[i], err = fields.Float(name); err != nil {
			return "", err
		}
		if tolerance[i] < 0 {
			return "", op.wrong("result_accuracy", "tolerances that are not negative")
		}
	}
	mode := "DEFAULT"
	if m, ok := d.Fields.Lookup("mode").(*DialectAttr); ok {
		mode = m.Word
	}
	if mode != "TOLERANCE" {
		if tolerance != [3]float64{} {
			return "", op.wrong("result_accuracy", "no tolerances unless its mode is TOLERANCE")
		}
		if mode == "DEFAULT" {
			return "", nil
		}
		return "{mode=highest}", nil
	}
	return hlo.Raw(fmt.Sprintf("{tolerance={atol=%v,rtol=%v,ulps=%v}}", tolerance[0], tolerance[1], tolerance[2])), nil
}

// setBackendConfig keeps a dictionary if there is one, else a string that is not empty.
func (c *ctx) setBackendConfig(op *Op, common *hlo.Common, a Attr) (err error) {
	switch a := a.(type) {
	case DictAttr:
		common.Config, err = c.im.text(op, a)
		common.Dictionary = true
	case StringAttr:
		if !common.Dictionary && a != "" {
			common.Config = string(a)
		}
	}
	return err
}

// metadata returns the attributes of an instruction that has only a place in its producer's source; nil without one,
// and when the places of the program take too much: the program means the same without them.
func (im *importer) metadata(l *Location) *hlo.Common {
	if l == nil || l.Kind == LocUnknown {
		return nil
	}
	if !l.made && im.placeBytes <= maxText {
		text := describedBy(l)
		if im.placeBytes += len(text); text != "" && im.placeBytes <= maxText {
			l.as = &hlo.Common{Metadata: text}
		}
	}
	l.made = true
	return l.as
}

// describedBy is what a location says as metadata of HLO; "" if that is nothing.
func describedBy(l *Location) hlo.Raw {
	var name, file string
	line := 0
	describe(l, &name, &file, &line, 0)
	var parts []string
	if name != "" {
		parts = append(parts, fmt.Sprintf("op_name=%q", name))
	}
	if file != "" {
		parts = append(parts, fmt.Sprintf("source_file=%q source_line=%d", file, line))
	}
	if parts == nil {
		return ""
	}
	return hlo.Raw("{" + strings.Join(parts, " ") + "}")
}

// describe finds the first name and the first file of a location.
func describe(l *Location, name, file *string, line *int, depth int) {
	if depth > 16 {
		return
	}
	switch l.Kind {
	case LocName:
		if *name == "" {
			*name = l.Name
		}
	case LocFile:
		if *file == "" {
			*file, *line = l.File, l.Line
		}
	}
	for _, c := range l.Children {
		if *name != "" && *file != "" {
			return
		}
		describe(c, name, file, line, depth+1)
	}
}
