//go:build linux

#include "window.h"
#include "sizes.h"

int64_t halo_windows_tile(const halo_window *w, const int64_t *tap, const float *a, const float *zero, int64_t rows,
                          int64_t first, int64_t taps, int64_t from, int64_t columns, halo_windows_run *to) {
  uint64_t any = 0;
  int64_t runs = 0;
  for (int64_t i = 0; i < rows; i++) any |= w[i].inside;
  for (int64_t t = first; t < first + taps; t++) {
    if (!(any >> t & 1) && (runs || t + 1 < first + taps)) continue;
    halo_windows_run *r = to + runs++;
    const float *begin = a + tap[t] + from;
    for (int64_t i = 0; i < HALO_WINDOWS_ROWS; i++) {
      const halo_window *row = w + (i < rows ? i : rows - 1);
      r->a[i] = row->inside >> t & 1 ? begin + row->at : zero;
    }
    r->b = (t - first) * columns;
  }
  return runs;
}

int halo_windows_see(const halo_window *w, int64_t rows, int64_t first, int64_t taps) {
  uint64_t any = 0;
  for (int64_t i = 0; i < rows; i++) any |= w[i].inside;
  return (any >> first & ~UINT64_C(0) >> (64 - taps)) != 0;
}

int64_t halo_windows_most(const halo_windows *w) {
  if (w->run >= w->most) return pieces(pieces(w->run, pieces(w->run, w->most)), 16) * 16;
  return pieces(w->taps, pieces(w->taps, w->most / w->run)) * w->run;
}
