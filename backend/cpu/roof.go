package cpu

import "github.com/halo-xla/halo/cgo/loops/peak"

// Roof measures what this machine can do at most with so many threads, 0 for as many as there are: f32 operations and
// bytes a second. It takes about 100 ms, in which nothing else should run.
func Roof(threads int) peak.Roof { return peak.Measure(Threads(threads)) }
