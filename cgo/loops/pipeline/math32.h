// math32.h: functions of vectors of floats for machines that multiply and add with one rounding, within 2 units in the
// last place, most of them within 1. The coefficients are ours: interpolation at Chebyshev's points.
#define SHIFT32 0x1.8p23f

// Of the places of a vector where something is so: a mask, in a register of its own where the machine has those. blend
// is x there and y elsewhere; keep is x there and 0 elsewhere. least and most are the second operand if either is NaN.
#if defined(__x86_64__) && VB == 64
typedef __mmask16 MASK;
#define COMPARE(x, y, how) _mm512_cmp_ps_mask((__m512)(x), (__m512)(y), how)
#define LESS(x, y) COMPARE(x, y, _CMP_LT_OQ)
#define EQUAL(x, y) COMPARE(x, y, _CMP_EQ_OQ)
#define NEGATIVE(x) _mm512_movepi32_mask((__m512i)(x))
#define ALL(m) ((m) == 0xffff)
// within reports which are from least to most, two positive numbers, most not included.
INLINE MASK within(VF x, F least, F most) {
  return _mm512_cmplt_epu32_mask((__m512i)((VI)x - I(same(least))), (__m512i)(I(same(most)) - I(same(least))));
}
INLINE VF blend(MASK m, VF x, VF y) { return (VF)_mm512_mask_blend_ps(m, (__m512)y, (__m512)x); }
INLINE VF keep(MASK m, VF x) { return (VF)_mm512_maskz_mov_ps(m, (__m512)x); }
INLINE VF least(F x, VF y) { return (VF)_mm512_min_ps((__m512)same(x), (__m512)y); }
INLINE VF most(F x, VF y) { return (VF)_mm512_max_ps((__m512)same(x), (__m512)y); }
// scaled is v*2^t for whole t.
INLINE VF scaled(VF v, VF t) { return (VF)_mm512_scalef_ps((__m512)v, (__m512)t); }
INLINE VF power2(VF t) { return scaled(same(1), t); }
// parts gives m from sqrt(1/2) to sqrt(2) and the whole number e so that x = m*2^e; m is NaN where x is negative.
INLINE VF parts(VF x, VF *e) {
  VF m = (VF)_mm512_getmant_ps((__m512)x, _MM_MANT_NORM_1_2, _MM_MANT_SIGN_nan);
  *e = (VF)_mm512_getexp_ps((__m512)x);
  MASK large = LESS(same(0x1.6a09e6p0f), m);
  *e = (VF)_mm512_mask_add_ps((__m512)*e, large, (__m512)*e, (__m512)same(1));
  return (VF)_mm512_mask_mul_ps((__m512)m, large, (__m512)m, (__m512)same(0.5f));
}
// inverse is 1/x but for the last place; x is neither 0 nor small, and NaN comes of infinities.
INLINE VF inverse(VF x) {
  VF r = (VF)_mm512_rcp14_ps((__m512)x);
  return r + r * (1 - x * r);
}
// ratio32 is n/d but for the last place where 1/d is a normal number. A zero over a positive number keeps its sign.
INLINE VF ratio32(VF n, VF d) {
  const VF r = inverse(d), q = n * r;
  return q - r * (q * d - n);
}
#else
typedef VI MASK;
#define LESS(x, y) ((VF)(x) < (VF)(y))
#define EQUAL(x, y) ((VF)(x) == (VF)(y))
#define NEGATIVE(x) ((VI)(x) < 0)
#if defined(__x86_64__)
#define ALL(m) (_mm256_movemask_ps((__m256)(m)) == 0xff)
#else
#define ALL(m) (vminvq_u32((uint32x4_t)(m)) != 0)
#endif
// Numbers with a sign are compared: both sides are moved by half of all.
INLINE MASK within(VF x, F least, F most) {
  const VI from = (VI)same(least) + SIGN;
  return (VI)((VU)x - (VU)from) < (VI)same(most) - from;
}
#if defined(__x86_64__)
INLINE VF blend(MASK m, VF x, VF y) { return (VF)_mm256_blendv_ps((__m256)y, (__m256)x, (__m256)m); }
#else
INLINE VF blend(MASK m, VF x, VF y) { return pickf(m, x, y); }
#endif
INLINE VF keep(MASK m, VF x) { return (VF)(m & (VI)x); }
#if defined(__x86_64__)
INLINE VF least(F x, VF y) { return (VF)_mm256_min_ps((__m256)same(x), (__m256)y); }
INLINE VF most(F x, VF y) { return (VF)_mm256_max_ps((__m256)same(x), (__m256)y); }
#else
INLINE VF least(F x, VF y) { return pickf(y > x, same(x), y); }
INLINE VF most(F x, VF y) { return pickf(y < x, same(x), y); }
#endif
// IF_NEAR is f of a vector of which it is good for all places, else other.
#define IF_NEAR(f, x, other)                                                                                           \
  ({                                                                                                                   \
    MASK near = samei(-1);                                                                                             \
    const VF v = f(x, &near);                                                                                          \
    __builtin_expect(ALL(near), 1) ? v : other;                                                                        \
  })

// NEAR_OR is f of a vector, and other in places where it is not good.
#define NEAR_OR(f, x, other)                                                                                           \
  ({                                                                                                                   \
    MASK near = samei(-1);                                                                                             \
    const VF v = f(x, &near);                                                                                          \
    __builtin_expect(ALL(near), 1) ? v : blend(near, v, other);                                                        \
  })

// whole is the integer of a whole float.
INLINE VI whole(VF t) { return (VI)(t + SHIFT32) - (VI)same(SHIFT32); }
// power2 is 2^t for whole t from -126 to 127.
INLINE VF power2(VF t) { return (VF)((whole(t) + 127) << 23); }
// scaled is v*2^t, in two steps since t may be beyond the exponents of a float.
INLINE VF scaled(VF v, VF t) {
  VI k = whole(t), h = k >> 1;
  return v * (VF)((h + 127) << 23) * (VF)((k - h + 127) << 23);
}
INLINE VF parts(VF x, VF *e) {
  VI tiny = x < 0x1p-126f;
  VF y = pickf(tiny, x * 0x1p25f, x);
  VI k = ((VI)y - 0x3f3504f3) >> 23;
  VF m = (VF)((VI)y - (VI)((VU)k << 23));
  *e = __builtin_convertvector(k, VF) - pickf(tiny, same(25), same(0));
  *e = pickf(x == 0, same(-INFINITY), pickf(x == INFINITY, x, *e));
  return pickf(x < 0, same(NAN), pickf((x == 0) | (x == INFINITY), same(1), pickf(x != x, x, m)));
}
INLINE VF inverse(VF x) { return 1 / x; }
INLINE VF ratio32(VF n, VF d) { return n / d; }
#endif

// ROUNDED keeps the compiler from rounding a product only after something is added to it.
#if defined(__x86_64__)
#define ROUNDED(v) __asm__("" : "+v"(v))
#else
#define ROUNDED(v) __asm__("" : "+w"(v))
#endif

// exp32_parts gives r and the whole number t so that x = t*log(2) + r, and q so that exp(r) = 1 + q.
INLINE VF exp32_parts(VF x, VF *t) {
  *t = (x * 0x1.715476p0f + SHIFT32) - SHIFT32;
  VF r = x - *t * 0x1.62e400p-1f;
  r = r - *t * 0x1.7f7d1cp-20f;
  VF q = 0.04166838908f + r * (0.008368715188f + r * 0.001381448171f);
  q = 0.4999999345f + r * (0.1666652065f + r * q);
  return r + r * r * q;
}

#if VB == 64
// looked_up is the number of a table for each place: that of the four lowest bits of i.
INLINE VF looked_up(const float *table, VI i) {
  return (VF)_mm512_permutexvar_ps((__m512i)i, *(const __m512 *)table);
}

// of32 is that of the five lowest bits.
INLINE VF of32(const float *table, VI i) {
  return (VF)_mm512_permutex2var_ps(*(const __m512 *)table, (__m512i)i, *(const __m512 *)(table + 16));
}

// power16 is the power of 2^(1/16) that the four lowest bits of k say, and q so that exp(r) = 1 + q for r of at most
// log(2)/32. Far beyond the numbers that have an exponential, r is anything; then q is 0.
INLINE VF power16(VI k, VF r, VF *q) {
  static const float powers[16] __attribute__((aligned(64))) = {
      0x1p0f, 0x1.0b5586p0f, 0x1.172b84p0f, 0x1.2387a6p0f, 0x1.306fep0f, 0x1.3dea64p0f, 0x1.4bfdaep0f, 0x1.5ab07ep0f,
      0x1.6a09e6p0f, 0x1.7a1148p0f, 0x1.8ace54p0f, 0x1.9c4918p0f, 0x1.ae89fap0f, 0x1.c199bep0f, 0x1.d5818ep0f,
      0x1.ea4afap0f};
  const VF z = r * r, c = 0.500009774918f + r * 0.166668621646f;
  *q = (VF)_mm512_maskz_fmadd_ps(LESS(z, same(1)), (__m512)z, (__m512)c, (__m512)r);
  return looked_up(powers, k);
}

INLINE VF f_expf(VF x) {
  const VF y = x * 0x1.715476p0f + SHIFT32 / 16, t = y - SHIFT32 / 16;
  const VF r = x - t * 0x1.62e400p-1f;
  VF q, s = power16((VI)y, r - t * 0x1.7f7d1cp-20f, &q);
  return scaled(s + s * q, t);
}

// exp32_square gives s, q and t so that exp(-x*x) = s*(1+q)*2^floor(t); z is x*x rounded. No square is rounded where it
// matters, nor the product that it is added to, which has few bits.
INLINE VF exp32_square(VF x, VF z, VF *q, VF *t) {
  const VF y = SHIFT32 / 16 - z * 0x1.715476p0f;
  *t = y - SHIFT32 / 16;
  const VF r = rounded(*t * -0x1.62ep-1f) - x * x;
  return power16((VI)y, r - *t * 0x1.0bfbe8p-15f, q);
}
#elif !defined(__x86_64__)
// exp32_square gives s and q so that exp(-x*x) = s*(1+q), for normal numbers; z is x*x rounded.
INLINE VF exp32_square(VF x, VF z, VF *q) {
  VF t, p = exp32_parts(-z, &t), low = z - x * x;
  *q = p + (low + low * p);
  return power2(t);
}

INLINE VF f_expf(VF x) {
  VF t, q = exp32_parts(most(-104, least(89, x)), &t);
  return scaled(1 + q, t);
}
#endif

// logistic32 adds 1 to exp(-x) without rounding that first, and what rounding 1 + s has lost.
INLINE VF logistic32(VF x) {
  VF t, y = most(-60, least(104, -x));
  VF q = exp32_parts(y, &t);
  VF small = scaled(1 / (1 + q), -t); // where exp(-x) is so large that adding 1 makes no difference
  VF s = power2(least(60, t));
  VF w = 1 + s, lost = 1 - (w - s);
  VF r = 1 / (w + (s * q + lost));
  return blend(LESS(same(40), y), small, r);
}

// any_expm1 takes 1 off 2^t, which is exact, before it adds what is left; its sign is that of x, of zero too.
INLINE VF any_expm1(VF x) {
  VF t, y = most(-20, least(89, x));
  VF q = exp32_parts(y, &t);
  VF s = power2(least(60, t));
  VF v = blend(LESS(same(40), y), scaled(1 + q, t), (s - 1) + s * q);
  return (VF)((VI)v | ((VI)x & SIGN));
}

// f_cbrtf takes y near a^(-1/3), by a third of a's bits taken as a number, nearer by a parabola in 1-a*y^3, which is at
// most 0.11 before and 0.00015 behind, and then corrects a*y^2. Numbers whose cubes would not be ordinary are scaled.
INLINE VF cbrt32(VF a) {
  VF y = (VF)__builtin_convertvector(0x1.52885cp30f - __builtin_convertvector((VI)a, VF) * (1.0f / 3), VI);
  const VF c = 1 - (a * y) * (y * y);
  y = y + y * c * (0.33469933f + c * 0.22283721f);
  const VF z = y * y, v = a * z;
  return v + (a - v * v * v) * z * 0x1.555556p-2f;
}

INLINE VF f_cbrtf(VF x) {
  VF a = magnitude(x);
  MASK small = LESS(a, same(0x1p-90f)), large = LESS(same(0x1p90f), a);
  VF v = cbrt32(blend(small, a * 0x1p60f, blend(large, a * 0x1p-60f, a)));
  v = blend(small, v * 0x1p-20f, blend(large, v * 0x1p20f, v));
  return blend(EQUAL(x - x, same(0)), with_sign(v, x), x);
}
INLINE VF near_f_cbrtf(VF x, MASK *near) {
  const VF a = magnitude(x);
  *near &= within(a, 0x1p-90f, 0x1p90f);
  return (VF)((VI)cbrt32(a) | ((VI)x & SIGN));
}

// log32 is log(2^e*(1+f)) for 1+f from sqrt(1/2) to sqrt(2), log32_and that with l for the low part of e*log(2).
INLINE VF log32_and(VF f, VF e, VF l) {
  VF g = f * f;
#if VB == 64
  VF p = 0.1168541992f + f * (-0.1147973385f + f * 0.06971611471f);
  p = -0.1666780232f + f * (0.1424905765f + f * (-0.1242568733f + f * p));
  p = 0.3333333118f + f * (-0.2499999696f + f * (0.2000071575f + f * p));
  l = l + f * g * p;
  l = l - 0.5f * g;
  return e * 0x1.62e400p-1f + (f + l);
#else
  const VF low = (0.3333333135f + f * -0.2500081956f) + g * (0.2000124156f + f * -0.1662340909f);
  const VF high = (0.1420157999f + f * -0.1315961033f) + g * (0.1276221424f + f * -0.07636431605f);
  const VF p = low + (g * g) * high;
  return e * 0x1.62e400p-1f + (f + (g * (f * p - 0.5f) + l));
#endif
}
INLINE VF log32(VF f, VF e) { return log32_and(f, e, e * 0x1.7f7d1cp-20f); }

// any_log1p is log(1+x) with what rounding 1+x drops, which matters as long as that is small.
INLINE VF any_log1p(VF x) {
  VF u = 1 + x, e, m = parts(u, &e);
  VF c = blend(LESS(same(1), x), 1 - (u - x), x - (u - 1));
  c = keep(LESS(x, same(0x1p24f)), keep(LESS(same(-1), x), c));
  VF l = log32((m - 1) + scaled(c, -most(-30, least(30, e))), e);
  return (VF)((VI)l | ((VI)x & SIGN));
}

INLINE VF near_giles(VF w) {
  VF y = w - 2.5f;
#if VB == 64
  VF p = -3.5233877e-6f + y * (3.43273939e-7f + y * 2.81022636e-8f);
  p = -0.00125372503f + y * (0.00021858087f + y * (-4.39150654e-6f + y * p));
  return 1.50140941f + y * (0.246640727f + y * (-0.00417768164f + y * p));
#else
  const VF z = y * y, odd = 0.00021858087f + z * (-3.5233877e-6f + z * 2.81022636e-8f);
  const VF p = (-0.00125372503f + z * (-4.39150654e-6f + z * 3.43273939e-7f)) + y * odd;
  return 1.50140941f + y * (0.246640727f + y * (-0.00417768164f + y * p));
#endif
}

// any_erf_inv is Giles's polynomials in -log(1-x^2), with the square rounded as in the operations.
INLINE VF any_erf_inv(VF x) {
  VF v = x * x;
  ROUNDED(v);
  VF u = 1 - v, e, m = parts(u, &e);
  VF c = (1 - u) - v;
  VF w = -log32((m - 1) + scaled(c, -most(-30, e)), e);
  VF p = near_giles(w);
  MASK near = LESS(w, same(5));
  if (ALL(near))
    return p * x;
  VF y = square_root(w) - 3;
  VF r = 0.00134934322f + y * (0.000100950558f + y * -0.000200214257f);
  r = -0.0076224613f + y * (0.00573950773f + y * (-0.00367342844f + y * r));
  r = 2.83297682f + y * (1.00167406f + y * (0.00943887047f + y * r));
  return blend(EQUAL(v, same(1)), x * INFINITY, blend(near, p, r) * x);
}

#if defined(__x86_64__) && VB == 32
#include "eights32.h"
#else
INLINE VF f_expm1f(VF x) { return any_expm1(x); }
INLINE VF f_log1pf(VF x) { return any_log1p(x); }
INLINE VF f_erf_invf(VF x) { return any_erf_inv(x); }
#endif

#if VB == 64
#include "tables32.h"
#elif !defined(__x86_64__)
// expm1_of gives s = 2^t and q so that exp(x) = s + s*q, for t from -126 to 127.
INLINE VF expm1_of(VF x, VF *s) {
  VF t, q = exp32_parts(x, &t);
  *s = power2(t);
  return q;
}

INLINE VF f_logisticf(VF x) { return logistic32(x); }

INLINE VF f_tanhf(VF x) {
  VF a = magnitude(x), z = x * x, t;
  VF q = exp32_parts(2 * least(10, a), &t);
  VF s = power2(t);
  VF far = 1 - 2 / ((1 + s) + s * q);
  VF p = 0.021788322f + z * (-0.008410070802f + z * 0.00237076564f);
  p = -0.3333333323f + z * (0.1333331287f + z * (-0.05396155178f + z * p));
  VF near = a + a * z * p;
  return with_sign(blend(LESS(a, same(0.6f)), near, far), x); // that of zero, too
}

INLINE VF f_logf(VF x) {
  VF e, m = parts(x, &e);
  return log32(m - 1, e);
}

INLINE VF f_erff(VF x) {
  VF a = magnitude(x), z = x * x;
  VF w = z * z, p = -0.3761263402f + w * (-0.02685958812f + w * -0.0008147081117f);
  p = p + z * (0.1128369935f + w * (0.005201456326f + w * 8.387074557e-5f));
  VF near = a * 0x1.06eba8p-3f + a * (z * p); // 1.128379167 = 1 + 0.128379167
  near = a + near;
  VF y = least(3.925f, a);
  VF u = y * y, l = 0.02646223236f + u * (0.000600684201f + u * 1.664758188e-6f);
  l = 0.0003247762472f + u * (-0.6317707067f + u * l);
  l = l + y * (-1.130259149f + u * (-0.1101425082f + u * (-0.004775956548f + u * -4.65619265e-5f)));
  VF s, q = expm1_of(l, &s);
  VF far = 1 - (s + s * q); // 1 from 3.925 on
  return with_sign(blend(LESS(a, same(0.9219f)), near, far), x);
}
#endif

#include "erfc32.h"

// quarter32 reduces x to r = x - k*pi/2, for arguments up to LIMIT32.
#define LIMIT32 20000.0f
INLINE VF quarter32(VF x, VI *k) {
  VF t = x * 0x1.45f306p-1f + SHIFT32;
  *k = (VI)t;
  t -= SHIFT32;
  VF r = x - t * 0x1.921fb4p0f;
  r = r - t * 0x1.4442d0p-24f;
  return r - t * 0x1.84698ap-48f;
}

INLINE VF sin32_near(VF r) {
  VF z = r * r;
  VF p = 0.008333331874f + z * (-0.0001984008655f + z * 2.724990116e-6f);
  return r + r * (z * (-0.1666666666f + z * p) + 0); // 0 and not -0, so that a zero keeps its sign
}

INLINE VF cos32_near(VF r) {
  VF z = r * r;
  VF p = 0.04166666666f + z * (-0.001388888767f + z * (2.480060022e-5f + z * -2.730093863e-7f));
  return 1 + z * (-0.5f + z * p);
}

// odd32 is x where k is odd and y elsewhere.
#if defined(__x86_64__) && VB == 32
INLINE VF odd32(VI k, VF x, VF y) {
  VF v; // compilers would compare first
  __asm__("vblendvps %3,%2,%1,%0" : "=x"(v) : "x"(y), "x"(x), "x"(k << 31));
  return v;
}
#else
INLINE VF odd32(VI k, VF x, VF y) { return pickf(-(k & 1), x, y); }
#endif
INLINE VI turn32(VI k) { return (VI)((VU)k << 30) & SIGN; }

INLINE VF f_sinf(VF x) {
  VI k;
  VF r = quarter32(x, &k);
  return (VF)((VI)odd32(k, cos32_near(r), sin32_near(r)) ^ turn32(k));
}

INLINE VF f_cosf(VF x) {
  VI k;
  VF r = quarter32(x, &k);
  return (VF)((VI)odd32(k, sin32_near(r), cos32_near(r)) ^ turn32(k + 1));
}

// f_tanf is r/v or -v/r for the reduced argument r, where v is r*cot(r), and takes off r what rounding both has lost.
// x - t*pi/2 is exact for the first part of pi/2, and the product with the second one has few bits. All parts are
// positive: a zero keeps its sign.
INLINE VF f_tanf(VF x) {
  VF t = x * 0x1.45f306p-1f + SHIFT32;
  const VI k = (VI)t;
  t -= SHIFT32;
  const VF a = x - t * 0x1.921fb4p0f, r = a - t * 0x1.444p-24f, z = r * r, z2 = z * z;
  const VF e = ((r - a) + t * 0x1.444p-24f) + t * 0x1.68c234p-39f;
  const VF g = (0.3333330452f + z * 0.02222653665f) + z2 * (0.002096279757f + z * 0.0002481953707f);
  const VF v = 1 - rounded(z) * g, n = r - (e + ((1 - v) - z * g) * r) * (1 + z * 0.9f);
  return (VF)((VI)ratio32(odd32(k, v, n), odd32(k, n, v)) ^ (VI)((VU)k << 31));
}

// quotient32 is n/d for 0 <= n <= d, and what rounding it has lost; 0/0 is 0 and the quotient of infinities 1.
#if defined(__x86_64__) && VB == 64
INLINE VF quotient32(VF n, VF d, VF *low) {
  d = most(0x1p-149f, d);
  const MASK one = EQUAL(n, d);
  const VF e = least(300, (VF)_mm512_getexp_ps((__m512)d)), s = scaled(n, -e); // 2^-inf would make 0 of NaN
  const VF m = (VF)_mm512_getmant_ps((__m512)d, _MM_MANT_NORM_1_2, _MM_MANT_SIGN_src), r = inverse(m);
  VF q = s * r;
  q = blend(one, same(1), q + r * (s - m * q));
  *low = keep(LESS(q, same(1)), r * (s - m * q));
  return q;
}
#else
INLINE VF quotient32(VF n, VF d, VF *low) {
  d = most(0x1p-149f, d);
  *low = same(0);
  return blend(EQUAL(n, d), same(1), n / d);
}
#endif

// turned is base + r + c, where base is a multiple of pi/2 that was rounded, and not less than r unless it is 0.
INLINE VF turned(VF base, VF r, VF c) {
  const VF v = base + r;
  return v + (((base - v) + r) + (c + base * -0x1.de12cap-26f));
}

// atan32_over is atan(q)/q-1 for q from 0 to 1, atan32 is atan(q)-q.
INLINE VF atan32_over(VF q) {
  const VF z = q * q;
#if VB == 64
  VF p = -0.03112698905f + z * (0.0108873453f + z * -0.001787541085f);
  p = 0.109511748f + z * (-0.08400475234f + z * (0.05790654197f + z * p));
  p = -0.3333329856f + z * (0.1999853104f + z * (-0.1426405162f + z * p));
  return z * p;
#else
  const VF z2 = z * z, low = 0.1999853104f + z * (-0.1426405162f + z * (0.109511748f + z * -0.08400475234f));
  const VF high = 0.05790654197f + z * (-0.03112698905f + z * (0.0108873453f + z * -0.001787541085f));
  return z * (-0.3333329856f + z * (low + (z2 * z2) * high));
#endif
}
INLINE VF atan32(VF q) { return q * atan32_over(q); }

// angle32 is atan2(y, x) of the quotient q of the smaller magnitude by the larger one, and what that has lost.
INLINE VF angle32(VF y, VF x, VF q, VF low) {
  const MASK steep = LESS(magnitude(x), magnitude(y)), back = NEGATIVE(x);
  const VI turn = (VI)keep(steep ^ back, (VF)samei(SIGN));
  const VF c = (VF)((VI)(atan32(q) + low) ^ turn), base = keep(back, same(0x1.921fb6p1f));
  return with_sign(turned(blend(steep, same(0x1.921fb6p0f), base), (VF)((VI)q ^ turn), c), y);
}

INLINE VF any_atan2(VF y, VF x) {
  const VF a = magnitude(y), b = magnitude(x);
  const MASK steep = LESS(b, a);
  VF low, q = quotient32(blend(steep, b, a), blend(steep, a, b), &low);
  return angle32(y, x, q, low);
}

#if defined(__x86_64__) && VB == 64
static __attribute__((noinline)) VF odd_atan2(VF y, VF x) { return any_atan2(y, x); }

// f_atan2f has a quicker quotient, of an estimate of the inverse, where the larger magnitude is a normal number and the
// smaller one normal or 0, and rounds the angle before it is turned.
INLINE VF f_atan2f(VF y, VF x) {
  const VF a = magnitude(y), b = magnitude(x);
  const MASK steep = LESS(b, a), back = NEGATIVE(x);
  const VF n = blend(steep, b, a), d = blend(steep, a, b), r = (VF)_mm512_rcp14_ps((__m512)d);
  const VF v = n * r, q = v + r * (n - d * v), w = q + q * atan32_over(q);
  const VI turn = (VI)keep(steep ^ back, (VF)samei(SIGN));
  const VF base = blend(steep, same(0x1.921fb6p0f), keep(back, same(0x1.921fb6p1f)));
  const VF usually = with_sign(base + ((VF)((VI)w ^ turn) + base * -0x1.de12cap-26f), y);
  const MASK odd = _mm512_fpclass_ps_mask((__m512)d, 0xbf) | _mm512_fpclass_ps_mask((__m512)n, 0x20);
  return odd ? blend(odd, odd_atan2(y, x), usually) : usually;
}
#elif defined(__x86_64__)
// f_atan2f rounds the angle before it is turned. The quotient of zeros is 0, that of infinities 1.
INLINE VF f_atan2f(VF y, VF x) {
  const VF a = magnitude(y), b = magnitude(x);
  const MASK steep = LESS(b, a);
  const VF n = blend(steep, b, a), d = most(0x1p-149f, blend(steep, a, b));
  const VF q = blend(EQUAL(n, d), same(1), n / d), w = q + q * atan32_over(q);
  const VF base = blend(steep, same(0x1.921fb6p0f), (VF)(((VI)x >> 31) & I(same(0x1.921fb6p1f))));
  const VF turn = (VF)((steep ^ (VI)x) & SIGN);
  return (VF)((VI)(base + ((VF)((VI)w ^ (VI)turn) + base * -0x1.de12cap-26f)) | ((VI)y & SIGN));
}
#else
INLINE VF f_atan2f(VF y, VF x) { return any_atan2(y, x); }
#endif

#include "inverse32.h"
#if defined(__x86_64__) && VB == 32
#include "power32.h"
#endif
