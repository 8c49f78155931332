package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"sync"
	"syscall"
)

// pmi is the other end of what MPICH, and MPIs with its ABI, ask who launched them: a store of names and values, and a
// barrier, in lines of key=value pairs (the first version of its process management interface).
type pmi struct {
	size int

	mu      sync.Mutex
	values  map[string]string
	arrived []io.Writer // at the barrier
}

// pmiSpace is the name of the one store.
const pmiSpace = "halo"

func newPMI(size int) *pmi {
	mapping := fmt.Sprintf("(vector,(0,1,%d))", size) // all on one machine
	return &pmi{size: size, values: map[string]string{"PMI_process_mapping": mapping}}
}

// connect returns the environment of rank and the file that it inherits, and serves it until its end of the
// connection is closed.
func (p *pmi) connect(rank, fd int) (environment []string, theirs *os.File, err error) {
	pair, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, nil, fmt.Errorf("launch: %w", err)
	}
	ours := os.NewFile(uintptr(pair[0]), "pmi")
	theirs = os.NewFile(uintptr(pair[1]), "pmi")
	conn, err := net.FileConn(ours)
	ours.Close()
	if err != nil {
		theirs.Close()
		return nil, nil, fmt.Errorf("launch: %w", err)
	}
	go p.serve(conn)
	return []string{fmt.Sprint("PMI_RANK=", rank), fmt.Sprint("PMI_SIZE=", p.size), fmt.Sprint("PMI_FD=", fd)}, theirs, nil
}

// pmiMaxLine bounds what a rank may say in a line.
const pmiMaxLine = 64 << 10

func (p *pmi) serve(conn net.Conn) {
	defer conn.Close()
	lines := bufio.NewScanner(conn)
	lines.Buffer(nil, pmiMaxLine)
	for lines.Scan() {
		if err := p.answer(conn, pmiFields(lines.Text())); err != nil {
			return
		}
	}
}

func pmiFields(line string) map[string]string {
	fields := map[string]string{}
	for line != "" {
		var key, value string
		key, line, _ = strings.Cut(line, "=")
		if key == "value" { // the last, with spaces in it
			fields[key] = line
			break
		}
		value, line, _ = strings.Cut(line, " ")
		fields[strings.TrimSpace(key)] = value
	}
	return fields
}

// pmiAnswers are the questions whose answer is always the same; N stands for the number of ranks.
var pmiAnswers = map[string]string{
	"init":              "cmd=response_to_init pmi_version=1 pmi_subversion=1 rc=0",
	"get_maxes":         "cmd=maxes kvsname_max=256 keylen_max=256 vallen_max=8192 rc=0",
	"get_appnum":        "cmd=appnum appnum=0 rc=0",
	"get_my_kvsname":    "cmd=my_kvsname kvsname=" + pmiSpace + " rc=0",
	"get_universe_size": "cmd=universe_size size=N rc=0",
	"finalize":          "cmd=finalize_ack rc=0",
}

var errPMIAbort = errors.New("a rank has aborted")

func (p *pmi) answer(conn io.Writer, q map[string]string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if line, ok := pmiAnswers[q["cmd"]]; ok {
		return say(conn, strings.ReplaceAll(line, "N", fmt.Sprint(p.size)))
	}
	switch q["cmd"] {
	case "put":
		p.values[q["key"]] = q["value"]
		return say(conn, "cmd=put_result rc=0 msg=success")
	case "get":
		if v, ok := p.values[q["key"]]; ok {
			return say(conn, "cmd=get_result rc=0 msg=success value="+v)
		}
		return say(conn, "cmd=get_result rc=-1 msg=not_found value=unknown")
	case "barrier_in":
		return p.barrier(conn)
	case "abort":
		return errPMIAbort
	}
	return say(conn, fmt.Sprintf("cmd=%s_result rc=-1 msg=unknown_command", q["cmd"]))
}

// barrier answers all ranks when the last has come.
func (p *pmi) barrier(conn io.Writer) error {
	if p.arrived = append(p.arrived, conn); len(p.arrived) < p.size {
		return nil
	}
	var errs []error
	for _, c := range p.arrived {
		errs = append(errs, say(c, "cmd=barrier_out rc=0"))
	}
	p.arrived = nil
	return errors.Join(errs...)
}

func say(w io.Writer, line string) error {
	_, err := io.WriteString(w, line+"\n")
	return err
}
