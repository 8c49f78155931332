package cpu

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/halo-xla/halo/xla/exec"
	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/shape"
)

// BenchmarkContractors compares the ways to compute a dot, all in one run: the metric is the time of each over the
// quickest's. Run it with -benchtime 1x.
func BenchmarkContractors(b *testing.B) {
	for _, typ := range []shape.ElementType{shape.F32, shape.F64, shape.BF16, shape.S8} {
		for _, s := range [][3]int{{64, 64, 64}, {256, 256, 256}, {512, 512, 512}, {1, 1024, 1024}, {128, 768, 768}} {
			b.Run(fmt.Sprint(typ, s), func(b *testing.B) { compareContractors(b, typ, s[0], s[1], s[2]) })
		}
	}
}

func compareContractors(b *testing.B, typ shape.ElementType, m, n, k int) {
	out := typ
	if typ == shape.S8 {
		out = shape.S32
	}
	text := fmt.Sprintf("ENTRY e { a = %[1]v[%[3]d,%[5]d] parameter(0) b = %[1]v[%[5]d,%[4]d] parameter(1) "+
		"ROOT c = %[2]v[%[3]d,%[4]d] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0} }", typ, out, m, n, k)
	all := contractors
	defer func() { contractors = all }()
	best := map[string]time.Duration{}
	var names []string
	var runs []func() time.Duration
	for i := range all {
		contractors = all[i : i+1]
		mod, p := compile(b, New(Options{Threads: 1}), text)
		run, name := timed(b, mod, p), p.Report()[0].Kernel
		if _, twice := best[name]; !twice {
			names, runs, best[name] = append(names, name), append(runs, run), time.Hour
		}
	}
	for range 30 {
		for i, run := range runs {
			best[names[i]] = min(best[names[i]], run())
		}
	}
	for _, name := range names {
		b.Logf("%-40s %8.1f us %7.1f GF/s", name, float64(best[name])/1e3, 2*float64(m)*float64(n)*float64(k)/float64(best[name]))
	}
}

// timed returns what runs a program once on random operands and says how long it took.
func timed(b *testing.B, m *hlo.Module, p exec.Program) func() time.Duration {
	r := rand.New(rand.NewPCG(1, 1))
	x, y := random(r, m.Entry.Parameters[0].Shape), random(r, m.Entry.Parameters[1].Shape)
	return func() time.Duration {
		start := time.Now()
		execute(b, p, x, y)
		return time.Since(start)
	}
}
