package straight

import (
	"github.com/halo-xla/halo/cgo/loops/pipeline"
	"github.com/halo-xla/halo/internal/code"
)

// recipe makes a stage of instructions.
type recipe func(m *maker, s *pipeline.Stage)

// recipes are those of all stages that have one; what has a stage without one runs as stages.
var recipes = allRecipes()

// unary are stages of one value, and of their small number.
var unary = map[string]func(m *maker, x code.Value, n int) code.Value{
	"wrap_s": func(m *maker, x code.Value, n int) code.Value {
		return m.do(&code.RightSign, n, m.do(&code.Left, n, x))
	},
	"wrap_u":     func(m *maker, x code.Value, n int) code.Value { return m.do(&code.Right, n, m.do(&code.Left, n, x)) },
	"rotate":     (*maker).rotate,
	"not":        func(m *maker, x code.Value, _ int) code.Value { return m.not(x) },
	"neg":        func(m *maker, x code.Value, _ int) code.Value { return m.do(&code.SubInt, 0, m.whole(0), x) },
	"abs_s":      func(m *maker, x code.Value, _ int) code.Value { return m.do(&code.AbsInt, 0, x) },
	"shli":       func(m *maker, x code.Value, n int) code.Value { return m.do(&code.Left, n, x) },
	"sari":       func(m *maker, x code.Value, n int) code.Value { return m.do(&code.RightSign, n, x) },
	"shri":       func(m *maker, x code.Value, n int) code.Value { return m.do(&code.Right, n, x) },
	"nonzero":    func(m *maker, x code.Value, _ int) code.Value { return m.compare("ne", x, m.whole(0)) },
	"one":        func(m *maker, x code.Value, _ int) code.Value { return m.do(&code.And, 0, x, m.whole(1)) },
	"neg_f":      func(m *maker, x code.Value, _ int) code.Value { return m.do(&code.Xor, 0, x, m.sign()) },
	"square_f":   func(m *maker, x code.Value, _ int) code.Value { return m.do(&code.Mul, 0, x, x) },
	"abs_f":      func(m *maker, x code.Value, _ int) code.Value { return m.do(&code.AndNot, 0, m.sign(), x) },
	"sqrt_f":     func(m *maker, x code.Value, _ int) code.Value { return m.do(&code.Root, 0, x) },
	"floor_f":    func(m *maker, x code.Value, _ int) code.Value { return m.do(&code.Round, code.RoundDown, x) },
	"ceil_f":     func(m *maker, x code.Value, _ int) code.Value { return m.do(&code.Round, code.RoundUp, x) },
	"even_f":     func(m *maker, x code.Value, _ int) code.Value { return m.do(&code.Round, code.RoundEven, x) },
	"nonzero_f":  func(m *maker, x code.Value, _ int) code.Value { return m.compare("ne_f", x, m.whole(0)) },
	"one_f":      func(m *maker, x code.Value, _ int) code.Value { return m.do(&code.And, 0, x, m.float(1)) },
	"s_f":        func(m *maker, x code.Value, _ int) code.Value { return m.do(&code.ToFloat, 0, x) },
	"u_f":        func(m *maker, x code.Value, _ int) code.Value { return m.plain(x) },
	"f_s":        func(m *maker, x code.Value, _ int) code.Value { return m.signed(x) },
	"f_short":    (*maker).short,
	"round_bf16": func(m *maker, x code.Value, _ int) code.Value { return m.do(&code.And, 0, m.bf16(x), m.whole(-1<<16)) },
	"clz":        func(m *maker, x code.Value, _ int) code.Value { return m.zeros(x) },
	"rsqrt_f": func(m *maker, x code.Value, _ int) code.Value {
		return m.do(&code.Div, 0, m.float(1), m.do(&code.Root, 0, x))
	},
	"sign_f": func(m *maker, x code.Value, _ int) code.Value {
		zero := m.whole(0)
		below := m.choose(m.compare("lt_f", x, zero), m.float(-1), x)
		return m.choose(m.compare("gt_f", x, zero), m.float(1), below)
	},
	"finite_f": func(m *maker, x code.Value, _ int) code.Value {
		return m.compare("eq_f", m.do(&code.Sub, 0, x, x), m.whole(0))
	},
	"key_f": func(m *maker, x code.Value, _ int) code.Value {
		return m.do(&code.Xor, 0, x, m.do(&code.Right, 1, m.do(&code.RightSign, 8*m.Lane()-1, x)))
	},
}

// operations are stages of two values that are one instruction; swapped ones take the second first.
var operations = []struct {
	name    string
	op      *code.Op
	swapped bool
}{
	{"and", &code.And, false}, {"or", &code.Or, false}, {"xor", &code.Xor, false}, {"add", &code.AddInt, false},
	{"sub", &code.SubInt, false}, {"rsub", &code.SubInt, true}, {"mul", &code.MulInt, false},
	{"max_s", &code.MaxSigned, false}, {"min_s", &code.MinSigned, false}, {"max_u", &code.MaxPlain, false},
	{"min_u", &code.MinPlain, false}, {"sar", &code.SignBy, false}, {"add_f", &code.Add, false},
	{"sub_f", &code.Sub, false}, {"rsub_f", &code.Sub, true}, {"mul_f", &code.Mul, false}, {"div_f", &code.Div, false},
	{"rdiv_f", &code.Div, true}, {"quotient", &code.Div, false},
}

// shifts are those by a number of each lane, which is 0 from a number of bits on; that must be the lane's.
var shifts = map[string]*code.Op{"shl": &code.LeftBy, "shr": &code.RightBy}

// ternary are stages of three values.
var ternary = map[string]func(m *maker, x, y, z code.Value) code.Value{
	"select":       (*maker).choose,
	"select_true":  func(m *maker, x, y, z code.Value) code.Value { return m.choose(y, x, z) },
	"select_false": func(m *maker, x, y, z code.Value) code.Value { return m.choose(y, z, x) },
	"add_add_f":    func(m *maker, x, y, z code.Value) code.Value { return m.sum(m.sum(x, y), z) },
	"fused_f":      func(m *maker, x, y, z code.Value) code.Value { return m.do(&code.MulAdd, 0, x, y, z) },
	"add_mul_f":    func(m *maker, x, y, z code.Value) code.Value { return m.sum(x, m.product(y, z)) },
	"sub_mul_f":    func(m *maker, x, y, z code.Value) code.Value { return m.difference(x, m.product(y, z)) },
	"rsub_mul_f":   func(m *maker, x, y, z code.Value) code.Value { return m.difference(m.product(y, z), x) },
	"mul_add_f":    func(m *maker, x, y, z code.Value) code.Value { return m.sum(m.product(x, z), y) },
	"mul_sub_f":    func(m *maker, x, y, z code.Value) code.Value { return m.difference(m.product(x, z), y) },
	"mul_rsub_f":   func(m *maker, x, y, z code.Value) code.Value { return m.difference(y, m.product(x, z)) },
}

// compared are the comparisons; chosen those that there are choices by.
var (
	compared = []string{"eq", "ne", "lt_s", "le_s", "gt_s", "ge_s", "lt_u", "le_u", "gt_u", "ge_u", "eq_f", "ne_f", "lt_f",
		"le_f", "gt_f", "ge_f"}
	chosen = []string{"eq", "ne", "lt_s", "le_s", "lt_u", "le_u", "eq_f", "ne_f", "lt_f", "le_f"}
)

// loads are the elements that become lanes of four bytes as they are, or by what is made of them.
var loads = map[string]struct {
	access code.Access
	made   func(m *maker, x code.Value) code.Value
}{
	"s8": {code.Signed, nil}, "u8": {code.Plain, nil}, "s16": {code.Shorts, nil}, "u16": {code.Words, nil},
	"f16":  {code.Halves, nil},
	"bf16": {code.Words, func(m *maker, x code.Value) code.Value { return m.do(&code.Left, 16, x) }},
	"pred": {code.Plain, func(m *maker, x code.Value) code.Value { return m.compare("ne", x, m.whole(0)) }},
}

// stores are the elements that are made of such lanes.
var stores = map[string]struct {
	access code.Access
	made   func(m *maker, x code.Value) code.Value
}{
	"s8":   {code.Signed, (*maker).bytes},
	"u8":   {code.Plain, (*maker).bytes},
	"s16":  {code.Shorts, (*maker).lowWords},
	"u16":  {code.Words, (*maker).lowWords},
	"bf16": {code.Words, func(m *maker, x code.Value) code.Value { return m.words(m.do(&code.Right, 16, x)) }},
	"rounded_bf16": {code.Words, func(m *maker, x code.Value) code.Value {
		return m.words(m.do(&code.Right, 16, m.bf16(x)))
	}},
	"pred": {code.Plain, func(m *maker, x code.Value) code.Value {
		return m.bytes(m.do(&code.AndNot, 0, m.compare("eq", x, m.whole(0)), m.whole(1)))
	}},
}

func allRecipes() map[string]recipe {
	all := map[string]recipe{
		"end":   func(*maker, *pipeline.Stage) {},
		"store": func(m *maker, s *pipeline.Stage) { m.keep(s.A, lanes[m.Lane()], m.register) },
		"load":  func(m *maker, s *pipeline.Stage) { m.register = m.at(s.A) },
		"max_f": func(m *maker, s *pipeline.Stage) { m.register = m.extreme(&code.Max, s.A, m.register) },
		"min_f": func(m *maker, s *pipeline.Stage) { m.register = m.extreme(&code.Min, s.A, m.register) },
		"mix": func(m *maker, s *pipeline.Stage) {
			sum := m.do(&code.AddInt, 0, m.at(s.A), m.register)
			m.slots[s.A], m.register = sum, m.do(&code.Xor, 0, m.rotate(m.register, s.B), sum)
		},
		"add_to": func(m *maker, s *pipeline.Stage) { m.slots[s.A] = m.do(&code.AddInt, 0, m.at(s.A), m.at(s.B)) },
	}
	addOperations(all)
	addQuotients(all)
	addChoices(all)
	addAccesses(all)
	addFunctions(all)
	addSums(all)
	return all
}

func addOperations(all map[string]recipe) {
	for name, f := range unary {
		all[name] = func(m *maker, s *pipeline.Stage) { m.register = f(m, m.register, s.A) }
	}
	for _, o := range operations {
		all[o.name] = func(m *maker, s *pipeline.Stage) { m.register = m.two(o.op, o.swapped, m.at(s.A)) }
	}
	for name, op := range shifts {
		all[name] = func(m *maker, s *pipeline.Stage) {
			m.failed = m.failed || s.B != 8*m.Lane()
			m.register = m.do(op, 0, m.register, m.at(s.A))
		}
	}
	for name, f := range ternary {
		three := func(m *maker, s *pipeline.Stage) { m.register = f(m, m.register, m.at(s.A), m.at(s.B)) }
		all[name], all[name+"_k"] = three, three
	}
}

// quotients are stages of a value and a multiplier with a small number.
var quotients = map[string]func(m *maker, x, y code.Value, n int) code.Value{
	"div_by": func(m *maker, x, y code.Value, n int) code.Value {
		return m.withSign(m.do(&code.Right, n, m.highPart(m.do(&code.AbsInt, 0, x), y)), x)
	},
	"floor_by": func(m *maker, x, y code.Value, n int) code.Value {
		sign := m.do(&code.RightSign, 8*m.Lane()-1, x)
		return m.do(&code.Xor, 0, m.do(&code.Right, n, m.highPart(m.do(&code.Xor, 0, x, sign), y)), sign)
	},
	"div_by_u": func(m *maker, x, y code.Value, n int) code.Value {
		high := m.highPart(x, y)
		rest := m.do(&code.Right, 1, m.do(&code.SubInt, 0, x, high))
		return m.do(&code.Right, n, m.do(&code.AddInt, 0, rest, high))
	},
}

func addQuotients(all map[string]recipe) {
	for name, f := range quotients {
		all[name] = func(m *maker, s *pipeline.Stage) { m.register = f(m, m.register, m.at(s.A), s.B) }
	}
}

func addChoices(all map[string]recipe) {
	for _, name := range compared {
		all[name] = func(m *maker, s *pipeline.Stage) { m.register = m.compare(name, m.register, m.at(s.A)) }
	}
	for _, name := range chosen {
		all["where_"+name] = func(m *maker, s *pipeline.Stage) {
			m.register = m.choose(m.compare(name, m.at(s.A), m.at(s.B)), m.register, m.at(s.C))
		}
		all["unless_"+name] = func(m *maker, s *pipeline.Stage) {
			m.register = m.choose(m.compare(name, m.at(s.A), m.at(s.B)), m.at(s.C), m.register)
		}
	}
}

func addAccesses(all map[string]recipe) {
	for name, l := range loads {
		all["load_"+name] = func(m *maker, s *pipeline.Stage) { m.register = m.widened(s.A, l.access, l.made) }
	}
	for name, l := range stores {
		all["store_"+name] = func(m *maker, s *pipeline.Stage) { m.keep(s.A, l.access, l.made(m, m.register)) }
	}
}

// two is an operation on the register and another value.
func (m *maker) two(op *code.Op, swapped bool, y code.Value) code.Value {
	if swapped {
		return m.do(op, 0, y, m.register)
	}
	return m.do(op, 0, m.register, y)
}

// widened is what lies at a pointer in elements narrower than lanes.
func (m *maker) widened(k int, a code.Access, made func(*maker, code.Value) code.Value) code.Value {
	if kind := m.inputs[k].Kind; m.Lane() != 4 || kind != pipeline.Linear && kind != pipeline.Rowwise {
		m.failed = true
		return 0
	}
	x := m.Load(k, a)
	if made != nil {
		x = made(m, x)
	}
	return x
}

// keep stores a result, or remembers which value a slot has.
func (m *maker) keep(k int, a code.Access, v code.Value) {
	switch {
	case m.failed:
	case m.isOutput(k):
		m.Store(k, a, v)
	case m.isSaved(k), m.isSlot(k) && !m.isOne(k):
		m.slots[k] = v
	default:
		m.failed = true
	}
}
