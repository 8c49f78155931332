// layouts.h: where the rows of a program over rows lie.
#ifndef HALO_LAYOUTS_H
#define HALO_LAYOUTS_H

#include "rowjob.h"

typedef halo_row_job job;

static int is_saved(const job *j, int32_t k) { return k >= j->r->streams + j->r->outputs; }

// LINES_BYTES is what lines, which each task makes on its stack, take at most if all streams have one.
enum { LINES_BYTES = 64 << 10 };

// counts reports whether a stream has the same numbers in each row, which are places of its one dimension: they lie in
// a line of the task.
static int counts(const job *j, const halo_stream *s) {
  const int32_t last = j->places.rank - 1;
  const int64_t lines = j->r->streams * j->r->row * j->r->lane;
  if (s->kind != HALO_IOTA || s->by_row || j->rows.rank != last || lines > LINES_BYTES)
    return 0;
  for (int32_t d = 0; d < last; d++)
    if (s->strides[d])
      return 0;
  return 1;
}

// lies reports whether a row of pointer k lies in one piece somewhere.
static int lies(const job *j, int32_t k) {
  if (is_saved(j, k))
    return 1;
  const halo_stream *s = &j->streams[k];
  return s->kind == HALO_LINEAR || s->kind == HALO_ROWWISE || counts(j, s);
}

// layout is where the rows of a pointer lie in one piece each: row bytes apart in memory, tile bytes in a tile.
typedef struct {
  char *first; // null: that is another way, or they do not
  int64_t row, tile, size; // size: of an element
} layout;

// even reports whether the rows of a stream are the same distance apart.
static int even(const job *j, const halo_stream *s) {
  for (int32_t d = 1; d < j->rows.rank; d++)
    if (s->strides[d - 1] != s->strides[d] * j->rows.dims[d])
      return 0;
  return 1;
}

// lay_out finds the layout of pointer k. What is saved lies from saved on, and line is where a stream counts places.
static layout lay_out(const job *j, int32_t k, char *saved, char *line) {
  const halo_rows_record *r = j->r;
  const int64_t pitch = j->pitch * r->lane, last = j->rows.rank - 1;
  if (is_saved(j, k))
    return (layout){saved + (k - r->streams - r->outputs) * r->tile * pitch, 0, pitch, r->lane};
  const halo_stream *s = &j->streams[k];
  if (s->kind == HALO_IOTA)
    return (layout){line, 0, 0, r->lane};
  if (s->by_row || !lies(j, k) || s->kind == HALO_ROWWISE && !even(j, s))
    return (layout){0, 0, 0, s->size};
  const int64_t apart = s->kind == HALO_LINEAR ? r->row : last < 0 ? 0 : s->strides[last];
  return (layout){(char *)HALO_AT(j->places.run, s->ref) + s->offset * s->size, apart * s->size, 0, s->size};
}

#endif
