package cpu

import (
	"github.com/halo-xla/halo/xla/exec"
	"github.com/halo-xla/halo/xla/hlo"
)

// lowering makes the thunk of one instruction. It fails with errors.ErrUnsupported, and a sentence, for types and forms
// that it has no kernel for.
type lowering func(l *exec.Lowering) (exec.Thunk, error)

// lowerings are the ops that this backend runs, a line for each in the order of their names. A line without a lowering
// is an op that exec does itself, or one that only the reference runs.
var lowerings [hlo.NumOps]lowering

func init() {
	lowerings = [hlo.NumOps]lowering{
		hlo.Abs:                    nil, // reference
		hlo.Acos:                   nil, // reference
		hlo.Acosh:                  nil, // reference
		hlo.Add:                    nil, // reference
		hlo.AddDependency:          nil, // exec
		hlo.AfterAll:               nil, // exec
		hlo.AllGather:              nil, // reference
		hlo.AllGatherDone:          nil, // exec
		hlo.AllGatherStart:         nil, // exec
		hlo.AllReduce:              nil, // reference
		hlo.AllReduceDone:          nil, // exec
		hlo.AllReduceStart:         nil, // exec
		hlo.AllToAll:               nil, // reference
		hlo.And:                    nil, // reference
		hlo.Asin:                   nil, // reference
		hlo.Asinh:                  nil, // reference
		hlo.AsyncDone:              nil, // exec
		hlo.AsyncStart:             nil, // exec
		hlo.AsyncUpdate:            nil, // exec
		hlo.Atan:                   nil, // reference
		hlo.Atan2:                  nil, // reference
		hlo.Atanh:                  nil, // reference
		hlo.BatchNormGrad:          nil, // reference
		hlo.BatchNormInference:     nil, // reference
		hlo.BatchNormTraining:      nil, // reference
		hlo.Bitcast:                nil, // exec
		hlo.BitcastConvert:         nil, // reference; exec if the bytes stay
		hlo.Broadcast:              lowerBroadcast,
		hlo.Call:                   nil, // exec
		hlo.Cbrt:                   nil, // reference
		hlo.Ceil:                   nil, // reference
		hlo.Cholesky:               lowerCholesky,
		hlo.Clamp:                  nil, // reference
		hlo.CollectiveBroadcast:    nil, // reference
		hlo.CollectivePermute:      nil, // reference
		hlo.CollectivePermuteDone:  nil, // exec
		hlo.CollectivePermuteStart: nil, // exec
		hlo.CollectiveReduce:       nil, // reference
		hlo.Compare:                nil, // reference
		hlo.Complex:                nil, // reference
		hlo.Concatenate:            lowerConcatenate,
		hlo.Conditional:            nil, // exec
		hlo.Constant:               nil, // exec
		hlo.Convert:                nil, // reference
		hlo.Convolution:            lowerConvolution,
		hlo.Copy:                   nil, // exec
		hlo.CopyDone:               nil, // exec
		hlo.CopyStart:              nil, // exec
		hlo.Cosh:                   nil, // reference
		hlo.Cos:                    nil, // reference
		hlo.Clz:                    nil, // reference
		hlo.CustomCall:             nil, // reference
		hlo.Divide:                 nil, // reference
		hlo.Domain:                 nil, // exec
		hlo.Dot:                    lowerDot,
		hlo.DynamicBroadcastInDim:  nil, // reference
		hlo.DynamicConvolution:     lowerDynamicConvolution,
		hlo.DynamicGather:          nil, // reference
		hlo.DynamicIota:            nil, // reference
		hlo.DynamicPad:             nil, // reference
		hlo.DynamicReshape:         nil, // reference
		hlo.DynamicSlice:           lowerDynamicSlice,
		hlo.DynamicUpdateSlice:     lowerDynamicUpdateSlice,
		hlo.Erf:                    nil, // reference
		hlo.Exp:                    nil, // reference
		hlo.Expm1:                  nil, // reference
		hlo.Fft:                    lowerFft,
		hlo.Floor:                  nil, // reference
		hlo.Fusion:                 nil, // exec, op by op
		hlo.Gather:                 nil, // reference
		hlo.GetDimensionSize:       lowerGetDimensionSize,
		hlo.GetTupleElement:        nil, // exec
		hlo.Imag:                   nil, // reference
		hlo.Infeed:                 nil, // reference
		hlo.Iota:                   lowerIota,
		hlo.IsFinite:               nil, // reference
		hlo.Log:                    nil, // reference
		hlo.Log1p:                  nil, // reference
		hlo.Logistic:               nil, // reference
		hlo.Map:                    nil, // reference
		hlo.Maximum:                nil, // reference
		hlo.Minimum:                nil, // reference
		hlo.Mulhi:                  nil, // reference
		hlo.Multiply:               nil, // reference
		hlo.Negate:                 nil, // reference
		hlo.Not:                    nil, // reference
		hlo.OptimizationBarrier:    nil, // exec
		hlo.Or:                     nil, // reference
		hlo.Outfeed:                nil, // reference
		hlo.Pad:                    lowerPad,
		hlo.Parameter:              nil, // exec
		hlo.PartitionId:            nil, // reference
		hlo.PopulationCount:        nil, // reference
		hlo.Power:                  nil, // reference
		hlo.RaggedAllToAll:         nil, // reference
		hlo.RaggedDot:              nil, // reference
		hlo.Real:                   nil, // reference
		hlo.RealDynamicSlice:       nil, // reference
		hlo.Recv:                   nil, // reference
		hlo.RecvDone:               nil, // reference
		hlo.Reduce:                 nil, // reference
		hlo.ReducePrecision:        nil, // reference
		hlo.ReduceScatter:          nil, // reference
		hlo.ReduceWindow:           nil, // reference
		hlo.Remainder:              nil, // reference
		hlo.ReplicaId:              nil, // reference
		hlo.Reshape:                nil, // exec
		hlo.Reverse:                lowerReverse,
		hlo.Rng:                    lowerRng,
		hlo.RngBitGenerator:        lowerRngBitGenerator,
		hlo.RngGetAndUpdateState:   lowerRngGetAndUpdateState,
		hlo.RoundNearestAfz:        nil, // reference
		hlo.RoundNearestEven:       nil, // reference
		hlo.Rsqrt:                  nil, // reference
		hlo.ScaledDot:              nil, // reference
		hlo.Scan:                   nil, // reference
		hlo.Scatter:                nil, // reference
		hlo.Select:                 nil, // reference
		hlo.SelectAndScatter:       nil, // reference
		hlo.Send:                   nil, // reference
		hlo.SendDone:               nil, // reference
		hlo.SetDimensionSize:       nil, // reference
		hlo.ShiftLeft:              nil, // reference
		hlo.ShiftRightArithmetic:   nil, // reference
		hlo.ShiftRightLogical:      nil, // reference
		hlo.Sign:                   nil, // reference
		hlo.Sin:                    nil, // reference
		hlo.Sinh:                   nil, // reference
		hlo.Slice:                  lowerSlice,
		hlo.Sort:                   nil, // reference
		hlo.Sqrt:                   nil, // reference
		hlo.StochasticConvert:      nil, // reference
		hlo.Subtract:               nil, // reference
		hlo.Tan:                    nil, // reference
		hlo.Tanh:                   nil, // reference
		hlo.TopK:                   nil, // reference
		hlo.Transpose:              lowerTranspose,
		hlo.TriangularSolve:        lowerTriangularSolve,
		hlo.Tuple:                  nil, // exec
		hlo.While:                  nil, // exec
		hlo.Xor:                    nil, // reference
	}
}
