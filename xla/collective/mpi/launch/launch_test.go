package launch

import (
	"bufio"
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
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

// TestNoted runs what Open MPI's launcher is given for each rank.
func TestNoted(t *testing.T) {
	notes := filepath.Join(t.TempDir(), "notes")
	for _, code := range []string{"0", "9", "3"} {
		c := exec.Command("sh", "-c", noting, notes, "sh", "-c", "exit "+code)
		c.Env = append(os.Environ(), "OMPI_COMM_WORLD_RANK=4")
		if err := c.Run(); (err == nil) != (code == "0") {
			t.Errorf("exit %s: got %v", code, err)
		}
	}
	var fault *Fault
	err := noted(notes)
	if !errors.As(err, &fault) || fault.Rank != 4 || fault.Code != 9 {
		t.Errorf("got %v, want the first fault", err)
	}
	if want := "launch: rank 4: exit status 9; rank 4: exit status 3"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	if err := noted(notes + "none"); err != nil {
		t.Errorf("got %v without notes", err)
	}
}

func TestRefused(t *testing.T) {
	for _, o := range []Options{{}, {Ranks: MaxRanks + 1}, {Ranks: 1, Family: "lam"}} {
		if err := Run(t.Context(), o, []string{"true"}); err == nil {
			t.Errorf("%+v: it ran", o)
		}
	}
}
