// erfc8.h: the complement of the error function of vectors of 8 floats. The coefficients are ours, as in math32.h.

// erfcx8 is erfc(a)*exp(a^2) for a from 0 to NEAR_ERFC, by polynomials in the distance from one of 8 numbers whose
// values are nearly floats. The bits of a + 1.85 are nearly its logarithm: polynomials have alike shares of that. The
// last coefficient, of 8 bits, is in the lower half of the number.
INLINE VF erfcx8(VF a) {
  static const float from[8] __attribute__((aligned(32))) = {0.246814892f, 0.830988169f, 1.49005926f, 2.24565578f,
      3.38617992f, 4.67842054f, 6.27199411f, 8.54360104f};
  static const float c[7][8] __attribute__((aligned(32))) = {
      {0.772719681f, 0.478584886f, 0.323219508f, 0.231472269f, 0.160139278f, 0.118009292f, 0.0888514817f,
      0.0655931532f},
      {-0.746941745f, -0.332982391f, -0.165146723f, -0.0887650996f, -0.043858353f, -0.0241849776f, -0.0138272261f,
      -0.00757570984f},
      {0.588364065f, 0.201880813f, 0.0771410689f, 0.0321364701f, 0.0116270324f, 0.00486181071f, 0.00212720269f,
      0.000869307318f},
      {-0.401146978f, -0.110149667f, -0.033468321f, -0.0110649513f, -0.00299147586f, -0.000959609519f,
      -0.000323627581f, -9.91219858e-05f},
      {0.244610712f, 0.0551516898f, 0.0136349276f, 0.00364247337f, 0.000748189806f, 0.00018604903f, 4.86889985e-05f,
      1.12303987e-05f},
      {-0.136372089f, -0.0256807655f, -0.00525140436f, -0.00115470029f, -0.000182635995f, -3.55637603e-05f,
      -7.25164591e-06f, -1.26175166e-06f},
      {0.0721838251f, 0.0116443709f, 0.0019679307f, 0.000363910105f, 4.5347806e-05f, 6.91875221e-06f, 1.10650467e-06f,
      1.45742149e-07f}};
  const VI i = (VI)(__builtin_convertvector((VI)(a + 1.85f), VF) * 0x1.87fab6p-22f + SHIFT32);
  const VF middle = of8(from, i), h = a - middle;
  VF p = (VF)((VI)middle << 16);
#pragma GCC unroll 8
  for (int k = 6; k >= 0; k--)
    p = of8(c[k], i) + h * p;
  return p;
}

// square8 gives s and q so that exp(-x*x) = s*(1+q), where z is x*x rounded. No square is rounded where it matters, nor
// the product that is taken off it, which has few bits.
INLINE VF square8(VF x, VF z, VF *s) {
  const VF y = (SHIFT32 + 127) - z * 0x1.715476p0f, t = y - (SHIFT32 + 127);
  const VF r = (-rounded(t * 0x1.62ep-1f) - x * x) - t * 0x1.0bfbe8p-15f;
  *s = (VF)((VI)y << 23);
  return exp8(r);
}

INLINE VF near_f_erfcf(VF x, MASK *near) {
  const VF a = magnitude(x), p = erfcx8(a);
  VF s, q = square8(x, rounded(a * a), &s), v = (p + p * q) * s;
  *near &= LESS(a, same(NEAR_ERFC));
  return blend((VI)x, 2 - v, v);
}
