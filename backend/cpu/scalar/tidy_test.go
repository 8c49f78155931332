package scalar

import (
	"bytes"
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/halo-xla/halo/cgo/loops/run"
)

// randomCode returns code that works on ten registers, of which three are stored in the end, on constants behind
// them and on an array in memory, with jumps forward and one loop.
func randomCode(r *rand.Rand) ([]Instr, []uint64) {
	const registers, constants, n = 10, 4, 24
	image := make([]uint64, registers+constants)
	var code []Instr
	for k := range constants {
		image[registers+k] = uint64(1 + 2*k)
	}
	for k := range uint16(registers) { // nothing is read before it is written
		code = append(code, Instr{Op: Move, D: k, A: registers + uint16(r.IntN(constants))})
	}
	begin := len(code)
	any := func() uint16 { return uint16(r.IntN(registers + constants)) }
	ops := []Op{AddS, AddS, AddS, SubS, MulS, And, Xor, Or, MinS, MaxS, LtS, EqS, RemS, ShiftRightS, Select, Move, Move,
		Move, Move, Load32SAt, Load32SAt, Load32SAt, Store32At, Store32At, JumpIf, JumpIfNo, Jump, AgainLtS}
	for range n {
		in := Instr{Op: ops[r.IntN(len(ops))], D: uint16(r.IntN(registers)), A: any(), B: any(), C: any(), Imm: 32}
		switch {
		case in.Op.jumps():
			in.Imm = int32(min(len(code)+1+r.IntN(5), begin+n))
		case in.Op.loadsElement() || in.Op == Store32At: // of stream 0, at a place that is a constant
			place := registers + uint16(r.IntN(2))
			in.A, in.Imm = 0, 4
			if in.Op == Store32At {
				in.C = place
			} else {
				in.B = place
			}
		case in.Op == RemS || in.Op == ShiftRightS:
			in.B = registers + uint16(r.IntN(constants))
		}
		code = append(code, in)
	}
	counter, limit := uint16(len(image)), uint16(len(image)+1)
	image = append(image, 0, 3)
	code = append(code, Instr{Op: AddS, D: counter, A: counter, B: registers, Imm: 32},
		Instr{Op: AgainLtS, A: counter, B: limit, Imm: int32(begin)})
	for k := range uint16(3) {
		code = append(code, Instr{Op: Store64, A: 1, B: k, Imm: int32(8 * k)})
	}
	return append(code, Instr{Op: Next, A: 2}), image
}

// TestRandomCode runs random code as it is, tidied, and both of them in C.
func TestRandomCode(t *testing.T) {
	for seed := range uint64(10000) {
		code, image := randomCode(rand.New(rand.NewPCG(seed, 3)))
		var want []byte
		for i, c := range [][]Instr{code, tidied(slices.Clone(code))} {
			p := &Program{Params: make([]Leaf, 1), Results: make([]Leaf, 1), code: c, image: image}
			x, got := make([]byte, 64), make([]byte, 24)
			if err := p.Machine(context.Background()).Apply(1, []Stream{{Data: x}, {Data: got}}); err != nil {
				t.Fatal(err)
			}
			got = append(got, x...)
			if i == 0 {
				want = got
			}
			if !bytes.Equal(got, want) {
				t.Fatalf("seed %d: tidied code makes %x, want %x\n%v", seed, got, want, p)
			}
			if run.Available() {
				for how, packed := range map[string][]byte{"C": p.PackInterpreted(), "machine code": p.PackMachine()} {
					x, got := make([]byte, 64), make([]byte, 24)
					if packed == nil {
						continue
					}
					if runPacked(t, packed, x, got); !bytes.Equal(append(got, x...), want) {
						t.Fatalf("seed %d: %s makes %x of %x, want %x\n%v", seed, how, got, x, want, p)
					}
				}
			}
		}
	}
}
