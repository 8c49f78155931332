package cpu_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/halo-xla/halo/backend/cpu"
	"github.com/halo-xla/halo/customcall/lapack"
	"github.com/halo-xla/halo/xla/exec"
)

// matrices is a batch of symmetric matrices that are positive, of n rows.
const matrices = `
  i = %[1]s[%[2]s] iota(), iota_dimension=%[4]d
  j = %[1]s[%[2]s] iota(), iota_dimension=%[5]d
  b = %[1]s[%[2]s] iota(), iota_dimension=0
  c = %[1]s[] constant(1)
  ones = %[1]s[%[2]s] broadcast(c), dimensions={}
  ij = %[1]s[%[2]s] multiply(i, j)
  sum = %[1]s[%[2]s] add(i, j)
  less = %[1]s[%[2]s] add(sum, ones)
  inverse = %[1]s[%[2]s] divide(ones, less)
  same = pred[%[2]s] compare(i, j), direction=EQ
  zeros = %[1]s[%[2]s] subtract(ones, ones)
  three = %[1]s[] constant(%[3]s)
  many = %[1]s[%[2]s] broadcast(three), dimensions={}
  large = %[1]s[%[2]s] add(many, b)
  diagonal = %[1]s[%[2]s] select(same, large, zeros)
  a = %[1]s[%[2]s] add(inverse, diagonal)
`

// Routines give what the evaluator gives, which runs the same handlers on literals.
func TestRoutines(t *testing.T) {
	for _, x := range []struct{ name, dims, body string }{
		{"potrf", "3,5,5", `ROOT r = (f32[3,5,5]{1,2,0}, s32[3]) custom-call(a), custom_call_target="lapack_spotrf_ffi",
  operand_layout_constraints={f32[3,5,5]{1,2,0}}, backend_config={uplo = 76 : ui8}, api_version=API_VERSION_TYPED_FFI`},
		{"getrf", "2,4,6", `ROOT r = (f32[2,4,6]{1,2,0}, s32[2,4], s32[2]) custom-call(a),
  custom_call_target="lapack_sgetrf_ffi", operand_layout_constraints={f32[2,4,6]{1,2,0}}, backend_config={},
  api_version=API_VERSION_TYPED_FFI`},
		{"geqrf and orgqr", "2,6,4", `q = (f32[2,6,4], f32[2,4]) custom-call(a), custom_call_target="lapack_sgeqrf_ffi"
  f = f32[2,6,4] get-tuple-element(q), index=0
  tau = f32[2,4] get-tuple-element(q), index=1
  ROOT r = f32[2,6,4] custom-call(f, tau), custom_call_target="lapack_sorgqr_ffi"`},
		{"Qr", "6,4", `ROOT q = (f32[6,4], f32[4]) custom-call(a), custom_call_target="Qr"`},
		{"syevd", "4,4", `ROOT r = (f32[4,4], f32[4], s32[]) custom-call(a), custom_call_target="cusolver_syevd_ffi",
  backend_config={algorithm = 0 : ui8, lower = true}, api_version=API_VERSION_TYPED_FFI`},
		{"gesdd", "2,3,5", `ROOT r = (f32[2,3,5], f32[2,3], f32[2,3,3], f32[2,3,5], s32[2]) custom-call(a),
  custom_call_target="lapack_sgesdd_ffi", backend_config={mode = 83 : ui8}, api_version=API_VERSION_TYPED_FFI`},
		{"gesvd of the transpose", "3,5", `ROOT r = (f32[3,5], f32[3], f32[3,5], f32[3,3], s32[]) custom-call(a),
  custom_call_target="hipsolver_gesvd_ffi", operand_layout_constraints={f32[3,5]{1,0}},
  backend_config={compute_uv = true, full_matrices = false, transposed = true}, api_version=API_VERSION_TYPED_FFI`},
		{"an old name", "3,3", `n = s32[] constant(3)
  one = s32[] constant(1)
  ROOT r = (f32[3,3], s32[3], s32[]) custom-call(one, n, n, a), custom_call_target="lapack_sgetrf"`},
		{"no matrices", "0,3,3", `ROOT r = (f32[0,3,3], s32[0]) custom-call(a), custom_call_target="lapack_spotrf_ffi",
  backend_config={uplo = 76 : ui8}, api_version=API_VERSION_TYPED_FFI`},
		{"empty matrices", "2,0,0", `ROOT r = (f32[2,0,0], s32[2,0], s32[2]) custom-call(a),
  custom_call_target="lapack_sgetrf_ffi", api_version=API_VERSION_TYPED_FFI`},
	} {
		t.Run(x.name, func(t *testing.T) {
			agree(t, program{text: entry(x.dims, "1", x.body), o: exec.Options{Handlers: lapack.Handlers{}}})
		})
	}
}

func entry(dims, diagonal, body string) string {
	rank := strings.Count(dims, ",") + 1
	return "ENTRY e {" + fmt.Sprintf(matrices, "f32", dims, diagonal, rank-2, rank-1) + "  " + body + "\n}"
}

// Large matrices are factored on all threads, by other code than the evaluator's; the other triangle stays, and info
// says where a matrix is not positive.
func TestLargeCholesky(t *testing.T) {
	const body = `ROOT r = (f32[2,80,80], s32[2]) custom-call(a), custom_call_target="lapack_spotrf_ffi",
  backend_config={uplo = %d : ui8}, api_version=API_VERSION_TYPED_FFI`
	for _, uplo := range []int{'L', 'U'} {
		text := "ENTRY e {" + fmt.Sprintf(matrices, "f32", "2,80,80", "1", 1, 2) + fmt.Sprintf(body, uplo) + "\n}"
		agree(t, program{text: text, near: 1e-4, o: exec.Options{Handlers: lapack.Handlers{}}})
	}
	text := "ENTRY e {" + fmt.Sprintf(matrices, "f32", "2,80,80", "-0.01", 1, 2) + fmt.Sprintf(body, 'L') + "\n}"
	p := program{text: text, o: exec.Options{Handlers: lapack.Handlers{}}}
	m := parsed(t, text)
	got, want := p.results(t, m, 2)[0].Elems()[1].Wide().I, p.evaluated(t, m)[0].Elems()[1].Wide().I
	if got[0] != want[0] || got[1] != want[1] || got[0] == 0 || got[1] != 0 {
		t.Errorf("info is %v, want %v, the first not 0", got, want)
	}
}

// TestLargeLU factors in blocks, by other code than the evaluator's.
func TestLargeLU(t *testing.T) {
	for _, x := range []struct{ dims, body string }{
		{"2,70,45", `ROOT r = (f32[2,70,45]{1,2,0}, s32[2,45], s32[2]) custom-call(a), custom_call_target="lapack_sgetrf_ffi",
  operand_layout_constraints={f32[2,70,45]{1,2,0}}, backend_config={}, api_version=API_VERSION_TYPED_FFI`},
		{"33,40", `w = f64[33,40] convert(a)
  ROOT r = (f64[33,40], s32[33], s32[]) custom-call(w), custom_call_target="lapack_dgetrf_ffi", backend_config={},
  api_version=API_VERSION_TYPED_FFI`},
	} {
		agree(t, program{text: entry(x.dims, "1", x.body), near: 1e-4, o: exec.Options{Handlers: lapack.Handlers{}}})
	}
}

// TestManyMatrices factors and solves small matrices side by side, by other code than the evaluator's.
func TestManyMatrices(t *testing.T) {
	for _, x := range []struct{ dims, body string }{
		{"9,3,3", `ROOT r = (f32[9,3,3]{1,2,0}, s32[9]) custom-call(a), custom_call_target="lapack_spotrf_ffi",
  operand_layout_constraints={f32[9,3,3]{1,2,0}}, backend_config={uplo = 76 : ui8}, api_version=API_VERSION_TYPED_FFI`},
		{"7,2,5,5", `ROOT r = f32[7,2,5,5] cholesky(a), lower=false`},
		{"9,4,6", `ROOT r = (f32[9,4,6]{1,2,0}, s32[9,4], s32[9]) custom-call(a),
  custom_call_target="lapack_sgetrf_ffi", operand_layout_constraints={f32[9,4,6]{1,2,0}}, backend_config={},
  api_version=API_VERSION_TYPED_FFI`},
		{"9,6,4", `q = (f32[9,6,4], f32[9,4]) custom-call(a), custom_call_target="lapack_sgeqrf_ffi"
  f = f32[9,6,4] get-tuple-element(q), index=0
  tau = f32[9,4] get-tuple-element(q), index=1
  ROOT r = f32[9,6,4] custom-call(f, tau), custom_call_target="lapack_sorgqr_ffi"`},
		{"20,6,6", `x = f32[20,6,2] slice(a), slice={[0:20], [0:6], [3:5]}
  ROOT r = f32[20,6,2] triangular-solve(a, x), left_side=true, lower=false, unit_diagonal=false,
  transpose_a=TRANSPOSE`},
		{"20,6,6", `x = f32[20,2,6] slice(a), slice={[0:20], [3:5], [0:6]}
  ROOT r = f32[20,2,6] triangular-solve(a, x), left_side=false, lower=true, unit_diagonal=true,
  transpose_a=NO_TRANSPOSE`},
		{"3,30,30", `ROOT r = f32[3,30,30] cholesky(a), lower=true`},
		{"2,33,33", `x = f32[2,33,2] slice(a), slice={[0:2], [0:33], [3:5]}
  ROOT r = f32[2,33,2] triangular-solve(a, x), left_side=true, lower=true, unit_diagonal=false,
  transpose_a=NO_TRANSPOSE`},
		{"2,80,80", `x = f32[2,5,5] slice(a), slice={[0:2], [0:5], [0:5]}
  y = f32[2,80,5] slice(a), slice={[0:2], [0:80], [0:5]}
  ROOT r = f32[2,80,5] triangular-solve(x, y), left_side=false, lower=true, unit_diagonal=false,
  transpose_a=TRANSPOSE`},
		{"21,3,4", `ROOT r = f32[21,4,3] transpose(a), dimensions={0,2,1}`},
	} {
		agree(t, program{text: entry(x.dims, "7", x.body), near: 1e-4, o: exec.Options{Handlers: lapack.Handlers{}}})
	}
}

// A client that gives no handlers has the targets of linear algebra.
func TestRoutineWithoutHandlers(t *testing.T) {
	m := parsed(t, entry("2,2", "1", `ROOT r = (f32[2,2], s32[2], s32[]) custom-call(a), custom_call_target="cusolver_getrf_ffi"`))
	p, err := cpu.New(cpu.Options{}).Compile(context.Background(), m, exec.Options{})
	if err != nil {
		t.Fatal(err)
	}
	p.Close()
}
