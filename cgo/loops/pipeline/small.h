// small.h: floats of up to eight bits, which are listed in small.def, for the lane of lanes.h: small_lane, power_lane
// make lanes of codes, small_code and power_code codes of lanes that hold such values. Numbers below the least normal
// one go by a sum with that, which is exact: sub-normal operands would take the machine a hundred cycles.
enum { IEEE, ONES, ZERO, NONE };

#define SMALL_CODES(exp, man) (((I)1 << ((exp) + (man))) - 1)
#define SMALL_INFINITE(exp, man) ((((I)1 << (exp)) - 1) << (man))
#define LEAST(bias) ((I)(BIAS + 1 - (bias)) << MANTISSA) // the least normal number, as bits
#define QUIET (((I)(2 * BIAS + 1) << MANTISSA) | (I)1 << (MANTISSA - 1))
#define MINUS ((I)((U)1 << (LANE - 1)))
#define SUBNORMAL_POWER (LANE == 32 ? (I)0x400000 : (I)(BIAS - 127) << MANTISSA) // 2^-127

INLINE I small_lane(uint8_t x, int exp, int man, int bias, int kind) {
  const I m = x & SMALL_CODES(exp, man), sign = (x >> (exp + man)) & 1 ? MINUS : 0;
  const I normal = (m << (MANTISSA - man)) + ((I)(BIAS - bias) << MANTISSA);
  const I below = BITS(FLOAT(normal + ((I)1 << MANTISSA)) - FLOAT(LEAST(bias)));
  I r = m >> man ? normal : below;
  if (kind == IEEE) {
    r = m == SMALL_INFINITE(exp, man) ? QUIET ^ (I)1 << (MANTISSA - 1) : r;
    r = m > SMALL_INFINITE(exp, man) ? QUIET : r;
  }
  if (kind == ONES)
    r = m == SMALL_CODES(exp, man) ? QUIET : r;
  if (kind == ZERO)
    r = m == 0 && sign ? QUIET : r;
  return r | sign;
}

INLINE uint8_t small_code(I x, int exp, int man, int bias, int kind) {
  const I a = x & ~MINUS, infinite = QUIET ^ (I)1 << (MANTISSA - 1);
  const I sign = (I)((U)x >> (LANE - 1)) << (exp + man);
  const I normal = (a >> (MANTISSA - man)) - ((I)(BIAS - bias) << man);
  const I below = (BITS(FLOAT(a) + FLOAT(LEAST(bias))) >> (MANTISSA - man)) - ((I)(BIAS - bias + 1) << man);
  I r = (a < LEAST(bias) ? below : normal) | sign;
  if (kind == IEEE) {
    r = a >= infinite ? SMALL_INFINITE(exp, man) | sign : r;
    r = a > infinite ? SMALL_INFINITE(exp, man) | (I)1 << (man - 1) | sign : r;
  }
  if (kind == ONES)
    r = a > infinite ? SMALL_CODES(exp, man) | sign : r;
  if (kind == ZERO)
    r = a > infinite ? SMALL_CODES(exp, man) + 1 : r;
  return (uint8_t)r;
}

INLINE I power_lane(uint8_t x) {
  const I r = x ? (I)((U)(x + BIAS - 127) << MANTISSA) : SUBNORMAL_POWER;
  return x == 255 ? QUIET : r;
}

INLINE uint8_t power_code(I x) {
  const I e = ((x & ~MINUS) >> MANTISSA) - (BIAS - 127);
  return (uint8_t)(e > 255 ? 255 : e);
}
