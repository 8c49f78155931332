package main

import (
	"fmt"
	"image"
	"image/color"
	_ "image/jpeg" // readable like PNG
	_ "image/png"
	"io"
	"math"
	"os"
	"strings"
)

// side is the height and width in pixels of a picture as the classifier takes it.
const side = 8

// maxSide bounds the height and width of a file's picture, in pixels.
const maxSide = 8192

// picture is a digit as the classifier takes it: rows of ink, from 0 (paper) to 1.
type picture [side * side]float32

// readImage reads a PNG or JPEG file. A picture of 8x8 pixels is taken as it is; a larger one is cut to the ink with a
// square frame around it, and each of the 8x8 fields gets the mean of its ink.
func readImage(path string) (picture, error) {
	f, err := os.Open(path)
	if err != nil {
		return picture{}, err
	}
	defer f.Close()
	config, _, err := image.DecodeConfig(f)
	if err != nil {
		return picture{}, fmt.Errorf("%s: %w, want a picture as PNG or JPEG, or an array as npy", path, err)
	}
	if min(config.Width, config.Height) < side || max(config.Width, config.Height) > maxSide {
		return picture{}, fmt.Errorf("%s: %dx%d pixels, want %d to %d each way", path, config.Width, config.Height,
			side, maxSide)
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return picture{}, err
	}
	img, _, err := image.Decode(f)
	if err != nil {
		return picture{}, fmt.Errorf("%s: %w", path, err)
	}
	frame := img.Bounds()
	ink := inkOf(img)
	if frame.Dx() != side || frame.Dy() != side {
		frame = inkFrame(ink, frame)
	}
	return reduce(ink, frame), nil
}

// inkOf returns the ink of a pixel, 0 to 1 and 0 outside the picture: how far it is from the paper, which is dark or
// light as most pixels on the edge are.
func inkOf(img image.Image) func(x, y int) float64 {
	grey := func(x, y int) float64 {
		return float64(color.Gray16Model.Convert(img.At(x, y)).(color.Gray16).Y) / math.MaxUint16
	}
	b := img.Bounds()
	edge := 0.0
	for x := b.Min.X; x < b.Max.X; x++ {
		edge += grey(x, b.Min.Y) + grey(x, b.Max.Y-1)
	}
	for y := b.Min.Y; y < b.Max.Y; y++ {
		edge += grey(b.Min.X, y) + grey(b.Max.X-1, y)
	}
	darkPaper := edge < float64(b.Dx()+b.Dy())
	return func(x, y int) float64 {
		switch {
		case !image.Pt(x, y).In(b):
			return 0
		case darkPaper:
			return grey(x, y)
		}
		return 1 - grey(x, y)
	}
}

// inkFrame is the smallest square around the ink of the picture, its whole frame if there is none.
func inkFrame(ink func(x, y int) float64, frame image.Rectangle) image.Rectangle {
	const faint = 0.3
	var found image.Rectangle
	for y := frame.Min.Y; y < frame.Max.Y; y++ {
		for x := frame.Min.X; x < frame.Max.X; x++ {
			if ink(x, y) > faint {
				found = found.Union(image.Rect(x, y, x+1, y+1))
			}
		}
	}
	if found.Empty() {
		return frame
	}
	size := max(found.Dx(), found.Dy(), side)
	corner := found.Min.Add(found.Max).Sub(image.Pt(size, size)).Div(2)
	return image.Rectangle{corner, corner.Add(image.Pt(size, size))}
}

// reduce takes the mean ink of side x side fields of the frame.
func reduce(ink func(x, y int) float64, frame image.Rectangle) picture {
	var p picture
	for row := range side {
		for col := range side {
			y0, y1 := frame.Min.Y+row*frame.Dy()/side, frame.Min.Y+(row+1)*frame.Dy()/side
			x0, x1 := frame.Min.X+col*frame.Dx()/side, frame.Min.X+(col+1)*frame.Dx()/side
			sum := 0.0
			for y := y0; y < y1; y++ {
				for x := x0; x < x1; x++ {
					sum += ink(x, y)
				}
			}
			p[row*side+col] = float32(sum / float64((y1-y0)*(x1-x0)))
		}
	}
	return p
}

// draw prints a picture, two characters a pixel.
func draw(w io.Writer, p picture) {
	const shades = " .:-=+*#%@"
	for row := range side {
		var line strings.Builder
		for _, ink := range p[row*side : (row+1)*side] {
			shade := int(min(max(ink, 0), 1) * float32(len(shades)-1))
			line.WriteString(strings.Repeat(shades[shade:shade+1], 2))
		}
		fmt.Fprintln(w, strings.TrimRight(line.String(), " "))
	}
}
