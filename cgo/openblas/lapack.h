/* One way to call every routine of LAPACK: in Fortran all arguments are addresses. */
#ifndef HALO_OPENBLAS_LAPACK_H
#define HALO_OPENBLAS_LAPACK_H

#include <stdint.h>

/* halo_lapack calls fn so many times with the first count of the addresses, each its step further every time, and the
 * length 1 for each of its texts behind them. */
void halo_lapack(void *fn, int count, int texts, const int64_t *step, int64_t times, void *a0, void *a1, void *a2,
                 void *a3, void *a4, void *a5, void *a6, void *a7, void *a8, void *a9, void *a10, void *a11, void *a12,
                 void *a13, void *a14, void *a15);

#endif
