// integers64.h: quotients of vectors of 64-bit integers by way of f64, for the level of lanes.h. If x is below 2^50 and
// half a unit is added to it, x/y lies farther from whole numbers than rounding takes it.
#if defined(__x86_64__) && VB == 64
#define DOUBLES_S(x) (VF)_mm512_cvtepi64_pd((__m512i)(x))
#define DOUBLES_U(x) (VF)_mm512_cvtepu64_pd((__m512i)(x))
#define WHOLE_PART(v) (VI)_mm512_cvttpd_epi64((__m512d)(v))
#define WHOLE_BELOW(v) (VI)_mm512_cvt_roundpd_epi64((__m512d)(v), _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC)
// all_below reports whether all are from -2^50 to 2^50.
INLINE int all_below(VI x) {
  return !_mm512_cmpgt_epu64_mask((__m512i)(x + ((I)1 << 50)), _mm512_set1_epi64((I)1 << 51));
}
// all_small reports whether all are below 2^50 as numbers without a sign.
INLINE int all_small(VI x) { return !_mm512_test_epi64_mask((__m512i)x, _mm512_set1_epi64(-((I)1 << 50))); }
#define DIVISOR_FITS(fits, y) 1
#elif defined(__x86_64__) && VB == 32
// Numbers below 2^51 are found in the bits of their sums with 1.5 times 2^52.
#define BESIDE same(0x1.8p52)
#define DOUBLES_S(x) (F((x) + I(BESIDE)) - BESIDE)
#define DOUBLES_U(x) DOUBLES_S(x)
#define WHOLE_PART(v) (I((VF)_mm256_round_pd((__m256d)(v), 3) + BESIDE) - I(BESIDE))
#define WHOLE_BELOW(v) (I((VF)_mm256_floor_pd((__m256d)(v)) + BESIDE) - I(BESIDE))
INLINE int all_below(VI x) {
  const VI high = (x + ((I)1 << 50)) & ~(((I)1 << 51) - 1);
  return _mm256_testz_si256((__m256i)high, (__m256i)high);
}
INLINE int all_small(VI x) { return _mm256_testz_si256((__m256i)x, _mm256_set1_epi64x(-((I)1 << 50))); }
#define DIVISOR_FITS(fits, y) fits(y)
#endif

#ifdef DOUBLES_S
// halved adds half a unit to x, away from 0 as of says.
INLINE VF halved(VF x, VF of) { return x + with_sign(same(0.5), of); }

#if VB == 64
// The quotient of magnitudes is wrong by less than 2^13 the first time, by one the second: rest is what is left of x.
INLINE VI quotient_step(VI q, VI *rest, VI y, VF part, VF inverse) {
  const VI more = WHOLE_PART(part * inverse);
  *rest = (VI)((VU)*rest - (VU)more * (VU)y);
  return q + more;
}
INLINE VI far_div_s(VI x, VI y) {
  const VI sign = (x ^ y) >> 63, a = pick(x < 0, (VI)(-(VU)x), x), b = pick(y < 0, (VI)(-(VU)y), y);
  const VF inverse = 1 / DOUBLES_U(b);
  const VI first = (VI)_mm512_cvttpd_epu64((__m512d)(DOUBLES_U(a) * inverse));
  VI rest = (VI)((VU)a - (VU)first * (VU)b);
  VI q = quotient_step(first, &rest, b, DOUBLES_S(rest), inverse);
  q += rest < 0;
  rest = pick(rest < 0, (VI)((VU)rest + (VU)b), rest);
  q -= (VI)((VU)rest >= (VU)b);
  return pick(y == 0, samei(-1), (q ^ sign) - sign);
}
#else
INLINE VI far_div_s(VI x, VI y) {
  for (int i = 0; i < N; i++)
    x[i] = each_div_s(x[i], y[i]);
  return x;
}
#endif

// The inverse is there whichever way is taken, so that one of a number that all lanes divide by is found once.
INLINE VI div_s(VI x, VI y) {
  const VF inverse = 1 / DOUBLES_S(y);
  if (!all_below(x) || !DIVISOR_FITS(all_below, y))
    return far_div_s(x, y);
  const VF v = DOUBLES_S(x);
  return WHOLE_PART(halved(v, v) * inverse) | (y == 0);
}
INLINE VI div_u(VI x, VI y) {
  const VF inverse = 1 / DOUBLES_U(y);
  if (!all_small(x) || !DIVISOR_FITS(all_small, y)) {
    for (int i = 0; i < N; i++)
      x[i] = each_div_u(x[i], y[i]);
    return x;
  }
  return WHOLE_PART((DOUBLES_S(x) + 0.5) * inverse) | (y == 0);
}
INLINE VI near_div_floor(VI x, VI y) {
  const VF d = DOUBLES_S(y);
  return WHOLE_BELOW(halved(DOUBLES_S(x), d) * (1 / d));
}
#define NEAR_FLOOR(x, y) (all_below(x) && DIVISOR_FITS(all_below, y))
#endif
