package scalar

import (
	"slices"
	"testing"

	"github.com/halo-xla/halo/cgo/loops/run"
	native "github.com/halo-xla/halo/cgo/loops/scalar"
	"github.com/halo-xla/halo/internal/testfile"
)

// TestNames holds the two lists of instructions, and of functions, together.
func TestNames(t *testing.T) {
	testfile.Native(t, run.Available())
	var ops, functions []string
	for i, o := range operations {
		if o.name == "" || (o.run == nil) != (Op(i) < Load8U) {
			t.Errorf("instruction %d: %+v", i, o)
		}
		ops = append(ops, o.name)
	}
	for _, f := range calls {
		if !f.goOnly {
			functions = append(functions, f.name)
		}
	}
	gotOps, gotCalls := native.Names()
	if !slices.Equal(gotOps, ops) {
		t.Errorf("C has the instructions\n%v, Go\n%v", gotOps, ops)
	}
	if !slices.Equal(gotCalls, functions) {
		t.Errorf("C has the functions\n%v, Go\n%v", gotCalls, functions)
	}
}
