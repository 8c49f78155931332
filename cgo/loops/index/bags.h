// bags.h: sums of gathered rows.
#ifndef HALO_BAGS_H
#define HALO_BAGS_H

#include "index.h"

// Each row of dst is init and the sum of bag <= INDEX_BLOCK windows of src, row floats each, that follow one another;
// in tasks of part bags.
typedef struct {
  halo_record head;
  halo_ref dst, src, init;
  int64_t row, bag, part, pad;
  index_plan plan;
} index_bags;

void halo_bags(const halo_record *, halo_run *);

#endif
