package cpu

import (
	"testing"

	"github.com/halo-xla/halo/cgo/loops/run"
	"github.com/halo-xla/halo/internal/testfile"
)

// TestWidens wants f16 whose rows are too few for our kernels to pack to be made f32 unless oneDNN multiplies f16, whatever
// other libraries there are; what our kernels pack is not.
func TestWidens(t *testing.T) {
	testfile.Native(t, run.Available())
	for rows, want := range map[string]bool{"48": !multipliesF16(), "64": false} {
		m := parse(t, "ENTRY e { a = f16["+rows+",100] parameter(0) b = f16[100,80] parameter(1) ROOT c = f16["+rows+
			",80] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0} }")
		if got := widens(m.Entry.Root); got != want {
			t.Errorf("%s rows: got %v, want %v", rows, got, want)
		}
	}
}
