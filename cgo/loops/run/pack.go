package run

import "unsafe"

const (
	// HeadBytes is what halo_record takes before a record's arguments.
	HeadBytes = 16
	alignment = 16 // of records, in bytes
)

// Record is a prepared call: the address of a C function of record.h's type, and the bytes of its arguments.
type Record struct {
	Fn    unsafe.Pointer
	Args  []byte
	parts []*Segment // that the arguments point at
}

// Pack makes the record of fn with a copy of args, a struct laid out as C's without its head.
func Pack[T any](fn unsafe.Pointer, args *T) Record { return Record{Fn: fn, Args: Append(nil, args)} }

// Append adds a struct that is laid out as C's to the arguments of a record.
func Append[T any](args []byte, v *T) []byte { return append(args, Bytes(unsafe.Slice(v, 1))...) }

// Bytes is the memory of a list.
func Bytes[T any](list []T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(list))), uintptr(len(list))*unsafe.Sizeof(*new(T)))
}

// Bit is a truth as C's structs have it.
func Bit(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// Tail is what follows a record's arguments, each piece at a multiple of 16 bytes from the record's beginning.
type Tail []byte

// Add appends a piece and returns where it stands; at is where the tail begins.
func (t *Tail) Add(at int64, piece []byte) int64 {
	for (at+int64(len(*t)))%alignment != 0 {
		*t = append(*t, 0)
	}
	place := at + int64(len(*t))
	*t = append(*t, piece...)
	return place
}

// Lay appends records as they lie in C's memory, one behind the other, from a multiple of 16 bytes on.
func Lay(b []byte, list []Record) []byte {
	for _, r := range list {
		rest := -len(r.Args) & (alignment - 1)
		b = Append(b, &[2]int64{int64(uintptr(r.Fn)), int64(HeadBytes + len(r.Args) + rest)})
		b = append(b, r.Args...)
		b = append(b, make([]byte, rest)...)
	}
	return b
}
