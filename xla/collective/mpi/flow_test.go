package mpi

import (
	"strings"
	"testing"

	"github.com/halo-xla/halo/cgo/mpi"
)

// lone is a transport of rank 0 of 2 as it is while no MPI is asked.
func lone() *Transport {
	return &Transport{job: &mpi.Job{Rank: 0, Ranks: 2}, boxes: map[address][]arrival{}, gone: make([]bool, 2)}
}

func TestHeader(t *testing.T) {
	var b [headBytes]byte
	want := header{kind: faultKind, from: 1 << 31, tag: 1 << 63, length: 1<<64 - 1, rest: 7}
	if want.put(b[:]); headerOf(b[:]) != want {
		t.Errorf("got %+v, want %+v", headerOf(b[:]), want)
	}
}

// TestSender wants a message of a rank that there is not to be a fault, and not to be kept.
func TestSender(t *testing.T) {
	for _, from := range []uint32{2, 1<<32 - 1} {
		for _, kind := range []uint32{dataKind, faultKind, byeKind, brokenKind} {
			tr := lone()
			tr.open(header{kind: kind, from: from, tag: 1, length: 1}, []byte{1})
			if tr.fault == nil || !strings.Contains(tr.fault.Error(), "want 0 to 1") || len(tr.boxes) > 0 {
				t.Errorf("kind %d from %d: got the fault %v and %v", kind, from, tr.fault, tr.boxes)
			}
		}
	}
	tr := lone()
	tr.open(header{kind: 9, from: 1}, nil)
	if tr.fault == nil || !strings.Contains(tr.fault.Error(), "rank 1 sends a message of kind 9") {
		t.Errorf("kind 9: got the fault %v", tr.fault)
	}
	tr = lone()
	tr.open(header{kind: dataKind, from: 1, tag: 1, length: 1}, []byte{1})
	if tr.fault != nil || len(tr.boxes[address{1, 1}]) != 1 {
		t.Errorf("from rank 1: got the fault %v and %v", tr.fault, tr.boxes)
	}
}

// TestLength wants a message whose length cannot be to be refused by the number of its rank, before memory is made for
// it.
func TestLength(t *testing.T) {
	for _, c := range []struct {
		length uint64
		into   []byte
		sized  bool
		want   string
	}{
		{maxMessage + 1, nil, false, "rank 1 sends 68719476737 bytes, want at most 68719476736"},
		{1<<64 - 1, nil, false, "rank 1 sends 18446744073709551615 bytes, want at most"},
		{1<<64 - 1, make([]byte, 3), true, "rank 1 sends 18446744073709551615 bytes, want 3"},
		{4, make([]byte, 3), true, "rank 1 sends 4 bytes, want 3"},
		{0, make([]byte, 3), true, "rank 1 sends 0 bytes, want 3"},
		{inline + 1, make([]byte, inline+1), true, "rank 1 sends pieces with tag 0, want 1 to 32767"},
	} {
		tr := lone()
		tr.open(header{kind: dataKind, from: 1, tag: 9, length: c.length}, make([]byte, inline))
		r := &receipt{at: address{9, 1}, into: c.into, sized: c.sized}
		if ok, err := r.open(tr); ok || err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%d bytes: got %v, %v, want %q", c.length, ok, err, c.want)
		}
	}
}
