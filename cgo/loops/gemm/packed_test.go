package gemm_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/halo-xla/halo/cgo/loops/gemm"
	"github.com/halo-xla/halo/cgo/loops/run"
	"github.com/halo-xla/halo/internal/testfile"
)

// element is a type in memory: its bytes, random whole numbers of it from least on, that are so many, and their bits.
type element struct {
	bytes, least, many int64
	bits               func(int64) uint64
}

var (
	f64 = element{8, -8, 17, func(v int64) uint64 { return math.Float64bits(float64(v)) }}
	f32 = element{4, -8, 17, func(v int64) uint64 { return uint64(math.Float32bits(float32(v))) }}
	f16 = element{2, -1, 3, func(v int64) uint64 { return float(v, 10, 15) }}
	bf  = element{2, -1, 3, func(v int64) uint64 { return float(v, 7, 127) }}
	s8  = element{1, -128, 256, func(v int64) uint64 { return uint64(v) }}
	u8  = element{1, 0, 256, func(v int64) uint64 { return uint64(v) }}
	s32 = element{4, 0, 1, func(v int64) uint64 { return uint64(v) }}

	// The numbers whose products are the largest: sums of two or four must not saturate.
	least8 = element{1, -128, 1, s8.bits}
	most8  = element{1, 255, 1, u8.bits}
)

// float is the bits of a whole number in a type of 16 bits, which must have them.
func float(v int64, mantissa, bias int) uint64 {
	if v == 0 {
		return 0
	}
	size := uint64(max(v, -v))
	log := bits.Len64(size) - 1
	return uint64(v)>>63<<15 | uint64(bias+log)<<mantissa | (size<<mantissa>>log)&(1<<mantissa-1)
}

// put writes the bits of v at place i of memory.
func (e *element) put(memory []byte, i, v int64) {
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], e.bits(v))
	copy(memory[i*e.bytes:], b[:e.bytes])
}

// random is n numbers, and what they are in memory.
func (e *element) random(r *rand.Rand, n int64) (values []int64, memory []byte) {
	memory = make([]byte, n*e.bytes)
	for i := range n {
		values = append(values, e.least+r.Int64N(e.many))
		e.put(memory, i, values[i])
	}
	return values, memory
}

func TestPacked(t *testing.T) {
	testfile.Native(t, run.Available())
	for _, c := range []struct {
		name     string
		kind     gemm.Kind
		rounding gemm.Rounding
		a, b, c  element
	}{
		{"f32", gemm.ProductF32, gemm.Sums, f32, f32, f32},
		{"f64", gemm.ProductF64, gemm.Sums, f64, f64, f64},
		{"f16", gemm.ProductF16, gemm.ToF16, f16, f16, f16},
		{"f16 to f32", gemm.ProductF16, gemm.Sums, f16, f16, f32},
		{"bf16", gemm.ProductBF16, gemm.ToBF16, bf, bf, bf},
		{"bf16 to f32", gemm.ProductBF16, gemm.Sums, bf, bf, f32},
		{"s8 s8", gemm.ProductS8S8, gemm.Sums, s8, s8, s32},
		{"s8 u8", gemm.ProductS8U8, gemm.Sums, s8, u8, s32},
		{"u8 s8", gemm.ProductU8S8, gemm.Sums, u8, s8, s32},
		{"u8 u8", gemm.ProductU8U8, gemm.Sums, u8, u8, s32},
		{"least s8 s8", gemm.ProductS8S8, gemm.Sums, least8, least8, s32},
		{"least s8 u8", gemm.ProductS8U8, gemm.Sums, least8, most8, s32},
		{"least u8 s8", gemm.ProductU8S8, gemm.Sums, most8, least8, s32},
		{"most u8 u8", gemm.ProductU8U8, gemm.Sums, most8, most8, s32},
	} {
		t.Run(c.name, func(t *testing.T) {
			if !slices.ContainsFunc(run.Levels(), c.kind.Knows) {
				testfile.Library(t, "packed", errors.New("no kernel of this machine's instruction sets"))
			}
			testPacked(t, gemm.Packed{Kind: c.kind, Rounding: c.rounding}, c.a, c.b, c.c)
		})
	}
}

// testPacked multiplies two pairs of matrices whose neighbours lie in any way, of sizes around those of panels, tasks and
// packed words. What lies between the rows of the result stays as it is.
func testPacked(t *testing.T, p gemm.Packed, ea, eb, ec element) {
	r := rand.New(rand.NewPCG(1, 3))
	for _, s := range [][3]int64{{1, 1, 1}, {12, 32, 16}, {13, 33, 17}, {6, 8, 4}, {97, 70, 530}, {50, 520, 41},
		{5, 3, 1100}, {21, 37, 4099}, {8, 16, 66}} {
		p.M, p.N, p.K = s[0], s[1], s[2]
		for form := range 5 {
			lay(&p, form)
			a, b := max(p.M*p.RowA, p.K*p.ColumnA)+p.K, max(p.K*p.RowB, p.N*p.ColumnB)+p.N
			x, xs := ea.random(r, 2*a)
			y, ys := eb.random(r, 2*b)
			p.Places = []gemm.Place{{}, {A: a * ea.bytes, B: b * eb.bytes, C: p.M * p.RowC * ec.bytes}}
			before := bytes.Repeat([]byte{0x5a}, int(2*p.M*p.RowC*ec.bytes))
			want := bytes.Clone(before)
			multiply(want, &ec, x, y, &p)
			multiply(want[p.Places[1].C:], &ec, x[a:], y[b:], &p)
			for _, isa := range run.Levels() {
				if !p.Kind.Knows(isa) {
					continue
				}
				for _, threads := range []int{1, 2} { // one alone divides its work otherwise
					got := bytes.Clone(before)
					execute(t, p.Record(isa), threads, xs, ys, got, make([]byte, p.Bytes(isa)+64))
					if !bytes.Equal(got, want) { // sums of such integers are exact
						t.Fatalf("%v form %d %v %d threads: got % x, want % x", s, form, isa, threads, head(got), head(want))
					}
				}
			}
		}
	}
}

// head is the first bytes of memory.
func head(memory []byte) []byte { return memory[:min(len(memory), 64)] }

// lay lays the operands out in one of five forms: rows or columns dense, or neither.
func lay(p *gemm.Packed, form int) {
	p.A, p.B, p.C, p.Scratch = run.Ref{Slot: 0}, run.Ref{Slot: 1}, run.Ref{Slot: 2}, run.Ref{Slot: 3}
	p.RowA, p.ColumnA, p.RowB, p.ColumnB, p.RowC = p.K+1, 1, p.N, 1, p.N+2
	if form&1 != 0 {
		p.RowA, p.ColumnA = 1, p.M+3
	}
	if form&2 != 0 {
		p.RowB, p.ColumnB = 1, p.K
	}
	if form == 4 {
		p.RowA, p.ColumnA, p.RowB, p.ColumnB = 2, 2*p.M, 3*p.N, 3
	}
}

// multiply is a plain product.
func multiply(to []byte, e *element, a, b []int64, p *gemm.Packed) {
	for i := range p.M {
		for j := range p.N {
			var sum int64
			for q := range p.K {
				sum += a[i*p.RowA+q*p.ColumnA] * b[q*p.RowB+j*p.ColumnB]
			}
			e.put(to, i*p.RowC+j, sum)
		}
	}
}

// TestPackedThreads wants the same bits from any number of threads.
func TestPackedThreads(t *testing.T) {
	testfile.Native(t, run.Available())
	r := rand.New(rand.NewPCG(1, 4))
	p := gemm.Packed{Kind: gemm.ProductF32, M: 131, N: 1033, K: 1100, Places: []gemm.Place{{}}}
	lay(&p, 0)
	a, b := fractions(r, p.M*p.RowA), fractions(r, p.K*p.RowB)
	for _, isa := range run.Levels() {
		var want []byte
		for _, threads := range []int{1, 2, 3, 7} {
			got := make([]byte, 4*p.M*p.RowC)
			execute(t, p.Record(isa), threads, a, b, got, make([]byte, p.Bytes(isa)+64))
			if want == nil {
				want = got
			}
			if !bytes.Equal(got, want) {
				t.Errorf("%v, %d threads: other bits than from one", isa, threads)
			}
		}
	}
}

// fractions is n random f32 in memory whose sums depend on the order.
func fractions(r *rand.Rand, n int64) []byte {
	var memory []byte
	for range n {
		memory = binary.LittleEndian.AppendUint32(memory, math.Float32bits(r.Float32()-0.5))
	}
	return memory
}
