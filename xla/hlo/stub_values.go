package hlo

import "errors"

// ParseText waits for the shapes' parser.
func (v *OptionalShape) ParseText(string) error { return errors.ErrUnsupported }
