//go:build linux

// staggers.c: what rows that go through all phases of a program in one loop are made of and come to.
#pragma GCC optimize("O3")
#include "rowjob.h"

#include <alloca.h>
#include <string.h>

// group is some rows of a job.
typedef struct {
  const halo_row_job *j;
  int64_t first;
} group;

// beginning is where the first element of a stream lies.
static char *beginning(const halo_row_job *j, int32_t k) {
  const halo_stream *s = &j->streams[k];
  return (char *)HALO_AT(j->places.run, s->ref) + s->offset * s->size;
}

// beside is where what a softmax takes beside a row of a group begins.
static const char *beside(const void *of, int64_t row) {
  const group *g = of;
  const halo_stream *s = &g->j->streams[g->j->r->beside];
  return (char *)HALO_AT(g->j->places.run, s->ref) + halo_row_start(g->j, s, g->first + row) * s->size;
}

// widen makes lanes of a row of a group.
static void widen(const void *of, int64_t row, char *lanes) {
  const group *g = of;
  const halo_row_job *j = g->j;
  const halo_stream *s = &j->streams[j->r->in];
  const char *from = beginning(j, j->r->in) + (g->first + row) * j->r->row * s->size;
  j->places.converters->load[s->convert](lanes, from, s, j->r->row);
}

// rounded makes elements of n blocks of lanes.
static void rounded(const halo_row_job *j, char *to, char *lanes, int64_t n) {
  const int32_t in = j->r->mask, out = j->r->streams, bytes = (int32_t)j->places.block * j->streams[out].size;
  char *p[HALO_POINTERS];
  halo_loop loop = {.first = j->stages + j->r->rounds, .left = n, .bytes = j->places.block_bytes, .moved = &in,
      .moves = 1, .narrow = &out, .narrow_bytes = &bytes, .narrows = 1};
  p[HALO_LOOP] = (char *)&loop, p[in] = lanes, p[out] = to;
  j->places.lanes->blocks(p);
}

// narrow makes elements of the lanes of a row of a group, which have room for whole blocks.
static void narrow(const void *of, int64_t row, char *lanes) {
  const group *g = of;
  const halo_row_job *j = g->j;
  const int64_t size = j->streams[j->r->streams].size;
  const int64_t n = j->r->row / j->places.block, rest = j->r->row % j->places.block;
  char *to = beginning(j, j->r->streams) + (g->first + row) * j->r->row * size;
  if (n)
    rounded(j, to, lanes, n);
  if (!rest)
    return;
  char end[j->places.block_bytes] __attribute__((aligned(64)));
  rounded(j, end, lanes + n * j->places.block_bytes, 1);
  memcpy(to + n * j->places.block * size, end, rest * size);
}

// ONE is the float 1.
enum { ONE = 0x3f800000 };

void halo_staggers(void *arg, int64_t number) {
  const halo_row_job *j = arg;
  const halo_rows_record *r = j->r;
  const halo_stream *out = &j->streams[r->streams];
  const int64_t first = number * r->group, left = r->rows - first, bytes = r->row * r->lane;
  const int wide = j->streams[r->in].convert != 0, rows = wide ? HALO_KEPT_ROWS : r->rounds != 0;
  const group g = {j, first};
  char *lanes = halo_aligned(alloca(rows * bytes + j->places.block_bytes + 64));
  r->staggered(&(halo_staggered){
      .in = wide ? lanes : beginning(j, r->in) + first * bytes,
      .out = r->rounds ? lanes : beginning(j, r->streams) + first * (out->by_row ? r->lane : bytes),
      .reads = wide ? HALO_KEPT_ROWS - 1 : -1,
      .makes = !r->rounds ? -1 : rows - 1,
      .widen = wide ? widen : 0,
      .narrow = r->rounds ? narrow : 0,
      .scale = beginning(j, r->scale),
      .offset = beginning(j, r->offset),
      .count = j->streams[r->count].value,
      .epsilon = j->streams[r->epsilon].value,
      .init = j->streams[r->init].value,
      .start = j->streams[r->start].value,
      .rooms = halo_aligned(alloca(r->near * (bytes + j->places.block_bytes) + 64)),
      .rows = left < r->group ? left : r->group,
      .blocks = r->row / j->places.block,
      .rest = r->row % j->places.block * r->lane,
      .factor = r->factor < 0 ? ONE : j->streams[r->factor].value,
      .divides = r->divides,
      .refuses = r->refuses,
      .other = j->streams[r->other].value,
      .beside = beside,
      .of = &g,
      .past = j->bypass,
      .cancel = j->places.run->cancel});
  halo_drain(j->bypass);
}
