package hlo

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/halo-xla/halo/xla/collective"
	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// laid is s with the default layout.
func laid(s shape.Shape) shape.Shape { return s.WithLayout(shape.DefaultLayout(s.Rank())) }

func TestInfeedAndOutfeedInProgramOrder(t *testing.T) { // row 85
	pair := shape.TupleOf(s32S, laid(vec32(2)))
	c := build(t, "main", func(b *Builder) *Instruction {
		first := b.Infeed(laid(vec32(2)), "config") // the forms of 2017: no tokens
		b.Outfeed(first, laid(vec32(2)), "")
		nothing := b.Infeed(shape.TupleOf(), "") // reads nothing
		second := b.Infeed(pair, "")
		b.Outfeed(b.GetTupleElement(second, 0), s32S, "")
		return b.Tuple(first, second, nothing)
	})
	for _, in := range c.Instructions {
		if in.Op == Infeed && in.Operands[0].Op == AfterAll && in != c.Instructions[1] {
			t.Errorf("%s does not follow the transfer before it", in.Name)
		}
	}
	f := NewFeed(4)
	ctx := limited(t)
	three := literal.NewTuple(literal.Scalar(int32(3)), arg32s(t, []float32{4, 5})[0])
	columns, err := literal.Scalar(int32(0)).Relayout(nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range []*literal.Literal{arg32s(t, []float32{1, 2})[0], three, columns} {
		if err := f.TransferToInfeed(ctx, l); err != nil {
			t.Fatal(err)
		}
	}
	out, err := Evaluate(ctx, NewModule("m", c), nil, EvalOptions{Feeds: []*Feed{f}})
	if err != nil {
		t.Fatal(err)
	}
	wantElems(t, "first", out.Elems()[0], float32(1), 2)
	wantElems(t, "second", out.Elems()[1].Elems()[1], float32(4), 5)
	for _, want := range []string{"f32[2] {1, 2}", "s32[] 3"} {
		if l, err := f.TransferFromOutfeed(ctx); err != nil || l.String() != want {
			t.Errorf("outfeed: got %v, %v, want %s", l, err, want)
		}
	}
}

// Each device has a feed of its own, and a device waits for its host.
func TestFeedsOfDevices(t *testing.T) {
	c := build(t, "main", func(b *Builder) *Instruction {
		return b.CrossReplicaSum(b.Infeed(s32S, ""), CollectiveOptions{})
	})
	feeds := []*Feed{NewFeed(1), NewFeed(1)}
	ctx := limited(t)
	go func() {
		for d, f := range feeds {
			if err := f.TransferToInfeed(ctx, literal.Scalar(int32(10*d+1))); err != nil {
				t.Error(err)
			}
		}
	}()
	out, err := EvaluateAll(ctx, NewModule("m", c), make([][]*literal.Literal, 2), EvalOptions{Feeds: feeds}, 2, 1)
	if err != nil {
		t.Fatal(err)
	}
	wantElems(t, "sum", out[1], int32(12))
}

func TestFeedErrors(t *testing.T) {
	infeed := build(t, "main", func(b *Builder) *Instruction { return b.Infeed(laid(vec32(2)), "") })
	outfeed := build(t, "main", func(b *Builder) *Instruction { return b.Outfeed(ConstantR0(b, int32(1)), s32S, "") })
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	for _, tc := range []struct {
		name string
		c    *Computation
		ctx  context.Context
		feed func() *Feed
		is   error
		want string
	}{
		{"no feed", infeed, context.Background(), func() *Feed { return nil }, nil, "has no feed"},
		{"no feed", outfeed, context.Background(), func() *Feed { return nil }, nil, "has no feed"},
		{"another size", infeed, context.Background(), func() *Feed {
			f := NewFeed(0)
			if err := f.TransferToInfeed(context.Background(), arg32s(t, []float32{1})[0]); err != nil {
				t.Fatal(err)
			}
			return f
		}, nil, "the infeed holds f32[1], want f32[2]"},
		{"closed", infeed, context.Background(), func() *Feed { f := NewFeed(0); f.CloseInfeed(); return f },
			ErrFeedClosed, ""},
		{"outfeed closed", outfeed, context.Background(), func() *Feed { f := NewFeed(0); f.Close(); return f },
			ErrFeedClosed, ""},
		{"cancelled", infeed, ended, func() *Feed { return NewFeed(0) }, context.Canceled, ""},
	} {
		_, err := Evaluate(tc.ctx, NewModule("m", tc.c), nil, EvalOptions{Feeds: []*Feed{tc.feed()}})
		if err == nil || tc.is != nil && !errors.Is(err, tc.is) || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: got %v, want %v %q", tc.name, err, tc.is, tc.want)
		}
	}
}

// A full queue makes its writer wait, and an empty one its reader.
func TestFeedIsBounded(t *testing.T) {
	f := NewFeed(1)
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	one := literal.Scalar(int32(1))
	if err := f.TransferToInfeed(ended, one); err != nil {
		t.Fatal(err)
	}
	if err := f.TransferToInfeed(ended, one); !errors.Is(err, context.Canceled) {
		t.Errorf("full: got %v, want to wait until the context ends", err)
	}
	if _, err := f.TransferFromOutfeed(ended); !errors.Is(err, context.Canceled) {
		t.Errorf("empty: got %v, want to wait until the context ends", err)
	}
	f.Close()
	if err := f.TransferToInfeed(context.Background(), one); !errors.Is(err, ErrFeedClosed) {
		t.Errorf("closed: got %v, want ErrFeedClosed", err)
	}
}

// Two programs exchange values on two channels; the first in the forms of 2017.
func TestSendAndRecv(t *testing.T) { // rows 86 to 89
	first := build(t, "first", func(b *Builder) *Instruction {
		b.Send(ConstantR0(b, int32(5)), ChannelHandle{1, DeviceToDevice})
		return b.Recv(s32S, ChannelHandle{2, DeviceToDevice})
	})
	second := build(t, "second", func(b *Builder) *Instruction {
		in := b.RecvWithToken(b.CreateToken(), s32S, ChannelHandle{Handle: 1})
		x := b.GetTupleElement(in, 0)
		b.SendWithToken(b.add(Add, nil, shape.Shape{}, x, x), b.GetTupleElement(in, 1), ChannelHandle{Handle: 2})
		return x
	})
	out, err := EvaluateGrid(limited(t), [][]*Computation{{first, second}}, make([][]*literal.Literal, 2), EvalOptions{})
	if err != nil {
		t.Fatal(err)
	}
	wantElems(t, "first", out[0], int32(10))
	wantElems(t, "second", out[1], int32(5))
}

// One program on all devices, whose pairs say who sends to whom.
func TestSendAlongPairs(t *testing.T) {
	c := build(t, "main", func(b *Builder) *Instruction {
		b.common = &Common{Frontend: FrontendAttributes{{sourceTargetPairs, "{{0,1},{1,2}}"}}}
		b.Send(b.ReplicaId(), ChannelHandle{Handle: 0})
		return b.Recv(shape.Array(shape.U32), ChannelHandle{Handle: 0})
	})
	for d, l := range onDevices(t, c, 3, 1) {
		wantElems(t, "received", l, uint32(max(0, d-1))) // device 0 is nobody's target: zeros
	}
}

// host doubles what a device sends it.
type host struct{ values map[string]*literal.Literal }

func (h host) Send(_ context.Context, device int, channel int64, l *literal.Literal) error {
	if channel == 9 {
		return errors.New("refused")
	}
	h.values[fmt.Sprint(device, channel)] = l
	return nil
}

func (h host) Recv(_ context.Context, device int, channel int64, s shape.Shape) (*literal.Literal, error) {
	if l := h.values[fmt.Sprint(device, channel-1)]; l != nil {
		return l, nil
	}
	return literal.New(s)
}

func TestHostTransfers(t *testing.T) {
	c := build(t, "main", func(b *Builder) *Instruction {
		token := b.SendToHost(b.Parameter(0, s32S, "p"), b.CreateToken(), s32S, ChannelHandle{1, DeviceToHost})
		return b.GetTupleElement(b.RecvFromHost(token, s32S, ChannelHandle{2, HostToDevice}), 0)
	})
	arg := []*literal.Literal{literal.Scalar(int32(8))}
	m := NewModule("m", c)
	out, err := Evaluate(context.Background(), m, arg, EvalOptions{Host: host{map[string]*literal.Literal{}}})
	if err != nil {
		t.Fatal(err)
	}
	wantElems(t, "echo", out, int32(8))
	_, err = Evaluate(context.Background(), m, arg, EvalOptions{})
	if err == nil || !strings.Contains(err.Error(), "a send to the host on channel 1, and nobody serves host transfers") {
		t.Errorf("got %v", err)
	}
	refused := build(t, "main", func(b *Builder) *Instruction {
		return b.SendToHost(b.Parameter(0, s32S, "p"), b.CreateToken(), s32S, ChannelHandle{Handle: 9})
	})
	_, err = Evaluate(context.Background(), NewModule("m", refused), arg, EvalOptions{Host: host{}})
	if err == nil || !strings.Contains(err.Error(), "refused") {
		t.Errorf("got %v", err)
	}
}

func TestTokens(t *testing.T) { // row 83
	c := build(t, "main", func(b *Builder) *Instruction {
		x := b.CreateToken()
		y := b.AfterAll(x, b.CreateToken())
		return b.AddDependency(ConstantR0(b, int32(4)), y)
	})
	wantElems(t, "value", run(t, c), int32(4))
}

func TestHostErrors(t *testing.T) {
	for _, tc := range []struct {
		name, want string
		f          func(b *Builder, x, token *Instruction) // x is s32[]
	}{
		{"no tokens", "there are no tokens", func(b *Builder, x, token *Instruction) { b.AfterAll() }},
		{"no token", "got s32[], want a token", func(b *Builder, x, token *Instruction) { b.AfterAll(token, x) }},
		{"dependency", "token: got s32[], want a token", func(b *Builder, x, token *Instruction) { b.AddDependency(x, x) }},
		{"infeed without layout", "the shape f32[2] has no layout", func(b *Builder, x, token *Instruction) {
			b.Infeed(vec32(2), "")
		}},
		{"infeed of a nested tuple", "want an array or a tuple of arrays", func(b *Builder, x, token *Instruction) {
			b.Infeed(shape.TupleOf(shape.TupleOf(s32S)), "")
		}},
		{"infeed of a token", "want an array", func(b *Builder, x, token *Instruction) { b.Infeed(shape.TokenShape(), "") }},
		{"infeed after no token", "want a token", func(b *Builder, x, token *Instruction) { b.InfeedWithToken(x, s32S, "") }},
		{"outfeed shape", "outfeed_shape is f32[], want s32[] as the operand", func(b *Builder, x, token *Instruction) {
			b.Outfeed(x, f32S, "")
		}},
		{"outfeed of a token", "want an array", func(b *Builder, x, token *Instruction) {
			b.OutfeedWithToken(token, token, shape.TokenShape(), "")
		}},
		{"send type", "channel 3 is device to host, want device to device", func(b *Builder, x, token *Instruction) {
			b.Send(x, ChannelHandle{3, DeviceToHost})
		}},
		{"recv type", "is host to device, want device to device", func(b *Builder, x, token *Instruction) {
			b.Recv(s32S, ChannelHandle{3, HostToDevice})
		}},
		{"host send type", "want device to host", func(b *Builder, x, token *Instruction) {
			b.SendToHost(x, token, s32S, ChannelHandle{3, DeviceToDevice})
		}},
		{"host recv type", "want host to device", func(b *Builder, x, token *Instruction) {
			b.RecvFromHost(token, s32S, ChannelHandle{3, DeviceToHost})
		}},
		{"host send shape", "the shape with layout is f32[], want s32[]", func(b *Builder, x, token *Instruction) {
			b.SendToHost(x, token, f32S, ChannelHandle{Handle: 3})
		}},
		{"send after no token", "want a token", func(b *Builder, x, token *Instruction) {
			b.SendWithToken(x, x, ChannelHandle{Handle: 3})
		}},
		{"done of recv", "got the request of recv, want that of send", func(b *Builder, x, token *Instruction) {
			s := shape.TupleOf(s32S, shape.Array(shape.U32), shape.TokenShape())
			b.add(SendDone, &ChannelAttrs{}, shape.Shape{}, b.add(Recv, &ChannelAttrs{}, s, token))
		}},
		{"done of another channel", "channel_id is 2, want 1", func(b *Builder, x, token *Instruction) {
			send := b.add(Send, &ChannelAttrs{ChannelID: 1}, shape.Shape{}, x, token)
			b.add(SendDone, &ChannelAttrs{ChannelID: 2}, shape.Shape{}, send)
		}},
		{"done of no request", "want (data, u32[], token[])", func(b *Builder, x, token *Instruction) {
			b.add(RecvDone, &ChannelAttrs{}, shape.Shape{}, x)
		}},
		{"recv shape", "want (data, u32[], token[])", func(b *Builder, x, token *Instruction) {
			b.add(Recv, &ChannelAttrs{}, s32S, token)
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			wantError(t, tc.name, buildError(t, func(b *Builder) { tc.f(b, ConstantR0(b, int32(0)), b.CreateToken()) }), tc.want)
		})
	}
}

// What was sent must be what is received, and received.
func TestSendMismatch(t *testing.T) {
	send := build(t, "send", func(b *Builder) *Instruction {
		return b.Send(ConstantR0(b, int32(5)), ChannelHandle{Handle: 1})
	})
	recv := build(t, "recv", func(b *Builder) *Instruction { return b.Recv(f32S, ChannelHandle{Handle: 1}) })
	idle := build(t, "idle", func(b *Builder) *Instruction { return b.CreateToken() })
	for _, tc := range []struct {
		second *Computation
		want   string
	}{
		{recv, "what was sent is s32[], want f32[]"}, // row 89
		{idle, "nobody received what was sent: send.2"},
	} {
		programs := [][]*Computation{{send}, {tc.second}}
		_, err := EvaluateGrid(limited(t), programs, make([][]*literal.Literal, 2), EvalOptions{})
		if err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("got %v, want %q", err, tc.want)
		}
	}
	_, err := Evaluate(limited(t), NewModule("m", send), nil, EvalOptions{})
	if err == nil || !strings.Contains(err.Error(), "nobody received") {
		t.Errorf("alone: got %v", err)
	}
	_, err = Evaluate(limited(t), NewModule("m", recv), nil, EvalOptions{})
	if !errors.Is(err, collective.ErrDeadlock) {
		t.Errorf("alone: got %v, want a deadlock", err)
	}
}

func TestAsyncPairs(t *testing.T) {
	double := build(t, "double", func(b *Builder) *Instruction {
		x := b.Parameter(0, vec32(2), "x")
		return b.add(Add, nil, shape.Shape{}, x, x)
	})
	c := build(t, "main", func(b *Builder) *Instruction {
		p := b.Parameter(0, vec32(2), "p")
		add := &AllReduceAttrs{ToApply: scalarComputation(Add, shape.F32)}
		started := b.AsyncUpdate(b.AsyncStart(double, "main", p))
		reduced := b.add(AllReduceDone, nil, shape.Shape{}, b.add(AllReduceStart, add, shape.Shape{}, p))
		permute := &CollectivePermuteAttrs{SourceTargetPairs: Pairs{{0, 0}}}
		permuted := b.add(CollectivePermuteDone, nil, shape.Shape{}, b.add(CollectivePermuteStart, permute, shape.Shape{}, p))
		gathered := b.add(AllGatherDone, nil, shape.Shape{}, b.add(AllGatherStart, &AllGatherAttrs{}, shape.Shape{}, p))
		return b.Tuple(b.AsyncDone(started), b.CopyDone(b.CopyStart(p)), reduced, permuted, gathered)
	})
	out := run(t, c, arg32s(t, []float32{1, 2})...).Elems()
	wantElems(t, "async", out[0], float32(2), 4)
	for i, l := range out[1:] {
		wantElems(t, fmt.Sprint("pair ", i), l, float32(1), 2)
	}
	for _, tc := range []struct {
		want string
		f    func(b *Builder, x *Instruction)
	}{
		{"want the value of async-start", func(b *Builder, x *Instruction) { b.AsyncDone(x) }},
		{"want the value of async-start", func(b *Builder, x *Instruction) { b.AsyncUpdate(b.Tuple(x, x)) }},
		{"want the value of copy-start", func(b *Builder, x *Instruction) { b.CopyDone(b.Tuple(x)) }},
		{"want the value of its start", func(b *Builder, x *Instruction) { b.add(AllGatherDone, nil, shape.Shape{}, x) }},
		{"got 0 operands, want 1 as computation double takes", func(b *Builder, x *Instruction) { b.AsyncStart(double, "") }},
	} {
		wantError(t, "async", buildError(t, func(b *Builder) { tc.f(b, ConstantR0(b, int32(0))) }), tc.want)
	}
}
