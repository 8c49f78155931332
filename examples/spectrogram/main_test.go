package main

import (
	"bytes"
	"context"
	"fmt"
	"image/png"
	"math/cmplx"
	"os"
	"path/filepath"
	"testing"

	"github.com/mjibson/go-dsp/fft"
	"github.com/mjibson/go-dsp/window"
)

// The tone is at 540 Hz in the middle of the first frame and at 2940 Hz in that of the last; bins are 15.6 Hz apart.
func Example_main() {
	folder, err := os.MkdirTemp("", "spectrogram")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(folder)
	if err := run(context.Background(), bytes.NewReader(sweep()), filepath.Join(folder, "out.png")); err != nil {
		fmt.Println(err)
	}
	// Output: 61 frames of 257 bins; the loudest is at 547 Hz in the first and at 2938 Hz in the last
}

// go-dsp's transform is the oracle.
func TestOracle(t *testing.T) {
	samples, _, err := read(bytes.NewReader(sweep()))
	if err != nil {
		t.Fatal(err)
	}
	s, err := transform(context.Background(), samples)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range []int{0, 7, s.frames - 1} {
		x := make([]float64, size)
		for i, v := range samples[f*hop : f*hop+size] {
			x[i] = float64(v)
		}
		window.Apply(x, window.Hann)
		for b, want := range fft.FFTReal(x)[:bins] {
			if d := s.at(f, b) - cmplx.Abs(want); d > 1e-3 || d < -1e-3 {
				t.Fatalf("frame %d, bin %d: got %v, want %v", f, b, s.at(f, b), cmplx.Abs(want))
			}
		}
	}
}

func TestPicture(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out.png")
	if err := run(context.Background(), bytes.NewReader(sweep()), out); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(out)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	m, err := png.Decode(f)
	if err != nil {
		t.Fatal(err)
	}
	if b := m.Bounds(); b.Dx() != 61 || b.Dy() != bins {
		t.Errorf("got a picture of %v, want 61 by %d", b, bins)
	}
}

func TestTooShort(t *testing.T) {
	if err := run(context.Background(), bytes.NewReader(sweep()[:200]), filepath.Join(t.TempDir(), "x.png")); err == nil {
		t.Error("a sound of 78 samples was drawn")
	}
}
