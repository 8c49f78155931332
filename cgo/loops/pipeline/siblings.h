// siblings.h: reductions of the values of one space, each along dimensions of its own, in one pass over memory.
//
// The space is rows of its last dimension. A task is a chunk of its first dimension and a strip of its last one, and
// goes through them in tiles: the program, if there is one, computes a tile of all values, and each reduction takes its
// own before that leaves the cache. What several tasks come to is merged in the end, in pairs, and of each accumulators
// side by side one result is made.
#ifndef HALO_SIBLINGS_H
#define HALO_SIBLINGS_H

#include "../reduce/ops.h"
#include "pipeline.h"

enum { HALO_MAX_TEMPS = 64 };

// halo_sibling is a reduction. Its accumulators lie in acc, in the order of the results: a copy for each chunk and
// strip whose places go into the same results.
typedef struct {
  const halo_plain_ops *ops;
  halo_ref x;              // an array over the space
  halo_ref init, out, acc;
  int64_t temp;            // 1 more than the number of the value that it takes instead of x, or 0
  int64_t results, bits;   // results: accumulators of a copy
  int64_t by_chunk, by_strip;     // there are copies for each
  int64_t strides[HALO_MAX_RANK]; // of its results along the dimensions of the space, 0 along those that are reduced
} halo_sibling;

typedef struct {
  halo_record head;
  int64_t siblings, rank, dims[HALO_MAX_RANK];
  int64_t chunks, chunk, strips, strip; // how many there are, and how much of a dimension each has
  int64_t rows, cols;                   // of a tile
  int64_t each;
  int64_t temps, values; // outputs at the end of the program that are only tiles; 1 if there is a program
  // siblings follow, and the program, a halo_pipeline_record
} halo_siblings_record;

void halo_siblings(const halo_record *, halo_run *);

#endif
