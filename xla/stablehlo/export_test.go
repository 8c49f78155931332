package stablehlo

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/halo-xla/halo/internal/testfile"
	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// exported turns m into text and reads it back.
func exported(m *hlo.Module) (string, *hlo.Module, error) {
	p, err := Export(m)
	if err != nil {
		return "", nil, err
	}
	text := p.String()
	back, err := Parse(Text{Source: text, File: "exported.mlir"})
	if err != nil {
		return text, nil, fmt.Errorf("reading back: %w", err)
	}
	if back.Module == nil {
		return text, nil, errors.New("reading back: no entry")
	}
	return text, back.Module, nil
}

// TestExportOps writes the cases of every op and reads them back: they must give what they gave before.
func TestExportOps(t *testing.T) {
	testfile.Run(t, "../../testdata/ops/*.hlo", func(t *testing.T, c *testfile.Case) {
		m, err := hlo.Parse([]byte(c.Source()), c.File)
		if err != nil {
			t.Fatal(err)
		}
		text, back, err := exported(m)
		if errors.Is(err, errors.ErrUnsupported) {
			t.Skip(err)
		}
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		checkFixed(t, back)
		if len(c.All("fails")) > 0 {
			return
		}
		want, err := runExported(t, c, m)
		if err != nil {
			t.Fatal(err)
		}
		got, err := runExported(t, c, back)
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		if len(got) != len(want) {
			t.Fatalf("got %d arrays, want %d\n%s", len(got), len(want), text)
		}
		for i := range got {
			if d := literal.Compare(got[i].RowMajor(), want[i].RowMajor(), tolerance(text)); d != nil {
				t.Errorf("result %d: %v\n%s", i, d, text)
			}
		}
	})
}

// checkFixed wants m, which was read from what Export wrote, to be written and read without further change. The first
// reading may change something: it takes apart what HLO has no op for.
func checkFixed(t *testing.T, m *hlo.Module) {
	t.Helper()
	want, next, err := exported(m)
	if err != nil {
		t.Fatalf("exported again: %v", err)
	}
	got, _, err := exported(next)
	if err != nil {
		t.Fatalf("exported a third time: %v", err)
	}
	if got != want {
		t.Errorf("exported a third time:\n%swant\n%s", got, want)
	}
}

// tolerance is how far a program read back may stray: what CHLO's ops are made of rounds more than once.
func tolerance(text string) literal.Tolerance {
	if strings.Contains(text, `"chlo.`) {
		return literal.Tolerance{ULP: 8, ATol: 1e-6}
	}
	return literal.Tolerance{}
}

// runExported runs m on the inputs of a case and returns the arrays of the results.
func runExported(t *testing.T, c *testfile.Case, m *hlo.Module) ([]*literal.Literal, error) {
	t.Helper()
	replicas, partitions := count(t, c, "replicas"), count(t, c, "partitions")
	n := int(replicas * partitions)
	opts := hlo.EvalOptions{}
	var args []*literal.Literal
	for _, text := range c.All("in") {
		args = append(args, leavesOf(constantText(t, text))...)
	}
	byDevice := make([][]*literal.Literal, n)
	for d := range n {
		byDevice[d] = packed(t, m, args[d*len(args)/n:(d+1)*len(args)/n])
		opts.Feeds = append(opts.Feeds, hlo.NewFeed(0))
	}
	for _, text := range c.All("infeed") {
		if err := opts.Feeds[0].TransferToInfeed(context.Background(), constantText(t, text)); err != nil {
			t.Fatal(err)
		}
	}
	opts.Feeds[0].CloseInfeed()
	results, err := hlo.EvaluateAll(context.Background(), m, byDevice, opts, replicas, partitions)
	var all []*literal.Literal
	for _, r := range results {
		all = append(all, leavesOf(r)...)
	}
	return all, err
}

// packed makes arguments of the entry's shapes, tuples too, of arrays.
func packed(t *testing.T, m *hlo.Module, arrays []*literal.Literal) []*literal.Literal {
	t.Helper()
	var pack func(s shape.Shape) *literal.Literal
	pack = func(s shape.Shape) *literal.Literal {
		if s.IsToken() {
			return literal.NewToken()
		}
		if !s.IsTuple() {
			l := arrays[0]
			arrays = arrays[1:]
			return l
		}
		elems := make([]*literal.Literal, len(s.Elems))
		for i, e := range s.Elems {
			elems[i] = pack(e)
		}
		return literal.NewTuple(elems...)
	}
	args := make([]*literal.Literal, len(m.Entry.Parameters))
	for i, p := range m.Entry.Parameters {
		args[i] = pack(p.Shape)
	}
	return args
}

func count(t *testing.T, c *testfile.Case, name string) int64 {
	t.Helper()
	texts := c.All(name)
	if len(texts) == 0 {
		return 1
	}
	n, err := strconv.ParseInt(texts[0], 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func constantText(t *testing.T, text string) *literal.Literal {
	t.Helper()
	s, elements, err := shape.ParsePrefix(text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	m, err := hlo.Parse(fmt.Appendf(nil, "HloModule m\nENTRY e { ROOT c = %s constant(%s) }", s, elements), text)
	if err != nil {
		t.Fatal(err)
	}
	l, err := hlo.Evaluate(context.Background(), m, nil, hlo.EvalOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// leavesOf lists the arrays of a value, without tokens.
func leavesOf(l *literal.Literal) []*literal.Literal {
	if l.Shape().IsArray() {
		return []*literal.Literal{l}
	}
	var list []*literal.Literal
	for _, e := range l.Elems() {
		list = append(list, leavesOf(e)...)
	}
	return list
}

// TestExportCorpus writes every program of the corpora that can be read, and reads it back: the second text is the first.
func TestExportCorpus(t *testing.T) {
	done, refused := 0, 0
	corpus(t, []string{"conformance/stablehlo", "conformance/accept", "conformance/jax", "models"}, func(t *testing.T, path, text string) {
		for i, chunk := range SplitChunks(path, text) {
			p, err := Parse(chunk)
			if err != nil || p.Module == nil {
				continue
			}
			name := fmt.Sprintf("%s (%d)", path, i)
			_, back, err := exported(p.Module)
			if errors.Is(err, errors.ErrUnsupported) {
				refused++
				continue
			}
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			t.Run(name, func(t *testing.T) { checkFixed(t, back) })
			done++
		}
	})
	t.Logf("%d programs, %d refused", done, refused)
}
