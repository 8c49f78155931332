#pragma GCC optimize("O3", "no-math-errno")
#include "linalg.h"

#include <math.h>
#include <string.h>

#include "openblas.h"

enum {
  ROW = 101, COLUMN = 102, NO_TRANS = 111, TRANS = 112, CONJ_TRANS = 113, UPPER = 121, LOWER = 122, NON_UNIT = 131,
  UNIT = 132, LEFT = 141, RIGHT = 142,
};

enum {
  BLOCK = 32, /* columns that are factored before the rest is updated */
  ROWS = 128, /* of a task that updates */
};

#define MIN(a, b) ((a) < (b) ? (a) : (b))

static const float c_one[2] = {1, 0}, c_minus[2] = {-1, 0};
static const double z_one[2] = {1, 0}, z_minus[2] = {-1, 0};

enum { PIECE = 1 << 20 }; /* bytes that are copied between two looks at the cancel word */

/* copy copies bytes unless they are there already, and leaves the rest out once the run is cancelled. */
static void copy(void *dst, const void *src, int64_t bytes, const halo_run *run) {
  if (dst == src) return;
  for (int64_t at = 0; at < bytes && !*run->cancel; at += PIECE)
    memcpy((char *)dst + at, (const char *)src + at, MIN(PIECE, bytes - at));
}

/* p is the prefix, T a complex number, R its real part's type. Real matrices are factored by our own kernels. */
#define CHOLESKY(p, T, R) \
  typedef struct { \
    T *a; \
    int64_t n, rs, cs, first, end; \
    unsigned order; \
  } p##factor; \
\
  /* diagonal factors the block on the diagonal and returns its first column that is not positive, or 0. */ \
  static int64_t p##diagonal(const p##factor *f) { \
    T *d = f->a + f->first * (f->rs + f->cs); \
    for (int64_t i = 0; i < f->end - f->first; i++) \
      for (int64_t j = 0; j <= i; j++) { \
        T sum = d[i * f->rs + j * f->cs]; \
        for (int64_t k = 0; k < j; k++) sum -= d[i * f->rs + k * f->cs] * ~(d[j * f->rs + k * f->cs]); \
        if (j < i) { \
          d[i * f->rs + j * f->cs] = sum / __real__(d[j * (f->rs + f->cs)]); \
        } else { \
          if (!(__real__(sum) > 0)) return i + 1; \
          d[i * f->rs + i * f->cs] = sqrt(__real__(sum)); \
        } \
      } \
    return 0; \
  } \
\
  /* update takes the product of the columns that are done off the rows of a task, up to the diagonal. */ \
  static void p##update(void *arg, int64_t i) { \
    const p##factor *f = arg; \
    const int64_t top = f->end + i * ROWS, rows = MIN(ROWS, f->n - top), width = f->end - f->first; \
    T *left = f->a + top * f->rs + f->first * f->cs, *a = f->a + top * f->rs + f->end * f->cs; \
    if (top > f->end) \
      openblas.cblas_##p##gemm(f->order, NO_TRANS, CONJ_TRANS, rows, top - f->end, width, p##_minus, left, f->n, \
                               f->a + f->end * f->rs + f->first * f->cs, f->n, p##_one, a, f->n); \
    openblas.cblas_##p##herk(f->order, LOWER, NO_TRANS, rows, width, -1, left, f->n, 1, a + (top - f->end) * f->cs, \
                             f->n); \
  } \
\
  /* matrix factors one matrix in place, alone or with the tasks of run. It returns as diagonal does. */ \
  static int64_t p##matrix(T *a, int64_t n, int lower, halo_run *run, int alone) { \
    p##factor f = {.a = a, .n = n, .rs = lower ? n : 1, .cs = lower ? 1 : n, .order = lower ? ROW : COLUMN}; \
    for (f.first = 0; f.first < n; f.first = f.end) { \
      f.end = MIN(f.first + BLOCK, n); \
      const int64_t bad = p##diagonal(&f); \
      if (bad) return f.first + bad; \
      if (f.end == n) break; \
      T *d = a + f.first * (f.rs + f.cs); \
      openblas.cblas_##p##trsm(f.order, RIGHT, LOWER, CONJ_TRANS, NON_UNIT, n - f.end, f.end - f.first, p##_one, d, \
                               n, d + (f.end - f.first) * f.rs, n); \
      const int64_t tasks = (n - f.end + ROWS - 1) / ROWS; \
      if (!alone) run->parallel(run, tasks, p##update, &f); \
      for (int64_t i = 0; alone && i < tasks && !*run->cancel; i++) p##update(&f, i); \
      if (*run->cancel) return 0; \
    } \
    return 0; \
  } \
\
  typedef struct { \
    const halo_cholesky_record *r; \
    T *dst; \
    const T *src; \
    int32_t *info; \
    halo_run *run; \
  } p##cholesky; \
\
  static void p##one(const p##cholesky *j, int64_t i, int alone) { \
    const int64_t n = j->r->n; \
    T *a = j->dst + i * n * n; \
    copy(a, j->src + i * n * n, n * n * sizeof(T), j->run); \
    const int64_t bad = p##matrix(a, n, j->r->lower, j->run, alone); \
    if (*j->run->cancel) return; \
    if (j->r->report) { \
      j->info[i] = (int32_t)bad; \
      return; \
    } \
    if (bad) { \
      R *parts = (R *)a; /* both parts of complex numbers */ \
      for (size_t k = 0; k < n * n * sizeof(T) / sizeof(R); k++) parts[k] = NAN; \
      return; \
    } \
    for (int64_t x = 0; x < n && !*j->run->cancel; x++) \
      for (int64_t y = j->r->lower ? x + 1 : 0; y < (j->r->lower ? n : x); y++) a[x * n + y] = 0; \
  } \
\
  static void p##cholesky_task(void *arg, int64_t i) { p##one(arg, i, 1); } \
\
  void halo_openblas_##p##potrf(const halo_record *head, halo_run *run) { \
    const halo_cholesky_record *r = (const halo_cholesky_record *)head; \
    p##cholesky j = {r, HALO_AT(run, r->dst), HALO_AT(run, r->src), r->report ? HALO_AT(run, r->info) : 0, run}; \
    if (r->batch > 1) \
      run->parallel(run, r->batch, p##cholesky_task, &j); \
    else if (r->batch == 1) \
      p##one(&j, 0, 0); \
  }

/* one is 1 as CBLAS takes factors. */
#define SOLVE(p, T, one) \
  typedef struct { \
    const halo_solve_record *r; \
    T *dst; \
    const T *a; \
  } p##solve; \
\
  static void p##solve_task(void *arg, int64_t i) { \
    const p##solve *j = arg; \
    const halo_solve_record *r = j->r; \
    const int64_t parts = (r->k + r->chunk - 1) / r->chunk, first = i % parts * r->chunk; \
    const int64_t some = MIN(r->chunk, r->k - first); \
    T *b = j->dst + i / parts * r->m * r->k + first * (r->left ? 1 : r->m); \
    openblas.cblas_##p##trsm(ROW, r->left ? LEFT : RIGHT, r->lower ? LOWER : UPPER, r->transpose, \
                             r->unit ? UNIT : NON_UNIT, r->left ? r->m : some, r->left ? some : r->m, one, \
                             j->a + i / parts * r->m * r->m, r->m, b, r->left ? r->k : r->m); \
  } \
\
  void halo_openblas_##p##trsm(const halo_record *head, halo_run *run) { \
    const halo_solve_record *r = (const halo_solve_record *)head; \
    p##solve j = {r, HALO_AT(run, r->dst), HALO_AT(run, r->a)}; \
    const T *b = HALO_AT(run, r->b); \
    copy(j.dst, b, r->batch * r->m * r->k * sizeof(T), run); \
    run->parallel(run, r->batch *((r->k + r->chunk - 1) / r->chunk), p##solve_task, &j); \
  }

CHOLESKY(c, float _Complex, float)
CHOLESKY(z, double _Complex, double)

SOLVE(c, float _Complex, c_one)
SOLVE(z, double _Complex, z_one)
