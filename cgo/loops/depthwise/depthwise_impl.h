/* The kernel of one instruction set. The including file defines VB, the bytes of a vector, and KERNEL, its name. */
#include "vector.h"

enum { WIDE = 7, LINE = 64 };

INLINE float float_floor(float s) { return s <= 0 ? 0 : s; }
INLINE float float_cap(float s, float most) { return s >= most ? most : s; }

/* ask asks for the lines that bytes from p on lie in, and for those n times in all, each place after the one before. */
INLINE void ask(const float *p, int64_t place, int64_t n, const int64_t bytes) {
  for (int64_t i = 0; i < n; i++)
    for (int64_t b = 0; b < bytes; b += LINE)
      __builtin_prefetch((const void *)((uintptr_t)p + i * place + b), 0, 2);
}

/* ahead asks for what the next row needs where this one computes n places from at on: bytes of each. No processor
 * finds out by itself, for the lines of a row lie in pages of their own. */
INLINE void ahead(const halo_depthwise_record *r, const float *x, const float *out, int64_t rows, int64_t n,
                  const int64_t bytes) {
  const int64_t c = r->channels, next = (rows - 1) * r->y.dilation + r->y.stride;
  ask((const float *)((uintptr_t)x + next * r->x.in * c * sizeof *x), c * sizeof *x, n * r->x.stride, bytes);
  ask((const float *)((uintptr_t)out + r->x.out * c * sizeof *x), c * sizeof *x, n, bytes);
}

/* block is some places of a row, side by side, from place number at on, of which n are stored. Tap k of place j reads
 * place j * stride + k * dilation of what the block sees, whose places from low to high lie in the image. */
typedef struct {
  const halo_depthwise_record *record;
  const halo_depthwise_row *row;
  int64_t at, n, low, high;
} block;

/* How a block is computed: windows of three neighbours that move by one, both vectors of a place at once or one after
 * the other, or that move by two; or any. */
enum { ANY, NEIGHBOURS, SINGLY, STEPS };

/* FEATURES defines the computation of M values of type V of features, of WIDE places at once. If edge is 0, all of
 * them are stored, and all that they read is in the image. */
#define FEATURES(NAME, V, M)                                                                                           \
  INLINE void NAME##_store(const int edge, const block *b, const float *bias, float *out, V(*sum)[M]) {                \
    const halo_depthwise_record *r = b->record;                                                                        \
    _Pragma("GCC unroll 2") for (int m = 0; m < M; m++) {                                                              \
      if (bias) {                                                                                                      \
        const V more = ((const V *)bias)[m];                                                                           \
        _Pragma("GCC unroll 7") for (int j = 0; j < WIDE; j++) sum[j][m] += more;                                      \
      }                                                                                                                \
      if (r->ends & DEPTHWISE_FLOOR)                                                                                   \
        _Pragma("GCC unroll 7") for (int j = 0; j < WIDE; j++) sum[j][m] = V##_floor(sum[j][m]);                       \
      if (r->ends & DEPTHWISE_CAP)                                                                                     \
        _Pragma("GCC unroll 7") for (int j = 0; j < WIDE; j++) sum[j][m] = V##_cap(sum[j][m], r->most);                \
      _Pragma("GCC unroll 7") for (int j = 0; j < WIDE; j++) {                                                         \
        if (edge && j >= b->n)                                                                                         \
          break;                                                                                                       \
        ((V *)(out + j * r->channels))[m] = sum[j][m];                                                                 \
      }                                                                                                                \
    }                                                                                                                  \
  }                                                                                                                    \
  /* span takes any window: each weight is loaded once for all places. */                                              \
  INLINE void NAME##_span(const int edge, const block *b, const char *x, const float *w, V(*sum)[M]) {                 \
    const halo_depthwise_record *r = b->record;                                                                        \
    const int64_t c = r->channels, tap = c * r->x.dilation * sizeof *w, place = c * r->x.stride * sizeof *w;           \
    for (int64_t i = 0; i < b->row->taps; i++, x += r->x.in * c * r->y.dilation * sizeof *w) {                         \
      const char *q = x, *q3 = apart(q, 3 * place), *q6 = apart(q3, 3 * place);                                        \
      for (int64_t k = 0; k < r->x.window; k++, q += tap, q3 += tap, q6 += tap, w += c) {                              \
        const V first = ((const V *)w)[0], last = ((const V *)w)[M - 1];                                               \
        _Pragma("GCC unroll 7") for (int j = 0; j < WIDE; j++) {                                                       \
          const int64_t at = j * r->x.stride + k * r->x.dilation;                                                      \
          const V *p = (const V *)((j < 3 ? q : j < 6 ? q3 : q6) + j % 3 * place);                                     \
          if (edge && (at < b->low || at >= b->high))                                                                  \
            continue;                                                                                                  \
          sum[j][0] += p[0] * first;                                                                                   \
          if (M > 1)                                                                                                   \
            sum[j][M - 1] += p[M - 1] * last;                                                                          \
        }                                                                                                              \
      }                                                                                                                \
    }                                                                                                                  \
  }                                                                                                                    \
  /* three takes windows of three neighbours that move by S: what several places need is loaded once. Of how many rows,\
   * 0 if that is not known; values from number from on, so many. */                                                   \
  INLINE void NAME##_three(const int S, const int edge, const int rows, const int from, const int values,              \
                           const block *b, const char *x, const float *w, V(*sum)[M]) {                                \
    const halo_depthwise_record *r = b->record;                                                                        \
    const int64_t c = r->channels, place = c * sizeof *w, line = r->x.in * r->y.dilation * place;                      \
    for (int64_t i = 0; i < (rows ? rows : b->row->taps); i++, x += line, w += 3 * c) {                                \
      const char *q[5] = {x};                                                                                          \
      for (int t = 1; t < 5; t++)                                                                                      \
        q[t] = apart(q[t - 1], 3 * place);                                                                             \
      V tap[3][M];                                                                                                     \
      for (int k = 0; k < 3; k++)                                                                                      \
        for (int m = from; m < from + values; m++)                                                                     \
          tap[k][m] = ((const V *)(w + k * c))[m];                                                                     \
      _Pragma("GCC unroll 15") for (int t = 0; t < (WIDE - 1) * S + 3; t++) {                                          \
        if (edge && (t < b->low || t >= b->high))                                                                      \
          continue;                                                                                                    \
        _Pragma("GCC unroll 2") for (int m = from; m < from + values; m++) {                                           \
          V v = ((const V *)(q[t / 3] + t % 3 * place))[m];                                                            \
          LOADED(v);                                                                                                   \
          _Pragma("GCC unroll 3") for (int k = 0; k < 3; k++)                                                          \
            if (t >= k && (t - k) % S == 0 && (t - k) / S < WIDE)                                                      \
              sum[(t - k) / S][m] += v * tap[k][m];                                                                    \
        }                                                                                                              \
      }                                                                                                                \
    }                                                                                                                  \
  }                                                                                                                    \
  INLINE void NAME##_rows(const int how, const int edge, const int rows, const block *b, const char *x,                \
                          const float *w, V(*sum)[M]) {                                                                \
    const int S = how == STEPS ? 2 : 1, values = how == SINGLY ? 1 : M;                                                \
    _Pragma("GCC unroll 2") for (int m = 0; m < M; m += values)                                                        \
      NAME##_three(S, edge, rows, m, values, b, x, w, sum);                                                            \
  }                                                                                                                    \
  INLINE int64_t NAME##_all(const int how, const int edge, const block *b, int64_t f) {                                \
    const halo_depthwise_record *r = b->record;                                                                        \
    const halo_depthwise_row *row = b->row;                                                                            \
    const int64_t c = r->channels, begin = (b->at * r->x.stride - r->x.pad) * c, some = M * sizeof(V) / sizeof(float); \
    for (; f + some <= c; f += some) {                                                                                 \
      const char *x = (const char *)((uintptr_t)row->image + (begin + f) * sizeof(float));                             \
      const float *w = row->weights + f;                                                                               \
      float *out = row->result + b->at * c + f;                                                                        \
      V sum[WIDE][M] = {};                                                                                             \
      if (r->ahead)                                                                                                    \
        ahead(r, (const float *)x, out, row->taps, WIDE, M * sizeof(V));                                               \
      if (how == ANY)                                                                                                  \
        NAME##_span(edge, b, x, w, sum);                                                                               \
      else if (!edge && row->taps == 3)                                                                                \
        NAME##_rows(how, 0, 3, b, x, w, sum);                                                                          \
      else                                                                                                             \
        NAME##_rows(how, edge, 0, b, x, w, sum);                                                                       \
      NAME##_store(edge, b, row->bias ? row->bias + f : 0, out, sum);                                                  \
    }                                                                                                                  \
    return f;                                                                                                          \
  }
FEATURES(two, vec, 2)
FEATURES(one, vec, 1)
FEATURES(single, float, 1)

/* all computes all features of a block before the next, for the image is read in order then: a part of the features at
 * a time is many short pieces far apart, for which processors do not read ahead. */
INLINE void all(const int how, const block *b) {
  const halo_depthwise_axis *x = &b->record->x;
  if (b->n < WIDE || b->low > 0 || b->high < (WIDE - 1) * x->stride + (x->window - 1) * x->dilation + 1)
    single_all(how, 1, b, one_all(how, 1, b, two_all(how, 1, b, 0)));
  else
    single_all(how, 0, b, one_all(how, 0, b, two_all(how, 0, b, 0)));
}

/* way says how blocks are computed. The sums of two vectors are more than there are registers of 32 bytes. Both are
 * computed at once nevertheless where a line would be gone when its second half is wanted: where places fall on the
 * same few lines of the nearest cache, or come from memory. */
static int way(const halo_depthwise_record *r) {
  const halo_depthwise_axis *x = &r->x;
  if (x->window != 3 || x->dilation != 1 || x->stride > 2)
    return ANY;
  if (x->stride == 2)
    return STEPS;
  return VB == 32 && r->channels % 512 && !r->ahead ? SINGLY : NEIGHBOURS;
}

void KERNEL(const halo_depthwise_record *r, const halo_depthwise_row *row) {
  const halo_depthwise_axis *x = &r->x;
  const int how = way(r);
  for (int64_t i = 0; i < x->out; i += WIDE) {
    const int64_t at = i + WIDE <= x->out || x->out < WIDE ? i : x->out - WIDE, begin = at * x->stride - x->pad;
    const block b = {r, row, at, x->out < WIDE ? x->out : WIDE, -begin, x->in - begin};
    if (how == SINGLY)
      all(SINGLY, &b);
    else if (how == NEIGHBOURS)
      all(NEIGHBOURS, &b);
    else if (how == STEPS)
      all(STEPS, &b);
    else
      all(ANY, &b);
  }
}
