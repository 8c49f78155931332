package lapack_test

import (
	"math/cmplx"
	"math/rand/v2"
	"testing"

	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// transpose is the adjoint without conjugates.
func (a matrix) transpose() matrix {
	b := zeros(a.n, a.m)
	for i := range a.v {
		b.set(i%a.n, i/a.n, a.v[i])
	}
	return b
}

// sparseMatrix has about a third of the elements of a random one, a few of them twice. The lists are its elements: by
// rows, with the starts of those.
func sparseMatrix(r *rand.Rand, k kind, m, n int) (a matrix, values []complex128, rows, columns, starts []int32) {
	full := random(r, k, m, n)
	a = zeros(m, n)
	for i := range m {
		starts = append(starts, int32(len(values)))
		for j := range n {
			for times := max(0, r.IntN(5)-2); times > 0; times-- {
				values, rows, columns = append(values, full.at(i, j)), append(rows, int32(i)), append(columns, int32(j))
				a.set(i, j, a.at(i, j)+full.at(i, j))
			}
		}
	}
	return a, values, rows, columns, append(starts, int32(len(values)))
}

// descriptors end with the operation: that of older releases is all of the backend_config.
var descriptors = [2]string{`{opaque = "any bytes\00\00\00\00"}`, `{opaque = "any bytes\01\00\00\00"}`}

// Products by sparse matrices, transposed or not, are those by the dense ones.
func TestSparseProducts(t *testing.T) {
	const m, n = 5, 7
	for _, k := range kinds {
		r := rand.New(rand.NewPCG(1, 2))
		a, list, rows, columns, starts := sparseMatrix(r, k, m, n)
		values := literalOf(k.t, []int64{int64(len(list))}, matrix{len(list), 1, list})
		work := of(shape.S8, nil, 9)
		for op, config := range descriptors {
			by := a
			if op == 1 {
				by = a.transpose()
			}
			x := random(r, k, by.n, 3)
			y := literalOf(k.t, []int64{int64(by.n), 3}, x)
			line := literalOf(k.t, []int64{int64(by.n)}, x.columns(1))
			places := map[string][2]*literal.Literal{"csr": {vector(t, columns...), vector(t, starts...)},
				"coo": {vector(t, rows...), vector(t, columns...)}}
			for format, p := range places {
				name := "cusparse_" + format
				out := call(t, name+"_matmat_ffi", config, []shape.Shape{of(k.t, nil, int64(by.m), 3), work}, values, p[0], p[1], y)
				near(t, name+" matmat", matrices(out[0])[0], by.times(x), 30*k.ulp)
				out = call(t, name+"_matvec_ffi", config, []shape.Shape{of(k.t, nil, int64(by.m)), work}, values, p[0], p[1], line)
				near(t, name+" matvec", vectors(out[0])[0], by.times(x.columns(1)), 30*k.ulp)
				raw := "any bytes" + string(rune(op)) + "\x00\x00\x00"
				out = call(t, "hipsparse_"+format+"_matvec", raw, []shape.Shape{of(k.t, nil, int64(by.m)), work}, values, p[0], p[1], line)
				near(t, name+" matvec of older releases", vectors(out[0])[0], by.times(x.columns(1)), 30*k.ulp)
				out = call(t, name+"_todense_ffi", "{}", []shape.Shape{of(k.t, nil, m, n), work}, values, p[0], p[1])
				near(t, name+" todense", matrices(out[0])[0], a, 4*k.ulp)
			}
		}
		_, err := try("cusparse_csr_matvec_ffi", "{}", []shape.Shape{of(k.t, nil, m), work}, values, vector(t, columns...),
			vector(t, starts...), literalOf(k.t, []int64{n}, zeros(n, 1)))
		wantText(t, err, "the descriptor of 2 bytes does not end with an operation")
	}
}

func TestFromDense(t *testing.T) {
	x := literalOf(shape.S32, []int64{3, 2}, matrix{3, 2, []complex128{0, 5, 0, 0, 7, 8}})
	line := func(n int64) shape.Shape { return of(shape.S32, nil, n) }
	for _, c := range []struct {
		target string
		sizes  [3]int64
		want   [3][]int32
	}{
		{"cusparse_csr_fromdense_ffi", [3]int64{3, 3, 4}, [3][]int32{{5, 7, 8}, {1, 0, 1}, {0, 1, 1, 3}}},
		{"cusparse_coo_fromdense_ffi", [3]int64{3, 3, 3}, [3][]int32{{5, 7, 8}, {0, 2, 2}, {1, 0, 1}}},
		{"cusparse_csr_fromdense", [3]int64{5, 5, 4}, [3][]int32{{5, 7, 8, 0, 0}, {1, 0, 1, 0, 0}, {0, 1, 1, 3}}},
		{"hipsparse_coo_fromdense", [3]int64{2, 2, 2}, [3][]int32{{5, 7}, {0, 2}, {1, 0}}},
	} {
		results := []shape.Shape{line(c.sizes[0]), line(c.sizes[1]), line(c.sizes[2]), of(shape.S8, nil, 1)}
		for i, got := range call(t, c.target, "", results, x)[:3] {
			if want := vector(t, c.want[i]...); !literal.Equal(got, want) {
				t.Errorf("%s: result %d: got %v, want %v", c.target, i, got, want)
			}
		}
	}
	_, err := try("cusparse_csr_fromdense_ffi", "", []shape.Shape{line(3), line(3), line(3), of(shape.S8, nil, 1)}, x)
	wantText(t, err, "got 3 starts of rows, want 4")
}

// The solution of a sparse system solves it; that of a singular one is NaN.
func TestSparseSystem(t *testing.T) {
	const n = 30
	for _, k := range kinds {
		r := rand.New(rand.NewPCG(1, 2))
		a, list, _, columns, starts := sparseMatrix(r, k, n, n)
		b := random(r, k, n, 1)
		solve := func(tol string) matrix {
			out := call(t, "cusolver_csrlsvqr_ffi", "{reorder = 1 : i32, tol = "+tol+" : f64}", []shape.Shape{of(k.t, nil, n)},
				literalOf(k.t, []int64{int64(len(list))}, matrix{len(list), 1, list}), vector(t, columns...), vector(t, starts...),
				literalOf(k.t, []int64{n}, b))
			return vectors(out[0])[0]
		}
		x := solve("1.0e-6")
		size := 0.0
		for _, v := range x.v {
			size = max(size, cmplx.Abs(v))
		}
		near(t, "A x", a.times(x), b, 20*n*k.ulp*size)
		if v := solve("1.0e+6").v[0]; !cmplx.IsNaN(v) {
			t.Errorf("%v: with a tolerance above all: got %v, want NaN", k.t, v)
		}
		for i := range list[:starts[1]] {
			list[i] = 0
		}
		if v := solve("0.0").v[n-1]; !cmplx.IsNaN(v) {
			t.Errorf("%v: singular: got %v, want NaN", k.t, v)
		}
	}
}

func TestSyrk(t *testing.T) {
	each(t, func(t *testing.T, r *rand.Rand, k kind, lead []int64, count int) {
		for _, turned := range []bool{false, true} {
			list, a := several(r, k, lead, count, 5, 9, nil)
			n := 5
			if turned {
				n = 9
			}
			olds, c := several(r, k, lead, count, n, n, nil)
			for _, beta := range []complex128{2, 0} {
				alpha := matrix{1, 1, []complex128{3}}
				out := call(t, "cusolver_syrk_ffi", "{transpose = "+text(turned)+"}", []shape.Shape{c.Shape()}, a, c,
					literalOf(k.t, nil, alpha), literalOf(k.t, nil, matrix{1, 1, []complex128{beta}}))
				for i, got := range matrices(out[0]) {
					want := list[i].times(list[i].transpose())
					if turned {
						want = list[i].transpose().times(list[i])
					}
					for at := range want.v {
						want.v[at] = 3*want.v[at] + beta*olds[i].v[at]
					}
					near(t, "the lower triangle", got.keep(lower), want.keep(lower), 200*k.ulp)
					above := func(i, j int) bool { return i < j }
					near(t, "the upper triangle", got.keep(above), olds[i].keep(above), 0)
				}
			}
		}
	})
}

func TestCholeskyUpdate(t *testing.T) {
	const n = 6
	for _, k := range kinds[:2] {
		r := rand.New(rand.NewPCG(1, 2))
		old := random(r, k, n, n).keep(upper)
		for i := range n {
			old.set(i, i, old.at(i, i)+3)
		}
		old = roundTo(k.t, old)
		w := random(r, k, n, 1)
		w.v[2] = 0
		out := call(t, "cu_cholesky_update_ffi", "{}", []shape.Shape{of(k.t, nil, n, n), of(k.t, nil, n)},
			literalOf(k.t, []int64{n, n}, old), literalOf(k.t, []int64{n}, w))
		got := matrices(out[0])[0]
		want := old.transpose().times(old)
		for i, v := range w.times(w.transpose()).v {
			want.v[i] += v
		}
		near(t, "Rᵀ R", got.transpose().times(got), want, 200*k.ulp)
		near(t, "below the diagonal", got.keep(func(i, j int) bool { return i > j }), zeros(n, n), 0)
	}
}
