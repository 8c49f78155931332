package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"syscall"
	"time"

	"github.com/halo-xla/halo/xla/collective/mpi"
)

const launchHelp = `It starts N processes of CMD on this machine as the ranks of one MPI job, and ends with the
code of the first that fails. CMD may be one of this tool's, such as run or check.
When a rank fails, the others have the time of --grace to end by themselves.
--mpi openmpi starts them by mpirun, which then decides; --mpi mpich needs no launcher.
On several machines use mpirun, srun or the MPI operator of Kubernetes instead.
`

func launchCommand(t *tool, args []string) error {
	fs := t.flags("launch")
	n := fs.Int("n", 0, "number of ranks")
	family := fs.String("mpi", "", "openmpi or mpich; default: the one that is installed")
	grace := fs.Duration("grace", 10*time.Second, "how long ranks go on when one has failed")
	if err := t.parseFirst(fs, args); err != nil {
		return err
	}
	if *n < 1 || *n > maxRanks || fs.NArg() == 0 {
		return exitf(exitUsage, "launch: got %d ranks of %q, want -n 1 to %d and a command", *n, fs.Args(), maxRanks)
	}
	found, err := mpi.Family(*family)
	if err != nil {
		return &exitError{exitMissing, err}
	}
	j := &launched{t: t, grace: *grace, ended: make(chan *exec.Cmd)}
	j.stdout, j.stderr = together(t.stdout), together(t.stderr)
	words := fs.Args()
	if _, err := exec.LookPath(words[0]); err != nil && commandOf(words[0]) != nil {
		self, err := os.Executable()
		if err != nil {
			return err
		}
		words = append([]string{self}, words...)
	}
	if found == mpi.OpenMPI {
		return j.mpirun(*n, words)
	}
	return j.ranks(*n, words)
}

const maxRanks = 4096

// launched are the processes of a job.
type launched struct {
	t              *tool
	grace          time.Duration
	stdout, stderr io.Writer
	processes      []*exec.Cmd // nil: it has ended
	ended          chan *exec.Cmd
}

// together lets several processes write to w, which those of the system's files do by themselves.
func together(w io.Writer) io.Writer {
	if file, ok := w.(*os.File); ok {
		return file
	}
	return &turns{w: w}
}

type turns struct {
	mu sync.Mutex
	w  io.Writer
}

func (t *turns) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.w.Write(b)
}

// noting runs a rank's command and notes in a file, its $0, if it fails: mpirun ends with 0 all the same when it is
// told to let the other ranks go on.
const noting = `"$@"; code=$?; [ $code = 0 ] || echo "$OMPI_COMM_WORLD_RANK $code" >>"$0"; exit $code`

// mpirun leaves the ranks to Open MPI's launcher.
func (j *launched) mpirun(n int, args []string) error {
	launcher := "mpirun.openmpi"
	if _, err := exec.LookPath(launcher); err != nil {
		launcher = "mpirun"
	}
	folder, err := os.MkdirTemp("", "halo-launch")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	notes := filepath.Join(folder, "notes")
	options := []string{"--oversubscribe", "--enable-recovery", "--quiet", "-n", strconv.Itoa(n)}
	c := j.command(slices.Concat([]string{launcher}, options, []string{"sh", "-c", noting, notes}, args), mpi.OpenMPI)
	c.Env = append(c.Env, "OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1")
	if err := j.start(c); err != nil {
		return err
	}
	if err := j.wait(); err != nil {
		return err
	}
	return noted(notes)
}

// noted returns the first fault that a rank has noted.
func noted(notes string) error {
	text, _ := os.ReadFile(notes) // there is none if all is well
	var rank, code int
	if n, _ := fmt.Sscan(string(text), &rank, &code); n < 2 {
		return nil
	}
	return exitf(code, "launch: rank %d: exit status %d", rank, code)
}

// ranks starts the processes itself and answers what they ask their launcher.
func (j *launched) ranks(n int, args []string) error {
	p := newPMI(n)
	for rank := range n {
		c := j.command(args, mpi.MPICH)
		environment, file, err := p.connect(rank, 3)
		if err != nil {
			j.signal(syscall.SIGKILL)
			return err
		}
		c.Env, c.ExtraFiles = append(c.Env, environment...), []*os.File{file}
		err = j.start(c)
		file.Close()
		if err != nil {
			j.signal(syscall.SIGKILL)
			return err
		}
	}
	return j.wait()
}

func (j *launched) command(args []string, family string) *exec.Cmd {
	c := exec.Command(args[0], args[1:]...)
	c.Stdout, c.Stderr = j.stdout, j.stderr
	c.Env = append(os.Environ(), "HALO_MPI="+family)
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGTERM}
	return c
}

func (j *launched) start(c *exec.Cmd) error {
	if err := c.Start(); err != nil {
		return exitf(exitMissing, "launch: %v", err)
	}
	j.processes = append(j.processes, c)
	go func() {
		_ = c.Wait() // ProcessState has how it ended
		j.ended <- c
	}()
	return nil
}

// signal sends s to the processes that run, and to what they have started.
func (j *launched) signal(s syscall.Signal) {
	for _, c := range j.processes {
		if c != nil {
			_ = syscall.Kill(-c.Process.Pid, s) // gone is fine
		}
	}
}

// wait waits for all processes. It returns the fault of the first that failed.
func (j *launched) wait() error {
	interrupts := make(chan os.Signal, 1)
	signal.Notify(interrupts, syscall.SIGHUP)
	defer signal.Stop(interrupts)
	var fault error
	var deadline <-chan time.Time
	next := syscall.SIGTERM // what the deadline brings
	cancelled := j.t.ctx.Done()
	for left := len(j.processes); left > 0; {
		select {
		case c := <-j.ended:
			left--
			if err := j.failure(c); err != nil && fault == nil {
				fault, deadline = err, time.After(j.grace)
			}
		case <-deadline:
			j.signal(next)
			next, deadline = syscall.SIGKILL, time.After(time.Second)
		case s := <-interrupts:
			j.signal(s.(syscall.Signal))
			fault = errors.Join(fault, fmt.Errorf("launch: told to end: %v", s))
			next, deadline = syscall.SIGKILL, time.After(j.grace)
		case <-cancelled:
			j.signal(syscall.SIGTERM)
			fault, cancelled = j.t.ctx.Err(), nil
			next, deadline = syscall.SIGKILL, time.After(j.grace)
		}
	}
	return fault
}

// failure notes that a process has ended, and says how if it failed.
func (j *launched) failure(c *exec.Cmd) error {
	i, state := slices.Index(j.processes, c), c.ProcessState
	j.processes[i] = nil
	if state.Success() {
		return nil
	}
	code := state.ExitCode()
	if status, ok := state.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		code = 128 + int(status.Signal()) // as a shell has it
	}
	if len(j.processes) == 1 {
		return exitf(code, "launch: %s: %v", c.Args[0], state)
	}
	return exitf(code, "launch: rank %d: %v", i, state)
}
