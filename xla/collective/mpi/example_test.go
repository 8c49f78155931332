package mpi_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/halo-xla/halo/xla/collective/mpi"
)

// Started by mpirun -n 4, each rank hears from its neighbour; started alone it has none.
func Example() {
	t, err := mpi.Start(mpi.Options{})
	if errors.Is(err, errors.ErrUnsupported) {
		fmt.Println("alone") // there is no MPI on this machine
		return
	}
	if err != nil {
		fmt.Println(err)
		return
	}
	defer t.Close()
	if t.Ranks() == 1 {
		fmt.Println("alone")
		return
	}
	ctx, n := context.Background(), t.Ranks()
	if err := t.Send(ctx, 1, (t.Rank()+1)%n, fmt.Appendf(nil, "greetings from %d", t.Rank())); err != nil {
		fmt.Println(err)
		return
	}
	said, err := t.Recv(ctx, 1, (t.Rank()+n-1)%n)
	fmt.Println(string(said), err)
	// Output: alone
}
