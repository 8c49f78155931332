// window.h: how windows lie on arrays, and reductions of windows. The plan is made by backend/cpu/kernel's NewWindow.
#ifndef HALO_WINDOW_H
#define HALO_WINDOW_H

#include <stddef.h>

#include "../run/record.h"
#include "../scalar/program.h"

// halo_taps is n elements, the first at at and then every step; distances are in elements.
typedef struct {
  int64_t at, n, step;
} halo_taps;

// halo_place_axis is a dimension of the places: how far they are apart in the result, how many there are, and where
// their taps stand, counted in taps.
typedef struct {
  int64_t stride, n, places;
} halo_place_axis;

// halo_line_segment is n places of a line with alike taps: those of place j are j*move further. For a pool each is
// width places side by side.
typedef struct {
  int64_t out, n, move, at, taps, step, width;
} halo_line_segment;

// halo_window_plan is a part of a record; the offsets of its lists are from the plan's beginning.
typedef struct {
  int64_t axes, segments, line_stride, terms; // terms: the most taps of the axes together
  int64_t rows, axes_at, places_at, line_at;  // rows: places of the axes
} halo_window_plan;

#define HALO_PLAN_AT(p, offset) ((const void *)((const char *)(p) + (p)->offset))

// halo_window_row finds the taps of the axes for a row: their positions, in order. It returns how many there are and
// the row's place in the result.
int64_t halo_window_row(const halo_window_plan *p, int64_t row, int64_t *taps, int64_t *out);

// halo_window_operand is like halo_fold_operand.
typedef struct {
  halo_ref x, init, acc, out;
  int64_t x_bytes, acc_bytes, out_bytes;
} halo_window_operand;

// halo_pool reduces the taps of n places: place j has, for each of the count positions at p, taps elements of x from
// p + j*move on, every step. Results are out_stride apart. Each of the n is width places side by side, as their taps
// are.
typedef void (*halo_pool)(const void *x, const void *init, void *out, const int64_t *p, int64_t count, int64_t taps,
                          int64_t step, int64_t n, int64_t move, int64_t out_stride, int64_t width);

// halo_window is a record: a reduction by programs as in fold.h, or of one operand by pool. A task is some segments.
typedef struct {
  halo_record head;
  halo_pool pool;
  int64_t operands, tasks, grain; // grain: segments of a task
  int64_t start, step, finish, list, plan;
} halo_window;

void halo_window_record(const halo_record *, halo_run *);

#endif
