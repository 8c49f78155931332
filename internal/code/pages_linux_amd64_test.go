package code

import "testing"

// TestRoomForShort wants long code to leave room for short code, and both to have some at first.
func TestRoomForShort(t *testing.T) {
	a := &arena{at: make([]byte, Room)}
	if !a.takes(1 << 15) {
		t.Error("there is no room for long code at first")
	}
	for a.takes(1 << 12) {
		a.used += 1 << 12
	}
	if !a.takes(500) {
		t.Error("long code has taken all room")
	}
}
