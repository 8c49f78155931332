/* window.h: products of what windows see of an image by known weights: convolutions. No row of lhs is copied: where it
 * begins is a number of the record, and so is where the runs of its terms lie from there on. */
#ifndef HALO_WINDOW_H
#define HALO_WINDOW_H

#include "packed.h"

/* A piece of a product, which one thread does: c[i, j] = sum over p of a[row i + term p] b[p, j]. Terms are taps runs
 * of so many floats. offset has the places of all rows and then of all taps, in floats. Panels are as panels.h has
 * them. */
typedef struct {
  halo_record head;
  halo_ref a, panels, c;
  int64_t rows, taps, run, columns, row_c;
  int64_t isa;
  int64_t offset[];
} halo_windows_record;

/* halo_windows computes a record. */
void halo_windows(const halo_record *record, halo_run *run);

#endif
