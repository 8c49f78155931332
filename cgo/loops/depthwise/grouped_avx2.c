//go:build linux
/* The kernel for groups of features. */
#if defined(__x86_64__)
#pragma GCC target("avx2,fma")
#pragma GCC optimize("O3")
#include <immintrin.h>
#include <string.h>
#define VB 32
#include "vector.h"

/* So many places of a row are computed at once at most: their sums, a weight and an element fill the registers. Halves
 * of a vector that are of two groups have elements of their own, whose four weights are in registers. Where places
 * fall on the same few lines of the nearest cache, what a block sees is copied if that is few elements, or else a block
 * has fewer places than the cache has ways. */
enum { MOST = 14, HALVES = 8, TOGETHER = 7, TWOS = 6, COPIED = 1 << 13, FALLS = 2048, LINE = 64, NEAR = 1 << 17 };

/* block is some places of a row, side by side: where the elements of tap 0 of place 0 begin, the number of that one
 * among the places of the image, and how many elements further a neighbour's begin, and those of the next row of taps.
 * Of a vector of two groups, the second half's begin so far behind those of the first half; of two vectors, those of
 * the second. */
typedef struct {
  const halo_depthwise_record *record;
  const float *x;
  int64_t taps, begin, apart, line, half;
} block;

/* tap adds the terms of a tap, whose elements for place 0 begin at x, to the sums of places from first to end. */
INLINE void tap(const int halves, const int places, const int64_t first, const int64_t end, const block *b,
                const float *x, const float *w, vec *sum) {
  const int64_t place = b->record->x.stride * b->apart * sizeof *x, term = b->record->term, some = halves ? 4 : 1;
  const char *q[(MOST + 2) / 3] = {(const char *)x};
  for (int t = 1; t * 3 < places; t++) q[t] = apart(q[t - 1], 3 * place);
  for (int64_t i = 0; i < b->record->inputs; i += some, w += some * term) {
    vec weight[4];
    for (int t = 0; t < some; t++) weight[t] = *(const vec *)(w + t * term);
#pragma GCC unroll 14
    for (int j = 0; j < places; j++) {
      const float *p = (const float *)(q[j / 3] + j % 3 * place) + i;
      if (j < first || j >= end) continue;
      if (!halves) {
        sum[j] += *p * weight[0];
        continue;
      }
      const __m256 v = _mm256_loadu2_m128(p + b->half, p);
      sum[j] += (vec)_mm256_permute_ps(v, 0x00) * weight[0];
      sum[j] += (vec)_mm256_permute_ps(v, 0x55) * weight[1];
      sum[j] += (vec)_mm256_permute_ps(v, 0xaa) * weight[2];
      sum[j] += (vec)_mm256_permute_ps(v, 0xff) * weight[3];
    }
  }
}

/* store ends the sums of a block and stores them. */
INLINE void store(const int places, const halo_depthwise_record *r, const float *bias, float *out, vec *sum) {
  const vec more = bias ? *(const vec *)bias : (vec){0};
#pragma GCC unroll 14
  for (int j = 0; j < places; j++) {
    if (bias) sum[j] += more;
    if (r->ends & DEPTHWISE_FLOOR) sum[j] = vec_floor(sum[j]);
    if (r->ends & DEPTHWISE_CAP) sum[j] = vec_cap(sum[j], r->most);
    *(vec *)(out + j * r->features) = sum[j];
  }
}

/* inside finds which of some places see the image by a tap that is at a place of it for the first of them. */
INLINE void inside(const halo_depthwise_axis *a, int64_t at, int64_t places, int64_t *first, int64_t *end) {
  *first = 0, *end = places;
  while (*first < *end && at + *first * a->stride < 0) ++*first;
  while (*first < *end && at + (*end - 1) * a->stride >= a->in) --*end;
}

/* convolve computes a vector of a block. Most taps see the image at all places, or at all but the first or the last. */
INLINE void convolve(const int halves, const int places, const block *b, const float *w, const float *bias,
                     float *out) {
  const halo_depthwise_record *r = b->record;
  const halo_depthwise_axis *a = &r->x;
  const float *x = b->x;
  vec sum[MOST] = {{0}};
  for (int64_t i = 0; i < b->taps; i++, x = (const float *)((uintptr_t)x + b->line * sizeof *x))
    for (int64_t k = 0; k < a->window; k++, w += r->inputs * r->term) {
      const int64_t at = b->begin + k * a->dilation;
      const float *p = (const float *)((uintptr_t)x + k * a->dilation * b->apart * sizeof *x);
      int64_t first, end;
      inside(a, at, places, &first, &end);
      if (first == 0 && end == places) tap(halves, places, 0, places, b, p, w, sum);
      else if (first == 1 && end == places) tap(halves, places, 1, places, b, p, w, sum);
      else if (first == 0 && end == places - 1) tap(halves, places, 0, places - 1, b, p, w, sum);
      else if (first < end) tap(halves, places, first, end, b, p, w, sum);
    }
  store(places, r, bias, out, sum);
}

/* two_taps adds the terms of a tap to the sums of two vectors of places from first to end. */
INLINE void two_taps(const int places, int64_t first, int64_t end, const block *b, const char *p, vec left, vec right,
                     vec (*sum)[TWOS]) {
  const int64_t place = b->record->x.stride * b->apart * sizeof(float), half = b->half;
#pragma GCC unroll 6
  for (int j = 0; j < places; j++) {
    const float *x = (const float *)(p + j * place);
    if (j < first || j >= end) continue;
    sum[0][j] += *x * left, sum[1][j] += x[half] * right;
    __asm__ volatile("" ::: "memory"); /* else all are loaded first, and sums leave the registers */
  }
}

/* two computes two vectors of a block of groups that have one input feature each. There is little to add, and most of
 * the time goes to the result: lines of it are written whole. */
INLINE void two(const int places, const block *b, const float *w, const float *bias, float *out) {
  const halo_depthwise_record *r = b->record;
  const halo_depthwise_axis *a = &r->x;
  const float *x = b->x;
  vec sum[2][TWOS] = {{{0}}};
  for (int64_t i = 0; i < b->taps; i++, x = (const float *)((uintptr_t)x + b->line * sizeof *x))
    for (int64_t k = 0, first, end; k < a->window; k++, w += r->term) {
      const char *p = (const char *)((uintptr_t)x + k * a->dilation * b->apart * sizeof *x);
      const vec left = *(const vec *)w, right = *(const vec *)(w + r->vector);
      inside(a, b->begin + k * a->dilation, places, &first, &end);
      if (first == 0 && end == places) two_taps(places, 0, places, b, p, left, right, sum);
      else two_taps(places, first, end, b, p, left, right, sum);
    }
  store(places, r, bias, out, sum[0]);
  store(places, r, bias ? bias + VL : 0, out + VL, sum[1]);
}

static void by_twos(int64_t places, const block *b, const float *w, const float *bias, float *out) {
#define CASE(n) case n: two(n, b, w, bias, out); return;
  switch (places) { CASE(1) CASE(2) CASE(3) CASE(4) CASE(5) CASE(6) }
#undef CASE
}

#define CASE(n) case n: convolve(halves, n, b, w, bias, out); return;
#define CASES CASE(1) CASE(2) CASE(3) CASE(4) CASE(5) CASE(6) CASE(7) CASE(8)
static void broad(int64_t places, const block *b, const float *w, const float *bias, float *out) {
  enum { halves = 0 };
  switch (places) { CASES CASE(9) CASE(10) CASE(11) CASE(12) CASE(13) CASE(14) }
}
static void by_halves(int64_t places, const block *b, const float *w, const float *bias, float *out) {
  enum { halves = 1 };
  switch (places) { CASES }
}

/* copy copies what a block sees of the image, places side by side, whose width is given. */
static void copy(block *b, int64_t width, float *to) {
  const halo_depthwise_record *r = b->record;
  const int64_t low = b->begin < 0 ? -b->begin : 0, in = r->x.in - b->begin, high = in < width ? in : width;
  for (int64_t i = 0; i < b->taps; i++)
    for (int64_t j = low; j < high; j++)
      memcpy(to + (i * width + j) * r->inputs,
             (const float *)((uintptr_t)b->x + (i * b->line + j * b->apart) * sizeof *to), r->inputs * sizeof *to);
  b->x = to, b->apart = r->inputs, b->line = width * r->inputs;
}

/* ask asks for parts number i and so many behind it, of n in all, of elements from p on. */
static void ask(const float *p, int64_t elements, int64_t i, int64_t parts, int64_t n) {
  const uintptr_t begin = (uintptr_t)p + elements * i / n * sizeof *p;
  const uintptr_t end = (uintptr_t)p + elements * (i + parts) / n * sizeof *p;
  for (uintptr_t at = begin; at < end; at += LINE) __builtin_prefetch((const void *)at, 0, 2);
}

/* way is how a row is computed: some vectors for each block, if that is copied or has two at once, which has so many
 * places; and near blocks by all vectors before the next ones, so that what they see of the image is in a cache, unless
 * the weights of a vector are more than that. */
typedef struct {
  int halves, twos, copies;
  int64_t some, wide, places, blocks, near;
} way;

static way way_of(const halo_depthwise_record *r, int64_t taps) {
  const halo_depthwise_axis *a = &r->x;
  const int64_t place = a->stride * r->channels * sizeof(float), falls = place % FALLS == 0;
  way w = {.halves = r->outputs % VL != 0, .some = 1};
  w.wide = (MOST - 1) * a->stride + (a->window - 1) * a->dilation + 1;
  w.twos = r->inputs == 1 && !w.halves && r->vectors % 2 == 0;
  w.copies = falls && r->outputs > VL && !w.halves && !w.twos && w.wide * taps * r->inputs <= COPIED;
  if (w.copies || w.twos) w.some = w.twos ? 2 : r->outputs / VL;
  const int64_t most = w.twos ? TWOS : falls && !w.copies ? TOGETHER : w.halves ? HALVES : MOST;
  w.blocks = (a->out + most - 1) / most, w.places = (a->out + w.blocks - 1) / w.blocks;
  const int64_t block = w.places * place * taps, weights = r->y.window * a->window * r->inputs * VB;
  w.near = weights > block ? w.blocks : NEAR / block + 1;
  return w;
}

/* ahead asks for a part of what the next row needs, as ask does, while vectors are computed: processors do not find
 * out, since one vector is a short piece of each place. */
static void ahead(const halo_depthwise_record *r, const halo_depthwise_row *row, int64_t i, int64_t parts, int64_t n) {
  if (r->vectors * VL < r->features) return;
  const int64_t line = r->x.in * r->channels, next = (row->taps - 1) * r->y.dilation + 1, out = r->x.out * r->features;
  ask((const float *)((uintptr_t)row->image + next * line * sizeof(float)), line * r->y.stride, i, parts, n);
  ask(row->result + out, out, i, parts, n);
}

/* some computes a block of some vectors, from vector v on. */
static void some(const halo_depthwise_record *r, const halo_depthwise_row *row, const way *w, int64_t v, int64_t n) {
  float copied[COPIED];
  const int64_t f = v * VL, group = f / r->outputs, other = (f + (w->twos ? VL : VL / 2)) / r->outputs;
  const int64_t at = n < w->blocks - 1 ? n * w->places : r->x.out - w->places, begin = at * r->x.stride - r->x.pad;
  const uintptr_t x = (uintptr_t)row->image + (begin * r->channels + group * r->inputs) * sizeof(float);
  block b = {r, (const float *)x, row->taps, begin, r->channels, r->x.in * r->channels * r->y.dilation,
             (other - group) * r->inputs};
  const float *weights = row->weights + v * r->vector, *bias = row->bias ? row->bias + f : 0;
  float *out = row->result + at * r->features + f;
  if (w->twos) {
    by_twos(w->places, &b, weights, bias, out);
    return;
  }
  if (w->copies) copy(&b, w->wide, copied);
  for (int64_t u = 0; u < w->some; u++, weights += r->vector, bias += bias ? VL : 0, out += VL)
    (w->halves ? by_halves : broad)(w->places, &b, weights, bias, out);
}

void halo_grouped_avx2(const halo_depthwise_record *r, const halo_depthwise_row *row) {
  const way w = way_of(r, row->taps);
  for (int64_t n = 0; n < w.blocks; n += w.near)
    for (int64_t v = 0; v < r->vectors; v += w.some) {
      const int64_t end = n + w.near < w.blocks ? n + w.near : w.blocks, all = r->vectors * w.blocks;
      ahead(r, row, n * r->vectors + v * (end - n), (end - n) * w.some, all);
      for (int64_t m = n; m < end; m++) some(r, row, &w, v, m);
    }
}
#endif
