//go:build !linux

package isolate

import (
	"context"
	"errors"
	"fmt"
)

var errNone = fmt.Errorf("isolate: processes share memory on Linux only: %w", errors.ErrUnsupported)

func serveSocket(Opener) error { return errNone }

type memory struct{ data []byte }

func (*memory) grow(int64) error { return errNone }

type process struct {
	dead   bool
	memory *memory
	growth growth
}

func start(context.Context, *Pool) (*process, error) { return nil, errNone }

func (*process) instantiate(context.Context, *Instance) error { return errNone }

func (*process) call(context.Context, *Instance, *request) error { return errNone }

func (*process) forget(uint64) {}

func (*process) end() {}
