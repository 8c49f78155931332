//go:build race

package testfile

// RaceDetector says whether the test binary has the race detector, which empties pools now and then and does not work
// beside the address sanitizer.
const RaceDetector = true
