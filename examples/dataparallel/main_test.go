package main

import (
	"bytes"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/halo-xla/halo/xla/collective"
)

// TestSameLosses wants the losses of one device with the whole batch and of several with parts of it to be the same but
// for the rounding of sums in another order, and to fall.
func TestSameLosses(t *testing.T) {
	data, err := readBatch("../../testdata/programs/digits/pictures")
	if err != nil {
		t.Fatal(err)
	}
	const steps = 20
	one, err := train(t.Context(), data, nil, 1, steps)
	if err != nil {
		t.Fatal(err)
	}
	if len(one) != steps || one[steps-1] > one[0]/4 {
		t.Errorf("losses on one device: %v, want them to fall to less than a quarter", one)
	}
	for _, devices := range []int{2, 4, 8} {
		got, err := train(t.Context(), data, nil, devices, steps)
		if err != nil {
			t.Fatal(err)
		}
		for i, v := range got {
			if d := math.Abs(float64(v - one[i])); !(d <= 1e-5*float64(1+one[i])) {
				t.Errorf("%d devices, step %d: loss %v, want %v", devices, i, v, one[i])
			}
		}
		again, err := train(t.Context(), data, nil, devices, steps)
		if err != nil || !slices.Equal(got, again) {
			t.Errorf("%d devices: other bits the second time: %v, %v, %v", devices, got, again, err)
		}
	}
}

func TestRun(t *testing.T) {
	t.Chdir("../..")
	var out bytes.Buffer
	if err := run(t.Context(), &out, nil, 4, 3); err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(out.String(), "step  1 device  4 devices\n   0   2.") {
		t.Errorf("got %s", out.String())
	}
	if err := run(t.Context(), &out, nil, 7, 1); err == nil {
		t.Error("40 pictures were divided among 7 devices")
	}
}

// TestRanks wants four devices in two and in four processes to have the losses of four devices in one, to the bit.
func TestRanks(t *testing.T) {
	data, err := readBatch("../../testdata/programs/digits/pictures")
	if err != nil {
		t.Fatal(err)
	}
	const devices, steps = 4, 20
	want, err := train(t.Context(), data, nil, devices, steps)
	if err != nil {
		t.Fatal(err)
	}
	for _, ranks := range []int{2, 4} {
		var wg sync.WaitGroup
		for _, tr := range collective.Loopback(ranks) {
			wg.Go(func() {
				defer tr.Close()
				job := collective.NewJob(tr)
				got, err := train(t.Context(), data, job, devices, steps)
				if err != nil || !slices.Equal(got, want) {
					t.Errorf("rank %d of %d: got %v, %v, want %v", job.Rank(), ranks, got, err, want)
				}
			})
		}
		wg.Wait()
	}
}
