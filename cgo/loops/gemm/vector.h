/* vector.h: products of a matrix and a vector, in the records of blas.h. */
#ifndef HALO_VECTOR_H
#define HALO_VECTOR_H

#include "blas.h"

/* halo_vector_level does the records of products whose n is 1, of f32 and f64. Elements of b are side by side. */
typedef void (*halo_vector_level[2])(const halo_record *, halo_run *);

extern const halo_vector_level halo_vector_base, halo_vector_avx2, halo_vector_avx512;

/* halo_vector_of returns the function for type 0, f32, or 1, f64, of an instruction set. */
void *halo_vector_of(int64_t isa, int64_t type);

#endif
