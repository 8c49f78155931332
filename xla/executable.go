package xla

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/halo-xla/halo/xla/collective"
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
	// Replicas and Partitions are how many devices the program is for; 0: as many as it says itself.
	Replicas, Partitions int
	// Devices are the IDs of the devices on which it runs, replica by replica and in each partition by partition; nil:
	// the client's first ones.
	Devices []int
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
	grid      collective.Grid
	devices   []*Device
	spread    bool        // over several processes
	meets     bool        // no device can run it alone
	feeds     []*hlo.Feed // of devices
	host      hlo.HostTransfers
	leak      runtime.Cleanup
}

// execState is shared with the clean-up that reports leaks.
type execState struct {
	*shared
	client *Client
	gate   gate
	calls  sync.Pool // that are not in use

	mu       sync.Mutex
	launches map[*Launch]bool
	refusal  error // of launches, once the executable is closed
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
	if x, err = c.newExecutable(s, o); err == nil {
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
	s := &shared{program: prog, signature: SignatureOf(m), name: m.Name, key: keyOf(p, o), meets: hlo.Meets(m),
		scheduled: m.Config.IsScheduled,
		grid:      collective.Grid{Replicas: m.Config.NumReplicas, Partitions: m.Config.NumPartitions}}
	if callsFunctions(m, c.options.Handlers) {
		s.key = "" // functions may have a state for each executable
	}
	if c.options.Job != nil {
		s.fingerprint = hlo.Fingerprint(m.Entry)
	}
	s.owned = ownedBy(prog, len(s.signature.Results))
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

func (c *Client) newExecutable(s *shared, o CompileOptions) (*Executable, error) {
	st := &execState{shared: s, client: c, launches: map[*Launch]bool{}}
	x := &Executable{client: c, signature: s.signature, state: st}
	x.grid = collective.Grid{Replicas: cmp.Or(int64(o.Replicas), max(s.grid.Replicas, 1)),
		Partitions: cmp.Or(int64(o.Partitions), max(s.grid.Partitions, 1))}
	err := x.place(o.Devices)
	if err == nil {
		err = x.uncut()
	}
	if err == nil {
		err = c.register(st)
	}
	if err != nil {
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

// place gives the executable its devices.
func (x *Executable) place(ids []int) (err error) {
	if x.devices, err = x.client.placed(x.grid, ids); err != nil {
		return err
	}
	x.spread = x.client.options.Job != nil && len(x.devices) > 1
	x.meets = x.state.meets && x.grid.Size() > 1
	for _, d := range x.devices {
		x.feeds = append(x.feeds, d.feed)
	}
	x.host = transfers(x.devices)
	return nil
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

// Close refuses executions from now on, waits for those under way and frees the program. A launch some of whose devices
// have not begun fails. It always returns nil.
func (x *Executable) Close() error {
	if x.state.close() {
		x.leak.Stop()
	}
	return nil
}

// close reports whether this call closed the executable.
func (st *execState) close() bool {
	st.shut(errorf(Closed, "executable %s: %w", st.name, ErrClosed))
	if !st.client.forget(st) {
		return false
	}
	st.client.cache.release(st.shared)
	return true
}

// shut lets no execution begin any more, and waits for those under way.
func (st *execState) shut(why error) {
	st.gate.close()
	st.mu.Lock()
	st.refusal = cmp.Or(st.refusal, why)
	list := slices.Collect(maps.Keys(st.launches))
	st.mu.Unlock()
	for _, l := range list {
		l.stop(why)
	}
	st.gate.wait()
}

// launched notes a launch until it has landed.
func (st *execState) launched(l *Launch) error {
	st.mu.Lock()
	defer st.mu.Unlock()
	if st.refusal != nil {
		return st.refusal
	}
	st.launches[l] = true
	return nil
}

func (st *execState) landed(l *Launch) {
	st.mu.Lock()
	defer st.mu.Unlock()
	delete(st.launches, l)
}

// refused says why the gate is shut: executable or client are closed.
func (st *execState) refused() error {
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

// donate closes the buffers of the arguments with the given numbers, and says which of them nobody else can see: the
// execution may overwrite those.
func donate(which []int, args []*Buffer) ([]bool, error) {
	for _, i := range which {
		if i < 0 || i >= len(args) {
			return nil, errorf(InvalidArgument, "donated argument %d, want 0 to %d", i, len(args)-1)
		}
	}
	out := make([]bool, len(args))
	for _, i := range which {
		args[i].Close()
	}
	for _, i := range which {
		out[i] = args[i].state.claim()
	}
	return out, nil
}

var (
	errNil      = errors.New("buffer is nil")
	errNoClient = &Error{Code: InvalidArgument, Err: errors.New("client is nil")}
)
