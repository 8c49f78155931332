package cpu_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/halo-xla/halo/backend/cpu"
	"github.com/halo-xla/halo/internal/testfile"
	"github.com/halo-xla/halo/xla/exec"
	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// threadCounts are the numbers of threads that must give the same bits.
var threadCounts = []int{1, 2, 3, 7}

// compiled parses a program and compiles it for a backend, without the reference for what has no kernel.
func compiled(t testing.TB, b exec.Backend, text string) (*hlo.Module, exec.Program) {
	t.Helper()
	m, err := hlo.Parse([]byte(text), "test.hlo")
	if err == nil {
		err = hlo.Verify(m)
	}
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	p, err := b.Compile(context.Background(), m, exec.Options{})
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return m, p
}

// kernels are the names of those that run a program.
func kernels(t *testing.T, text string) (list []string) {
	_, p := compiled(t, cpu.New(cpu.Options{}), text)
	defer p.Close()
	for _, s := range p.Report() {
		list = append(list, s.Kernel)
	}
	return list
}

// results runs a compiled program on one device.
func results(t testing.TB, p exec.Program, text string, args []*literal.Literal) *literal.Literal {
	t.Helper()
	out, err := p.Run(context.Background(), [][]*literal.Literal{args}, exec.RunOptions{})
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return out[0]
}

// same fails unless the program has the reference's bits with every number of threads. fill makes the arguments; nil:
// elements of any bits.
func same(t *testing.T, r *rand.Rand, text string, fill func(i int, s shape.Shape) *literal.Literal) {
	t.Helper()
	m, reference := compiled(t, exec.Reference(), text)
	defer reference.Close()
	var args []*literal.Literal
	for i, in := range m.Entry.Parameters {
		if fill == nil {
			args = append(args, anyBits(r, in.Shape))
			continue
		}
		args = append(args, fill(i, in.Shape))
	}
	want := results(t, reference, text, args)
	for _, threads := range threadCounts {
		_, p := compiled(t, cpu.New(cpu.Options{Threads: threads}), text)
		got := results(t, p, text, args)
		p.Close()
		if d := literal.Compare(got, want, literal.Tolerance{Bits: true}); d != nil {
			t.Fatalf("%d threads: %v\n%s", threads, d, text)
		}
	}
}

// anyBits fills an array with bits that its type has.
func anyBits(r *rand.Rand, s shape.Shape) *literal.Literal {
	l, t := literal.Zeros(s), s.Type
	for i := range l.Bytes() {
		b := byte(r.Uint32())
		switch {
		case t == shape.Pred:
			b &= 1
		case t.IsSigned() && t.Bits() < 8:
			b = byte(int8(b<<(8-t.Bits())) >> (8 - t.Bits()))
		case t.Bits() < 8:
			b &= 1<<t.Bits() - 1
		}
		l.Bytes()[i] = b
	}
	return l
}

// arrayTypes are the types of array elements.
func arrayTypes() (list []shape.ElementType) {
	for t := range shape.NumElementTypes {
		if t.IsArray() {
			list = append(list, t)
		}
	}
	return list
}

// newRand returns a generator and logs its seed.
func newRand(t testing.TB) *rand.Rand {
	seed := testfile.Seed(t)
	return rand.New(rand.NewPCG(seed, 0))
}
