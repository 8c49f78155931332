package cpu

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/halo-xla/halo/cgo/loops/run"
	"github.com/halo-xla/halo/internal/testfile"
	"github.com/halo-xla/halo/xla/exec"
	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/pass"
	"github.com/halo-xla/halo/xla/shape"
)

// withEpilogue are contractions, and the sizes of their results.
var withEpilogue = []struct{ text, dims string }{
	{"a = T[2,24,24,32] parameter(0) b = T[3,3,32,64] parameter(1) y = T[2,24,24,64] convolution(a, b), " +
		"window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f", "2,24,24,64"},
	{"a = T[1,31,17,8] parameter(0) b = T[3,3,1,8] parameter(1) y = T[1,15,8,8] convolution(a, b), " +
		"window={size=3x3 stride=2x2}, dim_labels=b01f_01io->b01f, feature_group_count=8", "1,15,8,8"},
	{"a = T[1,40,20,64] parameter(0) b = T[1,1,64,96] parameter(1) y = T[1,20,10,96] convolution(a, b), " +
		"window={size=1x1 stride=2x2}, dim_labels=b01f_01io->b01f", "1,20,10,96"},
	{"a = T[3,20,9,8] parameter(0) b = T[24,20,1,1] parameter(1) y = T[3,24,9,8] convolution(a, b), " +
		"window={size=1x1}, dim_labels=bf01_oi01->bf01", "3,24,9,8"},
	{"a = T[300,200] parameter(0) b = T[200,310] parameter(1) y = T[300,310] dot(a, b), " +
		"lhs_contracting_dims={1}, rhs_contracting_dims={0}", "300,310"},
	{"a = T[20,600] parameter(0) b = T[600,40] parameter(1) y = T[20,40] dot(a, b), " +
		"lhs_contracting_dims={1}, rhs_contracting_dims={0}", "20,40"},
	{"a = T[3,200] parameter(0) b = T[17,200] parameter(1) y = T[3,17] dot(a, b), " +
		"lhs_contracting_dims={1}, rhs_contracting_dims={1}", "3,17"},
	{"a = T[5,20,30] parameter(0) b = T[5,30,40] parameter(1) y = T[5,20,40] dot(a, b), lhs_batch_dims={0}, " +
		"rhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_contracting_dims={1}", "5,20,40"},
	{"a = T[0,3] parameter(0) b = T[3,4] parameter(1) y = T[0,4] dot(a, b), " +
		"lhs_contracting_dims={1}, rhs_contracting_dims={0}", "0,4"},
}

// epilogues are what is done to y, of dimensions D the last of which has F elements and is number L, number 1 of which
// has S; c is another array.
var epilogues = []string{
	"ROOT r = T[D] add(y, c)",
	"v = T[F] parameter(3) w = T[D] broadcast(v), dimensions={L} ROOT r = T[D] add(w, y)",
	"v = T[F] parameter(3) w = T[D] broadcast(v), dimensions={L} s = T[D] add(y, w) z = T[] constant(0) " +
		"o = T[D] broadcast(z), dimensions={} ROOT r = T[D] maximum(s, o)",
	"v = T[F] parameter(3) w = T[D] broadcast(v), dimensions={L} s = T[D] add(y, w) t = T[D] add(c, s) z = T[] constant(0) " +
		"o = T[D] broadcast(z), dimensions={} ROOT r = T[D] maximum(o, t)",
	"s = T[D] add(y, c) z = T[] constant(0) o = T[D] broadcast(z), dimensions={} u = T[D] maximum(s, o) " +
		"ROOT r = T[D] multiply(u, c)",
	"s = T[D] add(y, c) z = T[] constant(0) o = T[D] broadcast(z), dimensions={} u = T[D] maximum(s, o) " +
		"ROOT r = T[D] subtract(u, s)",
	"v = T[F] parameter(3) w = T[D] broadcast(v), dimensions={L} s = T[D] add(y, w) t = T[D] add(s, c) z = T[] constant(-1) " +
		"h = T[] constant(6) ROOT r = T[D] clamp(z, t, h)",
	"n = T[D] negate(y) m = T[D] multiply(n, c) ROOT r = s8[D] convert(m)",
	"i = s32[D] iota(), iota_dimension=0 j = T[D] convert(i) s = T[D] subtract(j, y) q = T[D] multiply(s, s) " +
		"ROOT r = f64[D] convert(q)",
	"v = T[S] parameter(3) w = T[D] broadcast(v), dimensions={1} s = T[D] add(y, w) t = T[D] add(s, c) z = T[] constant(0) " +
		"o = T[D] broadcast(z), dimensions={} ROOT r = T[D] maximum(o, t)",
	"v = T[D] reverse(y), dimensions={L} ROOT r = T[D] subtract(y, v)",
	"v = T[D] reverse(y), dimensions={0} w = T[D] multiply(v, c) ROOT r = T[D] add(w, y)",
}

// epilogueProgram is a contraction with an epilogue.
func epilogueProgram(i, k int, t shape.ElementType) string {
	c := withEpilogue[i]
	dims := strings.Split(c.dims, ",")
	epilogue := strings.NewReplacer("[D]", "["+c.dims+"]", "[F]", "["+dims[len(dims)-1]+"]", "[S]", "["+dims[1]+"]",
		"{L}", fmt.Sprintf("{%d}", len(dims)-1)).Replace(epilogues[k])
	return strings.ReplaceAll("ENTRY e { "+c.text+" c = T["+c.dims+"] parameter(2) "+epilogue+" }", "T[", t.String()+"[")
}

// smallArguments are small arrays for all parameters of a module.
func smallArguments(r *rand.Rand, m *hlo.Module) (args []*literal.Literal) {
	for _, p := range m.Entry.Parameters {
		args = append(args, small(r, p.Shape))
	}
	return args
}

// small fills an array with integers of which products and sums are exact.
func small(r *rand.Rand, s shape.Shape) *literal.Literal {
	l := literal.Zeros(s)
	for i := range s.Size() {
		bits := s.Type.FromFloat64(float64(r.IntN(5) - 2))
		for j := range s.Type.Bytes() {
			l.Bytes()[int(i)*s.Type.Bytes()+j] = byte(bits >> (8 * j))
		}
	}
	return l
}

// TestEpilogues wants of contractions with epilogues what the reference gives, to the bit: with known weights and with
// others, with NaN and infinities, for 1 and 3 threads.
func TestEpilogues(t *testing.T) {
	r := rand.New(rand.NewPCG(21, 1))
	for i := range withEpilogue {
		for k := range epilogues {
			for _, typ := range []shape.ElementType{shape.F32, shape.BF16, shape.F16, shape.F64} {
				text := epilogueProgram(i, k, typ)
				m, reference := compile(t, exec.Reference(), text)
				args := smallArguments(r, m)
				if r.IntN(2) == 0 {
					sprinkle(r, args[0])
					sprinkle(r, args[2])
				}
				want := execute(t, reference, args...)
				for _, threads := range []int{1, 3} {
					_, p := compile(t, New(Options{Threads: threads}), text)
					if d := literal.Compare(execute(t, p, args...), want, literal.Tolerance{}); d != nil {
						t.Fatalf("%d threads: %v\n%s", threads, d, text)
					}
					q := compileBound(t, New(Options{Threads: threads}), m, map[int64]*literal.Literal{1: args[1]})
					rest := append(args[:1:1], args[2:]...)
					if d := literal.Compare(execute(t, q, rest...), want, literal.Tolerance{}); d != nil {
						t.Fatalf("%d threads, known weights: %v\n%s", threads, d, text)
					}
				}
			}
		}
	}
}

// compileBound compiles a module with the values of some parameters.
func compileBound(t *testing.T, b exec.Backend, m *hlo.Module, values map[int64]*literal.Literal) exec.Program {
	t.Helper()
	m, err := pass.Bind(m, values)
	if err != nil {
		t.Fatal(err)
	}
	p, err := b.Compile(t.Context(), m, exec.Options{Verify: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	return p
}

// TestEpilogueIsOneStep wants a contraction and its epilogue to be one step.
func TestEpilogueIsOneStep(t *testing.T) {
	testfile.Native(t, run.Available())
	for i := range withEpilogue {
		_, p := compile(t, New(Options{}), epilogueProgram(i, 2, shape.F32))
		if n := len(p.Report()); n != 1 {
			t.Errorf("%s: got %d steps, want 1", withEpilogue[i].text, n)
		}
	}
}
