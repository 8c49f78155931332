package cpu

import (
	"fmt"

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
		hlo.Abs:                    lowerElementwise,
		hlo.Acos:                   lowerElementwise,
		hlo.Acosh:                  lowerElementwise,
		hlo.Add:                    lowerElementwise,
		hlo.AddDependency:          nil, // exec
		hlo.AfterAll:               nil, // exec
		hlo.AllGather:              lowerAllGather,
		hlo.AllGatherDone:          nil, // exec
		hlo.AllGatherStart:         nil, // exec
		hlo.AllReduce:              lowerAllReduce,
		hlo.AllReduceDone:          nil, // exec
		hlo.AllReduceStart:         nil, // exec
		hlo.AllToAll:               lowerAllToAll,
		hlo.And:                    lowerElementwise,
		hlo.Asin:                   lowerElementwise,
		hlo.Asinh:                  lowerElementwise,
		hlo.AsyncDone:              nil, // exec
		hlo.AsyncStart:             nil, // exec
		hlo.AsyncUpdate:            nil, // exec
		hlo.Atan:                   lowerElementwise,
		hlo.Atan2:                  lowerElementwise,
		hlo.Atanh:                  lowerElementwise,
		hlo.BatchNormGrad:          expanded,
		hlo.BatchNormInference:     expanded,
		hlo.BatchNormTraining:      expanded,
		hlo.Bitcast:                nil, // exec
		hlo.BitcastConvert:         lowerElementwise,
		hlo.Broadcast:              lowerBroadcast,
		hlo.Call:                   nil, // exec
		hlo.Cbrt:                   lowerElementwise,
		hlo.Ceil:                   lowerElementwise,
		hlo.Cholesky:               lowerCholesky,
		hlo.Clamp:                  lowerElementwise,
		hlo.CollectiveBroadcast:    lowerCollectiveBroadcast,
		hlo.CollectivePermute:      lowerCollectivePermute,
		hlo.CollectivePermuteDone:  nil, // exec
		hlo.CollectivePermuteStart: nil, // exec
		hlo.CollectiveReduce:       lowerCollectiveReduce,
		hlo.Compare:                lowerElementwise,
		hlo.Complex:                lowerElementwise,
		hlo.Concatenate:            lowerConcatenate,
		hlo.Conditional:            nil, // exec
		hlo.Constant:               nil, // exec
		hlo.Convert:                lowerElementwise,
		hlo.Convolution:            lowerConvolution,
		hlo.Copy:                   nil, // exec
		hlo.CopyDone:               nil, // exec
		hlo.CopyStart:              nil, // exec
		hlo.Cosh:                   lowerElementwise,
		hlo.Cos:                    lowerElementwise,
		hlo.Clz:                    lowerElementwise,
		hlo.CustomCall:             lowerCustomCall,
		hlo.Divide:                 lowerElementwise,
		hlo.Domain:                 nil, // exec
		hlo.Dot:                    lowerDot,
		hlo.DynamicBroadcastInDim:  nil, // exec
		hlo.DynamicConvolution:     lowerDynamicConvolution,
		hlo.DynamicGather:          nil, // exec
		hlo.DynamicIota:            nil, // exec
		hlo.DynamicPad:             nil, // exec
		hlo.DynamicReshape:         nil, // exec
		hlo.DynamicSlice:           lowerDynamicSlice,
		hlo.DynamicUpdateSlice:     lowerDynamicUpdateSlice,
		hlo.Erf:                    lowerElementwise,
		hlo.Exp:                    lowerElementwise,
		hlo.Expm1:                  lowerElementwise,
		hlo.Fft:                    lowerFft,
		hlo.Floor:                  lowerElementwise,
		hlo.Fusion:                 lowerFusion, // or exec, op by op
		hlo.Gather:                 lowerGather,
		hlo.GetDimensionSize:       lowerGetDimensionSize,
		hlo.GetTupleElement:        nil, // exec
		hlo.Imag:                   lowerElementwise,
		hlo.Infeed:                 lowerInfeed,
		hlo.Iota:                   lowerIota,
		hlo.IsFinite:               lowerElementwise,
		hlo.Log:                    lowerElementwise,
		hlo.Log1p:                  lowerElementwise,
		hlo.Logistic:               lowerElementwise,
		hlo.Map:                    lowerMap,
		hlo.Maximum:                lowerElementwise,
		hlo.Minimum:                lowerElementwise,
		hlo.Mulhi:                  lowerElementwise,
		hlo.Multiply:               lowerElementwise,
		hlo.Negate:                 lowerElementwise,
		hlo.Not:                    lowerElementwise,
		hlo.OptimizationBarrier:    nil, // exec
		hlo.Or:                     lowerElementwise,
		hlo.Outfeed:                lowerOutfeed,
		hlo.Pad:                    lowerPad,
		hlo.Parameter:              nil, // exec
		hlo.PartitionId:            lowerPartitionID,
		hlo.PopulationCount:        lowerElementwise,
		hlo.Power:                  lowerElementwise,
		hlo.RaggedAllToAll:         lowerRaggedAllToAll,
		hlo.RaggedDot:              lowerRaggedDot,
		hlo.Real:                   lowerElementwise,
		hlo.RealDynamicSlice:       nil, // exec
		hlo.Recv:                   lowerRecv,
		hlo.RecvDone:               lowerRecvDone,
		hlo.Reduce:                 lowerReduce,
		hlo.ReducePrecision:        lowerElementwise,
		hlo.ReduceScatter:          lowerReduceScatter,
		hlo.ReduceWindow:           lowerReduceWindow,
		hlo.Remainder:              lowerElementwise,
		hlo.ReplicaId:              lowerReplicaID,
		hlo.Reshape:                nil, // exec
		hlo.Reverse:                lowerReverse,
		hlo.Rng:                    lowerRng,
		hlo.RngBitGenerator:        lowerRngBitGenerator,
		hlo.RngGetAndUpdateState:   lowerRngGetAndUpdateState,
		hlo.RoundNearestAfz:        lowerElementwise,
		hlo.RoundNearestEven:       lowerElementwise,
		hlo.Rsqrt:                  lowerElementwise,
		hlo.ScaledDot:              lowerScaledDot,
		hlo.Scan:                   lowerScan,
		hlo.Scatter:                lowerScatter,
		hlo.Select:                 lowerElementwise,
		hlo.SelectAndScatter:       lowerSelectAndScatter,
		hlo.Send:                   lowerSend,
		hlo.SendDone:               lowerSendDone,
		hlo.SetDimensionSize:       lowerSetDimensionSize,
		hlo.ShiftLeft:              lowerElementwise,
		hlo.ShiftRightArithmetic:   lowerElementwise,
		hlo.ShiftRightLogical:      lowerElementwise,
		hlo.Sign:                   lowerElementwise,
		hlo.Sin:                    lowerElementwise,
		hlo.Sinh:                   lowerElementwise,
		hlo.Slice:                  lowerSlice,
		hlo.Sort:                   lowerSort,
		hlo.Sqrt:                   lowerElementwise,
		hlo.StochasticConvert:      lowerElementwise,
		hlo.Subtract:               lowerElementwise,
		hlo.Tan:                    lowerElementwise,
		hlo.Tanh:                   lowerElementwise,
		hlo.TopK:                   lowerTopK,
		hlo.Transpose:              lowerTranspose,
		hlo.TriangularSolve:        lowerTriangularSolve,
		hlo.Tuple:                  nil,        // exec
		hlo.While:                  lowerWhile, // or exec
		hlo.Xor:                    lowerElementwise,
	}
}

// expanded is the lowering of ops that a pass of this backend replaces: none comes as far as here.
func expanded(l *exec.Lowering) (exec.Thunk, error) {
	return nil, fmt.Errorf("%v is left over from the passes", l.In.Op)
}
