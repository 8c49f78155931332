//go:build cgo && linux

package cuda

import (
	"context"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/halo-xla/halo/customcall/lapack"
	"github.com/halo-xla/halo/xla/exec"
	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// solves are programs of an array x of elements T, of real parts R, in the sizes that dims says. kernel is what the
// library is reported as. What is not unique is put together again.
var solves = []struct{ name, kernel, dims, body string }{
	{"potrf", "cusolver potrf", "3,5,5", positive("3,5,5") + `
  ROOT r = (T[3,5,5]{1,2,0}, s32[3]) custom-call(a), custom_call_target="cusolver_potrf_ffi",
    operand_layout_constraints={T[3,5,5]{1,2,0}}, backend_config={lower = true}, api_version=API_VERSION_TYPED_FFI`},
	{"potrf of the upper triangle", "cusolver potrf", "4,4", positive("4,4") + `
  ROOT r = (T[4,4], s32[]) custom-call(a), custom_call_target="lapack_Lpotrf_ffi", backend_config={uplo = 85 : ui8},
    api_version=API_VERSION_TYPED_FFI`},
	{"getrf", "cusolver getrf", "2,4,6", `
  ROOT r = (T[2,4,6]{1,2,0}, s32[2,4], s32[2]) custom-call(x), custom_call_target="cusolver_getrf_ffi",
    operand_layout_constraints={T[2,4,6]{1,2,0}}, backend_config={}, api_version=API_VERSION_TYPED_FFI`},
	{"getrf of tall matrices", "cusolver getrf", "7,3", `
  ROOT r = (T[7,3], s32[3], s32[]) custom-call(x), custom_call_target="lapack_Lgetrf_ffi"`},
	{"geqrf", "cusolver geqrf", "2,6,4", `
  ROOT r = (T[2,6,4], T[2,4]) custom-call(x), custom_call_target="cusolver_geqrf_ffi"`},
	{"geqrf of wide matrices", "cusolver geqrf", "3,5", `
  ROOT r = (T[3,5], T[3]) custom-call(x), custom_call_target="Qr"`},
	{"orgqr", "cusolver orgqr", "2,6,4", `
  q = (T[2,6,4], T[2,4]) custom-call(x), custom_call_target="cusolver_geqrf_ffi"
  f = T[2,6,4] get-tuple-element(q), index=0
  tau = T[2,4] get-tuple-element(q), index=1
  ROOT r = T[2,6,4] custom-call(f, tau), custom_call_target="cusolver_orgqr_ffi"`},
	{"syevd", "cusolver syevd", "2,5,5", eigen("2,5,5", "lower = true")},
	{"syevd of the upper triangle", "cusolver syevd", "4,4", eigen("4,4", "lower = false")},
	{"gesvd", "cusolver gesvd", "2,6,4", singular("2,6,4", "cusolver_gesvd_ffi", "full_matrices = false, compute_uv = true")},
	{"gesvd, all vectors", "cusolver gesvd", "6,4",
		singular("6,4", "cusolver_gesvd_ffi", "full_matrices = true, compute_uv = true")},
	{"gesvd of wide matrices", "cusolver gesvd", "2,3,5",
		singular("2,3,5", "cusolver_gesvd_ffi", "full_matrices = false, compute_uv = true")},
	{"gesvd of wide matrices, all vectors", "cusolver gesvd", "3,5",
		singular("3,5", "cusolver_gesvd_ffi", "full_matrices = true, compute_uv = true")},
	{"gesvdj", "cusolver gesvd", "2,5,4", singular("2,5,4", "cusolver_gesvdj_ffi",
		"full_matrices = false, compute_uv = true")},
	{"gesvdj of wide matrices", "cusolver gesvd", "4,6", singular("4,6", "cusolver_gesvdj_ffi",
		"full_matrices = true, compute_uv = true")},
	{"gesvd without vectors", "cusolver gesvd", "2,3,5", `
  q = (T[2,3,5], R[2,3], T[2,3,3], T[2,5,5], s32[2]) custom-call(x), custom_call_target="cusolver_gesvd_ffi",
    backend_config={full_matrices = true, compute_uv = false}, api_version=API_VERSION_TYPED_FFI
  s = R[2,3] get-tuple-element(q), index=1
  u = T[2,3,3] get-tuple-element(q), index=2
  i = s32[2] get-tuple-element(q), index=4
  ROOT r = (R[2,3], T[2,3,3], s32[2]) tuple(s, u, i)`},
	{"gesvd of the transpose", "cusolver gesvd", "3,5", `
  q = (T[3,5], R[3], T[3,5], T[3,3], s32[]) custom-call(x), custom_call_target="cusolver_gesvd_ffi",
    operand_layout_constraints={T[3,5]{1,0}},
    backend_config={compute_uv = true, full_matrices = false, transposed = true}, api_version=API_VERSION_TYPED_FFI
  s = R[3] get-tuple-element(q), index=1
  v = T[3,5] get-tuple-element(q), index=2
  u = T[3,3] get-tuple-element(q), index=3
  w = T[3] convert(s)
  b = T[3,3] broadcast(w), dimensions={1}
  us = T[3,3] multiply(u, b)
  a = T[3,5] dot(us, v), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  ROOT r = (R[3], T[3,5]) tuple(s, a)`},
	{"nothing", "host function", "0,3,3", `
  ROOT r = (T[0,3,3], s32[0,3], s32[0]) custom-call(x), custom_call_target="cusolver_getrf_ffi"`},
	{"an old name", "host function", "3,3", `
  ROOT r = (T[3,3], s32[3], s32[], T[9]) custom-call(x), custom_call_target="cusolver_getrf"`},
	{"cholesky of small matrices", "cuda cholesky", "2,8,8", positive("2,8,8") + `
  ROOT r = T[2,8,8] cholesky(a), lower=true`},
}

// adjoined is text that makes y of dims its adjoint h, and the number of batch dimensions.
func adjoined(y, dims string) (string, int) {
	lead := strings.Count(dims, ",") - 1
	order := "1,0"
	if lead == 1 {
		order = "0,2,1"
	}
	return fmt.Sprintf("\n  c = T[%[1]s] CONJ(%[2]s)\n  h = T[%[1]s] transpose(c), dimensions={%[3]s}", dims, y, order), lead
}

// batched is the dimensions of a product of matrices with so many of the batch.
func batched(lead, lhs, rhs int) string {
	if lead == 0 {
		return fmt.Sprintf("lhs_contracting_dims={%d}, rhs_contracting_dims={%d}", lhs, rhs)
	}
	return fmt.Sprintf("lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={%d}, rhs_contracting_dims={%d}",
		1+lhs, 1+rhs)
}

// positive is text that makes of x positive matrices a.
func positive(dims string) string {
	text, lead := adjoined("x", dims)
	return text + fmt.Sprintf("\n  p = T[%[1]s] dot(x, h), %[2]s\n  i = s32[%[1]s] iota(), iota_dimension=%[3]d"+
		"\n  j = s32[%[1]s] iota(), iota_dimension=%[4]d\n  d = pred[%[1]s] compare(i, j), direction=EQ"+
		"\n  e = T[%[1]s] convert(d)\n  a = T[%[1]s] add(p, e)", dims, batched(lead, 1, 0), lead, lead+1)
}

// eigen is text that gives the eigenvalues of x plus its adjoint, the matrices put together again, and info.
func eigen(dims, config string) string {
	text, lead := adjoined("x", dims)
	few := dims[:strings.LastIndex(dims, ",")]
	whole, wide := few[:max(strings.LastIndex(few, ","), 0)], "0,2"[:1+2*lead]
	if lead == 0 {
		wide = "1"
	}
	return text + fmt.Sprintf(`
  a = T[%[1]s] add(x, h)
  q = (T[%[1]s], R[%[2]s], s32[%[3]s]) custom-call(a), custom_call_target="cusolver_syevd_ffi",
    backend_config={algorithm = 0 : ui8, %[4]s}, api_version=API_VERSION_TYPED_FFI
  v = T[%[1]s] get-tuple-element(q), index=0
  w = R[%[2]s] get-tuple-element(q), index=1
  info = s32[%[3]s] get-tuple-element(q), index=2
  z = T[%[2]s] convert(w)
  b = T[%[1]s] broadcast(z), dimensions={%[5]s}
  vw = T[%[1]s] multiply(v, b)
  vc = T[%[1]s] CONJ(v)
  again = T[%[1]s] dot(vw, vc), %[6]s
  ROOT r = (R[%[2]s], T[%[1]s], s32[%[3]s]) tuple(w, again, info)`, dims, few, whole, config, wide,
		batched(lead, 1, 1))
}

// singular is text that gives the singular values of x, the matrices put together again, the products of the left
// vectors, and info.
func singular(dims, target, config string) string {
	var lead []int
	var m, n int
	if strings.Count(dims, ",") == 2 {
		var b int
		fmt.Sscanf(dims, "%d,%d,%d", &b, &m, &n)
		lead = []int{b}
	} else {
		fmt.Sscanf(dims, "%d,%d", &m, &n)
	}
	k := min(m, n)
	u, v := k, k
	if strings.Contains(config, "full_matrices = true") {
		u, v = m, n
	}
	of := func(list ...int) string {
		return strings.Trim(strings.ReplaceAll(fmt.Sprint(append(append([]int(nil), lead...), list...)), " ", ","), "[]")
	}
	cut := func(rows, columns int) string {
		ranges := ""
		for _, d := range append(append([]int(nil), lead...), rows, columns) {
			ranges += fmt.Sprintf(", [0:%d]", d)
		}
		return ranges[2:]
	}
	rows, from, take := of(v, n), "vt", "  vr = T["+of(v, n)+"] get-tuple-element(q), index=3\n  vt = T["+of(v, n)+
		"] reshape(vr)\n"
	if strings.Contains(target, "gesvdj") {
		rows = of(n, v)
		order := "1,0"
		if lead != nil {
			order = "0,2,1"
		}
		take = fmt.Sprintf("  vr = T[%s] get-tuple-element(q), index=3\n  vc = T[%[1]s] CONJ(vr)\n"+
			"  vt = T[%s] transpose(vc), dimensions={%s}\n", of(n, v), of(v, n), order)
	}
	return fmt.Sprintf(`
  q = (T[%[1]s], R[%[2]s], T[%[3]s], T[%[4]s], s32[%[5]s]) custom-call(x), custom_call_target="%[6]s",
    backend_config={%[7]s}, api_version=API_VERSION_TYPED_FFI
  s = R[%[2]s] get-tuple-element(q), index=1
  u = T[%[3]s] get-tuple-element(q), index=2
  info = s32[%[5]s] get-tuple-element(q), index=4
%[8]s  uk = T[%[9]s] slice(u), slice={%[10]s}
  vk = T[%[11]s] slice(%[12]s), slice={%[13]s}
  w = T[%[2]s] convert(s)
  b = T[%[9]s] broadcast(w), dimensions={%[14]s}
  us = T[%[9]s] multiply(uk, b)
  again = T[%[1]s] dot(us, vk), %[15]s
  c = T[%[3]s] CONJ(u)
  unit = T[%[16]s] dot(c, u), %[17]s
  vp = T[%[11]s] CONJ(vk)
  whole = T[%[18]s] dot(vk, vp), %[19]s
  ROOT r = (R[%[2]s], T[%[1]s], T[%[16]s], T[%[18]s], s32[%[5]s]) tuple(s, again, unit, whole, info)`,
		dims, of(k), of(m, u), rows, of(), target, config, take, of(m, k), cut(m, k), of(k, n), from, cut(k, n),
		map[bool]string{true: "1", false: "0,2"}[lead == nil], batched(len(lead), 1, 0), of(u, u),
		batched(len(lead), 0, 0), of(k, k), batched(len(lead), 1, 1))
}

// solveText is a program for elements of a type.
func solveText(of shape.ElementType, dims, body string) string {
	real, letter := map[shape.ElementType]string{shape.C64: "f32", shape.C128: "f64"}[of], map[shape.ElementType]string{
		shape.F32: "s", shape.F64: "d", shape.C64: "c", shape.C128: "z"}[of]
	if real == "" {
		real = of.String()
	}
	body = strings.NewReplacer("T[", of.String()+"[", "R[", real+"[", "_L", "_"+letter).Replace(body)
	text := ""
	for _, line := range strings.Split(body, "\n") {
		name, call, found := strings.Cut(line, "CONJ(")
		if !found {
			text += line + "\n"
			continue
		}
		x, name, s := strings.TrimSuffix(call, ")"), strings.Fields(name)[0], strings.Fields(name)[2]
		if !of.IsComplex() {
			text += fmt.Sprintf("  %s = %s reshape(%s)\n", name, s, x)
			continue
		}
		part := strings.Replace(s, of.String(), real, 1)
		text += fmt.Sprintf("  %[1]sre = %[3]s real(%[4]s)\n  %[1]sim = %[3]s imag(%[4]s)\n  %[1]sne = %[3]s negate(%[1]sim)\n"+
			"  %[1]s = %[2]s complex(%[1]sre, %[1]sne)\n", name, s, part, x)
	}
	return fmt.Sprintf("HloModule m\nENTRY e { x = %s[%s] parameter(0)%s }", of, dims, text)
}

// withLAPACK are the options of programs that call LAPACK.
var withLAPACK = exec.Options{Handlers: lapack.Handlers{}}

// kernels counts what the program's custom calls and factorizations are run by.
func kernels(p exec.Program) map[string]int {
	count := map[string]int{}
	for _, r := range p.Report() {
		if r.Op == "custom-call" || r.Op == "cholesky" {
			count[r.Kernel]++
		}
	}
	return count
}

// TestSolves compares factorizations and decompositions with the evaluator's, by the library and without it, and wants
// what runs them told.
func TestSolves(t *testing.T) {
	for _, x := range []struct {
		libs string
		of   shape.ElementType
		near float64
	}{{"", shape.F32, 1e-4}, {"", shape.F64, 1e-11}, {"", shape.C64, 1e-4}, {"", shape.C128, 1e-11},
		{"-cusolver", shape.F32, 1e-4}} {
		t.Run(x.of.String()+x.libs, func(t *testing.T) {
			t.Setenv("HALO_LIBS", x.libs)
			b := either(t)
			var list []*program
			want := map[string]int{}
			for _, c := range solves {
				m := parsed(t, solveText(x.of, c.dims, c.body))
				arg := randomLiteral(rand.New(rand.NewPCG(3, 4)), m.Entry.Parameters[0].Shape, false)
				list = append(list, &program{c.name, m, []*literal.Literal{arg}, literal.Tolerance{RTol: x.near, ATol: x.near}})
				if x.libs != "" && strings.HasPrefix(c.kernel, "cusolver") {
					c.kernel = "host function"
				}
				want[c.kernel]++
				if c.name == "orgqr" { // of what geqrf gives
					want[strings.Replace(c.kernel, "orgqr", "geqrf", 1)]++
				}
			}
			checkSolves(t, b, list, want)
		})
	}
}

func checkSolves(t *testing.T, b exec.Backend, list []*program, want map[string]int) {
	t.Helper()
	m, args := joined(t, list)
	p := compiled(t, b, m, withLAPACK)
	if got := kernels(p); !maps.Equal(got, want) {
		t.Errorf("run by %v, want %v", got, want)
	}
	for range 3 {
		out, err := p.Run(context.Background(), [][]*literal.Literal{args}, exec.RunOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for i, x := range list {
			want := answer(t, exec.Reference(), x.m.Text(), withLAPACK, x.args...)
			if d := literal.Compare(out[0].Elems()[i], want, x.tol); d != nil {
				t.Errorf("%s\n%s\n%v", x.name, x.m.Text(), d)
			}
		}
	}
}

// TestLargeCholesky factors matrices that are large enough for the library, and one that is not positive.
func TestLargeCholesky(t *testing.T) {
	b := either(t)
	const n = libraryFromTest
	for _, c := range []struct {
		of    shape.ElementType
		batch int64
		lower bool
	}{{shape.F32, 2, true}, {shape.C64, 1, false}} {
		text := fmt.Sprintf("HloModule m\nENTRY e { x = %[1]s[%[2]d,%[3]d,%[3]d] parameter(0)\n"+
			" ROOT r = %[1]s[%[2]d,%[3]d,%[3]d] cholesky(x), lower=%[4]v }", c.of, c.batch, n, c.lower)
		p := compiled(t, b, parsed(t, text), withLAPACK)
		if got := kernels(p); got["cusolver potrf"] != 1 {
			t.Errorf("run by %v", got)
		}
		x := positiveLiteral(c.of, c.batch, n)
		got, want := answer(t, b, text, withLAPACK, x), answer(t, exec.Reference(), text, withLAPACK, x)
		if d := literal.Compare(got, want, literal.Tolerance{RTol: 1e-4, ATol: 1e-5}); d != nil {
			t.Errorf("%s\n%v", text, d)
		}
	}
	text := fmt.Sprintf("HloModule m\nENTRY e { x = f32[%[1]d,%[1]d] parameter(0)\n"+
		" ROOT r = f32[%[1]d,%[1]d] cholesky(x), lower=true }", n)
	for i, v := range answer(t, b, text, withLAPACK, filled(shape.F32, -1, n, n)).Wide().F {
		if !math.IsNaN(v) {
			t.Fatalf("element %d is %v, want NaN", i, v)
		}
	}
}

// libraryFromTest is the size from which the library factors.
const libraryFromTest = 256

// positiveLiteral is positive matrices; what lies in the other triangle is their conjugates.
func positiveLiteral(of shape.ElementType, batch, n int64) *literal.Literal {
	r := rand.New(rand.NewPCG(5, 6))
	s := shape.Array(of, batch, n, n)
	w := literal.MakeWide(of.Class(), int(s.Size()))
	for z := range batch {
		for i := range n {
			for j := range i + 1 {
				at, turned := (z*n+i)*n+j, (z*n+j)*n+i
				re, im := r.NormFloat64(), r.NormFloat64()
				if i == j {
					re, im = 4*math.Sqrt(float64(n)), 0
				}
				if of.IsComplex() {
					w.C[at], w.C[turned] = complex(re, im), complex(re, -im)
				} else {
					w.F[at], w.F[turned] = re, re
				}
			}
		}
	}
	return literal.FromWide(s, w)
}

// TestNotFinite wants of a matrix with a NaN what the evaluator gives, and of the others of a batch what they are.
func TestNotFinite(t *testing.T) {
	b := either(t)
	for _, of := range []shape.ElementType{shape.F32, shape.C128} {
		for _, x := range []struct{ dims, body string }{
			{"2,3,3", `
  ROOT r = (T[2,3,3], R[2,3], s32[2]) custom-call(x), custom_call_target="cusolver_syevd_ffi",
    backend_config={algorithm = 0 : ui8, lower = true}, api_version=API_VERSION_TYPED_FFI`},
			{"2,4,3", `
  ROOT r = (T[2,4,3], R[2,3], T[2,4,3], T[2,3,3], s32[2]) custom-call(x), custom_call_target="cusolver_gesvd_ffi",
    backend_config={full_matrices = false, compute_uv = true}, api_version=API_VERSION_TYPED_FFI`},
		} {
			text := solveText(of, x.dims, x.body)
			s := parsed(t, text).Entry.Parameters[0].Shape
			w := literal.MakeWide(of.Class(), int(s.Size()))
			n := len(w.F) + len(w.C)
			set := func(i int, v float64) {
				if of.IsComplex() {
					w.C[i] = complex(1, v)
				} else {
					w.F[i] = v
				}
			}
			for i := range n {
				set(i, float64(i%3))
			}
			set(3, math.NaN()) // below the diagonal of the first matrix
			set(n/2+1, 1)
			in := literal.FromWide(s, w)
			got, want := answer(t, b, text, withLAPACK, in).Elems(), answer(t, exec.Reference(), text, withLAPACK, in).Elems()
			for i := range got {
				k := len(got[i].Bytes()) / 2 // of the first
				if x, y := half(got[i], 0), half(want[i], 0); x != y {
					t.Errorf("%s\nresult %d of the first is %v, want %v", text, i, x, y)
				}
				if strings.Contains(half(got[i], 1), "NaN") || k == 0 {
					t.Errorf("%s\nresult %d of the second is %v", text, i, half(got[i], 1))
				}
			}
		}
	}
}

// half is one half of the elements of l as text.
func half(l *literal.Literal, i int) string {
	w := l.Wide()
	return strings.ReplaceAll(fmt.Sprint(w.F[len(w.F)/2*i:len(w.F)/2*(i+1)], w.C[len(w.C)/2*i:len(w.C)/2*(i+1)],
		w.I[len(w.I)/2*i:len(w.I)/2*(i+1)]), "-0 ", "0 ")
}

// TestSolveInfo wants info told of matrices that have no factorization.
func TestSolveInfo(t *testing.T) {
	b := either(t)
	const zeros = `
  z = T[2,3,3] subtract(x, x)`
	for body, want := range map[string]string{
		zeros + `
  q = (T[2,3,3], s32[2,3], s32[2]) custom-call(z), custom_call_target="cusolver_getrf_ffi"
  ROOT i = s32[2] get-tuple-element(q), index=2`: "s32[2] {1, 1}",
		zeros + `
  q = (T[2,3,3], s32[2]) custom-call(z), custom_call_target="cusolver_potrf_ffi", backend_config={lower = true},
    api_version=API_VERSION_TYPED_FFI
  ROOT i = s32[2] get-tuple-element(q), index=1`: "s32[2] {1, 1}",
	} {
		text := solveText(shape.F32, "2,3,3", body)
		if got := answer(t, b, text, withLAPACK, numbers(t, 2, 3, 3)).String(); got != want {
			t.Errorf("%s\ngot %s, want %s", text, got, want)
		}
	}
}

// aSolve is a program that needs the library.
const aSolve = `
  a = T[2,3,3] sine(x)
  q = (T[2,3,3], s32[2,3], s32[2]) custom-call(a), custom_call_target="cusolver_getrf_ffi"
  u = T[2,3,3] get-tuple-element(q), index=0
  ROOT r = T[2,3,3] negate(u)`

// TestSolverVersion wants a library of another version left alone, and said so.
func TestSolverVersion(t *testing.T) {
	emulated(t)
	t.Setenv("HALO_CUDA_EMU_LIB_VERSION", "cusolver:10200")
	b := emulated(t)
	text := solveText(shape.F32, "2,3,3", aSolve)
	if got := kernels(compiled(t, b, parsed(t, text), withLAPACK)); got["host function"] != 1 {
		t.Errorf("run by %v", got)
	}
	info, err := Describe(Options{Emulated: true})
	if err != nil || !strings.Contains(info.Solver, "version 10.2.0, want 11 or 12") {
		t.Errorf("got %v, %v", info, err)
	}
}

// TestSolveLoop runs the library in a loop and in the branches of a choice.
func TestSolveLoop(t *testing.T) {
	b := either(t)
	const text = `HloModule m
cond { s = (s32[], f32[3,3]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  n = s32[] constant(3)
  ROOT more = pred[] compare(i, n), direction=LT }
lu { a = f32[3,3] parameter(0)
  q = (f32[3,3], s32[3], s32[]) custom-call(a), custom_call_target="cusolver_getrf_ffi"
  ROOT f = f32[3,3] get-tuple-element(q), index=0 }
twice { v = f32[3,3] parameter(0)
  ROOT w = f32[3,3] add(v, v) }
body { s = (s32[], f32[3,3]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  x = f32[3,3] get-tuple-element(s), index=1
  one = s32[] constant(1)
  j = s32[] add(i, one)
  y = f32[3,3] conditional(i, x, x), branch_computations={lu, twice}
  ROOT t = (s32[], f32[3,3]) tuple(j, y) }
ENTRY e { x = f32[3,3] parameter(0)
  zero = s32[] constant(0)
  s = (s32[], f32[3,3]) tuple(zero, x)
  ROOT w = (s32[], f32[3,3]) while(s), condition=cond, body=body }`
	x := numbers(t, 3, 3)
	got, want := answer(t, b, text, withLAPACK, x), answer(t, exec.Reference(), text, withLAPACK, x)
	if d := literal.Compare(got, want, literal.Tolerance{RTol: 1e-5, ATol: 1e-5}); d != nil {
		t.Error(d)
	}
}
