// Package backendtest holds every backend to the reference: the cases of each operation, and random programs that
// shrink to the instruction at fault.
package backendtest

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/halo-xla/halo/xla/exec"
	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/pass"
	"github.com/halo-xla/halo/xla/shape"
)

// Options say how much is run and what is allowed. The zero value is what tests want.
type Options struct {
	// Programs is how many random programs run; 0: 300. Seed is that of the first.
	Programs int
	Seed     uint64
	// AllowReference lets the reference run what the backend cannot.
	AllowReference bool
}

// Random runs random programs on b and on the reference. Whole numbers, and all that is rounded once, must be equal to
// the bit; other results may differ by the ULPs of the operation table. A program that differs is cut down to the first
// instruction at fault, which the failure prints with its seed.
func Random(t *testing.T, b exec.Backend, o Options) {
	t.Helper()
	n := o.Programs
	if n == 0 {
		n = 300
	}
	failed := 0
	for seed := o.Seed; seed < o.Seed+uint64(n) && failed < 5; seed++ {
		s := &subject{b: b, o: o, p: generate(seed, programLength), seed: seed}
		if err := s.check(); err != nil {
			failed++
			t.Errorf("seed %d: %v", seed, err)
		}
	}
}

// Program returns the text of the random program of a seed, as failures name it.
func Program(seed uint64) string {
	p := generate(seed, programLength)
	return p.text(p.values[len(p.values)-1])
}

// Fused returns m with the fusions that a backend takes, for tests of its kernels.
func Fused(t *testing.T, m *hlo.Module, f pass.Fusible) *hlo.Module {
	t.Helper()
	passes := []pass.Pass{pass.Simplify(), pass.DCE(), pass.Fuse(f)}
	out, err := pass.Run(context.Background(), m, passes, pass.Options{Verify: true})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// programLength is about how many instructions a random program has.
const programLength = 12

// subject is a random program under test.
type subject struct {
	b    exec.Backend
	o    Options
	p    *program
	seed uint64
	args []*literal.Literal
}

// check compares each value of the program, from the last to the first, until one is right; the first wrong one is
// where the fault is.
func (s *subject) check() error {
	s.args = s.p.arguments(s.seed)
	last := s.p.values[len(s.p.values)-1]
	if s.differs(last, s.p.text(last), s.args) == nil {
		return nil
	}
	for _, v := range s.p.values {
		err := s.differs(v, s.p.text(v), s.args)
		if err == nil {
			continue
		}
		if args, ok := s.operands(v); ok {
			if alone := s.differs(v, v.alone(), args); alone != nil {
				return fmt.Errorf("%w\n%s%s", alone, v.alone(), show(args))
			}
		}
		return fmt.Errorf("%w\n%s%s", err, s.p.text(v), show(s.args))
	}
	return fmt.Errorf("the program differs, but none of its parts does:\n%s", s.p.text(last))
}

// show prints arguments that are short.
func show(args []*literal.Literal) string {
	text := ""
	for i, a := range args {
		line := a.String()
		text += fmt.Sprintf("argument %d: %s\n", i, line[:min(len(line), 400)])
	}
	return text
}

// operands are the values of v's operands by the reference, each once.
func (s *subject) operands(v *val) ([]*literal.Literal, bool) {
	var args []*literal.Literal
	seen := map[*val]bool{}
	for _, o := range v.operands {
		if seen[o] {
			continue
		}
		seen[o] = true
		l, err := run(exec.Reference(), s.p.text(o), s.args, true)
		if err != nil {
			return nil, false
		}
		args = append(args, l)
	}
	return args, true
}

func (s *subject) differs(v *val, text string, args []*literal.Literal) error {
	want, err := run(exec.Reference(), text, args, true)
	if err != nil {
		return fmt.Errorf("the reference fails: %w", err)
	}
	got, err := run(s.b, text, args, s.o.AllowReference)
	if err != nil {
		return err
	}
	if d := literal.Compare(got, want, literal.Tolerance{ULP: v.ulp}); d != nil {
		return fmt.Errorf("%s differs: %v", v.name, d)
	}
	return nil
}

// run compiles and runs a program once.
func run(b exec.Backend, text string, args []*literal.Literal, allow bool) (*literal.Literal, error) {
	m, err := hlo.Parse([]byte(text), "random.hlo")
	if err != nil {
		return nil, err
	}
	ctx := context.Background()
	x, err := b.Compile(ctx, m, exec.Options{AllowReference: allow})
	if err != nil {
		return nil, err
	}
	defer x.Close()
	out, err := x.Run(ctx, [][]*literal.Literal{args}, exec.RunOptions{})
	if err != nil {
		return nil, err
	}
	return out[0], held(ctx, b, x, args, exec.RunOptions{}, out[0])
}

// arguments makes the values of the parameters.
func (p *program) arguments(seed uint64) []*literal.Literal {
	r := rand.New(rand.NewPCG(seed, 11))
	var args []*literal.Literal
	for _, v := range p.values {
		if len(args) < p.params && v.operands == nil && v.line == fmt.Sprintf("parameter(%d)", len(args)) {
			args = append(args, v.argument(r))
		}
	}
	return args
}

var special = []float64{math.NaN(), math.Inf(1), math.Inf(-1), math.Copysign(0, -1), 0, 1e-40, -1e-40, 1e38, -1e38, 0.5,
	-0.5, 1.5, 2.5, 1e-8, 65504, 3e4, -128, 255, 2147483648, -2147483649}

func (v *val) argument(r *rand.Rand) *literal.Literal {
	class := v.t.Class()
	w := literal.MakeWide(class, int(v.size()))
	for i := range v.size() {
		n := r.IntN(9) - 4
		switch class {
		case shape.PredClass:
			w.B[i] = n&1 == 0
		case shape.SignedClass:
			w.I[i] = int64(n)
		case shape.UnsignedClass:
			w.U[i] = uint64(n + 4)
		case shape.ComplexClass:
			w.C[i] = complex(float64(n), float64(r.IntN(9)-4))
		case shape.FloatClass:
			w.F[i] = float64(n)
			if math.IsInf(v.mag, 1) {
				w.F[i] = anything(r)
			}
		}
	}
	return literal.FromWide(v.shape(), w)
}

// anything is a special value or a normal number.
func anything(r *rand.Rand) float64 {
	if r.IntN(3) == 0 {
		return special[r.IntN(len(special))]
	}
	return r.NormFloat64() * 10
}
