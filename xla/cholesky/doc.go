// Package cholesky factors positive definite matrices, wide, in one order of operations: the CPU's kernels and the
// custom calls that have no LAPACK take it from here, and give the same bits, on every machine and with any threads.
package cholesky
