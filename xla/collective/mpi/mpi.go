// Package mpi carries the bytes of collectives between processes by MPI: a collective.Transport. Open MPI and MPICH are
// opened at run time and give the same bits, since only bytes go through them.
//
// It sends messages from rank to rank and uses none of MPI's collectives, which cannot tell who has not come: every
// message has a header, and whoever waits takes in what has arrived for all.
package mpi

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"sync"
	"time"

	"github.com/halo-xla/halo/cgo/mpi"
	"github.com/halo-xla/halo/xla/collective"
)

// The families of MPIs, as $HALO_MPI names them.
const (
	OpenMPI = mpi.OpenMPI
	MPICH   = mpi.MPICH
)

// Family returns the family that is wanted, or that Start will open if want is "". It fails with errors.ErrUnsupported
// and what was tried if none of that family can be opened.
func Family(want string) (string, error) {
	if want != "" && want != OpenMPI && want != MPICH {
		return "", fmt.Errorf("mpi: %w: got the family %q, want %s or %s", errors.ErrUnsupported, want, OpenMPI, MPICH)
	}
	if want == "" {
		return mpi.Family()
	}
	return want, mpi.Find(want)
}

// Launched reports whether a launcher has started this process as one of several ranks.
func Launched() bool {
	sizes := []string{"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"}
	if os.Getenv("PMIX_RANK") != "" {
		sizes = append(sizes, "SLURM_STEP_NUM_TASKS") // by srun
	}
	for _, name := range sizes {
		if n, err := strconv.Atoi(os.Getenv(name)); err == nil && n > 1 {
			return true
		}
	}
	return false
}

// LocalRank returns the number of this process among those that the launcher has started on this machine, 0 if it does
// not say.
func LocalRank() int {
	for _, name := range []string{"OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID", "SLURM_LOCALID", "PMI_RANK"} {
		if n, err := strconv.Atoi(os.Getenv(name)); err == nil && n >= 0 {
			return n
		}
	}
	return 0
}

// Library opens MPI and returns its file and what it says of itself. It fails as Start does if none can be opened.
func Library() (file, version string, err error) {
	if err := mpi.Load(); err != nil {
		return "", "", err
	}
	return mpi.Path(), mpi.Version(), nil
}

// Options are how long Start and Close wait. The zero value waits a minute in each.
type Options struct {
	// Greet is how long Start waits for the other ranks to answer, Close how long Close waits for them to close too.
	Greet, Close time.Duration
}

func (o Options) greet() time.Duration { return orMinute(o.Greet) }
func (o Options) close() time.Duration { return orMinute(o.Close) }

func orMinute(d time.Duration) time.Duration {
	if d == 0 {
		return time.Minute
	}
	return d
}

// Transport is a collective.Transport over MPI.
type Transport struct {
	job     *mpi.Job
	options Options

	mu      sync.Mutex // also for all calls of job
	pool    pool
	inbox   *piece // where the next header will arrive
	boxes   map[address][]arrival
	flows   []*flow // sends that nobody waits for, in their order
	pumping bool
	nextTag int
	tags    [mpi.MaxTag + 1]bool // those that a flow has
	gone    []bool
	peers   []process
	fault   error
	closed  bool
	left    bool // MPI has ended, or is left alone
	unsound bool // a rank has closed after a fault
}

// address is where messages wait for their receiver.
type address struct {
	tag  uint64
	from int
}

var _ collective.Transport = (*Transport)(nil)

// Start makes this process a rank of the job that a launcher (mpirun, srun) has started, or the only one if none has.
// It waits for all ranks. It can be called once in a process. It fails with errors.ErrUnsupported if no MPI can be
// opened, with what MPI says, or with a *collective.LostError if ranks do not answer.
func Start(o Options) (*Transport, error) {
	job, err := mpi.Start()
	if err != nil {
		return nil, err
	}
	t := &Transport{
		job: job, options: o, boxes: map[address][]arrival{},
		gone: make([]bool, job.Ranks), peers: make([]process, job.Ranks),
	}
	t.mu.Lock()
	err = t.listen()
	t.mu.Unlock()
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), o.greet())
	defer cancel()
	return t, t.greet(ctx)
}

// Rank returns the number of this process.
func (t *Transport) Rank() int { return t.job.Rank }

// Ranks returns how many there are.
func (t *Transport) Ranks() int { return t.job.Ranks }

// Exchange is as collective.Transport says.
func (t *Transport) Exchange(ctx context.Context, tag uint64, group []int, out, in [][]byte) error {
	var w work
	if err := t.checkGroup(group); err != nil {
		return err
	}
	t.mu.Lock()
	for k := range group { // each rank begins with its successor, so that not all send to the same
		if k = (k + w.place(group, t.job.Rank)) % len(group); group[k] != t.job.Rank {
			w.flows = append(w.flows, t.message(group[k], dataKind, tag, out[k]))
			w.receipts = append(w.receipts, &receipt{at: address{tag, group[k]}, into: in[k], sized: true})
		}
	}
	t.mu.Unlock()
	return t.wait(ctx, &w)
}

// checkGroup fails unless group are ranks of the job, this one among them.
func (t *Transport) checkGroup(group []int) error {
	here := false
	for _, r := range group {
		if r < 0 || r >= t.job.Ranks {
			return fmt.Errorf("mpi: group %v: got rank %d, want 0 to %d", group, r, t.job.Ranks-1)
		}
		here = here || r == t.job.Rank
	}
	if !here {
		return fmt.Errorf("mpi: group %v: rank %d is not in it", group, t.job.Rank)
	}
	return nil
}

// checkPeer fails unless r is another rank of the job.
func (t *Transport) checkPeer(r int) error {
	if r < 0 || r >= t.job.Ranks || r == t.job.Rank {
		return fmt.Errorf("mpi: got rank %d, want another of the %d than %d", r, t.job.Ranks, t.job.Rank)
	}
	return nil
}

// Send is as collective.Transport says. It waits only while much is on its way that nobody has received.
func (t *Transport) Send(ctx context.Context, tag uint64, to int, data []byte) error {
	if err := t.checkPeer(to); err != nil {
		return err
	}
	if err := t.wait(ctx, &work{room: true}); err != nil {
		return err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.post(t.message(to, dataKind, tag, append([]byte(nil), data...)))
	return t.fault
}

// Recv is as collective.Transport says.
func (t *Transport) Recv(ctx context.Context, tag uint64, from int) ([]byte, error) {
	if err := t.checkPeer(from); err != nil {
		return nil, err
	}
	r := &receipt{at: address{tag, from}}
	if err := t.wait(ctx, &work{receipts: []*receipt{r}}); err != nil {
		return nil, err
	}
	return r.into, nil
}

// Watch is as collective.Transport says.
func (t *Transport) Watch(ctx context.Context) error {
	err := t.wait(ctx, &work{watch: true})
	if ctx.Err() != nil || err == errClosed {
		return nil
	}
	return err
}

// Fail is as collective.Transport says.
func (t *Transport) Fail(fault error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed {
		return
	}
	if t.fault == nil {
		t.fault = &collective.RankError{Rank: t.job.Rank, Fault: fault.Error()}
	}
	t.tell(faultKind, fault.Error())
}

// Close says goodbye to the other ranks, waits for theirs, and ends MPI. If they do not come in time, or one of them
// had a fault, MPI is left as it is, since its own end would wait for ever; the launcher then may end the job.
func (t *Transport) Close() error {
	t.mu.Lock()
	if t.closed {
		t.mu.Unlock()
		return nil
	}
	t.closed = true
	kind, patience := byeKind, t.options.close()
	if t.fault != nil {
		kind, patience = brokenKind, min(patience, time.Second) // for the others to hear of it
	}
	t.tell(kind, "")
	t.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	err := t.wait(ctx, &work{goodbye: true})
	t.mu.Lock()
	t.left = true
	t.mu.Unlock()
	switch {
	case kind == brokenKind: // as its caller knows
		return nil
	case err != nil || t.unsound:
		return err
	}
	return t.finish(ctx)
}

// finish ends MPI, or leaves that when ctx ends.
func (t *Transport) finish(ctx context.Context) error {
	done := make(chan error, 1)
	go func() { done <- cmp.Or(t.unlisten(), t.job.Finish()) }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return fmt.Errorf("mpi: the end of the job: %w", ctx.Err())
	}
}

// unlisten ends the receive of the next header, which MPI would miss at its end, by a message to this rank itself.
func (t *Transport) unlisten() error {
	m, err := mpi.Alloc(eagerBytes)
	if err != nil {
		return err
	}
	sent, received := t.job.Send(m, headBytes, t.job.Rank, headTag), t.inbox.op
	for _, op := range []*mpi.Operation{sent, received} {
		for done := false; !done; {
			t.job.Progress()
			if done, err = op.Done(); err != nil {
				return err
			}
		}
		op.Free()
	}
	return nil
}

// tell sends a message that is a header alone to all other ranks.
func (t *Transport) tell(kind uint32, text string) {
	for rank := range t.gone {
		if rank != t.job.Rank {
			t.post(t.message(rank, kind, 0, []byte(text)[:min(len(text), inline)]))
		}
	}
}

// post leaves a flow to whoever polls, and polls itself if nobody does.
func (t *Transport) post(f *flow) {
	t.flows = append(t.flows, f)
	if !t.pumping {
		t.pumping = true
		go t.pump()
	}
}

// pump polls until nothing is left that only it waits for.
func (t *Transport) pump() {
	for i := 0; ; i++ {
		t.mu.Lock()
		t.step()
		if len(t.flows) == 0 {
			t.pumping = false
			t.mu.Unlock()
			return
		}
		t.mu.Unlock()
		pause(i)
	}
}

// fail notes the first fault of this rank's. After one of MPI nothing is asked of it any more.
func (t *Transport) fail(err error) {
	if t.fault == nil {
		t.fault = err
	}
	var e *mpi.Error
	t.left = t.left || errors.As(err, &e)
}

// wait polls until w is done.
func (t *Transport) wait(ctx context.Context, w *work) error {
	watch := time.Now()
	for i := 0; ; i++ {
		t.mu.Lock()
		done, err := t.advance(w)
		if w.watch && err == nil && ctx.Err() != nil {
			t.mu.Unlock()
			return nil
		}
		if !done && err == nil && ctx.Err() != nil {
			err = &collective.LostError{Ranks: t.missing(w), Err: ctx.Err()}
		}
		if !done && err == nil && time.Since(watch) > watchEvery {
			watch, err = time.Now(), t.watch(w)
		}
		if err != nil {
			t.fail(err)
		}
		t.mu.Unlock()
		if done || err != nil {
			return err
		}
		if w.watch {
			i = patient
		}
		pause(i)
	}
}

// watchEvery is how often processes of this machine are looked after.
const watchEvery = 100 * time.Millisecond

// watch fails if a process of this machine that w waits for is gone.
func (t *Transport) watch(w *work) error {
	var lost []int
	for _, rank := range t.missing(w) {
		if t.peers[rank].dead(t.peers[t.job.Rank]) {
			lost = append(lost, rank)
		}
	}
	if lost == nil {
		return nil
	}
	return &collective.LostError{Ranks: lost, Err: errors.New("the process is gone")}
}

// patient is from which pause on nobody is in a hurry.
const patient = 1024

// pause gives the processor away, the longer the longer nothing has come.
func pause(i int) {
	switch {
	case i < 64:
		time.Sleep(0)
	case i < patient:
		time.Sleep(20 * time.Microsecond)
	default:
		time.Sleep(time.Millisecond)
	}
}

// greet tells all ranks which process this is.
func (t *Transport) greet(ctx context.Context) error {
	group := make([]int, t.job.Ranks)
	out, in := make([][]byte, t.job.Ranks), make([][]byte, t.job.Ranks)
	self := thisProcess()
	for k := range group {
		group[k], out[k], in[k] = k, self[:], make([]byte, len(self))
	}
	copy(in[t.job.Rank], self[:])
	if err := t.Exchange(ctx, 0, group, out, in); err != nil {
		return fmt.Errorf("mpi: greeting: %w", err)
	}
	for k := range group {
		copy(t.peers[k][:], in[k])
	}
	return nil
}
