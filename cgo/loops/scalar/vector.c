//go:build linux

#include "vector.h"

const halo_vectors *halo_vectors_now = &halo_vectors_base;

// halo_vectors_choose takes the instructions of a level, a number of package run.
void halo_vectors_choose(int isa) {
  const halo_vectors *now = &halo_vectors_base;
#if defined(__x86_64__)
  if (isa == 1)
    now = &halo_vectors_avx2;
  if (isa == 2)
    now = &halo_vectors_avx512;
#elif defined(__aarch64__)
  if (isa == 3)
    now = &halo_vectors_neon;
#endif
  __atomic_store_n(&halo_vectors_now, now, __ATOMIC_RELAXED);
}

// halo_vectors_have says whether there is an instruction on vectors for number op. Functions of two numbers, and those
// that only Go has, are behind all of them.
int halo_vectors_have(int op, int fold) {
  if (op >= halo_vectors_base.kinds)
    return 0;
  return fold ? halo_vectors_base.folds[op] != 0 : halo_vectors_base.each[op] != 0;
}
