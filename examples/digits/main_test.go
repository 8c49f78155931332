package main

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/halo-xla/halo/xla"
	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

const (
	folder  = "../../testdata/programs/digits/"
	program = folder + "module.mlir"
)

// TestClassify wants the digits and the probabilities that JAX computed for the ten pictures.
func TestClassify(t *testing.T) {
	f, err := os.Open(folder + "pictures/expected.npy")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	l, err := literal.ReadNPY(f, shape.F32)
	if err != nil {
		t.Fatal(err)
	}
	want, err := literal.View[float32](l)
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(program)
	if err != nil {
		t.Fatal(err)
	}
	client, err := xla.NewClient(xla.Reference(), xla.ClientOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	classifier, err := client.Compile(context.Background(), xla.Program{Name: program, Source: text}, xla.CompileOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer classifier.Close()
	for n := range 10 {
		fromPNG, err := readPicture(fmt.Sprintf(folder+"pictures/%d.png", n))
		if err != nil {
			t.Fatal(err)
		}
		fromNPY, err := readPicture(fmt.Sprintf(folder+"pictures/%d.npy", n))
		if err != nil {
			t.Fatal(err)
		}
		for i := range fromNPY {
			if math.Abs(float64(fromPNG[i]-fromNPY[i])) > 1e-6 {
				t.Fatalf("picture %d, pixel %d: PNG %g, npy %g", n, i, fromPNG[i], fromNPY[i])
			}
		}
		answer, err := classify(context.Background(), client, classifier, fromNPY)
		if err != nil {
			t.Fatal(err)
		}
		if answer.digit != int32(n) {
			t.Errorf("picture %d: got digit %d", n, answer.digit)
		}
		for d, got := range answer.probabilities {
			if w := want[10*n+d]; math.Abs(float64(got-w)) > 1e-6+1e-4*float64(w) {
				t.Errorf("picture %d: probability of %d: got %g, want %g", n, d, got, w)
			}
		}
	}
}

func TestRun(t *testing.T) {
	var out bytes.Buffer
	if err := run(context.Background(), &out, program, []string{folder + "pictures/7.png"}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"pictures/7.png", "@@", "this is a 7", "7: 100.0%"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("output lacks %q:\n%s", want, out.String())
		}
	}
}

func TestRunErrors(t *testing.T) {
	text := filepath.Join(t.TempDir(), "picture.png")
	if err := os.WriteFile(text, []byte("no picture"), 0o644); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{"missing.png": "no such file", "missing.npy": "no such file",
		text: "want a picture as PNG or JPEG, or an array as npy"} {
		err := run(context.Background(), &bytes.Buffer{}, program, []string{path})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", path, err, want)
		}
	}
}

// TestLargePicture draws the digit 1 white on black, off the centre of a large picture: paper and frame are found.
func TestLargePicture(t *testing.T) {
	img := image.NewGray(image.Rect(0, 0, 100, 120))
	for y := 20; y < 100; y++ {
		for x := 60; x < 80; x++ {
			img.SetGray(x, y, color.Gray{255})
		}
	}
	path := filepath.Join(t.TempDir(), "one.png")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := png.Encode(f, img); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	p, err := readPicture(path)
	if err != nil {
		t.Fatal(err)
	}
	for row := range side {
		for col := range side {
			want := float32(0)
			if col == 3 || col == 4 {
				want = 1
			}
			if p[row*side+col] != want {
				t.Errorf("row %d, column %d: got ink %g, want %g", row, col, p[row*side+col], want)
			}
		}
	}
}
