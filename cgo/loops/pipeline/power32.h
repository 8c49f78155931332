// power32.h: powers of vectors of 8 floats. The coefficients are ours, as those of math32.h.

// log2_32 is log2(x) - less of a positive normal number in two parts, whose sum is good to 2^-33 of it. For c nearest
// to m among 8 numbers, x = m*2^e, it is e + log2(c) + 2/log(2)*atanh(s) for s = (m-c)/(m+c), with what rounding all
// but small terms has lost, since the power has all of the product's error.
INLINE VF log2_32(VF x, VF less, VF *low) {
  static const float centres[8] __attribute__((aligned(32))) = {
      0.75f, 0.8125f, 0.875f, 0.9375f, 1, 1.125f, 1.25f, 1.375f};
  static const float logs[8] __attribute__((aligned(32))) = {-0x1.a9p-2f, -0x1.32cp-2f, -0x1.8a88p-3f, -0x1.7d6p-4f, 0,
      0x1.5cp-3f, 0x1.49a8p-2f, 0x1.d674p-2f};
  static const float lows[8] __attribute__((aligned(32))) = {1.56322119e-6f, 2.65016098e-7f, -2.86602835e-6f,
      -2.73532095e-7f, 0, 3.12644238e-6f, -1.83675331e-6f, 4.73875434e-6f};
  const VI bits = (VI)x - 0x3f380000, k = bits >> 23, i = bits >> 20;
  const VF m = (VF)((VI)x - (k << 23)), c = of8(centres, i), d = m + c, dl = m - (d - c);
  const VF n = m - c, s = n / d, z = s * s;
  const VF sl = (VF)_mm256_rcp_ps((__m256)d) * ((n - s * d) - s * dl), a = rounded(s * 0x1.715476p+1f);
  const VF w = of8(lows, i) + s * 0x1.4ae0cp-25f + sl * 0x1.715476p+1f;
  const VF base = (__builtin_convertvector(k, VF) - less) + of8(logs, i), h = base + a;
  *low = ((base - h) + a) + (lost32(s, same(0x1.715476p+1f), a) + ((s * z) * (0.96179652f + z * 0.57764256f) + w));
  return h;
}

// power2_of gives q and the number t + 127 + SHIFT32 of a whole t so that 2^(p+l) = 2^t*(1+q).
INLINE VF power2_of(VF p, VF l, VF *t) {
  *t = p + (SHIFT32 + 127);
  const VF r = (p - (*t - (SHIFT32 + 127))) + l;
  const VF q = 0.05550263077f + r * (0.0096173957f + r * (0.0013422184f + r * 0.00015658663f));
  return rounded(r * (0.6931472421f + r * (0.2402265519f + r * q)));
}

// f_powf takes 2^t, which may be beyond the exponents of a float, in two steps, near_f_powf in one.
static __attribute__((noinline)) VF f_powf(VF x, VF y) {
  const VF a = magnitude(x);
  const MASK tiny = LESS(a, same(0x1p-126f));
  VF l, t, h = log2_32(blend(tiny, a * 0x1p24f, a), keep(tiny, same(24)), &l), p = rounded(y * h);
  const MASK near = LESS(magnitude(p), same(152));
  const VF q = power2_of(blend(near, p, with_sign(same(152), p)), keep(near, lost32(y, h, p) + y * l), &t);
  return powers(scaled(1 + q, t - (SHIFT32 + 127)), x, y);
}

INLINE VF near_f_powf(VF x, VF y, MASK *near) {
  VF l, t, h = log2_32(x, same(0), &l), p = rounded(y * h), q = power2_of(p, lost32(y, h, p) + y * l, &t);
  const VF s = (VF)((VI)t << 23);
  *near &= NORMAL(x) & LESS(magnitude(p), same(125));
  return s + s * q;
}
