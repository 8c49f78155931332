package code

import (
	"encoding/binary"
	"math/bits"
)

// register is a vector's number, or that of a pointer.
type register uint8

// General registers.
const (
	rax register = iota
	rcx
	rdx
	rbx
	rsp
	rbp
	rsi
	rdi
	r8
	r9
	r10
	r11
	r12
	r13
	r14
	r15
)

// nowhere is the base of a place that is not in memory.
const nowhere register = 0xff

// place is an operand: a vector in a register, or in memory: at base, so many elements of a size further; or in the
// pool of constants.
type place struct {
	reg   register
	base  register // of memory; nowhere: no memory
	scale byte     // of the index; 0: none
	disp  int32    // bytes further
	pool  int      // 1 more than the number of a constant
}

func in(r register) place { return place{reg: r, base: nowhere} }

// assembler appends instructions.
type assembler struct {
	bytes []byte
	fixes []fix
	index register // rax or rbx
}

// fix is where the distance to a constant belongs.
type fix struct{ at, constant int }

func (a *assembler) emit(b ...byte) { a.bytes = append(a.bytes, b...) }

func high(r register) byte { return byte(r) >> 3 & 1 }

// vector appends a vector instruction: reg is the operand that is never in memory, first the one that comes first, 0 if
// there is none.
func (a *assembler) vector(e encoding, wide, whole bool, reg, first register, rm place) {
	b := high(rm.reg)
	if rm.base != nowhere {
		b = high(rm.base)
	}
	p := ^byte(first) & 15 << 3
	if wide {
		p |= 0x80
	}
	if whole {
		p |= 4
	}
	a.emit(0xc4, ^(high(reg)<<7|b<<5)&0xe0|e.table, p|e.prefix, e.number)
	a.operand(byte(reg)&7, rm)
}

// operand appends what says where an operand lies.
func (a *assembler) operand(reg byte, rm place) {
	switch {
	case rm.pool > 0:
		a.emit(reg<<3 | 5)
		a.fixes = append(a.fixes, fix{len(a.bytes), rm.pool - 1})
		a.emit(0, 0, 0, 0)
	case rm.base == nowhere:
		a.emit(0xc0 | reg<<3 | byte(rm.reg)&7)
	case rm.scale > 0:
		a.indexed(reg<<3, byte(bits.TrailingZeros8(rm.scale))<<6|byte(a.index)<<3|byte(rm.base)&7, rm.disp)
	default:
		a.indexed(reg<<3, 0x20|byte(rm.base)&7, rm.disp)
	}
}

// indexed appends what says so of memory with an index or none, by a byte if the distance is one.
func (a *assembler) indexed(reg, index byte, disp int32) {
	if disp == int32(int8(disp)) {
		a.emit(0x44|reg, index, byte(disp))
		return
	}
	a.emit(0x84|reg, index)
	a.bytes = binary.LittleEndian.AppendUint32(a.bytes, uint32(disp))
}

// pointer loads pointer k of those at rdi.
func (a *assembler) pointer(to register, k int) {
	a.emit(0x48|high(to)<<2, 0x8b, 0x87|byte(to)&7<<3)
	a.bytes = binary.LittleEndian.AppendUint32(a.bytes, uint32(8*k))
}

func (a *assembler) push(r register) { a.emit(0x40|high(r), 0x50|byte(r)&7) }
func (a *assembler) pop(r register)  { a.emit(0x40|high(r), 0x58|byte(r)&7) }

// repeat adds to the index and jumps back to start while that is below rsi, or what a frame has of that.
func (a *assembler) repeat(start int, elements byte) {
	a.emit(0x48, 0x83, 0xc0|byte(a.index), elements)
	if a.index == rax {
		a.emit(0x48, 0x39, 0xf0)
	} else {
		a.emit(0x48, 0x3b, 0x5c, 0x24, frameCount)
	}
	a.emit(0x0f, 0x82)
	a.bytes = binary.LittleEndian.AppendUint32(a.bytes, uint32(start-len(a.bytes)-4))
}

// pooled appends the constants and says where they are.
func (a *assembler) pooled(constants []uint64) []byte {
	for len(a.bytes)%8 > 0 {
		a.emit(0xcc)
	}
	begin := len(a.bytes)
	for _, f := range a.fixes {
		binary.LittleEndian.PutUint32(a.bytes[f.at:], uint32(begin+8*f.constant-f.at-4))
	}
	for _, c := range constants {
		a.bytes = binary.LittleEndian.AppendUint64(a.bytes, c)
	}
	return a.bytes
}
