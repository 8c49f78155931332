/* batch.h: many small matrices of f32 or f64 at once, each in a lane of the vectors. A block of matrices is brought
 * into lanes, computed, and brought back. No number depends on the other lanes, and tasks are whole blocks. */
#ifndef HALO_BATCH_H
#define HALO_BATCH_H

#include "../run/record.h"

enum { BATCH_PRODUCT, BATCH_CHOLESKY, BATCH_LU, BATCH_SOLVE, BATCH_QR, BATCH_Q, BATCH_TRANSPOSE, BATCH_OPS };

enum { BATCH_PARTS = 3, BATCH_ELEMENTS = 1024 };

/* halo_batch_part is an array with so many elements for each matrix, one behind the other, s32 if it is of integers. It
 * is read before and written after, unless a slot is less than 0. */
typedef struct {
  halo_ref src, dst; /* may be the same */
  int64_t elements, integers;
} halo_batch_part;

/* halo_batch_record is op on each matrix. Its parts are
 *   product   a, b, c = a b: m by k, k by n and m by n
 *   cholesky  a n by n, whose triangle becomes the factor; info, the first column that is not positive, from 1, else 0.
 *             With clean the other triangle becomes zero, and all is NaN if the matrix is not positive
 *   lu        a m by n; pivots, the rows exchanged in turn, from 1; info, the first pivot that is zero, from 1, else 0
 *   solve     a m by m, of which lower and unit say what is read; b, with n right-hand sides, which becomes x
 *   qr        a m by n, which becomes LAPACK's reflectors and R; their factors
 *   q         the reflectors, m by n, which become the first columns of Q; factors, of which k count
 *   transpose a m by n, and what it becomes, whose bits are a's
 * rows and columns are the distances of neighbours in a column and in a row of each part, where op takes any; sides of
 * a solve are columns. elements together are at most BATCH_ELEMENTS, each part counted as at least one vector of 16
 * bytes. A task is some blocks. */
typedef struct {
  halo_record head;
  halo_batch_part part[BATCH_PARTS];
  int64_t op, m, n, k, rows[BATCH_PARTS], columns[BATCH_PARTS];
  int64_t lower, unit, clean, batch, per_task, wide, isa;
} halo_batch_record;

/* halo_batch_kernel does some matrices from one on. most is the most that are a block. */
typedef struct {
  void (*some)(const halo_batch_record *r, halo_run *run, int64_t from, int64_t count);
  int64_t most;
} halo_batch_kernel;

/* By type: f32, f64. */
extern const halo_batch_kernel halo_batch_base[2], halo_batch_avx2[2], halo_batch_avx512[2];

void halo_batch(const halo_record *r, halo_run *run);

#endif
