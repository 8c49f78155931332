// inverse8.h: the inverses of sine, cosine, tangent and of the hyperbolic functions, of vectors of 8 floats. They keep
// less of what roundings have lost than those of inverse32.h and have fewer instructions, which is what bounds them.

// arc8 gives r, which is a = |x| up to 1/2 and sqrt((1-a)/2) for larger ones, where far is, and returns asin(r)-r.
INLINE VF arc8(VF a, MASK far, VF *r) {
  const VF z = (VF)_mm256_min_ps((__m256)(0.5f - 0.5f * a), (__m256)(a * a));
  *r = blend(far, square_root(z), a);
  return (*r * z) * arc32_over(z);
}

// f_asinf is pi/2 - 2*asin(sqrt((1-a)/2)) beyond 1/2.
INLINE VF f_asinf(VF x) {
  const VF a = magnitude(x);
  const MASK far = LESS(same(0.5f), a);
  VF r, c = arc8(a, far, &r), v = r + (c + keep(far, same(0x1.777a5cp-26f)));
  return (VF)((VI)(keep(far, same(0x1.921fb6p0f)) + blend(far, same(-2), same(1)) * v) | ((VI)x & SIGN));
}

INLINE VF f_acosf(VF x) {
  const VF a = magnitude(x);
  const MASK far = LESS(same(0.5f), a);
  VF r, c = arc8(a, far, &r), v = (VF)((VI)(r + c) ^ ((VI)x & SIGN));
  const VF from = blend(far, blend((VI)x, same(0x1.921fb6p1f), same(0)), same(0x1.921fb6p0f));
  return from + blend(far, same(2), same(-1)) * v;
}

// f_atanf is pi/2 + atan(-1/a) for a = |x| beyond 1.
INLINE VF f_atanf(VF x) {
  const VF a = magnitude(x), r = -1 / a;
  const MASK steep = LESS(same(1), a);
  const VF q = blend(steep, r, a), v = (q + q * atan32_over(q)) + keep(steep, same(-0x1.777a5cp-25f));
  return (VF)((VI)(keep(steep, same(0x1.921fb6p0f)) + v) | ((VI)x & SIGN));
}

static __attribute__((noinline)) VF log32_twice(VF x) {
  VF e, m = parts(x, &e);
  return log32(m - 1, e + 1);
}
#define MOST_SQUARE 0x1p60f // of which squares are finite

// f_asinhf is log(1 + a + sqrt(1+a*a)-1) for a = |x|, the latter being a*a/(1+sqrt(1+a*a)).
INLINE VF near_f_asinhf(VF x, MASK *near) {
  const VF a = magnitude(x), z = rounded(a * a), s = square_root(1 + z);
  *near &= LESS(a, same(MOST_SQUARE));
  return (VF)((VI)log1p8(a, z / (1 + s), a + s) | ((VI)x & SIGN));
}
INLINE VF f_asinhf(VF x) { return NEAR_OR(near_f_asinhf, x, with_sign(log32_twice(magnitude(x)), x)); }

// f_acoshf is log(1 + t + sqrt(t*t+2*t)) for t = x-1.
INLINE VF near_f_acoshf(VF x, MASK *near) {
  const VF t = x - 1, s = square_root(t * t + (t + t));
  *near &= within(x, 1, MOST_SQUARE);
  return log1p8(s, t, x + s);
}
INLINE VF f_acoshf(VF x) {
  return NEAR_OR(near_f_acoshf, x, blend(LESS(x, same(1)), same(NAN), log32_twice(x)));
}

// f_atanhf is that of inverse32.h.
INLINE VF near_f_atanhf(VF x, MASK *near) {
  const VF a = magnitude(x);
  *near &= LESS(a, same(LAST_ATANH));
  const VI j = ((VI)(1 + a) - (VI)(1 - a)) & INFINITE;
  const VF w = (VF)(j + I(same(1))), n = 1 + w, m = 1 - w, e = __builtin_convertvector(j, VF); // times 2^23
  const VF q = (a * n + m) / (a * m + n), z = q * q;
  const VF p = 0.3333320916f + z * (0.200107187f + z * (0.1400151253f + z * 0.1400339156f));
  return (VF)((VI)(e * 0x1.62e43p-25f + (q + (q * z) * p)) | ((VI)x & SIGN));
}
INLINE VF f_atanhf(VF x) { return NEAR_OR(near_f_atanhf, x, last_atanh(x)); }
