//go:build linux

#include "window.h"
#include "sizes.h"

/* So many terms are multiplied at a time, for all rows: a panel of them stays in the first cache. */
enum { MOST_WORDS = 256, WORDS = 16 };

typedef struct {
  const halo_windows_record *record;
  const halo_packed_kernel *kernel;
  const float *a, *panels;
  float *c;
} work;

/* multiply does some words of a tap, which begin at a, for all rows and the panel of columns from column j on. The
 * first two panels of rows ask for what is read of b next, each for half. */
static void multiply(const work *w, int64_t j, const float *a, const float *b, int64_t words, int first) {
  const halo_windows_record *r = w->record;
  const halo_packed_kernel *k = w->kernel;
  const char *next = (const char *)(b + words * k->columns);
  for (int64_t i = 0; i < r->rows; i += k->rows) {
    const int64_t part = i / k->rows;
    const int64_t step = part < 2 ? 64 : 0;
    const halo_packed_besides besides = {.ahead = step ? next + part * words * step : (const char *)b, .step = step};
    k->near(a, r->offset + i, 0, b, w->c + i * r->row_c + j, words, r->row_c, least(k->rows, r->rows - i),
            least(k->columns, r->columns - j), first, &besides);
  }
}

void halo_windows(const halo_record *record, halo_run *run) {
  const halo_windows_record *r = (const halo_windows_record *)record;
  const halo_packed_kernel *k = halo_packed_kernel_of(r->isa, PACKED_F32);
  const work w = {r, k, HALO_AT(run, r->a), HALO_AT(run, r->panels), HALO_AT(run, r->c)};
  const int64_t most = pieces(pieces(r->run, pieces(r->run, MOST_WORDS)), WORDS) * WORDS, *taps = r->offset + r->rows;
  const float *b = w.panels;
  for (int64_t j = 0; j < r->columns && !*run->cancel; j += k->columns)
    for (int64_t t = 0; t < r->taps; t++)
      for (int64_t p = 0, words; p < r->run; p += words, b += words * k->columns) {
        words = least(most, r->run - p);
        multiply(&w, j, w.a + taps[t] + p, b, words, t == 0 && p == 0);
      }
}
