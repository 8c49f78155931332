package collective

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"slices"
	"sync/atomic"
)

// Job is the ranks that a Transport links, for executions whose devices are in several of them. All ranks make the same
// executions in the same order.
type Job struct {
	transport Transport
	turn      atomic.Uint64 // of the executions, and of what else all ranks do together
}

// NewJob returns the job of t's ranks. A transport is for one job.
func NewJob(t Transport) *Job { return &Job{transport: t} }

// Rank returns the number of this process, and Ranks how many there are.
func (j *Job) Rank() int { return j.transport.Rank() }

// Ranks returns how many processes there are.
func (j *Job) Ranks() int { return j.transport.Ranks() }

// Fail tells all ranks of a fault of this one, which ends the use of the job. One that another rank told of changes
// nothing.
func (j *Job) Fail(fault error) {
	if told := (*RankError)(nil); !errors.As(fault, &told) {
		j.transport.Fail(fault)
	}
}

// Owners returns which rank has each of n devices, if all have about as many: rank r a block of them, in order.
func (j *Job) Owners(n int) []int {
	owners := make([]int, n)
	for r := range j.Ranks() {
		for d := r * n / j.Ranks(); d < (r+1)*n/j.Ranks(); d++ {
			owners[d] = r
		}
	}
	return owners
}

// Join begins an execution of a program on the devices of g, of which rank owners[d] has device d, and returns where
// the devices meet. fingerprint is the same for the same programs, program their name. It waits for all ranks, also
// those without a device, and fails with ErrMismatch if they begin something else, or as Transport.Exchange does.
func (j *Job) Join(ctx context.Context, g Grid, owners []int, program, fingerprint string) (*Hub, error) {
	s := &span{job: j, owners: owners, turn: j.turn.Add(1), lines: map[direction]*line{}}
	if len(program) > introBytes/2 {
		program = program[:introBytes/2] + "..."
	}
	text := fmt.Sprintf("%s on %d replicas of %d partitions, with the fingerprint %s, on ranks %s", program,
		max(g.Replicas, 1), max(g.Partitions, 1), fingerprint, ids(owners))
	if err := s.agree(ctx, s.tag("begin"), j.all(), text, text); err != nil {
		if !errors.Is(err, ErrMismatch) { // which all ranks find at once
			j.Fail(err)
		}
		return nil, fmt.Errorf("the beginning of %s: %w", program, err)
	}
	h := NewHub(g)
	h.span = s
	if h.local(allDevices(g.Size())) > 0 {
		go h.watch()
	}
	return h, nil
}

// Spread returns where the devices of g meet for a program of j's ranks, which have about as many each: Join by Owners.
// For one device, or without a job, all are here, and fingerprint is not called.
func (j *Job) Spread(ctx context.Context, g Grid, program string, fingerprint func() string) (*Hub, error) {
	if j == nil || g.Size() == 1 {
		return NewHub(g), nil
	}
	return j.Join(ctx, g, j.Owners(g.Size()), program, fingerprint())
}

// maxGather is the most that a rank may bring, in bytes.
const maxGather = 1 << 36

// Gather returns what each rank brings, by rank. All ranks call it. It fails as Transport.Exchange does, and on all
// ranks, also with the end of one's ctx.
func (j *Job) Gather(ctx context.Context, data []byte) ([][]byte, error) {
	all, err := j.gather(ctx, data)
	if err != nil {
		j.Fail(err)
		return nil, err
	}
	return all, nil
}

func (j *Job) gather(ctx context.Context, data []byte) ([][]byte, error) {
	ranks, n := j.all(), j.Ranks()
	tag := tagOf(j.turn.Add(1), "gather")
	sizes, out, in := make([][]byte, n), make([][]byte, n), make([][]byte, n)
	for r := range n {
		sizes[r], out[r] = make([]byte, 8), binary.LittleEndian.AppendUint64(nil, uint64(len(data)))
	}
	if err := j.transport.Exchange(ctx, tag, ranks, out, sizes); err != nil {
		return nil, err
	}
	for r := range n {
		out[r], in[r] = data, data
		if r != j.Rank() {
			size := binary.LittleEndian.Uint64(sizes[r])
			if size > maxGather {
				return nil, fmt.Errorf("rank %d brings %d bytes, want at most %d", r, size, uint64(maxGather))
			}
			in[r] = make([]byte, size)
		}
	}
	return in, j.transport.Exchange(ctx, tag, ranks, out, in)
}

func (j *Job) all() []int {
	ranks := make([]int, j.Ranks())
	for r := range ranks {
		ranks[r] = r
	}
	return ranks
}

// tagOf returns the tag of what a text names in one execution.
func tagOf(turn uint64, name string) uint64 {
	h := fnv.New64a()
	_ = binary.Write(h, binary.LittleEndian, turn)
	h.Write([]byte(name))
	return h.Sum64()
}

// introBytes is the length of the message in which a rank says what it is about to do: a hash, and the first part of
// the text.
const introBytes = 512

func introOf(whole, text string) []byte {
	h := fnv.New64a()
	h.Write([]byte(whole))
	b := binary.LittleEndian.AppendUint64(nil, h.Sum64())
	text = text[:min(len(text), introBytes-10)]
	b = append(binary.LittleEndian.AppendUint16(b, uint16(len(text))), text...)
	return append(b, make([]byte, introBytes-len(b))...)
}

func introText(b []byte) string {
	n := int(binary.LittleEndian.Uint16(b[8:]))
	return string(b[10 : 10+min(n, introBytes-10)])
}

// agree compares what ranks are about to do, which whole says and text names, and fails on all of them alike if it
// differs.
func (s *span) agree(ctx context.Context, tag uint64, ranks []int, whole, text string) error {
	mine := introOf(whole, text)
	out, in := make([][]byte, len(ranks)), make([][]byte, len(ranks))
	for k, r := range ranks {
		out[k], in[k] = mine, mine
		if r != s.job.Rank() {
			in[k] = make([]byte, introBytes)
		}
	}
	if err := s.job.transport.Exchange(ctx, tag, ranks, out, in); err != nil {
		return err
	}
	for k, b := range in {
		if !slices.Equal(b[:8], in[0][:8]) {
			return fmt.Errorf("%w: rank %d is at %s; rank %d is at %s", ErrMismatch, ranks[0], introText(in[0]), ranks[k],
				introText(b))
		}
	}
	return nil
}
