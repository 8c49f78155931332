package pass

import (
	"testing"

	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/shape"
)

// traffic is the bytes that the instructions of c read and write if each runs alone; of what is sliced the slice.
func traffic(c *hlo.Computation) int64 {
	var n int64
	for _, in := range c.Instructions {
		switch in.Op {
		case hlo.Parameter, hlo.Constant, hlo.Tuple, hlo.GetTupleElement, hlo.Reshape:
			continue
		}
		n += sizeOf(in.Shape)
		for i, o := range in.Operands {
			n += read(in, i, o)
		}
	}
	return n
}

// read is what in reads of its operand i.
func read(in *hlo.Instruction, i int, o *hlo.Instruction) int64 {
	if in.Op == hlo.Slice {
		return sizeOf(in.Shape)
	}
	a, ok := in.Attrs.(*hlo.FusionAttrs)
	if !ok {
		return sizeOf(o.Shape)
	}
	return needed(a.Calls, a.Calls.Parameters[i])
}

// needed is how many bytes of x the instructions of c read.
func needed(c *hlo.Computation, x *hlo.Instruction) int64 {
	var n int64
	for _, in := range c.Instructions {
		for _, o := range in.Operands {
			switch {
			case o != x:
			case in.Op == hlo.Slice:
				n += needed(c, in)
			case in.Op == hlo.Reverse || in.Op == hlo.Transpose:
				n += needed(c, in)
			default:
				n += sizeOf(x.Shape)
			}
		}
	}
	return min(n, sizeOf(x.Shape))
}

func sizeOf(s shape.Shape) int64 {
	var n int64
	for _, leaf := range s.Leaves() {
		b, _ := leaf.ByteSize()
		n += b
	}
	return n
}

// TestFuseSavesTraffic wants that a fused entry never moves more bytes than the one before.
func TestFuseSavesTraffic(t *testing.T) {
	mixed, noRows, threads := anyFusion, anyFusion, anyFusion
	mixed.Mixed, noRows.Rows, threads.Threads, threads.Update = true, nil, true, anyFusion.Elementwise
	saved := 0
	for seed := range uint64(300) {
		m, err := Run(t.Context(), randomProgram(t, seed, 60), []Pass{Inline(), Simplify(), DCE(), CSE(), DCE()}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range []Fusible{anyFusion, mixed, noRows, threads} {
			fused, err := Run(t.Context(), m, []Pass{Fuse(f)}, Options{Verify: true})
			if err != nil {
				t.Fatal(err)
			}
			before, after := traffic(m.Entry), traffic(fused.Entry)
			if after > before {
				t.Fatalf("seed %d: %d bytes before, %d after\nbefore:\n%s\nafter:\n%s", seed, before, after, m.Text(), fused.Text())
			}
			if after < before {
				saved++
			}
		}
	}
	if saved < 200 {
		t.Errorf("traffic shrank in %d of 1200 programs only", saved)
	}
}

// TestFuseSplitsLongChains wants fusions of at most Max instructions.
func TestFuseSplitsLongChains(t *testing.T) {
	b := hlo.NewBuilder("e")
	x := b.Parameter(0, shape.Array(shape.F32, 8), "x")
	for range 100 {
		x = b.Sin(x)
	}
	c, err := b.Build(x)
	if err != nil {
		t.Fatal(err)
	}
	f := anyFusion
	f.Max = 30
	m, err := Run(t.Context(), hlo.NewModule("m", c), []Pass{Fuse(f)}, Options{Verify: true})
	if err != nil {
		t.Fatal(err)
	}
	if n := len(m.Entry.Instructions); n != 5 {
		t.Errorf("got %d instructions, want the parameter and 4 fusions:\n%s", n, m.Text())
	}
}
