#include "record.h"

#include <string.h>

#include "../loops/gemm/blas.h"
#include "openblas.h"

enum { ROW_MAJOR = 101, NO_TRANS = 111, TRANS = 112 };

/* clear makes n elements zero, stride apart: what the library does with a factor of 0 depends on its version. */
static void clear(char *c, int64_t n, int64_t stride, size_t width) {
  for (int64_t i = 0; i < n; i++) memset(c + i * stride * (int64_t)width, 0, width);
}

static const float c_one[2] = {1, 0}, c_zero[2];
static const double z_one[2] = {1, 0}, z_zero[2];

/* Each type has a product by gemv where m or n is 1, since that reads the matrix once and packs nothing. */
#define PRODUCT(p, width, one, zero) \
  static void p##product(const halo_blas_record *r, halo_run *run, int64_t m, int64_t n, const void *a, const void *b, \
                         void *c) { \
    (void)run; \
    int ta = r->transpose_a != 0, tb = r->transpose_b != 0; \
    if (r->k == 0) { \
      for (int64_t i = 0; i < m; i++) clear((char *)c + i * r->ldc * width, n, 1, width); \
    } else if (n == 1) { \
      clear(c, m, r->ldc, width); \
      openblas.cblas_##p##gemv(ROW_MAJOR, ta ? TRANS : NO_TRANS, ta ? r->k : m, ta ? m : r->k, one, a, r->lda, b, \
                               tb ? 1 : r->ldb, zero, c, r->ldc); \
    } else if (m == 1) { \
      clear(c, n, 1, width); \
      openblas.cblas_##p##gemv(ROW_MAJOR, tb ? NO_TRANS : TRANS, tb ? n : r->k, tb ? r->k : n, one, b, r->ldb, a, \
                               ta ? r->lda : 1, zero, c, 1); \
    } else { \
      openblas.cblas_##p##gemm(ROW_MAJOR, ta ? TRANS : NO_TRANS, tb ? TRANS : NO_TRANS, m, n, r->k, one, a, r->lda, b, \
                               r->ldb, zero, c, r->ldc); \
    } \
  } \
  void halo_openblas_##p##gemm(const halo_record *r, halo_run *run) { halo_blas_run(r, run, p##product); }

PRODUCT(c, 8, c_one, c_zero)
PRODUCT(z, 16, z_one, z_zero)
