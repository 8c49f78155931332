package launch

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
)

// pmi is the other end of what MPICH, and MPIs with its ABI, ask who launched them: a store of names and values, and a
// barrier, in lines of key=value pairs (the first version of its process management interface).
type pmi struct {
	size int

	mu      sync.Mutex
	values  map[string]string
	arrived []*pmiRank // at the barrier
	broken  bool       // a rank is gone that had not finished
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

// What a rank may say in a line, and how long it may leave an answer unread.
const (
	pmiMaxLine  = 64 << 10
	pmiPatience = 5 * time.Second
)

// pmiRank is the connection to a rank.
type pmiRank struct {
	net.Conn
	finished bool // it has said that it ends
}

func (p *pmi) serve(conn net.Conn) {
	r := &pmiRank{Conn: conn}
	defer p.leave(r)
	lines := bufio.NewScanner(conn)
	lines.Buffer(nil, pmiMaxLine)
	for lines.Scan() {
		line, to, err := p.answer(r, pmiFields(lines.Text()))
		for _, other := range to {
			err = errors.Join(err, say(other, line))
		}
		if err != nil {
			return
		}
	}
}

// leave notes that a rank is gone. If it went without a word, those that wait for it, or will, are cut off: MPI makes
// that a fault of theirs.
func (p *pmi) leave(r *pmiRank) {
	r.Close()
	p.mu.Lock()
	defer p.mu.Unlock()
	if r.finished {
		return
	}
	p.broken = true
	for _, other := range p.arrived {
		other.Close()
	}
	p.arrived = nil
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

var errPMI = errors.New("a rank has aborted, is gone, or came to a barrier twice")

// answer returns a line, and who gets it.
func (p *pmi) answer(r *pmiRank, q map[string]string) (string, []*pmiRank, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	self := []*pmiRank{r}
	r.finished = r.finished || q["cmd"] == "finalize"
	if line, ok := pmiAnswers[q["cmd"]]; ok {
		return strings.ReplaceAll(line, "N", fmt.Sprint(p.size)), self, nil
	}
	switch q["cmd"] {
	case "put":
		p.values[q["key"]] = q["value"]
		return "cmd=put_result rc=0 msg=success", self, nil
	case "get":
		if v, ok := p.values[q["key"]]; ok {
			return "cmd=get_result rc=0 msg=success value=" + v, self, nil
		}
		return "cmd=get_result rc=-1 msg=not_found value=unknown", self, nil
	case "barrier_in":
		return p.barrier(r)
	case "abort":
		return "", nil, errPMI
	}
	return fmt.Sprintf("cmd=%s_result rc=-1 msg=unknown_command", q["cmd"]), self, nil
}

// barrier answers all ranks when the last has come.
func (p *pmi) barrier(r *pmiRank) (string, []*pmiRank, error) {
	if p.broken || slices.Contains(p.arrived, r) {
		return "", nil, errPMI
	}
	all := append(p.arrived, r)
	if p.arrived = all; len(all) < p.size {
		return "", nil, nil
	}
	p.arrived = nil
	return "cmd=barrier_out rc=0", all, nil
}

func say(r *pmiRank, line string) error {
	_ = r.SetWriteDeadline(time.Now().Add(pmiPatience))
	_, err := io.WriteString(r, line+"\n")
	return err
}
