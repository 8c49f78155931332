package exec

import (
	"context"
	"errors"
	"testing"

	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/literal"
)

// taped is a machine whose thunks, which add a number to their operand's bytes, make segments.
type taped struct{ bare }

type adding struct{ to, from Slice }

func (taped) Lower(l *Lowering) (Thunk, error) {
	if l.In.Op != hlo.Negate {
		return nil, errNoKernel
	}
	return adding{l.Result(), l.Operand(0)}, nil
}

func (a adding) Uses() []Use { return append(Reads(a.from), Writes(a.to)...) }

func (a adding) Run(r *Run) error {
	if r.Context() == nil || r.Options().Seed != 7 {
		return errors.New("the segment has no context or no options")
	}
	from := r.Bytes(a.from)
	for i := range from {
		r.Bytes(a.to)[i] = from[i] + 10
	}
	return nil
}

func (taped) Segment(list []Thunk) Segment              { return tape(list) }
func (taped) Copy(dst, src Slice) Thunk                 { return adding{dst, src} }
func (taped) While(_ []Thunk, _ Slice, _ []Thunk) Thunk { panic("unused") }
func (taped) Conditional(Slice, bool, [][]Thunk) Thunk  { panic("unused") }

func (taped) Recorded(t Thunk) bool {
	_, ok := t.(adding)
	return ok
}

type tape []Thunk

func (t tape) Close() {}
func (t tape) Run(r *Run) error {
	for _, x := range t {
		if err := x.Run(r); err != nil {
			return err
		}
	}
	return nil
}

const negates = "ENTRY e { x = u8[3] parameter(0) y = u8[3] negate(x) ROOT z = u8[3] negate(y) }"

// TestQuick wants small programs to be quick, and no program that needs more.
func TestQuick(t *testing.T) {
	for _, test := range []struct {
		text string
		o    Options
		want bool
	}{
		{negates, Options{}, true},
		{"ENTRY e { x = u8[3] parameter(0) y = u8[3] negate(x) z = u8[3] negate(x) ROOT t = (u8[3], u8[3]) tuple(y, z) }",
			Options{}, true},
		{negates, Options{Verify: true}, false},
		{negates, Options{Profile: true}, false},
		{"ENTRY e { x = u8[600] parameter(0) ROOT y = u8[600] negate(x) }", Options{}, false},
		{"ENTRY e { x = u8[3] parameter(0) y = u8[3] negate(x) ROOT t = (u8[3], u8[3]) tuple(x, y) }", Options{}, false},
		{"ENTRY e { x = u8[3] parameter(0) y = u8[3] not(x) ROOT z = u8[3] negate(y) }", Options{AllowReference: true}, false},
		{"ENTRY e { x = u8[0] parameter(0) ROOT z = u8[0] negate(x) }", Options{}, false},
	} {
		m, err := hlo.Parse([]byte(test.text), "quick.hlo")
		if err != nil {
			t.Fatal(err)
		}
		p, err := New(taped{}).Compile(context.Background(), m, test.o)
		if err != nil {
			t.Fatal(err)
		}
		if got := p.(*program).quick != nil; got != test.want {
			t.Errorf("%s: got quick %v, want %v", test.text, got, test.want)
		}
		p.Close()
	}
}

// TestQuickRuns wants quick executions to do what others do: results of their own or in the caller's memory, the error
// of a context that has ended, and nothing of the caller's kept.
func TestQuickRuns(t *testing.T) {
	m, err := hlo.Parse([]byte(negates), "quick.hlo")
	if err != nil {
		t.Fatal(err)
	}
	x, err := New(taped{}).Compile(context.Background(), m, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	p, into := x.(*program), make([]byte, 3)
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	for i := range byte(5) {
		arg, err := literal.FromSlice([]uint8{i, 1, 2}, 3)
		if err != nil {
			t.Fatal(err)
		}
		c := Call{Args: []*literal.Literal{arg}, Fit: true, Pinned: true, Options: RunOptions{Seed: 7}}
		if err := p.Call(ended, &c); !errors.Is(err, context.Canceled) {
			t.Errorf("after the end of the context: got %v", err)
		}
		if err := p.Call(context.Background(), &c); err != nil {
			t.Fatal(err)
		}
		if got := c.Results[0].Bytes(); got[0] != i+20 || got[2] != 22 {
			t.Errorf("got %v, want %d 21 22", got, i+20)
		}
		c.Into = [][]byte{into}
		if err := p.Call(context.Background(), &c); err != nil || into[0] != i+20 || into[2] != 22 {
			t.Errorf("into memory: got %v, %v, want %d 21 22", into, err, i+20)
		}
		if c.Into[0] = into[:2]; p.Call(context.Background(), &c) == nil {
			t.Error("memory that is too small is taken")
		}
		r := &p.ready[0].run
		if r.ctx != nil || r.options != nil || r.seat != nil {
			t.Error("a run keeps what was the caller's")
		}
	}
	if n := left(p.executor); n != len(p.executor.seats) {
		t.Errorf("%d seats are left of %d", n, len(p.executor.seats))
	}
}
