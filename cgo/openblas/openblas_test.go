package openblas

import (
	"fmt"
	"math/cmplx"
	"math/rand/v2"
	"os"
	"os/exec"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/halo-xla/halo/cgo/loops/run"
	"github.com/halo-xla/halo/internal/testfile"
)

// A gonum program computes with OpenBLAS where it is installed, and with gonum's Go where not.
func Example() {
	blas64.Use(Implementation{})
	a := blas64.General{Rows: 2, Cols: 3, Stride: 3, Data: []float64{1, 2, 3, 4, 5, 6}}
	b := blas64.General{Rows: 3, Cols: 2, Stride: 2, Data: []float64{1, 0, 0, 1, 1, 1}}
	c := blas64.General{Rows: 2, Cols: 2, Stride: 2, Data: make([]float64, 4)}
	blas64.Gemm(blas.NoTrans, blas.NoTrans, 1, a, b, 0, c)
	fmt.Println(c.Data)
	// Output: [4 5 10 11]
}

func TestInfo(t *testing.T) {
	file, config, core, err := Info()
	testfile.Library(t, "openblas", err)
	if !strings.Contains(file, "openblas") || !strings.Contains(config, "OpenBLAS") || core == "" {
		t.Errorf("file %q, config %q, core %q", file, config, core)
	}
	if flags, _ := os.ReadFile("/proc/cpuinfo"); strings.Contains(string(flags), " avx2 ") && core == "Prescott" {
		t.Errorf("the kernels are those for %s, and there is AVX2", core)
	}
}

// TestHeld has a process of its own say which kernels $HALO_ISA holds OpenBLAS to, in letters of either size.
func TestHeld(t *testing.T) {
	_, _, core, err := Info()
	testfile.Library(t, "openblas", err)
	if os.Getenv("HALO_ISA") == "BASE" {
		if runtime.GOARCH == "amd64" && run.Level() != slices.Max(run.Levels()) && core != "Nehalem" {
			t.Errorf("core %s, want Nehalem, which has SSE alone", core)
		}
		return
	}
	c := exec.Command(os.Args[0], "-test.run=^TestHeld$")
	c.Env = append(slices.DeleteFunc(os.Environ(), func(v string) bool {
		return strings.HasPrefix(v, "OPENBLAS_CORETYPE=") // what the user sets would win
	}), "HALO_ISA=BASE")
	if out, err := c.CombinedOutput(); err != nil {
		t.Errorf("HALO_ISA=BASE: %v\n%s", err, out)
	}
}

// dense are the routines that OpenBLAS runs, without the letter of their type.
var dense = map[string][]string{
	"real":    {"gemm", "symm", "syrk", "syr2k", "trmm", "trsm", "gemv", "symv", "trmv", "trsv", "ger"},
	"complex": {"gemm", "symm", "hemm", "syrk", "herk", "syr2k", "her2k", "trmm", "trsm", "gemv", "hemv", "trmv", "trsv", "geru", "gerc"},
}

const size = 9 // of every integer argument, also of strides

// TestSingle compares the single precision routines with the double precision ones, which TestGonum has tested.
func TestSingle(t *testing.T) {
	for class, letters := range map[string]string{"real": "SD", "complex": "CZ"} {
		for _, routine := range dense[class] {
			for seed := range uint64(24) {
				compareSingle(t, letters[:1]+routine, letters[1:]+routine, seed)
			}
		}
	}
}

func compareSingle(t *testing.T, single, double string, seed uint64) {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 1))
	impl := reflect.ValueOf(Implementation{})
	f, g := impl.MethodByName(single), impl.MethodByName(double)
	var args, wide []reflect.Value
	for i := range g.Type().NumIn() {
		v := argument(r, double, g.Type().In(i))
		wide = append(wide, v)
		args = append(args, narrow(v, f.Type().In(i)))
	}
	f.Call(args)
	g.Call(wide)
	for i, v := range args {
		if v.Kind() != reflect.Slice {
			continue
		}
		for j := range v.Len() {
			got, want := number(v.Index(j)), number(wide[i].Index(j))
			if cmplx.Abs(got-want) > 1e-4*(1+cmplx.Abs(want)) {
				t.Fatalf("%s seed %d: argument %d, element %d: got %v, want %v", single, seed, i, j, got, want)
			}
		}
	}
}

// argument makes a value of a parameter's type. Triangular systems get a matrix that is far from singular.
func argument(r *rand.Rand, name string, t reflect.Type) reflect.Value {
	pick := func(list string) reflect.Value { return reflect.ValueOf(list[r.IntN(len(list))]).Convert(t) }
	switch t {
	case reflect.TypeFor[blas.Transpose]():
		return pick(operations(name))
	case reflect.TypeFor[blas.Uplo]():
		return pick("UL")
	case reflect.TypeFor[blas.Diag]():
		return pick("NU")
	case reflect.TypeFor[blas.Side]():
		return pick("LR")
	case reflect.TypeFor[int]():
		return reflect.ValueOf(size)
	case reflect.TypeFor[float64]():
		return reflect.ValueOf(0.5 + r.Float64())
	case reflect.TypeFor[complex128]():
		return reflect.ValueOf(complex(0.5+r.Float64(), r.Float64()))
	}
	v := reflect.MakeSlice(t, size*size, size*size)
	for i := range size * size {
		x := (r.Float64() - 0.5) / size
		if i%(size+1) == 0 {
			x += 2
		}
		if t.Elem().Kind() == reflect.Float64 {
			v.Index(i).SetFloat(x)
		} else {
			v.Index(i).SetComplex(complex(x, (r.Float64()-0.5)/size))
		}
	}
	return v
}

// narrow copies a value to a parameter of single precision.
func narrow(v reflect.Value, t reflect.Type) reflect.Value {
	if v.Kind() != reflect.Slice {
		return v.Convert(t)
	}
	n := reflect.MakeSlice(t, v.Len(), v.Len())
	for i := range v.Len() {
		n.Index(i).Set(v.Index(i).Convert(t.Elem()))
	}
	return n
}

func number(v reflect.Value) complex128 {
	if v.CanFloat() {
		return complex(v.Float(), 0)
	}
	return v.Complex()
}

// TestCallers calls from many goroutines and wants the same bits of all.
func TestCallers(t *testing.T) {
	const n, goroutines = 64, 50
	r := rand.New(rand.NewPCG(1, 2))
	a, b, want := make([]float64, n*n), make([]float64, n*n), make([]float64, n*n)
	for i := range a {
		a[i], b[i] = r.NormFloat64(), r.NormFloat64()
	}
	multiply := func(c []float64) {
		Implementation{}.Dgemm(blas.NoTrans, blas.Trans, n, n, n, 1, a, n, b, n, 0, c, n)
	}
	multiply(want)
	var group sync.WaitGroup
	for range goroutines {
		group.Go(func() {
			got := make([]float64, n*n)
			multiply(got)
			if !reflect.DeepEqual(got, want) {
				t.Error("results differ between goroutines")
			}
		})
	}
	group.Wait()
}

// TestOversize wants sizes beyond 32 bits to go past the library: gonum refuses the short slices.
func TestOversize(t *testing.T) {
	for name, f := range map[string]func(){
		"size": func() {
			Implementation{}.Dgemm(blas.NoTrans, blas.NoTrans, 1<<32+1, 1, 1, 1, []float64{1}, 1, []float64{1}, 1, 0, []float64{1}, 1)
		},
		"stride": func() {
			Implementation{}.Dgemv(blas.NoTrans, 2, 2, 1, make([]float64, 4), 2, make([]float64, 4), 1<<32+1, 0, make([]float64, 2), 1)
		},
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			f()
		}()
	}
}

// operations are the transposes that a routine knows.
func operations(name string) string {
	switch {
	case strings.HasPrefix(name, "Zsyr"):
		return "NT"
	case strings.HasPrefix(name, "Zher"):
		return "NC"
	}
	return "NTC"
}
