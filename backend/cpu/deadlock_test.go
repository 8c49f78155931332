package cpu_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/halo-xla/halo/backend/cpu"
	"github.com/halo-xla/halo/internal/testfile"
	"github.com/halo-xla/halo/xla/collective"
	"github.com/halo-xla/halo/xla/exec"
	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// width is the size of all values of a gathering, which groups of 1 to 8 devices divide.
const width = 840

// gathering writes programs of collectives over random groups.
type gathering struct {
	*rand.Rand
	replicas, partitions int
	text                 strings.Builder
	values, channels     int
}

// add adds an instruction of n elements and returns its name.
func (g *gathering) add(n int, format string, args ...any) string {
	g.values++
	fmt.Fprintf(&g.text, "  v%d = f32[%d] %s\n", g.values, n, fmt.Sprintf(format, args...))
	return fmt.Sprintf("v%d", g.values)
}

// channel returns the attribute of a new channel.
func (g *gathering) channel() string {
	g.channels++
	return fmt.Sprintf(", channel_id=%d", g.channels)
}

// groups returns the attributes of random groups that every device is in, and how many devices each has if they are to
// be of equal size. joins says that with a channel alone the groups are of replicas with all their partitions, not of
// partitions.
func (g *gathering) groups(joins, equal bool) (attrs string, size int) {
	n, times := g.replicas, 1
	switch g.IntN(3) {
	case 1:
		attrs = g.channel()
		if joins {
			times = g.partitions
		} else {
			n = g.partitions
		}
	case 2:
		n, attrs = g.replicas*g.partitions, g.channel()+", use_global_device_ids=true"
	}
	per := 1 + g.IntN(n)
	for equal && n%per != 0 {
		per = 1 + g.IntN(n)
	}
	var lists []string
	for ids := g.Perm(n); len(ids) > 0; {
		k := min(per, len(ids))
		lists, ids = append(lists, commas(ids[:k])), ids[k:]
		if !equal {
			per = 1 + g.IntN(n)
		}
	}
	return ", replica_groups={{" + strings.Join(lists, "},{") + "}}" + attrs, per * times
}

func commas(ids []int) string {
	return strings.ReplaceAll(strings.Trim(fmt.Sprint(ids), "[]"), " ", ",")
}

// collectives are what a program has one to four of, each from a value to another.
var collectives = []func(g *gathering, x string) string{
	func(g *gathering, x string) string {
		groups, _ := g.groups(true, false)
		return g.add(width, "all-reduce(%s)%s, to_apply=%s", x, groups, []string{"add", "sub", "mean"}[g.IntN(3)])
	},
	func(g *gathering, x string) string {
		groups, _ := g.groups(true, false)
		s := g.add(width, "all-reduce-start(%s)%s, to_apply=sub", x, groups)
		y := g.add(width, "negate(%s)", x)
		return g.add(width, "add(%s, %s)", g.add(width, "all-reduce-done(%s)", s), y)
	},
	func(g *gathering, x string) string {
		groups, n := g.groups(true, true)
		all := g.add(width*n, "all-gather(%s)%s, dimensions={0}", x, groups)
		at := g.IntN(width*(n-1) + 1)
		return g.add(width, "slice(%s), slice={[%d:%d]}", all, at, at+width)
	},
	func(g *gathering, x string) string {
		groups, n := g.groups(true, true)
		part := g.add(width/n, "reduce-scatter(%s)%s, dimensions={0}, to_apply=sub", x, groups)
		return g.add(width, "concatenate(%s), dimensions={0}", strings.TrimSuffix(strings.Repeat(part+", ", n), ", "))
	},
	func(g *gathering, x string) string {
		n, channel := g.replicas, ""
		if g.IntN(2) == 0 {
			n, channel = g.partitions, g.channel()
		}
		from, to := g.Perm(n), g.Perm(n)
		var pairs []string
		for i := range 1 + g.IntN(n) {
			pairs = append(pairs, fmt.Sprintf("{%d,%d}", from[i], to[i]))
		}
		return g.add(width, "collective-permute(%s), source_target_pairs={%s}%s", x, strings.Join(pairs, ","), channel)
	},
	func(g *gathering, x string) string {
		groups, _ := g.groups(false, true)
		return g.add(width, "all-to-all(%s)%s, dimensions={0}", x, groups)
	},
	func(g *gathering, x string) string {
		groups, _ := g.groups(false, true)
		return g.add(width, "collective-broadcast(%s)%s", x, groups)
	},
}

// program returns a program; one in which some devices go another way has them meet in different orders.
func (g *gathering) program() (text string, differ bool) {
	body := func() string {
		g.text.Reset()
		x := "p"
		g.text.WriteString("  p = f32[840] parameter(0)\n")
		for range 1 + g.IntN(4) {
			x = collectives[g.IntN(len(collectives))](g, x)
		}
		fmt.Fprintf(&g.text, "  ROOT r = f32[840] negate(%s)\n", x)
		return g.text.String()
	}
	one := body()
	if g.IntN(4) > 0 {
		return reducers + "ENTRY e {\n" + one + "}", false
	}
	return reducers + "one {\n" + one + "}\nother {\n" + body() + "}\n" + `ENTRY e {
  p = f32[840] parameter(0)
  q = u32[] partition-id()
  r = u32[] replica-id()
  s = u32[] add(q, r)
  z = u32[] constant(` + strconv.Itoa(g.IntN(3)) + `)
  c = pred[] compare(s, z), direction=GT
  ROOT v = f32[840] conditional(c, p, p), true_computation=one, false_computation=other
}`, true
}

// runsOf is how many random programs a test runs: $HALO_RUNS, or 300.
func runsOf(t *testing.T) int {
	t.Helper()
	text := os.Getenv("HALO_RUNS")
	if text == "" {
		return 300
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatalf("HALO_RUNS: %v", err)
	}
	return n
}

// TestDeadlocks runs random programs of collectives on two to eight devices. All end: with the reference's results, or,
// if devices go different ways, with an error where the reference has one.
func TestDeadlocks(t *testing.T) {
	seed := testfile.Seed(t)
	wrong := 0
	for i := range runsOf(t) {
		r := rand.New(rand.NewPCG(seed, uint64(i)))
		g := &gathering{Rand: r, replicas: 1 + r.IntN(4), partitions: 1 + r.IntN(2)}
		if g.replicas*g.partitions == 1 {
			g.replicas = 2 + r.IntN(7)
		}
		text, differ := g.program()
		if g.end(t, text, differ) {
			wrong++
		}
		if t.Failed() {
			t.Fatalf("seed %d, program %d of %d replicas of %d partitions:\n%s", seed, i, g.replicas, g.partitions, text)
		}
	}
	t.Logf("%d programs end with an error, in both ways", wrong)
}

// end runs a program and reports whether the reference fails.
func (g *gathering) end(t *testing.T, text string, differ bool) bool {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute) // for what hangs
	defer cancel()
	m := parsed(t, text)
	args := make([][]*literal.Literal, g.replicas*g.partitions)
	for d := range args {
		args[d] = []*literal.Literal{random(g.Rand, shape.Array(shape.F32, width))}
	}
	want, wantErr := hlo.EvaluateAll(ctx, m, args, hlo.EvalOptions{}, int64(g.replicas), int64(g.partitions))
	p, err := cpu.New(cpu.Options{Threads: 1 + g.IntN(4)}).Compile(ctx, m, exec.Options{})
	if err != nil {
		t.Errorf("compile: %v", err)
		return false
	}
	defer p.Close()
	got, err := p.Run(ctx, args, exec.RunOptions{Replicas: g.replicas, Partitions: g.partitions})
	for _, e := range []error{wantErr, err} {
		if errors.Is(e, context.DeadlineExceeded) || e != nil && !differ {
			t.Errorf("it does not end by itself: %v", e)
		}
	}
	if (wantErr == nil) != (err == nil) {
		t.Errorf("got %v, want %v", err, wantErr)
	}
	same := func(where string, got []*literal.Literal) {
		for d := range got {
			if diff := literal.Compare(got[d], want[d], literal.Tolerance{Bits: true}); wantErr == nil && diff != nil {
				t.Errorf("%s: device %d: %v", where, d, diff)
			}
		}
	}
	same("here", got)
	if wantErr == nil {
		g.onRanks(t, func(job *collective.Job) {
			o := exec.RunOptions{Replicas: g.replicas, Partitions: g.partitions, Job: job}
			got, err := p.Run(ctx, args, o)
			if err != nil {
				t.Errorf("rank %d of %d: %v", job.Rank(), job.Ranks(), err)
			}
			same(fmt.Sprintf("rank %d of %d", job.Rank(), job.Ranks()), got)
		})
	}
	return wantErr != nil
}

// onRanks calls f on each of some ranks.
func (g *gathering) onRanks(t *testing.T, f func(job *collective.Job)) {
	var wg sync.WaitGroup
	for _, tr := range collective.Loopback(2 + g.IntN(g.replicas*g.partitions)) {
		wg.Go(func() {
			defer tr.Close()
			f(collective.NewJob(tr))
		})
	}
	wg.Wait()
}
