// choose.h: select-and-scatter.
#ifndef HALO_CHOOSE_H
#define HALO_CHOOSE_H

#include "window.h"

enum { CHOOSE_PLACES = 256 }; // that are chosen for at once

// halo_chooser says for n places which of their taps is chosen: place j has, for each of the count positions at p, taps
// elements of x from p + j*move on, every step; chosen[j] is the number of the tap.
typedef void (*halo_chooser)(const void *x, const int64_t *p, int64_t count, int64_t taps, int64_t step, int64_t n,
                             int64_t move, int32_t *chosen);

// halo_adder adds source[j*source_stride] to out[at[j]] for each of n places.
typedef void (*halo_adder)(void *out, const int64_t *at, const void *source, int64_t n, int64_t source_stride);

// halo_choose is a record. First start makes results of the init value, fill of them a task. Then a task is a strip of
// the lines of a group of rows: groups never meet in a result. Without a chooser the program select compares, without
// an adder the program scatter combines.
typedef struct {
  halo_record head;
  halo_chooser chooser;
  halo_adder adder;
  halo_ref operand, source, init, out;
  int64_t x_bytes, out_bytes, results, fill;
  int64_t groups, rows, strips, strip; // rows of a group; strip: places of a segment, if strips is more than 1
  int64_t start, select, scatter, plan;
} halo_choose;

void halo_choose_record(const halo_record *, halo_run *);

#endif
