// index.h: gathers and scatters. A windowed array, gather's result or scatter's updates, has a window of the operand
// for each index vector.
#ifndef HALO_INDEX_H
#define HALO_INDEX_H

#include "../move/move.h"
#include "../scalar/program.h"

// One dimension of the index vectors: n of them, start integers apart in the indices, and in bytes apart in the
// windowed array and the operand.
typedef struct {
  int64_t n, start, windowed, operand;
} index_batch;

// An entry of an index vector moves the window stride bytes in the operand, from 0 to last times. wrap is added first
// to one below 0.
typedef struct {
  int64_t stride, last, wrap;
} index_entry;

// Where windows are: batches and entries follow.
typedef struct {
  halo_ref starts;
  int64_t type, count, vector; // type: as of a move_index; vector: distance of the entries, in integers
  int64_t batches, entries, isa;
} index_plan;

static inline const index_batch *index_batches(const index_plan *p) { return (const index_batch *)(p + 1); }
static inline const index_entry *index_entries(const index_plan *p) {
  return (const index_entry *)(index_batches(p) + p->batches);
}
static inline const void *index_end(const index_plan *p) { return index_entries(p) + p->entries; }

enum { INDEX_BLOCK = 512 };

// The places of the windows of some index vectors, in bytes; below 0 in the operand if a window does not lie in it.
typedef struct {
  int64_t windowed[INDEX_BLOCK], operand[INDEX_BLOCK];
} index_places;

// halo_index_places finds n <= INDEX_BLOCK places from index vector first on; clamp moves windows into the operand.
// windowed may be NULL.
void halo_index_places(const index_plan *, const halo_run *, int64_t first, int64_t n, int clamp, int64_t *windowed,
                       int64_t *operand);

// n index vectors along the last batch dimension: where their first entries are, and the places of their windows before
// entries move them.
typedef struct {
  int64_t n;
  const char *starts;
  int64_t windowed, operand;
  index_batch step;
} index_stretch;

// halo_index_stretch returns the stretch of at most n index vectors from number first on.
index_stretch halo_index_stretch(const index_plan *, const halo_run *, int64_t first, int64_t n);

// A gather copies windows from src to dst: by the loop of a move, in tasks of part index vectors, or of one if a window
// itself is several tasks. Element windows have axes of one step.
typedef struct {
  halo_record head;
  halo_ref dst, src;
  int64_t log_width, element, part, tasks; // tasks of a window
  move_loop loop;
  int64_t axes; // of a window, after the plan
  index_plan plan;
} index_gather;

void halo_gather(const halo_record *, halo_run *);

// A gather whose windows lie across one another in dst. It finds all places first, in the table; then it moves single
// elements along axes in the order of dst, of which some go through the table.
typedef struct {
  int64_t n, dst, src, table, part, pad; // part: steps in one task
} index_axis;

typedef struct {
  halo_record head;
  halo_ref dst, src, table;
  int64_t log_width, axes, tasks, pad; // axes, after the plan
  index_plan plan;
} index_columns;

void halo_gather_columns(const halo_record *, halo_run *);

#endif
