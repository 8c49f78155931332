package hlo

// CompareAttrs are the attributes of compare, rows 43 to 54.
type CompareAttrs struct {
	Direction Direction
	Type      ComparisonType
}

// Fields lists the attributes.
func (a *CompareAttrs) Fields() []Field {
	return []Field{{"direction", "comparison_direction", &a.Direction, Always}, {"type", "compare_type", &a.Type, Set}}
}

// Direction is how compare compares.
type Direction uint8

// The directions.
const (
	Eq Direction = iota
	Ne
	Ge
	Gt
	Le
	Lt
)

var directionNames = names{"EQ", "NE", "GE", "GT", "LE", "LT"}

// ComparisonType is by which order compare compares; the zero value follows from the element type.
type ComparisonType uint8

// The comparison types.
const (
	DefaultComparison ComparisonType = iota
	FloatComparison
	TotalOrder
	SignedComparison
	UnsignedComparison
)

var comparisonNames = names{"", "FLOAT", "TOTALORDER", "SIGNED", "UNSIGNED"}
