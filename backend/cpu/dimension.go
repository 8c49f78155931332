package cpu

import (
	"errors"
	"fmt"
	"slices"

	"github.com/halo-xla/halo/backend/cpu/kernel"
	"github.com/halo-xla/halo/xla/exec"
	"github.com/halo-xla/halo/xla/hlo"
)

// lowerSetDimensionSize is for results without dynamic dimensions, which keep the whole operand: the size is checked
// and has no other effect. Row 108. Of dynamic results exec takes care.
func lowerSetDimensionSize(l *exec.Lowering) (exec.Thunk, error) {
	a, size, out := l.Operand(0), l.Operand(1), l.Result()
	from, t := l.In.Operands[0].Shape, l.In.Operands[1].Shape.Type
	if !slices.Equal(from.Dims, l.In.Shape.Dims) {
		return nil, fmt.Errorf("%v becomes %v: %w", from, l.In.Shape, errors.ErrUnsupported)
	}
	dim := int(l.In.Attrs.(*hlo.DimensionAttrs).Dimension)
	uses := append(exec.Reads(a, size), exec.Writes(out)...)
	return goThunk("go copy", uses, func(r *exec.Run) error {
		if n := kernel.IntAt(r.Bytes(size), t, 0); n < 0 || n > from.Dims[dim] {
			return fmt.Errorf("size of dimension %d at run time: got %d, want 0 to %d", dim, n, from.Dims[dim])
		}
		copy(r.Bytes(out), r.Bytes(a))
		return nil
	}).overwriting(exec.Pair{Result: out.Slot, Operand: a.Slot}), nil
}
