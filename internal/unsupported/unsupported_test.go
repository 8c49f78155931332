package unsupported

import (
	"errors"
	"fmt"
	"io"
)

// The text is the error's own.
func ExampleError() {
	err := Error(fmt.Errorf("nobody has one: %w", io.EOF))
	fmt.Println(err, errors.Is(err, errors.ErrUnsupported), errors.Is(err, io.EOF))
	// Output: nobody has one: EOF true true
}
