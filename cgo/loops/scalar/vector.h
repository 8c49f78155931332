// vector.h: instructions on vectors, whose lanes of 32 bits lie in registers side by side, two in each.
#ifndef HALO_VECTOR_H
#define HALO_VECTOR_H

#include <stdint.h>

// halo_vector makes n lanes of d from those of a, b and c; lanes up to the next 64 bytes may be written as well. how is
// n and, from bit 24 on, which of a, b and c are one number for all lanes.
typedef void (*halo_vector)(char *d, const char *a, const char *b, const char *c, int32_t how);
// halo_vector_fold makes one number of n lanes.
typedef uint32_t (*halo_vector_fold)(const char *a, int32_t n);

// halo_vector_dot makes n lanes of d: sums of k numbers x, each times n lanes of y that follow one another.
typedef void (*halo_vector_dot)(char *d, const char *x, const char *y, int32_t n, int32_t k);

// halo_vectors are by the number of an instruction on registers, behind which are those of functions of one number, in
// ops.h's order: kinds in all. What has no instruction on vectors is null.
typedef struct {
  const halo_vector *each;
  const halo_vector_fold *folds;
  halo_vector_dot dot;
  int kinds;
} halo_vectors;

extern const halo_vectors halo_vectors_base, halo_vectors_avx2, halo_vectors_avx512, halo_vectors_neon;
extern const halo_vectors *halo_vectors_now;
void halo_vectors_choose(int isa);
int halo_vectors_have(int op, int fold);

#endif
