package openblas

import (
	"fmt"
	"unsafe"
)

// The functions below are LAPACK's routines. Matrices are column-major without gaps; s, d, c, z follows from the type.
// They return LAPACK's info, allocate their own work space, and must not be called before LoadLAPACK succeeds, nor with
// sizes beyond 32 bits. R is the type of T's real part.

// Number is an element type of LAPACK.
type Number interface {
	float32 | float64 | complex64 | complex128
}

// Real is the type of a real part.
type Real interface{ float32 | float64 }

// complexNames are the routines that have another name for complex numbers.
var complexNames = map[string]string{"orgqr": "ungqr", "ormqr": "unmqr", "syevd": "heevd", "sytrd": "hetrd"}

// families are the routines by their names without the type.
var families = []string{"potrf", "getrf", "geqrf", "geqp3", "orgqr", "ormqr", "syevd", "gesdd", "gesvd", "geev", "gees",
	"gehrd", "sytrd", "gtsv"}

// routineNames lists all routines of all types.
func routineNames() []string {
	var names []string
	for _, f := range families {
		names = append(names, routineName[float32](f), routineName[float64](f), routineName[complex64](f),
			routineName[complex128](f))
	}
	return names
}

func routineName[T Number](family string) string {
	var x T
	if name, ok := complexNames[family]; ok && isComplex[T]() {
		family = name
	}
	switch any(x).(type) {
	case float32:
		return "s" + family
	case float64:
		return "d" + family
	case complex64:
		return "c" + family
	}
	return "z" + family
}

func isComplex[T Number]() bool {
	var x T
	switch any(x).(type) {
	case complex64, complex128:
		return true
	}
	return false
}

// letter is an argument that Fortran has as a text.
type letter byte

// part is an argument that each of some matrices has its own of, so many bytes behind that of the one before.
type part struct {
	at    unsafe.Pointer
	bytes int64
}

// parts is an array of which count matrices have as much each.
func parts[T Number](a []T, count int) part {
	var x T
	return part{unsafe.Pointer(unsafe.SliceData(a)), int64(len(a) / count * int(unsafe.Sizeof(x)))}
}

// routine calls the routine of family for elements of type T, with the argument info behind args, and returns that.
func routine[T Number](family string, args ...any) int {
	info := make([]int32, 1)
	routines[T](family, info, args...)
	return int(info[0])
}

// routines calls the routine of family for as many matrices as there is info.
func routines[T Number](family string, info []int32, args ...any) {
	texts := 0
	list, steps := make([]unsafe.Pointer, len(args), len(args)+1), [mostArguments]int64{}
	for i, a := range args {
		switch a := a.(type) {
		case part:
			list[i], steps[i] = a.at, a.bytes
		case letter:
			list[i] = unsafe.Pointer(&a)
			texts++
		case int:
			n := int32(a)
			list[i] = unsafe.Pointer(&n)
		case []int32:
			list[i] = unsafe.Pointer(unsafe.SliceData(a))
		case []float32:
			list[i] = unsafe.Pointer(unsafe.SliceData(a))
		case []float64:
			list[i] = unsafe.Pointer(unsafe.SliceData(a))
		case []complex64:
			list[i] = unsafe.Pointer(unsafe.SliceData(a))
		case []complex128:
			list[i] = unsafe.Pointer(unsafe.SliceData(a))
		case nil:
		default:
			panic(fmt.Sprintf("openblas: bug: argument %d of %s is a %T", i, family, a))
		}
	}
	steps[len(args)] = int64(unsafe.Sizeof(info[0]))
	call(routineName[T](family), texts, append(list, unsafe.Pointer(unsafe.SliceData(info))), &steps, len(info))
}

// mostArguments is how many addresses a routine takes at most.
const mostArguments = 16

// worked calls a routine twice: to ask for the size of its work space, and to do it.
func worked[T Number](family string, args func(work []T, size int) []any) int {
	info := make([]int32, 1)
	workedAll(family, info, args)
	return int(info[0])
}

// workedAll does as worked for as many matrices as there is info, which share the work space.
func workedAll[T Number](family string, info []int32, args func(work []T, size int) []any) {
	asked := make([]T, 1)
	if wrong := routine[T](family, args(asked, -1)...); wrong != 0 {
		for i := range info {
			info[i] = int32(wrong)
		}
		return
	}
	size := int(realPart(asked[0]))
	size += size>>20 + 1 // float32 has it rounded
	routines[T](family, info, args(make([]T, size), size)...)
}

func realPart[T Number](x T) float64 {
	switch x := any(x).(type) {
	case float32:
		return float64(x)
	case float64:
		return x
	case complex64:
		return float64(real(x))
	}
	return real(any(x).(complex128))
}

// holds panics unless a slice is as long as the routine will take it to be.
func holds(got, want int) {
	if got < want {
		panic(fmt.Sprintf("openblas: bug: a slice has %d elements, want %d", got, want))
	}
}

// ld is the leading dimension of a matrix of n rows.
func ld(n int) int { return max(n, 1) }

// Potrf factors the triangle uplo of A[n,n].
func Potrf[T Number](uplo byte, n int, a []T) int {
	holds(len(a), n*n)
	return routine[T]("potrf", letter(uplo), n, a, ld(n))
}

// Getrf factors A[m,n] = P L U; pivots[min(m,n)] count rows from 1.
func Getrf[T Number](m, n int, a []T, pivots []int32) int {
	holds(len(a), m*n)
	holds(len(pivots), min(m, n))
	return routine[T]("getrf", m, n, a, ld(m), pivots)
}

// Geqrf factors A[m,n] = Q R, Q as reflectors with factors tau[min(m,n)].
func Geqrf[T Number](m, n int, a, tau []T) int {
	holds(len(a), m*n)
	holds(len(tau), min(m, n))
	return worked("geqrf", func(work []T, size int) []any { return []any{m, n, a, ld(m), tau, work, size} })
}

// Geqp3 is Geqrf with columns exchanged: pivots[n], counted from 1, are 0 for those that are free to move.
func Geqp3[T Number, R Real](m, n int, a []T, pivots []int32, tau []T) int {
	holds(len(a), m*n)
	holds(len(pivots), n)
	holds(len(tau), min(m, n))
	var more []any
	if isComplex[T]() {
		more = []any{make([]R, 2*n)}
	}
	return worked("geqp3", func(work []T, size int) []any {
		return append([]any{m, n, a, ld(m), pivots, tau, work, size}, more...)
	})
}

// Orgqr makes the first n columns of the product of k reflectors in A[m,n].
func Orgqr[T Number](m, n, k int, a, tau []T) int {
	holds(len(a), m*n)
	holds(len(tau), k)
	return worked("orgqr", func(work []T, size int) []any { return []any{m, n, k, a, ld(m), tau, work, size} })
}

// Ormqr multiplies C[m,n] by the product of the k reflectors in A, or by its adjoint if trans is C (T for real ones).
func Ormqr[T Number](side, trans byte, m, n, k int, a, tau, c []T) int {
	rows := m
	if side == 'R' {
		rows = n
	}
	holds(len(a), rows*k)
	holds(len(tau), k)
	holds(len(c), m*n)
	return worked("ormqr", func(work []T, size int) []any {
		return []any{letter(side), letter(trans), m, n, k, a, ld(rows), tau, c, ld(m), work, size}
	})
}

// Syevd finds the eigenvalues w[n] of each symmetric or Hermitian A[n,n], given by its triangle uplo, and with job V
// its eigenvectors, which replace A. There are as many matrices as there is info.
func Syevd[T Number, R Real](job, uplo byte, n int, a []T, w []R, info []int32) {
	count := len(info)
	holds(len(a), n*n*count)
	holds(len(w), n*count)
	args := []any{letter(job), letter(uplo), n, parts(a, count), ld(n), parts(w, count)}
	whole := make([]int32, 3+5*n)
	if isComplex[T]() {
		size, more := 2*n+n*n+1, 1+5*n+2*n*n
		size += 64 * n // room for blocks
		args = append(args, make([]T, size), size, make([]R, more), more)
	} else {
		size := 1 + 6*n + 2*n*n + 64*n
		args = append(args, make([]T, size), size)
	}
	routines[T]("syevd", info, append(args, whole, len(whole))...)
}
