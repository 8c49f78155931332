package main

import (
	"image"
	"image/color"
	"math"
)

// at returns the loudness of a bin in a frame.
func (s *spectrogram) at(frame, bin int) float64 { return float64(s.loud[frame*bins+bin]) }

// loudest returns the bin that is loudest in a frame.
func (s *spectrogram) loudest(frame int) int {
	most := 0
	for b := range bins {
		if s.at(frame, b) > s.at(frame, most) {
			most = b
		}
	}
	return most
}

// rangeDecibels is how much softer than the loudest what is black is.
const rangeDecibels = 70

// picture has time from left to right and pitch from bottom to top.
func (s *spectrogram) picture() image.Image {
	most := 0.0
	for _, v := range s.loud {
		most = max(most, float64(v))
	}
	m := image.NewGray(image.Rect(0, 0, s.frames, bins))
	for f := range s.frames {
		for b := range bins {
			level := 1 + 20*math.Log10((s.at(f, b)+1e-12)/(most+1e-12))/rangeDecibels
			m.SetGray(f, bins-1-b, color.Gray{Y: uint8(255 * max(0, level))})
		}
	}
	return m
}
