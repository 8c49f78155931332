package scalar

import (
	"math"

	"github.com/halo-xla/halo/xla/hlo"
)

// function is a function of floats or complex numbers that programs call. Those of floats are made of F64, and C has
// them under the same number.
type function struct {
	op     hlo.Opcode
	name   string // in C
	goOnly bool
}

// calls are the functions, in the order that C has them in.
var calls = [...]function{
	{op: hlo.Acos, name: "acos"}, {op: hlo.Acosh, name: "acosh"}, {op: hlo.Asin, name: "asin"},
	{op: hlo.Asinh, name: "asinh"}, {op: hlo.Atan, name: "atan"}, {op: hlo.Atanh, name: "atanh"},
	{op: hlo.Cbrt, name: "cbrt"}, {op: hlo.Cos, name: "cos"}, {op: hlo.Cosh, name: "cosh"}, {op: hlo.Erf, name: "erf"},
	{op: hlo.Exp, name: "exp"}, {op: hlo.Expm1, name: "expm1"}, {op: hlo.Log, name: "log"},
	{op: hlo.Log1p, name: "log1p"}, {op: hlo.Logistic, name: "logistic"}, {op: hlo.Rsqrt, name: "rsqrt"},
	{op: hlo.Sin, name: "sin"}, {op: hlo.Sinh, name: "sinh"}, {op: hlo.Tan, name: "tan"}, {op: hlo.Tanh, name: "tanh"},
	{op: hlo.Atan2, name: "atan2"}, {op: hlo.Power, name: "pow"},
	{op: hlo.Abs, name: "hypot"},
	{op: hlo.Divide, goOnly: true}, {op: hlo.Maximum, goOnly: true}, {op: hlo.Minimum, goOnly: true},
	{op: hlo.Multiply, goOnly: true}, {op: hlo.Sign, goOnly: true}, {op: hlo.Sqrt, goOnly: true},
	{op: hlo.Remainder, goOnly: true},
}

// callOf returns the number of op's function, or -1.
func callOf(op hlo.Opcode) int32 {
	for i, f := range calls {
		if f.op == op {
			return int32(i)
		}
	}
	return -1
}

func call(m *Machine, in *Instr) {
	a := [2]float64{m.ad(in), m.bd(in)}
	if s := calls[in.Imm].op.Info().Scalar; s != nil {
		m.setD(in, s.Float(a[:]))
		return
	}
	m.setD(in, hlo.ComplexAbs(complex(a[0], a[1])))
}

func callC64(m *Machine, in *Instr) {
	s := calls[in.Imm].op.Info().Scalar
	g := s.Complex
	if s.C64 != nil {
		g = s.C64
	}
	onC64(m, in, g)
}

// onC64 computes a function of two numbers of c64.
func onC64(m *Machine, in *Instr, g func([]complex128) complex128) {
	r := m.regs
	f := func(i uint16) float64 { return float64(math.Float32frombits(uint32(r[i]))) }
	v := complex64(g([]complex128{complex(f(in.A), f(in.A+1)), complex(f(in.B), f(in.B+1))}))
	r[in.D], r[in.D+1] = uint64(math.Float32bits(real(v))), uint64(math.Float32bits(imag(v)))
}

func callC128(m *Machine, in *Instr) {
	r := m.regs
	f := func(i uint16) float64 { return math.Float64frombits(r[i]) }
	v := calls[in.Imm].op.Info().Scalar.Complex([]complex128{complex(f(in.A), f(in.A+1)), complex(f(in.B), f(in.B+1))})
	r[in.D], r[in.D+1] = math.Float64bits(real(v)), math.Float64bits(imag(v))
}
