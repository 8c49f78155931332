//go:build linux

#include "small.h"

void *halo_small_of(int64_t isa, int64_t type) {
#if defined(__x86_64__)
  if (isa == 2) return (void *)halo_small_avx512[type];
  if (isa == 1) return (void *)halo_small_avx2[type];
#endif
  return (void *)halo_small_base[type];
}
