package collective

import (
	"context"
	"fmt"
)

// Transport carries bytes between the processes of one job, which are called ranks: MPI does it between machines,
// Loopback within a process, for tests. Ranks that combine what they exchange in the order of the group have the
// same bits whatever carried them.
//
// A Transport is for any number of goroutines. Messages are matched by rank and tag and, of those that have the same,
// in the order in which they were sent; a tag stands for one group of devices or one channel, so calls with different
// tags may be under way at once and come in another order on another rank. Lengths agree: ranks first compare what they
// are about to do, in messages of a fixed size.
//
// The memory handed to a call is the transport's until the call returns, also when it fails: nothing touches it later.
//
// A fault is for good: after the first one all calls of the rank fail with it at once. An execution that has failed on
// one rank has failed on all, and the job has to start again.
type Transport interface {
	// Rank returns the number of this process, and Ranks how many there are.
	Rank() int
	Ranks() int
	// Exchange sends out[k] to rank group[k] and fills in[k] with what that rank sends to this one, for all k at once.
	// group are ranks in ascending order, this one among them, whose own out and in are left alone. All of them call
	// Exchange with the same group and tag. It fails with ctx's error when ctx ends, naming as a *LostError the ranks from
	// which nothing came, with a *LostError at once if a rank is known to be gone, and with what another rank told Fail.
	Exchange(ctx context.Context, tag uint64, group []int, out, in [][]byte) error
	// Send sends data to a rank, which is not this one. It returns before that rank receives it, and waits only while much
	// is on its way that nobody has received: megabytes, or hundreds of messages. It fails as Exchange does.
	Send(ctx context.Context, tag uint64, to int, data []byte) error
	// Recv returns the next message with this tag from a rank, which is not this one, as memory of the caller's. It fails
	// as Exchange does.
	Recv(ctx context.Context, tag uint64, from int) ([]byte, error)
	// Fail tells all ranks of the first fault of this one: what they wait for, here too, fails with it. It does not wait,
	// and does nothing once the transport is closed.
	Fail(fault error)
	// Watch waits until this rank has a fault, and returns it; a rank that is known to be gone is one. It returns nil when
	// ctx ends.
	Watch(ctx context.Context) error
	// Close ends the use of the transport; ranks that wait for this one get a *LostError. It may be called twice.
	Close() error
}

// LostError says which ranks did not come, or are gone.
type LostError struct {
	Ranks []int
	// Err is why the wait ended: the context's error, or what the transport says of the ranks.
	Err error
}

// Error names the ranks and the reason.
func (e *LostError) Error() string { return fmt.Sprintf("ranks %v did not come: %v", e.Ranks, e.Err) }

// Unwrap returns Err.
func (e *LostError) Unwrap() error { return e.Err }

// RankError is a fault that another rank told of.
type RankError struct {
	Rank  int
	Fault string
}

// Error names the rank and its fault.
func (e *RankError) Error() string { return fmt.Sprintf("rank %d: %s", e.Rank, e.Fault) }
