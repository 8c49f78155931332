//go:build linux

// short.c: programs of a few blocks. What they compute takes as long as finding out how streams move would.
#pragma GCC optimize("O3")
#include "streams.h"

#include <alloca.h>
#include <string.h>

static char *place(const halo_space *w, const halo_stream *s, int64_t at) {
  return (char *)HALO_AT(w->run, s->ref) + (s->offset + at) * s->size;
}

// prepare returns where an input lies of which there is one element, or where the others are loaded.
static char *prepare(const halo_space *w, const halo_stream *s, char *room) {
  if (s->one && s->kind == HALO_SPLAT && !s->convert)
    return place(w, s, 0);
  if (s->one && s->kind == HALO_IMMEDIATE)
    return (char *)&s->value;
  halo_prepare(w, s, room);
  return room;
}

// load returns where the lanes of m places from place at on lie. Behind them are zeros.
static char *load(const halo_space *w, const halo_stream *s, int64_t at, int64_t m, char *room) {
  if (s->kind == HALO_LINEAR && !s->convert) {
    char *from = place(w, s, at);
    if (m == w->block)
      return from;
    const int64_t bytes = m * s->size, first = bytes < w->block_bytes ? bytes : w->block_bytes;
    w->lanes->part(room, from, first);
    if (s->size > w->lane)
      w->lanes->part(room + w->block_bytes, from + first, bytes - first);
    return room;
  }
  char *lanes = halo_load(w, s, at, m, room);
  if (m < w->block)
    memset(lanes + m * w->lane, 0, (w->block - m) * w->lane);
  return lanes;
}

static void store(const halo_space *w, const halo_stream *s, int64_t at, int64_t m, const char *lanes) {
  if (s->convert)
    halo_store(w, s, at, m, lanes);
  else
    w->lanes->give(place(w, s, at), lanes, m * s->size);
}

// block runs a program on m places from place at on; each is the bytes of a room.
static void block(const halo_space *w, const halo_pipeline_record *r, int64_t at, int64_t m, char **p, char *rooms,
                  int64_t each) {
  const halo_stream *streams = (const halo_stream *)(r + 1), *outputs = streams + r->streams;
  for (int32_t k = 0; k < r->streams; k++)
    if (streams[k].kind < HALO_SPLAT || streams[k].kind == HALO_IOTA)
      p[k] = load(w, &streams[k], at, m, rooms + k * each);
  char **q = p + r->streams, *room = rooms + r->streams * each;
  for (int32_t k = 0; k < r->outputs; k++, room += each)
    q[k] = m == w->block && !outputs[k].convert ? place(w, &outputs[k], at) : room;
  halo_loop *loop = (halo_loop *)p[HALO_LOOP]; // of one block
  loop->first = (const halo_stage *)(outputs + r->outputs);
  loop->left = 1;
  w->lanes->blocks(p);
  for (int32_t k = 0; k < r->outputs; k++)
    if (m < w->block || outputs[k].convert)
      store(w, &outputs[k], at, m, q[k]);
}

void halo_short(const halo_record *record, halo_run *run) {
  const halo_pipeline_record *r = (const halo_pipeline_record *)record;
  const halo_stream *streams = (const halo_stream *)(r + 1);
  const halo_space w = halo_space_of(run, r->level, r->lane, r->rank, r->dims);
  const int32_t all = r->streams + r->outputs + r->slots;
  halo_loop loop;
  loop.moves = loop.asks = 0;
  const int64_t each = halo_room(&w, streams, r->streams + r->outputs);
  char *p[HALO_POINTERS], *rooms = halo_aligned(alloca(all * each + 64));
  p[HALO_LOOP] = (char *)&loop;
  for (int32_t k = 0; k < all; k++)
    p[k] = rooms + k * each;
  for (int32_t k = 0; k < r->streams; k++)
    if (streams[k].kind == HALO_SPLAT || streams[k].kind == HALO_IMMEDIATE)
      p[k] = prepare(&w, &streams[k], rooms + k * each);
  int64_t at = 0;
  for (; r->elements - at >= w.block; at += w.block)
    block(&w, r, at, w.block, p, rooms, each);
  if (at < r->elements)
    block(&w, r, at, r->elements - at, p, rooms, each);
}
