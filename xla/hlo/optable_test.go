package hlo

import (
	"testing"

	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

func TestTableIsCompleteAndSorted(t *testing.T) {
	for op := Opcode(0); op < NumOps; op++ {
		i := op.Info()
		if i.Name == "" {
			t.Fatalf("opcode %d has no row", op)
		}
		if op > 0 && i.Name <= (op-1).Info().Name {
			t.Errorf("%s stands after %s", op, op-1)
		}
		if i.Infer == nil || i.Eval == nil {
			t.Errorf("%s: row lacks Infer or Eval", op)
		}
	}
}

func TestEveryFieldHasAKnownKind(t *testing.T) {
	for op := Opcode(0); op < NumOps; op++ {
		if op.Info().Attrs == nil {
			continue
		}
		for _, f := range op.Info().Attrs().Fields() {
			if !knownKind(f.Ptr) {
				t.Errorf("%s: attribute %s has the unknown kind %T", op, f.Name, f.Ptr)
			}
			if f.Name == "" && f.When != Operand {
				t.Errorf("%s: an attribute has no name", op)
			}
		}
	}
}

func knownKind(p any) bool {
	switch p.(type) {
	case *bool, *int64, *float64, *string, *[]int64, *[]bool, **Computation, *[]*Computation,
		*shape.Shape, *[]shape.Shape, *shape.ElementType, Value:
		return true
	}
	return isLiteralPtr(p)
}

func TestSourceRowsAreAllThere(t *testing.T) {
	if len(SourceRows) != 119 {
		t.Fatalf("got %d source rows, want 119", len(SourceRows))
	}
	for i, r := range SourceRows {
		if r.Row != i+1 {
			t.Errorf("row %d (%s) stands at place %d", r.Row, r.Name, i+1)
		}
	}
}

func isLiteralPtr(p any) bool { _, ok := p.(**literal.Literal); return ok }
