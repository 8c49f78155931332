//go:build cgo && linux

package cuda

import (
	"context"
	"errors"
	"os"
	"regexp"
	"slices"
	"testing"

	"github.com/halo-xla/halo/backend/cuda/emit"
	"github.com/halo-xla/halo/internal/testfile"
	"github.com/halo-xla/halo/xla/exec"
	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/pass"
)

// program is a test: a module without control flow, each instruction of which is kernels of its own.
type program struct {
	name string
	m    *hlo.Module
	args []*literal.Literal
	tol  literal.Tolerance
}

// plain are the ops that need no kernel.
var plain = map[hlo.Opcode]bool{hlo.Parameter: true, hlo.Constant: true, hlo.Tuple: true, hlo.GetTupleElement: true}

// draws reports whether p draws random numbers that depend on what has been drawn before.
func (p *program) draws() bool {
	return slices.ContainsFunc(p.m.Entry.Instructions, func(in *hlo.Instruction) bool {
		return in.Op == hlo.Rng || in.Op == hlo.RngGetAndUpdateState
	})
}

// refused returns why there is no kernel for an instruction, nil if there are kernels for all.
func (p *program) refused() error {
	for _, in := range p.m.Entry.Instructions {
		if plain[in.Op] {
			continue
		}
		if _, err := emit.Lower(in); err != nil {
			return err
		}
	}
	return nil
}

// refusals are what there is no kernel for in programs of tests.
var refusals = regexp.MustCompile(`^(` +
	`there is no kernel for (async-start|batch-norm-(grad|inference|training)|conditional|copy-start|domain|` +
	`get-dimension-size|opt-barrier|while)|` +
	`(dynamic-(broadcast-in-dim|convolution|gather|iota|pad|reshape)|real-dynamic-slice|set-dimension-size) ` +
	`has dynamic dimensions|` +
	`after-all of token\[\]|` +
	`reshape from s32\[2,3\] to s32\[6\]|` + // of another layout
	`scan with a computation that mixes elements|` +
	`scan over steps of sizes .*|` +
	`no kernel has while inside): `)

// ready returns the programs that there are kernels for: all but those of refusals, and no fewer than atLeast unless
// $HALO_OP picks some.
func ready(t *testing.T, list []*program, atLeast int) []*program {
	t.Helper()
	var out []*program
	for _, p := range list {
		switch err := p.refused(); {
		case err == nil:
			out = append(out, p)
		case !errors.Is(err, errors.ErrUnsupported) || !refusals.MatchString(err.Error()):
			t.Errorf("%s: %v", p.name, err)
		}
	}
	if len(out) < atLeast && os.Getenv("HALO_OP") == "" {
		t.Errorf("there are %d programs, want %d or more", len(out), atLeast)
	}
	return out
}

// unchanged is the machine without passes: what a test says is what runs.
type unchanged struct{ *machine }

func (unchanged) Passes() []pass.Pass { return nil }

// runAll runs programs, of which there must be so many, as parts of one, so that g++ is called once, and compares their
// results with the evaluator's.
func runAll(t *testing.T, list []*program, atLeast int) {
	t.Helper()
	d, err := open(chosen())
	testfile.Library(t, chosenName(), err)
	list = ready(t, list, atLeast)
	m, args := joined(t, list)
	b := exec.New(unchanged{&machine{d}})
	p := compiled(t, b, m, exec.Options{})
	out, err := p.Run(context.Background(), [][]*literal.Literal{args}, exec.RunOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for i, p := range list {
		p.check(t, out[0].Elems()[i])
	}
}

// joined makes one program of many.
func joined(t *testing.T, list []*program) (*hlo.Module, []*literal.Literal) {
	b := hlo.NewBuilder("all")
	var args []*literal.Literal
	var roots []*hlo.Instruction
	for _, p := range list {
		var operands []*hlo.Instruction
		for i, a := range p.args {
			operands = append(operands, b.Parameter(int64(len(args)), p.m.Entry.Parameters[i].Shape, ""))
			args = append(args, a)
		}
		roots = append(roots, b.Call(p.m.Entry, operands...))
	}
	entry, err := b.Build(b.Tuple(roots...))
	if err != nil {
		t.Fatal(err)
	}
	return hlo.NewModule("all", entry), args
}

func head(s string, n int) string { return s[:min(n, len(s))] }

// check compares the program's results.
func (p *program) check(t *testing.T, got *literal.Literal) {
	t.Helper()
	want, err := hlo.Evaluate(context.Background(), p.m, p.args, hlo.EvalOptions{})
	if err != nil {
		t.Fatalf("%s: %v", p.name, err)
	}
	for i, w := range want.Leaves() {
		if d := literal.Compare(got.Leaves()[i], w, p.tol); d != nil {
			t.Errorf("%s: result %d: %v\n%s", p.name, i, d, head(p.m.Text(), 1500))
			return
		}
	}
}
