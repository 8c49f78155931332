// gather_impl.h: loads of rows whose elements are not all side by side, for one level.
#include "streams.h"

#include <string.h>

typedef uint8_t copied __attribute__((vector_size(VB), aligned(1), may_alias));

// copy copies n bytes by this level's vectors, the last one over the one before: a block that is written by narrower
// ones can be read only from the cache.
INLINE void copy(char *dst, const char *src, int64_t n) {
  if (n < VB || n > 1024) {
    memcpy(dst, src, n);
    return;
  }
  const copied last = *(const copied *)(src + n - VB);
  for (int64_t i = 0; i < n - VB; i += VB)
    *(copied *)(dst + i) = *(const copied *)(src + i);
  *(copied *)(dst + n - VB) = last;
}

// gather copies m elements that are stride apart: by vectors where that is one of the usual distances, which the
// compiler knows then.
#define APART(K)                                                                                                       \
  if (stride == K) {                                                                                                   \
    for (int64_t i = 0; i < m; i++)                                                                                    \
      dst[i] = src[K * i];                                                                                             \
    return;                                                                                                            \
  }
#define GATHER(T)                                                                                                      \
  INLINE void gather_##T(T *restrict dst, const T *restrict src, int64_t stride, int64_t m) {                          \
    if (stride == 1) {                                                                                                 \
      copy((char *)dst, (const char *)src, m * sizeof(T));                                                             \
      return;                                                                                                          \
    }                                                                                                                  \
    if (stride == 0) {                                                                                                 \
      T v = *src;                                                                                                      \
      for (int64_t i = 0; i < m; i++)                                                                                  \
        dst[i] = v;                                                                                                    \
      return;                                                                                                          \
    }                                                                                                                  \
    APART(2)                                                                                                           \
    APART(3)                                                                                                           \
    APART(4)                                                                                                           \
    APART(-1)                                                                                                          \
    _Pragma("GCC unroll 8") for (int64_t i = 0; i < m; i++)                                                            \
      dst[i] = src[i * stride];                                                                                        \
  }

// short_run is up to how many elements of a row it is not worth to call a function for them.
enum { short_run = 16 };

// SHORT loads elements of short rows. spread_T loads whole rows of one element each, in pieces of 16 bytes, which go
// over the row behind; it returns how many of so many that are step apart it was, since the last ones might go over the
// end. repeat_T repeats n elements that are there already. short_T loads m from place in of a row on: rows that are the
// same, or one element each, many at a time.
#define SHORT(T)                                                                                                       \
  typedef T vector_##T __attribute__((vector_size(16), aligned(sizeof(T)), may_alias));                                \
  static int64_t spread_##T(T *dst, const T *end, const T *src, int64_t step, int64_t n, int64_t count) {              \
    const int64_t lanes = 16 / sizeof(T), fit = (end - dst - lanes + 1) / n;                                           \
    count = fit < count ? fit : count;                                                                                 \
    for (int64_t k = 0; k < count; k++, src += step, dst += n)                                                         \
      for (int64_t j = 0; j < n; j += lanes)                                                                           \
        *(vector_##T *)(dst + j) = *src - (vector_##T){0};                                                             \
    return count;                                                                                                      \
  }                                                                                                                    \
  static void repeat_##T(T *dst, int64_t n, int64_t all) {                                                             \
    for (int64_t k = n; k < all; k += n, n += n)                                                                       \
      memcpy(dst + k, dst, (n < all - k ? n : all - k) * sizeof(T));                                                   \
  }                                                                                                                    \
  static void short_##T(const halo_space *w, const halo_stream *s, const T *base, halo_walk *row, int64_t m, T *dst) { \
    const int last = row->last;                                                                                        \
    const int64_t n = row->length, stride = halo_row_stride(w, s), far = last ? s->strides[last - 1] : 0;              \
    for (T *end = dst + m; dst < end;) {                                                                               \
      const int64_t in = row->in;                                                                                      \
      const T *src = base + row->offset + in * stride;                                                                 \
      const int64_t left = last ? w->dims[last - 1] - row->index[last - 1] : 1;                                        \
      int64_t k = in || stride ? 0 : spread_##T(dst, end, src, far, n, left);                                          \
      if (k > 0) {                                                                                                     \
        halo_next(w, s, row, k);                                                                                       \
        dst += k * n;                                                                                                  \
        continue;                                                                                                      \
      }                                                                                                                \
      for (k = 0; k < n - in && dst + k < end; k++)                                                                    \
        dst[k] = src[k * stride];                                                                                      \
      if (!in && !far && left > 1 && end - dst > k) {                                                                  \
        const int64_t all = end - dst < left * n ? end - dst : left * n;                                               \
        repeat_##T(dst, n, all);                                                                                       \
        halo_next(w, s, row, all / n);                                                                                 \
        row->in = all % n;                                                                                             \
        dst += all;                                                                                                    \
        continue;                                                                                                      \
      }                                                                                                                \
      halo_step(w, s, row, k);                                                                                         \
      dst += k;                                                                                                        \
    }                                                                                                                  \
  }

// ROWS loads m elements from where row is on.
#define ROWS(T)                                                                                                        \
  GATHER(T)                                                                                                            \
  SHORT(T)                                                                                                             \
  static void rows_##T(const halo_space *w, const halo_stream *s, const char *from, halo_walk *row, int64_t m,         \
                       char *to) {                                                                                     \
    const int64_t length = row->length, stride = halo_row_stride(w, s);                                                \
    const T *base = (const T *)from;                                                                                   \
    T *dst = (T *)to;                                                                                                  \
    if (w->rank && length < short_run) {                                                                               \
      short_##T(w, s, base, row, m, dst);                                                                              \
      return;                                                                                                          \
    }                                                                                                                  \
    for (int64_t n; m > 0; m -= n, dst += n, halo_step(w, s, row, n)) {                                                \
      n = length - row->in < m ? length - row->in : m;                                                                 \
      gather_##T(dst, base + row->offset + row->in * stride, stride, n);                                               \
    }                                                                                                                  \
  }
ROWS(uint8_t)
ROWS(uint16_t)
ROWS(uint32_t)
ROWS(uint64_t)

#define GATHERS_(level) halo_gathers_##level
#define GATHERS(level) GATHERS_(level)
const halo_gather GATHERS(LEVEL)[] = {rows_uint8_t, rows_uint16_t, rows_uint32_t, rows_uint64_t};
