package pass

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/halo-xla/halo/internal/opcase"
	"github.com/halo-xla/halo/internal/testfile"
	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// everyPass are the passes by the names of their files in testdata/passes, in an order in which they make sense.
func everyPass() []Pass {
	return []Pass{Layout(), Inline(), DCE(), CSE(), Tuples(), ExpandBatchNorm(), Widen(anyFusion.Elementwise), Fold(), Simplify(),
		Reads(anyWidened), Precompute(byReference), Unroll(), Counters(), Rounds(), Hoist(), Convolutions(), Apart(), Planes(), Arguments(), Gates(),
		Transposes(), Turns(anyFusion.Elementwise), Fuse(anyFusion), Epilogue(anyEpilogue, anyFusion.Elementwise, true),
		Frame(anyFusion.Elementwise), Pieces()}
}

func anyWidened(in *hlo.Instruction) bool {
	if in.Op != hlo.Dot {
		return false
	}
	from, _ := Widened(in)
	return from != nil
}

func anyEpilogue(_, _ *hlo.Instruction) bool { return true }

// anyFusion takes all that Fuse can.
var anyFusion = Fusible{
	Elementwise: func(*hlo.Instruction) bool { return true },
	Reduce:      func(*hlo.Instruction) bool { return true },
	Rows:        func(*hlo.Instruction) bool { return true },
}

func passNamed(t *testing.T, name string) Pass {
	t.Helper()
	i := slices.IndexFunc(everyPass(), func(p Pass) bool { return p.Name == name })
	if i < 0 {
		t.Fatalf("no pass is called %q", name)
	}
	return everyPass()[i]
}

// TestPasses runs the pass that a file is named after on each of its programs: the text after it is the golden text, and
// both programs give the same on random arguments. "ulp: N" allows for floats that are rounded another way, "norun:"
// says why a program cannot run here.
func TestPasses(t *testing.T) {
	testfile.Run(t, "../../testdata/passes/*.txt", func(t *testing.T, c *testfile.Case) {
		if err := c.Only("ulp", "atol", "norun", "mixed", "threads"); err != nil {
			t.Fatal(err)
		}
		before := parse(t, c.Source())
		p := passNamed(t, strings.TrimSuffix(filepath.Base(c.File), ".txt"))
		f := anyFusion
		f.Mixed, f.Threads = len(c.All("mixed")) > 0, len(c.All("threads")) > 0
		if f.Threads {
			f.Update = f.Elementwise
		}
		if f.Mixed || f.Threads {
			p = Fuse(f)
		}
		text := before.Text()
		after, err := Run(t.Context(), before, []Pass{p}, Options{Verify: true})
		if err != nil {
			t.Fatal(err)
		}
		if before.Text() != text {
			t.Fatalf("the pass changed its input to\n%s", before.Text())
		}
		c.Golden(t, after.Text())
		if reason, _ := c.One("norun", ""); reason == "" {
			sameResults(t, before, after, tolerance(t, c), 1)
		}
	})
}

func tolerance(t *testing.T, c *testfile.Case) literal.Tolerance {
	t.Helper()
	number := func(key string) float64 {
		text, err := c.One(key, "0")
		if err != nil {
			t.Fatal(err)
		}
		v, err := strconv.ParseFloat(text, 64)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	return literal.Tolerance{ULP: int64(number("ulp")), ATol: number("atol")}
}

func parse(t *testing.T, text string) *hlo.Module {
	t.Helper()
	m, err := hlo.Parse([]byte(text), "test.hlo")
	if err != nil {
		t.Fatal(err)
	}
	if err := hlo.Verify(m); err != nil {
		t.Fatal(err)
	}
	return m
}

// sameResults runs both modules a few times on the same random arguments, on as many devices as they say.
func sameResults(t *testing.T, before, after *hlo.Module, tol literal.Tolerance, seed uint64) {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 9))
	for range 4 {
		replicas, partitions := max(1, before.Config.NumReplicas), max(1, before.Config.NumPartitions)
		args := make([][]*literal.Literal, replicas*partitions)
		for d := range args {
			for _, p := range before.Entry.Parameters {
				args[d] = append(args[d], randomLiteral(r, p.Shape))
			}
		}
		want, err := hlo.EvaluateAll(t.Context(), before, args, hlo.EvalOptions{Seed: 3, MaxSteps: 1e7}, replicas, partitions)
		if err != nil {
			t.Fatalf("before: %v\n%s", err, before.Text())
		}
		got, err := hlo.EvaluateAll(t.Context(), after, args, hlo.EvalOptions{Seed: 3, MaxSteps: 1e7}, replicas, partitions)
		if err != nil {
			t.Fatalf("after: %v\nbefore:\n%s\nafter:\n%s", err, before.Text(), after.Text())
		}
		for d := range got {
			if diff := difference(got[d], want[d], tol); diff != "" {
				t.Fatalf("seed %d, device %d: %s\narguments %v\nbefore:\n%s\nafter:\n%s", seed, d, diff, args[d],
					before.Text(), after.Text())
			}
		}
	}
}

// difference says how two results differ; with no tolerance zeros must have the same sign.
func difference(got, want *literal.Literal, tol literal.Tolerance) string {
	if d := literal.Compare(got, want, tol); d != nil {
		return d.String()
	}
	if tol != (literal.Tolerance{}) {
		return ""
	}
	g, w := got.Leaves(), want.Leaves()
	for i := range g {
		if g[i].Shape().IsArray() && zeroSigns(g[i]) != zeroSigns(w[i]) {
			return fmt.Sprintf("a zero has the wrong sign: got %v, want %v", g[i], w[i])
		}
	}
	return ""
}

// zeroSigns has a letter for each number: is it -0 or not.
func zeroSigns(l *literal.Literal) string {
	var b strings.Builder
	w := l.Wide()
	parts := slices.Clone(w.F)
	for _, v := range w.C {
		parts = append(parts, real(v), imag(v))
	}
	for _, v := range parts {
		b.WriteString(strconv.FormatBool(v == 0 && math.Signbit(v)))
	}
	return b.String()
}

// specials are the values that rules go wrong at.
var specials = []float64{0, math.Copysign(0, -1), 1, -1, 2, 0.5, 3, -7.25, 255, 1e10, 1e-40, math.Inf(1), math.Inf(-1),
	math.NaN()}

// randomLiteral makes a value of shape s.
func randomLiteral(r *rand.Rand, s shape.Shape) *literal.Literal {
	switch {
	case s.IsToken():
		return literal.NewToken()
	case s.IsTuple():
		var elems []*literal.Literal
		for _, e := range s.Elems {
			elems = append(elems, randomLiteral(r, e))
		}
		return literal.NewTuple(elems...)
	}
	s = s.WithoutLayout().Static()
	n := int(s.Size())
	v := make([]float64, n)
	for i := range v {
		if v[i] = math.Round(r.NormFloat64() * 3); r.IntN(3) == 0 {
			v[i] = specials[r.IntN(len(specials))] // among them -0, at which rules fail first
			if r.IntN(4) == 0 {
				v[i] = specials[1]
			}
		}
	}
	w := literal.ConvertWide(literal.Wide{Class: shape.FloatClass, F: v}, shape.F64, s.Type)
	return literal.FromWide(s, w)
}

// TestOpCases runs each pass, and all of them, on the programs of testdata/ops: the answers stay what they are.
func TestOpCases(t *testing.T) {
	runs := map[string][]Pass{"all": everyPass()}
	for _, p := range everyPass() {
		runs[p.Name] = []Pass{p}
	}
	for name, passes := range runs {
		t.Run(name, func(t *testing.T) {
			testfile.Run(t, "../../testdata/ops/*.hlo", func(t *testing.T, c *testfile.Case) {
				m, err := hlo.Parse([]byte(c.Source()), c.File)
				if err != nil {
					t.Fatal(err)
				}
				after, err := Run(t.Context(), m, passes, Options{Verify: true})
				if err != nil {
					t.Fatal(err)
				}
				opcase.Check(t, c, after)
				if t.Failed() {
					t.Logf("after the passes:\n%s", after.Text())
				}
			})
		})
	}
}

// TestRandomPrograms runs all passes on random programs.
func TestRandomPrograms(t *testing.T) {
	n := 800
	if testing.Short() {
		n = 100
	}
	start := testfile.Seed(t) << 20
	for i := range n {
		seed := start + uint64(i)
		m := randomProgram(t, seed, 40)
		one := m
		for _, p := range everyPass() {
			after, err := Run(t.Context(), one, []Pass{p}, Options{Verify: true})
			if err != nil {
				t.Fatalf("seed %d: %v\n%s", seed, err, one.Text())
			}
			if after != one {
				sameResults(t, one, after, literal.Tolerance{}, seed)
			}
			one = after
		}
	}
}

func TestRunStopsAtErrors(t *testing.T) {
	m := parse(t, "ENTRY e { ROOT x = f32[] parameter(0) }")
	failing := Pass{Name: "failing", Run: func(*hlo.Module) (*hlo.Module, error) { return nil, errors.New("no") }}
	if _, err := Run(t.Context(), m, []Pass{failing}, Options{}); err == nil || err.Error() != "pass failing: no" {
		t.Errorf("got %v", err)
	}
	wrong := Pass{Name: "wrong", Run: func(m *hlo.Module) (*hlo.Module, error) {
		return edit(m, func(e *editor) {
			e.keepAll()
			e.make(e.old.Root, hlo.Add, nil, shape.Shape{}, e.of(e.old.Root))
		}), nil
	}}
	_, err := Run(t.Context(), m, []Pass{wrong}, Options{})
	if err == nil || !strings.Contains(err.Error(), "pass wrong: bug: ") {
		t.Errorf("got %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Run(ctx, m, everyPass(), Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestCheckOrder(t *testing.T) {
	orders := []Order{{"inline", "cse", "calls hide what is common"}}
	if err := CheckOrder([]Pass{Inline(), DCE(), CSE()}, orders); err != nil {
		t.Error(err)
	}
	for _, passes := range [][]Pass{{CSE(), Inline()}, {Inline()}, {Inline(), CSE(), Inline()}} {
		if CheckOrder(passes, orders) == nil {
			t.Errorf("no error for %v", passes)
		}
	}
}

func TestRepeat(t *testing.T) {
	calls := 0
	count := Pass{Name: "count", Run: func(m *hlo.Module) (*hlo.Module, error) {
		if calls++; calls == 3 {
			return m, nil
		}
		c := *m
		return &c, nil
	}}
	if _, err := Repeat("r", 10, count).Run(&hlo.Module{}); err != nil || calls != 3 {
		t.Errorf("%d calls, error %v", calls, err)
	}
}

func Example() {
	m, err := hlo.Parse([]byte(`
square { x = f32[] parameter(0)  ROOT y = f32[] multiply(x, x) }
ENTRY e { a = f32[] parameter(0)  b = f32[] call(a), to_apply=square  ROOT c = f32[] add(b, a) }`), "e.hlo")
	if err != nil {
		panic(err)
	}
	m, err = Run(context.Background(), m, []Pass{Inline()}, Options{Verify: true})
	if err != nil {
		panic(err)
	}
	fmt.Print(m.Text())
	// Output:
	// HloModule module_e
	//
	// ENTRY %e (a: f32[]) -> f32[] {
	//   %a = f32[] parameter(0)
	//   %y = f32[] multiply(%a, %a)
	//   ROOT %c = f32[] add(%y, %a)
	// }
}
