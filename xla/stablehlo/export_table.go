package stablehlo

import "github.com/halo-xla/halo/xla/hlo"

// exportFunc writes one instruction and returns what its value became.
type exportFunc func(b *writer, in *hlo.Instruction) (node, error)

// exportRows says how instructions are written that are not one to one their row's op. It is a function because the
// functions of the table come back to it.
func exportRows() *[hlo.NumOps]exportFunc {
	return &[hlo.NumOps]exportFunc{
		hlo.AddDependency:          exportAddDependency,
		hlo.AllGather:              exportCollective,
		hlo.AllGatherDone:          exportSecond,
		hlo.AllGatherStart:         exportStart,
		hlo.AllReduce:              exportCollective,
		hlo.AllReduceDone:          exportSame,
		hlo.AllReduceStart:         exportCollective,
		hlo.AllToAll:               exportAllToAll,
		hlo.AsyncDone:              exportSecond,
		hlo.AsyncStart:             exportAsyncStart,
		hlo.AsyncUpdate:            exportSame,
		hlo.Bitcast:                exportBitcast,
		hlo.Call:                   exportCall,
		hlo.CollectiveBroadcast:    exportCollective,
		hlo.CollectivePermute:      exportPermute,
		hlo.CollectivePermuteDone:  exportSecond,
		hlo.CollectivePermuteStart: exportStart,
		hlo.CollectiveReduce:       exportCollective,
		hlo.Compare:                exportCompare,
		hlo.Conditional:            exportConditional,
		hlo.Constant:               exportConstant,
		hlo.Convert:                exportConvert,
		hlo.Convolution:            exportConvolution,
		hlo.Copy:                   exportSame,
		hlo.CopyDone:               exportFirst,
		hlo.CopyStart:              exportCopyStart,
		hlo.CustomCall:             exportCustomCall,
		hlo.Domain:                 exportSame,
		hlo.Dot:                    exportDot,
		hlo.DynamicConvolution:     exportConvolution,
		hlo.DynamicGather:          exportGather,
		hlo.DynamicReshape:         exportDynamicReshape,
		hlo.DynamicSlice:           exportDynamicSlice,
		hlo.DynamicUpdateSlice:     exportDynamicSlice,
		hlo.Fusion:                 exportCall,
		hlo.Gather:                 exportGather,
		hlo.GetTupleElement:        exportElementOf,
		hlo.Infeed:                 exportInfeed,
		hlo.Map:                    exportApplied("stablehlo.map"),
		hlo.OptimizationBarrier:    exportBarrier,
		hlo.Outfeed:                exportOutfeed,
		hlo.Pad:                    exportPad,
		hlo.RaggedDot:              exportRaggedDot,
		hlo.Recv:                   exportRecv,
		hlo.RecvDone:               exportRecvDone,
		hlo.Reduce:                 exportApplied("stablehlo.reduce"),
		hlo.ReduceScatter:          exportCollective,
		hlo.ReduceWindow:           exportReduceWindow,
		hlo.Rng:                    exportRng,
		hlo.Scan:                   exportScan,
		hlo.Scatter:                exportScatter,
		hlo.SelectAndScatter:       exportReduceWindow,
		hlo.Send:                   exportSend,
		hlo.SendDone:               exportSame,
		hlo.Slice:                  exportSlice,
		hlo.Sort:                   exportApplied("stablehlo.sort"),
		hlo.TopK:                   exportTopK,
		hlo.Tuple:                  exportTuple,
		hlo.While:                  exportWhile,
	}
}

// exportApplied writes an op with one region.
func exportApplied(name string) exportFunc {
	return func(b *writer, in *hlo.Instruction) (node, error) { return b.applied(in, name, in.Called()) }
}
