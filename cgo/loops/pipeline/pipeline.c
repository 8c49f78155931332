//go:build linux

#pragma GCC optimize("O3")
#include "pipeline.h"

#include <alloca.h>
#include <stddef.h>
#include <stdlib.h>
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
#define REDUCE(name, e, none) "acc_" #name,
#include "reducers.def"
#include "stages.def"
};

static const char *const reducer_names[] = {
#undef REDUCE
#define REDUCE(name, e, none) #name,
#include "reducers.def"
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

int32_t halo_reducer_count(void) { return sizeof reducer_names / sizeof *reducer_names; }
const char *halo_reducer_name(int32_t i) { return reducer_names[i]; }

// job is one run of a record, as its tasks see it.
typedef struct {
  const halo_pipeline_record *r;
  const halo_run *run;
  const halo_stream *streams;
  const halo_stage *stages;
  const halo_lanes *lanes;
  const halo_converters *converters;
  int64_t block, block_bytes; // block: elements
  const halo_reduction *reductions;
  int64_t chunks;     // of a row
  int64_t group;      // chunks that a task does
  uint64_t *partials; // what chunks come to, if a row has several
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
  return k < j->r->streams || !j->r->streaming || (uintptr_t)HALO_AT(j->run, s->ref) % 64 == 0;
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

// prepare points at the rooms and fills those of constants; rooms has a block for each pointer.
static void prepare(const job *j, char **p, char *rooms) {
  const halo_pipeline_record *r = j->r;
  for (int32_t k = 0; k < r->streams + r->outputs + r->slots; k++)
    p[k] = rooms + k * j->block_bytes;
  for (int32_t k = 0; k < r->streams; k++) {
    if (j->streams[k].kind == HALO_SPLAT)
      splat(j, &j->streams[k], p[k]);
    if (j->streams[k].kind == HALO_IMMEDIATE)
      j->lanes->fill(p[k], &j->streams[k].value);
  }
}

static int64_t room_bytes(const job *j) {
  return (j->r->streams + j->r->outputs + j->r->slots) * j->block_bytes + 64;
}

static char *aligned(char *rooms) { return rooms + (-(uintptr_t)rooms & 63); }

static void task(void *arg, int64_t number) {
  const job *j = arg;
  const halo_pipeline_record *r = j->r;
  char *p[HALO_MAX_POINTERS], *rooms = aligned(alloca(room_bytes(j)));
  prepare(j, p, rooms);
  int64_t at = number * r->task, end = at + r->task < r->elements ? at + r->task : r->elements;
  at = whole(j, at, end, p, rooms);
  if (at < end)
    rest(j, at, end - at, p, rooms);
#if defined(__x86_64__)
  if (r->streaming)
    __builtin_ia32_sfence();
#endif
}

enum { CHUNK = 1 << 16 }; // elements of a long row that are reduced at once

// finish stores the result of a row, which is in the first lane of an accumulator.
static void finish(const job *j, const halo_reduction *d, int64_t row, char **p) {
  char *acc = p[d->accumulator];
  j->lanes->reducers[d->reducer].join(acc, p[d->init]);
  store(j, &d->output, row, 1, acc);
}

// reduce reduces the elements from at to end to the first lanes of the accumulators.
static void reduce(const job *j, int64_t at, int64_t end, char **p, char *rooms) {
  const halo_pipeline_record *r = j->r;
  const uint64_t all = ~(uint64_t)0;
  for (int32_t k = 0; k < r->reductions; k++)
    j->lanes->reducers[j->reductions[k].reducer].clear(p[j->reductions[k].accumulator]);
  j->lanes->fill(p[r->mask], &all);
  at = whole(j, at, end, p, rooms);
  if (at < end) {
    memset(p[r->mask] + (end - at) * r->lane, 0, j->block_bytes - (end - at) * r->lane);
    rest(j, at, end - at, p, rooms);
  }
  for (int32_t k = 0; k < r->reductions; k++)
    j->lanes->reducers[j->reductions[k].reducer].fold(p[j->reductions[k].accumulator]);
}

static void row_task(void *arg, int64_t number) {
  const job *j = arg;
  const halo_pipeline_record *r = j->r;
  char *p[HALO_MAX_POINTERS], *rooms = aligned(alloca(room_bytes(j)));
  prepare(j, p, rooms);
  int64_t last = r->elements / r->row * j->chunks;
  for (int64_t u = number * j->group; u < (number + 1) * j->group && u < last; u++) {
    int64_t row = u / j->chunks, from = row * r->row + u % j->chunks * CHUNK, end = (row + 1) * r->row;
    reduce(j, from, j->chunks > 1 && end - from > CHUNK ? from + CHUNK : end, p, rooms);
    for (int32_t k = 0; k < r->reductions; k++)
      if (j->chunks > 1)
        memcpy(&j->partials[u * r->reductions + k], p[j->reductions[k].accumulator], r->lane);
      else
        finish(j, &j->reductions[k], row, p);
  }
}

// join_chunks reduces the partial results of each row, one after the other.
static void join_chunks(const job *j) {
  const halo_pipeline_record *r = j->r;
  char *p[HALO_MAX_POINTERS], *rooms = aligned(alloca(room_bytes(j)));
  prepare(j, p, rooms);
  for (int64_t row = 0; row < r->elements / r->row; row++)
    for (int32_t k = 0; k < r->reductions; k++) {
      const halo_reduction *d = &j->reductions[k];
      const uint64_t *partial = j->partials + row * j->chunks * r->reductions + k;
      j->lanes->fill(p[d->accumulator], partial);
      for (int64_t c = 1; c < j->chunks; c++) {
        j->lanes->fill(p[r->mask], partial + c * r->reductions);
        j->lanes->reducers[d->reducer].join(p[d->accumulator], p[r->mask]);
      }
      finish(j, d, row, p);
    }
}

static void spread(job *j, halo_run *run, int64_t tasks, halo_task f) {
  if (tasks == 1)
    f(j, 0);
  else if (tasks > 1)
    run->parallel(run, tasks, f, j);
}

static void rows(job *j, halo_run *run) {
  const halo_pipeline_record *r = j->r;
  j->chunks = r->row > 4 * CHUNK ? (r->row + CHUNK - 1) / CHUNK : 1;
  int64_t units = r->elements / r->row * j->chunks, size = j->chunks > 1 ? CHUNK : r->row;
  j->group = size < r->task ? r->task / size : 1;
  if (j->chunks > 1 && !(j->partials = malloc(units * r->reductions * sizeof *j->partials))) {
    halo_fail(run, "out of memory for %lld partial results", (long long)units);
    return;
  }
  spread(j, run, (units + j->group - 1) / j->group, row_task);
  if (j->chunks > 1 && !*run->cancel)
    join_chunks(j);
  free(j->partials);
}

void halo_pipeline(const halo_record *record, halo_run *run) {
  const halo_pipeline_record *r = (const halo_pipeline_record *)record;
  const level *l = level_of(r->level);
  const halo_stream *streams = (const halo_stream *)(r + 1);
  const halo_stage *stages = (const halo_stage *)(streams + r->streams + r->outputs);
  job j = {r, run, streams, stages, l->lanes[r->lane == 8], l->converters[r->lane == 8], 8 * l->bytes / r->lane,
      8 * l->bytes, (const halo_reduction *)(stages + r->stages), 1, 1, 0};
  if (r->row)
    rows(&j, run);
  else
    spread(&j, run, (r->elements + r->task - 1) / r->task, task);
}
