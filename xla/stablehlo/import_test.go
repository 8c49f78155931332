package stablehlo_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/halo-xla/halo/internal/opcase"
	"github.com/halo-xla/halo/internal/testfile"
	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/stablehlo"
)

func parseCase(c *testfile.Case) (*stablehlo.Imported, error) {
	return stablehlo.Parse(stablehlo.Text{File: c.File, Line: c.Line, Source: c.Text})
}

// TestImport runs programs by the reference and compares their results.
func TestImport(t *testing.T) {
	testfile.Run(t, "testdata/import/*.mlir", func(t *testing.T, c *testfile.Case) {
		im, err := parseCase(c)
		if err != nil {
			t.Fatal(err)
		}
		opcase.Check(t, c, im.Module)
	})
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
		if strings.Count(source, "0000") > 1 { // large sizes take long and show nothing new
			return
		}
		im, err := stablehlo.Parse(stablehlo.Text{File: "f", Source: source})
		if err != nil || im.Module == nil {
			return
		}
		im.Module.Config.NumReplicas, im.Module.Config.NumPartitions = 0, 0 // Verify alone knows which devices there are
		if err := hlo.Verify(im.Module); err != nil {
			t.Fatalf("%v, in\n%s", err, im.Module.Text())
		}
	})
}
