package collective

import (
	"context"
	"encoding"
	"errors"
	"fmt"
)

// errNoPeer is why a message without a named peer cannot go to another rank.
var errNoPeer = fmt.Errorf("%w: the program does not say which device is at the other end of the channel, and there "+
	"are several processes: give send and recv the frontend attribute "+
	`_xla_send_recv_source_target_pairs="{{0,1},{1,2}}", with a pair for each message, or run it in one process`,
	errors.ErrUnsupported)

// other returns peer, or if that is -1 the only other device there is. It fails if the peer may be in another process
// and there are several.
func (h *Hub) other(self, peer int) (int, error) {
	switch {
	case peer >= 0 || h.span == nil:
		return peer, nil
	case len(h.waits) == 2:
		return 1 - self, nil
	case !h.spread(allDevices(len(h.waits))):
		return peer, nil
	}
	return 0, errNoPeer
}

func allDevices(n int) []int {
	list := make([]int, n)
	for d := range list {
		list[d] = d
	}
	return list
}

// direction is a channel whose other end is on another rank, and which end is here.
type direction struct {
	Channel
	sends bool
}

// line is what has gone over a direction. Of the messages that a device receives it answers every answerEvery-th, so
// that whoever sends can wait while MaxUnread are unread.
type line struct {
	rank     int    // of the other end
	messages uint64 // sent or received
	answers  uint64 // that the sender has taken
}

const answerEvery = MaxUnread / 2

// line returns that of a channel, whose device here has it for itself.
func (s *span) line(c Channel, sends bool, rank int) *line {
	s.mu.Lock()
	defer s.mu.Unlock()
	l := s.lines[direction{c, sends}]
	if l == nil {
		l = &line{rank: rank}
		s.lines[direction{c, sends}] = l
	}
	return l
}

// messages counts those that were sent to a rank, or received from it, when all devices have ended.
func (s *span) messages(rank int, sends bool) uint64 {
	var n uint64
	for d, l := range s.lines {
		if d.sends == sends && l.rank == rank {
			n += l.messages
		}
	}
	return n
}

func (s *span) channel(c Channel) uint64 {
	return s.tag(fmt.Sprintf("channel %d %d %d", c.ID, c.From, c.To))
}

// answer takes an answer of the receiver.
func (s *span) answer(ctx context.Context, c Channel, l *line) error {
	l.answers++
	_, err := s.job.transport.Recv(ctx, s.answers(c), l.rank)
	return err
}

func (s *span) answers(c Channel) uint64 {
	return s.tag(fmt.Sprintf("answers to channel %d %d %d", c.ID, c.From, c.To))
}

// clear takes the answers that no sender has waited for, when all messages have been received.
func (s *span) clear(ctx context.Context) error {
	for d, l := range s.lines {
		for d.sends && l.answers < l.messages/answerEvery {
			if err := s.answer(ctx, d.Channel, l); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s *span) send(ctx context.Context, c Channel, rank int, data []byte) error {
	l := s.line(c, true, rank)
	if l.messages-l.answers*answerEvery >= MaxUnread {
		if err := s.answer(ctx, c, l); err != nil {
			return err
		}
	}
	l.messages++
	return s.job.transport.Send(ctx, s.channel(c), rank, data)
}

func (s *span) receive(ctx context.Context, c Channel, rank int) ([]byte, error) {
	l := s.line(c, false, rank)
	data, err := s.job.transport.Recv(ctx, s.channel(c), rank)
	if l.messages++; err == nil && l.messages%answerEvery == 0 {
		err = s.job.transport.Send(ctx, s.answers(c), rank, nil)
	}
	return data, err
}

// sendAway sends a value to a device on another rank.
func (h *Hub) sendAway(ctx context.Context, self, to int, c Channel, op string, value any) error {
	var data []byte
	v, ok := value.(encoding.BinaryMarshaler)
	err := fmt.Errorf("%s: %w: its value cannot go to another rank", op, errors.ErrUnsupported)
	if ok {
		data, err = v.MarshalBinary()
	}
	if err == nil {
		until, done := h.until(ctx)
		defer done(nil)
		err = h.away(func() error { return h.span.send(until, c, h.span.owners[to], data) })
	}
	return h.blameMail(err, self, to, c, op)
}

// Message is what Recv returns of a value that came from another rank: what its MarshalBinary made.
type Message []byte

// recvAway receives from a device on another rank.
func (h *Hub) recvAway(ctx context.Context, self, from int, c Channel, op string) (any, error) {
	until, done := h.until(ctx)
	defer done(nil)
	var data []byte
	err := h.away(func() (err error) {
		data, err = h.span.receive(until, c, h.span.owners[from])
		return err
	})
	return Message(data), h.blameMail(err, self, from, c, op)
}

// blameMail makes err, of a message between self and a device on another rank, the fault of the execution.
func (h *Hub) blameMail(err error, self, peer int, c Channel, op string) error {
	if err == nil {
		return nil
	}
	err = h.blame(err, fmt.Sprintf("%s on channel %d", op, c.ID), []int{self, peer}, func(d int) bool { return d == self })
	h.Fail(err)
	return h.Err()
}
