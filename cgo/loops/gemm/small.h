/* small.h: small matrix products of f32 and f64, in the records of blas.h. A tile of sums lies in registers for all
 * terms; lhs is read as it lies, and rhs too, unless its columns are no vectors or its rows would not stay in the first
 * cache. */
#ifndef HALO_SMALL_H
#define HALO_SMALL_H

#include "blas.h"

/* halo_small_level does the records of products of f32 and f64. */
typedef void (*halo_small_level[2])(const halo_record *, halo_run *);

extern const halo_small_level halo_small_base, halo_small_avx2, halo_small_avx512;

/* halo_small_of returns the function for type 0, f32, or 1, f64, of an instruction set. */
void *halo_small_of(int64_t isa, int64_t type);

#endif
