// sums64.h: sines, logarithms and angles of vectors of doubles, of which what rounding loses is kept where LANE is 64:
// numbers that were floats need no more than doubles.
#define DOUBLES (LANE == 64)

// sum is hi + lo.
typedef struct {
  VD hi, lo;
} sum;

// fma64 is x*y + z rounded once, product x*y rounded.
#if defined(__x86_64__) && VB == 64
INLINE VD fma64(VD x, VD y, VD z) { return (VD)_mm512_fmadd_pd((__m512d)x, (__m512d)y, (__m512d)z); }
INLINE int any64(VL m) { return _mm512_movepi64_mask((__m512i)m) != 0; }
#elif defined(__x86_64__) && VB == 32
INLINE VD fma64(VD x, VD y, VD z) { return (VD)_mm256_fmadd_pd((__m256d)x, (__m256d)y, (__m256d)z); }
INLINE int any64(VL m) { return _mm256_movemask_pd((__m256d)m) != 0; }
#else
INLINE VD fma64(VD x, VD y, VD z) {
  for (size_t i = 0; i < VB / sizeof(double); i++)
    z[i] = __builtin_fma(x[i], y[i], z[i]);
  return z;
}
INLINE int any64(VL m) { return (m[0] | m[1]) != 0; }
#endif
INLINE VD product(VD x, VD y) {
  VD p = x * y;
#if defined(__aarch64__)
  __asm__("" : "+w"(p));
#else
  __asm__("" : "+v"(p));
#endif
  return p;
}

INLINE sum plus(VD a, VD b) {
  const VD s = a + b, t = s - a;
  return (sum){s, (a - (s - t)) + (b - t)};
}

// times is x*y: of floats it is exact.
INLINE sum times(VD x, VD y) {
  if (!DOUBLES)
    return (sum){x * y, all(0)};
  const VD p = product(x, y);
  return (sum){p, fma64(x, y, -p)};
}

// sum2 is a*b + c*d.
INLINE sum sum2(VD a, VD b, VD c, VD d) {
  const sum p = times(a, b), q = times(c, d);
  if (!DOUBLES)
    return (sum){p.hi + q.hi, all(0)};
  const sum s = plus(p.hi, q.hi);
  return (sum){s.hi, s.lo + (p.lo + q.lo)};
}

// ratio is n/d.
INLINE VD ratio(sum n, sum d) {
  const VD q = n.hi / d.hi;
  return DOUBLES ? q + (fma64(-q, d.hi, n.hi) + (n.lo - q * d.lo)) / d.hi : q;
}

// quarter64 is x - k*pi/2 for x of at most LIMIT.
INLINE sum quarter64(VD x, VL *k) {
  VD t = x * 0x1.45f306dc9c883p-1 + SHIFTER;
  *k = (VL)t;
  t -= SHIFTER;
  const VD r = x - t * 0x1.921fb544p0; // exact, as is the next product
  const sum c = times(t, all(0x1.3198a2e037073p-69));
  const sum a = plus(r, -(t * 0x1.0b4611a6p-34)), b = plus(a.hi, -c.hi);
  return (sum){b.hi, (a.lo + b.lo) - (c.lo + t * 0x1.129024e088a68p-123)};
}

// sin_cos has Taylor's terms, those left out come to 2^-58.
INLINE void sin_cos(VD x, sum *sine, sum *cosine) {
  VL k;
  const sum r = quarter64(x, &k);
  const VD z = r.hi * r.hi, h = 0.5 * z;
  VD p = -1.0 / 1307674368000 + z * (1.0 / 355687428096000);
  p = 1.0 / 362880 + z * (-1.0 / 39916800 + z * (1.0 / 6227020800 + z * p));
  p = z * (-1.0 / 6 + z * (1.0 / 120 + z * (-1.0 / 5040 + z * p)));
  VD q = 1.0 / 20922789888000 + z * (-1.0 / 6402373705728000);
  q = -1.0 / 3628800 + z * (1.0 / 479001600 + z * (-1.0 / 87178291200 + z * q));
  q = z * z * (1.0 / 24 + z * (-1.0 / 720 + z * (1.0 / 40320 + z * q)));
  const VD ps = r.hi * p + (r.lo - r.lo * h), s = r.hi + ps;
  const VD w = 1 - h, pc = ((1 - w) - h) + (q - r.hi * r.lo), c = w + pc;
  const VD ls = ps - (s - r.hi), lc = pc - (c - w);
  const VL odd = odd_quarter(k);
  const VUL ns = (VUL)half_turn(k), nc = (VUL)half_turn(k + 1);
  *sine = (sum){choose(x == 0, x, (VD)((VUL)choose(odd, c, s) ^ ns)), (VD)((VUL)choose(odd, lc, ls) ^ ns)};
  *cosine = (sum){(VD)((VUL)choose(odd, s, c) ^ nc), (VD)((VUL)choose(odd, ls, lc) ^ nc)};
}

// log_near is k*log(2) + log(1+g) + low for 1+g from sqrt(1/2) to sqrt(2), where low has what k*log(2) lacks.
INLINE VD log_near(VD g, VD k, VD low) {
  const VD q = g / (2 + g), z = q * q, h = 0.5 * g * g;
  VD p = 2.0 / 17 + z * (2.0 / 19 + z * (2.0 / 21));
  p = 2.0 / 11 + z * (2.0 / 13 + z * (2.0 / 15 + z * p));
  p = z * (2.0 / 3 + z * (2.0 / 5 + z * (2.0 / 7 + z * (2.0 / 9 + z * p))));
  return k * 0x1.62e42feep-1 - ((h - (q * (h + p) + low)) - g);
}

// log_twice is log(s + t + u): t is half a last place of s at most, u much less.
INLINE VD log_twice(VD s, VD t, VD u) {
  VD k, m = log_parts(s, &k);
  const VD scale = power64(SHIFTER - at_most(k, 1000)); // t and u are 0 beyond
  const sum f = plus(m - 1, t * scale);
  const VD lost = f.lo + u * scale;
  return log_near(f.hi, k, k * 0x1.a39ef35793c76p-33 + (lost - lost * f.hi));
}
INLINE VD log_sum(VD s, VD t, VD u) { return 0.5 * log_twice(s, t, u); }

// angle is the angle of the point (x, y): atan(c) + atan(r) for the nearest of c = 0, 1/2 and 1, of y/x or x/y.
INLINE VD angle(VD y, VD x) {
  const VD a = magn(y), b = magn(x);
  const VL steep = a > b;
  const VD n = choose(steep, b, a), m = choose(steep, a, b);
  const VL half = n > 0.25 * m, one = n > 0.75 * m;
  const VD c = choose(one, all(1), choose(half, all(0.5), all(0)));
  const VD r = (n - c * m) / (m + c * n), z = r * r;
  VD p = 1.0 / 21 - z * (1.0 / 23 - z * (1.0 / 25 - z * (1.0 / 27)));
  p = 1.0 / 13 - z * (1.0 / 15 - z * (1.0 / 17 - z * (1.0 / 19 - z * p)));
  p = 1.0 / 3 - z * (1.0 / 5 - z * (1.0 / 7 - z * (1.0 / 9 - z * (1.0 / 11 - z * p))));
  p = -(r * z) * p;
  // hi + lo is what the angle has besides r + p, which is turned around where it is steep or x is negative
  VD hi = choose(one, all(0x1.921fb54442d18p-1), choose(half, all(0x1.dac670561bb4fp-2), all(0)));
  VD lo = choose(one, all(0x1.1a62633145c07p-55), choose(half, all(0x1.a2b7f222f65e2p-56), all(0)));
  sum s = plus(all(0x1.921fb54442d18p0), -hi);
  hi = choose(steep, s.hi, hi);
  lo = choose(steep, s.lo + (0x1.1a62633145c07p-54 - lo), lo);
  const VL left = (VL)x < 0;
  s = plus(all(0x1.921fb54442d18p1), -hi);
  hi = choose(left, s.hi, hi);
  lo = choose(left, s.lo + (0x1.1a62633145c07p-53 - lo), lo);
  const VL turn = (steep ^ left) & INT64_MIN;
  const VD rr = (VD)((VL)r ^ turn), pp = (VD)((VL)p ^ turn);
  s = plus(hi, rr);
  return signed_as(s.hi + (s.lo + (lo + pp)), y);
}
