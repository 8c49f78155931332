package hlo

import "errors"

// IsZero reports whether the attribute is not set.
func (v *Padding) IsZero() bool { return true }

// AppendText appends the HLO text.
func (v *Padding) AppendText(b []byte) []byte { return b }

// ParseText reads the HLO text.
func (v *Padding) ParseText(s string) error { return errors.ErrUnsupported }

// IsZero reports whether the attribute is not set.
func (v *SliceDims) IsZero() bool { return true }

// AppendText appends the HLO text.
func (v *SliceDims) AppendText(b []byte) []byte { return b }

// ParseText reads the HLO text.
func (v *SliceDims) ParseText(s string) error { return errors.ErrUnsupported }

// IsZero reports whether the attribute is not set.
func (v *Precision) IsZero() bool { return true }

// AppendText appends the HLO text.
func (v *Precision) AppendText(b []byte) []byte { return b }

// ParseText reads the HLO text.
func (v *Precision) ParseText(s string) error { return errors.ErrUnsupported }

// IsZero reports whether the attribute is not set.
func (v *DimLabels) IsZero() bool { return true }

// AppendText appends the HLO text.
func (v *DimLabels) AppendText(b []byte) []byte { return b }

// ParseText reads the HLO text.
func (v *DimLabels) ParseText(s string) error { return errors.ErrUnsupported }

// IsZero reports whether the attribute is not set.
func (v *Window) IsZero() bool { return true }

// AppendText appends the HLO text.
func (v *Window) AppendText(b []byte) []byte { return b }

// ParseText reads the HLO text.
func (v *Window) ParseText(s string) error { return errors.ErrUnsupported }

// IsZero reports whether the attribute is not set.
func (v *Distribution) IsZero() bool { return true }

// AppendText appends the HLO text.
func (v *Distribution) AppendText(b []byte) []byte { return b }

// ParseText reads the HLO text.
func (v *Distribution) ParseText(s string) error { return errors.ErrUnsupported }

// IsZero reports whether the attribute is not set.
func (v *RandomAlgorithm) IsZero() bool { return true }

// AppendText appends the HLO text.
func (v *RandomAlgorithm) AppendText(b []byte) []byte { return b }

// ParseText reads the HLO text.
func (v *RandomAlgorithm) ParseText(s string) error { return errors.ErrUnsupported }

// IsZero reports whether the attribute is not set.
func (v *FftType) IsZero() bool { return true }

// AppendText appends the HLO text.
func (v *FftType) AppendText(b []byte) []byte { return b }

// ParseText reads the HLO text.
func (v *FftType) ParseText(s string) error { return errors.ErrUnsupported }

// IsZero reports whether the attribute is not set.
func (v *TransposeA) IsZero() bool { return true }

// AppendText appends the HLO text.
func (v *TransposeA) AppendText(b []byte) []byte { return b }

// ParseText reads the HLO text.
func (v *TransposeA) ParseText(s string) error { return errors.ErrUnsupported }

// IsZero reports whether the attribute is not set.
func (v *Direction) IsZero() bool { return true }

// AppendText appends the HLO text.
func (v *Direction) AppendText(b []byte) []byte { return b }

// ParseText reads the HLO text.
func (v *Direction) ParseText(s string) error { return errors.ErrUnsupported }

// IsZero reports whether the attribute is not set.
func (v *ComparisonType) IsZero() bool { return true }

// AppendText appends the HLO text.
func (v *ComparisonType) AppendText(b []byte) []byte { return b }

// ParseText reads the HLO text.
func (v *ComparisonType) ParseText(s string) error { return errors.ErrUnsupported }

// IsZero reports whether the attribute is not set.
func (v *ReplicaGroups) IsZero() bool { return true }

// AppendText appends the HLO text.
func (v *ReplicaGroups) AppendText(b []byte) []byte { return b }

// ParseText reads the HLO text.
func (v *ReplicaGroups) ParseText(s string) error { return errors.ErrUnsupported }

// IsZero reports whether the attribute is not set.
func (v *Pairs) IsZero() bool { return true }

// AppendText appends the HLO text.
func (v *Pairs) AppendText(b []byte) []byte { return b }

// ParseText reads the HLO text.
func (v *Pairs) ParseText(s string) error { return errors.ErrUnsupported }

// IsZero reports whether the attribute is not set.
func (v *APIVersion) IsZero() bool { return true }

// AppendText appends the HLO text.
func (v *APIVersion) AppendText(b []byte) []byte { return b }

// ParseText reads the HLO text.
func (v *APIVersion) ParseText(s string) error { return errors.ErrUnsupported }

// IsZero reports whether the attribute is not set.
func (v *OneDim) IsZero() bool { return true }

// AppendText appends the HLO text.
func (v *OneDim) AppendText(b []byte) []byte { return b }

// ParseText reads the HLO text.
func (v *OneDim) ParseText(s string) error { return errors.ErrUnsupported }

// IsZero reports whether the attribute is not set.
func (v *Optional) IsZero() bool { return true }

// AppendText appends the HLO text.
func (v *Optional) AppendText(b []byte) []byte { return b }

// ParseText reads the HLO text.
func (v *Optional) ParseText(s string) error { return errors.ErrUnsupported }

// IsZero reports whether the attribute is not set.
func (v *OptionalDim) IsZero() bool { return true }

// AppendText appends the HLO text.
func (v *OptionalDim) AppendText(b []byte) []byte { return b }

// ParseText reads the HLO text.
func (v *OptionalDim) ParseText(s string) error { return errors.ErrUnsupported }

// IsZero reports whether the attribute is not set.
func (v *OptionalShape) IsZero() bool { return true }

// AppendText appends the HLO text.
func (v *OptionalShape) AppendText(b []byte) []byte { return b }

// ParseText reads the HLO text.
func (v *OptionalShape) ParseText(s string) error { return errors.ErrUnsupported }
