// choose.h: select-and-scatter.
#ifndef HALO_CHOOSE_H
#define HALO_CHOOSE_H

#include "window.h"

enum { CHOOSE_PLACES = 256 }; // that are chosen for at once

// halo_chooser says for n places which of their taps is chosen: place j has, for each of the count positions at p, taps
// elements of x from p + j*move on, every step; chosen[j] is the number of the tap.
typedef void (*halo_chooser)(const void *x, const int64_t *p, int64_t count, int64_t taps, int64_t step, int64_t n,
                             int64_t move, int32_t *chosen);

// halo_adder adds source[j*source_stride] to out[p[chosen[j]] + j*move] for each of n places.
typedef void (*halo_adder)(void *out, const int64_t *p, const int32_t *chosen, int64_t move, const void *source,
                           int64_t n, int64_t source_stride);

// halo_side_chooser chooses for places side by side among count positions, and adds source[j] to what place j chooses
// in out. It returns how many of the n it has done: whole vectors.
typedef int64_t (*halo_side_chooser)(const void *x, void *out, const void *source, const int64_t *p, int64_t count,
                                     int64_t n);

// halo_choose is a record. First start makes results of the init value, fill of them a task. Then a task is a strip of
// the lines of a group of rows: groups never meet in a result. If they lie apart, each makes its own results, fill of
// them, which are near when elements are added to them. Without a chooser the program select compares, without
// an adder the program scatter combines; side does the work of both as far as it goes.
typedef struct {
  halo_record head;
  halo_chooser chooser;
  halo_adder adder;
  halo_side_chooser side;
  halo_ref operand, source, init, out;
  int64_t x_bytes, out_bytes, results, fill;
  int64_t groups, rows, apart, strips, strip; // rows of a group; strip: places of a segment, if strips is more than 1
  int64_t start, select, scatter, plan;
} halo_choose;

void halo_choose_record(const halo_record *, halo_run *);

#endif
