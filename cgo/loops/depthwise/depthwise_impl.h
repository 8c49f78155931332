/* The kernel of one instruction set. The including file defines VB, the bytes of a vector, and KERNEL, its name. */
#include "depthwise.h"

#define INLINE static inline __attribute__((always_inline))

enum { VL = VB / sizeof(float), WIDE = 7, LINE = 64 };

typedef float vec __attribute__((vector_size(VB), aligned(sizeof(float)), may_alias));
typedef int32_t bits __attribute__((vector_size(VB)));

/* V_floor is 0 where a sum is less, V_cap most where it is more. NaN stays. */
INLINE vec vec_floor(vec s) { return (vec)((bits)s & ~(bits)(s <= 0)); }
INLINE vec vec_cap(vec s, float most) {
  const bits over = (bits)(s >= most);
  return (vec)((bits)s & ~over | (bits)(most - (vec){0}) & over);
}
INLINE float float_floor(float s) { return s <= 0 ? 0 : s; }
INLINE float float_cap(float s, float most) { return s >= most ? most : s; }

/* first_tap and last_tap are the taps of an axis that lie in the image, at place i of the result. */
INLINE int64_t first_tap(const halo_depthwise_axis *a, int64_t i) {
  const int64_t out = a->pad - i * a->stride, k = out > 0 ? (out + a->dilation - 1) / a->dilation : 0;
  return k < a->window ? k : a->window;
}
INLINE int64_t last_tap(const halo_depthwise_axis *a, int64_t i) {
  const int64_t room = a->in - 1 + a->pad - i * a->stride, k = room < 0 ? 0 : room / a->dilation + 1;
  return k < a->window ? k : a->window;
}

/* alike is the end of the places from at on that have all taps as it has; if it has not, it is alone. */
INLINE int64_t alike(const halo_depthwise_axis *a, int64_t at) {
  if (first_tap(a, at) > 0 || last_tap(a, at) < a->window)
    return at + 1;
  const int64_t end = (a->in - 1 + a->pad - (a->window - 1) * a->dilation) / a->stride + 1;
  return end < a->out ? end : a->out;
}

/* LOADED keeps the compiler from loading a value again for each use. */
#if defined(__x86_64__)
#define LOADED(v) __asm__("" : "+v"(v))
#elif defined(__aarch64__)
#define LOADED(v) __asm__("" : "+w"(v))
#else
#define LOADED(v)
#endif

/* apart is a pointer of which the compiler knows no other: so few registers hold the addresses of many places. */
INLINE const char *apart(const char *p, int64_t bytes) {
  p += bytes;
  __asm__("" : "+r"(p));
  return p;
}

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

/* FEATURES defines the computation of M values of type V of features. NAME_span computes n places side by side: each
 * weight is loaded once for all of them. Some places are computed twice rather than one by one, but those at the ends,
 * which have fewer taps. */
#define FEATURES(NAME, V, M)                                                                                           \
  INLINE void NAME##_place(V *sum, const char *q, V first, V last) {                                                   \
    sum[0] += ((const V *)q)[0] * first;                                                                               \
    if (M > 1)                                                                                                         \
      sum[M - 1] += ((const V *)q)[M - 1] * last;                                                                      \
  }                                                                                                                    \
  INLINE void NAME##_store(const int n, const halo_depthwise_record *r, V(*sum)[M], const float *bias, float *out) {   \
    _Pragma("GCC unroll 2") for (int m = 0; m < M; m++) {                                                              \
      if (bias) {                                                                                                      \
        const V more = ((const V *)bias)[m];                                                                           \
        _Pragma("GCC unroll 7") for (int j = 0; j < n; j++) sum[j][m] += more;                                         \
      }                                                                                                                \
      if (r->ends & DEPTHWISE_FLOOR)                                                                                   \
        _Pragma("GCC unroll 7") for (int j = 0; j < n; j++) sum[j][m] = V##_floor(sum[j][m]);                          \
      if (r->ends & DEPTHWISE_CAP)                                                                                     \
        _Pragma("GCC unroll 7") for (int j = 0; j < n; j++) sum[j][m] = V##_cap(sum[j][m], r->most);                   \
      _Pragma("GCC unroll 7") for (int j = 0; j < n; j++)((V *)(out + j * r->channels))[m] = sum[j][m];                \
    }                                                                                                                  \
  }                                                                                                                    \
  INLINE void NAME##_span(const int n, const halo_depthwise_record *r, const float *x, const float *w,                 \
                          const float *bias, float *out, int64_t rows, int64_t columns) {                              \
    const int64_t c = r->channels, tap = c * r->x.dilation * sizeof *x, place = c * r->x.stride * sizeof *x;           \
    V sum[WIDE][M] = {};                                                                                               \
    for (int64_t i = 0; i < rows; i++) {                                                                               \
      const char *q = (const char *)(x + i * r->x.in * c * r->y.dilation), *q3 = apart(q, 3 * place),                  \
                 *q6 = apart(q3, 3 * place);                                                                           \
      const float *f = w + i * r->x.window * c;                                                                        \
      for (int64_t k = 0; k < columns; k++, q += tap, q3 += tap, q6 += tap, f += c) {                                  \
        const V first = ((const V *)f)[0], last = ((const V *)f)[M - 1];                                               \
        NAME##_place(sum[0], q, first, last);                                                                          \
        if (n == 1)                                                                                                    \
          continue;                                                                                                    \
        NAME##_place(sum[1], q + place, first, last);                                                                  \
        NAME##_place(sum[2], q + 2 * place, first, last);                                                              \
        NAME##_place(sum[3], q3, first, last);                                                                         \
        NAME##_place(sum[4], q3 + place, first, last);                                                                 \
        NAME##_place(sum[5], q3 + 2 * place, first, last);                                                             \
        NAME##_place(sum[6], q6, first, last);                                                                         \
      }                                                                                                                \
    }                                                                                                                  \
    NAME##_store(n, r, sum, bias, out);                                                                                \
  }                                                                                                                    \
  /* three is span for WIDE places of windows of three neighbours that move by S: what several places need is loaded   \
   * once. */                                                                                                          \
  INLINE void NAME##_three(const int S, const halo_depthwise_record *r, const float *x, const float *w,                \
                           const float *bias, float *out, int64_t rows) {                                              \
    const int64_t c = r->channels, place = c * sizeof *x;                                                              \
    V sum[WIDE][M] = {};                                                                                               \
    for (int64_t i = 0; i < rows; i++, w += 3 * c) {                                                                   \
      const char *q[5] = {(const char *)(x + i * r->x.in * c * r->y.dilation)};                                        \
      for (int t = 1; t < 5; t++)                                                                                      \
        q[t] = apart(q[t - 1], 3 * place);                                                                             \
      V f[3][M];                                                                                                       \
      for (int k = 0; k < 3; k++)                                                                                      \
        for (int m = 0; m < M; m++)                                                                                    \
          f[k][m] = ((const V *)(w + k * c))[m];                                                                       \
      _Pragma("GCC unroll 15") for (int t = 0; t < (WIDE - 1) * S + 3; t++)                                            \
        _Pragma("GCC unroll 2") for (int m = 0; m < M; m++) {                                                          \
          V v = ((const V *)(q[t / 3] + t % 3 * place))[m];                                                            \
          LOADED(v);                                                                                                   \
          _Pragma("GCC unroll 3") for (int k = 0; k < 3; k++)                                                          \
            if (t >= k && (t - k) % S == 0 && (t - k) / S < WIDE)                                                      \
              sum[(t - k) / S][m] += v * f[k][m];                                                                      \
        }                                                                                                              \
    }                                                                                                                  \
    NAME##_store(WIDE, r, sum, bias, out);                                                                             \
  }                                                                                                                    \
  /* step computes the n places from at on, one or WIDE, which have all the taps from k on. */                         \
  INLINE void NAME##_step(const halo_depthwise_record *r, const halo_depthwise_row *row, const int64_t f, int64_t at,  \
                          int64_t n, int64_t k, int64_t taps) {                                                        \
    const int64_t c = r->channels;                                                                                     \
    const int near = n > 1 && taps == 3 && r->x.window == 3 && r->x.dilation == 1 ? r->x.stride : 0;                   \
    const float *w = row->weights + k * c + f, *bias = row->bias ? row->bias + f : 0;                                  \
    const float *x = row->image + (at * r->x.stride + k * r->x.dilation - r->x.pad) * c + f;                           \
    float *out = row->result + at * c + f;                                                                             \
    if (r->ahead)                                                                                                      \
      ahead(r, x, out, row->taps, n, M * sizeof(V));                                                                   \
    if (near == 1)                                                                                                     \
      NAME##_three(1, r, x, w, bias, out, row->taps);                                                                  \
    else if (near == 2)                                                                                                \
      NAME##_three(2, r, x, w, bias, out, row->taps);                                                                  \
    else if (n > 1)                                                                                                    \
      NAME##_span(WIDE, r, x, w, bias, out, row->taps, taps);                                                          \
    else                                                                                                               \
      NAME##_span(1, r, x, w, bias, out, row->taps, taps);                                                             \
  }
FEATURES(two, vec, 2)
FEATURES(one, vec, 1)
FEATURES(single, float, 1)

/* all computes all features of a few places before it goes on, for the image is read in order then: a part of the
 * features at a time is many short pieces far apart, for which processors do not read ahead. */
INLINE void all(const halo_depthwise_record *r, const halo_depthwise_row *row, int64_t at, int64_t n, int64_t k,
                int64_t taps) {
  int64_t f = 0;
  for (; f + 2 * VL <= r->channels; f += 2 * VL)
    two_step(r, row, f, at, n, k, taps);
  for (; f + VL <= r->channels; f += VL)
    one_step(r, row, f, at, n, k, taps);
  for (; f < r->channels; f++)
    single_step(r, row, f, at, n, k, taps);
}

void KERNEL(const halo_depthwise_record *r, const halo_depthwise_row *row) {
  for (int64_t at = 0, end; at < r->x.out; at = end) {
    const int64_t k = first_tap(&r->x, at), last = last_tap(&r->x, at);
    end = alike(&r->x, at);
    const int64_t n = end - at < WIDE ? 1 : WIDE;
    for (; at < end; at += n)
      all(r, row, end - at < n ? end - n : at, n, k, last > k ? last - k : 0);
  }
}
