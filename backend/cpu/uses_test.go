package cpu

import (
	"context"
	"testing"

	"github.com/halo-xla/halo/backend/backendtest"
	"github.com/halo-xla/halo/xla/exec"
	"github.com/halo-xla/halo/xla/hlo"
)

// verifying is the backend with every thunk held to the memory that it says it uses, the rest poisoned.
type verifying struct{ exec.Backend }

func (v verifying) Compile(ctx context.Context, m *hlo.Module, o exec.Options) (exec.Program, error) {
	o.Verify = true
	return v.Backend.Compile(ctx, m, o)
}

// TestUses runs the cases of all ops and random programs so.
func TestUses(t *testing.T) {
	b := verifying{New(Options{Threads: 2})}
	backendtest.Ops(t, b, "../../testdata/ops/*.hlo", backendtest.Options{AllowReference: true})
	backendtest.Random(t, b, backendtest.Options{AllowReference: true})
}
