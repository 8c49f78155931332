// Gonum fits a line to points with gonum's matrices, which compute with OpenBLAS where it is installed: one call of Use
// is all that a gonum program changes.
package main

import (
	"fmt"
	"log"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/halo-xla/halo/cgo/openblas"
)

func main() {
	blas64.Use(openblas.Implementation{})
	if _, config, core, err := openblas.Info(); err != nil {
		log.Printf("gonum's own BLAS computes: %v", err)
	} else {
		log.Printf("%s computes, with its kernels for %s", config, core)
	}
	intercept, slope, err := fit([]float64{0, 1, 2, 3}, []float64{1, 3, 5, 7})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("y = %.3f + %.3f x\n", intercept, slope)
}

// fit returns the line that is nearest to the points (x[i], y[i]), by the normal equations. It fails if all x are
// alike.
func fit(x, y []float64) (intercept, slope float64, err error) {
	a := mat.NewDense(len(x), 2, nil)
	for i, v := range x {
		a.SetRow(i, []float64{1, v})
	}
	var normal, right, line mat.Dense
	normal.Mul(a.T(), a)
	right.Mul(a.T(), mat.NewDense(len(y), 1, y))
	if err := line.Solve(&normal, &right); err != nil {
		return 0, 0, fmt.Errorf("fit a line to %d points: %w", len(x), err)
	}
	return line.At(0, 0), line.At(1, 0), nil
}
