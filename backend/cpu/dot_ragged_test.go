package cpu

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/halo-xla/halo/xla/exec"
	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// agree runs a program of integers, or of floats that are exact, by the backend and by the reference.
func agree(t *testing.T, text string, args ...*literal.Literal) {
	t.Helper()
	_, fast := compile(t, New(Options{Threads: 2}), text)
	_, reference := compile(t, exec.Reference(), text)
	if d := literal.Compare(execute(t, fast, args...), execute(t, reference, args...), literal.Tolerance{}); d != nil {
		t.Errorf("%v\n%s", d, text)
	}
}

func TestRaggedDot(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 1))
	for _, c := range []struct {
		name, sizes string
		text        string
	}{
		{"free", "[3]", `ENTRY e { a = s32[9,4] parameter(0) b = s32[3,4,5] parameter(1) g = s32[3] parameter(2)
 ROOT r = s32[9,5] ragged-dot(a, b, g), lhs_contracting_dims={1}, rhs_contracting_dims={1}, lhs_ragged_dims={0}, rhs_group_dims={0} }`},
		{"free, group last", "[3]", `ENTRY e { a = s8[4,9] parameter(0) b = s8[4,5,3] parameter(1) g = s32[3] parameter(2)
 ROOT r = s32[9,5] ragged-dot(a, b, g), lhs_contracting_dims={0}, rhs_contracting_dims={0}, lhs_ragged_dims={1}, rhs_group_dims={2} }`},
		{"free, batch", "[2,3]", `ENTRY e { a = s32[2,9,4] parameter(0) b = s32[3,2,4,5] parameter(1) g = s32[2,3] parameter(2)
 ROOT r = s32[2,9,5] ragged-dot(a, b, g), lhs_batch_dims={0}, rhs_batch_dims={1}, lhs_contracting_dims={2}, rhs_contracting_dims={2}, lhs_ragged_dims={1}, rhs_group_dims={0} }`},
		{"contracting", "[3]", `ENTRY e { a = s32[4,9] parameter(0) b = s32[9,5] parameter(1) g = s32[3] parameter(2)
 ROOT r = s32[3,4,5] ragged-dot(a, b, g), lhs_contracting_dims={1}, rhs_contracting_dims={0}, lhs_ragged_dims={1} }`},
		{"batch", "[3]", `ENTRY e { a = s32[9,4] parameter(0) b = s32[9,4,5] parameter(1) g = s32[3] parameter(2)
 ROOT r = s32[9,5] ragged-dot(a, b, g), lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={1}, rhs_contracting_dims={1}, lhs_ragged_dims={0} }`},
	} {
		t.Run(c.name, func(t *testing.T) {
			m, _ := compile(t, exec.Reference(), c.text)
			for range 8 {
				args := []*literal.Literal{random(r, m.Entry.Parameters[0].Shape), random(r, m.Entry.Parameters[1].Shape),
					literal.Zeros(m.Entry.Parameters[2].Shape)}
				sizes, err := literal.View[int32](args[2])
				if err != nil {
					t.Fatal(err)
				}
				for i := range sizes {
					sizes[i] = int32(r.IntN(6)) // more or fewer than there are, and none
				}
				agree(t, c.text, args...)
			}
		})
	}
}

// TestRaggedDotOfBytes has groups of 150 and 50 rows, whose sizes are bytes without a sign.
func TestRaggedDotOfBytes(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 2))
	text := `ENTRY e { a = s32[200,2] parameter(0) b = s32[2,2,3] parameter(1) g = u8[2] parameter(2)
 ROOT r = s32[200,3] ragged-dot(a, b, g), lhs_contracting_dims={1}, rhs_contracting_dims={1}, lhs_ragged_dims={0}, rhs_group_dims={0} }`
	m, _ := compile(t, exec.Reference(), text)
	sizes, err := literal.FromBytes(shape.Array(shape.U8, 2), []byte{150, 50})
	if err != nil {
		t.Fatal(err)
	}
	agree(t, text, random(r, m.Entry.Parameters[0].Shape), random(r, m.Entry.Parameters[1].Shape), sizes)
}

func TestScaledDot(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 1))
	for _, text := range []string{
		`ENTRY e { a = f8e4m3fn[4,64] parameter(0) b = f8e5m2[64,3] parameter(1) s = f8e8m0fnu[4,2] parameter(2)
 u = f8e8m0fnu[2,3] parameter(3) ROOT r = f64[4,3] scaled-dot(a, b, s, u), lhs_contracting_dims={1}, rhs_contracting_dims={0} }`,
		`ENTRY e { a = bf16[2,6] parameter(0) b = bf16[6,3] parameter(1) s = f8e8m0fnu[] parameter(2)
 u = bf16[6,1] parameter(3) ROOT r = f32[2,3] scaled-dot(a, b, s, u), lhs_contracting_dims={1}, rhs_contracting_dims={0} }`,
	} {
		m, _ := compile(t, exec.Reference(), text)
		var args []*literal.Literal
		for _, p := range m.Entry.Parameters {
			args = append(args, random(r, p.Shape))
		}
		agree(t, text, args...)
	}
}

func TestDynamicConvolution(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 1))
	const text = `ENTRY e { a = s32[2,5,5,3] parameter(0) b = s32[3,3,3,4] parameter(1) p = s32[2,2] parameter(2)
 ROOT r = s32[2,5,5,4] dynamic-convolution(a, b, p), window={size=3x3}, dim_labels=b01f_01io->b01f }`
	for _, p := range [][]int32{{1, 1, 1, 1}, {2, 0, 0, 2}} {
		padding, err := literal.FromSlice(p, 2, 2)
		if err != nil {
			t.Fatal(err)
		}
		agree(t, text, random(r, shape.Array(shape.S32, 2, 5, 5, 3)), random(r, shape.Array(shape.S32, 3, 3, 3, 4)), padding)
	}
}

// A padding of an unsigned type is not below zero.
func TestDynamicConvolutionPaddingTypes(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 2))
	for _, p := range []shape.ElementType{shape.S8, shape.U8, shape.U16, shape.U32, shape.U64, shape.S4, shape.U4} {
		low := int64(200)
		switch p {
		case shape.S8:
			low = 100
		case shape.S4:
			low = 7
		case shape.U4:
			low = 15
		}
		text := fmt.Sprintf(`ENTRY e { a = s32[1,3,1] parameter(0) b = s32[2,1,1] parameter(1) p = %s[1,2] parameter(2)
 ROOT r = s32[1,%d,1] dynamic-convolution(a, b, p), window={size=2}, dim_labels=b0f_0io->b0f }`, p, low+2)
		padding, err := literal.FromSlice([]int64{low, 0}, 1, 2)
		if err == nil {
			padding, err = literal.Convert(padding, p)
		}
		if err != nil {
			t.Fatal(err)
		}
		agree(t, text, random(r, shape.Array(shape.S32, 1, 3, 1)), random(r, shape.Array(shape.S32, 2, 1, 1)), padding)
	}
}
