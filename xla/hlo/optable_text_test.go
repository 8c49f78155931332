package hlo

import (
	"testing"

	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// TestFieldTypes holds the attributes of all ops to the types that the text's reader and printer know.
func TestFieldTypes(t *testing.T) {
	for op := range NumOps {
		attrs := op.Info().Attrs
		if attrs == nil {
			continue
		}
		for _, f := range attrs().Fields() {
			switch f.Ptr.(type) {
			case *bool, *int64, *float64, *string, *[]int64, *[]bool, **Computation, *[]*Computation, *shape.Shape,
				*[]shape.Shape, *shape.ElementType, Value:
			case **literal.Literal:
				if f.When != Operand {
					t.Errorf("%s: attribute %s is a literal outside the operands", op, f.Name)
				}
			default:
				t.Errorf("%s: attribute %s has type %T, which the text does not know", op, f.Name, f.Ptr)
			}
		}
	}
}
