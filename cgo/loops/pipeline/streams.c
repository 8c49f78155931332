//go:build linux

// streams.c: how blocks are loaded and stored.
#pragma GCC optimize("O3")
#include "streams.h"

#include <string.h>
#if defined(__x86_64__)
#include <emmintrin.h>
#endif

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

halo_walk halo_walk_to(const halo_space *w, const halo_stream *s, int64_t at) {
  halo_walk row = {.offset = s->offset, .length = 1, .last = w->rank - 1};
  if (row.last < 0)
    return row;
  row.length = w->dims[row.last];
  while (row.last > 0 && s->strides[row.last - 1] == row.length * halo_row_stride(w, s))
    row.length *= w->dims[--row.last];
  row.in = at % row.length;
  at /= row.length;
  for (int32_t d = row.last - 1; d >= 0; at /= w->dims[d--]) {
    row.index[d] = d > 0 ? at % w->dims[d] : at;
    row.offset += row.index[d] * s->strides[d];
  }
  return row;
}

// converted loads m elements of a strided stream from where row is on and makes lanes of them.
static char *converted(const halo_space *w, const halo_stream *s, halo_walk *row, int64_t m, char *room) {
  const char *base = HALO_AT(w->run, s->ref);
  halo_converter convert = w->converters->load[s->convert];
  uint64_t raw[128];
  char *to = room;
  for (int64_t n; m > 0; m -= n, to += n * w->lane) {
    n = m < 128 ? m : 128;
    if (row->length - row->in >= n && halo_row_stride(w, s) == 1) {
      convert(to, base + (row->offset + row->in) * s->size, s, n);
      halo_step(w, s, row, n);
    } else {
      w->gather[__builtin_ctz(s->size)](w, s, base, row, n, (char *)raw);
      convert(to, raw, s, n);
    }
  }
  return room;
}

// strided loads m elements of a strided stream from where row is on to room, or points at whole blocks where they lie.
static char *strided(const halo_space *w, const halo_stream *s, halo_walk *row, int64_t m, char *room) {
  if (s->convert)
    return converted(w, s, row, m, room);
  char *base = HALO_AT(w->run, s->ref);
  if (halo_lies(w, s) && row->length - row->in >= m && m % w->block == 0) {
    base += (row->offset + row->in) * s->size;
    halo_step(w, s, row, m);
    return base;
  }
  w->gather[__builtin_ctz(s->size)](w, s, base, row, m, room);
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
static char *iota(const halo_space *w, const halo_stream *s, halo_walk *row, int64_t m, char *room) {
  const int64_t by = halo_row_stride(w, s);
  char *to = room;
  for (int64_t n; m > 0; m -= n, to += n * w->lane, halo_step(w, s, row, n)) {
    const int64_t v = row->offset + row->in * by;
    n = row->length - row->in < m ? row->length - row->in : m;
    if (w->lane == 4)
      count_uint32_t((uint32_t *)to, (uint32_t)v, (uint32_t)by, n);
    else
      count_uint64_t((uint64_t *)to, (uint64_t)v, (uint64_t)by, n);
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

char *halo_load_on(const halo_space *w, const halo_stream *s, halo_walk *row, int64_t m, char *room) {
  return s->kind == HALO_IOTA ? iota(w, s, row, m, room) : strided(w, s, row, m, room);
}

char *halo_load(const halo_space *w, const halo_stream *s, int64_t at, int64_t m, char *room) {
  if (s->kind == HALO_LINEAR)
    return linear(w, s, at, m, room);
  if (!halo_walks(s))
    return room;
  halo_walk row = halo_walk_to(w, s, at);
  return halo_load_on(w, s, &row, m, room);
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
    const halo_way *way = w->lanes->ways;
    while (way->store && room[i].fn != way->store)
      way++;
    if (!way->store || k < p->inputs || k >= p->inputs + p->outputs)
      continue;
    if (p->streams[k].convert || p->line * p->streams[k].size % 64 || !passes(w, p, k))
      continue;
    room[i].fn = way->stream;
    room[i].flags |= HALO_PAST;
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
