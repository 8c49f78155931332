/* blas.h: records of matrix products in the form that BLAS libraries take: c = op(a) op(b), row-major. A record has
 * many products of one shape of strides, parts of one product or of a batch. */
#ifndef HALO_BLAS_H
#define HALO_BLAS_H

#include "../run/record.h"

/* halo_blas_piece is one product, m by n; its matrices begin so many bytes behind the operands. */
typedef struct {
  int64_t a, b, c, m, n;
} halo_blas_piece;

typedef struct {
  halo_record head;
  halo_ref a, b, c;
  int64_t k, lda, ldb, ldc;       /* strides of rows, in elements */
  int64_t transpose_a, transpose_b; /* the matrix in memory is the transpose */
  int64_t pieces, per_task;
  halo_blas_piece piece[];
} halo_blas_record;

/* halo_blas_function does one product. */
typedef void (*halo_blas_function)(const halo_blas_record *r, halo_run *run, int64_t m, int64_t n, const void *a,
                                   const void *b, void *c);

typedef struct {
  const halo_blas_record *record;
  halo_run *run;
  halo_blas_function function;
} halo_blas_work;

static inline void halo_blas_task(void *arg, int64_t task) {
  const halo_blas_work *w = (const halo_blas_work *)arg;
  const halo_blas_record *r = w->record;
  const char *a = (const char *)HALO_AT(w->run, r->a), *b = (const char *)HALO_AT(w->run, r->b);
  char *c = (char *)HALO_AT(w->run, r->c);
  int64_t end = (task + 1) * r->per_task;
  for (int64_t i = task * r->per_task; i < end && i < r->pieces && !*w->run->cancel; i++) {
    const halo_blas_piece *p = &r->piece[i];
    w->function(r, w->run, p->m, p->n, a + p->a, b + p->b, c + p->c);
  }
}

/* halo_blas_run does all products of a record. */
static inline void halo_blas_run(const halo_record *r, halo_run *run, halo_blas_function function) {
  halo_blas_work w = {(const halo_blas_record *)r, run, function};
  int64_t tasks = (w.record->pieces + w.record->per_task - 1) / w.record->per_task;
  if (tasks == 1)
    halo_blas_task(&w, 0);
  else
    run->parallel(run, tasks, halo_blas_task, &w);
}

#endif
