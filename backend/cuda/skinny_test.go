//go:build cgo && linux

package cuda

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/halo-xla/halo/xla/exec"
	"github.com/halo-xla/halo/xla/literal"
)

// skinnyDots are products with few rows or columns: operands, result, and what is summed in both.
var skinnyDots = func() (list []string) {
	add := func(format string, args ...any) { list = append(list, fmt.Sprintf(format, args...)) }
	for _, of := range []string{"f32 f32", "f64 f64", "bf16 bf16", "f16 f32", "s8 s32", "s8 s8", "u64 u64", "pred pred",
		"c64 c64", "c128 c128", "f8e4m3fn f32", "s4 s32"} {
		x, r, _ := strings.Cut(of, " ")
		for _, k := range []int{33, 64, 256, 300, 1040} {
			m, n := 1+k%5, 20+k%7
			add("%[1]s[%[3]d,%[5]d] %[1]s[%[4]d,%[5]d] %[2]s[%[3]d,%[4]d] 1 1", x, r, m, n, k)
			add("%[1]s[%[3]d,%[5]d] %[1]s[%[5]d,%[4]d] %[2]s[%[3]d,%[4]d] 1 0", x, r, m, n, k)
			add("%[1]s[%[5]d,%[4]d] %[1]s[%[5]d,%[3]d] %[2]s[%[4]d,%[3]d] 0 0", x, r, m, n, k)
		}
		add("%[1]s[40000] %[1]s[40000] %[2]s[] 0 0", x, r)
		add("%[1]s[9001,2] %[1]s[9001] %[2]s[2] 0 0", x, r)
		add("%[1]s[15,700] %[1]s[700,64] %[2]s[15,64] 1 0", x, r)
		add("%[1]s[700,512] %[1]s[700] %[2]s[512] 0 0", x, r)
	}
	add("f32[4096] f32[4096,48] f32[48] 0 0")
	add("f32[700,17] f32[5,700] f32[17,5] 0 1")
	add("f32[20,3,100] f32[4,100,3] f32[20,4] 1,2 2,1")
	add("f32[20,3,30] f32[4,30,3] f32[20,4] 1,2 2,1")
	for _, k := range []int{64, 512} { // batches: of the first dimension, of one in the middle
		add("f32[3,1,%[1]d] f32[3,20,%[1]d] f32[3,1,20] 2 2 0 0", k)
		add("f32[3,1,%[1]d] f32[3,%[1]d,20] f32[3,1,20] 2 1 0 0", k)
		add("bf16[2,3,%[1]d] bf16[20,3,%[1]d] bf16[3,2,20] 2 2 1 1", k)
		add("f32[20,3,%[1]d] f32[%[1]d,3] f32[3,20] 2 0 1 1", k)
	}
	return list
}()

// skinnyText is the program of a product.
func skinnyText(d, attributes string) string {
	s := strings.Fields(d)
	if len(s) > 5 {
		attributes += fmt.Sprintf(", lhs_batch_dims={%s}, rhs_batch_dims={%s}", s[5], s[6])
	}
	return fmt.Sprintf("HloModule m\nENTRY e { x = %s parameter(0)\n y = %s parameter(1)\n"+
		" ROOT r = %s dot(x, y), lhs_contracting_dims={%s}, rhs_contracting_dims={%s}%s }", s[0], s[1], s[2], s[3], s[4],
		attributes)
}

// TestSkinnyDots compares products with few rows or columns with the evaluator's.
func TestSkinnyDots(t *testing.T) {
	b := either(t)
	r := rand.New(rand.NewPCG(3, 8))
	for _, d := range skinnyDots {
		checkDot(t, b, r, skinnyText(d, ""), "cuda dot")
	}
	for _, a := range []string{"dot_bf16_bf16_f32_x3", "dot_tf32_tf32_f32"} {
		checkDot(t, b, r, skinnyText("f32[3,400] f32[400,40] f32[3,40] 1 0", ", algorithm="+a), "cuda dot")
		checkDot(t, b, r, skinnyText("f32[3,40] f32[40,40] f32[3,40] 1 0", ", algorithm="+a), "cuda dot")
	}
}

// TestShortDots wants the evaluator's bits of sums that are short, whatever is summed.
func TestShortDots(t *testing.T) {
	b := either(t)
	r := rand.New(rand.NewPCG(4, 8))
	for _, d := range []string{"f32[3,256] f32[256,70] f32[3,70] 1 0", "f32[8,256] f32[70,256] f32[8,70] 1 1",
		"f64[250,5] f64[250,33] f64[5,33] 0 0", "c64[97] c64[97,20] c64[20] 0 0", "f32[2,4,1,64] f32[2,4,64,50] f32[2,4,1,50] 3 2 0,1 0,1",
		"bf16[1,256] bf16[256,40] f32[1,40] 1 0", "f32[2,15,34] f32[2,30,34] f32[2,15,30] 2 2 0 0"} {
		text := skinnyText(d, "")
		var args []*literal.Literal
		for _, p := range parsed(t, text).Entry.Parameters {
			args = append(args, randomLiteral(r, p.Shape, false))
			for i, w := 0, args[len(args)-1].Wide(); i < w.Len(); i++ {
				if w.F != nil {
					w.F[i] = r.NormFloat64()
				} else {
					w.C[i] = complex(r.NormFloat64(), r.NormFloat64())
				}
				if i == w.Len()-1 {
					args[len(args)-1] = literal.FromWide(p.Shape, w)
				}
			}
		}
		got := answer(t, b, text, exec.Options{}, args...)
		want := answer(t, exec.Reference(), text, exec.Options{}, args...)
		if d := literal.Compare(got, want, literal.Tolerance{Bits: true}); d != nil {
			t.Errorf("%s\n%v", text, d)
		}
	}
}

// followed are dots and what is done to their elements, which is one kernel for each number of sums, or two where blocks
// share them.
var followed = []struct{ name, text string }{
	{"a short one", `x = f32[3,200] parameter(0)  y = f32[200,40] parameter(1)  v = f32[40] parameter(2)
		d = f32[3,40] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}
		b = f32[3,40] broadcast(v), dimensions={1}  s = f32[3,40] add(d, b)  ROOT r = f32[3,40] tanh(s)`},
	{"one op", `x = f32[40,30] parameter(0)  y = f32[30] parameter(1)
		d = f32[40] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}  ROOT r = f32[40] negate(d)`},
	{"used twice", `x = f32[40,300] parameter(0)  y = f32[300] parameter(1)
		d = f32[40] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}
		n = f32[40] negate(d)  ROOT r = f32[40] multiply(d, n)`},
	{"the other side, and another type", `x = bf16[40,600] parameter(0)  y = bf16[5,600] parameter(1)  z = bf16[40,5] parameter(2)
		d = bf16[40,5] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={1}
		s = bf16[40,5] subtract(z, d)  ROOT r = f32[40,5] convert(s)`},
	{"columns of a batch", `x = f32[2,4,700] parameter(0)  y = f32[2,700,64] parameter(1)  v = f32[2] parameter(2)
		d = f32[2,4,64] dot(x, y), lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_contracting_dims={1}
		b = f32[2,4,64] broadcast(v), dimensions={0}  s = f32[2,4,64] add(b, d)  ROOT r = f32[2,4,64] negate(s)`},
	{"shared by blocks", `x = f32[50000] parameter(0)  y = f32[50000] parameter(1)
		d = f32[] dot(x, y), lhs_contracting_dims={0}, rhs_contracting_dims={0}  ROOT r = f32[] negate(d)`},
}

// TestFollowed wants what is done to the elements of a skinny dot in its kernel.
func TestFollowed(t *testing.T) {
	b := either(t)
	r := rand.New(rand.NewPCG(5, 8))
	for _, c := range followed {
		t.Run(c.name, func(t *testing.T) {
			text := "HloModule m\nENTRY e { " + c.text + " }"
			m := parsed(t, text)
			if got := compiled(t, b, m, exec.Options{}).Report(); len(got) != 1 {
				t.Errorf("%d thunks: %v", len(got), got)
			}
			var args []*literal.Literal
			for _, p := range m.Entry.Parameters {
				args = append(args, randomLiteral(r, p.Shape, false))
			}
			got, want := answer(t, b, text, exec.Options{}, args...), answer(t, exec.Reference(), text, exec.Options{}, args...)
			if d := literal.Compare(got, want, literal.Tolerance{ULP: 2}); d != nil {
				t.Error(d)
			}
		})
	}
	// What takes elements elsewhere comes after the dot.
	const turned = `HloModule m
ENTRY e { x = f32[40,30] parameter(0)  y = f32[30] parameter(1)
  d = f32[40] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  v = f32[40] reverse(d), dimensions={0}  ROOT r = f32[40] negate(v) }`
	args := []*literal.Literal{numbers(t, 40, 30), numbers(t, 30)}
	got, want := answer(t, b, turned, exec.Options{}, args...), answer(t, exec.Reference(), turned, exec.Options{}, args...)
	if d := literal.Compare(got, want, literal.Tolerance{ULP: 2}); d != nil {
		t.Error(d)
	}
}
