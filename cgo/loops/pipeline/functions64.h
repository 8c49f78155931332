// functions64.h: functions of vectors of doubles within 2 units in the last place, most of them within 1, for machines
// that multiply and add with one rounding. Those of sums64.h are what most are made of.

// e_log brings what is sub-normal among the normal numbers.
INLINE VD e_log(VD x) {
  const VL tiny = x < 0x1p-1022;
  VD k, m = log_parts(choose(tiny, x * 0x1p54, x), &k);
  k -= choose(tiny, all(54), all(0));
  return log_special(x, log_near(m - 1, k, k * 0x1.a39ef35793c76p-33));
}

// e_log1p is log(u) with what rounding u = 1+x has lost.
INLINE VD e_log1p(VD x) {
  const VD u = 1 + x, c = choose(x > 1, 1 - (u - x), x - (u - 1));
  const VD l = log_special(u, log_twice(u, choose(x < 0x1p54, c, all(0)), all(0)));
  return choose(magn(x) < 0x1p-54, x, l);
}

INLINE VD e_sin(VD x) {
  sum s, c;
  sin_cos(x, &s, &c);
  return s.hi;
}

INLINE VD e_cos(VD x) {
  sum s, c;
  sin_cos(x, &s, &c);
  return c.hi;
}

INLINE VD e_tan(VD x) {
  sum s, c;
  sin_cos(x, &s, &c);
  return choose(x == 0, x, ratio(s, c));
}

// e_cbrt takes y near a^(-1/3), by a third of a's bits taken as an integer, nearer in two steps of which each leaves
// the fourth power of the error, and then corrects a*y^2. Numbers are scaled if what that has lost
// would be sub-normal.
INLINE VD e_cbrt(VD x) {
  const VL small = magn(x) < 0x1p-700;
  const VD a = magn(choose(small, x * 0x1p390, x));
  const VUL third = ((VUL)a >> 32) * 0x55555556 >> 32;
  VD y = (VD)((0x553ef0ff - third) << 32);
  for (int i = 0; i < 2; i++) {
    const VD c = 1 - (a * y) * (y * y);
    y = y + y * c * (1.0 / 3 + c * (2.0 / 9 + c * (14.0 / 81)));
  }
  const VD z = y * y, v = a * z;
  const sum p = times(v, v);
  const VD r = v + (fma64(-p.hi, v, a) - p.lo * v) * z * (1.0 / 3);
  return choose((x == 0) | (x - x != 0), x, signed_as(r * choose(small, all(0x1p-130), all(1)), x));
}

// e_erf_inv is Giles's polynomials in w = -log(1-x^2), with the square rounded as in the operations.
INLINE VD horner64(const double *c, int n, VD y) {
  VD p = all(c[0]);
#pragma GCC unroll 23
  for (int i = 1; i < n; i++)
    p = c[i] + p * y;
  return p;
}
static __attribute__((noinline)) VD far_erf_inv(VD w) {
  static const double middle[] = {2.2137376921775787049e-09, 9.0756561938885390979e-08, -2.7517406297064545428e-07,
      1.8239629214389227755e-08, 1.5027403968909827627e-06, -4.013867526981545969e-06, 2.9234449089955446044e-06,
      1.2475304481671778723e-05, -4.7318229009055733981e-05, 6.8284851459573175448e-05, 2.4031110387097893999e-05,
      -0.0003550375203628474796, 0.00095328937973738049703, -0.0016882755560235047313, 0.0024914420961078508066,
      -0.0037512085075692412107, 0.005370914553590063617, 1.0052589676941592334, 3.0838856104922207635};
  static const double far[] = {-2.7109920616438573243e-11, -2.5556418169965252055e-10, 1.5076572693500548083e-09,
      -3.7894654401267369937e-09, 7.6157012080783393804e-09, -1.4960026627149240478e-08, 2.9147953450901080826e-08,
      -6.7711997758452339498e-08, 2.2900482228026654717e-07, -9.9298272942317002539e-07, 4.5260625972231537039e-06,
      -1.9681778105531670567e-05, 7.5995277030017761139e-05, -0.00021503011930044477347, -0.00013871931833623122026,
      1.0103004648645343977, 4.8499064014085844221};
  const VD r = root(w);
  return choose(w < 16, horner64(middle, 19, r - 3.25), horner64(far, 17, r - 5));
}
INLINE VD e_erf_inv(VD x) {
  static const double near[] = {-3.6444120640178196996e-21, -1.685059138182016589e-19, 1.2858480715256400167e-18,
      1.115787767802518096e-17, -1.333171662854620906e-16, 2.0972767875968561637e-17, 6.6376381343583238325e-15,
      -4.0545662729752068639e-14, -8.1519341976054721522e-14, 2.6335093153082322977e-12, -1.2975133253453532498e-11,
      -5.4154120542946279317e-11, 1.051212273321532285e-09, -4.1126339803469836976e-09, -2.9070369957882005086e-08,
      4.2347877827932403518e-07, -1.3654692000834678645e-06, -1.3882523362786468719e-05, 0.0001867342080340571352,
      -0.00074070253416626697512, -0.0060336708714301490533, 0.24015818242558961693, 1.6536545626831027356};
  const VD v = product(x, x), u = 1 - v, w = -log_twice(u, (1 - u) - v, all(0));
  const VL far = ~(w < 6.25);
  VD p = horner64(near, 23, w - 3.125);
  if (any64(far))
    p = choose(far, far_erf_inv(w), p);
  return x * choose(v < 1, p, choose(v == 1, all(INFINITY), all(NAN)));
}
