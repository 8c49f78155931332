package isolate

import (
	"context"
	"fmt"
	"os"
	"sync/atomic"

	"github.com/halo-xla/halo/ffi"
)

// variable is set in the environment of processes that are to serve: to the number of their socket.
const variable = "HALO_ISOLATED"

// served is whether this program's main has called Serve.
var served atomic.Bool

// Server serves a call site in this process.
type Server interface {
	Call(ctx context.Context, c *ffi.Call) error
	Close()
}

// Instantiator makes what serves a call site.
type Instantiator func(context.Context, *ffi.Site) (Server, error)

// Opener opens the library that spec describes.
type Opener func(spec []byte) (Instantiator, error)

// Serve returns at once in a program that a user has started; from then on it can be its own helper. In a process that
// a pool has started it serves the pool and does not return.
func Serve(open Opener) {
	served.Store(true)
	if os.Getenv(variable) == "" {
		return
	}
	os.Unsetenv(variable) // it is not meant for programs that functions start
	if err := serveSocket(open); err != nil {
		fmt.Fprintln(os.Stderr, "isolate:", err)
		os.Exit(1)
	}
	os.Exit(0)
}
