//go:build linux
#pragma GCC optimize("O3")

#include "finite.h"

/* A float is finite if its exponent has a bit that is zero. */
int halo_all_finite(const uint32_t *x, int64_t n) {
  enum { PART = 4096 };
  for (int64_t from = 0; from < n; from += PART) {
    uint32_t bad = 0;
    const int64_t end = n - from < PART ? n : from + PART;
    for (int64_t i = from; i < end; i++) bad |= (x[i] & 0x7f800000) == 0x7f800000;
    if (bad) return 0;
  }
  return 1;
}
