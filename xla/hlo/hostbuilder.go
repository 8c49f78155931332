package hlo

import "github.com/halo-xla/halo/xla/shape"

// ChannelType says between whom a channel is. The numbers are XLA's.
type ChannelType uint8

// The channel types. The zero value leaves it to the method.
const (
	AnyChannel ChannelType = iota
	DeviceToDevice
	DeviceToHost
	HostToDevice
)

var channelTypes = [...]string{"any", "device to device", "device to host", "host to device"}

// ChannelHandle names a channel: one send and one receive have it.
type ChannelHandle struct {
	Handle int64
	Type   ChannelType
}

// is fails the builder unless h is of type t.
func (b *Builder) is(op Opcode, h ChannelHandle, t ChannelType) bool {
	if h.Type != AnyChannel && h.Type != t {
		name := "unknown"
		if int(h.Type) < len(channelTypes) {
			name = channelTypes[h.Type]
		}
		b.fail(op, "channel %d is %s, want %s", h.Handle, name, channelTypes[t])
		return false
	}
	return true
}

// CreateToken makes a token.
//
//	result token[]
//
// It never fails. Law: row 83.
func (b *Builder) CreateToken() *Instruction { return b.add(AfterAll, nil, shape.Shape{}) }

// AfterAll joins tokens in one. For none there is CreateToken.
//
//	tokens token[]...   result token[]
//
// It fails if there are no tokens or an operand is none. Law: row 83.
func (b *Builder) AfterAll(tokens ...*Instruction) *Instruction {
	if len(tokens) == 0 {
		return b.fail(AfterAll, "there are no tokens, want at least 1")
	}
	return b.add(AfterAll, nil, shape.Shape{}, tokens...)
}

// AddDependency is operand, made after token.
//
//	operand T   token token[]   result T
//
// It fails if token is none. Law: HLO add-dependency.
func (b *Builder) AddDependency(operand, token *Instruction) *Instruction {
	return b.add(AddDependency, nil, shape.Shape{}, operand, token)
}

// chain returns the token after the last transfer that was built without one.
func (b *Builder) chain() *Instruction {
	if b.token == nil {
		b.token = b.CreateToken()
	}
	return b.token
}

// hasLayout reports whether every array in s of rank 1 or more has a layout.
func hasLayout(s shape.Shape) bool {
	for _, e := range s.Elems {
		if !hasLayout(e) {
			return false
		}
	}
	return s.Rank() == 0 || s.Layout != nil
}

// Infeed reads one value from the device's infeed; transfers without tokens happen in the order in which they are
// built.
//
//	result s
//
// It fails if an array in s has no layout or s is a nested tuple. Law: row 85.
func (b *Builder) Infeed(s shape.Shape, config string) *Instruction {
	in := b.InfeedWithToken(b.chain(), s, config)
	b.token = b.GetTupleElement(in, 1)
	return b.GetTupleElement(in, 0)
}

// InfeedWithToken is Infeed after token.
//
//	token token[]   result (s, token[])
//
// It fails as Infeed does. Law: row 85.
func (b *Builder) InfeedWithToken(token *Instruction, s shape.Shape, config string) *Instruction {
	if !hasLayout(s) {
		return b.fail(Infeed, "the shape %v has no layout", s)
	}
	return b.add(Infeed, &InfeedAttrs{Config: config}, shape.TupleOf(s, shape.TokenShape()), token)
}

// Outfeed writes operand to the device's outfeed with the layouts of withLayout; transfers without tokens happen in
// the order in which they are built.
//
//	operand T   result token[]
//
// It fails if withLayout is another shape than operand's. Law: HLO outfeed.
func (b *Builder) Outfeed(operand *Instruction, withLayout shape.Shape, config string) *Instruction {
	b.token = b.OutfeedWithToken(operand, b.chain(), withLayout, config)
	return b.token
}

// OutfeedWithToken is Outfeed after token.
//
//	operand T   token token[]   result token[]
//
// It fails as Outfeed does. Law: HLO outfeed.
func (b *Builder) OutfeedWithToken(operand, token *Instruction, withLayout shape.Shape, config string) *Instruction {
	a := &OutfeedAttrs{Shape: OptionalShape{Shape: &withLayout}, Config: config}
	return b.add(Outfeed, a, shape.Shape{}, operand, token)
}

// Send sends operand on a channel between devices, in the order in which transfers without tokens are built.
//
//	operand T   result token[]
//
// It fails if the channel is of another type. Law: rows 86 and 87.
func (b *Builder) Send(operand *Instruction, channel ChannelHandle) *Instruction {
	b.token = b.SendWithToken(operand, b.chain(), channel)
	return b.token
}

// SendWithToken is Send after token, by send and send-done.
//
//	operand T   token token[]   result token[]
//
// It fails as Send does, or if token is none. Law: rows 86 and 87.
func (b *Builder) SendWithToken(operand, token *Instruction, channel ChannelHandle) *Instruction {
	if !b.is(Send, channel, DeviceToDevice) {
		return b.CreateToken()
	}
	return b.send(operand, token, ChannelAttrs{ChannelID: channel.Handle})
}

// SendToHost sends operand to the host after token, in the layouts of withLayout.
//
//	operand T   token token[]   result token[]
//
// It fails if withLayout is another shape than operand's, the channel is of another type or token is none. Law: rows
// 86 and 87.
func (b *Builder) SendToHost(operand, token *Instruction, withLayout shape.Shape, channel ChannelHandle) *Instruction {
	b.present(Send, &operand)
	if !b.is(Send, channel, DeviceToHost) {
		return b.CreateToken()
	}
	if !agrees(operand.Shape, withLayout) {
		b.fail(Send, "the shape with layout is %v, want %v as the operand", withLayout, operand.Shape)
		return b.CreateToken()
	}
	return b.send(operand, token, ChannelAttrs{ChannelID: channel.Handle, IsHostTransfer: true})
}

func (b *Builder) send(operand, token *Instruction, a ChannelAttrs) *Instruction {
	return b.CreateSendDone(b.CreateSend(operand, token, a.ChannelID, a.IsHostTransfer))
}

// CreateSend starts to send operand after token, as the instruction of HLO does; other work may be built before its
// CreateSendDone.
//
//	operand T   token token[]   result (T, u32[], token[])
//
// It fails if token is none or operand is a token. Law: row 86.
func (b *Builder) CreateSend(operand, token *Instruction, channelID int64, isHostTransfer bool) *Instruction {
	return b.add(Send, &ChannelAttrs{channelID, isHostTransfer}, shape.Shape{}, operand, token)
}

// CreateSendDone waits until what CreateSend started is done.
//
//	context (T, u32[], token[])   result token[]
//
// It fails unless context is what CreateSend returned. Law: row 87.
func (b *Builder) CreateSendDone(context *Instruction) *Instruction {
	b.present(SendDone, &context)
	return b.add(SendDone, channelOf(context), shape.Shape{}, context)
}

// channelOf is a copy of the channel attributes of a send or recv, so that the done has the same.
func channelOf(context *Instruction) *ChannelAttrs {
	if a, ok := context.Attrs.(*ChannelAttrs); ok {
		done := *a
		return &done
	}
	return &ChannelAttrs{}
}

// Recv receives a value on a channel between devices, in the order in which transfers without tokens are built.
//
//	result s
//
// It fails if the channel is of another type. Law: rows 88 and 89.
func (b *Builder) Recv(s shape.Shape, channel ChannelHandle) *Instruction {
	in := b.RecvWithToken(b.chain(), s, channel)
	b.token = b.GetTupleElement(in, 1)
	return b.GetTupleElement(in, 0)
}

// RecvWithToken is Recv after token, by recv and recv-done.
//
//	token token[]   result (s, token[])
//
// It fails as Recv does, or if token is none. Law: rows 88 and 89.
func (b *Builder) RecvWithToken(token *Instruction, s shape.Shape, channel ChannelHandle) *Instruction {
	if !b.is(Recv, channel, DeviceToDevice) {
		return b.CreateToken()
	}
	return b.recv(token, s, ChannelAttrs{ChannelID: channel.Handle})
}

// RecvFromHost receives a value from the host after token.
//
//	token token[]   result (s, token[])
//
// It fails if the channel is of another type or token is none. Law: rows 88 and 89.
func (b *Builder) RecvFromHost(token *Instruction, s shape.Shape, channel ChannelHandle) *Instruction {
	if !b.is(Recv, channel, HostToDevice) {
		return b.CreateToken()
	}
	return b.recv(token, s, ChannelAttrs{ChannelID: channel.Handle, IsHostTransfer: true})
}

func (b *Builder) recv(token *Instruction, s shape.Shape, a ChannelAttrs) *Instruction {
	return b.CreateRecvDone(b.CreateRecv(s, token, a.ChannelID, a.IsHostTransfer))
}

// CreateRecv starts to receive a value of shape s after token, as the instruction of HLO does; other work may be built
// before its CreateRecvDone.
//
//	token token[]   result (s, u32[], token[])
//
// It fails if token is none. Law: row 88.
func (b *Builder) CreateRecv(s shape.Shape, token *Instruction, channelID int64, isHostTransfer bool) *Instruction {
	request := shape.TupleOf(s, shape.Array(shape.U32), shape.TokenShape())
	return b.add(Recv, &ChannelAttrs{channelID, isHostTransfer}, request, token)
}

// CreateRecvDone waits for what CreateRecv started.
//
//	context (s, u32[], token[])   result (s, token[])
//
// It fails unless context is what CreateRecv returned. Law: row 89.
func (b *Builder) CreateRecvDone(context *Instruction) *Instruction {
	b.present(RecvDone, &context)
	return b.add(RecvDone, channelOf(context), shape.Shape{}, context)
}
