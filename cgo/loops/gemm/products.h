/* products.h: our own products in the records of blas.h, which read operands as they lie. */
#ifndef HALO_PRODUCTS_H
#define HALO_PRODUCTS_H

#include "blas.h"
#include "gemm.h"

/* halo_product_level does the records of products of f32 and f64, by an instruction set. */
typedef void (*halo_product_level[2])(const halo_record *, halo_run *);

/* Products of a matrix and a vector: n is 1, and elements of b are side by side. By the type of a; b and c are F64 if
 * that is, else F32. */
enum { HALO_VECTOR_BYTES = 16 << 10 }; /* sums of columns that are made at once */
typedef void (*halo_vector_level[GEMM_S64 + 1])(const halo_record *, halo_run *);
extern const halo_vector_level halo_vector_base, halo_vector_avx2, halo_vector_avx512;

/* Small products of matrices. A tile of sums lies in registers for all terms; rhs is packed only where its columns are
 * no vectors or its rows would not stay in the first cache. */
extern const halo_product_level halo_small_base, halo_small_avx2, halo_small_avx512;

/* These return the function for a type of an instruction set: for vectors that of a, null if there is none; else F32 or
 * F64. */
void *halo_vector_of(int64_t isa, int64_t type);
void *halo_small_of(int64_t isa, int64_t type);

#endif
