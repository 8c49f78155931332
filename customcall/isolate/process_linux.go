package isolate

import (
	"context"
	"encoding/binary"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/halo-xla/halo/cgo/crash"
	"github.com/halo-xla/halo/ffi"
)

// process is one that serves a pool.
type process struct {
	name    string // of the library
	program string
	options Options
	cmd     *exec.Cmd
	conn    *os.File
	out     *gob.Encoder
	in      *gob.Decoder
	memory  *memory
	output  *tail
	known   map[uint64]bool // instances that it has
	open    bool            // it serves
	dead    bool
	over    chan struct{} // closed when it has ended
	answers answers
	growth  growth // of the last answer

	mu     sync.Mutex
	forgot []uint64 // instances to be told of with the next request
}

// start starts a process and has it open the pool's library.
func start(ctx context.Context, pool *Pool) (*process, error) {
	path, err := program(pool.options)
	if err != nil {
		return nil, err
	}
	p := &process{name: pool.name, program: path, options: pool.options, known: map[uint64]bool{},
		over:   make(chan struct{}),
		output: &tail{to: pool.options.output()}}
	if p.memory, err = newMemory(); err != nil {
		return nil, err
	}
	if err := p.launch(); err != nil {
		p.memory.close()
		return nil, fmt.Errorf("isolate: %s: %w", path, err)
	}
	ctx, cancel := context.WithTimeout(ctx, p.options.startTimeout())
	defer cancel()
	if err := p.ask(ctx, "opened it", &request{Kind: openKind, Spec: pool.spec}); err != nil {
		p.end()
		return nil, err
	}
	p.open = true
	return p, nil
}

// launch starts the program with one end of a socket and sends it the memory.
func (p *process) launch() error {
	ends, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	theirs := os.NewFile(uintptr(ends[1]), "socket")
	defer theirs.Close()
	syscall.SetNonblock(ends[0], true) // for deadlines
	p.conn = os.NewFile(uintptr(ends[0]), "socket")
	p.cmd = exec.Command(p.program)
	p.cmd.Env = append(os.Environ(), append(p.options.Env, variable+"=3")...)
	p.cmd.ExtraFiles = []*os.File{theirs}
	p.cmd.Stdout, p.cmd.Stderr = p.output, p.output
	p.cmd.WaitDelay = 5 * time.Second // if a process that it has started, and that left its group, keeps its output open
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := p.cmd.Start(); err != nil {
		p.conn.Close()
		return err
	}
	register()
	p.out, p.in = gob.NewEncoder(p.conn), gob.NewDecoder(&p.answers)
	p.answers.from = p.conn
	go p.wait()
	rights := syscall.UnixRights(int(p.memory.file.Fd()))
	if err := syscall.Sendmsg(ends[0], []byte{hello}, rights, nil, 0); err != nil {
		p.kill()
		return err
	}
	return nil
}

// wait waits for the end of the process, after which nobody waits for its answer: what it has started may have its end
// of the socket.
func (p *process) wait() {
	p.cmd.Wait() // its error is in the state
	close(p.over)
	p.conn.SetDeadline(time.Unix(1, 0))
}

// instantiate has the process make the instance, if it has not yet.
func (p *process) instantiate(ctx context.Context, i *Instance) error {
	if p.known[i.id] {
		return nil
	}
	err := p.call(ctx, i, &request{Kind: instantiateKind, ID: i.id, Site: i.site})
	if err == nil {
		p.known[i.id] = true
	}
	return err
}

// forget has the process drop an instance with the next request.
func (p *process) forget(id uint64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.forgot = append(p.forgot, id)
}

// call sends a request for an instance; the function may take as long as the options say.
func (p *process) call(ctx context.Context, i *Instance, r *request) error {
	if p.options.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, p.options.Timeout, errLate)
		defer cancel()
	}
	return p.ask(ctx, fmt.Sprintf("served %q", i.site.Target), r)
}

var errLate = errors.New("late")

// ask sends a request and waits for the reply. When there is none, the process is ended: doing says what it did.
func (p *process) ask(ctx context.Context, doing string, r *request) error {
	p.mu.Lock()
	r.Forget, p.forgot = p.forgot, nil
	p.mu.Unlock()
	p.conn.SetDeadline(time.Time{})
	select {
	case <-p.over:
		return p.died(doing)
	default:
	}
	p.answers.left = longest
	stop := whenEnded(ctx, func() { p.conn.SetDeadline(time.Unix(1, 0)) })
	var answer reply
	err := p.out.Encode(r)
	if err == nil {
		err = p.in.Decode(&answer)
	}
	stop()
	switch {
	case err == nil:
		p.growth = answer.Growth
		return answer.err()
	case ctx.Err() != nil:
		p.kill()
		return p.late(ctx, doing)
	case isEnd(err):
		return p.died(doing)
	}
	p.kill()
	return ffi.Errorf(ffi.Internal, "%s: the process that %s sent no answer that can be read and was ended: %v", p.name,
		doing, err)
}

// isEnd reports whether err may be of a socket whose other end is closed, or of a process that has ended.
func isEnd(err error) bool {
	for _, end := range []error{io.EOF, io.ErrUnexpectedEOF, syscall.EPIPE, syscall.ECONNRESET, os.ErrDeadlineExceeded} {
		if errors.Is(err, end) {
			return true
		}
	}
	return false
}

// answers reads what the process sends, of which one answer is no longer than it may be.
type answers struct {
	from io.Reader
	left int
}

// longest is how many bytes an answer may have: the text of an error is most of it.
const longest = 16 << 20

var errLong = errors.New("the answer is too long")

func (a *answers) Read(b []byte) (int, error) {
	if a.left == 0 {
		return 0, errLong
	}
	n, err := a.from.Read(b[:min(len(b), a.left)])
	a.left -= n
	return n, err
}

// whenEnded calls f when ctx ends, until the function that it returns is called: after that f does not run, or the next
// request would have the deadline of this one.
func whenEnded(ctx context.Context, f func()) (stop func()) {
	over := make(chan struct{})
	cancel := context.AfterFunc(ctx, func() {
		defer close(over)
		f()
	})
	return func() {
		if !cancel() {
			<-over
		}
	}
}

// late is the error of a call that took too long.
func (p *process) late(ctx context.Context, doing string) error {
	if deadline := p.options.Timeout; context.Cause(ctx) == errLate {
		return ffi.Errorf(ffi.DeadlineExceeded, "%s: the process that %s did not answer within %v and was ended", p.name,
			doing, deadline)
	}
	return fmt.Errorf("%s: the process that %s was ended: %w", p.name, doing, ctx.Err())
}

// died waits for the end of a process that no longer answers, and says what it died of.
func (p *process) died(doing string) error {
	p.conn.Close()
	timer := time.AfterFunc(time.Second, p.slay)
	<-p.over
	timer.Stop()
	d := &Death{Library: p.name, Doing: doing, Output: p.output.String(), record: crash.Read(p.memory.data),
		base: binary.NativeEndian.Uint64(p.memory.data[baseAt:])}
	if status, ok := p.cmd.ProcessState.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		d.Signal = status.Signal()
	} else {
		d.Exit = p.cmd.ProcessState.ExitCode()
	}
	if !p.open && d.Signal == 0 {
		d.Doing = fmt.Sprintf("was to open it (%s; does its main call customcall.ServeIsolated first?)", p.program)
	}
	p.bury()
	return d
}

// end closes the socket, which ends the process unless it hangs.
func (p *process) end() {
	if !p.dead {
		p.kill()
	}
}

// slay ends the process, which may have left its group, and what it has started, if that has not.
func (p *process) slay() {
	syscall.Kill(-p.cmd.Process.Pid, syscall.SIGKILL)
	_ = p.cmd.Process.Kill() // it fails if the process has ended
}

// kill ends the process and waits for its end.
func (p *process) kill() {
	p.conn.Close()
	p.slay()
	<-p.over
	p.bury()
}

// bury gives back what the process had.
func (p *process) bury() {
	syscall.Kill(-p.cmd.Process.Pid, syscall.SIGKILL) // processes that it has started
	p.memory.close()
	p.dead = true
}

// tail passes output on and remembers its end.
type tail struct {
	to   io.Writer
	mu   sync.Mutex
	last []byte
}

const tailBytes = 4096

func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	t.last = append(t.last, b...)
	if n := len(t.last) - tailBytes; n > 0 {
		t.last = append([]byte(nil), t.last[n:]...)
	}
	t.mu.Unlock()
	return t.to.Write(b)
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.TrimSpace(string(t.last))
}
