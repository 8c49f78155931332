// Butterflies on LANES lines at once, all forward. The including file sets T, the type of parts, LANES, and NAME(x).
#include "swift.h"

#include "complex_impl.h"

INLINE cx NAME(times)(cx a, cx w) { return (cx){a.re * w.re - a.im * w.im, a.re * w.im + a.im * w.re}; }
INLINE cx NAME(turned)(cx a, pair w) { return (cx){a.re * w.re - a.im * w.im, a.re * w.im + a.im * w.re}; }

// down is a times -i.
INLINE cx NAME(down)(cx a) { return (cx){a.im, -a.re}; }

// add_down is a - i b, add_up a + i b.
INLINE cx NAME(add_down)(cx a, cx b) { return (cx){a.re + b.im, a.im - b.re}; }
INLINE cx NAME(add_up)(cx a, cx b) { return (cx){a.re - b.im, a.im + b.re}; }

INLINE void NAME(fly2)(cx *v) {
  const cx a = v[0], b = v[1];
  v[0] = NAME(plus)(a, b), v[1] = NAME(minus)(a, b);
}

// four transforms elements 0, s, 2s, 3s.
INLINE void NAME(four)(cx *v, const int s) {
  const cx even = NAME(plus)(v[0], v[2 * s]), odd = NAME(minus)(v[0], v[2 * s]);
  const cx sum = NAME(plus)(v[s], v[3 * s]), diff = NAME(minus)(v[s], v[3 * s]);
  v[0] = NAME(plus)(even, sum), v[2 * s] = NAME(minus)(even, sum);
  v[s] = NAME(add_down)(odd, diff), v[3 * s] = NAME(add_up)(odd, diff);
}

INLINE void NAME(fly4)(cx *v) { NAME(four)(v, 1); }

#undef SIN45
#undef COS22
#undef TAN22
#define SIN45 ((T)0.707106781186547524400844362104849L)
#define COS22 ((T)0.923879532511286756128183189396788L)
#define TAN22 ((T)0.414213562373095048801688724209698L)

// fly8: results 1, 3, 5, 7 sum what is turned by 45 degrees, which is a sum of parts times SIN45.
INLINE void NAME(fly8)(cx *v) {
  NAME(four)(v, 2);
  NAME(four)(v + 1, 2);
  const cx even[4] = {v[0], v[2], v[4], v[6]}, odd[4] = {v[1], v[3], v[5], v[7]};
  const cx a = {odd[1].re + odd[1].im, odd[1].im - odd[1].re}, b = {odd[3].im - odd[3].re, odd[3].re + odd[3].im};
  v[0] = NAME(plus)(even[0], odd[0]), v[4] = NAME(minus)(even[0], odd[0]);
  v[1] = (cx){even[1].re + a.re * SIN45, even[1].im + a.im * SIN45};
  v[5] = (cx){even[1].re - a.re * SIN45, even[1].im - a.im * SIN45};
  v[2] = NAME(add_down)(even[2], odd[2]), v[6] = NAME(add_up)(even[2], odd[2]);
  v[3] = (cx){even[3].re + b.re * SIN45, even[3].im - b.im * SIN45};
  v[7] = (cx){even[3].re - b.re * SIN45, even[3].im + b.im * SIN45};
}

// Products with exp(-2 pi i/16) and exp(-2 pi i/8).
INLINE cx NAME(by22)(cx a) {
  return (cx){(a.re + a.im * TAN22) * COS22, (a.im - a.re * TAN22) * COS22};
}
INLINE cx NAME(by67)(cx a) { return (cx){(a.re * TAN22 + a.im) * COS22, (a.im * TAN22 - a.re) * COS22}; }
INLINE cx NAME(by45)(cx a) { return (cx){(a.re + a.im) * SIN45, (a.im - a.re) * SIN45}; }
INLINE cx NAME(by135)(cx a) { return (cx){(a.im - a.re) * SIN45, (a.re + a.im) * -SIN45}; }

// by16 is a times exp(-2 pi i k/16), for the k between fours of 16.
INLINE cx NAME(by16)(cx a, const int k) {
  switch (k) {
  case 1: return NAME(by22)(a);
  case 2: return NAME(by45)(a);
  case 3: return NAME(by67)(a);
  case 4: return NAME(down)(a);
  case 6: return NAME(by135)(a);
  case 9: a = NAME(by22)(a); return (cx){-a.re, -a.im};
  default: return a;
  }
}

// wave is exp(-2 pi i k/n) for the odd n there are butterflies of.
INLINE pair NAME(wave)(const int n, const int k) {
  static const double re[3][3] = {{-0.5}, {0.309016994374947424102293417182819, -0.809016994374947424102293417182819},
    {0.623489801858733530525004884004240, -0.222520933956314404288902564496794, -0.900968867902419126236102319507445}};
  static const double im[3][3] = {{0.866025403784438646763723170752936},
    {0.951056516295153572116439333379382, 0.587785252292473129168705954639073},
    {0.781831482468029808708444526674057, 0.974927912181823607018131682993931, 0.433883739117558120475768332848359}};
  const int low = k % n, at = low > n / 2 ? n - low : low;
  const T s = (T)im[n / 2 - 1][at - 1];
  return (pair){(T)re[n / 2 - 1][at - 1], low > n / 2 ? s : -s};
}

// odd transforms 3, 5 or 7 elements: those that mirror each other together.
INLINE void NAME(odd)(cx *v, const int n) {
  cx sum[4], diff[4], total = v[0];
#pragma GCC unroll 4
  for (int j = 1; j <= n / 2; j++) {
    sum[j] = NAME(plus)(v[j], v[n - j]), diff[j] = NAME(minus)(v[j], v[n - j]);
    total = NAME(plus)(total, sum[j]);
  }
#pragma GCC unroll 4
  for (int k = 1; k <= n / 2; k++) {
    cx even = v[0], odd = {0};
#pragma GCC unroll 4
    for (int j = 1; j <= n / 2; j++) {
      const pair w = NAME(wave)(n, j * k);
      even.re += sum[j].re * w.re, even.im += sum[j].im * w.re;
      if (j == 1)
        odd = (cx){diff[j].re * w.im, diff[j].im * w.im};
      else
        odd.re += diff[j].re * w.im, odd.im += diff[j].im * w.im;
    }
    v[k] = even, v[n - k] = odd;
  }
#pragma GCC unroll 4
  for (int k = 1; k <= n / 2; k++) {
    const cx even = v[k], odd = v[n - k];
    v[k] = NAME(add_up)(even, odd), v[n - k] = NAME(add_down)(even, odd);
  }
  v[0] = total;
}

// fly9 is threes of threes.
INLINE void NAME(fly9)(cx *v) {
  static const pair turns[2][2] = {
    {{(T)0.766044443118978035202392650555417L, (T)-0.642787609686539326322643409907263L},
      {(T)0.173648177666930348851716626769315L, (T)-0.984807753012208059366743024589523L}},
    {{(T)0.173648177666930348851716626769315L, (T)-0.984807753012208059366743024589523L},
      {(T)-0.939692620785908384054109277324731L, (T)-0.342020143325668733044099614682260L}}};
  cx t[9];
#pragma GCC unroll 3
  for (int k = 0; k < 3; k++) {
    cx a[3] = {v[k], v[k + 3], v[k + 6]};
    NAME(odd)(a, 3);
    t[k] = a[0], t[k + 3] = a[1], t[k + 6] = a[2];
    if (k > 0) t[k + 3] = NAME(turned)(a[1], turns[k - 1][0]), t[k + 6] = NAME(turned)(a[2], turns[k - 1][1]);
  }
#pragma GCC unroll 3
  for (int m = 0; m < 3; m++) {
    NAME(odd)(t + 3 * m, 3);
    v[m] = t[3 * m], v[m + 3] = t[3 * m + 1], v[m + 6] = t[3 * m + 2];
  }
}

// fly transforms radix elements, fewer than 16.
INLINE void NAME(fly)(const int radix, cx *v) {
  if (radix == 2) NAME(fly2)(v);
  if (radix == 4) NAME(fly4)(v);
  if (radix == 8) NAME(fly8)(v);
  if (radix == 9) NAME(fly9)(v);
  if (radix % 2 && radix < 9) NAME(odd)(v, radix);
}
