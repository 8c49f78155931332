/* Functions of records of linear algebra: batches of dense row-major matrices. Sizes fit 32 bits. */
#ifndef HALO_OPENBLAS_LINALG_H
#define HALO_OPENBLAS_LINALG_H

#include "../loops/run/record.h"

/* The factors of batch matrices n by n: the other triangle is zero, and all is NaN if a matrix is not positive. With
 * report the other triangle is left as it is, and info[batch] gets the first column that is not positive, from 1. */
typedef struct {
  halo_record head;
  halo_ref dst, src, info;
  int64_t n, batch, lower, report;
} halo_cholesky_record;

/* The solutions of batch systems with m unknowns and k right-hand sides, chunk of them a task. transpose is CBLAS's. */
typedef struct {
  halo_record head;
  halo_ref dst, a, b;
  int64_t m, k, batch, left, lower, unit, transpose, chunk;
} halo_solve_record;

void halo_openblas_cpotrf(const halo_record *r, halo_run *run);
void halo_openblas_zpotrf(const halo_record *r, halo_run *run);

void halo_openblas_ctrsm(const halo_record *r, halo_run *run);
void halo_openblas_ztrsm(const halo_record *r, halo_run *run);

#endif
