// Spectrogram draws how loud each pitch of a sound is over time: go-dsp reads the wav file and gives the window, halo
// transforms all frames at once, and a PNG comes out. Without a file it makes a sound of its own.
//
//	go run ./examples/spectrogram [-o FILE.png] [FILE.wav]
package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"image/png"
	"io"
	"log"
	"os"

	"github.com/mjibson/go-dsp/wav"
	"github.com/mjibson/go-dsp/window"

	"github.com/halo-xla/halo/backend/cpu"
	"github.com/halo-xla/halo/xla"
)

func main() {
	out := flag.String("o", "spectrogram.png", "where the picture goes")
	flag.Parse()
	var sound io.Reader = bytes.NewReader(sweep())
	if flag.NArg() > 0 {
		f, err := os.Open(flag.Arg(0))
		if err != nil {
			log.Fatal(err)
		}
		defer f.Close()
		sound = f
	}
	if err := run(context.Background(), sound, *out); err != nil {
		log.Fatal(err)
	}
}

// run reads a sound, draws its spectrogram to a file and says what is loudest in the first and the last frame.
func run(ctx context.Context, sound io.Reader, out string) error {
	samples, rate, err := read(sound)
	if err != nil {
		return err
	}
	s, err := transform(ctx, samples)
	if err != nil {
		return err
	}
	f, err := os.Create(out)
	if err != nil {
		return err
	}
	if err := png.Encode(f, s.picture()); err != nil {
		f.Close()
		return err
	}
	bin := float64(rate) / size
	fmt.Printf("%d frames of %d bins; the loudest is at %.0f Hz in the first and at %.0f Hz in the last\n",
		s.frames, bins, bin*float64(s.loudest(0)), bin*float64(s.loudest(s.frames-1)))
	return f.Close()
}

// read returns the samples of the first channel and how many a second has.
func read(sound io.Reader) (samples []float32, rate uint32, err error) {
	w, err := wav.New(sound)
	if err != nil {
		return nil, 0, err
	}
	channels := int(w.NumChannels)
	all, err := w.ReadFloats(w.Samples)
	if err != nil {
		return nil, 0, err
	}
	mean := float32(0)
	for i := 0; i < len(all); i += channels {
		samples = append(samples, all[i])
		mean += all[i] / float32(len(all)/channels)
	}
	for i := range samples {
		samples[i] -= mean // go-dsp gives integers as numbers from 0 to 1
	}
	if len(samples) < size {
		return nil, 0, fmt.Errorf("the sound has %d samples, want at least %d", len(samples), size)
	}
	return samples, w.SampleRate, nil
}

const (
	size = 512 // samples of a frame
	hop  = 256 // from a frame to the next
	bins = size/2 + 1
)

// spectrogram is the loudness of bins pitches, frame by frame.
type spectrogram struct {
	loud   []float32
	frames int
}

// program is the text of the transform of so many frames: windowed, transformed, and without phase.
const program = `HloModule spectrogram
ENTRY main {
  x = f32[%[1]d,%[2]d] parameter(0)
  w = f32[%[2]d] parameter(1)
  rows = f32[%[1]d,%[2]d] broadcast(w), dimensions={1}
  y = f32[%[1]d,%[2]d] multiply(x, rows)
  f = c64[%[1]d,%[3]d] fft(y), fft_type=RFFT, fft_length={%[2]d}
  ROOT r = f32[%[1]d,%[3]d] abs(f)
}`

// transform computes the spectrogram of samples.
func transform(ctx context.Context, samples []float32) (*spectrogram, error) {
	s := &spectrogram{frames: (len(samples)-size)/hop + 1}
	client, err := xla.NewClient(cpu.New(cpu.Options{}), xla.ClientOptions{})
	if err != nil {
		return nil, err
	}
	defer client.Close()
	text := fmt.Sprintf(program, s.frames, size, bins)
	exe, err := client.Compile(ctx, xla.Program{Name: "spectrogram.hlo", Source: []byte(text)}, xla.CompileOptions{})
	if err != nil {
		return nil, err
	}
	defer exe.Close()
	x, err := xla.FromSlice(client, frames(samples, s.frames), int64(s.frames), size)
	if err != nil {
		return nil, err
	}
	defer x.Close()
	w, err := xla.FromSlice(client, hann())
	if err != nil {
		return nil, err
	}
	defer w.Close()
	return s, s.execute(ctx, exe, x, w)
}

func (s *spectrogram) execute(ctx context.Context, exe *xla.Executable, args ...*xla.Buffer) error {
	out, err := exe.Execute(ctx, args...)
	if err != nil {
		return err
	}
	defer out[0].Close()
	s.loud, err = xla.ToSlice[float32](out[0])
	return err
}

// frames are count pieces of samples, each hop behind the one before.
func frames(samples []float32, count int) []float32 {
	out := make([]float32, 0, count*size)
	for i := range count {
		out = append(out, samples[i*hop:i*hop+size]...)
	}
	return out
}

// hann is the window that fades each frame in and out.
func hann() []float32 {
	out := make([]float32, size)
	for i, v := range window.Hann(size) {
		out[i] = float32(v)
	}
	return out
}
