//go:build cgo && linux

package cuda

import (
	"fmt"
	"math"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/halo-xla/halo/backend/cuda/emit"
	"github.com/halo-xla/halo/internal/testfile"
	"github.com/halo-xla/halo/internal/wholefile"
	"github.com/halo-xla/halo/xla/exec"
	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// timedProducts are programs of one product, what runs them on the emulated device, and in which of cuBLASLt's ways: the
// seventh is the fastest of those with the bits of the first, and in batches three times as slow as cuBLAS.
var timedProducts = []struct {
	name, text, kernel string
	way                uint64
}{
	{"f32", dotText("f32[20,32]", "f32[32,24]", "f32[20,24]", ""), "cublasLt gemm", 7},
	{"f16", dotText("f16[20,32]", "f16[32,24]", "f16[20,24]", ""), "cublasLt gemm", 7},
	{"bf16 in f32", dotText("bf16[20,33]", "bf16[33,25]", "f32[20,25]", ""), "cublasLt gemm", 7},
	{"tf32", dotText("f32[20,32]", "f32[32,24]", "f32[20,24]", ", algorithm=dot_tf32_tf32_f32"), "cublasLt gemm in TF32", 7},
	{"a bias", biasText(aBias, "lhs_contracting_dims={1}, rhs_contracting_dims={0}", "bias(24)"), "cublasLt gemm with bias", 7},
	{"a batch", "HloModule m\nENTRY e { x = bf16[3,20,32] parameter(0)\n y = bf16[3,32,24] parameter(1)\n" +
		" ROOT r = bf16[3,20,24] dot(x, y), lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_contracting_dims={1} }",
		"cublas gemm", 0},
	{"f64", dotText("f64[20,32]", "f64[32,24]", "f64[20,24]", ""), "cublas gemm", 0},
}

func dotText(x, y, result, algorithm string) string {
	return fmt.Sprintf("HloModule m\nENTRY e { x = %s parameter(0)\n y = %s parameter(1)\n"+
		" ROOT r = %s dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}%s }", x, y, result, algorithm)
}

// openOne opens an emulated one until the test ends.
func openOne(t *testing.T, o Options) *device {
	t.Helper()
	o.Emulated = true
	d, err := open(o)
	testfile.Library(t, "cuda-emu", err)
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return d
}

// checkTimed compiles a program on d, and wants so many products timed there, what runs it told, and, if way is not 0,
// the way of its product.
func checkTimed(t *testing.T, d *device, text, kernel string, way uint64, timed int) {
	t.Helper()
	p := compiled(t, exec.New(&machine{d}), parsed(t, text), exec.Options{})
	if got := p.Report()[0].Kernel; got != kernel || d.choices.timed != timed {
		t.Errorf("run by %s, %d timed, want %s, %d", got, d.choices.timed, kernel, timed)
	}
	for key, w := range d.choices.known {
		if way != 0 && (w.lt == nil || w.lt.Algorithm[1] != way) {
			t.Errorf("%s: got %+v, want way %d", key, w.lt, way)
		}
	}
}

// TestAutotune wants the fastest way taken among those that compute the same, once, and again by others who have the
// folder, and the reference's answer.
func TestAutotune(t *testing.T) {
	for _, c := range timedProducts {
		t.Run(c.name, func(t *testing.T) {
			folder, timed := t.TempDir(), 1
			if c.name == "f64" {
				timed = 0
			}
			for range 2 { // processes
				d := openOne(t, Options{Cache: folder})
				for range 2 { // programs
					checkTimed(t, d, c.text, c.kernel, c.way, timed)
				}
				timed = 0
				var args []*literal.Literal
				for _, p := range parsed(t, c.text).Entry.Parameters {
					args = append(args, filled(p.Shape.Type, 0.375, p.Shape.Dims...))
				}
				got := answer(t, exec.New(&machine{d}), c.text, exec.Options{}, args...)
				want := answer(t, exec.Reference(), c.text, exec.Options{}, args...)
				if d := literal.Compare(got, want, literal.Tolerance{RTol: 1e-3}); d != nil {
					t.Error(d)
				}
			}
			if d := openOne(t, Options{Cache: folder, NoAutotune: true}); c.name != "a bias" {
				checkTimed(t, d, c.text, strings.Replace(c.kernel, "cublasLt", "cublas", 1), 0, 0)
			} else {
				checkTimed(t, d, c.text, c.kernel, 0, 0)
			}
		})
	}
}

// TestAutotuneFiles wants what is no file of ours for a product ignored and written anew.
func TestAutotuneFiles(t *testing.T) {
	c, folder := timedProducts[0], t.TempDir()
	first := openOne(t, Options{Cache: folder})
	checkTimed(t, first, c.text, c.kernel, c.way, 1)
	files, err := filepath.Glob(filepath.Join(folder, "*"))
	if err != nil || len(files) != 1 {
		t.Fatalf("got files %v, %v", files, err)
	}
	file := files[0]
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	whole := string(data)
	key, _, _ := strings.Cut(whole, "\n")
	for _, part := range []string{first.info.Name, first.info.Arch, fmt.Sprintf("driver %d", first.info.Driver), "cublasLt 12.4.1",
		"Rows:24", "Batch:1", "TF32:false", "Bias:false", "Type:0"} {
		if !strings.Contains(key, part) {
			t.Errorf("key %s lacks %s", key, part)
		}
	}
	none := *first.choices.known[key].lt
	none.Algorithm[1] = 77
	other := way{lt: &none}
	for name, text := range map[string]string{
		"empty": "", "cut": whole[:len(whole)-9], "longer": whole + "x", "a changed way": strings.Replace(whole, " 7 ", " 5 ", 1),
		"another key": wayText(strings.Replace(key, "Batch:1", "Batch:2", 1), other), "a way that there is not": wayText(key, other),
		"no numbers": wayText(key, way{})[:len(key)+1] + "cublasLt [x] y\n", "bytes": string([]byte{0, 255, 10, 10}),
	} {
		t.Run(name, func(t *testing.T) {
			if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			checkTimed(t, openOne(t, Options{Cache: folder}), c.text, c.kernel, c.way, 1)
			if data, err := os.ReadFile(file); err != nil || string(data) != whole {
				t.Errorf("the file is %q, %v, want %q", data, err, whole)
			}
		})
	}
	strange(t, file, func(name string) {
		checkTimed(t, openOne(t, Options{Cache: folder}), c.text, c.kernel, c.way, 1)
		if data, err := wholefile.ReadAtMost(file, int64(len(whole))); err != nil || string(data) != whole {
			t.Errorf("%s: the file is %q, %v, want %q", name, data, err, whole)
		}
	})
	t.Run("a folder", func(t *testing.T) {
		if err := os.Remove(file); err != nil {
			t.Fatal(err)
		}
		if err := os.MkdirAll(filepath.Join(file, "x"), 0o700); err != nil {
			t.Fatal(err)
		}
		checkTimed(t, openOne(t, Options{Cache: folder}), c.text, c.kernel, c.way, 1)
	})
}

// TestAutotuneAtOnce has many devices time the same products into one folder.
func TestAutotuneAtOnce(t *testing.T) {
	folder := t.TempDir()
	var wg sync.WaitGroup
	for range 6 {
		d := openOne(t, Options{Cache: folder})
		for _, c := range timedProducts[:3] {
			wg.Go(func() {
				p, err := exec.New(&machine{d}).Compile(t.Context(), parsed(t, c.text), exec.Options{})
				if err != nil {
					t.Error(err)
					return
				}
				if got := p.Report()[0].Kernel; got != c.kernel {
					t.Errorf("run by %s", got)
				}
				p.Close()
			})
		}
	}
	wg.Wait()
	if files, err := os.ReadDir(folder); err != nil || len(files) != 3 {
		t.Errorf("got files %v, %v, want 3", files, err)
	}
}

// TestAutotuneRefused has each call of the library be refused in turn: the product is done all the same.
func TestAutotuneRefused(t *testing.T) {
	for _, c := range []int{0, 4} {
		text := timedProducts[c].text
		var args []*literal.Literal
		for _, p := range parsed(t, text).Entry.Parameters {
			args = append(args, numbers(t, p.Shape.Dims...))
		}
		want := answer(t, exec.Reference(), text, exec.Options{}, args...)
		for n := 2; n < 60; n++ {
			t.Setenv("HALO_CUDA_EMU_LIB_FAIL", fmt.Sprintf("cublasLt:%d:15", n))
			d := openOne(t, Options{Cache: t.TempDir()})
			p := compiled(t, exec.New(&machine{d}), parsed(t, text), exec.Options{})
			t.Setenv("HALO_CUDA_EMU_LIB_FAIL", "")
			out, err := p.Run(t.Context(), [][]*literal.Literal{args}, exec.RunOptions{})
			if err != nil {
				t.Fatal(err)
			}
			if d := literal.Compare(out[0], want, literal.Tolerance{RTol: 1e-5, ATol: 1e-5}); d != nil {
				t.Errorf("call %d is refused: %v", n, d)
			}
		}
	}
}

// TestAutotuneLarge wants a product that is too large to be timed in the first way, and nothing kept.
func TestAutotuneLarge(t *testing.T) {
	folder := t.TempDir()
	d := openOne(t, Options{Cache: folder})
	checkTimed(t, d, dotText("f32[200,200]", "f32[200,200]", "f32[200,200]", ""), "cublas gemm", 0, 0)
	if files, err := os.ReadDir(folder); err != nil || len(files) != 0 {
		t.Errorf("got files %v, %v, want none", files, err)
	}
}

// TestAutotuneNoRoom has each call of the driver find no memory in turn: where a product is compiled without a trial, it
// is in the first way, and nothing is kept.
func TestAutotuneNoRoom(t *testing.T) {
	m, without := parsed(t, timedProducts[0].text), 0
	for n := 1; n < 80; n++ {
		folder := t.TempDir()
		t.Setenv("HALO_CUDA_EMU_FAIL", fmt.Sprintf("%d:2", n))
		d, err := open(Options{Emulated: true, Cache: folder})
		if err != nil {
			continue
		}
		p, err := exec.New(&machine{d}).Compile(t.Context(), m, exec.Options{})
		if err == nil {
			files, _ := os.ReadDir(folder)
			if d.choices.timed == 0 {
				without++
				if got := p.Report()[0].Kernel; got != "cublas gemm" || len(files) != 0 {
					t.Errorf("call %d: run by %s, files %v", n, got, files)
				}
			}
			p.Close()
		}
		if err := d.Close(); err != nil && !strings.Contains(err.Error(), "OUT_OF_MEMORY") {
			t.Error(err)
		}
	}
	if without == 0 {
		t.Error("no life was without a trial")
	}
}

// TestTrialOperands wants operands whose exact products are 0 and whose sums tell their order.
func TestTrialOperands(t *testing.T) {
	const rows, depth, columns = 20, 37, 24
	for _, kind := range []shape.ElementType{shape.F32, shape.F16, shape.BF16} {
		for _, transposed := range []bool{false, true} {
			a, b := emit.Matrix{Type: kind, Row: depth, Column: 1}, emit.Matrix{Type: kind, Row: columns, Column: 1}
			if transposed {
				a.Row, a.Column, b.Row, b.Column = 1, rows, 1, depth
			}
			x := wide(t, kind, trialOperand(a, lines{rows, a.Row, depth, a.Column}, 1, false))
			y := wide(t, kind, trialOperand(b, lines{columns, b.Column, depth, b.Row}, 1, true))
			told := 0
			for i := range int64(rows) {
				for j := range int64(columns) {
					exact, up, down := new(big.Float).SetPrec(200), float32(0), float32(0)
					for k := range int64(depth) {
						at := func(k int64) (float64, float64) { return x[i*a.Row+k*a.Column], y[k*b.Row+j*b.Column] }
						p, q := at(k)
						exact.Add(exact, new(big.Float).SetPrec(200).Mul(big.NewFloat(p), big.NewFloat(q)))
						up = float32(math.FMA(p, q, float64(up)))
						p, q = at(depth - 1 - k)
						down = float32(math.FMA(p, q, float64(down)))
					}
					if exact.Sign() != 0 {
						t.Fatalf("%v: the sum is %v, want 0", kind, exact)
					}
					if up != down {
						told++
					}
				}
			}
			if told < rows*columns*9/10 {
				t.Errorf("%v: %d of %d sums tell their order", kind, told, rows*columns)
			}
		}
		for i, v := range wide(t, kind, trialBias(kind, 50)) {
			if v == 0 || math.Abs(v) >= 1 || kind == shape.F32 && math.Abs(v) > 1e-5 {
				t.Errorf("%v: bias %d is %v", kind, i, v)
			}
		}
	}
}

// wide returns numbers of a type from their bytes.
func wide(t *testing.T, kind shape.ElementType, data []byte) []float64 {
	t.Helper()
	l, err := literal.FromBytes(shape.Array(kind, int64(len(data)/kind.Bytes())), data)
	if err != nil {
		t.Fatal(err)
	}
	return l.Wide().F
}
