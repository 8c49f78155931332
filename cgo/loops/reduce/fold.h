// fold.h: reductions by any program.
#ifndef HALO_FOLD_H
#define HALO_FOLD_H

#include "../run/record.h"
#include "../scalar/program.h"
#include "axes.h"

// halo_fold_operand is one of the arrays that are reduced together: its elements, its init value, its accumulators and
// its results, which may be at the same place.
typedef struct {
  halo_ref x, init, acc, out;
  int64_t x_bytes, acc_bytes, out_bytes;
} halo_fold_operand;

// halo_fold is a record. start makes accumulators of init values, step takes accumulators and elements, finish, if
// there is one, makes results of accumulators. A task is kept places, each of width results, or, when places is 1,
// strips of one place's results. Programs stand at offsets from the record's beginning, then axes and operands.
typedef struct {
  halo_record head;
  int64_t operands, kept, reduced, run, run_reduced; // kept, reduced: numbers of axes
  int64_t tasks, places, strip;                      // places of a task; results of a strip, 0 for all
  int64_t start, step, finish, axes, list;
} halo_fold;

void halo_fold_record(const halo_record *, halo_run *);

#endif
