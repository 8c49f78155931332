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
    for (int64_t i = 0; i < m; i++)                                                                                    \
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

// strided loads m elements of a strided stream to room, or points at them where they lie.
static char *strided(const halo_space *w, const halo_stream *s, int64_t at, int64_t m, char *room) {
  const char *base = HALO_AT(w->run, s->ref);
  const int64_t stride = w->rank ? s->strides[w->rank - 1] : 0;
  int64_t rest, offset = halo_place(w, s, at, &rest);
  halo_converter convert = w->converters->load[s->convert];
  if (rest >= m && stride == 1) {
    const char *src = base + offset * s->size;
    if (!convert && m == w->block)
      return (char *)src;
    if (convert) {
      convert(room, src, s, m);
      return room;
    }
  }
  uint64_t raw[128];
  char *to = convert ? (char *)raw : room;
  for (int64_t k = 0; k < m;) {
    int64_t n = rest < m - k ? rest : m - k;
    gather_run(to + k * s->size, base + offset * s->size, s->size, stride, n);
    if ((k += n) < m)
      offset = halo_place(w, s, at + k, &rest);
  }
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

uint32_t halo_past(const halo_space *w, const halo_program *p) {
  uint32_t past = 0;
  for (int32_t k = p->inputs; k < p->inputs + p->outputs && k < p->inputs + 32; k++) {
    const halo_stream *s = &p->streams[k];
    if (s->convert && p->elements * s->size >= large && p->line * s->size % 16 == 0 && passes(w, p, k))
      past |= 1u << (k - p->inputs);
  }
  return past;
}
