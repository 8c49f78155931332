package scalar

import (
	"context"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/halo-xla/halo/cgo/loops/run"
	native "github.com/halo-xla/halo/cgo/loops/scalar"
	"github.com/halo-xla/halo/internal/runtest"
	"github.com/halo-xla/halo/internal/testfile"
)

// instructionOf returns an instruction whose native name is name.
func instructionOf(t *testing.T, name string) Instr {
	t.Helper()
	for _, bits := range []int32{64, 32} { // shifts to the right are one for all widths
		for s, n := range sizedNames {
			if n == name && s.bits == bits {
				return Instr{Op: s.op, Imm: s.bits}
			}
		}
	}
	if side, ok := strings.CutPrefix(name, "VecFetch"); ok {
		return Instr{Op: VecFetch, E: map[string]uint16{"U": 0, "S": 1}[side], Imm: 3}
	}
	name, by := strings.CutSuffix(name, "32By")
	for op, o := range operations {
		if o.name == name {
			in := Instr{Op: Op(op)}
			if by || !in.Op.jumps() && !in.Op.loadsElement() {
				in.Imm = 32
			}
			return in
		}
	}
	t.Fatalf("no instruction %s", name)
	return Instr{}
}

// The registers of the programs of TestJoined: the first four hold numbers that do not change, one a place in an array,
// the others what the first instruction makes and the result.
const made, result, index = 5, 6, 4

// programOf returns a program of the instructions of a native name: the second works on what the first makes.
func programOf(t *testing.T, name string, image []uint64) *Program {
	one, two, isPair := strings.Cut(name, "_")
	first := instructionOf(t, one)
	first.D, first.A, first.B = made, 0, 1
	switch {
	case first.Op == VecFetch: // of the lanes in the first two registers
		first.B = index
	case first.Op.loadsElement():
		first.A, first.B, first.Imm = 0, index, 8 // stream 0, behind its first 8 bytes
	}
	second := Instr{Op: Move, A: made, D: result}
	if isPair {
		right := strings.HasPrefix(two, "r")
		second = instructionOf(t, strings.TrimPrefix(two, "r"))
		second.D, second.A, second.B, second.C = result, made, 2, 3
		if right {
			second.A, second.B = 2, made
		}
	}
	code := []Instr{first, second}
	if second.Op.jumps() {
		code[1].Imm = 4
		code = append(code, Instr{Op: Move, D: result, A: 2}, Instr{Op: Jump, Imm: 5}, Instr{Op: Move, D: result, A: 3})
	}
	if second.Op == AgainLtS || second.Op == AgainNeS { // what is counted stays, too
		code = append(code, Instr{Op: AddS, D: result, A: result, B: made, Imm: 64})
	}
	code = append(code, Instr{Op: Store64, A: 1, B: result}, Instr{Op: Next, A: 2})
	return &Program{Params: make([]Leaf, 1), Results: make([]Leaf, 1), code: code, image: image}
}

// sample returns a register's contents: a number that any instruction takes, of 32 bits with or without a sign, of 64,
// or a float.
func sample(r *rand.Rand, name string) uint64 {
	floats := []float64{0, math.Copysign(0, -1), 1, -1.5, 3, 1e-3, 1e-40, 1e30, math.Inf(1), math.Inf(-1), math.NaN()}
	whole := []int64{0, 1, 2, 3, 7, 31, 32, 100, -1, -2, -7, math.MaxInt32, math.MinInt32, 1 << 31, 1<<32 - 1}
	f, v := floats[r.IntN(len(floats))], whole[r.IntN(len(whole))]
	if r.IntN(3) == 0 {
		f, v = r.NormFloat64(), int64(r.Uint64()>>r.IntN(64))
	}
	switch {
	case strings.Contains(name+"_", "F_"):
		return uint64(math.Float32bits(float32(f)))
	case strings.Contains(name+"_", "D_"):
		return math.Float64bits(f)
	case strings.Contains(name, "U"):
		return uint64(uint32(v))
	case strings.Contains(name, "64"):
		return uint64(v)
	}
	return uint64(int32(v))
}

// TestJoined holds every instruction that only C has against those that it is made of, in Go.
func TestJoined(t *testing.T) {
	testfile.Native(t, run.Available())
	r := rand.New(rand.NewPCG(1, 2))
	for i, name := range native.Joined() {
		found := false
		for range 200 {
			image := make([]uint64, result+1)
			for k := range index {
				image[k] = sample(r, name)
			}
			image[index] = 2
			p := programOf(t, name, image)
			code, _ := p.joined()
			for _, in := range code {
				found = found || in.Op == numOps+Op(i)
			}
			x, want, got := make([]byte, 32), make([]byte, 8), make([]byte, 8)
			for k := range 4 {
				little.PutUint64(x[8*k:], sample(r, name))
			}
			m := p.Machine(context.Background())
			if err := m.Apply(1, []Stream{{Data: x}, {Data: want}}); err != nil {
				t.Fatal(err)
			}
			if out := int64(m.regs[made]); strings.Contains(name, "_RemU32By") && out != int64(uint32(out)) ||
				strings.Contains(name, "_RemS32By") && out != int64(int32(out)) {
				continue // of another type
			}
			runPacked(t, p.PackInterpreted(), x, got)
			if a, b := little.Uint64(got), little.Uint64(want); a != b && !sameFloat(name, a, b) {
				t.Errorf("%s of %#x: %#x in C, %#x in Go", name, image, a, b)
			}
		}
		if !found {
			t.Errorf("%s was made of nothing", name)
		}
	}
}

// sameFloat reports whether a and b are NaNs, or floats of 32 bits that are the same or NaNs.
func sameFloat(name string, a, b uint64) bool {
	if strings.HasSuffix(name, "D") {
		return math.IsNaN(math.Float64frombits(a)) && math.IsNaN(math.Float64frombits(b))
	}
	x, y := math.Float32frombits(uint32(a)), math.Float32frombits(uint32(b))
	return strings.HasSuffix(name, "F") && (uint32(a) == uint32(b) || x != x && y != y)
}

// runPacked runs p once in C on a parameter and a result.
func runPacked(t *testing.T, packed []byte, x, out []byte) {
	t.Helper()
	streams := []native.Stream{{At: run.Ref{Slot: 0}}, {At: run.Ref{Slot: 1}}}
	runtest.Execute(t, 1, runtest.Slots(x, out), native.Apply(packed, 1, 1, streams))
}
