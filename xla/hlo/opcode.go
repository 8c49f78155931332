package hlo

// Opcode names an operation of the language. The order is alphabetical by name in HLO text.
type Opcode uint8

// The opcodes. Their names are XLA's; the dynamic ones without an HLO opcode are StableHLO's.
const (
	Abs Opcode = iota
	Acos
	Acosh
	Add
	AddDependency
	AfterAll
	AllGather
	AllGatherDone
	AllGatherStart
	AllReduce
	AllReduceDone
	AllReduceStart
	AllToAll
	And
	Asin
	Asinh
	AsyncDone
	AsyncStart
	AsyncUpdate
	Atan
	Atan2
	Atanh
	BatchNormGrad
	BatchNormInference
	BatchNormTraining
	Bitcast
	BitcastConvert
	Broadcast
	Call
	Cbrt
	Ceil
	Cholesky
	Clamp
	CollectiveBroadcast
	CollectivePermute
	CollectivePermuteDone
	CollectivePermuteStart
	CollectiveReduce
	Compare
	Complex
	Concatenate
	Conditional
	Constant
	Convert
	Convolution
	Copy
	CopyDone
	CopyStart
	Cosh
	Cos
	Clz
	CustomCall
	Divide
	Domain
	Dot
	DynamicBroadcastInDim
	DynamicConvolution
	DynamicGather
	DynamicIota
	DynamicPad
	DynamicReshape
	DynamicSlice
	DynamicUpdateSlice
	Erf
	Exp
	Expm1
	Fft
	Floor
	Fusion
	Gather
	GetDimensionSize
	GetTupleElement
	Imag
	Infeed
	Iota
	IsFinite
	Log
	Log1p
	Logistic
	Map
	Maximum
	Minimum
	Mulhi
	Multiply
	Negate
	Not
	OptimizationBarrier
	Or
	Outfeed
	Pad
	Parameter
	PartitionId
	PopulationCount
	Power
	RaggedAllToAll
	RaggedDot
	Real
	RealDynamicSlice
	Recv
	RecvDone
	Reduce
	ReducePrecision
	ReduceScatter
	ReduceWindow
	Remainder
	ReplicaId
	Reshape
	Reverse
	Rng
	RngBitGenerator
	RngGetAndUpdateState
	RoundNearestAfz
	RoundNearestEven
	Rsqrt
	ScaledDot
	Scan
	Scatter
	Select
	SelectAndScatter
	Send
	SendDone
	SetDimensionSize
	ShiftLeft
	ShiftRightArithmetic
	ShiftRightLogical
	Sign
	Sin
	Sinh
	Slice
	Sort
	Sqrt
	StochasticConvert
	Subtract
	Tan
	Tanh
	TopK
	Transpose
	TriangularSolve
	Tuple
	While
	Xor
	NumOps
)

// Info returns the op's row of the table.
func (op Opcode) Info() *OpInfo { return &optable[op] }

// String returns the op's name in HLO text.
func (op Opcode) String() string { return optable[op].Name }

// OpByName returns the op that HLO text calls name, and whether there is one.
func OpByName(name string) (Opcode, bool) { op, ok := opsByName[name]; return op, ok }

// OpByMLIR returns the op that means the dialect op name ("stablehlo.add"), and whether there is one.
func OpByMLIR(name string) (Opcode, bool) { op, ok := opsByMLIR[name]; return op, ok }
