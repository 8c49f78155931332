//go:build linux

#include "linalg.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const halo_linalg_kernel *kernel_of(int64_t isa, int64_t wide) {
#if defined(__x86_64__)
  if (isa == 2) return &halo_linalg_avx512[wide];
  if (isa == 1) return &halo_linalg_avx2[wide];
#endif
  return &halo_linalg_base[wide];
}

/* packed returns memory for an outer block of a matrix with m rows, in both forms. */
static void *packed(int64_t m, int64_t wide, halo_run *run) {
  const int64_t column = (m + 15) / 16 * 16 + LINALG_PAD;
  void *p = aligned_alloc(64, 2 * (column + 1) * LINALG_OUTER * (wide ? 8 : 4));
  if (!p) halo_fail(run, "out of memory");
  return p;
}

/* fill makes n numbers zero or NaN. */
static void fill(void *a, int64_t wide, int64_t n, int nan) {
  if (!nan) {
    memset(a, 0, n * (wide ? 8 : 4));
    return;
  }
  for (int64_t i = 0; i < n; i++) {
    if (wide)
      ((double *)a)[i] = NAN;
    else
      ((float *)a)[i] = NAN;
  }
}

typedef struct {
  const halo_record *record;
  halo_run *run;
  int alone; /* matrices are the tasks */
} work;

enum { PIECE = 1 << 20 }; /* bytes that are copied between two looks at the cancel word */

/* copy copies bytes unless they are there already, and leaves the rest out once the run is cancelled. */
static void copy(char *dst, const char *src, int64_t bytes, const halo_run *run) {
  for (int64_t at = 0; dst != src && at < bytes && !*run->cancel; at += PIECE)
    memcpy(dst + at, src + at, bytes - at < PIECE ? bytes - at : PIECE);
}

static void lu(void *arg, int64_t i) {
  const work *w = arg;
  const halo_lu_record *r = (const halo_lu_record *)w->record;
  const int64_t bytes = r->m * r->n * (r->wide ? 8 : 4), least = r->m < r->n ? r->m : r->n;
  char *a = (char *)HALO_AT(w->run, r->dst) + i * bytes;
  const char *src = (const char *)HALO_AT(w->run, r->src) + i * bytes;
  copy(a, src, bytes, w->run);
  void *scratch = packed(r->m, r->wide, w->run);
  if (!scratch) return;
  int32_t *pivots = (int32_t *)HALO_AT(w->run, r->pivots) + i * least;
  const int64_t info = kernel_of(r->isa, r->wide)->lu(a, r->m, r->n, pivots, scratch, w->run, w->alone);
  if (r->info.slot >= 0) ((int32_t *)HALO_AT(w->run, r->info))[i] = (int32_t)info;
  free(scratch);
}

static void cholesky(void *arg, int64_t i) {
  const work *w = arg;
  const halo_cholesky_record *r = (const halo_cholesky_record *)w->record;
  const int64_t n = r->n, width = r->wide ? 8 : 4, bytes = n * n * width;
  char *a = (char *)HALO_AT(w->run, r->dst) + i * bytes;
  const char *src = (const char *)HALO_AT(w->run, r->src) + i * bytes;
  copy(a, src, bytes, w->run);
  void *scratch = packed(n, r->wide, w->run);
  if (!scratch) return;
  const int64_t info = kernel_of(r->isa, r->wide)->cholesky(a, n, r->lower != 0, scratch, w->run, w->alone);
  free(scratch);
  if (*w->run->cancel) return;
  if (r->info.slot >= 0) {
    ((int32_t *)HALO_AT(w->run, r->info))[i] = (int32_t)info;
    return;
  }
  if (info > 0) fill(a, r->wide, n * n, 1);
  for (int64_t x = 0; x < n && !info && !*w->run->cancel; x++) {
    const int64_t y = r->lower ? x + 1 : 0, end = r->lower ? n : x;
    fill(a + (x * n + y) * width, r->wide, end - y, 0);
  }
}

static void each(const halo_record *r, halo_run *run, int64_t batch, halo_task task) {
  work w = {r, run, batch > 1};
  if (batch == 1)
    task(&w, 0);
  else if (batch > 1)
    run->parallel(run, batch, task, &w);
}

void halo_lu(const halo_record *r, halo_run *run) { each(r, run, ((const halo_lu_record *)r)->batch, lu); }

void halo_cholesky(const halo_record *r, halo_run *run) {
  each(r, run, ((const halo_cholesky_record *)r)->batch, cholesky);
}

/* solve does some chunks of right-hand sides. */
static void solve(void *arg, int64_t task) {
  const work *w = arg;
  const halo_solve_record *r = (const halo_solve_record *)w->record;
  const int64_t width = r->wide ? 8 : 4, chunks = (r->k + r->chunk - 1) / r->chunk;
  const halo_linalg_kernel *kernel = kernel_of(r->isa, r->wide);
  for (int64_t i = task * r->per_task; i < (task + 1) * r->per_task && i < r->batch * chunks && !*w->run->cancel; i++) {
    const int64_t system = i / chunks, first = i % chunks * r->chunk, rest = r->k - first;
    const int64_t sides = system * r->m * r->k * width, square = system * r->m * r->m * width;
    kernel->solve(r, (const char *)HALO_AT(w->run, r->a) + square, (const char *)HALO_AT(w->run, r->b) + sides,
                  (char *)HALO_AT(w->run, r->dst) + sides,
                  (char *)HALO_AT(w->run, r->scratch) + i * r->m * r->chunk * width, first,
                  rest < r->chunk ? rest : r->chunk, w->run);
  }
}

void halo_solve(const halo_record *record, halo_run *run) {
  const halo_solve_record *r = (const halo_solve_record *)record;
  work w = {record, run, 0};
  const int64_t chunks = r->batch * ((r->k + r->chunk - 1) / r->chunk);
  const int64_t tasks = (chunks + r->per_task - 1) / r->per_task;
  if (tasks == 1)
    solve(&w, 0);
  else if (tasks > 1)
    run->parallel(run, tasks, solve, &w);
}
