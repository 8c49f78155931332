package lapack_test

import (
	"errors"
	"math"
	"math/cmplx"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/halo-xla/halo/customcall/lapack"
	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

func TestGeev(t *testing.T) {
	each(t, func(t *testing.T, r *rand.Rand, k kind, lead []int64, count int) {
		const n = 6
		list, a := several(r, k, lead, count, n, n, nil)
		vectorsOf := map[bool]shape.ElementType{true: k.t, false: map[shape.ElementType]shape.ElementType{
			shape.F32: shape.C64, shape.F64: shape.C128}[k.t]}[k.complex()]
		results := []shape.Shape{of(k.t, lead, n), of(vectorsOf, lead, n, n), of(vectorsOf, lead, n, n), of(shape.S32, lead)}
		if !k.complex() {
			results = append(results[:1:1], results...)
		}
		out := call(t, k.name("geev", ""), "{compute_left = 86 : ui8, compute_right = 86 : ui8}", results, a)
		last := len(out) - 1
		values := vectors(out[0])
		left, right := matrices(out[last-2]), matrices(out[last-1])
		for i := range list {
			if !k.complex() {
				for j, im := range vectors(out[1])[i].v {
					values[i].v[j] += im * 1i
				}
			}
			w, tol := diagonal(values[i].v), 1000*n*k.ulp
			near(t, "A V", list[i].times(right[i]), right[i].times(w), tol)
			near(t, "Uᴴ A", left[i].adjoint().times(list[i]), w.times(left[i].adjoint()), tol)
		}
	})
}

func TestGees(t *testing.T) {
	each(t, func(t *testing.T, r *rand.Rand, k kind, lead []int64, count int) {
		const n = 6
		list, a := several(r, k, lead, count, n, n, nil)
		results := []shape.Shape{a.Shape(), a.Shape(), of(k.t, lead, n), of(k.t, lead, n), of(shape.S32, lead), of(shape.S32, lead)}
		if k.complex() {
			results = append(results[:3:3], results[4:]...)
		}
		out := call(t, k.name("gees", ""), "{mode = 86 : ui8, sort = 78 : ui8}", results, a)
		for i, s := range matrices(out[0]) {
			z := matrices(out[1])[i]
			near(t, "Z T Zᴴ", z.times(s).times(z.adjoint()), list[i], 1000*n*k.ulp)
			near(t, "Zᴴ Z", z.adjoint().times(z), identity(n), 1000*n*k.ulp)
			beside := 1 // of real numbers: blocks of two
			if k.complex() {
				beside = 0
			}
			low := s.keep(func(i, j int) bool { return i > j+beside })
			near(t, "below the diagonal", low, zeros(n, n), 0)
		}
	})
}

// house is the product of the reflectors whose vectors begin offset rows below the diagonal of a.
func house(a matrix, tau []complex128, offset int) matrix {
	q := identity(a.m)
	for j, t := range tau {
		v := zeros(a.m, 1)
		for i := j + offset; i < a.m; i++ {
			v.set(i, 0, a.at(i, j))
		}
		v.set(j+offset, 0, 1)
		h := v.times(v.adjoint())
		for i := range h.v {
			h.v[i] *= -t
		}
		for i := range a.m {
			h.set(i, i, h.at(i, i)+1)
		}
		q = q.times(h)
	}
	return q
}

func TestGehrd(t *testing.T) {
	each(t, func(t *testing.T, r *rand.Rand, k kind, lead []int64, count int) {
		const n = 6
		list, a := several(r, k, lead, count, n, n, nil)
		out := call(t, k.name("gehrd", ""), "{high = 6 : i32, low = 1 : i32}",
			[]shape.Shape{a.Shape(), of(k.t, lead, n-1), of(shape.S32, lead)}, a)
		for i, f := range matrices(out[0]) {
			q := house(f, vectors(out[1])[i].v, 1)
			h := f.keep(func(i, j int) bool { return i <= j+1 })
			near(t, "Q H Qᴴ", q.times(h).times(q.adjoint()), list[i], 500*n*k.ulp)
		}
	})
}

func TestSytrd(t *testing.T) {
	each(t, func(t *testing.T, r *rand.Rand, k kind, lead []int64, count int) {
		const n = 6
		list, a := several(r, k, lead, count, n, n, hermitian)
		out := call(t, k.name("sytrd", "hetrd"), "{uplo = 76 : ui8}", []shape.Shape{a.Shape(), of(k.real(), lead, n),
			of(k.real(), lead, n-1), of(k.t, lead, n-1), of(shape.S32, lead)}, a)
		for i, f := range matrices(out[0]) {
			q, d := house(f, vectors(out[3])[i].v, 1), diagonal(vectors(out[1])[i].v)
			for j, e := range vectors(out[2])[i].v {
				d.set(j, j+1, e)
				d.set(j+1, j, e)
			}
			near(t, "Q T Qᴴ", q.times(d).times(q.adjoint()), list[i], 500*n*k.ulp)
		}
	})
}

func TestGtsv(t *testing.T) {
	each(t, func(t *testing.T, r *rand.Rand, k kind, lead []int64, count int) {
		const n, columns = 7, 3
		var parts [3][]matrix
		var args [3]*literal.Literal
		for i := range parts {
			for range count {
				parts[i] = append(parts[i], random(r, k, n, 1))
			}
			args[i] = literalOf(k.t, of(k.t, lead, n).Dims, parts[i]...)
		}
		list, b := several(r, k, lead, count, n, columns, nil)
		band := args[0].Shape()
		out := call(t, k.name("gtsv", ""), "{}", []shape.Shape{band, band, band, b.Shape(), of(shape.S32, lead)},
			args[0], args[1], args[2], b)
		gpu := call(t, "cusparse_gtsv2_ffi", "{}", []shape.Shape{b.Shape()}, args[0], args[1], args[2], b)
		for i, x := range matrices(out[3]) {
			a := zeros(n, n)
			for j := range n {
				a.set(j, j, parts[1][i].v[j])
				if j > 0 {
					a.set(j, j-1, parts[0][i].v[j])
					a.set(j-1, j, parts[2][i].v[j-1])
				}
			}
			size := 0.0
			for _, v := range x.v {
				size = max(size, cmplx.Abs(v))
			}
			near(t, "A X", a.times(x), list[i], 500*n*k.ulp*(1+size))
			near(t, "cusparse", matrices(gpu[0])[i], x, 0)
		}
	})
}

// A system may have more unknowns than a dense matrix may have rows.
func TestLongGtsv(t *testing.T) {
	const n = 100_000
	ones := make([]float32, n)
	for i := range ones {
		ones[i] = 1
	}
	line := vector(t, ones...)
	b, err := line.WithShape(of(shape.F32, nil, n, 1))
	if err != nil {
		t.Fatal(err)
	}
	none := literal.Zeros(line.Shape())
	out := call(t, "lapack_sgtsv_ffi", "{}", []shape.Shape{line.Shape(), line.Shape(), line.Shape(), b.Shape(),
		of(shape.S32, nil)}, none, line, none, b)
	if !literal.Equal(out[3], b) {
		t.Error("the solution is not the right-hand side")
	}
}

func scalars(list ...int32) []*literal.Literal {
	out := make([]*literal.Literal, len(list))
	for i, v := range list {
		out[i] = literal.Scalar(v)
	}
	return out
}

// Targets of older releases have sizes and flags as operands, and work space among their results.
func TestOlder(t *testing.T) {
	k := kinds[1]
	r := rand.New(rand.NewPCG(1, 2))
	const n = 4
	_, a := several(r, k, nil, 1, n, n, positive)
	square, line, info := a.Shape(), of(k.t, nil, n), of(shape.S32, nil)
	work := of(k.t, nil, 11)
	pairs := of(shape.C128, nil, n, n)
	for _, x := range []struct {
		old     string
		scalars []*literal.Literal
		results []shape.Shape
		today   string
		config  string
		wants   []shape.Shape
		same    [][2]int // old result, today's
	}{
		{"potrf", scalars(1, 1, n), []shape.Shape{square, info}, "potrf", "{uplo = 76 : ui8}", []shape.Shape{square, info},
			[][2]int{{0, 0}, {1, 1}}},
		{"getrf", scalars(1, n, n), []shape.Shape{square, of(shape.S32, nil, n), info}, "getrf", "{}",
			[]shape.Shape{square, of(shape.S32, nil, n), info}, [][2]int{{0, 0}, {1, 1}, {2, 2}}},
		{"geqrf", scalars(1, n, n, 11), []shape.Shape{square, line, info, work}, "geqrf", "{}", []shape.Shape{square, line},
			[][2]int{{0, 0}, {1, 1}}},
		{"syevd", scalars(0, 1, n), []shape.Shape{square, line, info, work, of(shape.S32, nil, 5)}, "syevd",
			"{mode = 86 : ui8, uplo = 85 : ui8}", []shape.Shape{square, line, info}, [][2]int{{0, 0}, {1, 1}, {2, 2}}},
		{"gesdd", scalars(0, 1, 1, n, n, 11), []shape.Shape{square, line, square, square, info, of(shape.S32, nil, 5), work},
			"gesdd", "{mode = 83 : ui8}", []shape.Shape{square, line, square, square, info},
			[][2]int{{1, 1}, {2, 2}, {3, 3}, {4, 4}}},
		{"geev", scalars(1, n, 'V', 'V'), []shape.Shape{square, square, square, line, line, pairs, pairs, info}, "geev",
			"{compute_left = 86 : ui8, compute_right = 86 : ui8}", []shape.Shape{line, line, pairs, pairs, info},
			[][2]int{{3, 0}, {4, 1}, {5, 2}, {6, 3}, {7, 4}}},
		{"gees", scalars(1, n, 'V', 'N'), []shape.Shape{square, line, line, square, info, info}, "gees",
			"{mode = 86 : ui8, sort = 78 : ui8}", []shape.Shape{square, square, line, line, info, info},
			[][2]int{{0, 0}, {3, 1}, {1, 2}, {2, 3}, {5, 5}}},
		{"gehrd", scalars(n, 1, n, n, 1, 11), []shape.Shape{square, of(k.t, nil, n-1), info, work}, "gehrd",
			"{high = 4 : i32, low = 1 : i32}", []shape.Shape{square, of(k.t, nil, n-1), info}, [][2]int{{0, 0}, {1, 1}}},
		{"sytrd", scalars(n, 1, n, 1, 11), []shape.Shape{square, line, of(k.t, nil, n-1), of(k.t, nil, n-1), info, work},
			"sytrd", "{uplo = 76 : ui8}", []shape.Shape{square, line, of(k.t, nil, n-1), of(k.t, nil, n-1), info},
			[][2]int{{0, 0}, {1, 1}, {2, 2}, {3, 3}}},
	} {
		t.Run(x.old, func(t *testing.T) {
			got := call(t, "lapack_d"+x.old, "", x.results, append(x.scalars, a)...)
			want := call(t, "lapack_d"+x.today+"_ffi", x.config, x.wants, a)
			for _, p := range x.same {
				if d := literal.Compare(got[p[0]], want[p[1]], literal.Tolerance{Bits: true}); d != nil {
					t.Errorf("result %d: %v", p[0], d)
				}
			}
		})
	}
}

// An old descriptor says where the triangle is: bytes are type, triangle, batch, n, size of the work space.
func TestDescriptor(t *testing.T) {
	k := kinds[0]
	a := matrix{2, 2, []complex128{2, 5, 1, 2}} // neither triangle is the other's mirror
	l := literalOf(k.t, []int64{2, 2}, a)
	results := []shape.Shape{l.Shape(), of(k.t, nil, 2), of(shape.S32, nil), of(k.t, nil, 9)}
	for target, want := range map[string][2]float64{"\x00\x00\x00\x00z\x00\x00\x00": {1, 3}, "\x00\x00\x00\x00y\x00\x00\x00": {-3, 7}} {
		out := call(t, "hipsolver_syevd", target, results, l)
		w := vectors(out[1])[0].v
		if math.Abs(real(w[0])-want[0]) > 1e-5 || math.Abs(real(w[1])-want[1]) > 1e-5 {
			t.Errorf("%q: got %v, want %v", target, w, want)
		}
	}
}

func TestRefused(t *testing.T) {
	one := literal.Zeros(of(shape.F32, nil, 2, 2))
	square := []shape.Shape{one.Shape()}
	for _, x := range []struct {
		target, config, want string
		unsupported          bool
		results              []shape.Shape
	}{
		{"mosaic_gpu_v2", "", "a Mosaic kernel is code for a GPU", true, square},
		{"tpu_custom_call", "", "a Mosaic kernel is code for a TPU", true, square},
		{"xla_python_cpu_callback", "", "Python process", true, square},
		{"__gpu$xla.gpu.triton", "", "a Triton kernel is code for a GPU", true, square},
		{"triton_kernel_call", "", "a Triton kernel is code for a GPU", true, square},
		{"__cudnn$fmhaSoftmax", "", `custom call "__cudnn$fmhaSoftmax": it is a call of cuDNN`, true, square},
		{"cudnn_rnn", "", `custom call "cudnn_rnn": it is a call of cuDNN`, true, square},
		{"__op$block_scaled_dot", "", "no product along the last of two or three dimensions", true, square},
		{"tf.call_tf_function", "", "calls back into the TensorFlow program", true, square},
		{"cublas_trsm_batched", "", `no function is registered for the custom call "cublas_trsm_batched"`, true, square},
		{"lapack_spotrf_ffi", "{uplo = 76 : ui8}", "result 0 is f32[2], want f32[2,2]", false, []shape.Shape{of(shape.F32, nil, 2)}},
		{"lapack_spotrf_ffi", "{uplo = 77 : ui8}", "attribute uplo is 77, want one of the letters LU", false, square},
		{"lapack_spotrf_ffi", "{}", `attribute uplo is "", want a number`, false, square},
		{"lapack_spotrf_ffi", "{uplo = 76 : ui8", `backend_config: at byte 16: got "", want a comma or }`, false, square},
		{"lapack_spotrf_ffi", `{name = "a, uplo = 76", uplo = 77 : ui8}`, "attribute uplo is 77", false, square},
		{"lapack_spotrf_ffi", `{"uplo": 77}`, "attribute uplo is 77", false, square},
		{"lapack_sgetrf", "", "got 1 operands, want more than 3", false, square},
		{"lapack_sgtsv_ffi", "", "got 1 arrays, want 4", false, square},
	} {
		_, err := try(x.target, x.config, x.results, one)
		wantText(t, err, x.want)
		if errors.Is(err, errors.ErrUnsupported) != x.unsupported {
			t.Errorf("%s: got %v: is it unsupported?", x.target, err)
		}
	}
}

// wantText wants an error with a text.
func wantText(t *testing.T, err error, want string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v, want %q", err, want)
	}
}

// Sizes and flags that a program computes are known when it runs: an older target with such is not refused before.
func TestFlagsOfPrograms(t *testing.T) {
	m, err := hlo.Parse([]byte(`HloModule m
ENTRY e {
  lower = s32[] parameter(0)
  n = s32[] constant(1)
  a = f64[1,1] constant({{9}})
  ROOT r = (f64[1,1], s32[]) custom-call(lower, n, n, a), custom_call_target="lapack_dpotrf"
}`), "flags.hlo")
	if err != nil {
		t.Fatal(err)
	}
	if err := hlo.Unsupported(m, lapack.Handlers{}); err != nil {
		t.Fatal(err)
	}
	args := []*literal.Literal{literal.Scalar(int32(1))}
	out, err := hlo.Evaluate(t.Context(), m, args, hlo.EvalOptions{Handlers: lapack.Handlers{}})
	if err != nil {
		t.Fatal(err)
	}
	if got := out.Elems()[0]; got.Wide().F[0] != 3 {
		t.Errorf("got %v, want the root of 9", got)
	}
}

// Sizes that are known when the program runs are no reason to refuse it before.
func TestBoundedSizes(t *testing.T) {
	m, err := hlo.Parse([]byte(`HloModule m
ENTRY e {
  a = f64[<=3,2,2] parameter(0)
  ROOT r = (f64[<=3,2,2], s32[<=3]) custom-call(a), custom_call_target="lapack_dpotrf_ffi",
    operand_layout_constraints={f64[<=3,2,2]{1,2,0}}, api_version=API_VERSION_TYPED_FFI, backend_config={uplo = 76 : ui8}
}`), "bounded.hlo")
	if err != nil {
		t.Fatal(err)
	}
	if err := hlo.Unsupported(m, lapack.Handlers{}); err != nil {
		t.Fatal(err)
	}
	a := literalOf(shape.F64, []int64{2, 2, 2}, identity(2), identity(2))
	out, err := hlo.Evaluate(t.Context(), m, []*literal.Literal{a}, hlo.EvalOptions{Handlers: lapack.Handlers{}})
	if err != nil {
		t.Fatal(err)
	}
	if got := out.Elems()[1].Cropped(); !literal.Equal(got, vector(t, int32(0), 0)) {
		t.Errorf("info is %v, want two zeros", got)
	}
}

// Calls may run at once.
func TestAtOnce(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	a := random(r, kinds[2], 20, 20)
	l := literalOf(shape.C64, []int64{20, 20}, a)
	results := []shape.Shape{l.Shape(), of(shape.F32, nil, 20), l.Shape(), l.Shape(), of(shape.S32, nil)}
	want := call(t, "lapack_cgesdd_ffi", "{mode = 65 : ui8}", results, l)
	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() {
			for range 5 {
				got, err := try("lapack_cgesdd_ffi", "{mode = 65 : ui8}", results, l)
				if err != nil || !literal.Equal(got[1], want[1]) {
					t.Errorf("got %v, %v, want %v", got[1], err, want[1])
				}
			}
		})
	}
	wg.Wait()
}
