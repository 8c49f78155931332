package stablehlo

import "maps"

// allImports says how ops are imported that are not one to one a row of HLO's op table. Ops of MHLO are looked
// up under StableHLO's names, then their own, then CHLO's.
var allImports = merge(stablehloImports, toolImports, chloImports)

func merge(tables ...map[string]importFunc) map[string]importFunc {
	all := map[string]importFunc{}
	for _, t := range tables {
		maps.Copy(all, t)
	}
	return all
}

var stablehloImports = map[string]importFunc{
	"arith.constant":                 importConstant,
	"func.call":                      importCall,
	"sdy.sharding_constraint":        importConstraint,
	"sdy.manual_computation":         importManual,
	"sdy.reshard":                    importConstraint,
	"stablehlo.all_gather":           importAllGather,
	"stablehlo.all_reduce":           importAllReduce,
	"stablehlo.all_to_all":           importAllToAll,
	"stablehlo.async_done":           importAsyncDone,
	"stablehlo.async_start":          importAsyncStart,
	"stablehlo.bitcast_convert":      importBitcastConvert,
	"stablehlo.broadcast":            importBroadcast,
	"stablehlo.case":                 importCase,
	"stablehlo.collective_broadcast": importCollectiveBroadcast,
	"stablehlo.collective_permute":   importCollectivePermute,
	"stablehlo.collective_reduce":    importCollectiveReduce,
	"stablehlo.compare":              importCompare,
	"stablehlo.composite":            importComposite,
	"stablehlo.constant":             importConstant,
	"stablehlo.convert":              importConvert,
	"stablehlo.convolution":          importConvolution,
	"stablehlo.create_token":         importCreateToken,
	"stablehlo.cross-replica-sum":    importCrossReplicaSum,
	"stablehlo.custom_call":          importCustomCall,
	"stablehlo.dot":                  importDot,
	"stablehlo.dot_general":          importDotGeneral,
	"stablehlo.dynamic_conv":         importConvolution,
	"stablehlo.dynamic_gather":       importGather,
	"stablehlo.einsum":               importEinsum,
	"stablehlo.gather":               importGather,
	"stablehlo.if":                   importIf,
	"stablehlo.infeed":               importInfeed,
	"stablehlo.map":                  importMap,
	"stablehlo.optimization_barrier": importBarrier,
	"stablehlo.outfeed":              importOutfeed,
	"stablehlo.pad":                  importPad,
	"stablehlo.recv":                 importRecv,
	"stablehlo.reduce":               importReduce,
	"stablehlo.reduce_scatter":       importReduceScatter,
	"stablehlo.reduce_window":        importReduceWindow,
	"stablehlo.rng":                  importRng,
	"stablehlo.rng_bit_generator":    importRngBitGenerator,
	"stablehlo.scatter":              importScatter,
	"stablehlo.select_and_scatter":   importSelectAndScatter,
	"stablehlo.send":                 importSend,
	"stablehlo.slice":                importSlice,
	"stablehlo.sort":                 importSort,
	"stablehlo.torch_index_select":   importTorchIndexSelect,
	"stablehlo.unary_einsum":         importEinsum,
	"stablehlo.while":                importWhile,
	"chlo.constant":                  importConstant,
	"chlo.ragged_dot":                importRaggedDot,
	"chlo.scan":                      importScan,
	"chlo.top_k":                     importTopK,
	"mhlo.topk":                      importTopK,
}
