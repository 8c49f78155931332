package cpu_test

import (
	"bytes"
	"context"
	"math/rand/v2"
	"testing"

	"github.com/halo-xla/halo/backend/cpu"
	"github.com/halo-xla/halo/xla/exec"
	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// program is a text and what it is run with.
type program struct {
	text string
	// ulp is how far elements may be from the evaluator's; 0: the same bits but for NaN.
	ulp int64
	// near is how far they may be from it instead.
	near float64
	args []*literal.Literal
	// devices are the arguments of each device, if not all have args.
	devices [][]*literal.Literal
	run     exec.RunOptions
	o       exec.Options
}

// evaluated is what the evaluator makes of p on each device.
func (p *program) evaluated(t *testing.T, m *hlo.Module) []*literal.Literal {
	t.Helper()
	o := hlo.EvalOptions{Seed: p.run.Seed, Handlers: p.o.Handlers, Feeds: p.run.Feeds, Host: p.run.Host}
	want, err := hlo.EvaluateAll(context.Background(), m, p.perDevice(), o, max(int64(p.run.Replicas), 1),
		max(int64(p.run.Partitions), 1))
	if err != nil {
		t.Fatalf("%s\n%v", p.text, err)
	}
	return want
}

// perDevice returns the arguments of all devices.
func (p *program) perDevice() [][]*literal.Literal {
	if p.devices != nil {
		return p.devices
	}
	args := make([][]*literal.Literal, max(p.run.Replicas, 1)*max(p.run.Partitions, 1))
	for d := range args {
		args[d] = p.args
	}
	return args
}

// results runs p on the backend with so many threads.
func (p *program) results(t *testing.T, m *hlo.Module, threads int) []*literal.Literal {
	t.Helper()
	ctx := context.Background()
	program, err := cpu.New(cpu.Options{Threads: threads}).Compile(ctx, m, p.o)
	if err != nil {
		t.Fatalf("%s\n%v", p.text, err)
	}
	defer program.Close()
	out, err := program.Run(ctx, p.perDevice(), p.run)
	if err != nil {
		t.Fatalf("%s\n%v", p.text, err)
	}
	return out
}

func parsed(t *testing.T, text string) *hlo.Module {
	t.Helper()
	m, err := hlo.Parse([]byte(text), "m.hlo")
	if err == nil {
		err = hlo.Verify(m)
	}
	if err != nil {
		t.Fatalf("%s\n%v", text, err)
	}
	return m
}

// agree fails unless the backend gives what the evaluator gives, with the same bits for 1, 2, 3 and 7 threads.
func agree(t *testing.T, p program) {
	t.Helper()
	m := parsed(t, p.text)
	want := p.evaluated(t, m)
	got := p.results(t, m, 1)
	for d, w := range want {
		if diff := literal.Compare(got[d], w, literal.Tolerance{ULP: p.ulp, ATol: p.near}); diff != nil {
			t.Errorf("%s\ndevice %d: %v\nseed %d", p.text, d, diff, p.run.Seed)
		}
	}
	for _, threads := range []int{2, 3, 7} {
		for d, l := range p.results(t, m, threads) {
			if !sameBytes(l, got[d]) {
				t.Errorf("%s\ndevice %d: other bits with %d threads", p.text, d, threads)
			}
		}
	}
}

func sameBytes(a, b *literal.Literal) bool {
	x, y := a.Leaves(), b.Leaves()
	for i := range x {
		if !bytes.Equal(x[i].Bytes(), y[i].Bytes()) {
			return false
		}
	}
	return len(x) == len(y)
}

// random returns an array of normal numbers of any type that has them.
func random(r *rand.Rand, s shape.Shape) *literal.Literal {
	w := literal.MakeWide(s.Type.Class(), int(s.Size()))
	for i := range w.Len() {
		switch w.Class {
		case shape.FloatClass:
			w.F[i] = r.NormFloat64()
		case shape.ComplexClass:
			w.C[i] = complex(r.NormFloat64(), r.NormFloat64())
		case shape.SignedClass:
			w.I[i] = r.Int64()
		case shape.UnsignedClass:
			w.U[i] = r.Uint64()
		default:
			w.B[i] = r.IntN(2) == 1
		}
	}
	return literal.FromWide(s, w)
}
