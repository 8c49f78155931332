package openblas

import (
	"testing"

	"gonum.org/v1/gonum/blas/testblas"
)

// TestGonum runs gonum's own suite, which knows the double precision routines of all levels. Without the library the
// same tests run gonum's implementation through ours.
func TestGonum(t *testing.T) {
	impl := Implementation{}
	for name, test := range map[string]func(*testing.T){
		"Dgemm":  func(t *testing.T) { testblas.TestDgemm(t, impl) },
		"Drotg":  func(t *testing.T) { testblas.DrotgTest(t, impl, false) },
		"Dgbmv":  func(t *testing.T) { testblas.DgbmvTest(t, impl) },
		"Dgemv":  func(t *testing.T) { testblas.DgemvTest(t, impl) },
		"Dger":   func(t *testing.T) { testblas.DgerTest(t, impl) },
		"Dsbmv":  func(t *testing.T) { testblas.DsbmvTest(t, impl) },
		"Dspmv":  func(t *testing.T) { testblas.DspmvTest(t, impl) },
		"Dspr":   func(t *testing.T) { testblas.DsprTest(t, impl) },
		"Dspr2":  func(t *testing.T) { testblas.Dspr2Test(t, impl) },
		"Dsymm":  func(t *testing.T) { testblas.DsymmTest(t, impl) },
		"Dsymv":  func(t *testing.T) { testblas.DsymvTest(t, impl) },
		"Dsyr":   func(t *testing.T) { testblas.DsyrTest(t, impl) },
		"Dsyr2":  func(t *testing.T) { testblas.Dsyr2Test(t, impl) },
		"Dsyr2k": func(t *testing.T) { testblas.Dsyr2kTest(t, impl) },
		"Dsyrk":  func(t *testing.T) { testblas.DsyrkTest(t, impl) },
		"Dtbmv":  func(t *testing.T) { testblas.DtbmvTest(t, impl) },
		"Dtbsv":  func(t *testing.T) { testblas.DtbsvTest(t, impl) },
		"Dtpmv":  func(t *testing.T) { testblas.DtpmvTest(t, impl) },
		"Dtpsv":  func(t *testing.T) { testblas.DtpsvTest(t, impl) },
		"Dtrmm":  func(t *testing.T) { testblas.DtrmmTest(t, impl) },
		"Dtrmv":  func(t *testing.T) { testblas.DtrmvTest(t, impl) },
		"Dtrsm":  func(t *testing.T) { testblas.DtrsmTest(t, impl) },
		"Dtrsv":  func(t *testing.T) { testblas.DtrsvTest(t, impl) },
		"Dtxmv":  func(t *testing.T) { testblas.DtxmvTest(t, impl) },
		"Dzasum": func(t *testing.T) { testblas.DzasumTest(t, impl) },
		"Dznrm2": func(t *testing.T) { testblas.Dznrm2Test(t, impl) },
		"Izamax": func(t *testing.T) { testblas.IzamaxTest(t, impl) },
		"Ddot":   func(t *testing.T) { testblas.DdotTest(t, impl) },
		"Dnrm2":  func(t *testing.T) { testblas.Dnrm2Test(t, impl) },
		"Dasum":  func(t *testing.T) { testblas.DasumTest(t, impl) },
		"Idamax": func(t *testing.T) { testblas.IdamaxTest(t, impl) },
		"Dswap":  func(t *testing.T) { testblas.DswapTest(t, impl) },
		"Dcopy":  func(t *testing.T) { testblas.DcopyTest(t, impl) },
		"Daxpy":  func(t *testing.T) { testblas.DaxpyTest(t, impl) },
		"Drotmg": func(t *testing.T) { testblas.DrotmgTest(t, impl) },
		"Drot":   func(t *testing.T) { testblas.DrotTest(t, impl) },
		"Drotm":  func(t *testing.T) { testblas.DrotmTest(t, impl) },
		"Dscal":  func(t *testing.T) { testblas.DscalTest(t, impl) },
		"Zaxpy":  func(t *testing.T) { testblas.ZaxpyTest(t, impl) },
		"Zcopy":  func(t *testing.T) { testblas.ZcopyTest(t, impl) },
		"Zdotc":  func(t *testing.T) { testblas.ZdotcTest(t, impl) },
		"Zdotu":  func(t *testing.T) { testblas.ZdotuTest(t, impl) },
		"Zdscal": func(t *testing.T) { testblas.ZdscalTest(t, impl) },
		"Zgbmv":  func(t *testing.T) { testblas.ZgbmvTest(t, impl) },
		"Zgemm":  func(t *testing.T) { testblas.ZgemmTest(t, impl) },
		"Zgemv":  func(t *testing.T) { testblas.ZgemvTest(t, impl) },
		"Zgerc":  func(t *testing.T) { testblas.ZgercTest(t, impl) },
		"Zgeru":  func(t *testing.T) { testblas.ZgeruTest(t, impl) },
		"Zhbmv":  func(t *testing.T) { testblas.ZhbmvTest(t, impl) },
		"Zhemm":  func(t *testing.T) { testblas.ZhemmTest(t, impl) },
		"Zhemv":  func(t *testing.T) { testblas.ZhemvTest(t, impl) },
		"Zher":   func(t *testing.T) { testblas.ZherTest(t, impl) },
		"Zher2":  func(t *testing.T) { testblas.Zher2Test(t, impl) },
		"Zher2k": func(t *testing.T) { testblas.Zher2kTest(t, impl) },
		"Zherk":  func(t *testing.T) { testblas.ZherkTest(t, impl) },
		"Zhpmv":  func(t *testing.T) { testblas.ZhpmvTest(t, impl) },
		"Zhpr":   func(t *testing.T) { testblas.ZhprTest(t, impl) },
		"Zhpr2":  func(t *testing.T) { testblas.Zhpr2Test(t, impl) },
		"Zscal":  func(t *testing.T) { testblas.ZscalTest(t, impl) },
		"Zswap":  func(t *testing.T) { testblas.ZswapTest(t, impl) },
		"Zsymm":  func(t *testing.T) { testblas.ZsymmTest(t, impl) },
		"Zsyr2k": func(t *testing.T) { testblas.Zsyr2kTest(t, impl) },
		"Zsyrk":  func(t *testing.T) { testblas.ZsyrkTest(t, impl) },
		"Ztbmv":  func(t *testing.T) { testblas.ZtbmvTest(t, impl) },
		"Ztbsv":  func(t *testing.T) { testblas.ZtbsvTest(t, impl) },
		"Ztpmv":  func(t *testing.T) { testblas.ZtpmvTest(t, impl) },
		"Ztpsv":  func(t *testing.T) { testblas.ZtpsvTest(t, impl) },
		"Ztrmm":  func(t *testing.T) { testblas.ZtrmmTest(t, impl) },
		"Ztrmv":  func(t *testing.T) { testblas.ZtrmvTest(t, impl) },
		"Ztrsm":  func(t *testing.T) { testblas.ZtrsmTest(t, impl) },
		"Ztrsv":  func(t *testing.T) { testblas.ZtrsvTest(t, impl) },
	} {
		t.Run(name, test)
	}
}
