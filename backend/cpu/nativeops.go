package cpu

import (
	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/shape"
)

// classStages names the pipeline's stage of an op by the class of its operands; "" where there is none.
type classStages struct{ float, signed, unsigned, pred string }

// plainStages are the ops that are one stage, followed by rounding. What is not here has its own function in natives.
var plainStages = [hlo.NumOps]classStages{
	hlo.Abs:              {float: "abs_f", signed: "abs_s"},
	hlo.Acos:             {float: "acos"},
	hlo.Acosh:            {float: "acosh"},
	hlo.Add:              {"add_f", "add", "add", "or"},
	hlo.And:              {"", "and", "and", "and"},
	hlo.Asin:             {float: "asin"},
	hlo.Asinh:            {float: "asinh"},
	hlo.Atan:             {float: "atan"},
	hlo.Atan2:            {float: "atan2"},
	hlo.Atanh:            {float: "atanh"},
	hlo.Cbrt:             {float: "cbrt"},
	hlo.Ceil:             {float: "ceil_f"},
	hlo.Cos:              {float: "cos"},
	hlo.Cosh:             {float: "cosh"},
	hlo.Divide:           {"div_f", "div_s", "div_u", ""},
	hlo.Erf:              {float: "erf"},
	hlo.Exp:              {float: "exp"},
	hlo.Expm1:            {float: "expm1"},
	hlo.Floor:            {float: "floor_f"},
	hlo.IsFinite:         {float: "finite_f"},
	hlo.Log:              {float: "log"},
	hlo.Log1p:            {float: "log1p"},
	hlo.Logistic:         {float: "logistic"},
	hlo.Maximum:          {"max_f", "max_s", "max_u", "or"},
	hlo.Minimum:          {"min_f", "min_s", "min_u", "and"},
	hlo.Multiply:         {"mul_f", "mul", "mul", "and"},
	hlo.Negate:           {"neg_f", "neg", "neg", ""},
	hlo.Not:              {"", "not", "not", "not"},
	hlo.Or:               {"", "or", "or", "or"},
	hlo.Power:            {"pow", "pow_s", "pow_u", ""},
	hlo.Remainder:        {"rem_f", "rem_s", "rem_u", ""},
	hlo.RoundNearestAfz:  {float: "afz_f"},
	hlo.RoundNearestEven: {float: "even_f"},
	hlo.Rsqrt:            {float: "rsqrt_f"},
	hlo.Sign:             {float: "sign_f", signed: "sign_s"},
	hlo.Sin:              {float: "sin"},
	hlo.Sinh:             {float: "sinh"},
	hlo.Sqrt:             {float: "sqrt_f"},
	hlo.Subtract:         {"sub_f", "sub", "sub", ""},
	hlo.Tan:              {float: "tan"},
	hlo.Tanh:             {float: "tanh"},
	hlo.Xor:              {"", "xor", "xor", "xor"},
}

// of returns the stage for a type.
func (c classStages) of(t shape.ElementType) string {
	switch t.Class() {
	case shape.FloatClass:
		return c.float
	case shape.SignedClass:
		return c.signed
	case shape.UnsignedClass:
		return c.unsigned
	case shape.PredClass:
		return c.pred
	}
	return ""
}

// swapped has for each stage of two operands the one that takes them the other way around.
var swapped = map[string]string{
	"add_f": "add_f", "mul_f": "mul_f", "max_f": "max_f", "min_f": "min_f", "sub_f": "rsub_f", "div_f": "rdiv_f",
	"add": "add", "mul": "mul", "and": "and", "or": "or", "xor": "xor", "sub": "rsub", "max_s": "max_s",
	"min_s": "min_s", "max_u": "max_u", "min_u": "min_u", "eq": "eq", "ne": "ne", "eq_f": "eq_f", "ne_f": "ne_f",
	"lt_f": "gt_f", "gt_f": "lt_f", "le_f": "ge_f", "ge_f": "le_f", "lt_s": "gt_s", "gt_s": "lt_s", "le_s": "ge_s",
	"ge_s": "le_s", "lt_u": "gt_u", "gt_u": "lt_u", "le_u": "ge_u", "ge_u": "le_u", "mulhi_s": "mulhi_s",
	"mulhi_u": "mulhi_u",
}

// exactStages give values of the type of their operands, or predicates: nothing is to round.
var exactStages = map[string]bool{
	"abs_f": true, "and": true, "or": true, "xor": true, "ceil_f": true, "floor_f": true, "even_f": true, "afz_f": true,
	"finite_f": true, "max_f": true, "max_s": true, "max_u": true, "min_f": true, "min_s": true, "min_u": true,
	"neg_f": true, "rem_f": true, "rem_s": true, "rem_u": true, "rem_short": true, "sign_f": true,
}

// shortStages divide integers of up to 16 bits.
var shortStages = map[string]string{"div_s": "div_short", "div_u": "div_short", "rem_s": "rem_short",
	"rem_u": "rem_short"}

// heavyStages are those that take many times as long as an addition: by how many times.
var heavyStages = map[string]int{
	"acos": 10, "acosh": 11, "asin": 10, "asinh": 11, "atan": 11, "atan2": 16, "atanh": 12, "cbrt": 8, "cos": 10,
	"cosh": 8, "erf": 12, "erfc": 10, "erf_inv": 14, "exp": 5, "expm1": 8, "gelu_erfc": 10, "log": 7, "log1p": 10,
	"logistic": 9, "mix": 2, "pow": 24, "sin": 10, "sinh": 9, "tan": 16, "tanh": 10, "rem_f": 100, "div_s": 20,
	"div_u": 20, "rem_s": 20, "rem_u": 20, "div_floor": 20, "rem_floor": 20, "div_short": 3, "rem_short": 4,
	"div_by": 3, "div_by_u": 3, "floor_by": 3,
	"pow_s": 10, "pow_u": 10, "popcnt": 2, "sqrt_f": 4, "rsqrt_f": 6, "div_f": 4, "rdiv_f": 4, "quotient": 3,
	"c_add": 2, "c_divide": 16, "c_multiply": 3, "c_select": 2, "c_square": 3, "c_subtract": 2,
	"absolute": 8, "c_exp": 30, "c_log": 40, "c_rsqrt": 40, "c_sqrt": 30,
	"c_cos": 50, "c_cosh": 50, "c_expm1": 50, "c_log1p": 50, "c_logistic": 50, "c_sign": 20, "c_sin": 50, "c_sinh": 50,
	"c_tan": 60, "c_tanh": 60,
}

// scalarStages of f64 are the C library's, an element at a time.
var scalarStages = map[string]bool{
	"acos": true, "acosh": true, "asin": true, "asinh": true, "atan": true, "atan2": true, "atanh": true, "cosh": true,
	"erf": true, "erfc": true, "pow": true, "sinh": true, "rem_f": true,
}

// heavy is how many additions a stage takes as long as, for a lane of so many bytes.
func heavy(stage string, lane int) int {
	cost := max(heavyStages[stage], 1)
	switch {
	case lane <= 4:
		return cost
	case scalarStages[stage]:
		return 21 * cost
	}
	return 4 * cost
}

// natives are the ops that are more than one stage: they leave the value of the node in the registers, rounded, or
// report that the pipeline cannot.
var natives [hlo.NumOps]func(e *emitter, nd *node) bool

func init() {
	natives = [hlo.NumOps]func(e *emitter, nd *node) bool{
		hlo.BitcastConvert:       nativeBitcast,
		hlo.Clamp:                nativeClamp,
		hlo.Clz:                  nativeClz,
		hlo.Compare:              nativeCompare,
		hlo.Convert:              nativeConvert,
		hlo.Imag:                 nativeImag,
		hlo.Mulhi:                nativeMulhi,
		hlo.PopulationCount:      nativePopulationCount,
		hlo.Real:                 func(e *emitter, nd *node) bool { return !nd.from(0).IsComplex() && e.hold(nd.args[0]) },
		hlo.ReducePrecision:      nativeReducePrecision,
		hlo.Select:               nativeSelect,
		hlo.ShiftLeft:            nativeShift("shl", "", ""),
		hlo.ShiftRightArithmetic: nativeShift("sar", "", "wrap_s"),
		hlo.ShiftRightLogical:    nativeShift("shr", "wrap_u", ""),
	}
}

// nativeImag is 0, as the type has it.
func nativeImag(e *emitter, nd *node) bool {
	return !nd.from(0).IsComplex() && e.immediate(0) && (nd.t != shape.F8E8M0FNU || e.round(nd.t))
}

// nativeShift shifts by so many bits of the type; before it, signed or unsigned numbers narrower than a lane must be
// read as the other kind.
func nativeShift(stage, signed, unsigned string) func(e *emitter, nd *node) bool {
	return func(e *emitter, nd *node) bool {
		e.hold(nd.args[0])
		before := signed
		if nd.t.IsUnsigned() {
			before = unsigned
		}
		if up := e.bits() - nd.t.Bits(); up > 0 && before != "" {
			e.stage(before, number(up), number(0))
		}
		e.stage(stage, e.memory(nd.args[1]), number(nd.t.Bits()))
		return e.round(nd.t)
	}
}

func nativeMulhi(e *emitter, nd *node) bool {
	full, shift := "mulhi_s", "sari"
	if nd.t.IsUnsigned() {
		full, shift = "mulhi_u", "shri"
	}
	if nd.t.Bits() == e.bits() {
		e.binary(full, nd.args[0], nd.args[1])
		return true
	}
	e.binary("mul", nd.args[0], nd.args[1])
	e.stage(shift, number(nd.t.Bits()), number(0))
	return e.round(nd.t)
}

func nativePopulationCount(e *emitter, nd *node) bool {
	e.hold(nd.args[0])
	e.unsigned(nd.t)
	e.stage("popcnt", number(0), number(0))
	return e.round(nd.t)
}

func nativeClz(e *emitter, nd *node) bool {
	e.hold(nd.args[0])
	e.unsigned(nd.t)
	e.stage("clz", number(0), number(0))
	if up := e.bits() - nd.t.Bits(); up > 0 {
		e.stage("sub", e.constant(uint64(up)), number(0))
	}
	return e.round(nd.t)
}

func nativeClamp(e *emitter, nd *node) bool {
	e.binary(plainStages[hlo.Maximum].of(nd.t), nd.args[1], nd.args[0])
	e.stage(plainStages[hlo.Minimum].of(nd.t), e.memory(nd.args[2]), number(0))
	return true
}

func nativeSelect(e *emitter, nd *node) bool {
	p, x, y := nd.args[0], nd.args[1], nd.args[2]
	switch e.held {
	case x:
		e.stage("select_true", e.memory(p), e.memory(y))
	case y:
		e.stage("select_false", e.memory(p), e.memory(x))
	default:
		e.hold(p)
		e.stage("select", e.memory(x), e.memory(y))
	}
	return true
}

// relations are the stages of a comparison by direction, less their class.
var relations = [...]string{hlo.Eq: "eq", hlo.Ne: "ne", hlo.Ge: "ge", hlo.Gt: "gt", hlo.Le: "le", hlo.Lt: "lt"}

func nativeCompare(e *emitter, nd *node) bool {
	x, y := nd.args[0], nd.args[1]
	if name := nd.comparison(); name != "" {
		e.binary(name, x, y)
		return true
	}
	a, t := nd.in.Attrs.(*hlo.CompareAttrs), nd.from(0)
	if t.IsComplex() { // equal numbers of other bits, and NaN
		return false
	}
	return e.totalOrder(relations[a.Direction], a.Direction == hlo.Eq || a.Direction == hlo.Ne, t, x, y)
}

func (e *emitter) totalOrder(name string, equality bool, t shape.ElementType, x, y int) bool {
	if e.lane == 8 && t != shape.F64 || e.lane == 4 && t.Bits() < 16 {
		return false
	}
	if !equality {
		name += "_s"
	}
	room := e.reserve()
	e.hold(y)
	e.stage("key_f", number(0), number(0))
	e.stage("store", room, number(0))
	e.held = none
	e.hold(x)
	e.stage("key_f", number(0), number(0))
	e.stage(name, room, number(0))
	e.free(room)
	return true
}

func nativeReducePrecision(e *emitter, nd *node) bool {
	if nd.t.Bits() != e.bits() {
		return false
	}
	a := nd.in.Attrs.(*hlo.ReducePrecisionAttrs)
	e.hold(nd.args[0])
	if drop := nd.t.MantissaBits() - int(min(a.MantissaBits, 64)); drop > 0 {
		e.stage("narrow_mantissa", number(drop), number(0))
	}
	if a.ExponentBits < int64(nd.t.ExponentBits()) {
		e.stage("narrow_exponent", number(int(a.ExponentBits)), number(0))
	}
	return true
}

func nativeBitcast(e *emitter, nd *node) bool {
	from, to := nd.from(0), nd.t
	if (from.IsFloat() != to.IsFloat() || from != to && from.IsFloat()) && to.Bits() != e.bits() {
		return false
	}
	e.hold(nd.args[0])
	return to.IsFloat() || e.round(to)
}

// nativeConvert converts elements, or parts of complex ones, to another type. Row 71.
func nativeConvert(e *emitter, nd *node) bool {
	from, to := partType(nd.from(0)), nd.t
	e.hold(nd.args[0])
	f := convertStages[from.Class()][to.Class()]
	return f != nil && f(e, from, to)
}

// convertStages convert the registers between classes.
var convertStages = map[shape.Class]map[shape.Class]func(e *emitter, from, to shape.ElementType) bool{
	shape.FloatClass: {
		shape.FloatClass: func(e *emitter, from, to shape.ElementType) bool {
			wider := from.MantissaBits() <= to.MantissaBits() && from.ExponentBits() <= to.ExponentBits()
			return from == to || wider && !isSmall(to) || e.round(to)
		},
		shape.SignedClass:   floatToInt("f_s", -1, "max_s", "min_s"),
		shape.UnsignedClass: floatToInt("f_u", 1, "max_u", "min_u"),
		shape.PredClass:     oneStage("nonzero_f"),
	},
	shape.SignedClass: {
		shape.FloatClass: intToFloat("s_f"), shape.SignedClass: intToInt, shape.UnsignedClass: intToInt,
		shape.PredClass: oneStage("nonzero"),
	},
	shape.UnsignedClass: {
		shape.FloatClass: intToFloat("u_f"), shape.SignedClass: intToInt, shape.UnsignedClass: intToInt,
		shape.PredClass: oneStage("nonzero"),
	},
	shape.PredClass: {
		shape.FloatClass: oneStage("one_f"), shape.SignedClass: oneStage("one"), shape.UnsignedClass: oneStage("one"),
		shape.PredClass: func(*emitter, shape.ElementType, shape.ElementType) bool { return true },
	},
}

// oneStage is a conversion that is a stage and, of integers of one bit, a wrap.
func oneStage(name string) func(e *emitter, from, to shape.ElementType) bool {
	return func(e *emitter, _, to shape.ElementType) bool {
		e.stage(name, number(0), number(0))
		return to.Bits() > 1 && to != shape.F8E8M0FNU || e.round(to)
	}
}

// floatToInt saturates to the type, of more than half a lane to that first.
func floatToInt(name string, sign int, maximum, minimum string) func(e *emitter, from, to shape.ElementType) bool {
	return func(e *emitter, _, to shape.ElementType) bool {
		bits := to.Bits()
		if bits <= e.bits()/2 {
			e.stage("f_short", number(sign*bits), number(0))
			return true
		}
		e.stage(name, number(0), number(0))
		switch {
		case bits == e.bits():
		case to.IsSigned():
			e.stage(maximum, e.constant(uint64(int64(-1)<<(bits-1))), number(0))
			e.stage(minimum, e.constant(uint64(1)<<(bits-1)-1), number(0))
		default:
			e.stage(minimum, e.constant(uint64(1)<<bits-1), number(0))
		}
		return true
	}
}

// intToFloat rounds once: to a float narrower than a lane by way of one with an odd last bit, unless the lane or the
// float itself has all numbers.
func intToFloat(name string) func(e *emitter, from, to shape.ElementType) bool {
	return func(e *emitter, from, to shape.ElementType) bool {
		name := name
		if from.Bits() < e.bits() { // the lane has a place for a sign
			name = "s_f"
		}
		if to == shape.F32 && e.lane == 8 {
			e.stage(name+"32", number(0), number(0))
			return true
		}
		all := from.Bits() <= 8 && from.Bits() <= to.MantissaBits()+1 && !isSmall(to)
		if all || from.Bits() <= 16 || to.Bits() == e.bits() {
			e.stage(name, number(0), number(0))
			return all || to.Bits() == e.bits() || e.round(to)
		}
		e.stage(name+"_odd", number(0), number(0))
		return e.round(to)
	}
}

func intToInt(e *emitter, from, to shape.ElementType) bool {
	if from.Class() == to.Class() && from.Bits() <= to.Bits() || from.IsUnsigned() && from.Bits() < to.Bits() {
		return true
	}
	return e.round(to)
}
