// inverse32.h: the inverses of sine, cosine, tangent and of the hyperbolic functions, and sinh and cosh, of vectors of
// floats. The coefficients are ours, as those of math32.h.

// arc32_over is asin(r)/r-1 by z = r*r, for r up to 1/2, over z.
INLINE VF arc32_over(VF z) {
  const VF p = 0.04546914995f + z * (0.02418477833f + z * 0.04215830564f);
  return 0.166667521f + z * (0.07495309412f + z * p);
}

// last_atanh is the inverse of the hyperbolic tangent from the number before 1 on, for which f_atanhf has no way.
#define LAST_ATANH 0x1.fffffep-1f
INLINE VF last_atanh(VF x) {
  const VF a = magnitude(x), one = blend(EQUAL(a, same(1)), same(INFINITY), same(NAN));
  return with_sign(blend(EQUAL(a, same(LAST_ATANH)), same(8.66433976f), one), x);
}

#if defined(__x86_64__) && VB == 32
#include "inverse8.h"
#else
// half_inverse32 is half of the inverse of the square root of v, nearly, and root that root; NaN comes of numbers below
// 0 and of infinity.
INLINE VF half_inverse32(VF v, VF *root) {
#if defined(__x86_64__) && VB == 64
  const VF y = (VF)_mm512_maskz_rsqrt14_ps(_mm512_cmp_ps_mask((__m512)v, (__m512)same(0), _CMP_NEQ_UQ), (__m512)v);
  const VF h = 0.5f * y, r = v * y;
  *root = r + h * (v - r * r);
  return h;
#else
  *root = square_root(v);
  return 0.5f / most(0x1p-60f, *root);
#endif
}

// root32 is the square root of v and, in low, what rounding it has lost.
INLINE VF root32(VF v, VF *low) {
  VF s, h = half_inverse32(v, &s);
  *low = h * (v - s * s);
  return s;
}

// arc32 gives r and c so that r + c is asin(a) for a up to 1/2 and asin(sqrt((1-a)/2)) for larger ones, where far is.
INLINE VF arc32(VF a, MASK far, VF *c) {
  const VF z = blend(far, 0.5f - 0.5f * a, a * a);
  VF low;
  const VF s = root32(z, &low), r = blend(far, s, a);
  *c = r * (z * arc32_over(z)) + keep(far, low);
  return r;
}

// f_asinf is pi/2 - 2*asin(sqrt((1-a)/2)) for a = |x| beyond 1/2.
INLINE VF f_asinf(VF x) {
  const VF a = magnitude(x);
  const MASK far = LESS(same(0.5f), a);
  VF c, r = arc32(a, far, &c), k = blend(far, same(-2), same(1));
  return with_sign(turned(keep(far, same(0x1.921fb6p0f)), k * r, k * c), x);
}

INLINE VF f_acosf(VF x) {
  const VF a = magnitude(x);
  const MASK far = LESS(same(0.5f), a);
  VF c, r = arc32(a, far, &c), k = (VF)((VI)blend(far, same(2), same(-1)) ^ ((VI)x & SIGN));
  return turned(blend(far, keep(NEGATIVE(x), same(0x1.921fb6p1f)), same(0x1.921fb6p0f)), k * r, k * c);
}

// f_atanf is pi/2 - atan(1/a) for a = |x| beyond 1.
INLINE VF f_atanf(VF x) {
  const VF a = least(0x1p60f, magnitude(x)), r = inverse(most(0x1p-60f, a));
  const MASK steep = LESS(same(1), a);
  const VF q = blend(steep, r, a), c = atan32(q) + keep(steep, r * (1 - a * r));
  const VI turn = (VI)keep(steep, (VF)samei(SIGN));
  return with_sign(turned(keep(steep, same(0x1.921fb6p0f)), (VF)((VI)q ^ turn), (VF)((VI)c ^ turn)), x);
}

#if VB != 64
// log32_sum is log(u) + more for u from 1 to 2^14.
INLINE VF log32_sum(VF u, VF more) {
  const VI k = ((VI)u - 0x3f3504f3) >> 23;
  const VF m = (VF)((VI)u - (VI)((VU)k << 23)), e = __builtin_convertvector(k, VF);
  return log32_and(m - 1, e, more + e * 0x1.7f7d1cp-20f);
}
#endif

static __attribute__((noinline)) VF log32_twice(VF x) {
  VF e, m = parts(x, &e);
  return log32(m - 1, e + 1);
}

// f_asinhf is log(u) of u = s+a for a = |x| and s = sqrt(1+a*a), with what rounding both has lost; s-a is 1/u.
INLINE VF usual_asinh(VF x) {
  const VF a = magnitude(x), v = 1 + a * a;
  VF s, h = half_inverse32(v, &s);
  const VF u = s + a, low = ((s - u) + a) + h * ((1 - s * s) + a * a), l = log32_sum(u, low * (s - a));
  return (VF)((VI)l | ((VI)x & SIGN));
}
// usual32 is where that is good: with AVX-512 a root near 1 may be less than 1.
#if defined(__x86_64__) && VB == 64
INLINE MASK usual32(VF a) { return within(a, 0x1p-12f, 0x1p12f); }
#else
INLINE MASK usual32(VF a) { return LESS(a, same(0x1p12f)); }
#endif
INLINE VF f_asinhf(VF x) {
  const VF a = magnitude(x), near = usual_asinh(x);
  const MASK usual = usual32(a);
  return ALL(usual) ? near : blend(usual, near, blend(LESS(a, same(1)), x, with_sign(log32_twice(a), x)));
}

// f_acoshf is the same of u = x+s for s = sqrt(x*x-1), which needs no more than 14 bits before low.
INLINE VF usual_acosh(VF x) {
  const VF t = x - 1, w = t + t, v = w + t * t;
#if defined(__x86_64__) && VB == 64
  const VF y = (VF)_mm512_rsqrt14_ps((__m512)most(0x1p-60f, v)), s = v * y, h = 0.5f * y, u = x + s;
  const VF r = (VF)_mm512_rcp14_ps((__m512)u);
#else
  VF s, h = half_inverse32(v, &s);
  const VF u = x + s, r = x - s;
#endif
  const VF low = ((x - u) + s) + h * ((w - s * s) + t * t);
  return log32_sum(u, low * r);
}
INLINE VF f_acoshf(VF x) {
  const MASK usual = LESS(x, same(0x1p12f));
  const VF near = blend(LESS(x, same(1)), same(NAN), usual_acosh(x));
  return ALL(usual) ? near : blend(usual, near, log32_twice(x));
}

// f_atanhf is log(w)/2 + atanh(q) for the power of two w below (1+a)/(1-a), a = |x|: q is (1+a-w*(1-a))/(1+a+w*(1-a)),
// at most 1/3, and a itself if w is 1.
INLINE VF usual_atanh(VF x) {
  const VF a = magnitude(x);
  const VI j = ((VI)(1 + a) - (VI)(1 - a)) & INFINITE;
  const VF w = (VF)(j + I(same(1))), n = 1 + w, m = 1 - w, e = __builtin_convertvector(j, VF); // times 2^23
  const VF q = ratio32(a * n + m, a * m + n), z = q * q;
  const VF p = (0.3333320916f + z * 0.200107187f) + (z * z) * (0.1400151253f + z * 0.1400339156f);
  const VF v = e * 0x1.62e400p-25f + (q + ((q * z) * p + e * 0x1.7f7d1cp-44f));
  return (VF)((VI)v | ((VI)x & SIGN));
}
INLINE VF f_atanhf(VF x) { return blend(LESS(magnitude(x), same(LAST_ATANH)), usual_atanh(x), last_atanh(x)); }
#endif

// halves32 gives what sinh(a)/2 = h + h*c + g*s and cosh(a)/2 = g + g*c + h*s are made of, and returns s: c is
// cosh(r)-1 and s sinh(r) for a = t*log(2) + r, h and g are (2^t - 2^-t)/4 and (2^t + 2^-t)/4.
INLINE VF halves32(VF a, VF *h, VF *g, VF *c) {
  a = least(89.6f, a); // both are infinite from 89.42 on
  const VF y = a * 0x1.715476p0f + (SHIFT32 + 125), t = y - (SHIFT32 + 125);
  const VF b = a - t * 0x1.62e400p-1f, r = b - t * 0x1.7f7d1cp-20f, z = r * r;
  const VI power = (VI)((VU)y << 23); // of t-2; that of -2-t is 0 if it is too small
  const VF up = (VF)power, down = (VF)larger_s((250 << 23) - power, samei(0));
  *h = up - down, *g = up + down;
  *c = z * (0.5f + z * (0.04166645929f + z * 0.001393542625f));
  return r + r * (z * (0.1666666716f + z * (0.008333175443f + z * 0.0001997410436f)));
}

INLINE VF f_sinhf(VF x) {
  const VF a = magnitude(x);
  VF h, g, c, s = halves32(a, &h, &g, &c), v = h + (h * c + g * s);
  return blend(LESS(a, same(0x1p-12f)), x, (VF)((VI)(v + v) | ((VI)x & SIGN)));
}

INLINE VF f_coshf(VF x) {
  VF h, g, c, s = halves32(magnitude(x), &h, &g, &c), v = g + (g * c + h * s);
  return v + v;
}
