//go:build cgo && linux

package cuda

import (
	"fmt"
	"strings"
	"testing"

	"github.com/halo-xla/halo/cgo/cuda"
	"github.com/halo-xla/halo/xla/exec"
)

// chains is a program of n chains of work that have nothing to do with each other, and their sum; with draws among them,
// which must keep their order, and sorts in either order, whose scratch memory is the same.
func chains(n int) string {
	text, sum := "", "x"
	for i := range n {
		text += fmt.Sprintf("  c%d = f32[] constant(%d)\n  b%d = f32[300] broadcast(c%d), dimensions={}\n", i, 2*(i+1)*(i%2)-i-1, i, i)
		text += fmt.Sprintf("  d%d = f32[300] rng(zero, one), distribution=rng_uniform\n", i)
		text += fmt.Sprintf("  m%d = f32[300] multiply(x, b%d)\n  s%d = f32[300] sort(m%d), dimensions={0}, to_apply=less\n", i, i, i, i)
		text += fmt.Sprintf("  r%d = f32[300] reverse(s%d), dimensions={0}\n  t%d = f32[] reduce(r%d, zero), dimensions={0}, to_apply=add\n",
			i, i, i, i)
		text += fmt.Sprintf("  u%d = f32[300] broadcast(t%d), dimensions={}\n  v%d = f32[300] multiply(u%d, d%d)\n", i, i, i, i, i)
		text += fmt.Sprintf("  w%d = f32[300] add(v%d, r%d)\n  z%d = f32[300] add(%s, w%d)\n", i, i, i, i, sum, i)
		sum = fmt.Sprintf("z%d", i)
	}
	return `HloModule chains
less { a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT c = pred[] compare(a, b), direction=LT }
add { a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT c = f32[] add(a, b) }
ENTRY e { x = f32[300] parameter(0)
  zero = f32[] constant(0)
  one = f32[] constant(1)
` + text + "  ROOT q = f32[300] negate(" + sum + ") }"
}

// TestBranches runs chains of work in a graph, whose nodes run in any order that dependencies leave, and finds those that
// write the same: the first run, in which all follows each other, and those after it give the same bits, as does a loop of
// such chains.
func TestBranches(t *testing.T) {
	t.Setenv("HALO_CUDA_EMU_RACES", "1")
	x := numbers(t, 300)
	inLoop := strings.Replace(strings.Replace(chains(4), "ENTRY e", "body", 1), "x = f32[300] parameter(0)",
		"p = (s32[], f32[300]) parameter(0)\n x = f32[300] get-tuple-element(p), index=1\n"+
			"i = s32[] get-tuple-element(p), index=0\n uno = s32[] constant(1)\n j = s32[] add(i, uno)", 1)
	inLoop = strings.TrimSuffix(strings.Replace(inLoop, "ROOT q", "q", 1), " }") + `
  ROOT t = (s32[], f32[300]) tuple(j, q) }
cond { p = (s32[], f32[300]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  n = s32[] constant(3)
  ROOT c = pred[] compare(i, n), direction=LT }
ENTRY e { x = f32[300] parameter(0)
  zero = s32[] constant(0)
  s = (s32[], f32[300]) tuple(zero, x)
  ROOT w = (s32[], f32[300]) while(s), condition=cond, body=body }`
	for seed := range 6 {
		t.Setenv("HALO_CUDA_EMU_SEED", fmt.Sprint(seed))
		for _, text := range []string{chains(6), inLoop} {
			answer(t, either(t), text, exec.Options{}, x)
		}
	}
}

// TestBranchesPlanned wants pieces of work to wait for what they need and for nothing else, and no branches where there
// is little to gain.
func TestBranchesPlanned(t *testing.T) {
	d, _ := onEmulator(t)
	at := func(slot int32, from, size int64) exec.Slice { return exec.Slice{Slot: slot, Offset: from, Size: size} }
	m := &memory{device: d, base: []cuda.Ptr{1 << 20, 2 << 20, 1<<20 + 512}}
	piece := func(end int, write exec.Slice, reads ...exec.Slice) work {
		return work{end, append(exec.Reads(reads...), exec.Writes(write)...)}
	}
	two := []work{
		piece(1, at(0, 0, 256), at(1, 0, 256)),
		piece(2, at(0, 256, 256), at(1, 0, 256)),
		piece(3, at(0, 1024, 256), at(0, 0, 256)),
		piece(4, at(2, 0, 256), at(0, 256, 256)),            // at 512 of the first
		piece(5, at(0, 0, 128), at(0, 600, 4), at(1, 0, 4)), // what the third has read
		piece(6, at(1, 256, 256), at(0, 0, 2048)),
	}
	for _, test := range []struct {
		name string
		work []work
		want string
	}{
		{"two chains", two, "[[] [] [0] [1] [3 2] [4]]"},
		{"a chain", []work{two[0], piece(2, at(0, 512, 1), at(0, 0, 1)), piece(3, at(0, 600, 1), at(0, 512, 1))}, "[]"},
		{"memory that all need", []work{piece(1, at(0, 0, 1<<40)), piece(2, at(1, 1<<50, 1<<40)), piece(3, at(2, 1<<60, 1<<40))},
			"[]"},
		{"two pieces", two[:2], "[]"},
	} {
		c := &commands{work: test.work}
		for range test.work {
			c.Fill(cuda.Value{}, 1, 0)
		}
		if got := fmt.Sprint(c.branches(m)); got != test.want {
			t.Errorf("%s: got %s, want %s", test.name, got, test.want)
		}
	}
	m.device = &device{}
	if got := (&commands{work: two}).branches(m); got != nil {
		t.Errorf("on an old driver: got %v", got)
	}
}
