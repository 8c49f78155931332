// Package opcase runs and judges the cases of testdata/ops and of files like them: testdata/ops/README.md lists what
// the comments at the head of a case may say.
package opcase

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/halo-xla/halo/internal/testfile"
	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// Runner runs m on replicas x partitions devices, as hlo.EvaluateAll does.
type Runner func(ctx context.Context, m *hlo.Module, args [][]*literal.Literal, o hlo.EvalOptions,
	replicas, partitions int64) ([]*literal.Literal, error)

// Check verifies m, runs it by the reference on the case's inputs and devices and compares the results with what the
// case wants.
func Check(t *testing.T, c *testfile.Case, m *hlo.Module) {
	t.Helper()
	CheckWith(t, c, m, hlo.EvaluateAll, 0)
}

// CheckWith is Check with run in the reference's place, whose results may be off by ulp units in the last place where
// the case says less.
func CheckWith(t *testing.T, c *testfile.Case, m *hlo.Module, run Runner, ulp int64) {
	t.Helper()
	err := c.Only("in", "want", "ulp", "rtol", "atol", "replicas", "partitions", "infeed", "outfeed", "fails")
	if err != nil {
		t.Fatal(err)
	}
	if err := hlo.Verify(m); err != nil {
		t.Fatal(err)
	}
	got, err := runCase(t, c, m, run)
	if fails := c.All("fails"); len(fails) > 0 {
		if err == nil || !strings.Contains(err.Error(), fails[0]) {
			t.Errorf("got error %v, want one with %q", err, fails[0])
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	compare(t, c, got, ulp)
}

// Run runs m by the reference on the case's inputs and devices. It returns the arrays of the results, device by device,
// and the error of the run; what the host gets from the program is compared with what the case says.
func Run(t *testing.T, c *testfile.Case, m *hlo.Module) ([]*literal.Literal, error) {
	t.Helper()
	return runCase(t, c, m, hlo.EvaluateAll)
}

func runCase(t *testing.T, c *testfile.Case, m *hlo.Module, run Runner) ([]*literal.Literal, error) {
	t.Helper()
	ctx := context.Background()
	replicas, partitions := max(1, number(t, c, "replicas")), max(1, number(t, c, "partitions"))
	n := int(replicas * partitions)
	args := literals(t, c.All("in"))
	opts, byDevice := hlo.EvalOptions{}, make([][]*literal.Literal, n)
	for d := range n {
		byDevice[d] = pack(t, m, args[d*len(args)/n:(d+1)*len(args)/n])
		opts.Feeds = append(opts.Feeds, hlo.NewFeed(0))
	}
	for _, l := range literals(t, c.All("infeed")) {
		if err := opts.Feeds[0].TransferToInfeed(ctx, l); err != nil {
			return nil, err
		}
	}
	opts.Feeds[0].CloseInfeed()
	results, err := run(ctx, m, byDevice, opts, int64(replicas), int64(partitions))
	if err != nil {
		return nil, err
	}
	compareOutfeed(t, literals(t, c.All("outfeed")), opts.Feeds[0])
	var arrays []*literal.Literal
	for _, r := range results {
		for _, l := range r.Leaves() {
			if l.Shape().IsArray() { // a token has nothing to compare
				arrays = append(arrays, l)
			}
		}
	}
	return arrays, nil
}

// pack makes the arguments of the entry of m out of arrays: tuples of them where it takes tuples, tokens where tokens.
// tokens.
func pack(t *testing.T, m *hlo.Module, arrays []*literal.Literal) []*literal.Literal {
	t.Helper()
	var next func(s shape.Shape) *literal.Literal
	next = func(s shape.Shape) *literal.Literal {
		switch {
		case s.IsToken():
			return literal.NewToken()
		case s.IsTuple():
			elems := make([]*literal.Literal, len(s.Elems))
			for i, e := range s.Elems {
				elems[i] = next(e)
			}
			return literal.NewTuple(elems...)
		case len(arrays) == 0:
			t.Fatalf("too few inputs for %s", m.Name)
		}
		l := arrays[0]
		arrays = arrays[1:]
		return l
	}
	args := make([]*literal.Literal, len(m.Entry.Parameters))
	for i, p := range m.Entry.Parameters {
		args[i] = next(p.Shape)
	}
	if len(arrays) > 0 {
		t.Fatalf("%d inputs too many for %s", len(arrays), m.Name)
	}
	return args
}

// compareOutfeed compares what the host got with what it must get.
func compareOutfeed(t *testing.T, want []*literal.Literal, f *hlo.Feed) {
	t.Helper()
	f.Close()
	for i, w := range want {
		got, err := f.TransferFromOutfeed(context.Background())
		if err != nil {
			t.Fatalf("outfeed %d: %v", i, err)
		}
		if d := literal.Compare(got, w, literal.Tolerance{}); d != nil {
			t.Errorf("outfeed %d: %v", i, d)
		}
	}
	if l, err := f.TransferFromOutfeed(context.Background()); err == nil {
		t.Errorf("outfeed: got %v besides", l)
	}
}

// compare compares the results with what the case wants. Without a tolerance floats must be equal, zeros in sign too.
func compare(t *testing.T, c *testfile.Case, got []*literal.Literal, ulp int64) {
	t.Helper()
	want := literals(t, c.All("want"))
	if len(got) != len(want) {
		t.Fatalf("got %d arrays, want %d", len(got), len(want))
	}
	tol := literal.Tolerance{ULP: max(ulp, int64(number(t, c, "ulp"))), RTol: number(t, c, "rtol"),
		ATol: number(t, c, "atol")}
	for i := range want {
		g := got[i].RowMajor()
		if d := literal.Compare(g, want[i], tol); d != nil {
			t.Errorf("result %d: %v", i, d)
		} else if tol.ATol == 0 && ulp == 0 && zeroSigns(g) != zeroSigns(want[i]) {
			t.Errorf("result %d: got %v, want %v: a zero has the wrong sign", i, g, want[i])
		}
	}
}

// literals reads each text as a constant.
func literals(t *testing.T, texts []string) []*literal.Literal {
	t.Helper()
	list := make([]*literal.Literal, len(texts))
	for i, text := range texts {
		s, elements, err := shape.ParsePrefix(text)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		program := fmt.Appendf(nil, "HloModule m\nENTRY e { ROOT c = %s constant(%s) }", s, elements)
		m, err := hlo.Parse(program, text)
		if err != nil {
			t.Fatal(err)
		}
		if list[i], err = hlo.Evaluate(context.Background(), m, nil, hlo.EvalOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	return list
}

// number reads a directive that is a number, 0 if there is none.
func number(t *testing.T, c *testfile.Case, key string) float64 {
	t.Helper()
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

// zeroSigns has a letter for each number: is it -0 or not.
func zeroSigns(l *literal.Literal) string {
	var b strings.Builder
	sign := func(v float64) {
		if v == 0 && math.Signbit(v) {
			b.WriteByte('-')
		} else {
			b.WriteByte('+')
		}
	}
	w := l.Wide()
	for _, v := range w.F {
		sign(v)
	}
	for _, v := range w.C {
		sign(real(v))
		sign(imag(v))
	}
	return b.String()
}
