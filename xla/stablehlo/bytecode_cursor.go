package stablehlo

import (
	"encoding/binary"
	"fmt"
	"math/bits"
)

// cursor reads a part of a bytecode file, data[pos:end]. Its first fault is kept by the file; from then on the cursor
// is at its end and every read returns zero, so that loops over counts, none of which exceeds the bytes left, end soon.
type cursor struct {
	f        *bytecode
	pos, end int
}

func (c *cursor) left() int { return c.end - c.pos }

// fail records the first fault, at the cursor's place.
func (c *cursor) fail(format string, args ...any) {
	c.f.failAt(c.pos, format, args...)
	c.pos = c.end
}

func (c *cursor) byte() byte {
	if c.pos >= c.end {
		c.fail("got the end, want a byte")
		return 0
	}
	b := c.f.data[c.pos]
	c.pos++
	return b
}

// bytes returns the next n bytes, which stay part of the file.
func (c *cursor) bytes(n uint64) []byte {
	if n > uint64(c.left()) {
		c.fail("length %d goes beyond the %d bytes left", n, c.left())
		return nil
	}
	b := c.f.data[c.pos : c.pos+int(n) : c.pos+int(n)]
	c.pos += int(n)
	return b
}

// varint reads a number whose first byte says by its trailing zeros how many bytes follow.
func (c *cursor) varint() uint64 {
	if c.pos < c.end {
		if first := c.f.data[c.pos]; first&1 != 0 {
			c.pos++
			return uint64(first >> 1)
		}
	}
	if c.pos+8 <= c.end {
		if v := binary.LittleEndian.Uint64(c.f.data[c.pos:]); byte(v) != 0 {
			n := bits.TrailingZeros64(v) + 1 // bytes
			c.pos += n
			return v << (64 - 8*n) >> (64 - 7*n)
		}
	}
	return c.longVarint()
}

func (c *cursor) longVarint() uint64 {
	first := c.byte()
	if c.f.err != nil {
		return 0
	}
	more := bits.TrailingZeros8(first)
	var wide [8]byte
	copy(wide[:], c.bytes(uint64(more)))
	v := binary.LittleEndian.Uint64(wide[:])
	if more == 8 {
		return v
	}
	return (v<<8 | uint64(first)) >> (more + 1)
}

// signed reads a number in zigzag code: its lowest bit is the sign.
func (c *cursor) signed() int64 {
	v := c.varint()
	return int64(v>>1) ^ -int64(v&1)
}

// flagged reads a number that has a flag as its lowest bit.
func (c *cursor) flagged() (uint64, bool) {
	v := c.varint()
	return v >> 1, v&1 != 0
}

// count reads how many things of at least one byte each follow.
func (c *cursor) count(what string) int { return c.bounded(c.varint(), what) }

func (c *cursor) bounded(n uint64, what string) int {
	if n > uint64(c.left()) {
		c.fail("number of %s is %d, but only %d bytes are left", what, n, c.left())
		return 0
	}
	return int(n)
}

// blob reads bytes with their length before them.
func (c *cursor) blob() []byte { return c.bytes(c.varint()) }

// signedList reads a list of numbers.
func (c *cursor) signedList() []int64 {
	list := make([]int64, c.count("numbers"))
	for i := range list {
		list[i] = c.signed()
	}
	return list
}

// attr reads the number of an attribute.
func (c *cursor) attr() Attr { return c.f.attr(c, c.varint()) }

// optionalAttr reads the number of an attribute that may be missing; nil then.
func (c *cursor) optionalAttr() Attr {
	if n, there := c.flagged(); there {
		return c.f.attr(c, n)
	}
	return nil
}

// attrs reads a list of attributes.
func (c *cursor) attrs() ArrayAttr {
	list := make(ArrayAttr, c.count("attributes"))
	for i := range list {
		list[i] = c.attr()
	}
	return list
}

// typ reads the number of a type.
func (c *cursor) typ() Type { return c.f.typ(c, c.varint()) }

func (c *cursor) types() []Type {
	list := make([]Type, c.count("types"))
	for i := range list {
		list[i] = c.typ()
	}
	return list
}

// str reads the number of a string.
func (c *cursor) str() string { return c.f.str(c, c.varint()) }

// maxName is how many bytes the name of a dialect or of an op may have, and how many of a location's name a position
// has. It takes one byte to name a string, however long: what is kept for each op and location must be short.
const maxName = 256

// name returns a string that is the name of a dialect or of an op.
func (c *cursor) name(n uint64) string {
	s := c.f.str(c, n)
	if len(s) > maxName {
		c.fail("name of %d bytes, want at most %d", len(s), maxName)
		return ""
	}
	return s
}

// wide reads the bits of a number of a width that is known.
func (c *cursor) wide(width int) uint64 {
	switch {
	case width <= 8:
		return uint64(c.byte())
	case width <= 64:
		return uint64(c.signed())
	}
	c.fail("number of %d bits, want at most 64", width)
	return 0
}

// section reads the head of a section and returns its number and what it holds.
func (c *cursor) section() (id byte, body cursor) {
	head := c.byte()
	size := c.varint()
	if head&0x80 != 0 {
		c.align(c.varint())
	}
	start := c.pos
	c.bytes(size)
	return head & 0x7f, cursor{f: c.f, pos: start, end: c.pos}
}

// align skips the bytes that fill up to a multiple of n.
func (c *cursor) align(n uint64) {
	if n == 0 || n&(n-1) != 0 || n > 1<<31 {
		c.fail("alignment %d is no power of two", n)
		return
	}
	for c.f.err == nil && uint64(c.pos)&(n-1) != 0 {
		if b := c.byte(); b != padding {
			c.fail("byte %#x fills up to the alignment %d, want %#x", b, n, padding)
		}
	}
}

// padding is the byte that fills up to an alignment.
const padding = 0xCB

// nested reads a section that has to have a given number.
func (c *cursor) nested(want byte) cursor {
	id, body := c.section()
	if id != want {
		c.fail("section %d, want %d", id, want)
	}
	return body
}

// done wants nothing to be left of what the format says.
func (c *cursor) done(format string, args ...any) {
	if c.f.err == nil && c.pos != c.end {
		c.fail("%s: %d bytes are left over", fmt.Sprintf(format, args...), c.left())
	}
}
