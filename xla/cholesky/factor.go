package cholesky

import "math"

// Number is the type of elements.
type Number interface{ float64 | complex128 }

// block is the columns that are factored before the rows below use them.
const block = 64

// Factor replaces the lower triangle of the Hermitian A[n,n], row-major, by L with A = L Lᴴ. The other triangle is
// not looked at. info is the first row that is not positive, from 1; then the triangle holds anything. parallel runs f
// for 0 to n-1, perhaps at once: each sum is taken in the order of columns and its products are rounded, so that the
// bits are the same.
func Factor[W Number](parallel func(n int64, f func(i int64)), n int, a []W) (info int) {
	for first := 0; first < n; first += block {
		end := min(first+block, n)
		for i := first; i < end; i++ {
			row := a[i*n : i*n+i]
			eliminateRow(a, n, i, first, i)
			var positive bool
			if a[i*n+i], positive = root(a[i*n+i] - dotConj(row, row)); !positive {
				return i + 1
			}
		}
		rows := int64(max(1, 1<<14/(block*end)))
		below := int64(n - end)
		parallel((below+rows-1)/rows, func(task int64) {
			for i := task * rows; i < min((task+1)*rows, below); i++ {
				eliminateRow(a, n, end+int(i), first, end)
			}
		})
	}
	return 0
}

// root is the square root of x's real part, which must be positive.
func root[W Number](x W) (root W, positive bool) {
	switch root := any(&root).(type) {
	case *float64:
		d := any(x).(float64)
		*root, positive = math.Sqrt(d), d > 0
	case *complex128:
		d := real(any(x).(complex128))
		*root, positive = complex(math.Sqrt(d), 0), d > 0
	}
	return root, positive
}

// eliminateRow computes the factor's row i in the columns from first to end, which are at most i.
func eliminateRow[W Number](a []W, n, i, first, end int) {
	row := a[i*n : i*n+end]
	known := row[:first]
	j := first
	for ; j+4 <= end; j += 4 { // four sums at a time; each in the order of columns
		s := dotConj4(known, a[j*n:], a[(j+1)*n:], a[(j+2)*n:], a[(j+3)*n:])
		for k := range s {
			l := a[(j+k)*n : (j+k+1)*n]
			addDotConj(&s[k], row[first:j+k], l[first:])
			row[j+k] = (row[j+k] - s[k]) / l[j+k]
		}
	}
	for ; j < end; j++ {
		l := a[j*n : (j+1)*n]
		row[j] = (row[j] - dotConj(row[:j], l)) / l[j]
	}
}

// dotConj is the sum of x times the conjugate of y.
func dotConj[W Number](x, y []W) W {
	var sum W
	addDotConj(&sum, x, y)
	return sum
}

// addDotConj adds each x times the conjugate of y to sum. Products are rounded: else Go may fuse them with the sum.
func addDotConj[W Number](sum *W, x, y []W) {
	switch sum := any(sum).(type) {
	case *float64:
		y := any(y).([]float64)
		for k, v := range any(x).([]float64) {
			*sum += float64(v * y[k])
		}
	case *complex128:
		y := any(y).([]complex128)
		for k, v := range any(x).([]complex128) {
			a, b, c, d := real(v), imag(v), real(y[k]), imag(y[k])
			*sum += complex(float64(a*c)+float64(b*d), float64(b*c)-float64(a*d))
		}
	}
}

// dotConj4 is dotConj of x with four others.
func dotConj4[W Number](x, y0, y1, y2, y3 []W) [4]W {
	if x, ok := any(x).([]float64); ok {
		return any(dotReal4(x, any(y0).([]float64), any(y1).([]float64), any(y2).([]float64), any(y3).([]float64))).([4]W)
	}
	return [4]W{dotConj(x, y0), dotConj(x, y1), dotConj(x, y2), dotConj(x, y3)}
}

func dotReal4(x, y0, y1, y2, y3 []float64) [4]float64 {
	y0, y1, y2, y3 = y0[:len(x)], y1[:len(x)], y2[:len(x)], y3[:len(x)]
	var s0, s1, s2, s3 float64
	for k, v := range x {
		s0 += float64(v * y0[k])
		s1 += float64(v * y1[k])
		s2 += float64(v * y2[k])
		s3 += float64(v * y3[k])
	}
	return [4]float64{s0, s1, s2, s3}
}
