package code

import (
	"bytes"
	"fmt"
	"testing"
	"unsafe"
)

// TestWideLane wants the bytes that the GNU assembler 2.40 makes of the same instructions, with distances of four bytes.
func TestWideLane(t *testing.T) {
	four, eight := New(4, Wide), New(8, Wide)
	indexed := func(base, index Register, scale uint8, disp int32) Operand {
		return Operand{Register: base, Memory: true, Scale: scale, Index: index, Disp: disp}
	}
	for _, c := range []struct {
		text            string
		lane            encoding
		bytes           int
		mask, to, first Register
		p               Operand
		number          int
		want            string
	}{
		{"vaddps 0x40(%rcx,%rax,4),%zmm17,%zmm30", four.of(&Add), 64, 0, 30, 17, indexed(RCX, RAX, 4, 0x40), -1,
			"6261744058b48140000000"},
		{"vcmpps $1,%zmm20,%zmm9,%k3", four.of(&Compare), 64, 0, 3, 9, In(20), 1, "62b13448c2dc01"},
		{"vpcmpud $2,%zmm20,%zmm9,%k3", four.of(&ComparePlain), 64, 0, 3, 9, In(20), IntAtMost, "62b335481edc02"},
		{"vpcmpq $4,%zmm1,%zmm16,%k1", eight.of(&CompareSigned), 64, 0, 1, 16, In(1), IntUnequal, "62f3fd401fc904"},
		{"vblendmps %zmm31,%zmm16,%zmm2{%k5}", four.of(&Choose), 64, 5, 2, 16, In(31), -1, "62927d4565d7"},
		{"vblendmpd %zmm3,%zmm1,%zmm28{%k1}", eight.of(&Choose), 64, 1, 28, 1, In(3), -1, "6262f54965e3"},
		{"vpmovm2d %k1,%zmm25", four.encoding(laneMasks), 64, 0, 25, 0, In(1), -1, "62627e4838c9"},
		{"vpmovq2m %zmm25,%k1", eight.encoding(masksLanes), 64, 0, 1, 0, In(25), -1, "6292fe4839c9"},
		{"vpsrld $7,%zmm18,%zmm19", four.of(&Right), 64, 0, 2, 19, In(18), 7, "62b1654072d207"},
		{"vprolq $3,%zmm1,%zmm31", eight.of(&Rotate), 64, 0, 1, 31, In(1), 3, "62f1854072c903"},
		{"vpsraq $5,%zmm18,%zmm19", eight.of(&RightSign), 64, 0, 4, 19, In(18), 5, "62b1e54072e205"},
		{"vpabsq %zmm1,%zmm2", eight.of(&AbsInt), 64, 0, 2, 0, In(1), -1, "62f2fd481fd1"},
		{"vpmullq %zmm1,%zmm2,%zmm3", eight.of(&MulInt), 64, 0, 3, 2, In(1), -1, "62f2ed4840d9"},
		{"vpmovdw %zmm22,%ymm23", four.of(&CutWords), 64, 0, 22, 0, In(23), -1, "62a27e4833f7"},
		{"vpmovdb %zmm8,%xmm9", four.of(&CutBytes), 64, 0, 8, 0, In(9), -1, "62527e4831c1"},
		{"vmovups %ymm23,0x20(%r13,%r14,2)", Leave.four, 32, 0, 23, 0, indexed(R13, R14, 2, 0x20), -1,
			"62817c2811bc7520000000"},
		{"vmovntps %zmm1,0x80(%r12)", past, 64, 0, 1, 0, At(R12, 0x80), -1, "62d17c482b8c2480000000"},
		{"vbroadcastss 4(%r11),%zmm24", four.of(&Spread), 64, 0, 24, 0, At(R11, 4), -1, "62427d48188304000000"},
		{"vbroadcastsd 8(%r15),%zmm0", eight.of(&Spread), 64, 0, 0, 0, At(R15, 8), -1, "62d2fd48198708000000"},
		{"vfmadd231pd %zmm11,%zmm26,%zmm13", eight.of(&MulAdd), 64, 0, 13, 26, In(11), -1, "6252ad40b8eb"},
		{"vpmuludq %zmm5,%zmm6,%zmm7", four.of(&MulPlain), 64, 0, 7, 6, In(5), -1, "62f1cd48f4fd"},
		{"vpmovzxbd 0x10(%rbp,%rax,1),%zmm21", encoding{Lane: Plain.load}, 64, 0, 21, 0, indexed(RBP, RAX, 1, 0x10), -1,
			"62e27d4831ac0510000000"},
	} {
		text := &Text{}
		text.wideLane(c.lane.Lane, c.bytes, c.mask, c.to, c.first, c.p)
		if c.number >= 0 {
			text.emit(byte(c.number))
		}
		if got := fmt.Sprintf("%x", text.Bytes()); got != c.want {
			t.Errorf("%s: got %s, want %s", c.text, got, c.want)
		}
	}
}

// TestMasks wants comparisons that are only chosen by to stay masks, as far as there are registers for those, and others
// to become lanes.
func TestMasks(t *testing.T) {
	for _, c := range []struct{ comparisons, others, lanes int }{{1, 0, 0}, {6, 0, 0}, {7, 0, 1}, {6, 1, 1}, {8, 2, 2}} {
		f := New(4, Wide)
		x, y := f.Load(0, Lanes4), f.Load(1, Lanes4)
		var list []Value
		for range c.comparisons {
			list = append(list, f.Do(&Compare, LessThan, x, y))
		}
		for _, m := range list {
			x = f.Do(&Choose, 0, x, y, m)
		}
		for _, m := range list[:c.others] {
			x = f.Do(&And, 0, x, m)
		}
		f.Store(2, Lanes4, x)
		a, _ := f.Assemble(false)
		if n := bytes.Count(a.Plain, []byte{0x7e, 0x48, laneMasks.number}); n != c.lanes {
			t.Errorf("of %d comparisons, %d of them wanted as lanes, %d become such, want %d", c.comparisons, c.others, n,
				c.lanes)
		}
	}
}

// TestMasksAgain wants the register of a mask that nobody takes any more to be given to the next one.
func TestMasksAgain(t *testing.T) {
	f := New(4, Wide)
	x, y := f.Load(0, Lanes4), f.Load(1, Lanes4)
	for range 20 {
		x = f.Do(&Choose, 0, x, y, f.Do(&Compare, LessThan, x, y))
	}
	f.Store(2, Lanes4, x)
	a, ok := f.Assemble(false)
	if n := bytes.Count(a.Plain, []byte{0x7e, 0x48, laneMasks.number}); !ok || n > 0 {
		t.Errorf("%v: of 20 comparisons in turn %d become lanes", ok, n)
	}
}

// TestMasksOfCalls wants comparisons of a function that calls others to become lanes: those may change all masks.
func TestMasksOfCalls(t *testing.T) {
	f, function := New(4, Wide), 0
	x, y := f.Load(0, Lanes4), f.Load(1, Lanes4)
	mask := f.Do(&Compare, LessThan, x, y)
	f.Store(2, Lanes4, f.Do(&Choose, 0, x, f.Call(unsafe.Pointer(&function), y), mask))
	a, ok := f.Assemble(true)
	if n := bytes.Count(a.Plain, []byte{0x7e, 0x48, laneMasks.number}); !ok || n != eight {
		t.Errorf("%v: of %d comparisons %d become lanes", ok, eight, n)
	}
}
