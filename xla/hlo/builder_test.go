package hlo_test

import (
	"strings"
	"testing"

	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/shape"
)

// Who leaves the error of Build for later gets a module that is refused, and no panic.
func TestModuleOfFailedBuild(t *testing.T) {
	b := hlo.NewBuilder("f")
	entry, err := b.Build(b.Not(b.Parameter(0, shape.Array(shape.F32, 3), "x")))
	if entry != nil || err == nil {
		t.Fatalf("got %v, %v, want an error", entry, err)
	}
	if err := hlo.Verify(hlo.NewModule("f", entry)); err == nil || !strings.Contains(err.Error(), "f has no entry computation") {
		t.Errorf("got %v, want that there is no entry", err)
	}
}
