package scalar

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/halo-xla/halo/cgo/loops/run"
	"github.com/halo-xla/halo/internal/code"
	"github.com/halo-xla/halo/internal/testfile"
)

// needMachineCode skips a test where programs have none: by the level, or for want of memory.
func needMachineCode(t *testing.T) {
	testfile.Native(t, run.Available())
	testfile.Library(t, "code", code.Memory())
	if level := run.Level(); level != run.AVX2 && level != run.AVX512 {
		testfile.Library(t, "avx2", fmt.Errorf("programs at level %v have no machine code", level))
	}
}

// The registers of random code: five integers, fourteen floats of either width, more than the machine has, and what
// they begin with.
const (
	anInteger, integers = 0, 5
	aFloat, someFloats  = 5, 14
	aDouble, doubles    = 19, 4
	aConstant           = 23
)

// mixedCode returns random code on integers and floats, in a loop of three rounds, that stores all floats.
func mixedCode(r *rand.Rand) ([]Instr, []uint64) {
	image := make([]uint64, aConstant)
	for _, v := range []float64{1, -2.5, 0.75, 3, math.Copysign(0, -1)} {
		image = append(image, uint64(math.Float32bits(float32(v))))
	}
	counter, one, limit := uint16(len(image)), uint16(len(image)+1), uint16(len(image)+2)
	image = append(image, 0, 1, 3)
	whole := func() uint16 { return anInteger + uint16(r.IntN(integers)) }
	float := func() uint16 { return aFloat + uint16(r.IntN(someFloats)) }
	double := func() uint16 { return aDouble + uint16(r.IntN(doubles)) }
	var list []Instr
	for k := range uint16(integers) {
		list = append(list, Instr{Op: Move, D: anInteger + k, A: one})
	}
	for k := range uint16(someFloats) {
		list = append(list, Instr{Op: Move, D: aFloat + k, A: aConstant + uint16(r.IntN(5))})
	}
	for k := range uint16(doubles) {
		list = append(list, Instr{Op: FToD, D: aDouble + k, A: aFloat + k})
	}
	begin := len(list)
	for range 60 {
		switch r.IntN(12) {
		case 0:
			list = append(list, Instr{Op: []Op{LtF, LeF, EqF, NeF, FiniteF}[r.IntN(5)], D: whole(), A: float(), B: float()})
		case 1:
			list = append(list, Instr{Op: []Op{LtD, LeD, EqD, NeD}[r.IntN(4)], D: whole(), A: double(), B: double()})
		case 2:
			list = append(list, Instr{Op: []Op{And, Or, Xor}[r.IntN(3)], D: whole(), A: whole(), B: whole()})
		case 3:
			list = append(list, Instr{Op: Select, D: float(), A: whole(), B: float(), C: float()})
		case 4:
			list = append(list, Instr{Op: Select, D: double(), A: whole(), B: double(), C: double()})
		case 5:
			list = append(list, Instr{Op: FToD, D: double(), A: float()}, Instr{Op: DToF, D: float(), A: double()})
		case 6:
			list = append(list, Instr{Op: SToF, D: float(), A: whole()}, Instr{Op: Move, D: float(), A: float()})
		case 7:
			to := int32(len(list) + 2 + r.IntN(3))
			list = append(list, Instr{Op: []Op{JumpIf, JumpIfNo}[r.IntN(2)], A: whole(), Imm: to})
			for len(list) < int(to) {
				list = append(list, Instr{Op: AddF, D: float(), A: float(), B: float()})
			}
		case 8:
			op := []Op{AddD, SubD, MulD, MinD, MaxD, NegD, AbsD}[r.IntN(7)]
			list = append(list, Instr{Op: op, D: double(), A: double(), B: double()})
		default:
			op := []Op{AddF, SubF, MulF, DivF, MinF, MaxF, NegF, AbsF, SqrtF, FloorF}[r.IntN(10)]
			list = append(list, Instr{Op: op, D: float(), A: float(), B: float()})
		}
	}
	list = append(list, Instr{Op: AddS, D: counter, A: counter, B: one, Imm: 32},
		Instr{Op: AgainLtS, A: counter, B: limit, Imm: int32(begin)})
	for k := range uint16(someFloats) {
		list = append(list, Instr{Op: Store32, A: 1, B: aFloat + k, Imm: int32(4 * k)})
	}
	return append(list, Instr{Op: Next, A: 2}), image
}

// TestMixedCode holds machine code of integers and floats of both widths, more than the machine has registers for,
// against the machine in Go, bit by bit but for what NaN has.
func TestMixedCode(t *testing.T) {
	needMachineCode(t)
	for seed := range uint64(3000) {
		list, image := mixedCode(rand.New(rand.NewPCG(seed, 9)))
		p := &Program{Params: make([]Leaf, 1), Results: make([]Leaf, 1), code: list, image: image}
		want, got := make([]byte, 4*someFloats), make([]byte, 4*someFloats)
		if err := p.Machine(context.Background()).Apply(1, []Stream{{Data: make([]byte, 64)}, {Data: want}}); err != nil {
			t.Fatal(err)
		}
		packed := p.PackMachine()
		if packed == nil {
			t.Fatalf("seed %d: there is no machine code", seed)
		}
		runPacked(t, packed, make([]byte, 64), got)
		for k := range someFloats {
			a, b := uint64(little.Uint32(got[4*k:])), uint64(little.Uint32(want[4*k:]))
			if a != b && !sameFloat("F", a, b) {
				t.Fatalf("seed %d: float %d is %#x, want %#x\n%v", seed, k, a, b, p)
			}
		}
	}
}

// TestMachineCodeOf wants the machine code of a loop, and none of a program that calls the interpreter for much.
func TestMachineCodeOf(t *testing.T) {
	needMachineCode(t)
	list := []Instr{{Op: Move, D: 0, A: 1}, {Op: AddS, D: 0, A: 0, B: 2, Imm: 32}, {Op: AgainLtS, A: 0, B: 3, Imm: 1},
		{Op: Next, A: 2}}
	p := &Program{code: list, image: []uint64{0, 0, 1, 100}}
	if p.machine() == nil {
		t.Error("a loop that counts has no machine code")
	}
	p.code = append([]Instr{list[0], {Op: PowS, D: 4, A: 0, B: 2, Imm: 32}}, list[1:]...)
	p.image = append(p.image, 0)
	if p.machine() != nil {
		t.Error("a loop of powers of integers is machine code")
	}
}

// TestMachineDot wants the bits of machine code and of the interpreter, which a program gets where there is no room for
// more code, to be the same where sums are rounded.
func TestMachineDot(t *testing.T) {
	needMachineCode(t)
	r := rand.New(rand.NewPCG(3, 7))
	const from, matrix, to, end = 0, 16, 16 + 8*32, 16 + 8*33
	image := make([]uint64, end+lineRegisters)
	for i := range to {
		low, high := math.Float32bits(r.Float32()-0.5), math.Float32bits(r.Float32()-0.5)
		image[i] = uint64(low) | uint64(high)<<32
	}
	for n := 8; n <= 16; n++ {
		for k := range 17 {
			p := &Program{Params: make([]Leaf, 1), Results: make([]Leaf, 1), image: image, code: []Instr{
				{Op: VecDot, D: to, A: from, B: matrix, C: 3, E: uint16(k), Imm: int32(n)},
				{Op: Again, A: end}, {Op: VecStore, A: 1, B: to, Imm: int32(n)}, {Op: Next, A: 2}}}
			got, want := make([]byte, 4*n), make([]byte, 4*n)
			runPacked(t, p.PackMachine(), make([]byte, 64), got)
			runPacked(t, p.PackInterpreted(), make([]byte, 64), want)
			if !bytes.Equal(got, want) {
				t.Errorf("%d sums of %d products: %x, want %x", n, k, got, want)
			}
		}
	}
}

// TestMachineDivisions holds quotients and remainders of all widths, by registers and by constants, against the machine
// in Go: of edges, of 0 and of -1, which a machine's own instruction faults at.
func TestMachineDivisions(t *testing.T) {
	needMachineCode(t)
	loads := map[int32][2]Op{8: {Load8U, Load8S}, 16: {Load16U, Load16S}, 32: {Load32U, Load32S}, 64: {Load64, Load64}}
	r := rand.New(rand.NewPCG(8, 2))
	for op, signed := range map[Op]int{DivS: 1, RemS: 1, DivU: 0, RemU: 0} {
		for width, load := range loads {
			edge := uint64(1) << (width - 1)
			values := []uint64{0, 1, 2, 3, 10, edge - 1, edge, edge + 1, math.MaxUint64, r.Uint64(), r.Uint64(), r.Uint64()}
			for _, a := range values {
				for _, b := range values {
					in := little.AppendUint64(little.AppendUint64(nil, a), b)
					one := Instr{Op: op, D: 2, A: 0, B: 1, Imm: width}
					holdDivision(t, in, []uint64{0, 0, 0, 0}, Instr{Op: load[signed], D: 0}, Instr{Op: load[signed], D: 1, Imm: 8}, one)
					fixed := little.Uint64(in[8:]) << (64 - width) >> (64 - width)
					if signed == 1 {
						fixed = uint64(int64(b) << (64 - width) >> (64 - width))
					}
					holdDivision(t, in, []uint64{0, fixed, 0, 0}, Instr{Op: load[signed], D: 0}, one)
				}
			}
		}
	}
}

// holdDivision runs a list of which register 2 is the result as machine code and in Go.
func holdDivision(t *testing.T, in []byte, image []uint64, list ...Instr) {
	t.Helper()
	list = append(list, Instr{Op: Again, A: 3}, Instr{Op: Store64, A: 1, B: 2}, Instr{Op: Next, A: 2})
	p := &Program{Params: make([]Leaf, 1), Results: make([]Leaf, 1), code: list, image: image}
	want, got := make([]byte, 8), make([]byte, 8)
	if err := p.Machine(context.Background()).Apply(1, []Stream{{Data: in}, {Data: want}}); err != nil {
		t.Fatal(err)
	}
	runPacked(t, p.PackMachine(), in, got)
	if !bytes.Equal(got, want) {
		t.Errorf("%v of %x: %x, want %x", list, in, got, want)
	}
}
