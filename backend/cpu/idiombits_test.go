package cpu

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/halo-xla/halo/xla/exec"
	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// bitsProgram is rounds of sums, rotations and shifts of two arrays and a few numbers of type t, with sums that several
// later ones use, and all values of the last rounds as results.
func bitsProgram(r *rand.Rand, t shape.ElementType) *hlo.Module {
	b := hlo.NewBuilder("e")
	s := shape.Array(t, 500)
	list := []*hlo.Instruction{b.Parameter(0, s, "x"), b.Parameter(1, s, "y")}
	key := b.Broadcast(b.Parameter(2, shape.Array(t), "k"), s.Dims)
	number := func(n int64) *hlo.Instruction {
		return b.Broadcast(b.ConvertElementType(b.ConstantLiteral(literal.Scalar(int32(n))), t), s.Dims)
	}
	pick := func() *hlo.Instruction { return list[max(0, len(list)-1-r.IntN(4))] }
	for range 12 {
		x, y := pick(), pick()
		sum := b.Add(x, y)
		by := r.Int64N(int64(t.Bits()) + 1)
		parts := []*hlo.Instruction{b.ShiftLeft(x, number(by)), b.ShiftRightLogical(x, number(int64(t.Bits())-by))}
		k := r.IntN(2)
		turned := b.Or(parts[k], parts[1-k])
		mixed := b.Xor(sum, turned)
		switch r.IntN(4) {
		case 0:
			mixed = b.Xor(turned, sum)
		case 1:
			sum = b.Add(sum, key)
		case 2:
			sum, mixed = b.Add(sum, mixed), b.Add(key, mixed)
		}
		list = append(list, sum, mixed)
	}
	c, err := b.Build(b.Tuple(list[len(list)-1-r.IntN(5):]...))
	if err != nil {
		panic(err)
	}
	return hlo.NewModule("m", c)
}

// TestBits compares random programs of sums and rotations with the evaluator, bit by bit.
func TestBits(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	for i := range 60 {
		kind := []shape.ElementType{shape.U32, shape.S32, shape.U32, shape.U64, shape.U8, shape.S16}[i%6]
		m := bitsProgram(r, kind)
		var args []*literal.Literal
		for _, p := range m.Entry.Parameters {
			data := make([]byte, p.Shape.Size()*int64(kind.Bytes()))
			for i := range data {
				data[i] = byte(r.Uint32())
			}
			l, err := literal.FromBytes(p.Shape, data)
			if err != nil {
				t.Fatal(err)
			}
			args = append(args, l)
		}
		var results []*literal.Literal
		for _, b := range []exec.Backend{exec.Reference(), New(Options{})} {
			p, err := b.Compile(context.Background(), m, exec.Options{})
			if err != nil {
				t.Fatal(err)
			}
			out, err := p.Run(context.Background(), [][]*literal.Literal{args}, exec.RunOptions{})
			p.Close()
			if err != nil {
				t.Fatal(err)
			}
			results = append(results, out[0])
		}
		if d := literal.Compare(results[1], results[0], literal.Tolerance{}); d != nil {
			t.Fatalf("program %d: %v\n%s", i, d, m.Text())
		}
	}
}

// TestMixesAreFound wants a round of ThreeFry to become one stage, with its sum left in memory.
func TestMixesAreFound(t *testing.T) {
	f := &fused{dims: []int64{1000}, nodes: []node{{op: hlo.Parameter, t: shape.U32}, {op: hlo.Parameter, t: shape.U32}}}
	b := hlo.NewBuilder("round")
	scalar := shape.Array(shape.U32)
	x, y := b.Parameter(0, scalar, "x"), b.Parameter(1, scalar, "y")
	left, right := b.ConstantLiteral(literal.Scalar(uint32(13))), b.ConstantLiteral(literal.Scalar(uint32(19)))
	sum := b.Add(y, x)
	c, err := b.Build(b.Sub(b.Xor(sum, b.Or(b.ShiftLeft(x, left), b.ShiftRightLogical(x, right))), sum))
	if err != nil {
		t.Fatal(err)
	}
	n, err := f.inline(c, []int{0, 1})
	if err != nil {
		t.Fatal(err)
	}
	f.roots = []int{n}
	f.useIdioms()
	f.useMixes()
	want := []string{"", "", "mix", "mixed", ""}
	if len(f.nodes) != len(want) {
		t.Fatalf("got %d nodes, want %d", len(f.nodes), len(want))
	}
	for i, w := range want {
		if f.nodes[i].stage != w {
			t.Errorf("node %d has the stage %q, want %q", i, f.nodes[i].stage, w)
		}
	}
}
