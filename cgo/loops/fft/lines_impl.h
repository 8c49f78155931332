// Lines from and to memory: after real_impl.h.
#include <string.h>

// lanes are the places of the lines that are transformed together. columns: neighbours in memory.
typedef struct {
  int64_t at[LANES];
  int64_t count, columns;
} NAME(lanes);
#define lanes NAME(lanes)

INLINE lanes NAME(places)(const fft_record *r, const fft_lines *m, int64_t first, int64_t count) {
  lanes l = {.count = count, .columns = m->inner == 1 && first / r->inner == (first + count - 1) / r->inner};
  for (int64_t k = 0; k < LANES; k++) {
    const int64_t line = first + (k < count ? k : 0);
    l.at[k] = line / r->inner * m->outer + line % r->inner * m->inner;
  }
  return l;
}

#if LANES == 1
#define LANE(v, k) (v)
#else
#define LANE(v, k) (v)[k]
#endif

// BLOCKS goes through n elements in blocks [b, end) that stay in the first cache for all lanes.
#undef BLOCKS
#define BLOCKS(n) \
  for (int64_t b = 0, all = (n), end = 0; end = b + 16 < all ? b + 16 : all, b < all && !STOPPED; b += 16)

// AHEAD asks for the LANES pairs that are so many steps behind those at p, to read or to write them: steps may be
// pages, which no hardware sees coming.
#undef AHEAD
#define AHEAD(p, step, write) \
  do { \
    __builtin_prefetch((p) + 12 * (step), write); \
    if (LANES * sizeof(pair) > 64) __builtin_prefetch((p) + 12 * (step) + LANES / 2, write); \
  } while (0)

#include "neighbours_impl.h"

#if LANES == 1
static void NAME(get_rows)(vec *v, const T *src, const lanes *l, int64_t by, int64_t n, const T *end) {
  memcpy(v, src + l->at[0] * by, n * sizeof(T));
}

static void NAME(put_rows)(T *dst, const vec *v, const lanes *l, int64_t by, int64_t n) {
  memcpy(dst + l->at[0] * by, v, n * sizeof(T));
}
#else
// get_block loads LANES numbers of each line, n of which become vectors.
INLINE void NAME(get_block)(vec *v, const T *src, const lanes *l, int64_t by, int64_t n) {
  vec r[LANES];
#pragma GCC unroll 16
  for (int k = 0; k < LANES; k++) r[k] = *(const uvec *)(src + l->at[k] * by);
  NAME(cross)(r);
#pragma GCC unroll 16
  for (int k = 0; k < LANES; k++)
    if (k < n) v[k] = r[k];
}

// get_rows loads n numbers of each line, which are neighbours; places count by by. Of a few, it loads LANES if they do
// not reach beyond the end of the array, and else goes one by one.
static void NAME(get_rows)(vec *v, const T *src, const lanes *l, int64_t by, int64_t n, const T *end) {
  if (n < LANES && (l->count < LANES || src + l->at[LANES - 1] * by + LANES > end)) {
    for (int64_t e = 0; e < n; e++)
      for (int k = 0; k < LANES; k++) v[e][k] = src[l->at[k] * by + e];
    return;
  }
  if (n < LANES) NAME(get_block)(v, src, l, by, n);
  for (int64_t e = 0; n >= LANES && e < n; e += LANES) {
    if (e > n - LANES) e = n - LANES; // some twice
    NAME(get_block)(v + e, src + e, l, by, LANES);
  }
}

// put_row stores a line that has few numbers: LANES if those behind it belong to lines that come after it, before end.
INLINE void NAME(put_row)(T *dst, const vec *r, int64_t n, const T *end) {
  if (dst + LANES <= end)
    *(uvec *)dst = *r;
  else
    for (int64_t e = 0; e < n; e++) dst[e] = (*r)[e];
}

static void NAME(put_rows)(T *dst, const vec *v, const lanes *l, int64_t by, int64_t n) {
  if (l->count < LANES) {
    for (int64_t e = 0; e < n; e++)
      for (int64_t k = 0; k < l->count; k++) dst[l->at[k] * by + e] = v[e][k];
    return;
  }
  const T *end = dst + l->at[LANES - 1] * by + n;
  for (int64_t e = 0; n >= LANES && e < n; e += LANES) {
    if (e > n - LANES) e = n - LANES;
    vec r[LANES];
#pragma GCC unroll 16
    for (int k = 0; k < LANES; k++) r[k] = v[e + k];
    NAME(cross)(r);
#pragma GCC unroll 16
    for (int k = 0; k < LANES; k++) *(uvec *)(dst + l->at[k] * by + e) = r[k];
  }
  if (n >= LANES) return;
  vec r[LANES];
#pragma GCC unroll 16
  for (int k = 0; k < LANES; k++) r[k] = v[k < n ? k : 0];
  NAME(cross)(r);
#pragma GCC unroll 16
  for (int k = 0; k < LANES; k++) NAME(put_row)(dst + l->at[k] * by, &r[k], n, end);
}
#endif

// get_pairs loads n complex numbers of each line. Lanes without a line get one that is there.
static void NAME(get_pairs)(cx *v, const pair *src, const lanes *l, int64_t n, int64_t step, const T *end) {
  if (l->columns && l->count == LANES) {
    EACH(e, n) {
      const pair *s = src + l->at[0] + e * step;
      AHEAD(s, step, 0);
      v[e] = NAME(get)(s);
    }
    return;
  }
  if (step == 1) {
    NAME(get_rows)((vec *)v, (const T *)src, l, 2, 2 * n, end);
    return;
  }
  BLOCKS(n)
  for (int k = 0; k < LANES; k++) {
    const pair *s = src + l->at[k];
    for (int64_t e = b; e < end; e++) LANE(v[e].re, k) = s[e * step].re, LANE(v[e].im, k) = s[e * step].im;
  }
}

static void NAME(put_pairs)(pair *dst, const cx *v, const lanes *l, int64_t n, int64_t step) {
  if (l->columns && l->count == LANES) {
    EACH(e, n) {
      pair *d = dst + l->at[0] + e * step;
      AHEAD(d, step, 1);
      NAME(put)(d, v[e]);
    }
    return;
  }
  if (step == 1) {
    NAME(put_rows)((T *)dst, (const vec *)v, l, 2, 2 * n);
    return;
  }
  BLOCKS(n)
  for (int64_t k = 0; k < l->count; k++) {
    pair *d = dst + l->at[k];
    for (int64_t e = b; e < end; e++) d[e * step] = (pair){LANE(v[e].re, k), LANE(v[e].im, k)};
  }
}

// get_half loads half spectra to the n numbers that stand for them, which is all but the imaginary parts that are zero;
// put_half does the reverse.
static void NAME(get_half)(vec *v, const pair *src, const lanes *l, int64_t n, const T *end) {
  for (int k = 0; k < LANES; k++) LANE(v[0], k) = src[l->at[k]].re;
  NAME(get_rows)(v + 1, (const T *)src + 2, l, 2, n - 1, end);
}

static void NAME(put_half)(pair *dst, const vec *v, const lanes *l, int64_t n) {
  NAME(put_rows)((T *)dst + 2, v + 1, l, 2, n - 1); // which may write over the zeros
  for (int64_t k = 0; k < l->count; k++) {
    dst[l->at[k]] = (pair){LANE(v[0], k), 0};
    if (n % 2 == 0) dst[l->at[k] + n / 2].im = 0;
  }
}

static void NAME(complex_lines)(const fft_record *r, const char *data, char *dst, const char *src, cx *v,
                                const lanes *to, const lanes *from) {
  NAME(get_pairs)(v, (const pair *)src, from, r->n, r->from.step, (const T *)src + 2 * r->outer * r->inner * r->n);
  NAME(plan)(data, (const fft_plan *)(data + r->root), v, v + r->n, r->forward);
  if (r->scale != 1)
    EACH(e, r->n) v[e] = NAME(scaled)(v[e], (T)r->scale);
  NAME(put_pairs)((pair *)dst, v, to, r->n, r->to.step);
}

// lines is the loop of a table.
static void NAME(lines)(const fft_record *r, const char *data, char *dst, const char *src, char *work, int64_t first,
                        int64_t count) {
  const lanes to = NAME(places)(r, &r->to, first, count), from = NAME(places)(r, &r->from, first, count);
  const int64_t all = r->outer * r->inner;
  if (r->kind == FFT_COMPLEX) {
    NAME(complex_lines)(r, data, dst, src, (cx *)work, &to, &from);
    return;
  }
  const fft_real *p = (const fft_real *)(data + r->root);
  vec *v = (vec *)work;
  cx *rest = (cx *)work + (r->n + 1) / 2;
  if (r->kind == FFT_FORWARD_REAL) {
    NAME(get_rows)(v, (const T *)src, &from, 1, r->n, (const T *)src + all * r->n);
    NAME(real)(data, p, v, rest, 1);
    NAME(put_half)((pair *)dst, v, &to, r->n);
    return;
  }
  NAME(get_half)(v, (const pair *)src, &from, r->n, (const T *)src + 2 * all * r->half);
  NAME(real)(data, p, v, rest, 0);
  if (r->scale != 1)
    EACH(e, r->n) v[e] = v[e] * (T)r->scale;
  NAME(put_rows)((T *)dst, v, &to, 1, r->n);
}

#undef vec
#undef uvec
#undef ivec
#undef cx
#undef pair
#undef real_job
#undef lanes
#undef LANE
