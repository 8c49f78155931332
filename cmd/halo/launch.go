package main

import (
	"errors"
	"os"
	"os/exec"
	"slices"
	"time"

	"github.com/halo-xla/halo/internal/spelling"
	"github.com/halo-xla/halo/xla/collective/mpi"
	"github.com/halo-xla/halo/xla/collective/mpi/launch"
)

const launchHelp = `It starts N processes of CMD on this machine as the ranks of one MPI job, and ends with the
code of the first that fails. CMD may be one of this tool's, such as run or check;
a program of the same name is meant by its path, such as ./run.
When a rank fails, the others have the time of --grace to end by themselves.
--mpi openmpi starts them by mpirun, which then decides; --mpi mpich needs no launcher.
On several machines use mpirun, srun or the MPI operator of Kubernetes instead.
`

func launchCommand(t *tool, args []string) error {
	fs := t.flags("launch")
	o := launch.Options{Stdout: behind(t.stdout), Stderr: t.stderr}
	fs.IntVar(&o.Ranks, "n", 0, "number of ranks")
	fs.StringVar(&o.Family, "mpi", "", "openmpi or mpich; default: the one that is installed")
	fs.DurationVar(&o.Grace, "grace", 10*time.Second, "how long ranks go on when one has failed")
	if err := t.parseFirst(fs, args); err != nil {
		return err
	}
	if o.Ranks < 1 || o.Ranks > launch.MaxRanks || fs.NArg() == 0 {
		return exitf(exitUsage, "got %d ranks of %q, want -n 1 to %d and a command", o.Ranks, fs.Args(),
			launch.MaxRanks)
	}
	if !slices.Contains([]string{"", mpi.OpenMPI, mpi.MPICH}, o.Family) {
		return exitf(exitUsage, "--mpi: got %q, want %s or %s", o.Family, mpi.OpenMPI, mpi.MPICH)
	}
	words, err := ownCommand(fs.Args())
	if err != nil {
		return err
	}
	err = launch.Run(t.ctx, o, words)
	var fault *launch.Fault
	switch {
	case errors.As(err, &fault):
		return &exitError{fault.Code, err}
	case errors.Is(err, errors.ErrUnsupported), errors.Is(err, exec.ErrNotFound), errors.Is(err, os.ErrNotExist):
		return &exitError{exitMissing, err}
	}
	return err
}

// ownCommand puts this tool before words that begin with one of its commands, also where there is such a program; of
// other words it refuses those that are no program, before a rank starts.
func ownCommand(words []string) ([]string, error) {
	if commandOf(words[0]) != nil {
		self, err := os.Executable()
		return append([]string{self}, words...), err
	}
	if _, err := exec.LookPath(words[0]); err != nil {
		return nil, exitf(exitUsage, "%w, and halo has no such command%s", err, spelling.Meant(words[0], commandNames()))
	}
	return words, nil
}
