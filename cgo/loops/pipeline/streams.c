//go:build linux

// streams.c: how blocks are loaded and stored.
#pragma GCC optimize("O3")
#include "streams.h"

#include <string.h>
#if defined(__x86_64__)
#include <emmintrin.h>
#endif

// gather copies m elements of the space from place at on, as a stream's strides say.
#define GATHER(T)                                                                                                      \
  static void gather_##T(T *dst, const T *src, int64_t stride, int64_t m) {                                            \
    if (stride == 1) {                                                                                                 \
      memcpy(dst, src, m * sizeof(T));                                                                                 \
      return;                                                                                                          \
    }                                                                                                                  \
    if (stride == 0) {                                                                                                 \
      T v = *src;                                                                                                      \
      for (int64_t i = 0; i < m; i++)                                                                                  \
        dst[i] = v;                                                                                                    \
      return;                                                                                                          \
    }                                                                                                                  \
    _Pragma("GCC unroll 8") for (int64_t i = 0; i < m; i++)                                                            \
      dst[i] = src[i * stride];                                                                                        \
  }
GATHER(uint8_t)
GATHER(uint16_t)
GATHER(uint32_t)
GATHER(uint64_t)

static void gather_run(char *dst, const char *src, int32_t size, int64_t stride, int64_t m) {
  switch (size) {
  case 1:
    gather_uint8_t((uint8_t *)dst, (const uint8_t *)src, stride, m);
    return;
  case 2:
    gather_uint16_t((uint16_t *)dst, (const uint16_t *)src, stride, m);
    return;
  case 4:
    gather_uint32_t((uint32_t *)dst, (const uint32_t *)src, stride, m);
    return;
  }
  gather_uint64_t((uint64_t *)dst, (const uint64_t *)src, stride, m);
}

// halo_place finds where a stream has its element of place at, and how many places follow in the innermost dimension.
int64_t halo_place(const halo_space *w, const halo_stream *s, int64_t at, int64_t *rest) {
  int64_t offset = s->offset;
  int last = w->rank - 1;
  *rest = 1;
  for (int d = last; d >= 0; d--) {
    int64_t i = d > 0 ? at % w->dims[d] : at;
    if (d == last)
      *rest = w->dims[d] - i;
    offset += i * s->strides[d];
    at = d > 0 ? at / w->dims[d] : 0;
  }
  return offset;
}

// A walk goes over the rows of the space: the indices of one, and where a stream has its first element.
typedef struct {
  int64_t index[HALO_MAX_RANK], offset;
} walk;

// walk_to goes to the row of place at, and returns the place in it.
static int64_t walk_to(const halo_space *w, const halo_stream *s, int64_t at, walk *row) {
  int64_t rest, last = w->rank - 1;
  row->offset = halo_place(w, s, at, &rest);
  if (last < 0)
    return 0;
  const int64_t in = w->dims[last] - rest;
  row->offset -= in * s->strides[last];
  at /= w->dims[last];
  for (int64_t d = last - 1; d >= 0; at /= w->dims[d--])
    row->index[d] = d > 0 ? at % w->dims[d] : at;
  return in;
}

// next goes n rows on, which are no more than the last but one dimension has left.
static inline void next(const halo_space *w, const halo_stream *s, walk *row, int64_t n) {
  for (int d = w->rank - 2; d >= 0; d--, n = 1) {
    row->offset += n * s->strides[d];
    if ((row->index[d] += n) < w->dims[d])
      return;
    row->offset -= w->dims[d] * s->strides[d];
    row->index[d] = 0;
  }
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
  static void short_##T(const halo_space *w, const halo_stream *s, const T *base, walk *row, int64_t in, int64_t m,    \
                        T *dst) {                                                                                      \
    const int last = w->rank - 1;                                                                                      \
    const int64_t n = w->dims[last], stride = s->strides[last], step = last ? s->strides[last - 1] : 0;                \
    for (T *end = dst + m; dst < end; in = 0) {                                                                        \
      const T *src = base + row->offset + in * stride;                                                                 \
      const int64_t left = last ? w->dims[last - 1] - row->index[last - 1] : 1;                                        \
      int64_t k = in || stride ? 0 : spread_##T(dst, end, src, step, n, left);                                         \
      if (k > 0) {                                                                                                     \
        next(w, s, row, k);                                                                                            \
        dst += k * n;                                                                                                  \
        continue;                                                                                                      \
      }                                                                                                                \
      for (k = 0; k < n - in && dst + k < end; k++)                                                                    \
        dst[k] = src[k * stride];                                                                                      \
      if (!in && !step && left > 1 && end - dst > k) {                                                                 \
        const int64_t all = end - dst < left * n ? end - dst : left * n;                                               \
        repeat_##T(dst, n, all);                                                                                       \
        next(w, s, row, (all + n - 1) / n);                                                                            \
        dst += all;                                                                                                    \
        continue;                                                                                                      \
      }                                                                                                                \
      next(w, s, row, 1);                                                                                              \
      dst += k;                                                                                                        \
    }                                                                                                                  \
  }
SHORT(uint8_t)
SHORT(uint16_t)
SHORT(uint32_t)
SHORT(uint64_t)

static void short_rows(const halo_space *w, const halo_stream *s, const char *base, walk *row, int64_t in, int64_t m,
                       char *dst) {
  switch (s->size) {
  case 1:
    short_uint8_t(w, s, (const uint8_t *)base, row, in, m, (uint8_t *)dst);
    return;
  case 2:
    short_uint16_t(w, s, (const uint16_t *)base, row, in, m, (uint16_t *)dst);
    return;
  case 4:
    short_uint32_t(w, s, (const uint32_t *)base, row, in, m, (uint32_t *)dst);
    return;
  }
  short_uint64_t(w, s, (const uint64_t *)base, row, in, m, (uint64_t *)dst);
}

// rows loads m elements from place in of a row on.
static void rows(const halo_space *w, const halo_stream *s, const char *base, walk *row, int64_t in, int64_t m,
                 char *dst) {
  const int64_t length = w->rank ? w->dims[w->rank - 1] : 1, stride = w->rank ? s->strides[w->rank - 1] : 0;
  if (w->rank && length < short_run) {
    short_rows(w, s, base, row, in, m, dst);
    return;
  }
  for (int64_t k = 0; k < m; in = 0, next(w, s, row, 1)) {
    int64_t n = length - in < m - k ? length - in : m - k;
    gather_run(dst + k * s->size, base + (row->offset + in * stride) * s->size, s->size, stride, n);
    k += n;
  }
}

// strided loads m elements of a strided stream to room, or points at them where they lie.
static char *strided(const halo_space *w, const halo_stream *s, int64_t at, int64_t m, char *room) {
  const char *base = HALO_AT(w->run, s->ref);
  const int64_t stride = w->rank ? s->strides[w->rank - 1] : 0;
  walk row;
  const int64_t in = walk_to(w, s, at, &row), rest = w->rank ? w->dims[w->rank - 1] - in : 1;
  halo_converter convert = w->converters->load[s->convert];
  if (rest >= m && stride == 1) {
    const char *src = base + (row.offset + in) * s->size;
    if (!convert && m == w->block)
      return (char *)src;
    if (convert) {
      convert(room, src, s, m);
      return room;
    }
  }
  uint64_t raw[128];
  rows(w, s, base, &row, in, m, convert ? (char *)raw : room);
  if (convert)
    convert(room, raw, s, m);
  return room;
}

static char *linear(const halo_space *w, const halo_stream *s, int64_t at, int64_t m, char *room) {
  char *src = (char *)HALO_AT(w->run, s->ref) + (s->offset + at) * s->size;
  halo_converter convert = w->converters->load[s->convert];
  if (convert)
    convert(room, src, s, m);
  else if (m == w->block)
    return src;
  else
    memcpy(room, src, m * s->size);
  return room;
}

// COUNT counts n lanes on from v.
#define COUNT(T)                                                                                                       \
  static void count_##T(T *dst, T v, T step, int64_t n) {                                                              \
    for (int64_t i = 0; i < n; i++, v += step)                                                                         \
      dst[i] = v;                                                                                                      \
  }
COUNT(uint32_t)
COUNT(uint64_t)

// iota numbers the elements.
static char *iota(const halo_space *w, const halo_stream *s, int64_t at, int64_t m, char *room) {
  const int64_t step = w->rank ? s->strides[w->rank - 1] : 0;
  for (int64_t k = 0; k < m;) {
    int64_t rest, v = halo_place(w, s, at + k, &rest);
    int64_t n = rest < m - k ? rest : m - k;
    if (w->lane == 4)
      count_uint32_t((uint32_t *)room + k, (uint32_t)v, (uint32_t)step, n);
    else
      count_uint64_t((uint64_t *)room + k, (uint64_t)v, (uint64_t)step, n);
    k += n;
  }
  return room;
}

// halo_splat fills a block with the one element of a stream.
void halo_splat(const halo_space *w, const halo_stream *s, char *room) {
  const char *src = (const char *)HALO_AT(w->run, s->ref) + s->offset * s->size;
  halo_converter convert = w->converters->load[s->convert];
  uint64_t lane;
  if (convert)
    convert(&lane, src, s, 1);
  w->lanes->fill(room, convert ? (const void *)&lane : src);
}

char *halo_load(const halo_space *w, const halo_stream *s, int64_t at, int64_t m, char *room) {
  switch (s->kind) {
  case HALO_LINEAR:
    return linear(w, s, at, m, room);
  case HALO_STRIDED:
    return strided(w, s, at, m, room);
  case HALO_IOTA:
    return iota(w, s, at, m, room);
  }
  return room;
}

void halo_store(const halo_space *w, const halo_stream *s, int64_t at, int64_t m, const char *p) {
  char *dst = (char *)HALO_AT(w->run, s->ref) + at * s->size;
  if (s->convert)
    w->converters->store[s->convert](dst, p, s, m);
  else
    memcpy(dst, p, m * s->size);
}

void halo_store_past(const halo_space *w, const halo_stream *s, int64_t at, int64_t m, const char *p) {
  char *dst = (char *)HALO_AT(w->run, s->ref) + at * s->size;
  char near[1024] __attribute__((aligned(64)));
  const int64_t most = (int64_t)sizeof near / s->size;
  for (int64_t k = 0, n; k < m; k += n) {
    n = m - k < most ? m - k : most;
    w->converters->store[s->convert](near, p + k * w->lane, s, n);
#if defined(__x86_64__)
    for (int64_t i = 0; i < n * s->size; i += 16)
      _mm_stream_si128((__m128i *)(dst + k * s->size + i), *(const __m128i *)(near + i));
#else
    memcpy(dst + k * s->size, near, n * s->size);
#endif
  }
}

// large is how many bytes of an output are worth going past the caches: fewer are still there when they are read.
enum { large = 8 << 20 };

// passes reports whether output k may go past the caches: it begins where a line does, and does not lie over an input,
// whose lines are there already.
static int passes(const halo_space *w, const halo_program *p, int32_t k) {
  const halo_stream *s = &p->streams[k];
  const char *at = HALO_AT(w->run, s->ref);
  if (s->kind != HALO_LINEAR || s->by_row || (uintptr_t)(at + s->offset * s->size) % 64)
    return 0;
  for (int32_t i = 0; i < p->inputs; i++)
    if (p->streams[i].kind < HALO_SPLAT && HALO_AT(w->run, p->streams[i].ref) == at)
      return 0;
  return 1;
}

const halo_stage *halo_bypass(const halo_space *w, const halo_program *p, halo_stage *room) {
  if (p->elements * w->lane < large || p->line * w->lane % 64)
    return p->stages;
  int32_t changed = 0;
  memcpy(room, p->stages, p->count * sizeof *room);
  for (int32_t i = 0; i < p->count; i++) {
    const int32_t k = room[i].a;
    if (room[i].fn != w->lanes->store || k < p->inputs || k >= p->inputs + p->outputs)
      continue;
    if (p->streams[k].convert || !passes(w, p, k))
      continue;
    room[i].fn = w->lanes->stream;
    changed++;
  }
  return changed ? room : p->stages;
}

// fills reports whether the elements of s are all of its memory, not each the part of a complex number.
static int fills(const halo_stream *s) { return s->size <= (s->bits + 7) / 8; }

uint32_t halo_past(const halo_space *w, const halo_program *p) {
  uint32_t past = 0;
  for (int32_t k = p->inputs; k < p->inputs + p->outputs && k < p->inputs + 32; k++) {
    const halo_stream *s = &p->streams[k];
    if (!s->convert || !fills(s) || p->elements * s->size < large || p->line * s->size % 16)
      continue;
    if (passes(w, p, k))
      past |= 1u << (k - p->inputs);
  }
  return past;
}
