// Command digits reads pictures of handwritten digits, PNG, JPEG or npy, and prints each with the digit a small
// network sees in it and the ten probabilities.
//
//	go run ./examples/digits [-program FILE] PICTURE...
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/halo-xla/halo/backend/cpu"
	"github.com/halo-xla/halo/xla"
	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

func main() {
	program := flag.String("program", "testdata/programs/digits/module.mlir", "the classifier as StableHLO or HLO text")
	flag.Parse()
	if flag.NArg() == 0 {
		fmt.Fprintln(os.Stderr, "usage: digits [-program FILE] PICTURE...")
		os.Exit(2)
	}
	if err := run(context.Background(), os.Stdout, *program, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "digits:", err)
		os.Exit(1)
	}
}

// run compiles the program once and classifies each picture.
func run(ctx context.Context, w io.Writer, program string, paths []string) error {
	text, err := os.ReadFile(program)
	if err != nil {
		return err
	}
	client, err := xla.NewClient(cpu.New(cpu.Options{}), xla.ClientOptions{})
	if err != nil {
		return err
	}
	defer client.Close()
	classifier, err := client.Compile(ctx, xla.Program{Name: program, Source: text}, xla.CompileOptions{})
	if err != nil {
		return err
	}
	defer classifier.Close()
	for _, path := range paths {
		p, err := readPicture(path)
		if err != nil {
			return err
		}
		answer, err := classify(ctx, client, classifier, p)
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		report(w, path, p, answer)
	}
	return nil
}

// answer is what the network says of a picture.
type answer struct {
	digit         int32
	probabilities []float32 // of the digits 0 to 9
}

// classify runs the program on one picture.
func classify(ctx context.Context, client *xla.Client, classifier *xla.Executable, p picture) (a answer, err error) {
	in, err := xla.FromSlice(client, p[:], side, side)
	if err != nil {
		return a, err
	}
	defer in.Close()
	out, err := classifier.Execute(ctx, in)
	if err != nil {
		return a, err
	}
	defer out[0].Close()
	defer out[1].Close()
	if a.probabilities, err = xla.ToSlice[float32](out[0]); err != nil {
		return a, err
	}
	digit, err := xla.ToSlice[int32](out[1])
	if err != nil {
		return a, err
	}
	a.digit = digit[0]
	return a, nil
}

// report prints the picture, the digit and the probabilities, five to a line.
func report(w io.Writer, path string, p picture, a answer) {
	fmt.Fprintf(w, "%s\n", path)
	draw(w, p)
	fmt.Fprintf(w, "this is a %d\n", a.digit)
	for d, probability := range a.probabilities {
		fmt.Fprintf(w, "  %d: %5.1f%%", d, 100*probability)
		if d%5 == 4 {
			fmt.Fprintln(w)
		}
	}
	fmt.Fprintln(w)
}

// readPicture reads a picture by its kind: .npy holds f32[8,8] ink from 0 to 1, all else is an image.
func readPicture(path string) (picture, error) {
	if filepath.Ext(path) != ".npy" {
		return readImage(path)
	}
	f, err := os.Open(path)
	if err != nil {
		return picture{}, err
	}
	defer f.Close()
	l, err := literal.ReadNPY(f, shape.F32)
	if err != nil {
		return picture{}, fmt.Errorf("%s: %w", path, err)
	}
	ink, err := literal.View[float32](l)
	if err != nil || len(ink) != side*side {
		return picture{}, fmt.Errorf("%s: got %v, want f32[%d,%d]", path, l.Shape(), side, side)
	}
	return picture(ink), nil
}
