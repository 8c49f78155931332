// Package unsupported makes an errors.ErrUnsupported of an error whose text says all. With %w that one's own text,
// "unsupported operation", would stand behind a sentence which has said it better.
package unsupported

import "errors"

// Error returns err as an errors.ErrUnsupported, with its text and what it wraps.
func Error(err error) error { return &unsupported{err} }

type unsupported struct{ error }

func (u *unsupported) Unwrap() error      { return u.error }
func (*unsupported) Is(target error) bool { return target == errors.ErrUnsupported }
