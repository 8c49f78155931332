package emit

import (
	"fmt"
	"strings"
	"testing"

	"github.com/halo-xla/halo/backend/backendtest"
	"github.com/halo-xla/halo/internal/testfile"
	"github.com/halo-xla/halo/xla/hlo"
)

// TestGolden compares the kernels of a few programs with what they were.
func TestGolden(t *testing.T) {
	testfile.Run(t, "testdata/kernels.txt", func(t *testing.T, c *testfile.Case) {
		m, err := hlo.Parse([]byte(c.Source()), c.File)
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		for _, in := range backendtest.Fused(t, m, Fusible()).Entry.Instructions {
			if hosts[in.Op] {
				continue
			}
			e, err := steps(in)
			if err != nil {
				t.Fatal(err)
			}
			for _, s := range e.Steps {
				b.WriteString(told(s))
			}
		}
		c.Golden(t, b.String())
	})
}

// steps are those of an instruction: a loop is one kernel, and a convolution a product by a library if it may be.
func steps(in *hlo.Instruction) (*Emission, error) {
	switch in.Op {
	case hlo.While:
		return While(in)
	case hlo.Convolution:
		never, library := func(int) bool { return false }, func(*Gemm, int64) (int64, error) { return 0, nil }
		if e, err := LowerPatches(in, never, library); e != nil || err != nil {
			return e, err
		}
	}
	return Lower(in)
}

// told is a step as text.
func told(s Step) string {
	switch {
	case s.Copy != nil:
		return fmt.Sprintf("copy of %d bytes from %v to %v\n", s.Copy.Bytes, s.Copy.Src, s.Copy.Dst)
	case s.Gemm != nil:
		g := s.Gemm
		return fmt.Sprintf("%d products of %dx%d and %dx%d: %v and %v to %v\n", g.Batch, g.M, g.K, g.K, g.N, g.A.Buffer,
			g.B.Buffer, g.C.Buffer)
	}
	k := s.Kernel
	return fmt.Sprintf("%d blocks of %d threads: %v\n%s", k.Grid[0]*k.Grid[1], k.Block[0], k.Args, k.Source)
}

// hosts are the ops that exec or the backend do without kernels.
var hosts = map[hlo.Opcode]bool{hlo.Parameter: true, hlo.Constant: true, hlo.Tuple: true, hlo.GetTupleElement: true,
	hlo.Conditional: true, hlo.Call: true, hlo.AsyncStart: true, hlo.AsyncDone: true, hlo.AsyncUpdate: true,
	hlo.AfterAll: true, hlo.Infeed: true, hlo.Outfeed: true, hlo.Send: true, hlo.SendDone: true, hlo.Recv: true,
	hlo.RecvDone: true, hlo.CustomCall: true, hlo.OptimizationBarrier: true, hlo.Domain: true, hlo.AddDependency: true,
	hlo.CopyStart: true, hlo.CopyDone: true, hlo.AllReduce: true, hlo.AllGather: true, hlo.AllToAll: true,
	hlo.ReduceScatter: true, hlo.CollectivePermute: true, hlo.CollectiveBroadcast: true, hlo.ReplicaId: true,
	hlo.PartitionId: true, hlo.RaggedAllToAll: true, hlo.CollectiveReduce: true, hlo.SetDimensionSize: true,
	hlo.GetDimensionSize: true, hlo.Copy: true, hlo.Bitcast: true, hlo.Reshape: true}
