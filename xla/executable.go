package xla

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"time"

	"github.com/halo-xla/halo/xla/exec"
	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/pass"
)

// CompileOptions say how a program is compiled. The zero value is useful.
type CompileOptions struct {
	// AllowReference lets the reference evaluator run what the backend cannot; Report lists it.
	AllowReference bool
	// Bind are the values of parameters, by number, that are the same in every execution: weights. The program has them
	// as constants, in the form that its kernels want, and the signature has the other parameters alone. The buffers may
	// be closed after Compile. Read and SignatureOf tell the names that go with the numbers before that.
	Bind map[int]*Buffer
	// Verify checks the program after each pass, and every kernel's use of memory in each run. It is slow and for tests.
	Verify bool
	// Profile takes the time of every step in every run, which Report then has. It costs some speed.
	Profile bool
	// DumpTo is a folder for the program after each pass that changed it, as HLO text that can be read back, and for the
	// plan of its memory; "" is none.
	DumpTo string
	// FlushDenormals lets the native kernels and libraries of a backend take sub-normal numbers for zero, operands and
	// results, which some processors compute faster with. The reference evaluator and kernels in Go keep them.
	FlushDenormals bool
	// Tune is how long libraries may measure which of their ways is fastest, for each of their plans; 0: they estimate.
	Tune time.Duration
	// TuneFolder keeps what was measured, for compiles to come; "": it is forgotten with the process.
	TuneFolder string
}

// Executable is a compiled program. It is immutable.
type Executable struct {
	client    *Client
	signature Signature
	state     *execState
	leak      runtime.Cleanup
}

// execState is shared with the clean-up that reports leaks.
type execState struct {
	*shared
	client *Client
	gate   gate
}

// Compile makes p ready to run. It fails if p cannot be read or is wrong, or, with errors.ErrUnsupported, if the
// backend cannot run it: the sentence then names every op that it lacks. The same text with the same options is
// compiled once: the client keeps some programs.
func (c *Client) Compile(ctx context.Context, p Program, o CompileOptions) (x *Executable, err error) {
	defer guard(&err)
	if err := c.open(); err != nil {
		return nil, err
	}
	start := time.Now()
	s := c.cache.find(keyOf(p, o))
	cached := s != nil
	if !cached {
		s, err = c.compile(ctx, p, o)
	}
	if err != nil {
		c.noteCompile("", false, start, err)
		return nil, err
	}
	if x, err = c.newExecutable(s); err == nil {
		c.noteCompile(s.name, cached, start, nil)
	}
	return x, err
}

// compile reads and compiles p for its first user.
func (c *Client) compile(ctx context.Context, p Program, o CompileOptions) (*shared, error) {
	m, err := Read(p)
	if err != nil {
		return nil, wrap(err, InvalidArgument)
	}
	if m, err = bind(m, o.Bind); err != nil {
		return nil, wrap(err, InvalidArgument)
	}
	if err := ctx.Err(); err != nil {
		return nil, wrap(err, Cancelled)
	}
	prog, err := c.compileModule(ctx, m, exec.Options{
		Handlers: c.options.Handlers, MemoryLimit: c.options.MemoryLimit, AllowReference: o.AllowReference,
		Verify: o.Verify, Profile: o.Profile, DumpTo: o.DumpTo, Tune: o.Tune, TuneFolder: o.TuneFolder,
		FlushDenormals: o.FlushDenormals,
	})
	if err != nil {
		return nil, wrap(err, InvalidArgument)
	}
	s := &shared{program: prog, signature: SignatureOf(m), name: m.Name, key: keyOf(p, o)}
	if callsFunctions(m, c.options.Handlers) {
		s.key = "" // functions may have a state for each executable
	}
	s.recyclers = recyclers(prog, len(s.signature.Results))
	s.plain = s.isPlain()
	c.cache.add(s)
	return s, nil
}

// compileModule compiles m, which is refined to the sizes of its arguments if it has unbounded dimensions.
func (c *Client) compileModule(ctx context.Context, m *hlo.Module, o exec.Options) (exec.Program, error) {
	general, err := c.backend.Compile(ctx, m, o)
	if !isUnbounded(m) || err != nil && !errors.Is(err, errors.ErrUnsupported) {
		return general, err
	}
	if o.DumpTo != "" {
		o.DumpTo = filepath.Join(o.DumpTo, "refined")
	}
	return c.newRefining(m, general, err, func(ctx context.Context, m *hlo.Module) (exec.Program, error) {
		return c.backend.Compile(ctx, m, o)
	}), nil
}

// bind makes constants of parameters.
func bind(m *hlo.Module, buffers map[int]*Buffer) (*hlo.Module, error) {
	values := make(map[int64]*literal.Literal, len(buffers))
	for i, b := range buffers {
		if b == nil {
			return nil, fmt.Errorf("the value of parameter %d: %w", i, errNil)
		}
		l, err := b.Literal()
		if err != nil {
			return nil, err
		}
		values[int64(i)] = l
	}
	return pass.Bind(m, values)
}

func (c *Client) newExecutable(s *shared) (*Executable, error) {
	st := &execState{shared: s, client: c}
	x := &Executable{client: c, signature: s.signature, state: st}
	if err := c.register(st); err != nil {
		c.cache.release(s)
		return nil, err
	}
	x.leak = runtime.AddCleanup(x, func(st *execState) {
		if st.close() {
			st.client.warnLeak("executable " + st.name)
		}
	}, st)
	return x, nil
}

// Signature returns the program's parameters and results.
func (x *Executable) Signature() Signature { return x.signature }

// Report lists what runs what, one Step a kernel or an op.
func (x *Executable) Report() []exec.Step { return x.state.program.Report() }

// Memory returns what one execution takes beside arguments and constants; zeros if the backend does not plan it.
func (x *Executable) Memory() exec.Memory {
	if p, ok := x.state.program.(interface{ Memory() exec.Memory }); ok {
		return p.Memory()
	}
	return exec.Memory{}
}

// Close refuses executions from now on, waits for those under way and frees the program. It always returns nil.
func (x *Executable) Close() error {
	if x.state.close() {
		x.leak.Stop()
	}
	return nil
}

// close reports whether this call closed the executable.
func (st *execState) close() bool {
	st.gate.shut()
	if !st.client.forget(st) {
		return false
	}
	st.client.cache.release(st.shared)
	return true
}

// begin counts an execution in, which leaves the gate when it is over. It fails if executable or client are closed.
func (st *execState) begin() error {
	if st.gate.enter() {
		return nil
	}
	if err := st.client.open(); err != nil {
		return err
	}
	return errorf(Closed, "executable %s: %w", st.name, ErrClosed)
}

// RunOptions say how a program runs once. The zero value is useful.
type RunOptions struct {
	// Seed seeds the generators of rng ops; equal seeds give equal results.
	Seed uint64
	// Donate lists the arguments that the execution may use up: their buffers are closed when it has begun.
	Donate []int
	// MaxSteps limits the instructions that the reference runs, loops counted; 0: no limit.
	MaxSteps int64
}

// ExecuteDevices runs the program on replicas x partitions devices at once: args[d] are the arguments of device d, in
// replica-major order, and so are the results.
func (x *Executable) ExecuteDevices(ctx context.Context, o RunOptions, replicas, partitions int,
	args [][]*Buffer) ([][]*Buffer, error) {
	if replicas < 1 || partitions < 1 || len(args) != replicas*partitions {
		return nil, errorf(InvalidArgument, "%d replicas of %d partitions: got %d lists of arguments, want %d", replicas,
			partitions,
			len(args), replicas*partitions)
	}
	out, err := x.run(ctx, o, args, replicas, partitions)
	if err != nil {
		return nil, err
	}
	results := make([][]*Buffer, len(out))
	for d, l := range out {
		results[d] = x.buffersOf(l.Leaves())
	}
	return results, nil
}

// ExecuteNamed is ExecuteWith with arguments and results by the names of the signature.
func (x *Executable) ExecuteNamed(ctx context.Context, o RunOptions,
	args map[string]*Buffer) (map[string]*Buffer, error) {
	ordered, err := x.signature.order(args)
	if err != nil {
		return nil, err
	}
	out, err := x.ExecuteWith(ctx, o, ordered...)
	if err != nil {
		return nil, err
	}
	named := make(map[string]*Buffer, len(out))
	for i, b := range out {
		named[x.signature.Results[i].Name] = b
	}
	return named, nil
}

func (x *Executable) run(ctx context.Context, o RunOptions, args [][]*Buffer,
	r, p int) (out []*literal.Literal, err error) {
	defer guard(&err)
	if err := x.state.begin(); err != nil {
		return nil, err
	}
	defer x.state.gate.leave()
	values := make([][]*literal.Literal, len(args))
	for d := range args {
		if values[d], err = x.signature.take(nil, args[d]); err != nil {
			return nil, err
		}
		defer dropAll(args[d])
	}
	donated, err := donate(o.Donate, args)
	if err != nil {
		return nil, err
	}
	start := x.client.clock()
	defer func() { x.client.noteExecute(x.state.name, len(args), start, err) }()
	out, err = x.state.program.Run(ctx, values,
		exec.RunOptions{Seed: o.Seed, Replicas: r, Partitions: p, MaxSteps: o.MaxSteps, Donated: donated})
	runtime.KeepAlive(x)
	if err != nil {
		return nil, wrap(err, Failed)
	}
	for d, l := range out {
		x.share(l.Leaves(), args[d])
	}
	return out, nil
}

// donate closes the buffers of the arguments with the given numbers, and says which of them nobody else can see: the
// execution may overwrite those.
func donate(which []int, args [][]*Buffer) ([][]bool, error) {
	if len(which) == 0 {
		return nil, nil
	}
	for _, list := range args {
		for _, i := range which {
			if i < 0 || i >= len(list) {
				return nil, errorf(InvalidArgument, "donated argument %d, want 0 to %d", i, len(list)-1)
			}
		}
	}
	out := make([][]bool, len(args))
	for d, list := range args {
		out[d] = make([]bool, len(list))
		for _, i := range which {
			list[i].Close()
		}
		for _, i := range which {
			out[d][i] = list[i].state.claim()
		}
	}
	return out, nil
}

var errNil = errors.New("buffer is nil")
