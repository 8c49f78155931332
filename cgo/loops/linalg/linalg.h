/* linalg.h: triangular solves, and factorizations of row-major matrices of f32 or f64, in blocks of columns. A block is
 * packed and factored by one thread; what it changes of the rest is done in strips, on all threads. Strips depend on
 * sizes alone, and an element is always made of the same sums, so that no bit depends on the number of threads. */
#ifndef HALO_LINALG_H
#define HALO_LINALG_H

#include "../run/record.h"

/* P L U = A of batch matrices m by n. pivots[batch][min(m, n)] are the rows exchanged in turn, from 1, and info[batch],
 * unless its slot is less than 0, the first pivot that is zero, from 1, else 0. */
typedef struct {
  halo_record head;
  halo_ref dst, src, pivots, info; /* dst may be src */
  int64_t m, n, batch, wide, isa;
} halo_lu_record;

/* L L' = A or U' U = A of batch matrices n by n, of which a triangle is read. info[batch] gets the first column that is
 * not positive, from 1, else 0. Without a report, a slot less than 0, the other triangle becomes zero, and all NaN if
 * the matrix is not positive; with one the other triangle is left as it is in src. */
typedef struct {
  halo_record head;
  halo_ref dst, src, info; /* dst may be src */
  int64_t n, batch, lower, wide, isa;
} halo_cholesky_record;

/* The solutions of batch systems with m unknowns and k right-hand sides: the sides are the columns of b if left, else
 * its rows. Neighbours in a column and in a row of a triangular matrix are row_a and column_a apart; lower and unit say
 * what is read of it. A task takes chunk sides of one system, and chunk times m elements of scratch for each are whole
 * vectors. */
typedef struct {
  halo_record head;
  halo_ref dst, a, b, scratch; /* dst may be b */
  int64_t m, k, batch, row_a, column_a, left, lower, unit, chunk, per_task, wide, isa;
} halo_solve_record;

/* halo_linalg_kernel factors one matrix of one type in place, with scratch for an outer block in both forms, with the
 * tasks of run or alone. The result is info, or -1 if the run was cancelled. solve solves one system for some
 * right-hand sides from a first one on. */
typedef struct {
  int64_t (*lu)(void *a, int64_t m, int64_t n, int32_t *pivots, void *scratch, halo_run *run, int alone);
  int64_t (*cholesky)(void *a, int64_t n, int lower, void *scratch, halo_run *run, int alone);
  void (*solve)(const halo_solve_record *r, const void *a, const void *b, void *x, void *scratch, int64_t first,
                int64_t sides, halo_run *run);
} halo_linalg_kernel;

/* By type: f32, f64. */
extern const halo_linalg_kernel halo_linalg_base[2], halo_linalg_avx2[2], halo_linalg_avx512[2];

/* A block has LINALG_BLOCK columns. LU of more than LINALG_SMALL columns has outer blocks of LINALG_MIDDLE, and of more
 * than LINALG_LARGE of LINALG_OUTER, so that what is behind them goes through the caches less often. Cholesky, which
 * does no block ahead, has LINALG_OUTER beyond LINALG_TALL. A packed column is longer than the matrix by LINALG_PAD,
 * so that columns do not meet in the cache. */
enum {
  LINALG_BLOCK = 32,
  LINALG_MIDDLE = 64,
  LINALG_OUTER = 128,
  LINALG_SMALL = 256,
  LINALG_TALL = 512,
  LINALG_LARGE = 1024,
  LINALG_PAD = 48
};

void halo_lu(const halo_record *r, halo_run *run);
void halo_cholesky(const halo_record *r, halo_run *run);
void halo_solve(const halo_record *r, halo_run *run);

#endif
