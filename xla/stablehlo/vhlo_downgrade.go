package stablehlo

import (
	"fmt"
	"slices"
	"strings"
)

// writtenAttr is an attribute with its number in the file.
type writtenAttr struct {
	name     string
	number   uint64
	optional bool // it may be missing, which a bit tells
	missing  bool
}

// downgraded is an op as a file has it.
type downgraded struct {
	dialect    int
	name       string
	properties []writtenAttr
	rest       []writtenAttr // attributes that are no properties
	regions    []*Region
}

// propertyBytes is what the section of properties has of an op.
func (d *downgraded) propertyBytes() []byte {
	var b []byte
	for _, p := range d.properties {
		switch {
		case p.missing:
			b = appendVarint(b, 0)
		case p.optional:
			b = appendFlagged(b, p.number, true)
		default:
			b = appendVarint(b, p.number)
		}
	}
	return b
}

// vhloSince says since when VHLO has an op at all, and its second version.
var vhloSince = map[string][2][2]int{
	"all_gather": {{0, 9}, {1, 5}}, "all_reduce": {{0, 9}, {1, 5}}, "all_to_all": {{0, 9}, {1, 5}},
	"async_done": {{1, 15}}, "async_start": {{1, 15}}, "collective_broadcast": {{0, 16}, {1, 20}},
	"collective_reduce": {{1, 19}}, "composite": {{0, 19}, {1, 14}}, "custom_call": {{0, 9}, {1, 18}},
	"dot_general": {{0, 9}, {1, 6}}, "dynamic_conv": {{0, 9}, {0, 20}}, "dynamic_gather": {{0, 9}, {1, 1}},
	"exponential": {{0, 9}, {1, 9}}, "gather": {{0, 9}, {1, 1}}, "recv": {{0, 9}, {1, 12}}, "scatter": {{0, 9}, {1, 1}},
	"send": {{0, 9}, {1, 12}}, "tan": {{1, 4}, {1, 10}},
}

// sinceOf returns since when VHLO has the first and the second version of an op; zero for none.
func sinceOf(op string) [2][2]int {
	if s, ok := vhloSince[op]; ok {
		return s
	}
	if slices.Contains(accurateOps, op) {
		return [2][2]int{{0, 9}, {1, 10}}
	}
	return [2][2]int{{0, 9}}
}

// vhloPlain are the ops without attributes, in the spelling that VHLO and StableHLO have in common.
var vhloPlain = strings.Fields("abs add after_all and async_done async_start atan2 bitcast_convert case cbrt ceil " +
	"clamp complex convert cosine count_leading_zeros create_token divide dynamic_pad dynamic_reshape " +
	"dynamic_update_slice exponential exponential_minus_one floor if imag is_finite log log_plus_one logistic maximum " +
	"minimum multiply negate not optimization_barrier or partition_id popcnt power real real_dynamic_slice remainder " +
	"replica_id reshape return round_nearest_afz round_nearest_even rsqrt select shift_left shift_right_arithmetic " +
	"shift_right_logical sign sine sqrt subtract tan tanh tuple uniform_dequantize uniform_quantize while xor")

// downgrade turns an op of the tree into one of VHLO in the version that is written.
func (w *bytecodeWriter) downgrade(op *Op) *downgraded {
	switch dialect, _, _ := cutName(op.Name); {
	case op.Name == "builtin.module":
		return w.module(op)
	case op.Name == conversionCast:
		return &downgraded{dialect: builtinDialect, name: op.Name[len("builtin."):]}
	case dialect == "chlo" && isForeign(op):
		return w.foreign(op)
	}
	name, attrs := w.spelled(op)
	since := sinceOf(name)
	w.need(since[0][0], since[0][1], "op "+op.Name)
	version, other := "_v1", "_v2"
	if second := since[1]; second != [2]int{} && w.has(second[0], second[1]) {
		version, other = other, version
	}
	if vhloProperties[name+version] == "" && !slices.Contains(vhloPlain, name) {
		w.lack("op is none of VHLO")
	}
	d := &downgraded{dialect: vhloDialect, name: name + version, regions: op.Regions}
	if name == "func" && len(d.regions) == 0 {
		d.regions = []*Region{{}}
	}
	flat := attrList(slices.Clone(attrs))
	if split := vhloSplits[name]; split != nil {
		split(w, &flat)
	}
	for _, p := range propertiesOf(name, version) {
		a := flat.take(p)
		if a == nil {
			a = w.defaultAttr(op, name, p, attrs)
		}
		d.properties = append(d.properties, writtenAttr{name: p, number: w.property(name, p, a)})
	}
	for _, p := range propertiesOf(name, other) {
		if a := flat.take(p); a != nil && !isEmpty(a) && !isFalse(a) && !isDefault(a) {
			w.need(since[1][0], since[1][1], fmt.Sprintf("attribute %s of %s", p, op.Name))
		}
	}
	w.checkFeatures(op, name)
	for _, a := range flat {
		d.rest = append(d.rest, writtenAttr{name: a.Name, number: w.attr(a.Value)})
	}
	return w.placed(d)
}

// propertiesOf returns the names of the attributes of a version of an op.
func propertiesOf(name, version string) []string {
	if version == "_v2" && slices.Contains(accurateOps, name) {
		return []string{"result_accuracy"}
	}
	return strings.Fields(vhloProperties[name+version])
}

// placed puts properties among the other attributes where files have no properties.
func (w *bytecodeWriter) placed(d *downgraded) *downgraded {
	if w.version < versionProperties {
		for _, p := range d.properties {
			if !p.missing {
				d.rest = append(d.rest, p)
			}
		}
		d.properties = nil
	}
	slices.SortFunc(d.rest, func(a, b writtenAttr) int { return strings.Compare(a.name, b.name) })
	return d
}

// module downgrades a module, which stays one of MLIR itself.
func (w *bytecodeWriter) module(op *Op) *downgraded {
	d := &downgraded{dialect: builtinDialect, name: "module", regions: op.Regions}
	for _, name := range [...]string{"sym_name", "sym_visibility"} {
		p := writtenAttr{name: name, optional: true, missing: op.Attr(name) == nil}
		if !p.missing {
			p.number = w.builtinAttr(op.Attr(name))
		}
		d.properties = append(d.properties, p)
	}
	for _, a := range op.Attrs {
		if a.Name != "sym_name" && a.Name != "sym_visibility" {
			d.rest = append(d.rest, writtenAttr{name: a.Name, number: w.builtinAttr(a.Value)})
		}
	}
	return w.placed(d)
}

// spelled returns the name of an op in VHLO, without version, and its attributes. An op of CHLO or MHLO becomes the
// custom call that XLA takes for it.
func (w *bytecodeWriter) spelled(op *Op) (string, []NamedAttr) {
	dialect, name, _ := cutName(op.Name)
	switch {
	case dialect == "stablehlo" || dialect == "func":
		return name, op.Attrs
	case op.Name == "chlo.top_k" || op.Name == "mhlo.topk":
		attrs := attrList(slices.Clone(op.Attrs))
		attrs.take("is_stable")
		if op.Attr("largest") == nil {
			attrs.put("largest", BoolAttr(true))
		}
		return "custom_call", mhloCall("mhlo.topk", attrs)
	case (dialect == "chlo" || dialect == "mhlo") && slices.Contains(mhloCalls, name):
		return "custom_call", mhloCall("mhlo."+name, op.Attrs)
	}
	w.lack("op is none of VHLO")
	return name, nil
}

// mhloCalls are the ops of CHLO that XLA takes as custom calls.
var mhloCalls = strings.Fields("acos acosh asin asinh atanh cosh erf sinh")

// mhloCall returns the attributes of the custom call that stands for an op of MHLO.
func mhloCall(target string, attrs []NamedAttr) []NamedAttr {
	own := DictAttr{}
	var rest []NamedAttr
	for _, a := range attrs {
		if _, dialect, dotted := cutName(a.Name); dotted && dialect != "" {
			rest = append(rest, a)
		} else {
			own = append(own, named(a.Name, a.Value))
		}
	}
	return append(rest, property("call_target_name", StringAttr(target)), named("mhlo.attributes", own),
		named("mhlo.version", number64(1)))
}

// cutName cuts a name behind its dialect.
func cutName(name string) (dialect, rest string, ok bool) { return strings.Cut(name, ".") }

// vhloSplits turn attributes of StableHLO into those of VHLO, where these are not the same.
var vhloSplits = map[string]func(w *bytecodeWriter, l *attrList){
	"all_gather":           splitChannel,
	"all_reduce":           splitChannel,
	"all_to_all":           splitChannel,
	"collective_broadcast": splitChannel,
	"collective_permute":   splitChannel,
	"collective_reduce":    splitChannel,
	"convolution":          splitNumbers("dimension_numbers"),
	"dot_general":          splitDot,
	"dynamic_conv":         splitNumbers("dimension_numbers"),
	"dynamic_gather":       splitNumbers("dimension_numbers"),
	"gather":               splitNumbers("dimension_numbers"),
	"recv":                 splitTransfer,
	"reduce_scatter":       splitChannel,
	"scatter":              splitNumbers("scatter_dimension_numbers"),
	"send":                 splitTransfer,
}

// splitChannel takes the number of the channel.
func splitChannel(_ *bytecodeWriter, l *attrList) {
	if d, ok := l.take("channel_handle").(*DialectAttr); ok {
		l.put("channel_id", d.Fields.Lookup("handle"))
	}
}

// splitTransfer takes the number and the type of the channel.
func splitTransfer(_ *bytecodeWriter, l *attrList) {
	if d, ok := l.take("channel_handle").(*DialectAttr); ok {
		l.put("channel_id", d.Fields.Lookup("handle"))
		l.put("channel_type", d.Fields.Lookup("type"))
	}
}

// splitNumbers takes the keys of dimension numbers.
func splitNumbers(name string) func(w *bytecodeWriter, l *attrList) {
	return func(w *bytecodeWriter, l *attrList) {
		d, ok := l.take(name).(*DialectAttr)
		if !ok {
			w.fail("attribute %s is missing or no dimension numbers", name)
			return
		}
		for _, f := range d.Fields {
			if list, ok := f.Value.(ArrayAttr); ok {
				v, _ := intsOf(list)
				l.put(f.Name, numbers(v))
			} else {
				l.put(f.Name, f.Value)
			}
		}
	}
}

// splitDot takes the keys of the dimension numbers and of the algorithm.
func splitDot(w *bytecodeWriter, l *attrList) {
	splitNumbers("dot_dimension_numbers")(w, l)
	if d, ok := l.take("algorithm").(*DialectAttr); ok {
		for _, f := range d.Fields {
			l.put(f.Name, f.Value)
		}
	}
}
