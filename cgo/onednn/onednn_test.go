package onednn

import (
	"fmt"
	"log"
	"math"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/halo-xla/halo/cgo/loops/run"
	"github.com/halo-xla/halo/internal/testfile"
)

func dense(t Type, dims ...int64) Array {
	strides, n := make([]int64, len(dims)), int64(1)
	for d := len(dims) - 1; d >= 0; d-- {
		strides[d] = n
		n *= dims[d]
	}
	return Array{Type: t, Dims: dims, Strides: strides}
}

// channelsLast is an array of sizes in oneDNN's order whose features are neighbours in memory.
func channelsLast(t Type, dims ...int64) Array {
	a := dense(t, append(append([]int64{dims[0]}, dims[2:]...), dims[1])...)
	last := len(dims) - 1
	strides := append([]int64{a.Strides[0], a.Strides[last]}, a.Strides[1:last]...)
	return Array{Type: t, Dims: dims, Strides: strides}
}

func floats(r *rand.Rand, n int64) []float32 {
	v := make([]float32, n)
	for i := range v {
		v[i] = float32(r.IntN(17)-8) / 4
	}
	return v
}

// Weights that are known when a program is compiled are packed once.
func Example() {
	a, b, c := dense(F32, 1, 2), dense(F32, 2, 2), dense(F32, 1, 2)
	p, err := New(Spec{Kind: MatMul, Src: a, Weights: Array{Type: F32, Dims: b.Dims, Any: true}, Dst: c}, nil)
	out := []float32{19, 22}
	if err == nil {
		var packed []byte
		if packed, err = pack(p, b, run.Bytes([]float32{5, 6, 7, 8})); err == nil {
			err = p.Execute(run.Bytes([]float32{1, 2}), packed, nil, run.Bytes(out))
		}
	}
	if err != nil {
		log.Print(err) // no oneDNN here
	}
	fmt.Println(out)
	// Output: [19 22]
}

// pack returns plain weights in the layout of p's.
func pack(p *Primitive, plain Array, weights []byte) ([]byte, error) {
	packer, err := p.Packer(plain)
	if err != nil {
		return nil, err
	}
	packed := make([]byte, p.WeightsBytes())
	return packed, packer.Execute(weights, nil, nil, packed)
}

func load(t *testing.T) {
	t.Helper()
	testfile.Library(t, "onednn", Load())
}

func TestInfo(t *testing.T) {
	load(t)
	if file, version, err := Info(); err != nil || !strings.Contains(file, "libdnnl") || !strings.HasPrefix(version, "oneDNN ") {
		t.Errorf("got %q, %q, %v", file, version, err)
	}
}

func TestMatMul(t *testing.T) {
	load(t)
	r := rand.New(rand.NewPCG(1, 1))
	for _, s := range [][3]int64{{1, 1, 1}, {5, 7, 3}, {64, 48, 100}, {17, 130, 65}} {
		m, n, k := s[0], s[1], s[2]
		p, err := New(Spec{Kind: MatMul, Src: dense(F32, m, k), Weights: Array{Type: F32, Dims: []int64{k, n}, Any: true},
			Dst: dense(F32, m, n), Bias: dense(F32, 1, n), Posts: []Post{{Kind: Relu}}}, nil)
		if err != nil {
			t.Fatal(err)
		}
		x, y, bias, got := floats(r, m*k), floats(r, k*n), floats(r, n), make([]float32, m*n)
		packed, err := pack(p, dense(F32, k, n), run.Bytes(y))
		if err != nil {
			t.Fatal(err)
		}
		if err := p.Execute(run.Bytes(x), packed, run.Bytes(bias), run.Bytes(got)); err != nil {
			t.Fatal(err)
		}
		for i := range m {
			for j := range n {
				want := float64(bias[j])
				for l := range k {
					want += float64(x[i*k+l]) * float64(y[l*n+j])
				}
				if want = max(want, 0); math.Abs(float64(got[i*n+j])-want) > 1e-4 {
					t.Fatalf("%v by %s: [%d,%d]: got %v, want %v", s, p.Info(), i, j, got[i*n+j], want)
				}
			}
		}
	}
}

// TestConvolution compares a strided, padded, dilated convolution with its definition, with many callers at once.
func TestConvolution(t *testing.T) {
	load(t)
	r := rand.New(rand.NewPCG(2, 1))
	const n, h, w, ic, oc, k, stride, dilation, low, high = 2, 9, 8, 6, 10, 3, 2, 2, 2, 1
	oh, ow := int64(h+low+high-(k-1)*dilation-1)/stride+1, int64(w+low+high-(k-1)*dilation-1)/stride+1
	plain := channelsLast(F32, oc, ic, k, k)
	p, err := New(Spec{Kind: Convolution, Src: channelsLast(F32, n, ic, h, w),
		Weights: Array{Type: F32, Dims: plain.Dims, Any: true}, Dst: channelsLast(F32, n, oc, oh, ow),
		Strides: []int64{stride, stride}, Dilates: []int64{dilation - 1, dilation - 1}, Low: []int64{low, low},
		High: []int64{high, high}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	x, y := floats(r, n*h*w*ic), floats(r, oc*ic*k*k)
	packed, err := pack(p, plain, run.Bytes(y))
	if err != nil {
		t.Fatal(err)
	}
	at := func(b, o, i, j int64) (sum float64) {
		for a := range int64(k) {
			for c := range int64(k) {
				u, v := i*stride+a*dilation-low, j*stride+c*dilation-low
				if u < 0 || u >= h || v < 0 || v >= w {
					continue
				}
				for f := range int64(ic) {
					sum += float64(x[((b*h+u)*w+v)*ic+f]) * float64(y[((o*k+a)*k+c)*ic+f])
				}
			}
		}
		return sum
	}
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			got := make([]float32, n*oc*oh*ow)
			if err := p.Execute(run.Bytes(x), packed, nil, run.Bytes(got)); err != nil {
				t.Error(err)
			}
			for i, g := range got {
				i := int64(i)
				want := at(i/(oh*ow*oc), i%oc, i/oc/ow%oh, i/oc%ow)
				if math.Abs(float64(g)-want) > 1e-4 {
					t.Errorf("%s: element %d: got %v, want %v", p.Info(), i, g, want)
					return
				}
			}
		})
	}
	group.Wait()
}

// TestPosts runs every post-op after a product with 1.
func TestPosts(t *testing.T) {
	load(t)
	const x = 0.75
	for kind, want := range map[PostKind]float64{
		Sum: x + 2*5, Relu: x, Clip: 0.5, GeluErf: x * 0.5 * (1 + math.Erf(x/math.Sqrt2)),
		GeluTanh: x * 0.5 * (1 + math.Tanh(math.Sqrt(2/math.Pi)*(x+0.044715*x*x*x))), Tanh: math.Tanh(x),
		Logistic: 1 / (1 + math.Exp(-x)), Swish: x / (1 + math.Exp(-2*x)),
	} {
		alpha, beta := float32(2), float32(0)
		if kind == Clip {
			alpha, beta = -0.5, 0.5
		}
		one := dense(F32, 1, 1)
		p, err := New(Spec{Kind: MatMul, Src: one, Weights: one, Dst: one, Posts: []Post{{Kind: kind, Alpha: alpha, Beta: beta}}},
			nil)
		if err != nil {
			t.Errorf("post-op %d: %v", kind, err)
			continue
		}
		got := []float32{5}
		if err := p.Execute(run.Bytes([]float32{x}), run.Bytes([]float32{1}), nil, run.Bytes(got)); err != nil {
			t.Fatal(err)
		}
		if math.Abs(float64(got[0])-want) > 1e-3 {
			t.Errorf("post-op %d: got %v, want %v", kind, got[0], want)
		}
	}
}

// TestRefusals wants a sentence for what the library has not, and for too much.
func TestRefusals(t *testing.T) {
	load(t)
	for name, s := range map[string]Spec{
		"sizes differ": {Kind: MatMul, Src: dense(F32, 2, 3), Weights: dense(F32, 4, 2), Dst: dense(F32, 2, 2)},
		"dimensions":   {Kind: MatMul, Src: dense(F32, 1, 1, 1, 1, 1, 1, 1, 1, 1)},
		"posts":        {Kind: MatMul, Posts: make([]Post, maxPosts+1)},
	} {
		if _, err := New(s, nil); err == nil || !strings.HasPrefix(err.Error(), "onednn: ") {
			t.Errorf("%s: got %v", name, err)
		}
	}
}
