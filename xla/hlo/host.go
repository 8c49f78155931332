package hlo

import (
	"context"
	"fmt"

	"github.com/halo-xla/halo/xla/collective"
	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// InfeedAttrs are the attributes of infeed, row 85.
type InfeedAttrs struct{ Config string }

// Fields lists the attributes.
func (a *InfeedAttrs) Fields() []Field {
	return []Field{{"infeed_config", "infeed_config", &a.Config, Set}}
}

// OutfeedAttrs has the shape that is sent, with its layout, and a text for the host.
type OutfeedAttrs struct {
	Shape  OptionalShape
	Config string
}

// Fields lists the attributes.
func (a *OutfeedAttrs) Fields() []Field {
	return []Field{{"outfeed_shape", "", &a.Shape, Set}, {"outfeed_config", "outfeed_config", &a.Config, Set}}
}

// ChannelAttrs: send, send-done, recv and recv-done, rows 86 to 89.
type ChannelAttrs struct {
	ChannelID      int64
	IsHostTransfer bool
}

// Fields lists the attributes.
func (a *ChannelAttrs) Fields() []Field {
	return []Field{
		{"channel_id", "", &a.ChannelID, Set},
		{"is_host_transfer", "is_host_transfer", &a.IsHostTransfer, Set},
	}
}

// HostTransfers serves the sends and receives of a program that are with the host.
type HostTransfers interface {
	// Send takes a value that device sends on channel.
	Send(ctx context.Context, device int, channel int64, l *literal.Literal) error
	// Recv returns the value of shape s for which device asks on channel.
	Recv(ctx context.Context, device int, channel int64, s shape.Shape) (*literal.Literal, error)
}

// checkTokens fails unless in's operands from number from on are tokens.
func checkTokens(in *Instruction, from int) error {
	for i, o := range in.Operands[from:] {
		if !o.Shape.IsToken() {
			return fmt.Errorf("%s: got %v, want a token", operandName(in, from+i), o.Shape)
		}
	}
	return nil
}

func inferAfterAll(in *Instruction) (shape.Shape, error) { // row 83
	return shape.TokenShape(), checkTokens(in, 0)
}

func evalAfterAll(*Evaluator, *Instruction, []*literal.Literal) (*literal.Literal, error) {
	return literal.NewToken(), nil
}

func inferAddDependency(in *Instruction) (shape.Shape, error) {
	return in.Operands[0].Shape, checkTokens(in, 1)
}

func evalAddDependency(_ *Evaluator, _ *Instruction, args []*literal.Literal) (*literal.Literal, error) {
	return args[0], nil
}

// transferable fails unless s is an array or a tuple of arrays, the empty one too. Law: row 85.
func transferable(s shape.Shape) error {
	if s.IsArray() {
		return nil
	}
	for _, e := range s.Elems {
		if !e.IsArray() {
			return fmt.Errorf("got %v, want an array or a tuple of arrays", s)
		}
	}
	if !s.IsTuple() {
		return fmt.Errorf("got %v, want an array or a tuple of arrays", s)
	}
	return nil
}

func inferInfeed(in *Instruction) (shape.Shape, error) {
	if err := checkTokens(in, 0); err != nil {
		return poison, err
	}
	s := in.Shape
	if !s.IsTuple() || len(s.Elems) != 2 || !s.Elems[1].IsToken() { // infeed C1, C2
		return poison, fmt.Errorf("the result's shape is %v, want (data, token[])", s)
	}
	if err := transferable(s.Elems[0]); err != nil {
		return poison, fmt.Errorf("data: %w", err)
	}
	return s, nil
}

func evalInfeed(e *Evaluator, in *Instruction, _ []*literal.Literal) (*literal.Literal, error) {
	want := in.Shape.Elems[0]
	if want.IsTuple() && len(want.Elems) == 0 { // row 85: nothing is read
		return literal.NewTuple(literal.NewTuple(), literal.NewToken()), nil
	}
	f, err := e.feed()
	if err != nil {
		return nil, err
	}
	l, err := f.in.take(e.ctx)
	if err != nil {
		return nil, fmt.Errorf("reading the infeed: %w", err)
	}
	if !Fits(l.Shape(), want) {
		return nil, fmt.Errorf("the infeed holds %v, want %v", l.Shape(), want)
	}
	return literal.NewTuple(l.RowMajor(), literal.NewToken()), nil
}

// feed returns the queues of this device.
func (e *Evaluator) feed() (*Feed, error) {
	if e.device.id >= len(e.Feeds) || e.Feeds[e.device.id] == nil {
		return nil, fmt.Errorf("%s has no feed: the host must give one to run infeed and outfeed",
			e.device.grid.Name(e.device.id))
	}
	return e.Feeds[e.device.id], nil
}

func inferOutfeed(in *Instruction) (shape.Shape, error) {
	if err := checkTokens(in, 1); err != nil {
		return poison, err
	}
	operand := in.Operands[0].Shape
	if err := transferable(operand); err != nil {
		return poison, fmt.Errorf("operand: %w", err)
	}
	if s := in.Attrs.(*OutfeedAttrs).Shape.Shape; s != nil && !agrees(operand, *s) {
		return poison, fmt.Errorf("outfeed_shape is %v, want %v as the operand", *s, operand)
	}
	return shape.TokenShape(), nil
}

func evalOutfeed(e *Evaluator, _ *Instruction, args []*literal.Literal) (*literal.Literal, error) {
	f, err := e.feed()
	if err != nil {
		return nil, err
	}
	if err := f.out.put(e.ctx, args[0]); err != nil {
		return nil, fmt.Errorf("writing the outfeed: %w", err)
	}
	return literal.NewToken(), nil
}

// inferSend: (operand, u32[] request, token[]). Law: row 86.
func inferSend(in *Instruction) (shape.Shape, error) {
	if err := checkTokens(in, 1); err != nil {
		return poison, err
	}
	s := in.Operands[0].Shape
	if err := transferable(s); err != nil {
		return poison, fmt.Errorf("operand: %w", err)
	}
	return shape.TupleOf(s, shape.Array(shape.U32), shape.TokenShape()), nil
}

// inferRecv is told (data, u32[] request, token[]). Law: row 88.
func inferRecv(in *Instruction) (shape.Shape, error) {
	if err := checkTokens(in, 0); err != nil {
		return poison, err
	}
	if err := checkRequest(in.Shape); err != nil {
		return poison, fmt.Errorf("the result's shape: %w", err)
	}
	return in.Shape, transferable(in.Shape.Elems[0])
}

// checkRequest fails unless s is (data, u32[], token[]).
func checkRequest(s shape.Shape) error {
	if !s.IsTuple() || len(s.Elems) != 3 || !s.Elems[1].Compatible(shape.Array(shape.U32)) || !s.Elems[2].IsToken() {
		return fmt.Errorf("got %v, want (data, u32[], token[])", s)
	}
	return nil
}

// inferSendDone: a token. Law: row 87.
func inferSendDone(in *Instruction) (shape.Shape, error) {
	if err := checkPartner(in, Send); err != nil {
		return poison, err
	}
	return shape.TokenShape(), nil
}

// inferRecvDone: (data, token[]). Law: row 89.
func inferRecvDone(in *Instruction) (shape.Shape, error) {
	if err := checkPartner(in, Recv); err != nil {
		return poison, err
	}
	s := in.Operands[0].Shape
	return shape.TupleOf(s.Elems[0], s.Elems[2]), nil
}

// checkPartner fails unless the operand is a request, and if it is made here, made by start on the same channel.
func checkPartner(in *Instruction, start Opcode) error {
	o := in.Operands[0]
	if err := checkRequest(o.Shape); err != nil {
		return fmt.Errorf("operand: %w", err)
	}
	if o.Op != Send && o.Op != Recv {
		return nil // it came through a loop or a call
	}
	if o.Op != start { // row 86
		return fmt.Errorf("operand: got the request of %s, want that of %s", o.Op, start)
	}
	mine, its := in.Attrs.(*ChannelAttrs).ChannelID, o.Attrs.(*ChannelAttrs).ChannelID
	if mine != its && mine != 0 {
		return fmt.Errorf("channel_id is %d, want %d as the operand has", mine, its)
	}
	return nil
}

func evalSend(e *Evaluator, in *Instruction, args []*literal.Literal) (*literal.Literal, error) {
	a := in.Attrs.(*ChannelAttrs)
	if a.IsHostTransfer {
		if e.Host == nil {
			return nil, fmt.Errorf("a send to the host on channel %d, and nobody serves host transfers", a.ChannelID)
		}
		if err := e.Host.Send(e.ctx, e.device.id, a.ChannelID, args[0]); err != nil {
			return nil, err
		}
		return request(args[0]), nil
	}
	c, ok, err := e.channel(in, 0)
	if err != nil {
		return nil, err
	}
	if ok {
		err = e.meetingPlace().Send(e.ctx, e.device.id, c, opName(in), args[0])
	}
	return request(args[0]), err
}

// request is the value of send and recv.
func request(l *literal.Literal) *literal.Literal {
	return literal.NewTuple(l, literal.Scalar(uint32(0)), literal.NewToken())
}

func evalSendDone(*Evaluator, *Instruction, []*literal.Literal) (*literal.Literal, error) {
	return literal.NewToken(), nil
}

// evalRecv gives the data nothing yet: recv-done waits for it.
func evalRecv(_ *Evaluator, in *Instruction, _ []*literal.Literal) (*literal.Literal, error) {
	l, err := literal.New(in.Shape.Elems[0].WithoutLayout().Static())
	if err != nil {
		return nil, err
	}
	return request(l), nil
}

func evalRecvDone(e *Evaluator, in *Instruction, args []*literal.Literal) (*literal.Literal, error) {
	want := in.Shape.Elems[0]
	l, err := e.recv(in, args[0].Elems()[0], want)
	if err != nil {
		return nil, err
	}
	if !Fits(l.Shape(), want) { // row 89
		return nil, fmt.Errorf("what was sent is %v, want %v", l.Shape(), want)
	}
	return literal.NewTuple(l.RowMajor(), literal.NewToken()), nil
}

// recv waits for what recv-done in returns; zeros is that if no device sends to this one.
func (e *Evaluator) recv(in *Instruction, zeros *literal.Literal, want shape.Shape) (*literal.Literal, error) {
	a := starter(in).Attrs.(*ChannelAttrs)
	if a.IsHostTransfer || in.Attrs.(*ChannelAttrs).IsHostTransfer {
		if e.Host == nil {
			return nil, fmt.Errorf("a receive from the host on channel %d, and nobody serves host transfers", a.ChannelID)
		}
		return e.Host.Recv(e.ctx, e.device.id, a.ChannelID, want)
	}
	c, ok, err := e.channel(starter(in), 1)
	if err != nil || !ok {
		return zeros, err
	}
	v, err := e.meetingPlace().Recv(e.ctx, e.device.id, c, opName(in))
	if err != nil {
		return nil, err
	}
	return received(v)
}

// received returns the value that a receive got.
func received(v any) (*literal.Literal, error) {
	data, ok := v.(collective.Message)
	if !ok {
		return v.(*literal.Literal), nil
	}
	l := new(literal.Literal)
	return l, l.UnmarshalBinary(data)
}

// starter returns the recv of a recv-done, or the recv-done itself if the request came through a loop or a call.
func starter(in *Instruction) *Instruction {
	if o := in.Operands[0]; o.Op == Recv {
		return o
	}
	return in
}

// sourceTargetPairs is the frontend attribute with the pairs of devices between which a channel is.
const sourceTargetPairs = "_xla_send_recv_source_target_pairs"

// channel returns the way on which in sends (side 0) or receives (side 1), and false if in's pairs leave this device
// out.
// Without pairs any device's send meets any device's recv. Law: row 86.
func (e *Evaluator) channel(in *Instruction, side int) (c collective.Channel, ok bool, err error) {
	a := in.Attrs.(*ChannelAttrs)
	c = collective.Channel{ID: a.ChannelID, From: -1, To: -1}
	if in.Common == nil {
		return c, true, nil
	}
	text, ok := in.Common.Frontend.Lookup(sourceTargetPairs)
	if !ok {
		return c, true, nil
	}
	var ids Pairs
	if err := ids.ParseText(text); err != nil {
		return c, false, fmt.Errorf("%s: %w", sourceTargetPairs, err)
	}
	mode, _ := groupMode(in.Op, a.ChannelID, false)
	pairs, err := e.device.grid.Pairs(mode, ids)
	if err != nil {
		return c, false, fmt.Errorf("%s: %w", sourceTargetPairs, err)
	}
	for _, p := range pairs {
		if p[side] == e.device.id {
			c.From, c.To = p[0], p[1]
			return c, true, nil
		}
	}
	return c, false, nil
}
