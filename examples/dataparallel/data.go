package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"

	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// batch is pictures x, their digits y as rows with a one, and the weights to begin with.
type batch struct {
	size         int
	x, y, w1, w2 *literal.Literal
}

const (
	digits = 10
	pixels = 64
	hidden = 32
	copies = 4 // of each picture, with noise
)

// readBatch reads the pictures 0.npy to 9.npy of a folder.
func readBatch(folder string) (*batch, error) {
	r := rand.New(rand.NewPCG(7, 7))
	var x, y []float32
	for d := range digits {
		ink, err := readPicture(filepath.Join(folder, fmt.Sprintf("%d.npy", d)))
		if err != nil {
			return nil, err
		}
		for range copies {
			for _, v := range ink {
				x = append(x, v+0.1*float32(r.NormFloat64()))
			}
			row := make([]float32, digits)
			row[d] = 1
			y = append(y, row...)
		}
	}
	b := &batch{size: digits * copies}
	var err error
	for _, a := range []struct {
		to         **literal.Literal
		v          []float32
		rows, cols int64
	}{
		{&b.x, x, int64(b.size), pixels}, {&b.y, y, int64(b.size), digits},
		{&b.w1, normal(r, pixels*hidden, 0.15), pixels, hidden}, {&b.w2, normal(r, hidden*digits, 0.2), hidden, digits},
	} {
		if *a.to, err = literal.FromSlice(a.v, a.rows, a.cols); err != nil {
			return nil, err
		}
	}
	return b, nil
}

func normal(r *rand.Rand, n int, scale float64) []float32 {
	v := make([]float32, n)
	for i := range v {
		v[i] = float32(scale * r.NormFloat64())
	}
	return v
}

// readPicture reads 8x8 numbers, the ink of each pixel from 0 to 1.
func readPicture(path string) ([]float32, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	l, err := literal.ReadNPY(f, shape.F32)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	v, err := literal.View[float32](l.RowMajor())
	if err == nil && len(v) != pixels {
		err = fmt.Errorf("%s: %d numbers, want %d", path, len(v), pixels)
	}
	return v, err
}
