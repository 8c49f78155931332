// Transforms between lines of reals and half spectra, on LANES lines at once: after fft_impl.h. The half spectrum of n
// reals is n numbers, the real part of the first element, then real and imaginary part of each.

typedef struct {
  const char *data;
  const fft_pass *p;
  const pair *turns;
  cx *v, *work;
} NAME(real_job);
#define real_job NAME(real_job)

INLINE pair NAME(turn_of)(const real_job *j, int64_t element, int64_t i) {
  return j->turns[(element - 1) * ((j->p->rest - 1) / 2) + i - 1];
}

INLINE void NAME(real_fly)(const real_job *j, int forward) {
  NAME(fly)(j->data, j->p->kind, j->p->fly, j->v, j->work, forward);
}

// store puts the elements of column i of a spectrum to their places, those of its upper half mirrored.
INLINE void NAME(store)(const real_job *j, vec *to, int64_t i) {
  const int64_t radix = j->p->radix, rest = j->p->rest;
  for (int64_t e = 0; e < radix; e++) {
    int64_t at = 2 * e * rest + 2 * i;
    cx c = j->v[e];
    if (2 * e >= radix) at = 2 * (radix - e) * rest - 2 * i, c = NAME(conj)(c);
    to[at - 1] = c.re, to[at] = c.im;
  }
}

// load is store reversed.
INLINE void NAME(load)(const real_job *j, const vec *from, int64_t i) {
  const int64_t radix = j->p->radix, rest = j->p->rest;
  for (int64_t e = 0; e < radix; e++) {
    if (2 * e < radix) {
      const int64_t at = 2 * e * rest + 2 * i;
      j->v[e] = (cx){from[at - 1], from[at]};
    } else {
      const int64_t at = 2 * (radix - e) * rest - 2 * i;
      j->v[e] = (cx){from[at - 1], -from[at]};
    }
  }
}

#undef HALF
#undef ROOT2
#undef LOOK
#define LOOK 256 // after so many columns
#define HALF ((T)0.707106781186547524400844362104849L)
#define ROOT2 ((T)1.414213562373095048801688724209698L)

// forward_line joins radix half spectra, in[j * step], to one.
static void NAME(forward_line)(const real_job *j, const vec *in, int64_t step, vec *to) {
  const int64_t n = j->p->radix, rest = j->p->rest;
  cx *v = j->v;
  for (int64_t e = 0; e < n; e++) v[e] = (cx){in[e * step], (vec){0}};
  NAME(real_fly)(j, 1);
  to[0] = v[0].re;
  for (int64_t e = 1; 2 * e <= n; e++) {
    to[2 * e * rest - 1] = v[e].re;
    if (2 * e < n) to[2 * e * rest] = v[e].im;
  }
  for (int64_t i = 1; 2 * i < rest; i++) {
    if (i % LOOK == 0 && STOPPED) return;
    v[0] = (cx){in[2 * i - 1], in[2 * i]};
    for (int64_t e = 1; e < n; e++)
      v[e] = NAME(turn)((cx){in[2 * i - 1 + e * step], in[2 * i + e * step]}, NAME(turn_of)(j, e, i), 1);
    NAME(real_fly)(j, 1);
    NAME(store)(j, to, i);
  }
  if (rest % 2) return;
  const vec *x = in + rest - 1; // the column at half the frequency, of a radix 2 or 4
  if (n == 2) {
    to[rest - 1] = x[0], to[rest] = -x[step];
    return;
  }
  const vec i = (x[step] + x[3 * step]) * -HALF, r = (x[step] - x[3 * step]) * HALF;
  to[rest - 1] = x[0] + r, to[3 * rest - 1] = x[0] - r;
  to[3 * rest] = i + x[2 * step], to[rest] = i - x[2 * step];
}

// back_line is forward_line reversed: out[j * step] of from.
static void NAME(back_line)(const real_job *j, const vec *from, vec *out, int64_t step) {
  const int64_t n = j->p->radix, rest = j->p->rest;
  cx *v = j->v;
  v[0] = (cx){from[0], (vec){0}};
  for (int64_t e = 1; 2 * e <= n; e++) {
    cx c = {from[2 * e * rest - 1], (vec){0}};
    if (2 * e < n) c.im = from[2 * e * rest];
    v[e] = c, v[n - e] = NAME(conj)(c);
  }
  NAME(real_fly)(j, 0);
  for (int64_t e = 0; e < n; e++) out[e * step] = v[e].re;
  for (int64_t i = 1; 2 * i < rest; i++) {
    if (i % LOOK == 0 && STOPPED) return;
    NAME(load)(j, from, i);
    NAME(real_fly)(j, 0);
    for (int64_t e = 0; e < n; e++) {
      const cx c = e > 0 ? NAME(turn)(v[e], NAME(turn_of)(j, e, i), 0) : v[e];
      out[e * step + 2 * i - 1] = c.re, out[e * step + 2 * i] = c.im;
    }
  }
  if (rest % 2) return;
  vec *x = out + rest - 1;
  if (n == 2) {
    x[0] = from[rest - 1] * 2, x[step] = from[rest] * -2;
    return;
  }
  const vec i1 = from[3 * rest] + from[rest], i2 = from[3 * rest] - from[rest];
  const vec r1 = from[rest - 1] - from[3 * rest - 1], r2 = from[rest - 1] + from[3 * rest - 1];
  x[0] = r2 * 2, x[2 * step] = i2 * 2;
  x[step] = (r1 - i1) * ROOT2, x[3 * step] = (r1 + i1) * -ROOT2;
}

// unfold transforms n reals as n/2 pairs.
static void NAME(unfold)(const char *data, const fft_real *p, vec *v, cx *work) {
  const pair *turns = (const pair *)(data + p->turns);
  const int64_t n = p->n, half = n / 2;
  cx *f = work;
  EACH(k, half) f[k] = (cx){v[2 * k], v[2 * k + 1]};
  NAME(plan)(data, (const fft_plan *)(data + p->plan), f, work + half, 1);
  v[0] = f[0].re + f[0].im, v[n - 1] = f[0].re - f[0].im;
  EACH(i, half / 2) {
    const int64_t a = i + 1, b = half - 1 - i;
    const cx even = NAME(plus)(f[a], NAME(conj)(f[b]));
    const cx odd = NAME(turn)((cx){f[a].im + f[b].im, f[b].re - f[a].re}, turns[a], 1);
    const vec r0 = (even.re + odd.re) / 2, i0 = (even.im + odd.im) / 2;
    const vec r1 = (even.re - odd.re) / 2, i1 = (odd.im - even.im) / 2;
    v[2 * a - 1] = r0, v[2 * a] = i0;
    v[2 * b - 1] = r1, v[2 * b] = i1;
  }
}

// fold is unfold reversed.
static void NAME(fold)(const char *data, const fft_real *p, vec *v, cx *work) {
  const pair *turns = (const pair *)(data + p->turns);
  const int64_t n = p->n, half = n / 2;
  cx *f = work;
  f[0] = (cx){v[0] + v[n - 1], v[0] - v[n - 1]};
  EACH(i, half / 2) {
    const int64_t a = i + 1, b = half - 1 - i;
    const cx x = {v[2 * a - 1], v[2 * a]}, y = {v[2 * b - 1], -v[2 * b]};
    const cx even = NAME(plus)(x, y), odd = NAME(turn)(NAME(minus)(x, y), turns[a], 0);
    f[a] = (cx){even.re - odd.im, even.im + odd.re};
    f[b] = (cx){even.re + odd.im, odd.re - even.im};
  }
  NAME(plan)(data, (const fft_plan *)(data + p->plan), f, work + half, 0);
  EACH(k, half) v[2 * k] = f[k].re, v[2 * k + 1] = f[k].im;
}

// real transforms n reals in v to the half spectrum or, not forward, the reverse.
static void NAME(real)(const char *data, const fft_real *p, vec *v, cx *work, int forward) {
  if (p->plan && forward) {
    NAME(unfold)(data, p, v, work);
    return;
  }
  if (p->plan) {
    NAME(fold)(data, p, v, work);
    return;
  }
  const fft_pass *passes = (const fft_pass *)(data + p->list);
  vec *in = v, *out = (vec *)work;
  work += (p->n + 1) / 2;
  for (int64_t i = 0; i < p->passes; i++) {
    const fft_pass *s = &passes[forward ? p->passes - 1 - i : i];
    const real_job j = {data, s, (const pair *)(data + s->turns), work, work + s->radix};
    for (int64_t k = 0; k < s->done; k++) {
      if (k % LOOK == 0 && STOPPED) return;
      if (forward)
        NAME(forward_line)(&j, in + k * s->rest, s->done * s->rest, out + k * s->radix * s->rest);
      else
        NAME(back_line)(&j, in + k * s->radix * s->rest, out + k * s->rest, s->done * s->rest);
    }
    vec *t = in;
    in = out, out = t;
  }
  if (in == v) return;
  EACH(k, p->n) v[k] = in[k];
}
