/* window.h: where the terms of rows lie that are what windows see of an array. */
#ifndef HALO_WINDOW_H
#define HALO_WINDOW_H

#include "../run/record.h"

/* So many taps a window has at most, and so many rows a tile. */
enum { HALO_WINDOWS_TAPS = 64, HALO_WINDOWS_ROWS = 12 };

/* halo_window is what one row of a product is: a window, whose tap t begins at at plus what the table has for t, in
 * elements of the array, if bit t of inside is set, and lies outside else. Its sums go to elements from c on. */
typedef struct {
  int64_t at;
  uint64_t inside;
  int64_t c;
} halo_window;

/* halo_windows is all rows of a product. Each tap has run terms side by side, or as many zeros if it lies outside;
 * where taps begin is at table, and behind those are the windows. A sum has at most most terms made at once; those of
 * rows that are copied are copied first. */
typedef struct {
  halo_ref zero, table;
  int64_t taps, run, most, copied;
} halo_windows;

/* halo_windows_run is where a run of terms of each row of a tile begins, and how far behind the first the words of
 * columns are that they are multiplied by, in bytes. */
typedef struct {
  const void *a[HALO_WINDOWS_ROWS];
  int64_t b;
} halo_windows_run;

/* halo_windows_tile finds the runs of a tile of so many rows, which begin from terms behind those of tap first on, for
 * so many taps, and returns how many there are: taps that lie outside for all rows are left out, but for one. Columns
 * of a tap are so many bytes apart. What is no row is the last once more. */
int64_t halo_windows_tile(const halo_window *w, const int64_t *tap, const float *a, const float *zero, int64_t rows,
                          int64_t first, int64_t taps, int64_t from, int64_t columns, halo_windows_run *to);

/* halo_windows_see says whether any of so many rows sees any of so many taps from the first on. */
int halo_windows_see(const halo_window *w, int64_t rows, int64_t first, int64_t taps);

/* halo_windows_most is how many terms are made at once: whole taps, or equal parts of one. */
int64_t halo_windows_most(const halo_windows *w);

#endif
