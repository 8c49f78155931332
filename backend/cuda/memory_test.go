//go:build cgo && linux

package cuda

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/halo-xla/halo/cgo/cuda/emu"
	"github.com/halo-xla/halo/internal/testfile"
	"github.com/halo-xla/halo/xla/exec"
	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/literal"
)

// smallDevice has the emulated device be one with so many free bytes, and returns how many it has in all: what tests have
// lost by frees that fail stays.
func smallDevice(t *testing.T, free int64) int64 {
	t.Helper()
	d, err := open(Options{Emulated: true})
	testfile.Library(t, "cuda-emu", err)
	lost, err := d.Attribute(emu.Used)
	if err = errors.Join(err, d.Close()); err != nil {
		t.Fatal(err)
	}
	all := free + int64(lost)
	t.Setenv("HALO_CUDA_EMU_MEMORY", fmt.Sprint(all))
	return all
}

// TestIdleMemory runs programs in turns on a device that has room for one of them: what an idle one keeps is given back.
// One that has no room by itself is told so, and the others run after it.
func TestIdleMemory(t *testing.T) {
	smallDevice(t, 1_000_000)
	b := emulated(t)
	programs, modules := map[int64]exec.Program{}, map[int64]*hlo.Module{}
	for _, n := range []int64{60_000, 70_000, 200_000} {
		text := fmt.Sprintf("HloModule m\nENTRY e { x = f32[%d] parameter(0)\n ROOT y = f32[%d] sine(x) }", n, n)
		modules[n] = parsed(t, text)
		programs[n] = compiled(t, b, modules[n], exec.Options{})
	}
	for i, n := range []int64{60_000, 70_000, 60_000, 200_000, 70_000} {
		x := numbers(t, n)
		out, err := programs[n].Run(context.Background(), [][]*literal.Literal{{x}}, exec.RunOptions{})
		if n == 200_000 {
			if !errors.Is(err, hlo.ErrLimit) {
				t.Errorf("run %d: 1.6 MB on a device of 1 MB: got %v, want a limit that is passed", i, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("run %d, of %d elements: %v", i, n, err)
			continue
		}
		p := program{fmt.Sprintf("run %d", i), modules[n], []*literal.Literal{x}, tolerance(modules[n])}
		p.check(t, out[0])
	}
}
