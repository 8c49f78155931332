package hlo_test

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

// TestOps runs the cases of every op: testdata/ops/README.md says what their directives mean.
func TestOps(t *testing.T) {
	testfile.Run(t, "../../testdata/ops/*.hlo", func(t *testing.T, c *testfile.Case) {
		err := c.Only("in", "want", "ulp", "rtol", "atol", "replicas", "partitions", "infeed", "outfeed", "fails")
		if err != nil {
			t.Fatal(err)
		}
		m, err := hlo.Parse([]byte(c.Source()), c.File)
		if err != nil {
			t.Fatal(err)
		}
		if err := hlo.Verify(m); err != nil {
			t.Fatal(err)
		}
		got, err := runCase(t, c, m)
		if fails := c.All("fails"); len(fails) > 0 {
			if err == nil || !strings.Contains(err.Error(), fails[0]) {
				t.Errorf("got error %v, want one with %q", err, fails[0])
			}
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		compareCase(t, c, got)
	})
}

// runCase runs the module on the case's devices and returns the arrays of the results, device by device.
func runCase(t *testing.T, c *testfile.Case, m *hlo.Module) ([]*literal.Literal, error) {
	replicas, partitions := max(1, number(t, c, "replicas")), max(1, number(t, c, "partitions"))
	n := int(replicas * partitions)
	ctx := context.Background()
	args := literals(t, c.All("in"))
	opts, byDevice := hlo.EvalOptions{}, make([][]*literal.Literal, n)
	for d := range n {
		byDevice[d] = args[d*len(args)/n : (d+1)*len(args)/n]
		opts.Feeds = append(opts.Feeds, hlo.NewFeed(0))
	}
	for _, l := range literals(t, c.All("infeed")) {
		if err := opts.Feeds[0].TransferToInfeed(ctx, l); err != nil {
			return nil, err
		}
	}
	opts.Feeds[0].CloseInfeed()
	results, err := hlo.EvaluateAll(ctx, m, byDevice, opts, int64(replicas), int64(partitions))
	if err != nil {
		return nil, err
	}
	compareOutfeed(t, literals(t, c.All("outfeed")), opts.Feeds[0])
	var list []*literal.Literal
	for _, r := range results {
		list = append(list, leaves(r)...)
	}
	return list, nil
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

// literals reads each text as a constant.
func literals(t *testing.T, texts []string) []*literal.Literal {
	t.Helper()
	list := make([]*literal.Literal, len(texts))
	for i, text := range texts {
		s, elements, err := shape.ParsePrefix(text)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		program := fmt.Sprintf("HloModule m\nENTRY e { ROOT c = %s constant(%s) }", s, elements)
		m, err := hlo.Parse([]byte(program), text)
		if err != nil {
			t.Fatal(err)
		}
		list[i], err = hlo.Evaluate(context.Background(), m, nil, hlo.EvalOptions{})
		if err != nil {
			t.Fatal(err)
		}
	}
	return list
}

// leaves lists the arrays of a result in order, without tokens.
func leaves(l *literal.Literal) []*literal.Literal {
	if l.Shape().IsArray() {
		return []*literal.Literal{l}
	}
	var list []*literal.Literal
	for _, e := range l.Elems() {
		list = append(list, leaves(e)...)
	}
	return list
}

// compareCase compares the results with what the case wants. Without a tolerance floats must be equal, zeros in sign
// too.
func compareCase(t *testing.T, c *testfile.Case, got []*literal.Literal) {
	t.Helper()
	want := literals(t, c.All("want"))
	if len(got) != len(want) {
		t.Fatalf("got %d arrays, want %d", len(got), len(want))
	}
	tol := literal.Tolerance{ULP: int64(number(t, c, "ulp")), RTol: number(t, c, "rtol"), ATol: number(t, c, "atol")}
	for i := range want {
		g := got[i].RowMajor()
		if d := literal.Compare(g, want[i], tol); d != nil {
			t.Errorf("result %d: %v", i, d)
		} else if tol.ATol == 0 && zeroSigns(g) != zeroSigns(want[i]) {
			t.Errorf("result %d: got %v, want %v: a zero has the wrong sign", i, g, want[i])
		}
	}
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
	w := l.Wide()
	for _, v := range w.F {
		fmt.Fprintf(&b, "%t ", v == 0 && math.Signbit(v))
	}
	for _, v := range w.C {
		fmt.Fprintf(&b, "%t %t ", real(v) == 0 && math.Signbit(real(v)), imag(v) == 0 && math.Signbit(imag(v)))
	}
	return b.String()
}
