// exp64.h: exponentials of vectors of doubles and what is made of them, within 2 units in the last place, for machines
// that multiply and add with one rounding. math64.h has them good enough for floats.

// power64 is 2^k of t, k + SHIFTER, where that is a normal number.
INLINE VD power64(VD t) { return (VD)((VUL)((VUL)t + 1023) << 52); }

// exp64_parts gives t, k + SHIFTER for a whole k, r and what it returns, w, which is much smaller:
// exp(x) = 2^k*(1 + r + w). The terms are Taylor's; those left out come to 2^-57.
INLINE VD exp64_parts(VD x, VD *t, VD *r) {
  *t = x * 0x1.71547652b82fep0 + SHIFTER;
  const VD k = *t - SHIFTER;
  const VD high = x - k * 0x1.62e42feep-1; // 32 bits: the product is exact
  const VD v = high - k * 0x1.a39ef35793c76p-33, z = v * v;
  *r = v;
  const VD a = 1.0 / 2 + v * (1.0 / 6), b = 1.0 / 24 + v * (1.0 / 120), c = 1.0 / 720 + v * (1.0 / 5040);
  const VD d = 1.0 / 40320 + v * (1.0 / 362880), e = 1.0 / 3628800 + v * (1.0 / 39916800);
  const VD f = 1.0 / 479001600 + v * (1.0 / 6227020800);
  const VD lost = (high - v) - k * 0x1.a39ef35793c76p-33;
  return z * (a + z * (b + z * (c + z * (d + z * (e + z * f))))) + lost;
}

// scaled64 is v*2^k, rounded once: in two factors, since one alone may be no normal number.
INLINE VD scaled64(VD v, VD t) {
  const VD k = t - SHIFTER;
#if defined(__x86_64__) && VB == 64
  return (VD)_mm512_scalef_pd((__m512d)v, (__m512d)k);
#else
  const VD half = k * 0.5 + SHIFTER;
  return v * power64(half) * power64(k - (half - SHIFTER) + SHIFTER);
#endif
}

INLINE VD e_exp(VD x) {
  VD t, r, w = exp64_parts(at_least(at_most(x, 710), -746), &t, &r);
  return scaled64(1 + (r + w), t);
}

// e_expm1 is computed at half its size, so that 2^k is finite; small numbers are their own.
INLINE VD e_expm1(VD x) {
  VD t, r, w = exp64_parts(at_least(at_most(x, 710), -40), &t, &r);
  const VD s = power64(t - 1);
  return choose(magn(x) < 0x1p-54, x, 2 * (((s - 0.5) + s * r) + s * w));
}

// e_tanh is q = e/(e+2) for e = exp(2|x|)-1, whose first sum's error is added to what is small, corrected by what is
// left over, and from 1/2 on 1-2/(e+2). Here 1/(e+2) is (1-q)/2.
INLINE VD e_tanh(VD x) {
  VD t, r, w = exp64_parts(at_most(2 * magn(x), 40), &t, &r);
  const VD s = power64(t), sum = (s - 1) + s * r, lost = s * r - (sum - (s - 1));
  const VD e = sum + (lost + s * w);
  const VL far = e > 2;
  VD q = choose(far, all(2), e) / (e + 2);
  q += choose(far, all(0), ((e - 2 * q) - q * e) * (0.5 - 0.5 * q));
  return choose(magn(x) < 0x1p-28, x, signed_as(choose(far, 1 - q, q), x));
}

// e_logistic is q = e/(1+e) for e = exp(-|x|), corrected by what is left over, or 1-q, which is 1/(1+e).
INLINE VD e_logistic(VD x) {
  VD t, r, w = exp64_parts(at_least(-magn(x), -746), &t, &r);
  const VD e = scaled64(1 + (r + w), t);
  VD q = e / (1 + e);
  q += ((e - q) - q * e) * (1 - q);
  return choose((VL)x < 0, q, 1 - q);
}
