package backendtest

import (
	"context"
	"testing"

	"github.com/halo-xla/halo/internal/opcase"
	"github.com/halo-xla/halo/internal/testfile"
	"github.com/halo-xla/halo/xla/exec"
	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/literal"
)

// Ops runs the cases of each operation, the files of pattern, on b. Results may differ from what a case wants by the
// ULPs of the operation table.
func Ops(t *testing.T, b exec.Backend, pattern string, o Options) {
	testfile.Run(t, pattern, func(t *testing.T, c *testfile.Case) {
		m, err := hlo.Parse([]byte(c.Source()), c.File)
		if err != nil {
			t.Fatal(err)
		}
		opcase.CheckWith(t, c, m, runner(b, o), tolerance(m))
	})
}

// tolerance is the sum of the ULPs of m's operations.
func tolerance(m *hlo.Module) int64 {
	n := int64(0)
	for _, c := range m.Computations {
		for _, in := range c.Instructions {
			n += in.Op.Info().ULPOf(in.Shape.Type)
		}
	}
	return n
}

// runner runs programs of b as the reference's are run.
func runner(b exec.Backend, o Options) opcase.Runner {
	return func(ctx context.Context, m *hlo.Module, args [][]*literal.Literal, e hlo.EvalOptions,
		replicas, partitions int64) ([]*literal.Literal, error) {
		x, err := b.Compile(ctx, m, exec.Options{Handlers: e.Handlers, AllowReference: o.AllowReference})
		if err != nil {
			return nil, err
		}
		defer x.Close()
		run := exec.RunOptions{Seed: e.Seed, Feeds: e.Feeds, Host: e.Host, Replicas: int(replicas),
			Partitions: int(partitions)}
		out, err := x.Run(ctx, args, run)
		if err != nil || len(args) > 1 || e.Feeds != nil || e.Host != nil {
			return out, err
		}
		return out, held(ctx, b, x, args[0], run, out[0])
	}
}
