package main

import (
	"bufio"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/halo-xla/halo/internal/testfile"
	"github.com/halo-xla/halo/xla/collective/mpi"
)

// ask sends lines to the server of ranks and returns the answers.
func ask(t *testing.T, conn net.Conn, lines ...string) []string {
	t.Helper()
	_ = conn.SetDeadline(time.Now().Add(time.Minute))
	if _, err := conn.Write([]byte(strings.Join(lines, "\n") + "\n")); err != nil {
		t.Fatal(err)
	}
	answers, r := []string{}, bufio.NewReader(conn)
	for range lines {
		line, err := r.ReadString('\n')
		if err != nil {
			t.Fatalf("after %q: %v", answers, err)
		}
		answers = append(answers, strings.TrimSpace(line))
	}
	return answers
}

func rankOf(t *testing.T, p *pmi, rank int) net.Conn {
	t.Helper()
	environment, file, err := p.connect(rank, 3)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if want := []string{"PMI_SIZE=2", "PMI_FD=3"}; environment[1] != want[0] || environment[2] != want[1] {
		t.Errorf("environment %q, want %q in it", environment, want)
	}
	conn, err := net.FileConn(file)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return conn
}

func TestPMI(t *testing.T) {
	p := newPMI(2)
	a, b := rankOf(t, p, 0), rankOf(t, p, 1)
	got := ask(t, a, "cmd=init pmi_version=1 pmi_subversion=1", "cmd=get_universe_size",
		"cmd=put kvsname=halo key=card-0 value=here and there", "cmd=get kvsname=halo key=nothing", "cmd=dance")
	want := []string{"cmd=response_to_init pmi_version=1 pmi_subversion=1 rc=0", "cmd=universe_size size=2 rc=0",
		"cmd=put_result rc=0 msg=success", "cmd=get_result rc=-1 msg=not_found value=unknown",
		"cmd=dance_result rc=-1 msg=unknown_command"}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("got %q, want %q", got[i], want[i])
		}
	}
	if _, err := a.Write([]byte("cmd=barrier_in\n")); err != nil {
		t.Fatal(err)
	}
	if got := ask(t, b, "cmd=barrier_in"); got[0] != "cmd=barrier_out rc=0" {
		t.Errorf("barrier: got %q", got)
	}
	if got := ask(t, b, "cmd=get kvsname=halo key=card-0"); got[0] != "cmd=get_result rc=0 msg=success value=here and there" {
		t.Errorf("get: got %q", got)
	}
	_, _ = b.Write([]byte(strings.Repeat("x", pmiMaxLine+1)))
	if _, err := bufio.NewReader(b).ReadString('\n'); err == nil {
		t.Error("a line without end is answered")
	}
}

func TestLaunchUsage(t *testing.T) {
	for _, args := range [][]string{{}, {"-n", "0", "true"}, {"-n", "2"}, {"-n", "5000", "true"}, {"--mpy", "x"}} {
		if code, _, message := halo(t, "", "", append([]string{"launch"}, args...)...); code != exitUsage {
			t.Errorf("launch %q: got code %d and %q, want %d", args, code, message, exitUsage)
		}
	}
	if code, _, message := halo(t, "", "", "launch", "-n", "1", "--mpi", "lam", "true"); code != exitMissing {
		t.Errorf("an MPI that nobody has: got code %d and %q", code, message)
	}
}

// The first rank that fails gives its code; the others end when it is their time, at the latest after the grace.
func TestLaunch(t *testing.T) {
	_, err := mpi.Family(mpi.MPICH)
	testfile.Library(t, "mpi", err)
	script := `case $PMI_RANK in 1) echo one; exit 7;; *) trap "echo asked; exit 0" TERM; sleep 60 & wait;; esac`
	code, out, message := halo(t, "", "", "launch", "-n", "3", "--mpi", "mpich", "--grace", "200ms", "sh", "-c", script)
	if code != 7 || !strings.Contains(message, "rank 1: exit status 7") {
		t.Errorf("got code %d and %q, want 7", code, message)
	}
	if strings.Count(out, "asked") != 2 || strings.Count(out, "one") != 1 {
		t.Errorf("got %q", out)
	}
	launchNoted(t)
	lonely := `if [ $PMI_RANK = 0 ]; then exit 0; fi; echo cmd=barrier_in >&3; read line <&3; [ -n "$line" ]`
	if code, _, message := halo(t, "", "", "launch", "-n", "2", "--mpi", "mpich", "sh", "-c", lonely); code != 1 {
		t.Errorf("a rank that waits for one that is gone: got code %d and %q, want 1", code, message)
	}
	if code, _, _ := halo(t, "", "", "launch", "-n", "2", "--mpi", "mpich", "sh", "-c", "kill -9 $$"); code != 137 {
		t.Errorf("killed: got code %d, want 137", code)
	}
	if code, _, message := halo(t, "", "", "launch", "-n", "2", "--mpi", "mpich", "/nowhere"); code != exitMissing {
		t.Errorf("a command that there is not: got code %d and %q", code, message)
	}
	if code, _, _ := halo(t, "", "", "launch", "-n", "2", "--mpi", "mpich", os.Args[0], "-test.run", "^$"); code != exitOK {
		t.Errorf("ranks that are content: got code %d", code)
	}
}

// launchNoted runs what Open MPI's launcher is given for each rank.
func launchNoted(t *testing.T) {
	notes := filepath.Join(t.TempDir(), "notes")
	for _, code := range []string{"0", "9", "3"} {
		c := exec.Command("sh", "-c", noting, notes, "sh", "-c", "exit "+code)
		c.Env = append(os.Environ(), "OMPI_COMM_WORLD_RANK=4")
		if err := c.Run(); (err == nil) != (code == "0") {
			t.Errorf("exit %s: got %v", code, err)
		}
	}
	if err := noted(notes); err == nil || codeOf(err) != 9 || !strings.Contains(err.Error(), "rank 4: exit status 9") {
		t.Errorf("got %v, want the first fault", err)
	}
	if err := noted(notes + "none"); err != nil {
		t.Errorf("got %v without notes", err)
	}
}
