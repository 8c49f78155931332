package code

import (
	"bytes"
	"errors"
	"fmt"
	"testing"
	"unsafe"

	"github.com/halo-xla/halo/internal/testfile"
)

// A function of two arrays, at pointers 0 and 1, whose sums it leaves at pointer 2.
func ExampleFunction() {
	f := New(4, Vector)
	f.Store(2, Lanes4, f.Do(&Add, 0, f.Load(0, Lanes4), f.Load(1, Lanes4)))
	a, ok := f.Assemble(false)
	text := a.Plain
	fmt.Println(len(text), ok)
	// Output: 56 true
}

// A function of two integers that returns the lesser.
func ExampleText() {
	t := &Text{}
	first := t.Label()
	t.Do(Mov, true, RAX, In(RDI))
	t.Do(Against, true, RDI, In(RSI))
	t.JumpIf(LessOrEqual, first)
	t.Do(Mov, true, RAX, In(RSI))
	t.Here(first)
	t.Return()
	fmt.Printf("%x\n", t.Bytes())
	// Output: 488bc7483bfe0f8e03000000488bc6c3
}

// sums is a function of so many arrays, all of whose values live to the end.
func sums(n int) *Function {
	f := New(4, Vector)
	var values []Value
	for k := range n {
		values = append(values, f.Do(&Root, 0, f.Load(k%10, Lanes4)))
		values = append(values, f.Do(&Add, 0, values[len(values)-1], f.Constant(uint64(k))))
	}
	total := values[0]
	for _, v := range values[1:] {
		total = f.Do(&Add, 0, total, v)
	}
	f.Store(10, Lanes4, total)
	return f
}

// TestRegisters wants code as long as registers suffice, and none beyond.
func TestRegisters(t *testing.T) {
	for n, want := range map[int]bool{1: true, 7: true, 9: false, 40: false} {
		if _, ok := sums(n).Assemble(false); ok != want {
			t.Errorf("%d values: %v, want %v", 2*n, ok, want)
		}
	}
	f := New(4, Vector)
	x := f.Do(&Root, 0, f.Load(0, Lanes4))
	for k := range len(bases) {
		f.Store(k+1, Lanes4, x)
	}
	if _, ok := f.Assemble(false); ok {
		t.Errorf("%d pointers have %d registers", len(bases)+1, len(bases))
	}
}

// rotations is a function of n rounds on two values, that has so many others to the end.
func rotations(n, others int) *Function {
	f := New(4, Vector)
	x, y := f.Load(0, Lanes4), f.Load(1, Lanes4)
	var kept []Value
	for k := range others {
		kept = append(kept, f.Do(&Right, byte(k), x))
	}
	for range n {
		x = f.Do(&AddInt, 0, x, y)
		y = f.Do(&Xor, 0, f.Do(&Or, 0, f.Do(&Left, 13, y), f.Do(&Right, 19, y)), x)
	}
	for _, v := range kept {
		x = f.Do(&Xor, 0, x, v)
	}
	f.Store(2, Lanes4, f.Do(&Xor, 0, x, y))
	return f
}

// TestBeside wants four vectors side by side through many steps, two where they have too many values for that, and one
// through few.
func TestBeside(t *testing.T) {
	for _, c := range []struct{ rounds, others, unit int }{{20, 0, 32}, {20, 1, 32}, {20, 3, 16}, {2, 0, 8}} {
		a, ok := rotations(c.rounds, c.others).Assemble(false)
		if !ok || a.Unit != c.unit {
			t.Errorf("%d rounds and %d values: %d elements, want %d", c.rounds, c.others, a.Unit, c.unit)
		}
	}
}

// TestFrame wants code of whatever there are no registers for, and of calls, if those are of eight vectors.
func TestFrame(t *testing.T) {
	for _, n := range []int{9, 40} {
		if a, ok := sums(n).Assemble(true); !ok || a.Unit != 16 {
			t.Errorf("%d values: %v, for %d elements", 2*n, ok, a.Unit)
		}
	}
	for round, want := range map[int]bool{1: true, 2: false, 8: true} {
		f, function, values := New(4, Vector), 0, make([]Value, round)
		for k := range round {
			f.Begin(k)
			values[k] = f.Call(unsafe.Pointer(&function), f.Load(0, Lanes4))
		}
		for k, v := range values {
			f.Begin(k)
			f.Store(1, Lanes4, v)
		}
		if _, ok := f.Assemble(false); ok {
			t.Error("there is a call without a frame")
		}
		if a, ok := f.Assemble(true); ok != want || ok && a.Unit != 64 {
			t.Errorf("rounds of %d vectors: %v, for %d elements", round, ok, a.Unit)
		}
	}
}

// TestLate wants no code that reads what a result may lie over by then.
func TestLate(t *testing.T) {
	f := New(4, Vector)
	x, y := f.Load(0, Lanes4), f.Load(1, Lanes4)
	f.Store(2, Lanes4, f.Do(&Mul, 0, x, x))
	f.Store(3, Lanes4, y)
	if _, ok := f.Assemble(false); ok {
		t.Error("there is code that reads after it has stored")
	}
}

// TestLateInRound wants code that reads what is another vector's when it has stored one, and none that reads what is
// the same one's.
func TestLateInRound(t *testing.T) {
	f := New(4, Vector)
	for k := range 8 {
		f.Begin(k)
		x := f.Load(0, Lanes4)
		f.Store(1, Lanes4, f.Do(&Mul, 0, x, x))
	}
	if _, ok := f.Assemble(false); !ok {
		t.Error("no vector may follow one that was stored")
	}
	f.Begin(3)
	f.Store(2, Lanes4, f.Load(0, Lanes4))
	if _, ok := f.Assemble(false); ok {
		t.Error("there is code that reads after it has stored")
	}
}

// TestSame wants the same code of the same function, or each would need room of its own.
func TestSame(t *testing.T) {
	for n, framed := range map[int]bool{7: false, 40: true} {
		first, _ := sums(n).Assemble(framed)
		for range 20 {
			if again, _ := sums(n).Assemble(framed); !bytes.Equal(again.Past, first.Past) {
				t.Fatal("the code of one function differs")
			}
		}
	}
}

// TestPlace wants code to be where Place says, once, and no more of it than there is room for.
func TestPlace(t *testing.T) {
	text := bytes.Repeat([]byte{0xc3}, 5000)
	at := Place(text)
	if err := Memory(); (err == nil) != (at != nil) {
		t.Errorf("code is placed at %p, and memory for it: %v", at, err)
	}
	if at == nil {
		testfile.Library(t, "code", errors.New("the system gives no memory that is executed, or the machine is another"))
	}
	if got := unsafe.Slice((*byte)(at), len(text)); !bytes.Equal(got, text) {
		t.Error("other code lies there")
	}
	if again := Place(bytes.Clone(text)); again != at {
		t.Errorf("the same code lies at %p and %p", at, again)
	}
	if other := Place(text[1:]); other == at || uintptr(other)%alignment != 0 {
		t.Errorf("other code lies at %p", other)
	}
	if Place(make([]byte, Room)) != nil {
		t.Error("there is more code than room")
	}
}
