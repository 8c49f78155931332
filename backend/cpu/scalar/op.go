package scalar

// Op is what an instruction does. The numbers are those of cgo/loops/scalar/program.h.
type Op uint16

// The instructions. S stands for signed, U for unsigned integers, F for F32, D for F64.
const (
	Next     Op = iota // advances the streams and begins again, or ends
	Jump               // goes to Imm
	JumpIf             // goes to Imm if A is not 0
	JumpIfNo           // goes to Imm if A is 0
	Again              // goes back to Imm if A is not 0, and looks whether the run is cancelled
	AgainLtS           // the same if A < B
	AgainNeS           // the same if A is not B

	Load8U // of stream A at byte Imm to D
	Load8S
	Load16U
	Load16S
	Load32U
	Load32S
	Load64
	LoadBF16
	LoadF16
	LoadSmall // of the float type B
	Store8    // of register B to stream A at byte Imm
	Store16
	Store32
	Store64
	StoreBF16
	StoreF16
	StoreSmall // of the float type D

	Move
	MoveMany  // Imm registers from A on
	LoadMany  // as the load B does, C elements of stream A from byte Imm on
	StoreMany // as the store D does, C elements from register B on
	Fetch     // the register A + B if B is at most Imm, an unsigned number, else A
	Put       // B to the register D + A if A is at most Imm, else to none

	CopyArray // Imm bytes of stream A to stream D, which may be the same
	Load8UAt  // of element B of what is at byte Imm of stream A, to D
	Load8SAt
	Load16UAt
	Load16SAt
	Load32UAt
	Load32SAt
	Load64At
	LoadBF16At
	LoadF16At
	LoadSmallAt // of the float type C
	Store8At    // of register B to element C of what is at byte Imm of stream A
	Store16At
	Store32At
	Store64At
	StoreBF16At
	StoreF16At
	StoreSmallAt // of the float type D

	Select  // B if A is not 0, else C
	Extend  // cuts to Imm bits and extends the sign
	Cut     // cuts to Imm bits
	NotZero // 1 if A is not 0
	NotZeroF
	NotZeroD
	EqS
	NeS
	LtS
	LeS
	LtU
	LeU
	EqF
	NeF
	LtF
	LeF
	EqD
	NeD
	LtD
	LeD
	KeyF // an integer in the total order of floats
	KeyD

	And
	Or
	Xor
	NotS
	NotU
	AddS
	AddU
	SubS
	SubU
	MulS
	MulU
	DivS
	DivU
	RemS
	RemU
	NegS
	NegU
	AbsS
	SignS
	MinS
	MinU
	MaxS
	MaxU
	MulhiS
	MulhiU
	PowS
	PowU
	PopCount
	LeadingZeros
	ShiftLeftS
	ShiftLeftU
	ShiftRightS // arithmetic, of a signed integer
	ShiftRightU // arithmetic, of the bits of an unsigned integer
	ShiftLogicalS
	ShiftLogicalU

	AddF
	SubF
	MulF
	DivF
	NegF
	AbsF
	MinF
	MaxF
	SqrtF
	FloorF
	CeilF
	RoundF
	RoundEvenF
	SignF
	RemF
	FiniteF
	AddD
	SubD
	MulD
	DivD
	NegD
	AbsD
	MinD
	MaxD
	SqrtD
	FloorD
	CeilD
	RoundD
	RoundEvenD
	SignD
	RemD
	FiniteD

	FToD
	DToF
	DToS // saturates to Imm bits
	DToU // the same
	SToF
	UToF
	SToD
	UToD
	OddS  // to D, what is dropped leaves its trace in the last bit
	OddU  // the same
	Round // to the float type Imm
	Bits  // of D as float type Imm
	OfBits
	ReducePrecision // of D as float type B to Imm>>8 exponent and Imm&255 mantissa bits

	Call    // function Imm of A and B, in D
	CallC64 // of the complex numbers A and B, Go only
	CallC128
	MulC64

	Vec          // instruction or function E on Imm&(1<<24-1) lanes; Imm>>24 says which of A, B and C are one number
	VecMove      // Imm lanes
	VecFold      // instruction E on all Imm lanes of A; C says that D is signed
	VecLoad      // Imm lanes of stream A, bytes in memory if B
	VecStore     // Imm lanes of B to stream A, bytes in memory if D
	VecLoadAt    // C lanes of stream A from byte Imm and element B on, bytes if E
	VecStoreAt   // E lanes of B to stream A from byte Imm and element C on, bytes if D
	VecFetch     // lane B of A, lane 0 if B is more than Imm; E says that D is signed
	VecPut       // B to lane A of D
	VecCopy      // Imm lanes of A from lane E on to those of D from lane C on
	VecWindow    // Imm lanes of A from lane B on, which is at most E
	VecPutWindow // Imm lanes of B to those of D from lane A on, which is at most E
	VecDot       // Imm lanes: sums of E lanes of A from lane C on, each times Imm lanes of B that follow one another
	VecTranspose // of a matrix A of C rows of E lanes
	numOps
)

// operation is a row of the table of instructions; the instructions that are not control flow have a function.
type operation struct {
	name   string
	run    func(m *Machine, in *Instr)
	goOnly bool
}
