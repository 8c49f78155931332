// elements.h: what the lines of memory.def are made of, for the lane of lanes.h.
#ifndef HALO_HALF
#define HALO_HALF
#include "../run/half.h"

// float_to_half takes what half precision has.
INLINE uint16_t float_to_half(float f) {
  uint32_t b = bits_of_float(f), a = b & 0x7fffffff;
  uint32_t finite = bits_of_float(float_of_bits(a) * 0x1p-112f) >> 13;
  uint32_t special = 0x7c00 | ((a >> 13) & 0x3ff) | (uint32_t)(a > 0x7f800000) << 9;
  return (uint16_t)((b >> 16 & 0x8000) | (a >= 0x7f800000 ? special : finite));
}
INLINE double bits_to_double(uint64_t b) {
  double f;
  __builtin_memcpy(&f, &b, 8);
  return f;
}
INLINE uint64_t double_to_bits(double f) {
  uint64_t b;
  __builtin_memcpy(&b, &f, 8);
  return b;
}
#endif

#if LANE == 32
#define BITS(f) ((I)bits_of_float(f))
#define FLOAT(x) float_of_bits((U)(x))
#else
#define BITS(f) ((I)double_to_bits(f))
#define FLOAT(x) bits_to_double((U)(x))
#endif
