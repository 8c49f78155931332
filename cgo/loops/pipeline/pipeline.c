//go:build linux

#pragma GCC optimize("O3")
#include "pipeline.h"

#include <alloca.h>
#include <stddef.h>
#include <string.h>

// The parts of a level: how wide its vectors are, and what it brings for lanes of 32 and of 64 bits.
typedef struct {
  int32_t bytes;
  const halo_lanes *lanes[2];
  const halo_converters *converters[2];
} level;

#define LEVEL(name, bytes)                                                                                             \
  { bytes, {&halo_lanes32_##name, &halo_lanes64_##name}, {&halo_converters32_##name, &halo_converters64_##name} }

static const level levels[] = { // in the order of run.ISA
    LEVEL(base, 16),
#if defined(__x86_64__)
    LEVEL(avx2, 32),
    LEVEL(avx512, 64),
#elif defined(__aarch64__)
    {0},
    {0},
    LEVEL(neon, 16),
#endif
};

static const level *level_of(int32_t i) {
  return i >= 0 && i < (int32_t)(sizeof levels / sizeof *levels) && levels[i].bytes ? &levels[i] : 0;
}

static const char *const stage_names[] = {
#define UNARY(name, e) #name,
#define BINARY(name, e) #name,
#define TERNARY(name, e) #name,
#define ARRAY1(name, T, e) #name,
#define ARRAY2(name, T, e) #name,
#define STORE(name) #name,
#define STREAM(name) #name,
#define END(name) #name,
#define MATH1(name, fv, fs) #name,
#define MATH2(name, fv, fs) #name,
#define MATHL(name, fv, fs) #name,
#define FAST1(name, fv, dv, fs) #name,
#define FASTL(name, fv, dv, fs) #name,
#include "stages.def"
};

static const char *const convert_names[] = {
    "",
#define CONVERT(name, T, load, store) #name,
#include "memory.def"
};

int32_t halo_stage_count(void) { return sizeof stage_names / sizeof *stage_names; }
const char *halo_stage_name(int32_t i) { return stage_names[i]; }
int32_t halo_convert_count(void) { return sizeof convert_names / sizeof *convert_names; }
const char *halo_convert_name(int32_t i) { return convert_names[i]; }

void *halo_stage_function(int32_t isa, int32_t lane, int32_t i) {
  const level *l = level_of(isa);
  return l ? (void *)l->lanes[lane == 8]->stages[i] : 0;
}

int32_t halo_block_bytes(int32_t isa) {
  const level *l = level_of(isa);
  return l ? 8 * l->bytes : 0;
}

// job is one run of a record, as its tasks see it.
typedef struct {
  const halo_pipeline_record *r;
  const halo_run *run;
  const halo_stream *streams;
  const halo_stage *stages;
  const halo_lanes *lanes;
  const halo_converters *converters;
  int64_t block, block_bytes; // block: elements
} job;

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

// place finds where a stream has its element of place at, and how many places follow in the innermost dimension.
static int64_t place(const halo_pipeline_record *r, const halo_stream *s, int64_t at, int64_t *rest) {
  int64_t offset = s->offset;
  int last = r->rank - 1;
  *rest = last < 0 ? 1 : r->dims[last] - at % r->dims[last];
  for (int d = last; d >= 0; d--) {
    offset += at % r->dims[d] * s->strides[d];
    at /= r->dims[d];
  }
  return offset;
}

// strided loads m elements of a strided stream to room, or points at them where they lie.
static char *strided(const job *j, const halo_stream *s, int64_t at, int64_t m, char *room) {
  const halo_pipeline_record *r = j->r;
  const char *base = HALO_AT(j->run, s->ref);
  const int64_t stride = r->rank ? s->strides[r->rank - 1] : 0;
  int64_t rest, offset = place(r, s, at, &rest);
  halo_converter convert = j->converters->load[s->convert];
  if (rest >= m && stride == 1) {
    const char *src = base + offset * s->size;
    if (!convert && m == j->block)
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
      offset = place(r, s, at + k, &rest);
  }
  if (convert)
    convert(room, raw, s, m);
  return room;
}

static char *linear(const job *j, const halo_stream *s, int64_t at, int64_t m, char *room) {
  char *src = (char *)HALO_AT(j->run, s->ref) + (s->offset + at) * s->size;
  halo_converter convert = j->converters->load[s->convert];
  if (convert)
    convert(room, src, s, m);
  else if (m == j->block)
    return src;
  else
    memcpy(room, src, m * s->size);
  return room;
}

static void put_lane(char *room, int32_t lane, int64_t i, int64_t v) {
  if (lane == 4)
    ((int32_t *)room)[i] = (int32_t)v;
  else
    ((int64_t *)room)[i] = v;
}

// iota numbers the elements.
static char *iota(const job *j, const halo_stream *s, int64_t at, int64_t m, char *room) {
  int last = j->r->rank - 1;
  for (int64_t k = 0; k < m;) {
    int64_t rest, v = place(j->r, s, at + k, &rest);
    int64_t n = rest < m - k ? rest : m - k;
    for (int64_t i = 0; i < n; i++)
      put_lane(room, j->r->lane, k + i, v + (last < 0 ? 0 : i * s->strides[last]));
    k += n;
  }
  return room;
}

// splat fills a block with the one element of a stream.
static void splat(const job *j, const halo_stream *s, char *room) {
  const char *src = (const char *)HALO_AT(j->run, s->ref) + s->offset * s->size;
  halo_converter convert = j->converters->load[s->convert];
  uint64_t lane;
  if (convert)
    convert(&lane, src, s, 1);
  j->lanes->fill(room, convert ? (const void *)&lane : src);
}

// load sets the pointer of a stream for a block of m elements.
static void load(const job *j, int32_t k, int64_t at, int64_t m, char **p, char *room) {
  const halo_stream *s = &j->streams[k];
  switch (s->kind) {
  case HALO_LINEAR:
    p[k] = linear(j, s, at, m, room);
    break;
  case HALO_STRIDED:
    p[k] = strided(j, s, at, m, room);
    break;
  case HALO_IOTA:
    p[k] = iota(j, s, at, m, room);
    break;
  }
}

static void store(const job *j, const halo_stream *s, int64_t at, int64_t m, const char *p) {
  char *dst = (char *)HALO_AT(j->run, s->ref) + at * s->size;
  if (s->convert)
    j->converters->store[s->convert](dst, p, s, m);
  else
    memcpy(dst, p, m * s->size);
}

// moves reports whether a stream is read or written where it lies: its pointer only moves from block to block.
static int moves(const job *j, int32_t k) {
  const halo_stream *s = &j->streams[k];
  if (s->kind != HALO_LINEAR || s->convert)
    return 0;
  return k < j->r->streams || (uintptr_t)HALO_AT(j->run, s->ref) % 64 == 0;
}

// whole runs the whole blocks from place at on and returns the place behind them.
static int64_t whole(const job *j, int64_t at, int64_t end, char **p, char *rooms) {
  const halo_pipeline_record *r = j->r;
  const int32_t all = r->streams + r->outputs;
  int32_t fast[HALO_MAX_POINTERS], slow[HALO_MAX_POINTERS], fasts = 0, slows = 0;
  for (int32_t k = 0; k < all; k++) {
    const halo_stream *s = &j->streams[k];
    if (moves(j, k)) {
      p[k] = (char *)HALO_AT(j->run, s->ref) + (s->offset + at) * s->size;
      fast[fasts++] = k;
    } else if (k >= r->streams || s->kind == HALO_STRIDED || s->kind == HALO_IOTA || s->kind == HALO_LINEAR)
      slow[slows++] = k;
  }
  for (; at + j->block <= end; at += j->block) {
    for (int32_t i = 0; i < slows && slow[i] < r->streams; i++)
      load(j, slow[i], at, j->block, p, rooms + slow[i] * j->block_bytes);
    j->lanes->block(p, j->stages);
    for (int32_t i = slows - 1; i >= 0 && slow[i] >= r->streams; i--)
      store(j, &j->streams[slow[i]], at, j->block, p[slow[i]]);
    for (int32_t i = 0; i < fasts; i++)
      p[fast[i]] += j->block_bytes;
  }
  return at;
}

// rest runs the last block, of m elements: all of it in rooms.
static void rest(const job *j, int64_t at, int64_t m, char **p, char *rooms) {
  const int32_t inputs = j->r->streams, all = inputs + j->r->outputs;
  for (int32_t k = 0; k < inputs; k++)
    load(j, k, at, m, p, rooms + k * j->block_bytes);
  for (int32_t k = inputs; k < all; k++)
    p[k] = rooms + k * j->block_bytes;
  j->lanes->block(p, j->stages);
  for (int32_t k = inputs; k < all; k++)
    store(j, &j->streams[k], at, m, p[k]);
}

static void task(void *arg, int64_t number) {
  const job *j = arg;
  const halo_pipeline_record *r = j->r;
  const int32_t pointers = r->streams + r->outputs + r->slots;
  char *p[HALO_MAX_POINTERS];
  char *rooms = alloca(pointers * j->block_bytes + 64);
  rooms += -(uintptr_t)rooms & 63;
  for (int32_t k = 0; k < pointers; k++)
    p[k] = rooms + k * j->block_bytes;
  for (int32_t k = 0; k < r->streams; k++) {
    if (j->streams[k].kind == HALO_SPLAT)
      splat(j, &j->streams[k], p[k]);
    if (j->streams[k].kind == HALO_IMMEDIATE)
      j->lanes->fill(p[k], &j->streams[k].value);
  }
  int64_t at = number * r->task, end = at + r->task < r->elements ? at + r->task : r->elements;
  at = whole(j, at, end, p, rooms);
  if (at < end)
    rest(j, at, end - at, p, rooms);
#if defined(__x86_64__)
  if (r->streaming)
    __builtin_ia32_sfence();
#endif
}

void halo_pipeline(const halo_record *record, halo_run *run) {
  const halo_pipeline_record *r = (const halo_pipeline_record *)record;
  const level *l = level_of(r->level);
  const halo_stream *streams = (const halo_stream *)(r + 1);
  job j = {r, run, streams, (const halo_stage *)(streams + r->streams + r->outputs), l->lanes[r->lane == 8],
      l->converters[r->lane == 8], 8 * l->bytes / r->lane, 8 * l->bytes};
  int64_t tasks = (r->elements + r->task - 1) / r->task;
  if (tasks == 1)
    task(&j, 0);
  else if (tasks > 1)
    run->parallel(run, tasks, task, &j);
}
