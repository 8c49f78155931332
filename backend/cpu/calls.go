package cpu

import (
	"time"

	"github.com/halo-xla/halo/cgo/loops/run"
	"github.com/halo-xla/halo/xla/exec"
	"github.com/halo-xla/halo/xla/shape"
)

// assumedFLOPs are the f32 operations a second that one thread of a library does, by instruction set, and assumedBytes
// those it reads and writes. They are assumed, and rather low, so that estimates are the same on every machine and few
// calls take longer: machines reach up to twice as much.
var assumedFLOPs = [run.NumISA]float64{run.Base: 10e9, run.AVX2: 40e9, run.AVX512: 80e9, run.NEON: 20e9}

const assumedBytes = 5e9

// vendorCalls are n calls of a library, of which the longest does so many operations of type t, and touches so many
// bytes.
func vendorCalls(n int, flops, bytes float64, t shape.ElementType) exec.Calls {
	seconds := max(flops*costOf(t)/assumedFLOPs[run.Level()], bytes/assumedBytes)
	return exec.Calls{Count: int64(n), Longest: time.Duration(seconds * float64(time.Second)).Round(time.Microsecond)}
}

// productCalls are n calls that multiply at most rows by k and k by columns.
func productCalls(n, rows, columns, k int, t shape.ElementType) exec.Calls {
	x, y, z := float64(rows), float64(columns), float64(k)
	return vendorCalls(n, 2*x*y*z, (x*y+x*z+y*z)*float64(t.Bytes()), t)
}

// reorderCalls are n calls that bring so many bytes in all into another order.
func reorderCalls(n int, bytes int64) exec.Calls {
	return vendorCalls(n, 0, 2*float64(bytes)/float64(max(n, 1)), shape.F32)
}

// routineCalls are those of a routine of LAPACK on a batch of matrices of shape s: about what eigenvalues take, which
// is more than most.
func routineCalls(s shape.Shape) exec.Calls {
	if s.Size() == 0 || len(s.Dims) < 2 {
		return exec.Calls{}
	}
	n := float64(max(s.Dims[len(s.Dims)-1], s.Dims[len(s.Dims)-2]))
	return vendorCalls(int(batchOf(s)), 10*n*n*n, 0, s.Type)
}
