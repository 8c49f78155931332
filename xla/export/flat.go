package export

import (
	"errors"
	"fmt"
	"runtime"

	flatbuffers "github.com/google/flatbuffers/go"
)

// The fields of the table of an exported function, by their place.
const (
	fieldVersion = iota
	fieldFunction
	fieldInTree
	fieldInAvals
	fieldOutTree
	fieldOutAvals
	fieldDevicesShort
	fieldInShardings
	fieldOutShardings
	fieldPlatforms
	fieldOrderedEffects
	fieldUnorderedEffects
	fieldChecks
	fieldModule
	fieldConvention
	fieldKept
	fieldGlobalConstants
	fieldVJP
	fieldDevices
	fieldUniqueAvals
	fieldUniqueMeshes
	fieldUniqueShardings
	fieldInAvalNumbers
	fieldOutAvalNumbers
	fieldInShardingNumbers
	fieldOutShardingNumbers
	fieldJAXVersion
)

// table reads a flatbuffers table. Its methods panic with runtime errors where offsets lead out of the data, which
// guarded turns into errors. Absent fields read as zero.
type table struct {
	flatbuffers.Table
	*progress
}

// progress is how far the reading of a file has come.
type progress struct {
	left  int                  // bytes that what is read may yet take
	pos   flatbuffers.UOffsetT // of the table of which a field was read last
	field int
}

// maxExpansion is how many bytes may be made of one of the file. Offsets may lead to one place from many others, so
// that what they stand for could take the square of the file's size.
const maxExpansion = 32

// spend counts n bytes that are made of the file.
func (t table) spend(n int) {
	if t.left -= n; t.left < 0 {
		panic(damage(fmt.Sprintf("what it stands for takes more than %d bytes for each of its own", maxExpansion)))
	}
}

var errDamaged = errors.New("the data are damaged: an offset leads out of them")

// guarded calls f with the root table of data. Its errors say the table and the field that was read.
func guarded[T any](data []byte, f func(t table) T) (v T, err error) {
	if len(data) < 8 || uint64(len(data)) > 1<<31 {
		return v, fmt.Errorf("got %d bytes, want 8 to 2^31", len(data))
	}
	now := &progress{left: 1<<16 + maxExpansion*len(data), pos: flatbuffers.GetUOffsetT(data)}
	defer func() {
		switch p := recover().(type) {
		case nil:
		case runtime.Error:
			err = fmt.Errorf("table at byte %d, field %d: %w", now.pos, now.field, errDamaged)
		case damage:
			err = fmt.Errorf("table at byte %d, field %d: %w: %s", now.pos, now.field, errDamaged, string(p))
		default:
			panic(p)
		}
	}()
	return f(table{flatbuffers.Table{Bytes: data, Pos: now.pos}, now}), nil
}

// What a string and a table take besides what they hold.
const stringBytes, tableBytes = 16, 40

// damage is what the methods below panic with when numbers cannot be right.
type damage string

// at returns where field i lies, 0 if it is absent.
func (t table) at(i int) flatbuffers.UOffsetT {
	t.pos, t.field = t.Pos, i
	o := flatbuffers.UOffsetT(t.Offset(flatbuffers.VOffsetT(4 + 2*i)))
	if o == 0 {
		return 0
	}
	return o + t.Pos
}

func (t table) int8(i int) int8 {
	if o := t.at(i); o != 0 {
		return t.GetInt8(o)
	}
	return 0
}

func (t table) uint16(i int) uint16 {
	if o := t.at(i); o != 0 {
		return t.GetUint16(o)
	}
	return 0
}

func (t table) uint32(i int) uint32 {
	if o := t.at(i); o != 0 {
		return t.GetUint32(o)
	}
	return 0
}

// vector returns where the elements of field i begin and how many there are, each of size bytes.
func (t table) vector(i, size int) (start flatbuffers.UOffsetT, n int) {
	o := t.at(i)
	if o == 0 {
		return 0, 0
	}
	o -= t.Pos
	start, n = t.Vector(o), t.VectorLen(o)
	if n < 0 || uint64(start)+uint64(n)*uint64(size) > uint64(len(t.Bytes)) {
		panic(damage(fmt.Sprintf("%d elements at byte %d", n, start)))
	}
	return start, n
}

func (t table) bytes(i int) []byte {
	start, n := t.vector(i, 1)
	return t.Bytes[start : int(start)+n : int(start)+n]
}

func (t table) text(i int) string {
	b := t.bytes(i)
	t.spend(len(b))
	return string(b)
}

func (t table) uint16s(i int) []uint16 { return numbers(t, i, 2, t.GetUint16) }

func (t table) uint32s(i int) []uint32 { return numbers(t, i, 4, t.GetUint32) }

// numbers reads a vector of numbers of so many bytes.
func numbers[T uint16 | uint32](t table, i, bytes int, get func(flatbuffers.UOffsetT) T) []T {
	start, n := t.vector(i, bytes)
	t.spend(bytes * n)
	list := make([]T, n)
	for j := range list {
		list[j] = get(start + flatbuffers.UOffsetT(bytes*j))
	}
	return list
}

func (t table) texts(i int) []string {
	start, n := t.vector(i, 4)
	list := make([]string, n)
	for j := range list {
		b := t.ByteVector(start + flatbuffers.UOffsetT(4*j))
		t.spend(stringBytes + len(b))
		list[j] = string(b)
	}
	return list
}

func (t table) tables(i int) []table {
	start, n := t.vector(i, 4)
	t.spend(tableBytes * n)
	list := make([]table, n)
	for j := range list {
		list[j] = table{flatbuffers.Table{Bytes: t.Bytes, Pos: t.Indirect(start + flatbuffers.UOffsetT(4*j))}, t.progress}
	}
	return list
}

func (t table) table(i int) (table, bool) {
	o := t.at(i)
	if o == 0 {
		return table{}, false
	}
	return table{flatbuffers.Table{Bytes: t.Bytes, Pos: t.Indirect(o)}, t.progress}, true
}
