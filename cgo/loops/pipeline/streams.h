// streams.h: where programs run, and how blocks of their streams come and go.
#ifndef HALO_STREAMS_H
#define HALO_STREAMS_H

#include "pipeline.h"

// halo_space is the places of a program, row-major, in a run.
typedef struct halo_space {
  const halo_run *run;
  const halo_lanes *lanes;
  const halo_converters *converters;
  const halo_gather *gather; // of elements of 1, 2, 4 and 8 bytes
  int64_t block, block_bytes; // block: elements
  const int64_t *dims;
  int32_t rank, lane;
} halo_space;

// halo_place finds where a stream has its element of place at, and how many places follow in the innermost dimension.
int64_t halo_place(const halo_space *, const halo_stream *, int64_t at, int64_t *rest);

// halo_walk goes over the rows of a stream, in which its elements are the same distance apart: the last dimensions of
// the space as far as they continue one another, from number last on, with length places. It has the indices of a row,
// where that has its first element, and the place in it.
typedef struct halo_walk {
  int64_t index[HALO_MAX_RANK], offset, in, length;
  int32_t last;
} halo_walk;

// halo_walks reports whether a stream is loaded row by row.
static inline int halo_walks(const halo_stream *s) { return s->kind == HALO_STRIDED || s->kind == HALO_IOTA; }

// halo_next goes n rows on, which are no more than the dimension before the rows has left.
static inline void halo_next(const halo_space *w, const halo_stream *s, halo_walk *row, int64_t n) {
  for (int d = row->last - 1; d >= 0; d--, n = 1) {
    row->offset += n * s->strides[d];
    if ((row->index[d] += n) < w->dims[d])
      return;
    row->offset -= w->dims[d] * s->strides[d];
    row->index[d] = 0;
  }
}

// halo_step goes n places on, which are no more than the row has left.
static inline void halo_step(const halo_space *w, const halo_stream *s, halo_walk *row, int64_t n) {
  if ((row->in += n) < row->length)
    return;
  row->in = 0;
  halo_next(w, s, row, 1);
}

static inline int64_t halo_row_stride(const halo_space *w, const halo_stream *s) {
  return w->rank ? s->strides[w->rank - 1] : 0;
}

// halo_lies reports whether a stream is lanes that lie side by side in each row.
static inline int halo_lies(const halo_space *w, const halo_stream *s) {
  return s->kind == HALO_STRIDED && !s->convert && s->size == w->lane && halo_row_stride(w, s) == 1;
}

// halo_walk_to goes to place at.
halo_walk halo_walk_to(const halo_space *, const halo_stream *, int64_t at);

// halo_load_on is halo_load of a stream that walks, from where it is on; it goes m places on.
char *halo_load_on(const halo_space *, const halo_stream *, halo_walk *, int64_t m, char *room);

// halo_load returns where the lanes of m places from at on lie: in the array itself, or in room after loading them.
char *halo_load(const halo_space *, const halo_stream *, int64_t at, int64_t m, char *room);

// halo_splat fills a block with the one element of a stream.
void halo_splat(const halo_space *, const halo_stream *, char *room);

// halo_store stores m lanes as the elements from at on.
void halo_store(const halo_space *, const halo_stream *, int64_t at, int64_t m, const char *lanes);

// halo_store_past does so past the caches, for whole blocks of elements that are converted.
void halo_store_past(const halo_space *, const halo_stream *, int64_t at, int64_t m, const char *lanes);

// halo_space_of is the space of dims at a level; there is none if the build lacks that.
halo_space halo_space_of(const halo_run *, int32_t level, int32_t lane, int32_t rank, const int64_t *dims);

// A program is what halo_bypass looks at: its streams, outputs at the end, and its stages.
typedef struct {
  const halo_stream *streams;
  int32_t inputs, outputs, count;
  int64_t elements, line; // of the space; of a run without gaps that begins where a task may
  const halo_stage *stages;
} halo_program;

// halo_bypass returns the stages with which large outputs go past the caches, written to room, which has space for all;
// the program's own if there is nothing to gain.
const halo_stage *halo_bypass(const halo_space *, const halo_program *, halo_stage *room);

// halo_past says which of the first 32 outputs are worth halo_store_past: a bit for each.
uint32_t halo_past(const halo_space *, const halo_program *);

// halo_prepare fills the room of a splat or of an immediate, or leaves one lane there.
static inline void halo_prepare(const halo_space *w, const halo_stream *s, char *room) {
  if (s->kind == HALO_SPLAT)
    halo_splat(w, s, room);
  if (s->kind == HALO_IMMEDIATE && s->one)
    *(uint64_t *)room = s->value;
  else if (s->kind == HALO_IMMEDIATE)
    w->lanes->fill(room, &s->value);
}

// halo_room is how many bytes a block of a stream has at most: those of pairs, which stages take apart, have two of
// lanes.
static inline int64_t halo_room(const halo_space *w, const halo_stream *streams, int32_t n) {
  for (int32_t k = 0; k < n; k++)
    if (!streams[k].convert && streams[k].size > w->lane)
      return 2 * w->block_bytes;
  return w->block_bytes;
}

// halo_spread runs tasks: one by itself, more on all threads.
static inline void halo_spread(halo_run *run, void *job, int64_t tasks, halo_task f) {
  if (tasks == 1)
    f(job, 0);
  else if (tasks > 1)
    run->parallel(run, tasks, f, job);
}

static inline char *halo_aligned(char *rooms) { return rooms + (-(uintptr_t)rooms & 63); }

#endif
