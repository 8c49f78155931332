package stablehlo

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// exportType returns the type of a value that is no tuple.
func exportType(s shape.Shape) (Type, error) {
	if s.IsToken() {
		return TokenType{}, nil
	}
	elem := exportElement(s.Type)
	if elem == nil {
		return nil, fmt.Errorf("type %v has no MLIR type: %w", s, errors.ErrUnsupported)
	}
	t := &TensorType{Elem: elem, Dims: make([]int64, len(s.Dims))}
	for d, n := range s.Dims {
		t.Dims[d] = n
		if !s.IsDynamicDim(d) {
			continue
		}
		t.Dims[d] = Dynamic
		if n != shape.Unbounded {
			if t.Bounds == nil {
				t.Bounds = make([]int64, len(s.Dims))
				for i := range t.Bounds {
					t.Bounds[i] = Dynamic
				}
			}
			t.Bounds[d] = n
		}
	}
	return t, nil
}

// exportElement returns the type of an array's elements, nil if MLIR has none.
func exportElement(e shape.ElementType) Type {
	switch {
	case !e.IsArray() || e.MLIR() == "":
		return nil
	case e == shape.Pred:
		return IntType{Width: 1}
	case e.IsSigned():
		return IntType{Width: e.Bits()}
	case e.IsUnsigned():
		return IntType{Width: e.Bits(), Sign: Unsigned}
	case e.IsComplex():
		return ComplexType{FloatType{e.Component().MLIR()}}
	}
	return FloatType{e.MLIR()}
}

func number64(n int64) IntAttr { return IntAttr{strconv.FormatInt(n, 10), IntType{Width: 64}} }

func number32(n int64) IntAttr { return IntAttr{strconv.FormatInt(n, 10), IntType{Width: 32}} }

func numbers(v []int64) DenseArrayAttr {
	a := DenseArrayAttr{Elem: IntType{Width: 64}}
	for _, n := range v {
		a.Elems = append(a.Elems, strconv.FormatInt(n, 10))
	}
	return a
}

func flags(v []bool) DenseArrayAttr {
	a := DenseArrayAttr{Elem: IntType{Width: 1}}
	for _, f := range v {
		a.Elems = append(a.Elems, strconv.FormatBool(f))
	}
	return a
}

// numberList is [1, 2], as dimension numbers have it.
func numberList(v []int64) ArrayAttr {
	a := ArrayAttr{}
	for _, n := range v {
		a = append(a, number64(n))
	}
	return a
}

// table is a matrix of integers; short rows are filled up with -1.
func table(rows [][]int64) *DenseAttr {
	width := 0
	for _, r := range rows {
		width = max(width, len(r))
	}
	t := &TensorType{Dims: []int64{int64(len(rows)), int64(width)}, Elem: IntType{Width: 64}}
	if width == 0 {
		return &DenseAttr{Kind: DenseList, Type: t}
	}
	lines := make([]string, len(rows))
	for i, r := range rows {
		cells := make([]string, width)
		for j := range cells {
			if cells[j] = "-1"; j < len(r) {
				cells[j] = strconv.FormatInt(r[j], 10)
			}
		}
		lines[i] = "[" + strings.Join(cells, ", ") + "]"
	}
	return &DenseAttr{Kind: DenseList, Text: "[" + strings.Join(lines, ", ") + "]", Dims: t.Dims, Type: t}
}

// pairTable is a matrix of two columns.
func pairTable(n int, f func(i int) (a, b int64)) *DenseAttr {
	rows := make([][]int64, n)
	for i := range rows {
		a, b := f(i)
		rows[i] = []int64{a, b}
	}
	t := table(rows)
	t.Type.Dims[1] = 2
	return t
}

func stringDict(f hlo.FrontendAttributes) DictAttr {
	var d DictAttr
	for _, kv := range f {
		d = append(d, NamedAttr{Name: kv.Key, Value: StringAttr(kv.Value)})
	}
	return d
}

func symbolOf(name string) SymbolAttr { return SymbolAttr{Path: []string{name}} }

func named(name string, a Attr) NamedAttr { return NamedAttr{Name: name, Value: a} }

// word is a word of an enumeration.
func word(enum, w string) *DialectAttr { return &DialectAttr{Name: "stablehlo." + enum, Word: w} }

// ownAttrs are the frontend attributes that are attributes of their own in custom calls of StableHLO.
var ownAttrs = map[string]func(text string) []NamedAttr{
	"error_message": func(text string) []NamedAttr { return []NamedAttr{named("error_message", StringAttr(text))} },
	"rng_algorithm": func(text string) []NamedAttr { return []NamedAttr{named("rng_algorithm", OpaqueAttr(text))} },
	sizeOperands:    sizeOperandsAttr,
	"mhlo.attributes": func(text string) []NamedAttr {
		d, ok := dictionary(text)
		if !ok {
			return []NamedAttr{named("mhlo.attributes", StringAttr(text))}
		}
		return []NamedAttr{named("mhlo.attributes", d), named("mhlo.version", number64(1))}
	},
}

// sizeOperandsAttr writes a list "[1, 2]"; other text is no attribute.
func sizeOperandsAttr(text string) []NamedAttr {
	var v []int64
	if json.Unmarshal([]byte(text), &v) != nil {
		return nil
	}
	l, err := literal.FromSlice(v, int64(len(v)))
	if err != nil {
		return nil
	}
	d, err := denseOf(l)
	if err != nil {
		return nil
	}
	return []NamedAttr{named(sizeOperands, d)}
}

// commonAttrs are the attributes that any op may have.
func commonAttrs(in *hlo.Instruction) []NamedAttr {
	if in == nil || in.Common == nil {
		return nil
	}
	var attrs []NamedAttr
	c := in.Common
	if c.Sharding != "" {
		attrs = append(attrs, named("mhlo.sharding", StringAttr(c.Sharding)))
	}
	var rest hlo.FrontendAttributes
	for _, kv := range c.Frontend {
		if in.Op == hlo.CustomCall && ownAttrs[kv.Key] != nil {
			attrs = append(attrs, ownAttrs[kv.Key](kv.Value)...)
			continue
		}
		if in.Op != hlo.Call || !strings.HasPrefix(kv.Key, "composite.") {
			rest = append(rest, kv)
		}
	}
	if len(rest) > 0 {
		attrs = append(attrs, named("mhlo.frontend_attributes", stringDict(rest)))
	}
	if a := accuracyAttr(string(c.ResultAccuracy)); a != nil {
		attrs = append(attrs, named("result_accuracy", a))
	}
	return append(attrs, configAttr(in)...)
}

// configAttr returns the backend_config of an instruction, which is no attribute of the op's own except for custom
// calls.
func configAttr(in *hlo.Instruction) []NamedAttr {
	c := in.Common
	if c.Config == "" {
		return nil
	}
	var config Attr = StringAttr(c.Config)
	d, ok := dictionary(c.Config)
	if ok = ok && c.Dictionary; ok { // JSON is none
		config = d
	}
	a, call := in.Attrs.(*hlo.CustomCallAttrs)
	if call && (!ok || exportedVersion(c, a) == hlo.APITypedFFI) {
		return []NamedAttr{named("backend_config", config)}
	}
	return []NamedAttr{named("mhlo.backend_config", config)}
}

// dictionary reads a text that is a dictionary of MLIR.
func dictionary(text string) (DictAttr, bool) {
	if text == "" || text[0] != '{' {
		return nil, false
	}
	p, err := ParseAST(Text{Source: `"builtin.module"() ({}) {a = ` + text + "} : () -> ()"})
	if err != nil || len(p.Module.Attrs) != 1 {
		return nil, false
	}
	d, ok := p.Module.Attr("a").(DictAttr)
	if ok {
		d = settled(d).(DictAttr)
	}
	return d, ok
}

// locationOf returns the place that an instruction's metadata says; nil without one.
func locationOf(in *hlo.Instruction) *Location {
	if in == nil || in.Common == nil || in.Common.Metadata == "" {
		return nil
	}
	text := string(in.Common.Metadata)
	var file *Location
	if name := noted(text, "source_file"); name != "" {
		file = &Location{Kind: LocFile, File: name}
		if _, rest, ok := strings.Cut(text, "source_line="); ok {
			fmt.Sscan(strings.NewReplacer("}", " ", ",", " ").Replace(rest), &file.Line)
		}
	}
	name := noted(text, "op_name")
	switch {
	case name == "":
		return file
	case file == nil:
		return &Location{Kind: LocName, Name: name}
	}
	return &Location{Kind: LocName, Name: name, Children: []*Location{file}}
}

// noted returns the string behind "key=" in a text.
func noted(text, key string) string {
	_, rest, ok := strings.Cut(text, key+"=")
	quoted, err := strconv.QuotedPrefix(rest)
	if !ok || err != nil {
		return ""
	}
	s, err := strconv.Unquote(quoted)
	if err != nil {
		return ""
	}
	return s
}

// accuracyAttr turns {mode=highest} and {tolerance={atol=0,rtol=0,ulps=1}} into MLIR's form; nil for other texts.
func accuracyAttr(text string) Attr {
	var tolerance [3]float64
	mode := "TOLERANCE"
	_, err := fmt.Sscanf(text, "{tolerance={atol=%g,rtol=%g,ulps=%g}}", &tolerance[0], &tolerance[1], &tolerance[2])
	switch {
	case text == "{mode=highest}":
		mode = "HIGHEST"
	case err != nil:
		return nil
	}
	return &DialectAttr{Name: "stablehlo.result_accuracy", Fields: DictAttr{
		named("atol", FloatAttr{floatText(tolerance[0]), FloatType{"f64"}}),
		named("rtol", FloatAttr{floatText(tolerance[1]), FloatType{"f64"}}),
		named("ulps", number64(int64(tolerance[2]))),
		named("mode", OpaqueAttr("#stablehlo.result_accuracy_mode<"+mode+">")),
	}}
}

// enumNames are the enumerations of the attributes that have one.
var enumNames = map[string]string{
	"comparison_direction": "comparison_direction", "compare_type": "comparison_type", "fft_type": "fft_type",
	"rng_algorithm": "rng_algorithm", "rng_distribution": "rng_distribution", "transpose_a": "transpose",
}

// narrow are the attributes that are integers of 32 bits.
var narrow = map[string]bool{"exponent_bits": true, "mantissa_bits": true}

// fieldAttrs returns the attributes that have a name in MLIR and are one to one.
func fieldAttrs(a hlo.Attrs) ([]NamedAttr, error) {
	if a == nil {
		return nil, nil
	}
	var attrs []NamedAttr
	for _, f := range a.Fields() {
		if f.MLIR == "" {
			continue
		}
		v, err := fieldAttr(f)
		if err != nil {
			return nil, err
		}
		if v != nil {
			attrs = append(attrs, named(f.MLIR, v))
		}
	}
	return attrs, nil
}

// fieldAttr returns the value of a field; nil if it is to be left out.
func fieldAttr(f hlo.Field) (Attr, error) {
	switch p := f.Ptr.(type) {
	case *bool:
		return BoolAttr(*p), nil
	case *int64:
		if narrow[f.MLIR] {
			return number32(*p), nil
		}
		return number64(*p), nil
	case *hlo.OneDim:
		return number64(int64(*p)), nil
	case *float64:
		return FloatAttr{pointed(strconv.FormatFloat(*p, 'e', -1, 32)), FloatType{"f32"}}, nil
	case *string:
		return StringAttr(*p), nil
	case *[]int64:
		return numbers(*p), nil
	case *hlo.Precision:
		return precisionAttr(*p), nil
	case *hlo.Pairs:
		return pairTable(len(*p), func(i int) (int64, int64) { return (*p)[i][0], (*p)[i][1] }), nil
	case *hlo.ReplicaGroups:
		return table(p.Groups), nil
	case *hlo.DimLabels:
		return convAttr(*p)
	case hlo.Value:
		text := strings.ToUpper(strings.TrimPrefix(string(p.AppendText(nil)), "rng_"))
		if enumNames[f.MLIR] == "" || text == "" {
			return nil, nil
		}
		return word(enumNames[f.MLIR], text), nil
	}
	return nil, nil
}

// floatText writes a number so that MLIR takes it for a float.
func floatText(v float64) string { return pointed(strconv.FormatFloat(v, 'e', -1, 64)) }

// pointed puts a point into a number with an exponent.
func pointed(s string) string {
	if mantissa, exponent, ok := strings.Cut(s, "e"); ok && !strings.Contains(mantissa, ".") {
		return mantissa + ".0e" + exponent
	}
	return s
}

func precisionAttr(p hlo.Precision) Attr {
	if len(p) == 0 {
		return nil
	}
	text := strings.Trim(string(p.AppendText(nil)), "{}")
	var list ArrayAttr
	for _, level := range strings.Split(text, ",") {
		list = append(list, word("precision", strings.ToUpper(strings.TrimSpace(level))))
	}
	return list
}

func convAttr(l hlo.DimLabels) (Attr, error) {
	if len(l.InputUnknown)+len(l.KernelUnknown)+len(l.OutputUnknown) > 0 {
		return nil, fmt.Errorf("dimensions of no kind in dim_labels: %w", errors.ErrUnsupported)
	}
	return &DialectAttr{Name: "stablehlo.conv", Fields: DictAttr{
		named("input_batch_dimension", number64(l.InputBatch)), named("input_feature_dimension", number64(l.InputFeature)),
		named("input_spatial_dimensions", numberList(l.InputSpatial)),
		named("kernel_input_feature_dimension", number64(l.KernelInput)),
		named("kernel_output_feature_dimension", number64(l.KernelOutput)),
		named("kernel_spatial_dimensions", numberList(l.KernelSpatial)),
		named("output_batch_dimension", number64(l.OutputBatch)),
		named("output_feature_dimension", number64(l.OutputFeature)),
		named("output_spatial_dimensions", numberList(l.OutputSpatial)),
	}}, nil
}

// numbersAttr is #stablehlo.kind<key = value, ...> of the fields that have no name in MLIR but are one of kind's keys.
func numbersAttr(kind string, a hlo.Attrs) *DialectAttr {
	byName := map[string]any{}
	for _, f := range a.Fields() {
		byName[f.Name] = f.Ptr
	}
	d := &DialectAttr{Name: "stablehlo." + kind, Fields: DictAttr{}}
	if kind == "ragged_dot" {
		d.Name = "chlo." + kind
	}
	for _, key := range strings.Fields(structs[kind]) {
		name := key
		if renamed[key] != "" {
			name = renamed[key]
		}
		switch p := byName[name].(type) {
		case *[]int64:
			if len(*p) > 0 || kind == "ragged_dot" {
				d.Fields = append(d.Fields, named(key, numberList(*p)))
			}
		case *int64:
			d.Fields = append(d.Fields, named(key, number64(*p)))
		}
	}
	return d
}
