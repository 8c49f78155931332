//go:build race

package testfile

// raceDetector says whether the test binary has the race detector, which empties pools now and then and does not work
// beside the address sanitizer.
const raceDetector = true
