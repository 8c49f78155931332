package exec

import (
	"strings"
	"sync"
	"testing"

	"github.com/halo-xla/halo/xla/collective"
	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/pass"
)

// folding is a machine with other passes than bare.
type folding struct{ bare }

func (folding) Passes() []pass.Pass { return []pass.Pass{pass.Inline(), pass.Fold()} }

const sumOfFour = `HloModule m, replica_count=2
sum { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }
ENTRY e {
  one = f32[] constant(1)
  two = f32[] add(one, one)
  ROOT r = f32[] all-reduce(two), replica_groups={}, to_apply=sum
}`

const inParallel = `HloModule m
sum { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }
first {
  one = f32[] constant(1)
  two = f32[] add(one, one)
  ROOT r = f32[] all-reduce(two), replica_groups={}, to_apply=sum
}
second { p = f32[] constant(2) ROOT r = f32[] all-reduce(p), replica_groups={}, to_apply=sum }
ENTRY e { ROOT r = (f32[], f32[]) custom-call(), custom_call_target="interpreter.run_parallel",
  called_computations={first, second}, backend_config={programs = [[@first], [@second]]} }`

// TestIdentity wants ranks whose machines have other passes to run the same program together, and only that.
func TestIdentity(t *testing.T) {
	for name, c := range map[string]struct{ first, second, want string }{
		"the same":                {sumOfFour, sumOfFour, "4"},
		"another constant":        {sumOfFour, strings.Replace(sumOfFour, "constant(1)", "constant(3)", 1), ""},
		"the same in parallel":    {inParallel, inParallel, "4"},
		"another one in parallel": {inParallel, strings.Replace(inParallel, "constant(2)", "constant(5)", 1), ""},
	} {
		t.Run(name, func(t *testing.T) {
			var wg sync.WaitGroup
			for rank, transport := range collective.Loopback(2) {
				machine, text := Machine(bare{}), c.first
				if rank == 1 {
					machine, text = folding{}, c.second
				}
				wg.Go(func() {
					defer transport.Close()
					got, err := runOnce(t, machine, text, collective.NewJob(transport))
					if c.want == "" {
						if err == nil || !strings.Contains(err.Error(), "programs differ") {
							t.Errorf("rank %d: got %s, %v, want programs to differ", rank, got, err)
						}
						return
					}
					if err != nil || strings.Count(got, "f32[] "+c.want) < 2 && !strings.Contains(got, c.want+", "+c.want) {
						t.Errorf("rank %d: got %s, %v, want %s twice", rank, got, err, c.want)
					}
				})
			}
			wg.Wait()
		})
	}
}

// runOnce runs a program of two replicas, or of one, and returns the text of all results.
func runOnce(t *testing.T, m Machine, text string, job *collective.Job) (string, error) {
	module, err := hlo.Parse([]byte(text), "m.hlo")
	if err != nil {
		return "", err
	}
	p, err := New(m).Compile(t.Context(), module, Options{AllowReference: true})
	if err != nil {
		return "", err
	}
	defer p.Close()
	n := int(max(module.Config.NumReplicas, 1))
	results, err := p.Run(t.Context(), make([][]*literal.Literal, n), RunOptions{Replicas: n, Job: job})
	said := ""
	for _, l := range results {
		said += l.String() + " "
	}
	return said, err
}
