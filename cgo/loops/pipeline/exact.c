//go:build linux

// exact.c: functions of one complex number. Numbers are computed in long double, whose exponents are beyond those of
// all products here, and rounded once; infinities and NaN follow C99's Annex G, or else what xla/hlo has.
#include "exact.h"

#include <math.h>

typedef long double ld;

static void set(double *x, double *y, ld re, ld im) {
  *x = (double)re;
  *y = (double)im;
}

// sum2 is a*b + c*d, to all places even where they cancel.
static ld sum2(ld a, ld b, ld c, ld d) {
  const ld p = a * b, q = c * d;
  return (p + q) + (fmal(a, b, -p) + fmal(c, d, -q));
}

// boxed is 1 for infinities and 0 for the rest, signs kept.
static double boxed(double v) { return copysign(isinf(v) ? 1 : 0, v); }

// divide_special is Annex G.5.1 for operands with an infinity, a NaN or a divisor of 0.
static void divide_special(double *x, double *y, double c, double d) {
  double a = *x, b = *y;
  const double n = c * c + d * d, re = (a * c + b * d) / n, im = (b * c - a * d) / n;
  if (!isnan(re) || !isnan(im)) {
    set(x, y, re, im);
  } else if (c == 0 && d == 0 && (!isnan(a) || !isnan(b))) {
    set(x, y, copysign(INFINITY, c) * a, copysign(INFINITY, c) * b);
  } else if ((isinf(a) || isinf(b)) && isfinite(c) && isfinite(d)) {
    a = boxed(a), b = boxed(b);
    set(x, y, INFINITY * (a * c + b * d), INFINITY * (b * c - a * d));
  } else if ((isinf(c) || isinf(d)) && isfinite(a) && isfinite(b)) {
    c = boxed(c), d = boxed(d);
    set(x, y, 0 * (a * c + b * d), 0 * (b * c - a * d));
  } else {
    set(x, y, re, im);
  }
}

void halo_exact_divide(double *x, double *y, double c, double d) {
  const double a = *x, b = *y;
  if (!isfinite(a) || !isfinite(b) || !isfinite(c) || !isfinite(d) || (c == 0 && d == 0)) {
    divide_special(x, y, c, d);
  } else if (d == 0) {
    set(x, y, (ld)a / c, (ld)b / c);
  } else {
    const ld n = sum2(c, c, d, d);
    set(x, y, sum2(a, c, b, d) / n, sum2(b, c, -a, d) / n);
  }
}

void halo_exact_exp(double *x, double *y) {
  const ld e = expl(*x);
  if (*y == 0)
    set(x, y, e, *y);
  else
    set(x, y, e * cosl(*y), e * sinl(*y));
}

// log_abs is log|x+iy|, whose logarithm is small if |x+iy| is near 1.
static ld log_abs(ld x, ld y) {
  const ld r = hypotl(x, y), a = fabsl(x), b = fabsl(y);
  if (!(r > 0.5L && r < 2))
    return logl(r);
  return log1pl(a > b ? sum2(a - 1, a + 1, b, b) : sum2(b - 1, b + 1, a, a)) / 2;
}

void halo_exact_log(double *x, double *y) { set(x, y, log_abs(*x, *y), atan2l(*y, *x)); }

// root is the principal root.
static void root(ld x, ld y, ld *re, ld *im) {
  const ld t = isinf(y) ? INFINITY : sqrtl((fabsl(x) + hypotl(x, y)) / 2);
  const ld u = y == 0 || isinf(y) ? y : isinf(t) && !isnan(y) ? 0 * y : y / (2 * t);
  const int left = x < 0 && !isinf(y);
  *re = left ? fabsl(u) : t;
  *im = !left ? u : isnan(y) ? t : copysignl(t, y);
}

void halo_exact_sqrt(double *x, double *y) {
  ld re, im;
  root(*x, *y, &re, &im);
  set(x, y, re, im);
}

void halo_exact_rsqrt(double *x, double *y) {
  ld re, im;
  root(*x, *y, &re, &im);
  if (isfinite(*x) && isfinite(*y) && !(*x == 0 && *y == 0)) {
    const ld n = hypotl(*x, *y);
    set(x, y, re / n, -im / n);
    return;
  }
  const double c = (double)re, d = (double)im;
  *x = 1, *y = 0;
  divide_special(x, y, c, d);
}
