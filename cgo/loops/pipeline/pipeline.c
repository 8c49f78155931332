//go:build linux

// pipeline.c: programs whose places are all alike.
#pragma GCC optimize("O3")
#include "streams.h"

#include <alloca.h>
#include <string.h>

// job is one run of a record, as its tasks see it.
typedef struct {
  const halo_pipeline_record *r;
  halo_space space;
  const halo_stream *streams;
  const halo_stage *stages;
  int bypass; // the stages are those of halo_bypass
} job;

// moves reports whether a stream is read or written where it lies: its pointer only moves from block to block.
static int moves(const halo_stream *s) { return s->kind == HALO_LINEAR && !s->convert; }

// cycle is a stream that repeats itself, as a bias does, loaded once and a block further: its pointer goes round. Sizes
// are in bytes.
typedef struct {
  char *lanes;
  int64_t period, at, step;
  int32_t stream;
} cycle;

enum { CYCLES = 4, CYCLE_BYTES = 8 << 10 }; // of a task, on the stack

// period is after how many bytes a stream repeats itself; 0: never, or too late for what n places are worth.
static int64_t period(const halo_space *w, const halo_stream *s, int64_t n) {
  const int32_t last = w->rank - 1;
  if (s->kind != HALO_STRIDED || last < 1 || s->strides[last] != 1)
    return 0;
  for (int32_t d = 0; d < last; d++)
    if (s->strides[d])
      return 0;
  return w->dims[last] * w->lane <= CYCLE_BYTES && 2 * w->dims[last] <= n ? w->dims[last] * w->lane : 0;
}

// cycle_of loads a stream that repeats itself into lanes; place at is the first that is wanted.
static cycle cycle_of(const halo_space *w, const halo_stream *s, int32_t k, int64_t at, int64_t period, char *lanes) {
  for (int64_t done = 0; done < period + w->block_bytes; done += w->block_bytes) {
    char *to = lanes + done, *from = halo_load(w, s, done / w->lane, w->block, to);
    if (from != to)
      memcpy(to, from, w->block_bytes);
  }
  return (cycle){lanes, period, at * w->lane % period, w->block_bytes % period, k};
}

static char *turn(cycle *c) {
  char *here = c->lanes + c->at;
  c->at += c->step;
  if (c->at >= c->period)
    c->at -= c->period;
  return here;
}

// whole runs the whole blocks from place at on and returns the place behind them.
static int64_t whole(const job *j, int64_t at, int64_t end, char **p, char *rooms) {
  const halo_pipeline_record *r = j->r;
  const halo_space *w = &j->space;
  const int32_t all = r->streams + r->outputs;
  int32_t fast[HALO_MAX_POINTERS], slow[HALO_MAX_POINTERS], fasts = 0, slows = 0, cycles = 0;
  cycle cyclic[CYCLES];
  for (int32_t k = 0; k < all; k++) {
    const halo_stream *s = &j->streams[k];
    const int64_t bytes = cycles < CYCLES ? period(w, s, end - at) : 0;
    if (bytes) {
      cyclic[cycles++] = cycle_of(w, s, k, at, bytes, halo_aligned(alloca(bytes + 2 * w->block_bytes + 64)));
    } else if (moves(s)) {
      p[k] = (char *)HALO_AT(w->run, s->ref) + (s->offset + at) * s->size;
      fast[fasts++] = k;
    } else if (k >= r->streams || s->kind == HALO_STRIDED || s->kind == HALO_IOTA || s->kind == HALO_LINEAR)
      slow[slows++] = k;
  }
  halo_loop *l = (halo_loop *)p[HALO_LOOP];
  *l = (halo_loop){.first = j->stages, .bytes = w->block_bytes, .moved = fast, .moves = fasts};
  const int64_t n = (end - at) / w->block, step = slows + cycles ? 1 : n;
  for (int64_t done = 0; done < n; done += step, at += step * w->block) {
    for (int32_t i = 0; i < slows && slow[i] < r->streams; i++)
      p[slow[i]] = halo_load(w, &j->streams[slow[i]], at, w->block, rooms + slow[i] * w->block_bytes);
    for (int32_t i = 0; i < cycles; i++)
      p[cyclic[i].stream] = turn(&cyclic[i]);
    l->left = step;
    w->lanes->blocks(p);
    for (int32_t i = slows - 1; i >= 0 && slow[i] >= r->streams; i--)
      halo_store(w, &j->streams[slow[i]], at, w->block, p[slow[i]]);
    for (int32_t i = 0; i < fasts; i++)
      p[fast[i]] += w->block_bytes;
  }
  return at;
}

// rest runs the last block, of m elements: all of it in rooms, with zeros behind what is loaded. What the stack has
// there is often sub-normal as a float, such as the upper half of an address: functions of that take ten times as long.
static void rest(const job *j, int64_t at, int64_t m, char **p, char *rooms) {
  const int32_t inputs = j->r->streams, all = inputs + j->r->outputs;
  const halo_space *w = &j->space;
  for (int32_t k = 0; k < inputs; k++) {
    p[k] = halo_load(w, &j->streams[k], at, m, rooms + k * w->block_bytes);
    if (j->streams[k].kind != HALO_SPLAT && j->streams[k].kind != HALO_IMMEDIATE)
      memset(p[k] + m * w->lane, 0, (w->block - m) * w->lane);
  }
  for (int32_t k = inputs; k < all; k++)
    p[k] = rooms + k * w->block_bytes;
  *(halo_loop *)p[HALO_LOOP] = (halo_loop){.first = j->stages, .left = 1};
  w->lanes->blocks(p);
  for (int32_t k = inputs; k < all; k++)
    halo_store(w, &j->streams[k], at, m, p[k]);
}

// EDGES overwrites the ends of rows among the places from from to to: place row is the beginning of one.
#define EDGES(T)                                                                                                       \
  static void edges_##T(const halo_edge *e, T *out, T value, int64_t from, int64_t to) {                               \
    for (int64_t row = from - (from + e->at) % e->row; row - e->high < to; row += e->row) {                            \
      const int64_t begin = row - e->high, end = row + e->low;                                                         \
      for (int64_t i = begin > from ? begin : from; i < end && i < to; i++)                                            \
        out[i] = value;                                                                                                \
    }                                                                                                                  \
  }
EDGES(uint8_t)
EDGES(uint16_t)
EDGES(uint32_t)
EDGES(uint64_t)

// edges does so, from the beginning of the first row to the end of the last one.
static void edges(const job *j, int64_t from, int64_t to) {
  const halo_edge *e = &j->r->edge;
  if (from == 0)
    from = -e->at;
  if (to == j->r->elements)
    to += e->row - 1 - (to - 1 + e->at) % e->row;
  const halo_stream *s = &j->streams[j->r->streams];
  void *out = HALO_AT(j->space.run, s->ref), *value = HALO_AT(j->space.run, e->value);
  switch (s->size) {
  case 1:
    edges_uint8_t(e, out, *(uint8_t *)value, from, to);
    return;
  case 2:
    edges_uint16_t(e, out, *(uint16_t *)value, from, to);
    return;
  case 4:
    edges_uint32_t(e, out, *(uint32_t *)value, from, to);
    return;
  }
  edges_uint64_t(e, out, *(uint64_t *)value, from, to);
}

static void task(void *arg, int64_t number) {
  const job *j = arg;
  const halo_pipeline_record *r = j->r;
  const halo_space *w = &j->space;
  const int32_t pointers = r->streams + r->outputs + r->slots;
  halo_loop loop;
  char *p[HALO_POINTERS], *rooms = halo_aligned(alloca(pointers * w->block_bytes + 64));
  p[HALO_LOOP] = (char *)&loop;
  for (int32_t k = 0; k < pointers; k++)
    p[k] = rooms + k * w->block_bytes;
  for (int32_t k = 0; k < r->streams; k++)
    halo_prepare(w, &j->streams[k], p[k]);
  int64_t at = number * r->task, end = at + r->task < r->elements ? at + r->task : r->elements;
  const int64_t from = at;
  at = whole(j, at, end, p, rooms);
  if (at < end)
    rest(j, at, end - at, p, rooms);
  if (r->edge.row)
    edges(j, from, end);
  halo_drain(j->bypass);
}

void halo_pipeline(const halo_record *record, halo_run *run) {
  const halo_pipeline_record *r = (const halo_pipeline_record *)record;
  const halo_stream *streams = (const halo_stream *)(r + 1);
  const halo_stage *stages = (const halo_stage *)(streams + r->streams + r->outputs);
  job j = {r, halo_space_of(run, r->level, r->lane, r->rank, r->dims), streams, stages, 0};
  halo_program p = {streams, r->streams, r->outputs, r->stages, r->elements, j.space.block, stages};
  halo_stage room[r->stages];
  j.stages = halo_bypass(&j.space, &p, room);
  j.bypass = j.stages != stages;
  halo_spread(run, &j, (r->elements + r->task - 1) / r->task, task);
}
