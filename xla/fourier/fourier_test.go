package fourier

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// definition is the transform of v by its formula, in float64.
func definition(v []Pair[float64], forward bool) []Pair[float64] {
	n, sign := len(v), 1.0
	if forward {
		sign = -1
	}
	out := make([]Pair[float64], n)
	for k := range out {
		for j, c := range v {
			s, co := math.Sincos(sign * 2 * math.Pi * float64(j*k%n) / float64(n))
			out[k].Re += c.Re*co - c.Im*s
			out[k].Im += c.Re*s + c.Im*co
		}
	}
	return out
}

// within fails unless got is want within c log2(n) units of the root of the sum of squares.
func within[T Number](t *testing.T, name string, got []Pair[T], want []Pair[float64], unit float64) {
	t.Helper()
	sum := 0.0
	for _, w := range want {
		sum += w.Re*w.Re + w.Im*w.Im
	}
	bound := 8 * (1 + math.Log2(float64(len(want)))) * unit * math.Sqrt(sum)
	for k, w := range want {
		if d := math.Hypot(float64(got[k].Re)-w.Re, float64(got[k].Im)-w.Im); !(d <= bound) {
			t.Fatalf("%s of %d, element %d: got %v, want %v", name, len(want), k, got[k], w)
		}
	}
}

func TestPlan(t *testing.T) { testPlan[float32](t, 0x1p-24); testPlan[float64](t, 0x1p-53) }

func testPlan[T Number](t *testing.T, unit float64) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{1, 2, 3, 4, 5, 7, 8, 11, 13, 16, 30, 64, 97, 101, 109, 113, 128, 210, 227, 256, 500, 1009, 1024} {
		v, wide := make([]Pair[T], n), make([]Pair[float64], n)
		for i := range v {
			v[i] = Pair[T]{T(r.NormFloat64()), T(r.NormFloat64())}
			wide[i] = Pair[float64]{float64(v[i].Re), float64(v[i].Im)}
		}
		p := NewPlan[T](n)
		for _, forward := range []bool{true, false} {
			got := slices.Clone(v)
			p.Transform(got, forward)
			within(t, fmt.Sprintf("forward=%v", forward), got, definition(wide, forward), unit)
		}
	}
}

// What is long goes another way; back and forth it is the same but for the length.
func TestLongPlans(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, n := range []int{10080, 1 << 15, 20011, 30030} {
		v := make([]Pair[float64], n)
		for i := range v {
			v[i] = Pair[float64]{r.NormFloat64(), r.NormFloat64()}
		}
		got, p := slices.Clone(v), NewPlan[float64](n)
		p.Transform(got, true)
		if k := n / 3; n > 0 {
			one := Pair[float64]{}
			for j, c := range v {
				s, co := math.Sincos(-2 * math.Pi * float64(j*k%n) / float64(n))
				one.Re += c.Re*co - c.Im*s
				one.Im += c.Re*s + c.Im*co
			}
			if math.Hypot(one.Re-got[k].Re, one.Im-got[k].Im) > 1e-9 {
				t.Errorf("n = %d, element %d: got %v, want %v", n, k, got[k], one)
			}
		}
		p.Transform(got, false)
		for i := range got {
			got[i] = got[i].Scale(1 / float64(n))
		}
		within(t, "there and back", got, v, 0x1p-53)
	}
}

// The half spectrum of reals is that of complex numbers.
func TestRealPlan(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for _, n := range []int{1, 2, 3, 4, 5, 8, 15, 64, 127, 139, 254, 1001, 1024, 2002, 20002} {
		v, pairs := make([]float64, n), make([]Pair[float64], n)
		for i := range v {
			v[i] = r.NormFloat64()
			pairs[i].Re = v[i]
		}
		NewPlan[float64](n).Transform(pairs, true)
		p, line := NewRealPlan[float64](n), slices.Clone(v)
		p.Transform(line, true)
		half := make([]Pair[float64], n/2+1)
		half[0].Re = line[0]
		for k := 1; k < n; k++ {
			if k%2 == 1 {
				half[(k+1)/2].Re = line[k]
			} else {
				half[k/2].Im = line[k]
			}
		}
		within(t, "half spectrum", half, pairs[:n/2+1], 0x1p-52)
		p.Transform(line, false)
		for i := range line {
			if d := math.Abs(line[i]/float64(n) - v[i]); d > 1e-12 {
				t.Fatalf("n = %d, element %d: got %v, want %v", n, i, line[i]/float64(n), v[i])
			}
		}
	}
}

func BenchmarkPlan(b *testing.B) {
	for _, n := range []int{1024, 1 << 16, 65537, 60000} {
		p, v := NewPlan[float64](n), make([]Pair[float64], n)
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				p.Transform(v, true)
			}
		})
	}
}

func ExampleNewPlan() {
	v := []Pair[float64]{{1, 0}, {2, 0}, {3, 0}, {4, 0}}
	NewPlan[float64](4).Transform(v, true)
	fmt.Println(v)
	// Output: [{10 0} {-2 2} {-2 0} {-2 -2}]
}
