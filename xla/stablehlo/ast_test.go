package stablehlo

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/halo-xla/halo/internal/testfile"
)

// TestForms reads every pretty form and compares with the generic one, which is then read in turn.
func TestForms(t *testing.T) {
	testfile.Run(t, "testdata/ast/forms.mlir", func(t *testing.T, c *testfile.Case) {
		prog, err := ParseAST(Text{File: c.File, Line: c.Line, Source: c.Source()})
		if err != nil {
			t.Fatal(err)
		}
		got := prog.String()
		c.Golden(t, got)
		again, err := ParseAST(Text{File: "again", Source: got})
		if err != nil {
			t.Fatalf("%v, in\n%s", err, got)
		}
		if s := again.String(); s != got {
			t.Errorf("read again:\n%s\nwant\n%s", s, got)
		}
	})
}

func TestSyntaxErrors(t *testing.T) {
	testfile.Run(t, "testdata/ast/errors.mlir", func(t *testing.T, c *testfile.Case) {
		_, err := ParseAST(Text{File: "errors.mlir", Source: c.Source()})
		c.CheckErrors(t, err)
	})
}

// TestTextErrors has the faults that a line with a mark cannot show.
func TestTextErrors(t *testing.T) {
	for source, want := range map[string]string{
		"":                           "",
		"func.func @f() {":           "f:7:17: got the end of the text, want an op",
		"func.func @f() {\n  return": "f:8:9: got the end of the text, want an op",
		"func.func @f(%a: \"x\n":     "f:7:18: string has no end",
		`func.func @"\q"() {`:        `f:7:12: unknown escape "\\q" in string`,
		`"a.b"() {x = "\`:            "f:7:14: string has no end",
		"%":                          `f:7:1: no name after "%"`,
		"\x00":                       `f:7:1: unexpected character "\x00"`,
		"}":                          `f:7:1: got "}", want an op`,
		`"add"() : () -> ()`:         `f:7:1: op name "add" has no dialect, did you mean stablehlo.add`,
		`add() : () -> ()`:           `f:7:1: unknown op add, did you mean stablehlo.add`,
		`mhlo.dad() : () -> ()`:      `f:7:1: unknown op mhlo.dad, did you mean mhlo.add`,
		`stablehol.add() : () -> ()`: `f:7:1: unknown op stablehol.add, did you mean stablehlo.add`,
		`tosa.add() : () -> ()`: "f:7:1: unknown op tosa.add, want one of the dialects arith, builtin, check, chlo, " +
			"func, interpreter, mhlo, sdy, stablehlo",
		`stablehlo.triangular_solve()`: `f:7:1: stablehlo.triangular_solve has no short form, ` +
			`want "stablehlo.triangular_solve"(...)`,
		`func.func @f(%a: tensor<2xfloat32>)`:    `f:7:27: got "float32", want a type, did you mean f32`,
		`func.func @f(%a: tensor<2xc64>)`:        `f:7:27: got "c64", want a type, did you mean complex<f32>`,
		`func.func @f(%a: tensro<2xf32>)`:        `f:7:18: got "tensro", want a type, did you mean tensor`,
		`func.func @f(%a: tensor<2xf8e4m3fnuz>)`: `f:7:27: got "f8e4m3fnuz", want a type, did you mean f8E4M3FNUZ`,
		`"a.b"()[^bb0] : () -> ()`:               "f:7:8: a.b: branches to blocks are not supported",
		"{-# dialect_resources: {":               "f:7:25: got the end of the text, want a name",
		"%0:0 = stablehlo.create_token":          "f:7:1: %0 has 0 results, want at least one",
	} {
		_, err := ParseAST(Text{File: "f", Line: 7, Source: source})
		if got := fmt.Sprint(err); got != want && !(err == nil && want == "") {
			t.Errorf("%q: got %s, want %s", source, got, want)
		}
	}
}

func TestSplitChunks(t *testing.T) {
	chunks := SplitChunks("f", "a\n// -----\nb\nc\n// ----- \n\n// -----x\nd")
	want := []Text{{"f", 1, "a\n"}, {"f", 3, "b\nc\n"}, {"f", 6, "\n// -----x\nd"}}
	if len(chunks) != len(want) {
		t.Fatalf("got %v, want %v", chunks, want)
	}
	for i := range want {
		if chunks[i] != want[i] {
			t.Errorf("chunk %d: got %v, want %v", i, chunks[i], want[i])
		}
	}
}

// TestLocations wants aliases to be replaced wherever they are defined.
func TestLocations(t *testing.T) {
	prog, err := ParseAST(Text{File: "f", Source: `func.func @f() {
  return loc(#loc1)
}
#loc = loc("a.py":3:4)
#loc1 = loc("add"(#loc))`})
	if err != nil {
		t.Fatal(err)
	}
	body, err := prog.Module.Block(0)
	if err != nil {
		t.Fatal(err)
	}
	l := body.Ops[0].Regions[0].Blocks[0].Ops[0].Loc
	if l == nil || l.Kind != LocName || l.Name != "add" || len(l.Children) != 1 {
		t.Fatalf("got %+v, want the name add and a place", l)
	}
	if c := l.Children[0]; c.Kind != LocFile || c.File != "a.py" || c.Line != 3 || c.Col != 4 {
		t.Errorf("got %+v, want a.py:3:4", c)
	}
}

// TestDeepNesting wants an error, not a stack overflow, for each thing that nests.
func TestDeepNesting(t *testing.T) {
	const n = 100000
	region := `"a.b"() ({`
	for name, source := range map[string]string{
		"attribute": `func.func private @f() attributes {a = ` + strings.Repeat("[", n),
		"type":      `func.func private @f(` + strings.Repeat("tuple<", n),
		"function":  `func.func private @f(` + strings.Repeat("(", n),
		"location":  `#l = loc(` + strings.Repeat("callsite(", n),
		"region":    strings.Repeat(region, n),
		"dense":     `%0 = stablehlo.constant dense<` + strings.Repeat("[", n),
		"quantised": `func.func private @f(!quant.uniform<i8:f32:{0:1},` + strings.Repeat("{", n),
		"raw":       `func.func private @f(!x.y<` + strings.Repeat("[", n),
	} {
		if _, err := ParseAST(Text{File: "f", Source: source}); err == nil {
			t.Errorf("%s: no error", name)
		} else if !strings.HasPrefix(err.Error(), "f:1:") {
			t.Errorf("%s: error has no position: %v", name, err)
		}
	}
}

// TestLargeConstant wants memory in proportion to the text, and so time.
func TestLargeConstant(t *testing.T) {
	const n = 1 << 20
	source := "func.func @f() {\n%0 = stablehlo.constant dense<[" +
		strings.Repeat("1.5, ", n-1) + "2.5]> : tensor<1048576xf32>\nreturn }"
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	prog, err := ParseAST(Text{File: "f", Source: source})
	if err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	if used := after.TotalAlloc - before.TotalAlloc; used > uint64(8*len(source)) {
		t.Errorf("%d bytes of text took %d bytes of memory", len(source), used)
	}
	value := prog.Module.Regions[0].Blocks[0].Ops[0].Regions[0].Blocks[0].Ops[0].Attrs[0].Value.(*DenseAttr)
	if value.Kind != DenseList || len(value.Dims) != 1 || value.Dims[0] != n {
		t.Errorf("got kind %d, sizes %v, want a list of %d", value.Kind, value.Dims, n)
	}
}

// FuzzParse wants no text to bring ParseAST down, and what it prints to be read back to the same.
func FuzzParse(f *testing.F) {
	for _, file := range []string{"testdata/ast/forms.mlir", "testdata/ast/errors.mlir"} {
		cases, err := testfile.Read(file)
		if err != nil {
			f.Fatal(err)
		}
		for _, c := range cases {
			f.Add(c.Text)
		}
	}
	f.Fuzz(func(t *testing.T, source string) {
		var prog *Program
		var err error
		testfile.Bounded(t, len(source), 1024, func() { prog, err = ParseAST(Text{File: "f", Source: source}) })
		if err != nil {
			if _, ok := err.(*Error); !ok {
				t.Fatalf("error is a %T: %v", err, err)
			}
			return
		}
		text := prog.String()
		again, err := ParseAST(Text{File: "f", Source: text})
		if err != nil {
			t.Fatalf("printed text is refused: %v\n%s", err, text)
		}
		if got := again.String(); got != text {
			t.Fatalf("got\n%s\nwant\n%s", got, text)
		}
	})
}
