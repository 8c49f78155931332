package collective

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// Channel is a way from a device to a device. From and To are -1 where the program does not say which.
type Channel struct {
	ID       int64
	From, To int
}

// MaxUnread is how many values a channel holds before its sender waits.
const MaxUnread = 64

// box holds what was sent and not yet received, and who waits.
type box struct {
	values    []any
	op        string // the last send, for messages
	receivers []*wait
	senders   []*wait
}

func (h *Hub) box(c Channel) *box {
	b := h.boxes[c]
	if b == nil {
		b = &box{}
		h.boxes[c] = b
	}
	return b
}

// Send puts value into the channel; op names the send in messages. It waits only while the channel holds MaxUnread
// values, or, between processes, while the transport has too much on its way. It fails as Meet does.
//
// A value for a device of another process goes there as its MarshalBinary says.
func (h *Hub) Send(ctx context.Context, self int, c Channel, op string, value any) error {
	h.mu.Lock()
	if h.err != nil {
		defer h.mu.Unlock()
		return h.err
	}
	if to, err := h.other(self, c.To); err != nil || to >= 0 && !h.here(to) {
		h.mu.Unlock()
		if err != nil {
			return err
		}
		return h.sendAway(ctx, self, to, c, op, value)
	}
	b := h.box(c)
	if len(b.receivers) > 0 {
		h.release(b.receivers[0], value, nil)
		b.receivers = b.receivers[1:]
		h.mu.Unlock()
		return nil
	}
	b.values, b.op = append(b.values, value), op
	if len(b.values) <= MaxUnread {
		h.mu.Unlock()
		return nil
	}
	w := h.waitForOne(self, c.To, op, c.ID)
	b.senders = append(b.senders, w)
	h.block(w)
	h.mu.Unlock()
	_, err := h.await(ctx, w)
	return err
}

// Recv takes the next value out of the channel and waits for it; op names the receive in messages. It fails as Meet
// does. What comes from another process is a Message.
func (h *Hub) Recv(ctx context.Context, self int, c Channel, op string) (any, error) {
	h.mu.Lock()
	if h.err != nil {
		defer h.mu.Unlock()
		return nil, h.err
	}
	if from, err := h.other(self, c.From); err != nil || from >= 0 && !h.here(from) {
		h.mu.Unlock()
		if err != nil {
			return nil, err
		}
		return h.recvAway(ctx, self, from, c, op)
	}
	b := h.box(c)
	if len(b.values) > 0 {
		defer h.mu.Unlock()
		v := b.values[0]
		b.values = b.values[1:]
		if len(b.senders) > 0 {
			h.release(b.senders[0], nil, nil)
			b.senders = b.senders[1:]
		}
		return v, nil
	}
	w := h.waitForOne(self, c.From, op, c.ID)
	b.receivers = append(b.receivers, w)
	h.block(w)
	h.mu.Unlock()
	return h.await(ctx, w)
}

// waitForOne is the wait of a device for device peer, or for any other if peer is -1.
func (h *Hub) waitForOne(self, peer int, op string, channel int64) *wait {
	return h.wait(self, nil, func() string { return fmt.Sprintf("%s on channel %d", op, channel) }, peer)
}

// Unread fails if a channel holds values that nobody received; it is for the end of an execution.
func (h *Hub) Unread() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	var left []string
	for c, b := range h.boxes {
		if len(b.values) > 0 {
			left = append(left, fmt.Sprintf("%s on channel %d", b.op, c.ID))
		}
	}
	if left == nil {
		return nil
	}
	slices.Sort(left)
	return fmt.Errorf("nobody received what was sent: %s", strings.Join(left, ", "))
}
