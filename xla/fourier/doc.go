// Package fourier transforms lines of numbers between time and frequency: plans, passes and roots of unity, in the
// order of operations that XLA's CPU code has, so that the bits agree.
//
// Every length is split in passes by its factors; large prime factors go through Bluestein's convolution. Every product
// and sum is rounded to the type, so that all machines, and native code that follows a plan, give the same bits. Swift
// plans are for native code alone, which rounds less.
package fourier
