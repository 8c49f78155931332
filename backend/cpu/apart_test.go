package cpu

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/halo-xla/halo/xla/exec"
	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// TestApart wants of systems of equations whose state is put together of pieces, along either dimension, what the
// reference gives, to the bit and with any threads, and that no round puts anything together.
func TestApart(t *testing.T) {
	r := rand.New(rand.NewPCG(41, 1))
	for _, typ := range []string{"f32", "f64", "s32", "c64", "c128"} {
		for _, s := range []system{{typ, 2, 33, 0}, {typ, 3, 40, 1}, {typ, 3, 1000, 0}, {typ, 4, 129, 1}, {typ, 16, 64, 0},
			{typ, 3, 20000, 0}, {typ, 3, 20000, 1}} {
			s.test(t, r)
		}
	}
}

// TestApartTwice has arrays that are taken apart in two ways, a slice of one among the pieces of another, with pieces of
// twice the size and of half of it, and a concatenation with arrays that have no elements.
func TestApartTwice(t *testing.T) {
	r := rand.New(rand.NewPCG(41, 2))
	for _, text := range []string{`ENTRY e { a = f32[2,64] parameter(0)  b = f32[2,64] parameter(1)  w = f32[8,64] parameter(2)
  u = f32[4,64] parameter(3)  v = f32[8,64] parameter(4)
  k = f32[8,64] concatenate(a,b,b,a), dimensions={0}  l = f32[8,64] concatenate(b,a,b,a), dimensions={0}
  y = f32[8,64] add(k, l)  s = f32[4,64] slice(y), slice={[0:4],[0:64]}
  m = f32[12,64] concatenate(s, w), dimensions={0}  n = f32[12,64] concatenate(u, v), dimensions={0}
  ROOT z = f32[12,64] multiply(m, n) }`,
		`ENTRY e { a = f32[4,64] parameter(0)  b = f32[4,64] parameter(1)  w = f32[2,64] parameter(2)  x = f32[6,64] parameter(3)
  k = f32[16,64] concatenate(a,b,b,a), dimensions={0}  l = f32[16,64] concatenate(b,a,b,a), dimensions={0}
  y = f32[16,64] add(k, l)  s = f32[8,64] slice(y), slice={[4:12],[0:64]}
  m = f32[10,64] concatenate(s, w), dimensions={0}  n = f32[10,64] concatenate(w, s), dimensions={0}
  o = f32[10,64] concatenate(x, a), dimensions={0}
  z = f32[10,64] multiply(m, n)  ROOT q = f32[10,64] subtract(z, o) }`,
		`ENTRY e { a = f32[4,64] parameter(0)  b = f32[4,64] parameter(1)  w = f32[0,64] parameter(2)
  k = f32[8,64] concatenate(a,b), dimensions={0}  l = f32[8,64] concatenate(b,a), dimensions={0}
  y = f32[8,64] add(k, l)  m = f32[8,64] concatenate(y, w), dimensions={0}
  ROOT z = f32[8,64] multiply(m, k) }`} {
		m, reference := compile(t, exec.Reference(), text)
		var args []*literal.Literal
		for _, p := range m.Entry.Parameters {
			args = append(args, random(r, p.Shape))
		}
		_, p := compile(t, New(Options{Threads: 2}), text)
		alike(t, text, []*literal.Literal{execute(t, p, args...)}, []*literal.Literal{execute(t, reference, args...)})
	}
}

// system is so many equations of size numbers each, along one of two dimensions.
type system struct {
	typ             string
	equations, size int
	dim             int
}

func (s system) test(t *testing.T, r *rand.Rand) {
	text := s.program()
	m, reference := compile(t, exec.Reference(), text)
	arg := random(r, m.Entry.Parameters[0].Shape)
	if arg.Shape().Type.Class() == shape.FloatClass {
		sprinkle(r, arg)
	}
	want := []*literal.Literal{execute(t, reference, arg)}
	for _, threads := range []int{1, 2, 3, 7} {
		_, p := compile(t, New(Options{Threads: threads}), text)
		alike(t, text, []*literal.Literal{execute(t, p, arg)}, want)
		n := 0
		for _, step := range p.Report() {
			if strings.HasPrefix(step.Instruction, "concatenate") {
				n++
			}
		}
		if n > 1 {
			t.Errorf("%v: %d steps put pieces together, want the one behind the loop", s, n)
		}
	}
}

// sizes are those of n of the equations.
func (s system) sizes(n int) string {
	if s.dim == 1 {
		return fmt.Sprintf("%s[%d,%d]", s.typ, s.size, n)
	}
	return fmt.Sprintf("%s[%d,%d]", s.typ, n, s.size)
}

// program is three rounds of two steps, which go by each equation and the one behind it.
func (s system) program() string {
	return strings.NewReplacer("ALL", s.sizes(s.equations), "T[]", s.typ+"[]", "STEPS", s.step("y", "u")+s.step("u", "v")).
		Replace(`cond { s = (s32[], ALL) parameter(0)  i = s32[] get-tuple-element(s), index=0
  n = s32[] constant(3)  ROOT again = pred[] compare(i, n), direction=LT }
body { s = (s32[], ALL) parameter(0)  i = s32[] get-tuple-element(s), index=0
  y = ALL get-tuple-element(s), index=1  two = T[] constant(2)  h = ALL broadcast(two), dimensions={}
STEPS  one = s32[] constant(1)  j = s32[] add(i, one)
  ROOT r = (s32[], ALL) tuple(j, v) }
ENTRY e { y = ALL parameter(0)  z = s32[] constant(0)  s = (s32[], ALL) tuple(z, y)
  w = (s32[], ALL) while(s), condition=cond, body=body
  ROOT r = ALL get-tuple-element(w), index=1 }`)
}

// step makes to of from, and of the state y.
func (s system) step(from, to string) string {
	var b strings.Builder
	names := make([]string, s.equations)
	for k := range names {
		for x, at := range []int{k, (k + 1) % s.equations} {
			cut := [2]string{fmt.Sprintf("[%d:%d]", at, at+1), fmt.Sprintf("[0:%d]", s.size)}
			fmt.Fprintf(&b, "  %s%d_%d = ONE slice(%s), slice={%s, %s}\n", to, x, k, from, cut[s.dim], cut[1-s.dim])
		}
		fmt.Fprintf(&b, "  %[1]sp_%[2]d = ONE multiply(%[1]s0_%[2]d, %[1]s1_%[2]d)\n", to, k)
		names[k] = fmt.Sprintf("%sq_%d", to, k)
		fmt.Fprintf(&b, "  %[3]s = ONE subtract(%[1]sp_%[2]d, %[1]s0_%[2]d)\n", to, k, names[k])
	}
	fmt.Fprintf(&b, "  %sk = ALL concatenate(%s), dimensions={%d}\n", to, strings.Join(names, ", "), s.dim)
	fmt.Fprintf(&b, "  %[1]ss = ALL multiply(h, %[1]sk)\n  %[1]s = ALL add(y, %[1]ss)\n", to)
	return strings.NewReplacer("ONE", s.sizes(1), "ALL", s.sizes(s.equations)).Replace(b.String())
}
