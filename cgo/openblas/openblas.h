/* The part of OpenBLAS that we call: its cblas.h, version 0.3.21. One row a function:
 *   X(name, result, (parameters), (arguments))
 * The lists make the table, the prototypes and the calls, so they are the only place to edit. Enumerations are
 * unsigned, and int is what a library without suffix 64 takes. scripts/check-headers.sh compares with the vendor's
 * header. */
#ifndef HALO_OPENBLAS_H
#define HALO_OPENBLAS_H

#define OPENBLAS_REAL(X, p, T) \
  X(cblas_##p##gemm, void, (unsigned order, unsigned ta, unsigned tb, int m, int n, int k, T alpha, \
      const T *a, int lda, const T *b, int ldb, T beta, T *c, int ldc), \
      (order, ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)) \
  X(cblas_##p##symm, void, (unsigned order, unsigned side, unsigned uplo, int m, int n, T alpha, const T *a, \
      int lda, const T *b, int ldb, T beta, T *c, int ldc), \
      (order, side, uplo, m, n, alpha, a, lda, b, ldb, beta, c, ldc)) \
  X(cblas_##p##syrk, void, (unsigned order, unsigned uplo, unsigned ta, int n, int k, T alpha, const T *a, \
      int lda, T beta, T *c, int ldc), \
      (order, uplo, ta, n, k, alpha, a, lda, beta, c, ldc)) \
  X(cblas_##p##syr2k, void, (unsigned order, unsigned uplo, unsigned ta, int n, int k, T alpha, const T *a, \
      int lda, const T *b, int ldb, T beta, T *c, int ldc), \
      (order, uplo, ta, n, k, alpha, a, lda, b, ldb, beta, c, ldc)) \
  X(cblas_##p##trmm, void, (unsigned order, unsigned side, unsigned uplo, unsigned ta, unsigned diag, int m, \
      int n, T alpha, const T *a, int lda, T *b, int ldb), \
      (order, side, uplo, ta, diag, m, n, alpha, a, lda, b, ldb)) \
  X(cblas_##p##trsm, void, (unsigned order, unsigned side, unsigned uplo, unsigned ta, unsigned diag, int m, \
      int n, T alpha, const T *a, int lda, T *b, int ldb), \
      (order, side, uplo, ta, diag, m, n, alpha, a, lda, b, ldb)) \
  X(cblas_##p##gemv, void, (unsigned order, unsigned ta, int m, int n, T alpha, const T *a, int lda, \
      const T *x, int incx, T beta, T *y, int incy), \
      (order, ta, m, n, alpha, a, lda, x, incx, beta, y, incy)) \
  X(cblas_##p##symv, void, (unsigned order, unsigned uplo, int n, T alpha, const T *a, int lda, const T *x, \
      int incx, T beta, T *y, int incy), \
      (order, uplo, n, alpha, a, lda, x, incx, beta, y, incy)) \
  X(cblas_##p##trmv, void, (unsigned order, unsigned uplo, unsigned ta, unsigned diag, int n, const T *a, \
      int lda, T *x, int incx), \
      (order, uplo, ta, diag, n, a, lda, x, incx)) \
  X(cblas_##p##trsv, void, (unsigned order, unsigned uplo, unsigned ta, unsigned diag, int n, const T *a, \
      int lda, T *x, int incx), \
      (order, uplo, ta, diag, n, a, lda, x, incx)) \
  X(cblas_##p##ger, void, (unsigned order, int m, int n, T alpha, const T *x, int incx, const T *y, int incy, \
      T *a, int lda), \
      (order, m, n, alpha, x, incx, y, incy, a, lda))

#define OPENBLAS_COMPLEX(X, p, T) \
  X(cblas_##p##gemm, void, (unsigned order, unsigned ta, unsigned tb, int m, int n, int k, const void *alpha, \
      const void *a, int lda, const void *b, int ldb, const void *beta, void *c, int ldc), \
      (order, ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)) \
  X(cblas_##p##symm, void, (unsigned order, unsigned side, unsigned uplo, int m, int n, const void *alpha, \
      const void *a, int lda, const void *b, int ldb, const void *beta, void *c, int ldc), \
      (order, side, uplo, m, n, alpha, a, lda, b, ldb, beta, c, ldc)) \
  X(cblas_##p##hemm, void, (unsigned order, unsigned side, unsigned uplo, int m, int n, const void *alpha, \
      const void *a, int lda, const void *b, int ldb, const void *beta, void *c, int ldc), \
      (order, side, uplo, m, n, alpha, a, lda, b, ldb, beta, c, ldc)) \
  X(cblas_##p##syrk, void, (unsigned order, unsigned uplo, unsigned ta, int n, int k, const void *alpha, \
      const void *a, int lda, const void *beta, void *c, int ldc), \
      (order, uplo, ta, n, k, alpha, a, lda, beta, c, ldc)) \
  X(cblas_##p##syr2k, void, (unsigned order, unsigned uplo, unsigned ta, int n, int k, const void *alpha, \
      const void *a, int lda, const void *b, int ldb, const void *beta, void *c, int ldc), \
      (order, uplo, ta, n, k, alpha, a, lda, b, ldb, beta, c, ldc)) \
  X(cblas_##p##herk, void, (unsigned order, unsigned uplo, unsigned ta, int n, int k, T alpha, const void *a, \
      int lda, T beta, void *c, int ldc), \
      (order, uplo, ta, n, k, alpha, a, lda, beta, c, ldc)) \
  X(cblas_##p##her2k, void, (unsigned order, unsigned uplo, unsigned ta, int n, int k, const void *alpha, \
      const void *a, int lda, const void *b, int ldb, T beta, void *c, int ldc), \
      (order, uplo, ta, n, k, alpha, a, lda, b, ldb, beta, c, ldc)) \
  X(cblas_##p##trmm, void, (unsigned order, unsigned side, unsigned uplo, unsigned ta, unsigned diag, int m, \
      int n, const void *alpha, const void *a, int lda, void *b, int ldb), \
      (order, side, uplo, ta, diag, m, n, alpha, a, lda, b, ldb)) \
  X(cblas_##p##trsm, void, (unsigned order, unsigned side, unsigned uplo, unsigned ta, unsigned diag, int m, \
      int n, const void *alpha, const void *a, int lda, void *b, int ldb), \
      (order, side, uplo, ta, diag, m, n, alpha, a, lda, b, ldb)) \
  X(cblas_##p##gemv, void, (unsigned order, unsigned ta, int m, int n, const void *alpha, const void *a, \
      int lda, const void *x, int incx, const void *beta, void *y, int incy), \
      (order, ta, m, n, alpha, a, lda, x, incx, beta, y, incy)) \
  X(cblas_##p##hemv, void, (unsigned order, unsigned uplo, int n, const void *alpha, const void *a, int lda, \
      const void *x, int incx, const void *beta, void *y, int incy), \
      (order, uplo, n, alpha, a, lda, x, incx, beta, y, incy)) \
  X(cblas_##p##trmv, void, (unsigned order, unsigned uplo, unsigned ta, unsigned diag, int n, const void *a, \
      int lda, void *x, int incx), \
      (order, uplo, ta, diag, n, a, lda, x, incx)) \
  X(cblas_##p##trsv, void, (unsigned order, unsigned uplo, unsigned ta, unsigned diag, int n, const void *a, \
      int lda, void *x, int incx), \
      (order, uplo, ta, diag, n, a, lda, x, incx)) \
  X(cblas_##p##geru, void, (unsigned order, int m, int n, const void *alpha, const void *x, int incx, \
      const void *y, int incy, void *a, int lda), \
      (order, m, n, alpha, x, incx, y, incy, a, lda)) \
  X(cblas_##p##gerc, void, (unsigned order, int m, int n, const void *alpha, const void *x, int incx, \
      const void *y, int incy, void *a, int lda), \
      (order, m, n, alpha, x, incx, y, incy, a, lda))

#define OPENBLAS_LIST(X) \
  OPENBLAS_REAL(X, s, float) OPENBLAS_REAL(X, d, double) OPENBLAS_COMPLEX(X, c, float) OPENBLAS_COMPLEX(X, z, double) \
  X(openblas_set_num_threads, void, (int n), (n)) \
  X(openblas_get_num_threads, int, (void), ()) \
  X(openblas_get_config, char *, (void), ()) \
  X(openblas_get_corename, char *, (void), ())

#define OPENBLAS_FIELD(name, result, params, args) result (*name) params;
#define OPENBLAS_SHIM(name, result, params, args) result shim_##name params;

/* openblas_table has the addresses of the functions, all set once openblas_load returned 0. */
typedef struct {
  OPENBLAS_LIST(OPENBLAS_FIELD)
} openblas_table;
extern openblas_table openblas;

/* openblas_load fills the table from an open library. It returns the first missing symbol, or 0. */
const char *openblas_load(void *lib);

/* openblas_core names the kernels for the instructions of this processor; "" if there are none, or the processor is of
 * a family that the library has known for long. */
const char *openblas_core(void);

/* shim_NAME calls NAME. */
OPENBLAS_LIST(OPENBLAS_SHIM)

#undef OPENBLAS_FIELD
#undef OPENBLAS_SHIM
#endif
