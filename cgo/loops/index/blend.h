// blend.h: weighted sums of rows.
#ifndef HALO_BLEND_H
#define HALO_BLEND_H

#include "index.h"

// A tap is a row of src, at bytes from where the sum's place is, and what it is multiplied by.
typedef struct {
  int64_t at;
  float weight, pad;
} index_tap;

// A tap of eight sums that are neighbours: each multiplies one of the eight floats of src that begin at bytes from
// where the place is.
typedef struct {
  int64_t at, pad;
  int32_t lane[8];
  float weight[8];
} index_lanes;

enum { BLEND_AXES = 8 };

// n steps: of dst and src, in bytes, and of taps, in sums.
typedef struct {
  int64_t n, dst, src, taps;
} index_blend_axis;

// Each row of dst, row floats, is the sum of count taps; there is one for each place along the axes, which follow. If
// lanes is 1, the taps are those of each eight floats of a row, all rows alike; the last eight end where the row does.
// Tasks have part rows. spoiled is a byte that becomes 1 if a sum is infinite or NaN, and 0 if none is.
typedef struct {
  halo_record head;
  halo_ref dst, src, taps, spoiled;
  int64_t isa, row, count, rows, part, axes, lanes, pad;
} index_blend;

void halo_blend(const halo_record *, halo_run *);

#endif
