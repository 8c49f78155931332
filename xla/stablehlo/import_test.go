package stablehlo_test

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
	"github.com/halo-xla/halo/xla/stablehlo"
)

func parseCase(c *testfile.Case) (*stablehlo.Imported, error) {
	return stablehlo.Parse(stablehlo.Text{File: c.File, Line: c.Line, Source: c.Text})
}

// TestImport runs programs by the reference and compares their results.
func TestImport(t *testing.T) {
	testfile.Run(t, "testdata/import/*.mlir", func(t *testing.T, c *testfile.Case) {
		if err := c.Only("in", "want", "partitions", "infeed", "outfeed"); err != nil {
			t.Fatal(err)
		}
		im, err := parseCase(c)
		if err != nil {
			t.Fatal(err)
		}
		if err := hlo.Verify(im.Module); err != nil {
			t.Fatal(err)
		}
		got := run(t, c, im.Module)
		want := values(t, c.All("want"))
		if len(got) != len(want) {
			t.Fatalf("got %d arrays, want %d", len(got), len(want))
		}
		for i := range want {
			if d := literal.Compare(got[i].RowMajor(), want[i], literal.Tolerance{}); d != nil {
				t.Errorf("result %d: %v, in\n%s", i, d, im.Module.Text())
			}
		}
	})
}

// run runs the module on the case's partitions and returns the arrays of the results, device by device.
func run(t *testing.T, c *testfile.Case, m *hlo.Module) []*literal.Literal {
	t.Helper()
	text, err := c.One("partitions", "1")
	if err != nil {
		t.Fatal(err)
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	in := values(t, c.All("in"))
	for _, p := range m.Entry.Parameters {
		if p.Shape.IsToken() {
			in = append(in, literal.NewToken())
		}
	}
	args, opts := make([][]*literal.Literal, n), hlo.EvalOptions{}
	for d := range n {
		args[d] = in[d*len(in)/n : (d+1)*len(in)/n]
		opts.Feeds = append(opts.Feeds, hlo.NewFeed(0))
	}
	for _, l := range values(t, c.All("infeed")) {
		if err := opts.Feeds[0].TransferToInfeed(ctx, l); err != nil {
			t.Fatal(err)
		}
	}
	results, err := hlo.EvaluateAll(ctx, m, args, opts, 1, int64(n))
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range values(t, c.All("outfeed")) {
		got, err := opts.Feeds[0].TransferFromOutfeed(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if d := literal.Compare(got, want, literal.Tolerance{}); d != nil {
			t.Errorf("outfeed %d: %v", i, d)
		}
	}
	var list []*literal.Literal
	for _, r := range results {
		list = append(list, leaves(r)...)
	}
	return list
}

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

// values reads literals, a shape and its elements each.
func values(t *testing.T, texts []string) []*literal.Literal {
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
		if list[i], err = hlo.Evaluate(context.Background(), m, nil, hlo.EvalOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	return list
}

// TestImportText compares the HLO of small programs, which must also be read back to the same.
func TestImportText(t *testing.T) {
	testfile.Run(t, "testdata/golden/*.mlir", func(t *testing.T, c *testfile.Case) {
		im, err := parseCase(c)
		if err != nil {
			t.Fatal(err)
		}
		got := im.Module.Text()
		c.Golden(t, got)
		again, err := hlo.Parse([]byte(got), "again")
		if err != nil {
			t.Fatal(err)
		}
		if text := again.Text(); text != got {
			t.Errorf("read again:\n%s\nwant\n%s", text, got)
		}
	})
}

func TestImportErrors(t *testing.T) {
	testfile.Run(t, "testdata/errors/*.mlir", func(t *testing.T, c *testfile.Case) {
		_, err := parseCase(c)
		c.CheckErrors(t, err)
	})
}

// TestUnsupported wants what is right and cannot be imported to be told from what is wrong, and functions that the
// entry
// does not need to be left out.
func TestUnsupported(t *testing.T) {
	const unranked = "func.func @f(%a: tensor<*xf32>) -> tensor<*xf32> { return %a : tensor<*xf32> }\n"
	_, err := stablehlo.Parse(stablehlo.Text{File: "f", Source: unranked})
	if !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("got %v, want errors.ErrUnsupported", err)
	}
	im, err := stablehlo.Parse(stablehlo.Text{File: "f", Source: unranked + "func.func @main() { return }"})
	if err != nil {
		t.Fatal(err)
	}
	if im.Module == nil || len(im.Unsupported) != 1 || len(im.Functions) != 1 {
		t.Errorf("got %d functions, %d left out, want one each", len(im.Functions), len(im.Unsupported))
	}
}

// TestEntry says which function is the entry.
func TestEntry(t *testing.T) {
	const f, g, main = "func.func @f() { return }\n", "func.func @g() { return }\n", "func.func @main() { return }\n"
	for source, want := range map[string]string{
		"": "", f: "f", f + g: "", f + main: "main", "func.func private @d()\n" + g: "g", "module @m {" + f + "}": "f",
	} {
		im, err := stablehlo.Parse(stablehlo.Text{File: "f", Source: source})
		if err != nil {
			t.Errorf("%q: %v", source, err)
			continue
		}
		got := ""
		if im.Module != nil {
			got = im.Module.Entry.Name
		}
		if got != want {
			t.Errorf("%q: entry is %q, want %q", source, got, want)
		}
	}
}

// FuzzImport wants no text to bring Parse down, and what it makes to be right by the rules of HLO.
func FuzzImport(f *testing.F) {
	for _, file := range []string{"import/values", "import/control", "golden/text", "errors/import"} {
		cases, err := testfile.Read("testdata/" + file + ".mlir")
		if err != nil {
			f.Fatal(err)
		}
		for _, c := range cases {
			f.Add(c.Text)
		}
	}
	f.Fuzz(func(t *testing.T, source string) {
		if strings.Count(source, "0000") > 1 {
			t.Skip("sizes that take long")
		}
		im, err := stablehlo.Parse(stablehlo.Text{File: "f", Source: source})
		if err != nil || im.Module == nil {
			return
		}
		if err := hlo.Verify(im.Module); err != nil {
			t.Fatalf("%v, in\n%s", err, im.Module.Text())
		}
	})
}
