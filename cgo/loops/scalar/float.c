//go:build linux

// Floats narrower than F32: to and from F64.
#include "number.h"

enum { NAN_NONE, NAN_IEEE, NAN_ALL_ONES, NAN_NEG_ZERO };

enum { TYPE_F8E8M0FNU = 33, TYPES = 37 };

static const struct {
  uint8_t exp, man, bias, nan;
} formats[TYPES] = {
    [10] = {5, 10, 15, NAN_IEEE},    // f16
    [16] = {8, 7, 127, NAN_IEEE},    // bf16
    [19] = {5, 2, 15, NAN_IEEE},     // f8e5m2
    [20] = {4, 3, 7, NAN_ALL_ONES},  // f8e4m3fn
    [23] = {4, 3, 11, NAN_NEG_ZERO}, // f8e4m3b11fnuz
    [24] = {5, 2, 16, NAN_NEG_ZERO}, // f8e5m2fnuz
    [25] = {4, 3, 8, NAN_NEG_ZERO},  // f8e4m3fnuz
    [28] = {4, 3, 7, NAN_IEEE},      // f8e4m3
    [29] = {3, 4, 3, NAN_IEEE},      // f8e3m4
    [32] = {2, 1, 1, NAN_NONE},      // f4e2m1fn
    [35] = {3, 2, 3, NAN_NONE},      // f6e3m2fn
    [36] = {2, 3, 1, NAN_NONE},      // f6e2m3fn
};

#define F64_INF (0x7FFULL << 52)

// most returns the largest finite magnitude of a format, what greater ones become and a NaN.
static void most(int type, uint64_t *finite, uint64_t *overflow, uint64_t *nan) {
  int exp = formats[type].exp, man = formats[type].man;
  uint64_t all = (1ULL << (exp + man)) - 1, inf = ((1ULL << exp) - 1) << man;
  *finite = all, *overflow = all, *nan = 0;
  switch (formats[type].nan) {
  case NAN_IEEE:
    *finite = inf - 1, *overflow = inf, *nan = inf | 1ULL << man >> 1;
    break;
  case NAN_ALL_ONES:
    *finite = all - 1, *overflow = *nan = all;
    break;
  case NAN_NEG_ZERO:
    *overflow = *nan = all + 1;
  }
}

static uint64_t round_e8m0(uint64_t b) {
  if (b == 0 || b >= F64_INF)
    return 0xFF;
  int64_t e = (int64_t)(b >> 52) - 1023 + 127;
  if (e < 0)
    return 0;
  e += b >> 51 & 1;
  return e < 0xFF ? (uint64_t)e : 0xFF;
}

static uint64_t round_nan(int type, uint64_t sign, uint64_t abs, uint64_t nan) {
  int exp = formats[type].exp, man = formats[type].man;
  if (formats[type].nan == NAN_NONE)
    return sign ^ 1ULL << (exp + man);
  if (exp + man == 15)
    return sign | nan | (abs >> (52 - man) & ((1ULL << man) - 1));
  return sign | nan;
}

uint64_t halo_round(int type, double v) {
  uint64_t b = bits_of(v), finite, overflow, nan, base = 0, mag = 0;
  if (type == TYPE_F8E8M0FNU)
    return round_e8m0(b);
  int exp = formats[type].exp, man = formats[type].man, shift = 52 - man, least = 1 - formats[type].bias;
  uint64_t sign = b >> 63 << (exp + man), abs = b & ~(1ULL << 63);
  most(type, &finite, &overflow, &nan);
  if (abs >= F64_INF)
    return abs > F64_INF ? round_nan(type, sign, abs, nan) : sign | overflow;
  int e = (int)(abs >> 52) - 1023;
  uint64_t m = (abs & ((1ULL << 52) - 1)) | 1ULL << 52;
  if (e >= least)
    base = (uint64_t)(e - least) << man;
  else
    shift += least - e;
  if (shift < 55)
    mag = base + ((m + (1ULL << (shift - 1)) - 1 + (m >> shift & 1)) >> shift);
  if (mag > finite)
    mag = overflow;
  return mag == 0 && formats[type].nan == NAN_NEG_ZERO ? 0 : sign | mag;
}

double halo_widen(int type, uint64_t bits) {
  if (type == TYPE_BF16)
    return from_bf16((uint16_t)bits);
  if (type == TYPE_F16)
    return from_f16((uint16_t)bits);
  if (type == TYPE_F8E8M0FNU)
    return (bits & 0xFF) == 0xFF ? NAN : double_of((((bits & 0xFF) + 1023 - 127)) << 52);
  int exp = formats[type].exp, man = formats[type].man, bias = formats[type].bias, kind = formats[type].nan;
  uint64_t finite, overflow, nan, abs = bits & ((1ULL << (exp + man)) - 1), neg = bits >> (exp + man) & 1;
  most(type, &finite, &overflow, &nan);
  int e = (int)(abs >> man);
  double m = (double)(abs & ((1ULL << man) - 1)), v;
  if (kind == NAN_NEG_ZERO ? neg && abs == 0 : abs > finite && (kind == NAN_ALL_ONES || abs != overflow))
    v = NAN;
  else if (abs > finite)
    v = INFINITY;
  else if (e == 0)
    v = m * double_of((uint64_t)(1 - bias - man + 1023) << 52);
  else
    v = (m + (double)(1 << man)) * double_of((uint64_t)(e - bias - man + 1023) << 52);
  return neg ? -v : v;
}
