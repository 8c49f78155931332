//go:build cgo && linux

package cuda

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/halo-xla/halo/backend/backendtest"
	"github.com/halo-xla/halo/backend/cuda/emit"
	"github.com/halo-xla/halo/internal/opcase"
	"github.com/halo-xla/halo/internal/testfile"
	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// TestSampledOps runs the cases of some operations, and compares with the evaluator within the operation table's tolerance.
func TestSampledOps(t *testing.T) {
	var list, all []*program
	count := 0
	testfile.Run(t, filepath.Join("..", "..", "testdata", "ops", "*.hlo"), func(t *testing.T, c *testfile.Case) {
		m, err := hlo.Parse([]byte(c.Source()), c.File)
		if err != nil {
			t.Fatal(err)
		}
		opcase.CheckWith(t, c, m, func(ctx context.Context, m *hlo.Module, args [][]*literal.Literal, o hlo.EvalOptions,
			replicas, partitions int64) ([]*literal.Literal, error) {
			out, err := hlo.EvaluateAll(ctx, m, args, o, replicas, partitions)
			if count++; err == nil && len(args) == 1 {
				p := &program{name: t.Name(), m: m, args: args[0], tol: tolerance(m)}
				if all = append(all, p); sampled("ops", count%5*29+count%5) && !p.draws() {
					list = append(list, p)
				}
			}
			return out, err
		}, 0)
	})
	if count < 400 {
		t.Errorf("there are %d cases, want 400 or more", count)
	}
	ready(t, all, 330)
	runAll(t, list, 60)
}

// tolerance is the sum of the ULPs of m's operations, and what sums of products may differ by.
func tolerance(m *hlo.Module) literal.Tolerance {
	tol := literal.Tolerance{}
	for _, c := range m.Computations {
		for _, in := range c.Instructions {
			tol.ULP += in.Op.Info().ULPOf(in.Shape.Type)
			switch in.Op {
			case hlo.Dot, hlo.Convolution, hlo.Fft, hlo.Cholesky, hlo.TriangularSolve:
				tol.RTol, tol.ATol = 1e-5, 1e-5
			}
		}
	}
	return tol
}

// TestRandomKernels runs random programs, with and without fusions.
func TestRandomKernels(t *testing.T) {
	for _, fused := range []bool{false, true} {
		t.Run(fmt.Sprintf("fused=%v", fused), func(t *testing.T) {
			var list []*program
			for seed := range uint64(20) {
				list = append(list, randomProgram(t, seed, fused))
			}
			runAll(t, list, 16)
		})
	}
}

func randomProgram(t *testing.T, seed uint64, fused bool) *program {
	m, err := hlo.Parse([]byte(backendtest.Program(seed)), "random.hlo")
	if err != nil {
		t.Fatal(err)
	}
	p := &program{name: fmt.Sprintf("seed %d", seed), m: m, tol: literal.Tolerance{ULP: 4}}
	r := rand.New(rand.NewPCG(seed, 3))
	for _, param := range m.Entry.Parameters {
		p.args = append(p.args, randomLiteral(r, param.Shape, false))
	}
	if fused {
		p.m = backendtest.Fused(t, m, emit.Fusible())
	}
	return p
}

var specials = []float64{math.NaN(), math.Inf(1), math.Inf(-1), math.Copysign(0, -1), 0, 1e-40, -1e-40, 1e38, -1e38, 0.5,
	-0.5, 1.5, 2.5, 1e-8, 65504, 3e4, -128, 255, 2147483648, -2147483649, 1e300, 5e-324, 0.49999997}

// randomLiteral has small whole numbers, or anything.
func randomLiteral(r *rand.Rand, s shape.Shape, anything bool) *literal.Literal {
	w := literal.MakeWide(s.Type.Class(), int(s.Size()))
	number := func() float64 {
		switch {
		case !anything:
			return float64(r.IntN(9) - 4)
		case r.IntN(3) == 0:
			return specials[r.IntN(len(specials))]
		}
		return r.NormFloat64() * math.Exp2(float64(r.IntN(12)-4))
	}
	for i := range w.Len() {
		switch w.Class {
		case shape.PredClass:
			w.B[i] = r.IntN(2) == 0
		case shape.SignedClass:
			w.I[i] = int64(r.IntN(9) - 4)
			if anything {
				w.I[i] = int64(r.Uint64()) >> r.IntN(64)
			}
		case shape.UnsignedClass:
			w.U[i] = uint64(r.IntN(9))
			if anything {
				w.U[i] = r.Uint64() >> r.IntN(64)
			}
		case shape.FloatClass:
			w.F[i] = number()
		default:
			w.C[i] = complex(number(), number())
		}
	}
	return literal.FromWide(s.WithoutLayout(), wrapped(w, s.Type))
}

// wrapped keeps integers in the range of t.
func wrapped(w literal.Wide, t shape.ElementType) literal.Wide {
	up := 64 - t.Bits()
	for i, v := range w.I {
		w.I[i] = v << up >> up
	}
	for i, v := range w.U {
		w.U[i] = v << up >> up
	}
	return w
}

// arrayTypes are all types of arrays.
func arrayTypes() []shape.ElementType {
	var list []shape.ElementType
	for t := range shape.NumElementTypes {
		if t.IsArray() {
			list = append(list, t)
		}
	}
	return list
}

// oneOp is the program of one instruction; line has %s where its result's shape goes.
func oneOp(r *rand.Rand, name, result, op string, anything bool, params ...shape.Shape) (*program, error) {
	text, names := "HloModule one\nENTRY e {\n", ""
	var args []*literal.Literal
	for i, s := range params {
		text += fmt.Sprintf("  p%d = %v parameter(%d)\n", i, s, i)
		if i > 0 {
			names += ", "
		}
		names += fmt.Sprintf("p%d", i)
		args = append(args, randomLiteral(r, s, anything))
	}
	m, err := hlo.Parse(fmt.Appendf(nil, "%s  ROOT r = %s %s\n}\n", text, result, fmt.Sprintf(op, names)), "one.hlo")
	if err != nil {
		return nil, err
	}
	return &program{name: name, m: m, args: args, tol: tolerance(m)}, hlo.Verify(m)
}

// sampled thins out cases that are many: all run where $HALO_OP is "all", or those of the op that it names.
func sampled(op string, n int) bool {
	switch only := os.Getenv("HALO_OP"); only {
	case "":
		return n%29 == 0
	case "all", op:
		return true
	}
	return false
}

// TestElementwise runs each op on elements with types that it is defined on, on special values.
func TestElementwise(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var list []*program
	count, defined := 0, 0
	for op := range hlo.NumOps {
		info := op.Info()
		n := len(strings.Fields(info.Operands))
		if !emit.Has(op) || info.Traits&hlo.Elementwise == 0 || info.Attrs != nil || n > 2 || info.Name == "is-finite" {
			continue
		}
		for _, ty := range arrayTypes() {
			s := shape.Array(ty, 333)
			out := s
			if info.Name == "abs" {
				out = out.WithType(ty.Component())
			}
			// where powers of huge complex numbers overflow, their angles mean nothing
			anything := info.Name != "power" || !ty.IsComplex()
			p, err := oneOp(r, fmt.Sprintf("%s %v", info.Name, ty), out.String(), info.Name+"(%s)", anything,
				slices.Repeat([]shape.Shape{s}, n)...)
			if count++; err != nil {
				continue
			}
			if defined++; sampled(info.Name, count) {
				if ty == shape.C128 || ty == shape.C64 {
					p.tol.RTol = 1e-6
				}
				list = append(list, p)
			}
		}
	}
	if defined < 900 {
		t.Errorf("there are %d pairs of an op and a type that it is defined on, want 900 or more", defined)
	}
	runAll(t, list, 30)
}

// TestConvert converts between all types.
func TestConvert(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	var list []*program
	count := 0
	for _, from := range arrayTypes() {
		for _, to := range arrayTypes() {
			s := shape.Array(from, 300)
			p, err := oneOp(r, fmt.Sprintf("%v to %v", from, to), s.WithType(to).String(), "convert(%s)", true, s)
			if err != nil {
				t.Fatal(err)
			}
			if count++; sampled("convert", count) {
				list = append(list, p)
			}
		}
	}
	runAll(t, list, 35)
}
