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
			e, err := Lower(in)
			if err != nil {
				t.Fatal(err)
			}
			for _, s := range e.Steps {
				if s.Copy != nil {
					fmt.Fprintf(&b, "copy of %d bytes from %v to %v\n", s.Copy.Bytes, s.Copy.Src, s.Copy.Dst)
					continue
				}
				fmt.Fprintf(&b, "%d blocks of %d threads: %v\n%s", s.Kernel.Grid[0], s.Kernel.Block[0], s.Kernel.Args,
					s.Kernel.Source)
			}
		}
		c.Golden(t, b.String())
	})
}

// hosts are the ops that exec or the backend do without kernels.
var hosts = map[hlo.Opcode]bool{hlo.Parameter: true, hlo.Constant: true, hlo.Tuple: true, hlo.GetTupleElement: true,
	hlo.While: true, hlo.Conditional: true, hlo.Call: true, hlo.AsyncStart: true, hlo.AsyncDone: true, hlo.AsyncUpdate: true,
	hlo.AfterAll: true, hlo.Infeed: true, hlo.Outfeed: true, hlo.Send: true, hlo.SendDone: true, hlo.Recv: true,
	hlo.RecvDone: true, hlo.CustomCall: true, hlo.OptimizationBarrier: true, hlo.Domain: true, hlo.AddDependency: true,
	hlo.CopyStart: true, hlo.CopyDone: true, hlo.AllReduce: true, hlo.AllGather: true, hlo.AllToAll: true,
	hlo.ReduceScatter: true, hlo.CollectivePermute: true, hlo.CollectiveBroadcast: true, hlo.ReplicaId: true,
	hlo.PartitionId: true, hlo.RaggedAllToAll: true, hlo.CollectiveReduce: true, hlo.SetDimensionSize: true,
	hlo.GetDimensionSize: true, hlo.Copy: true, hlo.Bitcast: true, hlo.Reshape: true}
