//go:build linux

// pipeline.c: programs whose places are all alike.
#pragma GCC optimize("O3")
#include "pieces.h"

#include <alloca.h>
#include <string.h>

typedef halo_pieces job;

// moves reports whether a stream is read or written where it lies: its pointer only moves from block to block.
static int moves(const halo_stream *s) { return s->kind == HALO_LINEAR && !s->convert; }

// is_narrow reports whether that are elements that stages convert.
static int is_narrow(const halo_space *w, const halo_stream *s) { return moves(s) && s->size != w->lane; }

// cycle is a stream that repeats itself, as a bias does, loaded once and a group of blocks further: its pointer goes
// round. Sizes are in bytes.
typedef struct {
  char *lanes;
  int64_t period, at;
  int32_t stream;
} cycle;


// to_lines is how often so many bytes are whole lines of the cache, in which blocks begin.
static int64_t to_lines(int64_t bytes) {
  int64_t times = 64;
  for (; times > 1 && bytes % 2 == 0; bytes /= 2)
    times /= 2;
  return times;
}

// period is after how many bytes a stream repeats itself; 0: never, or too late for what n places are worth.
static int64_t period(const halo_space *w, const halo_stream *s, int64_t n) {
  int32_t d = w->rank - 1;
  if (s->kind != HALO_STRIDED || d < 1 || s->strides[d] != 1)
    return 0;
  int64_t places = w->dims[d];
  while (d > 0 && s->strides[d - 1] == places)
    places *= w->dims[--d];
  for (int32_t k = 0; k < d; k++)
    if (s->strides[k])
      return 0;
  const int64_t bytes = places * w->lane, times = to_lines(bytes);
  if (d < 1 || bytes > HALO_CYCLE_BYTES || 2 * places > n)
    return 0;
  return times * bytes <= HALO_CYCLE_BYTES && 2 * times * places <= n ? times * bytes : bytes;
}

// cycle_of loads a stream that repeats itself into lanes, a group of blocks further; place at is the first that is
// wanted. What is loaded once is copied from there on.
static cycle cycle_of(const halo_space *w, const halo_stream *s, int32_t k, int64_t at, int64_t period, int64_t group,
                      char *lanes) {
  const int64_t all = period + group * w->block_bytes;
  int64_t have = 0;
  for (; have < period; have += w->block_bytes) {
    char *to = lanes + have, *from = halo_load(w, s, have / w->lane, w->block, to);
    if (from != to)
      memcpy(to, from, w->block_bytes);
  }
  for (int64_t n; have < all; have += n) {
    const int64_t periods = have / period * period;
    n = periods < all - have ? periods : all - have;
    memcpy(lanes + have, lanes + have - periods, n);
  }
  return (cycle){lanes, period, at * w->lane % period, k};
}

// turn is where a cycle's next bytes are.
static char *turn(cycle *c, int64_t bytes) {
  char *here = c->lanes + c->at;
  c->at = (c->at + bytes) % c->period;
  return here;
}

// parts is how the streams of a task are read and written: of those that are moved the first, fasts, lie in memory as
// lanes do, the next, slows, are converted or gathered into rooms, outputs last, and the others are cycles. Those that
// stages convert are narrow.
typedef struct {
  int32_t moved[HALO_MAX_POINTERS], fasts, slows, cycles;
  int32_t narrow[HALO_MAX_POINTERS], narrow_bytes[HALO_MAX_POINTERS], narrows;
  int64_t group; // of blocks, which are converted and run together
  halo_walk *walks; // of each slow one, if it walks: where the next block begins
  cycle cyclic[HALO_MAX_CYCLES];
} parts;

// GROUP_BYTES is what all rooms of a group take: a part of the nearest cache.
enum { GROUP = 16, GROUP_BYTES = 16 << 10 };

// sort_out finds the parts of the places from at to end.
static void sort_out(const job *j, int64_t at, int64_t end, parts *t) {
  const halo_pipeline_record *r = j->r;
  const halo_space *w = &j->space;
  int32_t slow[HALO_MAX_POINTERS];
  t->fasts = t->slows = t->cycles = t->narrows = 0;
  t->group = GROUP;
  for (int32_t k = 0; k < r->streams + r->outputs; k++) {
    const halo_stream *s = &j->streams[k];
    if (t->cycles < HALO_MAX_CYCLES && period(w, s, end - at)) {
      t->cyclic[t->cycles++].stream = k;
    } else if (is_narrow(w, s)) {
      t->narrow_bytes[t->narrows] = (int32_t)w->block * s->size;
      t->narrow[t->narrows++] = k;
    } else if (moves(s)) {
      t->moved[t->fasts++] = k;
    } else if (k >= r->streams || s->kind == HALO_STRIDED || s->kind == HALO_IOTA || s->kind == HALO_LINEAR) {
      slow[t->slows++] = k;
    }
  }
  while (t->group > 1 && t->slows * t->group * w->block_bytes > GROUP_BYTES)
    t->group /= 2;
  const int64_t blocks = (end - at) / w->block;
  if (!t->slows && !t->cycles || t->group > blocks)
    t->group = blocks;
  memcpy(t->moved + t->fasts, slow, t->slows * sizeof *slow);
  for (int32_t i = 0; i < t->cycles; i++)
    t->moved[t->fasts + t->slows + i] = t->cyclic[i].stream;
}

// asks has the stages ask for what the group from place at on will convert. The machine by itself asks within a page.
static void asks(const job *j, const parts *t, int64_t at, halo_loop *l) {
  l->asks = 0;
  for (int32_t i = t->fasts; j->bypass && i < t->fasts + t->slows && l->asks < HALO_MAX_ASKS; i++) {
    const halo_stream *s = &j->streams[t->moved[i]];
    if (t->moved[i] >= j->r->streams || s->kind != HALO_LINEAR)
      continue;
    l->ask[l->asks] = (char *)HALO_AT(j->space.run, s->ref) + (s->offset + at) * s->size;
    l->ask_bytes[l->asks++] = j->space.block * s->size;
  }
}

// load loads n places of slow stream i from place at on.
static char *load(const job *j, const parts *t, int32_t i, int64_t at, int64_t n, char *room) {
  const halo_stream *s = &j->streams[t->moved[t->fasts + i]];
  return halo_walks(s) ? halo_load_on(&j->space, s, &t->walks[i], n, room) : halo_load(&j->space, s, at, n, room);
}

// runs runs n blocks of a group from place at on; wide has rooms for what is slow.
static void runs(const job *j, parts *t, int64_t at, int64_t n, char **p, char *wide) {
  const halo_space *w = &j->space;
  const int32_t *slow = t->moved + t->fasts, inputs = j->r->streams;
  const int64_t bytes = t->group * w->block_bytes;
  for (int32_t i = 0; i < t->slows; i++)
    p[slow[i]] = slow[i] >= inputs ? wide + i * bytes
                                   : load(j, t, i, at, n * w->block, wide + i * bytes);
  for (int32_t i = 0; i < t->cycles; i++)
    p[t->cyclic[i].stream] = turn(&t->cyclic[i], n * w->block_bytes);
  halo_loop *l = (halo_loop *)p[HALO_LOOP];
  l->left = n;
  asks(j, t, at + n * w->block, l);
  w->lanes->blocks(p);
  for (int32_t i = t->slows - 1; i >= 0 && slow[i] >= inputs; i--) {
    const int32_t k = slow[i] - inputs, past = k < 32 && j->past >> k & 1;
    (past ? halo_store_past : halo_store)(w, &j->streams[slow[i]], at, n * w->block, wide + i * bytes);
  }
  for (int32_t i = 0; i < t->fasts; i++)
    p[t->moved[i]] += w->block_bytes;
  for (int32_t i = 0; i < t->narrows; i++)
    p[t->narrow[i]] += t->narrow_bytes[i];
}

// LONG is how many blocks a row must have to be read where it lies: shorter ones are copied to rooms, where a group
// goes on from one row to the next.
enum { LONG = 4 };

// together is how many of n blocks run as one group: no more than long rows have left.
static int64_t together(const job *j, const parts *t, int64_t n) {
  const int64_t m = j->space.block;
  for (int32_t i = 0; i < t->slows && t->moved[t->fasts + i] < j->r->streams; i++) {
    const halo_walk *row = &t->walks[i];
    if (!halo_lies(&j->space, &j->streams[t->moved[t->fasts + i]]) || row->length < LONG * m)
      continue;
    const int64_t left = (row->length - row->in) / m;
    n = left < n ? left : n;
  }
  return n > 0 ? n : 1;
}

// place_of is where element at of a stream lies.
static char *place_of(const halo_space *w, const halo_stream *s, int64_t at) {
  return (char *)HALO_AT(w->run, s->ref) + (s->offset + at) * s->size;
}

// STRANDS is in how many stretches, far from one another, a task goes through an array that it reads from memory, TURN
// blocks of each by turns: memory hands them out quicker side by side. With vectors of 32 bytes a turn is 1 KB.
enum { STRANDS = 4, TURN = 4, TURN_BYTES = 1 << 10 };

// waits reports whether the time goes into memory: made functions are cheap, results go past the caches, and one array
// is read where it lies. Two arrays side by side are streams enough, and in strands take up to 1.4 of the time.
static int waits(const job *j, const parts *t) {
  return j->r->made && j->bypass && TURN * j->space.block_bytes == TURN_BYTES && t->fasts == j->r->outputs + 1 &&
         !t->slows && !t->cycles && !t->narrows;
}

// goes moves the pointers by so many blocks.
static void goes(const job *j, const parts *t, char **p, int64_t blocks) {
  for (int32_t i = 0; i < t->fasts; i++)
    p[t->moved[i]] += blocks * j->space.block_bytes;
}

// by_turns runs most of n blocks in strands, if the task waits for memory, and returns how many.
static int64_t by_turns(const job *j, parts *t, int64_t n, char **p) {
  if (!waits(j, t))
    return 0;
  const int64_t strand = n / (STRANDS * TURN) * TURN;
  for (int64_t i = 0; i < strand; i += TURN, goes(j, t, p, TURN - STRANDS * strand))
    for (int64_t k = 0; k < STRANDS; k++, goes(j, t, p, strand - TURN))
      runs(j, t, 0, TURN, p, 0);
  goes(j, t, p, (STRANDS - 1) * strand);
  return STRANDS * strand;
}

// whole runs the whole blocks from place at on and returns the place behind them.
static int64_t whole(const job *j, int64_t at, int64_t end, char **p) {
  const halo_space *w = &j->space;
  if (end - at < w->block)
    return at;
  parts t;
  sort_out(j, at, end, &t);
  for (int32_t i = 0; i < t.cycles; i++) {
    const int32_t k = t.cyclic[i].stream;
    const int64_t bytes = period(w, &j->streams[k], end - at);
    char *lanes = halo_aligned(alloca(bytes + (t.group + 1) * w->block_bytes + 64));
    t.cyclic[i] = cycle_of(w, &j->streams[k], k, at, bytes, t.group, lanes);
  }
  for (int32_t i = 0; i < t.fasts; i++)
    p[t.moved[i]] = place_of(w, &j->streams[t.moved[i]], at);
  for (int32_t i = 0; i < t.narrows; i++)
    p[t.narrow[i]] = place_of(w, &j->streams[t.narrow[i]], at);
  char *wide = halo_aligned(alloca(t.slows * t.group * w->block_bytes + 64));
  t.walks = alloca(t.slows * sizeof *t.walks);
  for (int32_t i = 0; i < t.slows; i++) {
    const halo_stream *s = &j->streams[t.moved[t.fasts + i]];
    if (t.moved[t.fasts + i] < j->r->streams && halo_walks(s))
      t.walks[i] = halo_walk_to(w, s, at);
  }
  *(halo_loop *)p[HALO_LOOP] = (halo_loop){
      .first = j->stages, .bytes = w->block_bytes, .moved = t.moved, .moves = t.fasts + t.slows + t.cycles,
      .narrow = t.narrow, .narrow_bytes = t.narrow_bytes, .narrows = t.narrows};
  const int64_t far = by_turns(j, &t, (end - at) / w->block, p);
  at += far * w->block;
  for (int64_t left = (end - at) / w->block, n; left > 0; left -= n, at += n * w->block) {
    n = together(j, &t, left < t.group ? left : t.group);
    runs(j, &t, at, n, p, wide);
  }
  return at;
}

// rest runs the last block, of m elements: all of it in rooms, with zeros behind what is loaded. What the stack has
// there is often sub-normal as a float, such as the upper half of an address: functions of that take ten times as long.
static void rest(const job *j, int64_t at, int64_t m, char **p, char *rooms) {
  const int32_t inputs = j->r->streams, all = inputs + j->r->outputs;
  const halo_space *w = &j->space;
  for (int32_t k = 0; k < inputs; k++) {
    p[k] = halo_load(w, &j->streams[k], at, m, rooms + k * j->room);
    const int32_t size = is_narrow(w, &j->streams[k]) ? j->streams[k].size : w->lane;
    if (j->streams[k].kind != HALO_SPLAT && j->streams[k].kind != HALO_IMMEDIATE)
      memset(p[k] + m * size, 0, (w->block - m) * size);
  }
  for (int32_t k = inputs; k < all; k++)
    p[k] = rooms + k * j->room;
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

// begin makes the rooms of a task.
static void begin(const job *j, char **p, char *rooms) {
  const halo_pipeline_record *r = j->r;
  for (int32_t k = 0; k < r->streams + r->outputs + r->slots; k++)
    p[k] = rooms + k * j->room;
  for (int32_t k = 0; k < r->streams; k++)
    halo_prepare(&j->space, &j->streams[k], p[k]);
}

static int64_t room_bytes(const job *j) {
  return (j->r->streams + j->r->outputs + j->r->slots) * j->room + 64;
}

// places runs the program on the places from at to end.
static void places(const job *j, int64_t at, int64_t end, char **p, char *rooms) {
  at = whole(j, at, end, p);
  if (at < end)
    rest(j, at, end - at, p, rooms);
}

static void task(void *arg, int64_t number) {
  const job *j = arg;
  const halo_pipeline_record *r = j->r;
  halo_loop loop;
  char *p[HALO_POINTERS], *rooms = halo_aligned(alloca(room_bytes(j)));
  p[HALO_LOOP] = (char *)&loop;
  begin(j, p, rooms);
  const int64_t at = number * r->task, end = at + r->task < r->elements ? at + r->task : r->elements;
  places(j, at, end, p, rooms);
  if (r->edge.row)
    edges(j, at, end);
  halo_drain(j->bypass);
}

static job job_of(const halo_pipeline_record *r, halo_run *run) {
  const halo_stream *streams = (const halo_stream *)(r + 1);
  const halo_stage *stages = (const halo_stage *)(streams + r->streams + r->outputs);
  job j = {r, halo_space_of(run, r->level, r->lane, r->rank, r->dims), streams, stages};
  j.room = halo_room(&j.space, streams, r->streams + r->outputs);
  return j;
}

void halo_pipeline(const halo_record *record, halo_run *run) {
  const halo_pipeline_record *r = (const halo_pipeline_record *)record;
  job j = job_of(r, run);
  const halo_stage *stages = j.stages;
  halo_program p = {j.streams, r->streams, r->outputs, r->stages, r->elements, j.space.block, stages};
  halo_stage room[r->stages];
  j.stages = halo_bypass(&j.space, &p, room);
  j.past = halo_past(&j.space, &p);
  j.bypass = j.stages != stages || j.past;
  halo_spread(run, &j, (r->elements + r->task - 1) / r->task, task);
}

halo_pieces halo_pieces_of(const halo_pipeline_record *r, halo_run *run, int32_t temps) {
  job j = job_of(r, run);
  j.temps = temps;
  return j;
}

int64_t halo_piece_room_bytes(const halo_pieces *j) {
  const int64_t streams = j->r->streams + j->r->outputs;
  return (int64_t)sizeof(halo_piece_room) + streams * (int64_t)sizeof(halo_stream) + room_bytes(j);
}

void halo_piece_begin(const halo_pieces *j, halo_piece_room *w) {
  const int32_t all = j->r->streams + j->r->outputs;
  halo_stream *streams = (halo_stream *)(w + 1);
  memcpy(streams, j->streams, all * sizeof *streams);
  w->job = *j;
  w->job.streams = streams;
  w->rooms = halo_aligned((char *)(streams + all));
  w->p[HALO_LOOP] = (char *)&w->loop;
  begin(j, w->p, w->rooms);
}

void halo_piece(const halo_pieces *j, halo_piece_room *w, int64_t at, int64_t n, char *const *to) {
  halo_stream *temp = (halo_stream *)(w + 1) + j->r->streams + j->r->outputs - j->temps;
  for (int32_t i = 0; i < j->temps; i++) // a room is no slot of the run: it lies so far from one
    temp[i].ref = (halo_ref){.offset = to[i] - at * temp[i].size - j->space.run->base[0]};
  places(&w->job, at, at + n, w->p, w->rooms);
}
