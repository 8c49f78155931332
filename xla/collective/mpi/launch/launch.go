// Package launch starts the ranks of an MPI job on this machine, as mpirun does, and lets those that are left end by
// themselves when one fails.
package launch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/halo-xla/halo/xla/collective/mpi"
)

// MaxRanks is the most that a job may have.
const MaxRanks = 4096

// Options say how a job is started. Ranks is 1 to MaxRanks.
type Options struct {
	Ranks int
	// Family is mpi.OpenMPI or mpi.MPICH; "": the one that is installed. Open MPI's ranks are started by its mpirun;
	// for MPICH no launcher is needed.
	Family string
	// Grace is how long the other ranks go on when one has failed, or all when they are told to stop; then they are
	// killed.
	Grace time.Duration
	// Stdout and Stderr take what the ranks write; nil: nothing does.
	Stdout, Stderr io.Writer
}

// Fault is how a rank failed.
type Fault struct {
	// Rank is its number, -1 if there is one process alone: the only rank, or another launcher.
	Rank int
	// Code is its exit code, 128 and the number of a signal that ended it.
	Code int
	// What says it in words.
	What string
	// Others failed after it, as far as can be seen: ranks that tell each other of a fault end at about the same time.
	Others []*Fault
}

// Error names the ranks that failed and says how they ended.
func (f *Fault) Error() string {
	if f.Rank < 0 {
		return "launch: " + f.What
	}
	var ends []string
	ranks := map[string][]int{}
	for _, one := range append([]*Fault{f}, f.Others...) {
		if ranks[one.What] == nil {
			ends = append(ends, one.What)
		}
		ranks[one.What] = append(ranks[one.What], one.Rank)
	}
	for i, what := range ends {
		list := ranks[what]
		slices.Sort(list)
		ends[i] = fmt.Sprintf("rank %d: %s", list[0], what)
		if len(list) > 1 {
			ends[i] = fmt.Sprintf("ranks %s: %s", strings.Trim(strings.ReplaceAll(fmt.Sprint(list), " ", ", "), "[]"), what)
		}
	}
	return "launch: " + strings.Join(ends, "; ")
}

// Run runs a command as each rank of a job and waits for all. It fails with the *Fault of the first rank that did not
// end well, with ctx's error when ctx ends, which tells the ranks to stop, with errors.ErrUnsupported if there is no
// MPI of the family, and if the command cannot be started.
func Run(ctx context.Context, o Options, command []string) error {
	if o.Ranks < 1 || o.Ranks > MaxRanks || len(command) == 0 {
		return fmt.Errorf("launch: %d ranks of %q, want 1 to %d and a command", o.Ranks, command, MaxRanks)
	}
	family, err := mpi.Family(o.Family)
	if err != nil {
		return err
	}
	j := newLaunched(ctx, o)
	if family == mpi.OpenMPI {
		return j.mpirun(o.Ranks, command)
	}
	return j.ranks(o.Ranks, command)
}

// launched are the processes of a job.
type launched struct {
	ctx            context.Context
	grace          time.Duration
	stdout, stderr io.Writer
	processes      []*exec.Cmd // nil: it has ended
	ended          chan *exec.Cmd
}

func newLaunched(ctx context.Context, o Options) *launched {
	j := &launched{ctx: ctx, grace: o.Grace, ended: make(chan *exec.Cmd, o.Ranks)}
	if j.stdout, j.stderr = inTurns(o.Stdout), inTurns(o.Stderr); same(o.Stdout, o.Stderr) {
		j.stderr = j.stdout // one turn for both
	}
	return j
}

// inTurns lets several processes write to w, which those of the system's files do by themselves.
func inTurns(w io.Writer) io.Writer {
	if file, ok := w.(*os.File); ok {
		return file
	}
	if w == nil {
		return nil
	}
	return &turns{w: w}
}

// same reports whether two writers are one, as exec.Cmd does.
func same(a, b io.Writer) bool {
	defer func() { _ = recover() }() // they cannot be compared
	return a == b
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

// noted returns the faults that ranks have noted, nil if there is none.
func noted(notes string) error {
	text, _ := os.ReadFile(notes) // there is none if all is well
	var faults []*Fault
	for line := range strings.Lines(string(text)) {
		f := &Fault{}
		if n, _ := fmt.Sscan(line, &f.Rank, &f.Code); n == 2 {
			f.What = fmt.Sprint("exit status ", f.Code)
			faults = append(faults, f)
		}
	}
	return together(faults)
}

// together makes one of faults in their order, nil of none.
func together(faults []*Fault) error {
	if len(faults) == 0 {
		return nil
	}
	faults[0].Others = faults[1:]
	return faults[0]
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
	c.WaitDelay = j.grace + time.Second // what outlives a rank may hold its output
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGTERM}
	return c
}

func (j *launched) start(c *exec.Cmd) error {
	if err := c.Start(); err != nil {
		return fmt.Errorf("launch: %w", err)
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

// wait waits for all processes. It returns the faults of those that failed before they were told to end.
func (j *launched) wait() error {
	interrupts := make(chan os.Signal, 1)
	signal.Notify(interrupts, syscall.SIGHUP)
	defer signal.Stop(interrupts)
	var faults []*Fault
	var told error // why the processes are to end, if none has failed
	ending := false
	var deadline <-chan time.Time
	next := syscall.SIGTERM // what the deadline brings
	cancelled := j.ctx.Done()
	for left := len(j.processes); left > 0; {
		select {
		case c := <-j.ended:
			left--
			f := j.failure(c)
			if f == nil || ending {
				break
			}
			if faults = append(faults, f); len(faults) == 1 {
				deadline = time.After(j.grace)
			}
		case <-deadline:
			ending = true
			j.signal(next)
			next, deadline = syscall.SIGKILL, time.After(time.Second)
		case s := <-interrupts:
			j.signal(s.(syscall.Signal))
			told, ending = errors.Join(told, fmt.Errorf("launch: told to end: %v", s)), true
			next, deadline = syscall.SIGKILL, time.After(j.grace)
		case <-cancelled:
			j.signal(syscall.SIGTERM)
			faults, told, ending, cancelled = nil, j.ctx.Err(), true, nil
			next, deadline = syscall.SIGKILL, time.After(j.grace)
		}
	}
	return errors.Join(together(faults), told)
}

// failure notes that a process has ended, and says how if it failed.
func (j *launched) failure(c *exec.Cmd) *Fault {
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
		return &Fault{Rank: -1, Code: code, What: fmt.Sprintf("%s: %v", c.Args[0], state)}
	}
	return &Fault{Rank: i, Code: code, What: state.String()}
}
