// number.h: what instructions mean where one line does not say it; the Go half is backend/cpu/scalar/number.go.
#ifndef HALO_NUMBER_H
#define HALO_NUMBER_H

#include <math.h>

#include "program.h"
#define INLINE static inline
#include "../run/half.h"

static inline uint64_t bits_of(double v) {
  uint64_t u;
  memcpy(&u, &v, 8);
  return u;
}

static inline double double_of(uint64_t u) {
  double v;
  memcpy(&v, &u, 8);
  return v;
}

// extend and cut keep the low bits of v, as a signed and as an unsigned integer.
static inline int64_t extend(uint64_t v, int bits) { return (int64_t)(v << (64 - bits)) >> (64 - bits); }
static inline uint64_t cut(uint64_t v, int bits) { return v << (64 - bits) >> (64 - bits); }

// Shifts by the width or more shift out every bit.
static inline uint64_t shift_left(uint64_t v, uint64_t n, int bits) {
  n = cut(n, bits);
  return n < (uint64_t)bits ? v << n : 0;
}

static inline uint64_t shift_logical(uint64_t v, uint64_t n, int bits) {
  n = cut(n, bits);
  return n < (uint64_t)bits ? v >> n : 0;
}

static inline int64_t shift_arithmetic(int64_t v, uint64_t n, int bits) {
  n = cut(n, bits);
  return v >> (n < (uint64_t)bits ? n : 63);
}

static inline int64_t leading_zeros(uint64_t v, int bits) {
  v <<= 64 - bits;
  int n = v ? __builtin_clzll(v) : 64;
  return n < bits ? n : bits;
}

// Division by 0 gives all ones, the remainder the dividend.
static inline int64_t divide_signed(int64_t a, int64_t b) {
  return b == 0 ? -1 : b == -1 ? (int64_t)(0 - (uint64_t)a) : a / b;
}

static inline int64_t remainder_signed(int64_t a, int64_t b) { return b == 0 ? a : b == -1 ? 0 : a % b; }

static inline int64_t mulhi_signed(int64_t a, int64_t b, int bits) {
  return (int64_t)((__int128)a * b >> (bits <= 32 ? bits : 64));
}

static inline uint64_t mulhi_unsigned(uint64_t a, uint64_t b, int bits) {
  return (uint64_t)((unsigned __int128)a * b >> (bits <= 32 ? bits : 64));
}

static inline uint64_t power_unsigned(uint64_t a, uint64_t n) {
  uint64_t p = 1;
  for (; n; n >>= 1, a *= a)
    if (n & 1)
      p *= a;
  return p;
}

// Negative exponents give 0 for all bases but 1.
static inline int64_t power_signed(int64_t a, int64_t n) {
  return n >= 0 ? (int64_t)power_unsigned((uint64_t)a, (uint64_t)n) : a == 1;
}

// order_key orders floats by their bits.
static inline int64_t order_key(int64_t s) { return s ^ (int64_t)((uint64_t)(s >> 63) >> 1); }

// The lesser and the greater: NaN if one is NaN, and -0 below 0.
#define HALO_EXTREMES(T, suffix)                                                                                       \
  static inline T min##suffix(T a, T b) {                                                                              \
    if (a < b || a != a)                                                                                               \
      return a;                                                                                                        \
    return a == b ? (signbit(a) ? a : b) : b;                                                                          \
  }                                                                                                                    \
  static inline T max##suffix(T a, T b) {                                                                              \
    if (a > b || a != a)                                                                                               \
      return a;                                                                                                        \
    return a == b ? (signbit(a) ? b : a) : b;                                                                          \
  }                                                                                                                    \
  static inline T sign##suffix(T v) { return v > 0 ? 1 : v < 0 ? -1 : v; }
HALO_EXTREMES(float, f)
HALO_EXTREMES(double, d)

static inline int64_t saturate_signed(double v, int bits) {
  double limit = (double)(1ULL << (bits - 1));
  if (v != v)
    return 0;
  if (v >= limit)
    return (int64_t)((1ULL << (bits - 1)) - 1);
  return v <= -limit ? (int64_t)(0 - (1ULL << (bits - 1))) : (int64_t)v;
}

static inline uint64_t saturate_unsigned(double v, int bits) {
  if (!(v > 0))
    return 0;
  return v >= 2 * (double)(1ULL << (bits - 1)) ? cut(~0ULL, bits) : (uint64_t)v;
}

// odd_float is v, or the neighbour with an odd last bit: rounding that to a narrower type gives what rounding v gives.
static inline double odd_float(uint64_t v) {
  if (v >> 53 && v & 2047)
    v = (v & ~2047ULL) | 2048;
  return (double)v;
}

static inline double odd_signed(int64_t v) { return v < 0 ? -odd_float(0 - (uint64_t)v) : odd_float((uint64_t)v); }

// The narrow floats by element type; formats and rounding are those of package shape.
uint64_t halo_round(int type, double v);
double halo_widen(int type, uint64_t bits);

enum { TYPE_F16 = 10, TYPE_BF16 = 16 };

#endif
