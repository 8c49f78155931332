package stablehlo

import (
	"encoding/binary"
	"fmt"
	"math/bits"
)

// appendVarint appends a number as cursor.varint reads it.
func appendVarint(b []byte, v uint64) []byte {
	if v < 1<<7 {
		return append(b, byte(v<<1|1))
	}
	n := (bits.Len64(v) + 6) / 7
	if n > 8 {
		return binary.LittleEndian.AppendUint64(append(b, 0), v)
	}
	var wide [8]byte
	binary.LittleEndian.PutUint64(wide[:], (v<<1|1)<<(n-1))
	return append(b, wide[:n]...)
}

// appendSigned appends a number in zigzag code.
func appendSigned(b []byte, v int64) []byte { return appendVarint(b, uint64(v)<<1^uint64(v>>63)) }

// appendFlagged appends a number with a flag as its lowest bit.
func appendFlagged(b []byte, v uint64, flag bool) []byte {
	v <<= 1
	if flag {
		v |= 1
	}
	return appendVarint(b, v)
}

// appendSection appends a section.
func appendSection(b []byte, id byte, body []byte) []byte {
	return append(appendVarint(append(b, id), uint64(len(body))), body...)
}

// appendSignedList appends a list of numbers.
func appendSignedList(b []byte, list []int64) []byte {
	b = appendVarint(b, uint64(len(list)))
	for _, v := range list {
		b = appendSigned(b, v)
	}
	return b
}

// appendWide appends the bits of a number of a known width.
func appendWide(b []byte, width int, v uint64) []byte {
	if width <= 8 {
		return append(b, byte(v))
	}
	return appendSigned(b, int64(v))
}

// coded is an attribute or type as a file has it: head and then blob, which is borrowed.
type coded struct {
	dialect int
	text    bool // it is text, not in the dialect's code
	head    []byte
	blob    []byte
}

// codedTable numbers attributes or types, each once.
type codedTable struct {
	numbers map[string]uint64
	list    []coded
}

// number returns the number of what is coded as head in a dialect.
func (t *codedTable) number(dialect int, head []byte) uint64 {
	if t.numbers == nil {
		t.numbers = map[string]uint64{}
	}
	key := string(append(head[:len(head):len(head)], byte(dialect)))
	n, ok := t.numbers[key]
	if !ok {
		n = t.add(coded{dialect: dialect, head: head})
		t.numbers[key] = n
	}
	return n
}

func (t *codedTable) add(c coded) uint64 {
	t.list = append(t.list, c)
	return uint64(len(t.list) - 1)
}

// stringTable numbers strings.
type stringTable struct {
	numbers map[string]uint64
	list    []string
}

func (t *stringTable) number(s string) uint64 {
	if t.numbers == nil {
		t.numbers = map[string]uint64{}
	}
	n, ok := t.numbers[s]
	if !ok {
		n = uint64(len(t.list))
		t.numbers[s] = n
		t.list = append(t.list, s)
	}
	return n
}

// appendTo appends the section of strings.
func (t *stringTable) appendTo(b []byte) []byte {
	body := appendVarint(nil, uint64(len(t.list)))
	for i := len(t.list) - 1; i >= 0; i-- {
		body = appendVarint(body, uint64(len(t.list[i])+1))
	}
	for _, s := range t.list {
		body = append(append(body, s...), 0)
	}
	return appendSection(b, sectionStrings, body)
}

// runs calls f with each run of things of one dialect.
func runs(n int, dialect func(i int) int, f func(dialect, from, to int)) {
	for from := 0; from < n; {
		to := from + 1
		for to < n && dialect(to) == dialect(from) {
			to++
		}
		f(dialect(from), from, to)
		from = to
	}
}

// VHLOVersion is a version of VHLO, which says what programs a portable artifact can hold and who can read it.
type VHLOVersion struct{ Major, Minor, Patch int }

// The oldest and the newest version of VHLO that can be written.
var (
	OldestVHLO = VHLOVersion{0, 9, 0}
	NewestVHLO = VHLOVersion{1, 20, 0}
)

// ParseVHLOVersion reads "1.0.0". It fails for other texts and for versions that cannot be written.
func ParseVHLOVersion(text string) (VHLOVersion, error) {
	var v VHLOVersion
	if _, err := fmt.Sscanf(text, "%d.%d.%d", &v.Major, &v.Minor, &v.Patch); err != nil || v.String() != text {
		return v, fmt.Errorf("VHLO version: got %q, want three numbers such as 1.0.0", text)
	}
	if v.before(OldestVHLO) || NewestVHLO.before(v) {
		return v, fmt.Errorf("VHLO version: got %s, want %s to %s", v, OldestVHLO, NewestVHLO)
	}
	return v, nil
}

// String returns the version as "1.0.0".
func (v VHLOVersion) String() string { return fmt.Sprintf("%d.%d.%d", v.Major, v.Minor, v.Patch) }

func (v VHLOVersion) before(w VHLOVersion) bool {
	if v.Major != w.Major {
		return v.Major < w.Major
	}
	if v.Minor != w.Minor {
		return v.Minor < w.Minor
	}
	return v.Patch < w.Patch
}

// bytecode returns the version of bytecode that artifacts of this version of VHLO have.
func (v VHLOVersion) bytecode() uint64 {
	for _, step := range [...]struct {
		from VHLOVersion
		is   uint64
	}{{VHLOVersion{0, 15, 0}, 6}, {VHLOVersion{0, 14, 0}, 4}, {VHLOVersion{0, 12, 0}, 3}, {VHLOVersion{0, 10, 0}, 1}} {
		if !v.before(step.from) {
			return step.is
		}
	}
	return 0
}
