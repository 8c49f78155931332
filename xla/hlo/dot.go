package hlo

// DotAttrs say which dimensions of a dot are batch and contracting ones; row 92.
type DotAttrs struct {
	LHSBatch, LHSContracting, RHSBatch, RHSContracting []int64
	Precision                                          Precision
	Algorithm                                          Raw
}

// Fields lists the attributes.
func (a *DotAttrs) Fields() []Field {
	return []Field{
		{"lhs_batch_dims", "", &a.LHSBatch, Set},
		{"lhs_contracting_dims", "", &a.LHSContracting, Set},
		{"rhs_batch_dims", "", &a.RHSBatch, Set},
		{"rhs_contracting_dims", "", &a.RHSContracting, Set},
		{"operand_precision", "precision_config", &a.Precision, Set},
		{"algorithm", "", &a.Algorithm, Set},
	}
}

// Precision has one PrecisionLevel an operand; empty means the default for all. Its text is "{high,highest}".
type Precision []PrecisionLevel

// PrecisionLevel is a wish; on CPUs every level is the full precision of the type.
type PrecisionLevel uint8

// The levels of precision.
const (
	DefaultPrecision PrecisionLevel = iota
	HighPrecision
	HighestPrecision
)

var precisionNames = names{"default", "high", "highest"}

// RaggedDotAttrs are a dot's, and which dimension of lhs is ragged and which of rhs are the groups.
type RaggedDotAttrs struct {
	LHSBatch, LHSContracting, RHSBatch, RHSContracting []int64
	LHSRagged, RHSGroup                                []int64
	Precision                                          Precision
	Algorithm                                          Raw
}

// Fields lists the attributes.
func (a *RaggedDotAttrs) Fields() []Field {
	return []Field{
		{"lhs_batch_dims", "", &a.LHSBatch, Set},
		{"lhs_contracting_dims", "", &a.LHSContracting, Set},
		{"rhs_batch_dims", "", &a.RHSBatch, Set},
		{"rhs_contracting_dims", "", &a.RHSContracting, Set},
		{"lhs_ragged_dims", "", &a.LHSRagged, Set},
		{"rhs_group_dims", "", &a.RHSGroup, Set},
		{"operand_precision", "precision_config", &a.Precision, Set},
		{"algorithm", "", &a.Algorithm, Set},
	}
}
