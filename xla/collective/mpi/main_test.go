package mpi_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/halo-xla/halo/internal/testfile"
	"github.com/halo-xla/halo/xla/collective/mpi"
	"github.com/halo-xla/halo/xla/collective/transporttest"
)

// A rank of a test is this program again, with the name of what it is to do.
const roleVariable = "HALO_TEST_ROLE"

func TestMain(m *testing.M) {
	if role := os.Getenv(roleVariable); role != "" {
		f := roles[role]
		if c, ok := transporttest.Find(role); ok {
			f = func(ctx context.Context, t *mpi.Transport) error { return c.Do(ctx, t) }
		}
		os.Exit(rank(f))
	}
	os.Exit(m.Run())
}

// role is what a rank does; what it returns is printed with its number.
type role func(ctx context.Context, t *mpi.Transport) error

func rank(f role) int {
	t, err := mpi.Start(mpi.Options{Greet: 30 * time.Second, Close: 3 * time.Second})
	if err != nil {
		fmt.Println("start:", err)
		return 1
	}
	ctx, cancel := context.WithTimeout(context.Background(), 60*time.Second)
	defer cancel()
	if err := f(ctx, t); err != nil {
		fmt.Printf("rank %d: %v\n", t.Rank(), err)
	}
	if err := t.Close(); err != nil {
		fmt.Printf("rank %d: close: %v\n", t.Rank(), err)
	}
	return 0
}

// launcher is how an implementation starts ranks and leaves alone those that are left when one is gone.
type launcher struct {
	name, command string
	options       []string
}

var launchers = []launcher{
	{"openmpi", "mpirun.openmpi", []string{"--allow-run-as-root", "--oversubscribe", "--enable-recovery", "--quiet"}},
	{"mpich", "mpirun.mpich", []string{"-disable-auto-cleanup"}},
}

// onEach runs a role on n ranks of each implementation that is here and hands what they print, a line each, to check.
func onEach(t *testing.T, n int, role string, check func(t *testing.T, lines []string)) {
	for _, l := range launchers {
		t.Run(l.name, func(t *testing.T) {
			testfile.Library(t, "mpi", l.here())
			check(t, l.run(t, n, role))
		})
	}
}

func (l launcher) here() error {
	_, err := exec.LookPath(l.command)
	return err
}

// run starts the ranks, at most for two minutes; a job that loses a rank may end with an error, which is the
// launcher's.
func (l launcher) run(t *testing.T, n int, role string) []string {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	args := append(append([]string{}, l.options...), "-n", strconv.Itoa(n), os.Args[0])
	c := exec.CommandContext(ctx, l.command, args...)
	c.Env = append(os.Environ(), roleVariable+"="+role, "HALO_MPI="+l.name)
	var out bytes.Buffer
	c.Stdout, c.Stderr = &out, &out
	err := c.Run()
	if ctx.Err() != nil {
		t.Fatalf("it hangs; it printed\n%s", out.String())
	}
	if err != nil {
		t.Logf("%s ends with %v", l.command, err)
	}
	return strings.Split(strings.TrimSpace(out.String()), "\n")
}

// said returns those of lines that begin as ranks' do.
func said(lines []string) []string {
	var out []string
	for _, l := range lines {
		if strings.HasPrefix(l, "rank ") {
			out = append(out, l)
		}
	}
	return out
}
