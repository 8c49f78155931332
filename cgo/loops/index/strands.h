// strands.h: index vectors in stretches that go side by side, one window of each in turn. Updates that are read from
// several far places come faster than from one, and what a place gets comes in the same order where no window of a
// strand touches one of another.
#ifndef HALO_STRANDS_H
#define HALO_STRANDS_H

#include "index.h"

// One task has at most so many at once, as its level says. Fewer bytes of updates than STRAND_BYTES may be in the third
// cache, from where they come faster as they lie.
enum { STRANDS = 4, STRAND_BYTES = 1 << 24, MOST_STRANDS = 64 };

// Those from number at on, before end.
typedef struct {
  int64_t at, end;
} index_strand;

// halo_index_strands cuts all index vectors into n <= MOST_STRANDS strands and returns whether no windows of two touch
// each other, which have some bytes from their place on.
int halo_index_strands(const index_plan *, const halo_run *, int64_t bytes, index_strand *, int64_t n);

// halo_index_side_by_side finds the next places of STRANDS strands, in turns, and returns how many there are.
int64_t halo_index_side_by_side(const index_plan *, const halo_run *, index_strand *, index_places *);

#endif
