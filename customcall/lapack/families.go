package lapack

import (
	"github.com/halo-xla/halo/cgo/openblas"
	"github.com/halo-xla/halo/xla/shape"
)

// builder makes the step of a call.
type builder func(s *site) (step, error)

// families are the builders of each family for each type of elements.
var families = map[string]map[shape.ElementType]builder{}

func init() {
	for t, lists := range map[shape.ElementType][]map[string]builder{
		shape.F32:  {numbers[float32, float32](), reals[float32, complex64](), sparse[float32]()},
		shape.F64:  {numbers[float64, float64](), reals[float64, complex128](), sparse[float64]()},
		shape.C64:  {numbers[complex64, float32](), complexes[complex64, float32](), sparse[complex64]()},
		shape.C128: {numbers[complex128, float64](), complexes[complex128, float64](), sparse[complex128]()},
		shape.S8:   {sparse[int8]()},
		shape.S16:  {sparse[int16]()},
		shape.S32:  {sparse[int32](), {"pivots": pivots}},
		shape.S64:  {sparse[int64]()},
		shape.U8:   {sparse[uint8]()},
		shape.U16:  {sparse[uint16]()},
		shape.U32:  {sparse[uint32](), {"pivots": pivots}},
		shape.U64:  {sparse[uint64]()},
	} {
		for _, list := range lists {
			for name, b := range list {
				if families[name] == nil {
					families[name] = map[shape.ElementType]builder{}
				}
				families[name][t] = b
			}
		}
	}
}

// numbers are the families of matrices of T, whose real parts are R.
func numbers[T openblas.Number, R openblas.Real]() map[string]builder {
	return map[string]builder{
		"potrf":           potrf[T],
		"getrf":           getrf[T],
		"geqrf":           geqrf[T],
		"geqp3":           geqp3[T, R],
		"orgqr":           orgqr[T],
		"ormqr":           ormqr[T],
		"syevd":           syevd[T, R],
		"gesdd":           gesdd[T, R],
		"gesvd":           gesvd[T, R],
		"gesvdj":          gesvdj[T, R],
		"gehrd":           gehrd[T],
		"sytrd":           sytrd[T, R],
		"gtsv":            gtsv[T],
		"gtsv2":           gtsv2[T],
		"ludecomposition": luOf[T],
		"perturbed":       perturbed[T],
		"csrlsvqr":        csrlsvqr[T],
		"syrk":            syrk[T],
	}
}

// reals are the families that do other things with real elements T, whose complex numbers are C.
func reals[T openblas.Real, C complex64 | complex128]() map[string]builder {
	return map[string]builder{
		"geev":            geevReal[T, C],
		"geevpacked":      geevPacked[T, C],
		"gees":            geesReal[T],
		"cholesky_update": choleskyUpdate[T],
	}
}

// complexes are those families for complex elements T with real parts R.
func complexes[T complex64 | complex128, R openblas.Real]() map[string]builder {
	return map[string]builder{
		"geev":       geevComplex[T, R],
		"geevpacked": geevPackedComplex[T, R],
		"gees":       geesComplex[T, R],
	}
}

// sparse are the families of sparse matrices of T.
func sparse[T number]() map[string]builder {
	return map[string]builder{"csr": csr[T], "spmm": spmm[T], "todense": toDense[T], "fromdense": fromDense[T]}
}
