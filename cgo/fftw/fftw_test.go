package fftw_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/halo-xla/halo/cgo/fftw"
	"github.com/halo-xla/halo/cgo/loops/run"
	"github.com/halo-xla/halo/internal/runtest"
	"github.com/halo-xla/halo/internal/testfile"
)

// load skips the test if FFTW is not here, or fails it if $HALO_NEED names it.
func load(t testing.TB) {
	t.Helper()
	testfile.Library(t, "fftw", fftw.Load())
}

// execute runs a plan on reals from src to dst.
func execute[T float32 | float64](t testing.TB, p *fftw.Plan, dst, src []T, scale float64, threads int) {
	t.Helper()
	runtest.Execute(t, threads, runtest.Slots(dst, src), p.Record(run.Ref{Slot: 0}, run.Ref{Slot: 1}, scale))
}

func TestPlans(t *testing.T) {
	load(t)
	testPlans[float32](t, false, 1e-5)
	testPlans[float64](t, true, 1e-13)
}

// The formula on complex rows, and reals there and back.
func testPlans[T float32 | float64](t *testing.T, wide bool, tolerance float64) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{1, 2, 5, 16, 17, 60} {
		for _, rows := range []int{1, 3, 21} {
			src, dst := make([]T, 2*n*rows+1)[1:], make([]T, 2*n*rows)
			for i := range src {
				src[i] = T(r.NormFloat64())
			}
			p, err := fftw.NewPlan(fftw.Problem{Wide: wide, N: int64(n), Rows: int64(rows)}, 8, 0)
			if err != nil {
				t.Fatal(err)
			}
			execute(t, p, dst, src, 1, 3)
			for row := range rows {
				k := row % n
				re, im := 0.0, 0.0
				for j := range n {
					s, c := math.Sincos(-2 * math.Pi * float64(j*k%n) / float64(n))
					x, y := float64(src[2*(row*n+j)]), float64(src[2*(row*n+j)+1])
					re, im = re+x*c-y*s, im+x*s+y*c
				}
				got := dst[2*(row*n+k):]
				if d := math.Hypot(float64(got[0])-re, float64(got[1])-im); d > tolerance*float64(n) {
					t.Fatalf("n = %d, row %d, element %d: got %v, want (%v, %v)", n, row, k, got[:2], re, im)
				}
			}
			half := make([]T, 2*(n/2+1)*rows)
			forward, err := fftw.NewPlan(fftw.Problem{Wide: wide, Kind: fftw.RealForward, N: int64(n), Rows: int64(rows)}, 16, 0)
			if err != nil {
				t.Fatal(err)
			}
			back, err := fftw.NewPlan(fftw.Problem{Wide: wide, Kind: fftw.RealInverse, N: int64(n), Rows: int64(rows)}, 16, 0)
			if err != nil {
				t.Fatal(err)
			}
			reals, again := src[:n*rows], make([]T, n*rows)
			execute(t, forward, half, reals, 1, 2)
			execute(t, back, again, half, 1/float64(n), 2)
			for i, v := range reals {
				if math.Abs(float64(again[i]-v)) > tolerance*10 {
					t.Fatalf("there and back, n = %d, element %d: got %v, want %v", n, i, again[i], v)
				}
			}
		}
	}
}

func TestWisdom(t *testing.T) {
	load(t)
	folder := t.TempDir()
	if _, err := fftw.NewPlan(fftw.Problem{N: 48, Rows: 4}, 4, 100*time.Millisecond); err != nil {
		t.Fatal(err)
	}
	if err := fftw.SaveWisdom(folder); err != nil {
		t.Fatal(err)
	}
	if err := fftw.LoadWisdom(folder); err != nil {
		t.Fatal(err)
	}
	if err := fftw.LoadWisdom(folder + "/none"); err == nil {
		t.Error("wisdom that is not there was read")
	}
	pipe := t.TempDir() // a pipe would be waited for; a folder is no regular file either, and the same everywhere
	if err := os.Mkdir(pipe+"/fftw.wisdom", 0o700); err != nil {
		t.Fatal(err)
	}
	for _, err := range []error{fftw.LoadWisdom(pipe), fftw.SaveWisdom(pipe)} {
		if err == nil || !strings.Contains(err.Error(), "no regular file") {
			t.Errorf("got %v, want that the wisdom is no regular file", err)
		}
	}
}

func ExampleProblem() {
	fmt.Printf("%+v\n", fftw.Problem{Kind: fftw.RealForward, N: 512, Rows: 3})
	// Output: {Wide:false Kind:2 N:512 Rows:3}
}
