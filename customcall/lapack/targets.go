package lapack

import (
	"errors"
	"strings"

	"github.com/halo-xla/halo/internal/unsupported"
)

// target says how a name writes the call of a family.
type target struct {
	family string
	// scalars is how many operands before the arrays are sizes and flags, and flags says where those are that count.
	scalars int
	flags   map[string]int
	// results are the places of what the signature names, if not in its order: for real and for complex elements.
	results, complexResults []int
	// opaque is where a descriptor has the triangle, in bytes; 0: there is none.
	opaque int
	// logical says that the target has no layouts of its own.
	logical bool
	// signature is the target's, if it is not the family's.
	signature string
}

// signatures are the arrays of each family behind the dimensions of the batch: a letter for the type (T as the first
// operand, R its real part's, C complex, i s32, a integers), one for each size. k is min(m,n), l is n-1; others are
// what they are where they first stand. A result with ? may be missing.
var signatures = map[string]string{
	"potrf":            "Tnn -> Tnn ?i",
	"getrf":            "Tmn -> Tmn ik ?i",
	"geqrf":            "Tmn -> Tmn Tk",
	"geqp3":            "Tmn in -> Tmn in Tk",
	"orgqr":            "Tmn Tq -> Tmn",
	"ormqr":            "Trq Tp Tmn -> Tmn",
	"syevd":            "Tnn -> Tnn Rn ?i",
	"gesdd":            "Tmn -> Tmn Rk Tmu Tvn ?i",
	"gesvd":            "Tmn -> Tmn Rk Tmu Tvn ?i",
	"gesvd/transposed": "Tmn -> Tmn Rk Tvn Tmu ?i",
	"gesvdj":           "Tmn -> Tmn Rk Tmu Tnv ?i",
	"geev/real":        "Tnn -> Tn Tn Cnn Cnn ?i",
	"geev/complex":     "Tnn -> Tn Tnn Tnn ?i",
	"geevpacked":       "Tnn -> Tnn Cn Tnn Tnn ?i",
	"gees/real":        "Tnn -> Tnn Tnn Tn Tn ?i ?i",
	"gees/complex":     "Tnn -> Tnn Tnn Tn ?i ?i",
	"gehrd":            "Tnn -> Tnn Tl ?i",
	"sytrd":            "Tnn -> Tnn Rn Rl Tl ?i",
	"gtsv":             "Tn Tn Tn Tnr -> Tn Tn Tn Tnr ?i",
	"gtsv2":            "Tn Tn Tn Tnr -> Tnr",
	"perturbed":        "Tn Tn Tn Tnr -> Tnr",
	"csr":              "Tz az aq Tmn -> Trn",
	"csr/vector":       "Tz az aq Tm -> Tr",
	"csrlsvqr":         "Tz az aq Tn -> Tn",
	"syrk":             "Tmn Tpp =T =T -> Tpp",
	"cholesky_update":  "Tnn Tn -> Tnn Tn",
	"pivots":           "ap -> aq",
	"ludecomposition":  "Tmn -> Tmn ik im",
}

// products are the calls of libraries for sparse matrices, with their signatures.
var products = map[string]struct{ family, signature string }{
	"csr_matvec":    {"spmm", "Tz az aq Tm -> Tr"},
	"csr_matmat":    {"spmm", "Tz az aq Tmn -> Trn"},
	"coo_matvec":    {"spmm", "Tz az az Tm -> Tr"},
	"coo_matmat":    {"spmm", "Tz az az Tmn -> Trn"},
	"csr_todense":   {"todense", "Tz az aq -> Trn"},
	"coo_todense":   {"todense", "Tz az az -> Trn"},
	"csr_fromdense": {"fromdense", "Tmn -> Tz az aq"},
	"coo_fromdense": {"fromdense", "Tmn -> Tz az az"},
}

// targets are the names that are served.
var targets = map[string]target{}

// older are LAPACK's targets before typed FFI: sizes and flags are operands, work space is among the results.
var older = map[string]target{
	"potrf": {scalars: 3, flags: map[string]int{"lower": 0}},
	"getrf": {scalars: 3},
	"geqrf": {scalars: 4},
	"geqp3": {scalars: 4},
	"orgqr": {scalars: 5},
	"syevd": {scalars: 3, flags: map[string]int{"lower": 0}},
	"gesdd": {scalars: 6, flags: map[string]int{"full_matrices": 0, "compute_uv": 1}},
	"geev": {scalars: 4, flags: map[string]int{"compute_left": 2, "compute_right": 3},
		results: []int{3, 4, 5, 6, 7}, complexResults: []int{2, 3, 4, 5}},
	"gees": {scalars: 4, flags: map[string]int{"mode": 2, "sort": 3},
		results: []int{0, 3, 1, 2, 4, 5}, complexResults: []int{0, 3, 2, 4, 5}},
	"gehrd": {scalars: 6, flags: map[string]int{"low": 1, "high": 2}},
	"sytrd": {scalars: 5, flags: map[string]int{"lower": 1}},
}

// solvers are the families of GPU libraries by their names there.
var solvers = map[string]string{"potrf": "potrf", "getrf": "getrf", "geqrf": "geqrf", "orgqr": "orgqr",
	"ormqr": "ormqr", "syevd": "syevd", "sytrd": "sytrd", "gesdd": "gesdd", "gesvd": "gesvd",
	"gesvdj": "gesvdj", "gesvdp": "gesvdj", "geev": "geevpacked"}

// olderSolvers are those of targets before typed FFI, and where their descriptors have the triangle.
var olderSolvers = map[string]int{"getrf": 0, "geqrf": 0, "orgqr": 0, "syevd": 4, "syevj": 4, "sytrd": 4, "gesvd": 0,
	"gesvdj": 0}

func init() {
	for f := range older {
		register(f)
	}
	for _, f := range []string{"ormqr", "gesvd", "gtsv"} {
		register(f)
	}
	for _, gpu := range []string{"cu", "hip"} {
		for name, f := range solvers {
			targets[gpu+"solver_"+name+"_ffi"] = target{family: f}
		}
		for name, at := range olderSolvers {
			f, ok := solvers[name]
			if !ok {
				f = "syevd"
			}
			targets[gpu+"solver_"+name] = target{family: f, opaque: at}
		}
		for _, name := range []string{"getrf", "geqrf"} {
			targets[gpu+"blas_"+name+"_batched"] = target{family: name}
			targets[gpu+"blas_"+name+"_batched_ffi"] = target{family: name}
		}
		for name, p := range products {
			t := target{family: p.family, signature: p.signature, logical: true}
			targets[gpu+"sparse_"+name], targets[gpu+"sparse_"+name+"_ffi"] = t, t
		}
		targets[gpu+"solver_csrlsvqr_ffi"] = target{family: "csrlsvqr", logical: true}
		targets[gpu+"solver_syrk_ffi"] = target{family: "syrk", logical: true}
		targets[gpu+"_cholesky_update_ffi"] = target{family: "cholesky_update", logical: true}
		targets[gpu+"hybrid_eig_real"] = target{family: "geev"}
		targets[gpu+"hybrid_eig_comp"] = target{family: "geev"}
		targets[gpu+"hybrid_geqp3"] = target{family: "geqp3"}
		targets[gpu+"_tridiagonal_solve_perturbed"] = target{family: "perturbed"}
		targets[gpu+"sparse_gtsv2_ffi"] = target{family: "gtsv2"}
		targets[gpu+"_lu_pivots_to_permutation"] = target{family: "pivots"}
	}
	targets["tridiagonal_solve_perturbed_ffi"] = target{family: "perturbed"}
	targets["cpu_csr_sparse_dense_ffi"] = target{family: "csr", logical: true}
	targets["Qr"] = target{family: "geqrf", logical: true}
	targets["ProductOfElementaryHouseholderReflectors"] = target{family: "orgqr", logical: true}
	targets["Eigh"] = target{family: "syevd", logical: true}
	targets["LuDecomposition"] = target{family: "ludecomposition", logical: true}
}

// register adds the names that a family has for each type, of typed FFI and before.
func register(f string) {
	other := map[string]string{"orgqr": "ungqr", "ormqr": "unmqr", "syevd": "heevd", "sytrd": "hetrd"}
	for _, p := range []string{"s", "d", "c", "z"} {
		name := f
		if o := other[f]; o != "" && (p == "c" || p == "z") {
			name = o
		}
		targets["lapack_"+p+name+"_ffi"] = target{family: f}
		if t, ok := older[f]; ok {
			t.family = f
			targets["lapack_"+p+name] = t
		}
	}
}

// order returns where among the results of a call those of the signature are.
func (t target) order(s *site, specs []string) []int {
	switch {
	case t.results != nil && s.element.IsComplex():
		return t.complexResults
	case t.results != nil:
		return t.results
	}
	order := make([]int, len(specs))
	for i := range order {
		order[i] = i
	}
	return order
}

// refusals are targets that nobody can run here, by how they begin, and why.
var refusals = []struct{ prefix, why string }{
	{"mosaic_gpu", "a Mosaic kernel is code for a GPU"},
	{"tpu_custom_call", "a Mosaic kernel is code for a TPU"},
	{"__gpu$xla.gpu.triton", "a Triton kernel is code for a GPU"},
	{"triton_kernel_call", "a Triton kernel is code for a GPU"},
	{"xla_python_", "it calls back into the Python process that made the program"},
	{"xla_ffi_python_", "it calls back into the Python process that made the program"},
	{"xla_ffi_partitioned_python_", "it calls back into the Python process that made the program"},
	{"xla_buffer_python_", "it calls back into the Python process that made the program"},
	{"CallbackTo", "it calls back into the process that made the program"},
	{"__cudnn$", "it is a call of cuDNN, whose graph only a GPU runs"},
	{"cudnn_rnn", "it is a call of cuDNN, whose descriptor only a GPU knows"},
	{"miopen_rnn", "it is a call of MIOpen, whose descriptor only a GPU knows"},
	{"__op$block_scaled_dot", "it is no product along the last of two or three dimensions with a scale for each block"},
	{"tf.call_tf_function", "it calls back into the TensorFlow program that it was part of"},
}

// refused says why nobody can serve target, if that is known.
func refused(target string) (error, bool) {
	for _, r := range refusals {
		if strings.HasPrefix(target, r.prefix) {
			return unsupported.Error(errors.New(r.why)), true
		}
	}
	return nil, false
}
