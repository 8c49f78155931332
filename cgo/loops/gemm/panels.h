/* panels.h: products by columns that were packed before, for good: known weights. */
#ifndef HALO_PANELS_H
#define HALO_PANELS_H

#include "packed.h"
#include "window.h"

/* What is done with rows of a, as gemm.Rows has it: they are packed, or read where they lie, or copied first, which
 * both want their terms side by side; or they are what windows see, of f32. */
enum { PANELS_PACKED, PANELS_NEAR, PANELS_COPIED, PANELS_WINDOWS };
enum { PANELS_BIAS = 1, PANELS_MORE = 2, PANELS_FLOOR = 4, PANELS_CAP = 8 };

/* A piece of a product, which one thread does: c[i, j] = sum over p of a[i, p] b[p, j]. Its columns are those of some
 * groups of n columns each: group g begins group_panels bytes behind panels and group_c elements behind c. Neighbours
 * of a are so many elements apart. If ends says so, c[i, j] has more: bias[j], then more[i, j], which lies as c does,
 * of the sum what is above 0, or 0, or NaN, and of that what is not above most, or most. Rows that are packed end
 * without. */
typedef struct {
  halo_record head;
  halo_ref a, panels, c;
  int64_t m, n, k;
  int64_t row_a, column_a, row_c;
  int64_t groups, group_panels, group_c;
  int64_t isa, kind, rows;
  halo_ref bias, more;
  int64_t ends; /* which of PANELS_BIAS, PANELS_MORE, PANELS_FLOOR, PANELS_CAP */
  double most;
  halo_windows windows;
} halo_panels_record;

/* halo_panels_bytes is the memory of n packed columns. */
int64_t halo_panels_bytes(int64_t isa, int64_t kind, int64_t n, int64_t k);

/* halo_panels_pack packs n columns of b, whose neighbours are so many elements apart. */
void halo_panels_pack(int64_t isa, int64_t kind, void *to, const void *b, int64_t n, int64_t k, int64_t row_b,
                      int64_t column_b);

/* halo_panels computes a record. */
void halo_panels(const halo_record *record, halo_run *run);

#endif
