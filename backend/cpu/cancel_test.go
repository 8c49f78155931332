package cpu

import (
	"context"
	"errors"
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/halo-xla/halo/cgo/loops/run"
	"github.com/halo-xla/halo/xla/exec"
	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/literal"
)

// lengthy are single steps that take long, with no loop of the program's around them.
var lengthy = map[string]string{
	"sort": `
ENTRY e { x = u32[4194304] parameter(0)
  ROOT s = u32[4194304] sort(x), dimensions={0}, to_apply=less }`,
	"fft": `
ENTRY e { x = c64[4194304] parameter(0)
  ROOT y = c64[4194304] fft(x), fft_type=FFT, fft_length={4194304} }`,
	"reduce-window": `
ENTRY e { x = f32[1024,1024] parameter(0)
  z = f32[] constant(1)
  ROOT y = f32[1016,1016] reduce-window(x, z), window={size=9x9}, to_apply=mix }`,
	"select-and-scatter": `
near { a = f32[] parameter(0)
  b = f32[] parameter(1)
  c = f32[] multiply(a, a)
  ROOT d = pred[] compare(c, b), direction=LT }
ENTRY e { x = f32[4194304] parameter(0)
  z = f32[] constant(0)
  s = f32[2097152] slice(x), slice={[0:2097152]}
  ROOT y = f32[4194304] select-and-scatter(x, s, z), window={size=2 stride=2}, select=near, scatter=mix }`,
	"elementwise": `
ENTRY e { x = f32[2048,4096] parameter(0)
  a = f32[2048,4096] sine(x)
  b = f32[2048,4096] exponential(a)
  c = f32[2048,4096] log-plus-one(b)
  ROOT d = f32[2048,4096] tanh(c) }`,
}

// TestCancelled wants an execution whose context has ended to say so and to have no result.
func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for name, text := range lengthy {
		t.Run(name, func(t *testing.T) {
			p := compiled(t, cancelHead+text)
			x := literal.Zeros(parse(t, cancelHead+text).Entry.Parameters[0].Shape)
			out, err := p.Run(ctx, [][]*literal.Literal{{x}}, exec.RunOptions{})
			if out != nil || !errors.Is(err, context.Canceled) {
				t.Errorf("got %d results, %v, want %v", len(out), err, context.Canceled)
			}
		})
	}
}

// TestCancelledWork wants a long step to do little once it is cancelled. What it does is counted: the cancel word of a
// run is a place in memory that the step writes, so that it cancels itself, and bytes that have changed are its work.
func TestCancelledWork(t *testing.T) {
	needNative(t)
	for name, text := range lengthy {
		t.Run(name, func(t *testing.T) {
			m := parse(t, cancelHead+text)
			args := []*literal.Literal{random(rand.New(rand.NewPCG(7, 8)), m.Entry.Parameters[0].Shape)}
			work := &counting{recorder: recorder{&machine{threads: 1}}, word: -1}
			p, err := exec.New(work).Compile(context.Background(), m, exec.Options{})
			if err != nil {
				t.Fatal(err)
			}
			defer p.Close()
			execute := func(word int) (int, error) {
				work.word, work.changed = word, 0
				_, err := p.Run(context.Background(), [][]*literal.Literal{args}, exec.RunOptions{})
				return work.changed, err
			}
			whole, err := execute(-1)
			if err != nil || whole == 0 {
				t.Fatalf("got %d bytes of work, %v", whole, err)
			}
			least := whole
			for word := range work.places {
				changed, err := execute(word)
				if err != nil && !errors.Is(err, context.Canceled) {
					t.Fatal(err)
				}
				least = min(least, changed)
			}
			if t.Logf("%d of %d bytes", least, whole); least > whole/8 {
				t.Errorf("a step that was cancelled when it had begun wrote %d bytes of %d", least, whole)
			}
		})
	}
}

// counting is a machine whose last record has its cancel word in one of the arrays that it writes, the word-th, if that
// is not negative. It counts the bytes that the record changes.
type counting struct {
	recorder
	word, places, changed int
}

func (c *counting) Segment(list []exec.Thunk) exec.Segment {
	s := &countingSegment{c: c, before: records(list[:len(list)-1]), last: records(list[len(list)-1:])}
	for _, u := range list[len(list)-1].Uses() {
		if u.Write && u.Slice.Size > 4096 {
			s.writes = append(s.writes, u.Slice)
		}
	}
	c.places = len(s.writes)
	return s
}

type countingSegment struct {
	c            *counting
	before, last *run.Segment
	writes       []exec.Slice
}

func (s *countingSegment) Close() {
	s.before.Close()
	s.last.Close()
}

func (s *countingSegment) Run(r *exec.Run) error {
	if err := (segment{s.before}).Run(r); err != nil {
		return err
	}
	word := r.CancelWord()
	for i, w := range s.writes {
		clear(r.Bytes(w))
		if i == s.c.word {
			word = (*uint32)(unsafe.Add(r.Address(w), 256))
		}
	}
	err := s.last.Run(r.Base(), word, r.Threads(), 0)
	for _, w := range s.writes {
		for _, b := range r.Bytes(w) {
			if b != 0 {
				s.c.changed++
			}
		}
	}
	if errors.Is(err, run.ErrCancelled) {
		return context.Canceled
	}
	return err
}

func parse(t testing.TB, text string) *hlo.Module {
	t.Helper()
	m, err := hlo.Parse([]byte(text), "test.hlo")
	if err == nil {
		err = hlo.Verify(m)
	}
	if err != nil {
		t.Fatal(err)
	}
	return m
}
