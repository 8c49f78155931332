package deps

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/halo-xla/halo/xla/hlo"
)

var rewrite = flag.Bool("rewrite", false, "rewrite docs/ops.md")

// TestEveryOpHasCases wants a file of cases for each op, and no file without an op.
func TestEveryOpHasCases(t *testing.T) {
	stray := map[string]bool{}
	for _, path := range files(t, true, ".hlo") {
		if name, ok := strings.CutPrefix(path, "testdata/ops/"); ok {
			stray[strings.TrimSuffix(name, ".hlo")] = true
		}
	}
	for op := hlo.Opcode(0); op < hlo.NumOps; op++ {
		if !stray[op.String()] {
			t.Errorf("%s: no testdata/ops/%s.hlo", op, op)
		}
		delete(stray, op.String())
	}
	for name := range stray {
		t.Errorf("testdata/ops/%s.hlo: no such op", name)
	}
}

// TestOpsDocument wants docs/ops.md to be what the op table says.
func TestOpsDocument(t *testing.T) {
	want := opsDocument()
	if *rewrite {
		dir, _ := root(t)
		if err := os.WriteFile(filepath.Join(dir, "docs", "ops.md"), []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if got := read(t, "docs/ops.md"); got != want {
		t.Error("docs/ops.md is stale: run go test ./internal/deps -rewrite")
	}
}

// opsDocument prints the op table: first the operations of the source documents, then the ops only HLO has.
func opsDocument() string {
	var b strings.Builder
	b.WriteString(`# Operations

Made from the op table by ` + "`go test ./internal/deps -rewrite`" + `; do not edit. The reference evaluator runs all of
them; each has a file of cases in [testdata/ops](../testdata/ops).

## The operations of XLA's operation semantics

Seeds: the generations of the document that have the operation, A and B of 2017, C of 2021, D of 2025.

| row | operation | seeds | HLO | form | StableHLO |
|---|---|---|---|---|---|
`)
	named := map[hlo.Opcode]bool{}
	for _, row := range hlo.SourceRows {
		named[row.Op] = true
		fmt.Fprintf(&b, "| %d | %s | %s | %s | %s | %s |\n", row.Row, row.Name, row.Seeds, row.Op, row.Form, row.MLIR)
	}
	b.WriteString(`
## Every HLO op

ULP: how far another backend may be from the reference evaluator, in units of the last place. Ops marked + are not in
the list above.

| HLO | operands | StableHLO | ULP |
|---|---|---|---|
`)
	for op := hlo.Opcode(0); op < hlo.NumOps; op++ {
		info, plus := op.Info(), " +"
		if named[op] {
			plus = ""
		}
		fmt.Fprintf(&b, "| %s%s | %s | %s | %d |\n", op, plus, info.Operands, info.MLIR, info.ULP)
	}
	return b.String()
}
