package run

import (
	"bytes"
	"encoding/binary"
	"testing"
	"unsafe"
)

// TestLay wants each record behind the one before: its function, its size, its arguments, and zeros up to a multiple of
// 16 bytes.
func TestLay(t *testing.T) {
	var fn int64
	var list []Record
	for _, n := range []int{0, 1, 16, 17} {
		list = append(list, Record{Fn: unsafe.Pointer(&fn), Args: bytes.Repeat([]byte{byte(n + 1)}, n)})
	}
	b := Lay([]byte("before it, sixteen")[:16], list)[16:]
	for i, want := range []int{16, 32, 32, 48} {
		size := int(binary.NativeEndian.Uint64(b[8:]))
		if at := binary.NativeEndian.Uint64(b); size != want || at != uint64(uintptr(unsafe.Pointer(&fn))) {
			t.Fatalf("record %d: %d bytes, want %d, and the function at %x", i, size, want, at)
		}
		n := len(list[i].Args)
		if got := b[HeadBytes:size]; !bytes.Equal(got[:n], list[i].Args) || bytes.Trim(got[n:], "\x00") != nil {
			t.Errorf("record %d: the arguments are %v", i, got)
		}
		b = b[size:]
	}
	if len(b) > 0 {
		t.Errorf("%d bytes too many", len(b))
	}
}

// TestTail wants pieces where Add says, at multiples of 16 bytes from the beginning of what they are the tail of.
func TestTail(t *testing.T) {
	var tail Tail
	const head = 24
	for i, want := range []int64{32, 48, 64} {
		piece := bytes.Repeat([]byte{byte(i + 1)}, 5)
		if at := tail.Add(head, piece); at != want || !bytes.Equal(tail[at-head:], piece) {
			t.Errorf("piece %d is at %d, want %d: %v", i, at, want, tail)
		}
	}
	if got := Append(nil, &[2]int32{1, Ref{}.Slot}); len(got) != 8 || !bytes.Equal(got, Bytes([]int32{1, 0})) {
		t.Errorf("got %v", got)
	}
	if len(Bytes([]int64(nil))) > 0 || Bit(true) != 1 || Bit(false) != 0 {
		t.Error("nothing takes bytes, or a truth is no bit")
	}
}
