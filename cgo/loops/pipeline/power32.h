// power32.h: powers of vectors of 8 floats. The coefficients are ours, as those of math32.h.

// half_log32 is log(x)/2 - less*log(2)/2 of a positive normal number in two parts, whose sum is good to 2^-33 of it.
// For c nearest to m among 8 numbers, x = m*2^e, it is e*log(2)/2 + log(c)/2 + atanh(s) for s = (m-c)/(m+c), with what
// rounding all but small terms has lost, since the power has all of the product's error.
INLINE VF half_log32(VF x, VF less, VF *low) {
  static const float centres[8] __attribute__((aligned(32))) = {
      0.75f, 0.8125f, 0.875f, 0.9375f, 1, 1.125f, 1.25f, 1.375f};
  static const float logs[8] __attribute__((aligned(32))) = {-0x1.269p-3f, -0x1.a94p-4f, -0x1.118p-4f, -0x1.084p-5f, 0,
      0x1.e28p-5f, 0x1.c9p-4f, 0x1.462p-3f};
  static const float lows[8] __attribute__((aligned(32))) = {-1.16905228e-05f, 1.11839213e-06f, 6.76462524e-06f,
      -1.21804907e-05f, 0, -7.40795306e-06f, -4.89967895e-07f, -1.3857097e-05f};
  const VI bits = (VI)x - 0x3f380000, k = bits >> 23, i = bits >> 20;
  const VF m = (VF)((VI)x - (k << 23)), c = of8(centres, i), d = m + c, dl = m - (d - c);
  const VF n = m - c, s = n / d, z = s * s, e = __builtin_convertvector(k, VF) - less;
  const VF w = of8(lows, i) + e * -1.45444857e-05f + (VF)_mm256_rcp_ps((__m256)d) * ((n - s * d) - s * dl);
  const VF base = of8(logs, i) + e * 0x1.62e8p-2f, h = base + s;
  *low = ((base - h) + s) + ((s * z) * (0.3333332837f + z * 0.2001803666f) + w);
  return h;
}

// double_exp32 gives q and the number t + 127 + SHIFT32 of a whole t so that exp(2*(p+l)) = 2^t*(1+q).
INLINE VF double_exp32(VF p, VF l, VF *t) {
  *t = p * 0x1.715476p1f + (SHIFT32 + 127);
  const VF e = *t - (SHIFT32 + 127), r = (p - e * 0x1.62e8p-2f) + (l - e * -1.45444857e-05f);
  const VF q = 1.333321691f + r * (0.6666922569f + r * (0.2677975595f + r * 0.08845188469f));
  return rounded(r * (2 + r * (2 + r * q)));
}

// f_powf takes 2^t, which may be beyond the exponents of a float, in two steps, near_f_powf in one.
static __attribute__((noinline)) VF f_powf(VF x, VF y) {
  const VF a = magnitude(x);
  const MASK tiny = LESS(a, same(0x1p-126f));
  VF l, t, h = half_log32(blend(tiny, a * 0x1p24f, a), keep(tiny, same(24)), &l), p = rounded(y * h);
  const MASK near = LESS(magnitude(p), same(52.6f));
  const VF q = double_exp32(blend(near, p, with_sign(same(52.6f), p)), keep(near, lost32(y, h, p) + y * l), &t);
  return powers(scaled(1 + q, t - (SHIFT32 + 127)), x, y);
}

INLINE VF near_f_powf(VF x, VF y, MASK *near) {
  VF l, t, h = half_log32(x, same(0), &l), p = rounded(y * h), q = double_exp32(p, lost32(y, h, p) + y * l, &t);
  const VF s = (VF)((VI)t << 23);
  *near &= within(x, 0x1p-126f, INFINITY) & LESS(magnitude(p), same(43.3f));
  return s + s * q;
}
