// Butterflies and passes on LANES lines at once. The including file sets T, the type of parts, LANES, and NAME(x).
// Every product and sum is rounded to T, as in package xla/fourier.
#include "plan.h"

#include "complex_impl.h"

INLINE cx NAME(scaled)(cx a, T by) { return (cx){a.re * by, a.im * by}; }
INLINE cx NAME(conj)(cx a) { return (cx){a.re, -a.im}; }

// turn is a times w or, forward, a times the conjugate of w.
INLINE cx NAME(turn)(cx a, pair w, int forward) {
  if (forward) return (cx){a.re * w.re + a.im * w.im, a.im * w.re - a.re * w.im};
  return (cx){a.re * w.re - a.im * w.im, a.re * w.im + a.im * w.re};
}

// quarter is a times i or, forward, a times -i.
INLINE cx NAME(quarter)(cx a, int forward) { return forward ? (cx){a.im, -a.re} : (cx){-a.im, a.re}; }

INLINE void NAME(fly2)(cx *v) {
  const cx a = v[0], b = v[1];
  v[0] = NAME(plus)(a, b), v[1] = NAME(minus)(a, b);
}

INLINE void NAME(fly4)(cx *v, int forward) {
  const cx even = NAME(plus)(v[0], v[2]), odd = NAME(minus)(v[0], v[2]);
  const cx sum = NAME(plus)(v[1], v[3]), diff = NAME(quarter)(NAME(minus)(v[1], v[3]), forward);
  v[0] = NAME(plus)(even, sum), v[1] = NAME(plus)(odd, diff);
  v[2] = NAME(minus)(even, sum), v[3] = NAME(minus)(odd, diff);
}

// eighth turns a by 45 degrees.
INLINE cx NAME(eighth)(cx a, int forward) {
  return NAME(scaled)(NAME(plus)(a, NAME(quarter)(a, forward)), (T)0.707106781186547524400844362104849L);
}

INLINE void NAME(fly8)(cx *v, int forward) {
  cx even[4] = {v[0], v[2], v[4], v[6]}, odd[4] = {v[1], v[3], v[5], v[7]};
  NAME(fly4)(even, forward);
  NAME(fly4)(odd, forward);
  odd[1] = NAME(eighth)(odd[1], forward);
  odd[2] = NAME(quarter)(odd[2], forward);
  odd[3] = NAME(quarter)(NAME(eighth)(odd[3], forward), forward);
  for (int k = 0; k < 4; k++) v[k] = NAME(plus)(even[k], odd[k]), v[k + 4] = NAME(minus)(even[k], odd[k]);
}

// odd_sum is result k of an odd butterfly: the sums that meet the cosines, and those that meet the sines.
INLINE void NAME(odd_sum)(const char *data, const fft_odd *b, const cx *sums, const cx *diffs, int64_t k, cx *even,
                          cx *odd) {
  const pair *waves = (const pair *)(data + b->waves);
  const int64_t *groups = (const int64_t *)(data + b->list);
  int64_t at = k, j = 2;
  *even = NAME(plus)(sums[0], NAME(scaled)(sums[1], waves[k].re));
  *odd = NAME(scaled)(diffs[1], waves[k].im);
  for (int64_t g = 0; g < b->groups; g++) {
    cx c = {0}, s = {0};
    for (int64_t i = g == 0; i < groups[g]; i++, j++) {
      if ((at += k) >= b->n) at -= b->n;
      const cx x = NAME(scaled)(sums[j], waves[at].re), y = NAME(scaled)(diffs[j], waves[at].im);
      if (g == 0)
        *even = NAME(plus)(*even, x), *odd = NAME(plus)(*odd, y);
      else if (i == 0)
        c = x, s = y;
      else
        c = NAME(plus)(c, x), s = NAME(plus)(s, y);
    }
    if (g > 0) *even = NAME(plus)(*even, c), *odd = NAME(plus)(*odd, s);
  }
}

// few is odd for 3, 5 and 7 elements, whose sums have no groups of more than one.
INLINE void NAME(few)(const int n, const pair *waves, cx *v, int forward) {
  cx sums[4], diffs[4], total = v[0];
#pragma GCC unroll 4
  for (int j = 1; j <= n / 2; j++) {
    sums[j] = NAME(plus)(v[j], v[n - j]), diffs[j] = NAME(minus)(v[j], v[n - j]);
    total = NAME(plus)(total, sums[j]);
  }
#pragma GCC unroll 4
  for (int k = 1; k <= n / 2; k++) {
    cx even = NAME(plus)(v[0], NAME(scaled)(sums[1], waves[k].re)), odd = NAME(scaled)(diffs[1], waves[k].im);
#pragma GCC unroll 4
    for (int j = 2; j <= n / 2; j++) {
      even = NAME(plus)(even, NAME(scaled)(sums[j], waves[j * k % n].re));
      odd = NAME(plus)(odd, NAME(scaled)(diffs[j], waves[j * k % n].im));
    }
    odd = NAME(quarter)(odd, forward);
    v[k] = NAME(plus)(even, odd), v[n - k] = NAME(minus)(even, odd);
  }
  v[0] = total;
}

static void NAME(odd)(const char *data, const fft_odd *b, cx *v, cx *work, int forward) {
  const pair *waves = (const pair *)(data + b->waves);
  switch (b->n) {
  case 3: NAME(few)(3, waves, v, forward); return;
  case 5: NAME(few)(5, waves, v, forward); return;
  case 7: NAME(few)(7, waves, v, forward); return;
  }
  const int64_t n = b->n, half = n / 2;
  cx *sums = work, *diffs = work + half + 1, total = v[0];
  for (int64_t j = 1; j <= half; j++) {
    sums[j] = NAME(plus)(v[j], v[n - j]), diffs[j] = NAME(minus)(v[j], v[n - j]);
    total = NAME(plus)(total, sums[j]);
  }
  sums[0] = v[0], v[0] = total;
  for (int64_t k = 1; k <= half; k++) {
    cx even, odd;
    NAME(odd_sum)(data, b, sums, diffs, k, &even, &odd);
    odd = NAME(quarter)(odd, forward);
    v[k] = NAME(plus)(even, odd), v[n - k] = NAME(minus)(even, odd);
  }
}

static void NAME(plan)(const char *data, const fft_plan *p, cx *v, cx *work, int forward);

static void NAME(chirp)(const char *data, const fft_chirp *b, cx *v, cx *work, int forward) {
  const pair *wave = (const pair *)(data + b->wave), *kernel = (const pair *)(data + b->kernel);
  const fft_plan *inner = (const fft_plan *)(data + b->plan);
  cx *x = work;
  work += b->m;
  EACH(k, b->n) x[k] = NAME(turn)(v[k], wave[k], forward);
  const cx zero = NAME(scaled)(x[0], 0); // not a number if the elements are not
  EACH(k, b->m - b->n) x[b->n + k] = zero;
  NAME(plan)(data, inner, x, work, 1);
  EACH(k, b->m) x[k] = NAME(turn)(x[k], kernel[k < b->m - k ? k : b->m - k], !forward);
  NAME(plan)(data, inner, x, work, 0);
  EACH(k, b->n) v[k] = NAME(turn)(x[k], wave[k], forward);
}

// fly transforms v in place by any butterfly.
static void NAME(fly)(const char *data, int64_t kind, int64_t at, cx *v, cx *work, int forward) {
  switch (kind) {
  case FFT_TWO: NAME(fly2)(v); break;
  case FFT_FOUR: NAME(fly4)(v, forward); break;
  case FFT_EIGHT: NAME(fly8)(v, forward); break;
  case FFT_ODD: NAME(odd)(data, (const fft_odd *)(data + at), v, work, forward); break;
  case FFT_CHIRP: NAME(chirp)(data, (const fft_chirp *)(data + at), v, work, forward); break;
  default: NAME(plan)(data, (const fft_plan *)(data + at), v, work, forward);
  }
}

// flies are the butterflies of columns [first, end) of row k.
INLINE void NAME(flies)(const int radix, const fft_pass *p, const pair *turns, const pair *waves, const cx *in, cx *out,
                        int64_t k, int64_t first, int64_t end, int forward) {
  const int64_t rest = p->rest, done = p->done;
  for (int64_t i = first; i < end; i++) {
    cx v[8];
    for (int j = 0; j < radix; j++) v[j] = in[i + rest * (j + radix * k)];
    if (radix == 2) NAME(fly2)(v);
    if (radix == 4) NAME(fly4)(v, forward);
    if (radix == 8) NAME(fly8)(v, forward);
    if (radix % 2) NAME(few)(radix, waves, v, forward);
    out[i + rest * k] = v[0];
    for (int j = 1; j < radix; j++) {
      if (i > 0) v[j] = NAME(turn)(v[j], turns[(j - 1) * (rest - 1) + i - 1], forward);
      out[i + rest * (k + done * j)] = v[j];
    }
  }
}

// pass_by is a pass by a butterfly of a known radix.
INLINE void NAME(pass_by)(const int radix, const fft_pass *p, const pair *turns, const pair *waves, const cx *in,
                          cx *out, int forward) {
  const int64_t rest = p->rest, done = p->done;
  int64_t since = 0; // elements since the last look at the cancel word
  for (int64_t k = 0; k < done; k++)
    for (int64_t first = 0; first < rest; first += FFT_PIECE / 8) {
      const int64_t end = first + FFT_PIECE / 8 < rest ? first + FFT_PIECE / 8 : rest;
      if ((since += (end - first) * radix) >= FFT_PIECE) {
        if (STOPPED) return;
        since = 0;
      }
      NAME(flies)(radix, p, turns, waves, in, out, k, first, end, forward);
    }
}

static void NAME(pass_any)(const char *data, const fft_pass *p, const pair *turns, const cx *in, cx *out, cx *work,
                           int forward) {
  const int64_t rest = p->rest, done = p->done, radix = p->radix;
  cx *v = work;
  int64_t since = 0;
  for (int64_t k = 0; k < done; k++)
    for (int64_t i = 0; i < rest; i++) {
      if ((since += radix) >= FFT_PIECE / 8) { // which may have taken more than a look at each
        if (STOPPED) return;
        since = 0;
      }
      for (int64_t j = 0; j < radix; j++) v[j] = in[i + rest * (j + radix * k)];
      NAME(fly)(data, p->kind, p->fly, v, work + radix, forward);
      out[i + rest * k] = v[0];
      for (int64_t j = 1; j < radix; j++) {
        cx w = v[j];
        if (i > 0) w = NAME(turn)(w, turns[(j - 1) * (rest - 1) + i - 1], forward);
        out[i + rest * (k + done * j)] = w;
      }
    }
}

#undef BOTH
#define BOTH(radix) \
  if (forward) \
    NAME(pass_by)(radix, p, turns, waves, in, out, 1); \
  else \
    NAME(pass_by)(radix, p, turns, waves, in, out, 0);

static void NAME(pass)(const char *data, const fft_pass *p, const cx *in, cx *out, cx *work, int forward) {
  const pair *turns = (const pair *)(data + p->turns);
  const pair *waves = p->kind == FFT_ODD ? (const pair *)(data + ((const fft_odd *)(data + p->fly))->waves) : 0;
  switch (p->radix) {
  case 2: BOTH(2) break;
  case 3: BOTH(3) break;
  case 4: BOTH(4) break;
  case 5: BOTH(5) break;
  case 7: BOTH(7) break;
  case 8: BOTH(8) break;
  default: NAME(pass_any)(data, p, turns, in, out, work, forward);
  }
}

// plan transforms v in place.
static void NAME(plan)(const char *data, const fft_plan *p, cx *v, cx *work, int forward) {
  const fft_pass *passes = (const fft_pass *)(data + p->list);
  cx *in = v, *out = work;
  for (int64_t i = 0; i < p->passes && !STOPPED; i++) {
    NAME(pass)(data, &passes[i], in, out, work + p->n, forward);
    cx *t = in;
    in = out, out = t;
  }
  if (in == v) return;
  EACH(k, p->n) v[k] = in[k];
}
