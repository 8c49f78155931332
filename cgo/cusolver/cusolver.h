/* The part of cuSOLVER that we call: NVIDIA's cusolverDn.h, versions 11 (of CUDA 12) and 12 (of CUDA 13). The routines
 * are those with 64-bit sizes; orgqr has none such. One row a function:
 *   X(symbol, result, (parameters), (arguments))
 * A status is an unsigned, as are the enumerations. The lists make the table, its loader, the forwards and the names of
 * statuses, so they are the only place to edit. scripts/check-headers.sh compares with the vendor's headers; only there
 * those come first and give the types. */
#ifndef HALO_CUSOLVER_H
#define HALO_CUSOLVER_H

#include <stddef.h>
#include <stdint.h>

#include "../cuda/complex.h"

typedef struct cusolverDnContext *halo_cusolver;
typedef struct cusolverDnParams *halo_cusolver_params;
struct CUstream_st;

// The statuses by their names, which the library itself does not tell.
#define CUSOLVER_STATUSES(X) \
  X(CUSOLVER_STATUS_SUCCESS, 0) \
  X(CUSOLVER_STATUS_NOT_INITIALIZED, 1) \
  X(CUSOLVER_STATUS_ALLOC_FAILED, 2) \
  X(CUSOLVER_STATUS_INVALID_VALUE, 3) \
  X(CUSOLVER_STATUS_ARCH_MISMATCH, 4) \
  X(CUSOLVER_STATUS_MAPPING_ERROR, 5) \
  X(CUSOLVER_STATUS_EXECUTION_FAILED, 6) \
  X(CUSOLVER_STATUS_INTERNAL_ERROR, 7) \
  X(CUSOLVER_STATUS_MATRIX_TYPE_NOT_SUPPORTED, 8) \
  X(CUSOLVER_STATUS_NOT_SUPPORTED, 9) \
  X(CUSOLVER_STATUS_ZERO_PIVOT, 10) \
  X(CUSOLVER_STATUS_INVALID_LICENSE, 11) \
  X(CUSOLVER_STATUS_INVALID_WORKSPACE, 31)

// The values of other enumerations that we give.
#define CUSOLVER_VALUES(X) \
  X(CUBLAS_FILL_MODE_LOWER, 0) \
  X(CUBLAS_FILL_MODE_UPPER, 1) \
  X(CUSOLVER_EIG_MODE_NOVECTOR, 0) \
  X(CUSOLVER_EIG_MODE_VECTOR, 1) \
  X(CUDA_R_32F, 0) \
  X(CUDA_R_64F, 1) \
  X(CUDA_C_32F, 4) \
  X(CUDA_C_64F, 5)

#ifdef CUSOLVER_VER_MAJOR
#define SAME(name, value) _Static_assert(name == value, #name);
CUSOLVER_STATUSES(SAME)
CUSOLVER_VALUES(SAME)
#undef SAME
#endif

#define CUSOLVER_ORGQR(X, name, T) \
  X(name##_bufferSize, unsigned, (halo_cusolver handle, int m, int n, int k, const T *a, int lda, const T *tau, \
      int *elements), (handle, m, n, k, a, lda, tau, elements)) \
  X(name, unsigned, (halo_cusolver handle, int m, int n, int k, T *a, int lda, const T *tau, T *work, int elements, \
      int *info), (handle, m, n, k, a, lda, tau, work, elements, info))

#define CUSOLVER_LIST(X) \
  X(cusolverGetVersion, unsigned, (int *version), (version)) \
  X(cusolverDnCreate, unsigned, (halo_cusolver *handle), (handle)) \
  X(cusolverDnDestroy, unsigned, (halo_cusolver handle), (handle)) \
  X(cusolverDnSetStream, unsigned, (halo_cusolver handle, struct CUstream_st *stream), (handle, stream)) \
  X(cusolverDnCreateParams, unsigned, (halo_cusolver_params *params), (params)) \
  X(cusolverDnDestroyParams, unsigned, (halo_cusolver_params params), (params)) \
  X(cusolverDnXpotrf_bufferSize, unsigned, (halo_cusolver handle, halo_cusolver_params params, unsigned uplo, \
      int64_t n, unsigned atype, const void *a, int64_t lda, unsigned compute, size_t *device, size_t *host), \
    (handle, params, uplo, n, atype, a, lda, compute, device, host)) \
  X(cusolverDnXpotrf, unsigned, (halo_cusolver handle, halo_cusolver_params params, unsigned uplo, int64_t n, \
      unsigned atype, void *a, int64_t lda, unsigned compute, void *work, size_t device, void *hosted, size_t host, \
      int *info), (handle, params, uplo, n, atype, a, lda, compute, work, device, hosted, host, info)) \
  X(cusolverDnXgetrf_bufferSize, unsigned, (halo_cusolver handle, halo_cusolver_params params, int64_t m, int64_t n, \
      unsigned atype, const void *a, int64_t lda, unsigned compute, size_t *device, size_t *host), \
    (handle, params, m, n, atype, a, lda, compute, device, host)) \
  X(cusolverDnXgetrf, unsigned, (halo_cusolver handle, halo_cusolver_params params, int64_t m, int64_t n, \
      unsigned atype, void *a, int64_t lda, int64_t *pivots, unsigned compute, void *work, size_t device, \
      void *hosted, size_t host, int *info), \
    (handle, params, m, n, atype, a, lda, pivots, compute, work, device, hosted, host, info)) \
  X(cusolverDnXgeqrf_bufferSize, unsigned, (halo_cusolver handle, halo_cusolver_params params, int64_t m, int64_t n, \
      unsigned atype, const void *a, int64_t lda, unsigned tautype, const void *tau, unsigned compute, \
      size_t *device, size_t *host), \
    (handle, params, m, n, atype, a, lda, tautype, tau, compute, device, host)) \
  X(cusolverDnXgeqrf, unsigned, (halo_cusolver handle, halo_cusolver_params params, int64_t m, int64_t n, \
      unsigned atype, void *a, int64_t lda, unsigned tautype, void *tau, unsigned compute, void *work, size_t device, \
      void *hosted, size_t host, int *info), \
    (handle, params, m, n, atype, a, lda, tautype, tau, compute, work, device, hosted, host, info)) \
  X(cusolverDnXsyevd_bufferSize, unsigned, (halo_cusolver handle, halo_cusolver_params params, unsigned job, \
      unsigned uplo, int64_t n, unsigned atype, const void *a, int64_t lda, unsigned wtype, const void *w, \
      unsigned compute, size_t *device, size_t *host), \
    (handle, params, job, uplo, n, atype, a, lda, wtype, w, compute, device, host)) \
  X(cusolverDnXsyevd, unsigned, (halo_cusolver handle, halo_cusolver_params params, unsigned job, unsigned uplo, \
      int64_t n, unsigned atype, void *a, int64_t lda, unsigned wtype, void *w, unsigned compute, void *work, \
      size_t device, void *hosted, size_t host, int *info), \
    (handle, params, job, uplo, n, atype, a, lda, wtype, w, compute, work, device, hosted, host, info)) \
  X(cusolverDnXgesvd_bufferSize, unsigned, (halo_cusolver handle, halo_cusolver_params params, signed char jobu, \
      signed char jobvt, int64_t m, int64_t n, unsigned atype, const void *a, int64_t lda, unsigned stype, \
      const void *s, unsigned utype, const void *u, int64_t ldu, unsigned vtype, const void *vt, int64_t ldvt, \
      unsigned compute, size_t *device, size_t *host), \
    (handle, params, jobu, jobvt, m, n, atype, a, lda, stype, s, utype, u, ldu, vtype, vt, ldvt, compute, device, \
      host)) \
  X(cusolverDnXgesvd, unsigned, (halo_cusolver handle, halo_cusolver_params params, signed char jobu, \
      signed char jobvt, int64_t m, int64_t n, unsigned atype, void *a, int64_t lda, unsigned stype, void *s, \
      unsigned utype, void *u, int64_t ldu, unsigned vtype, void *vt, int64_t ldvt, unsigned compute, void *work, \
      size_t device, void *hosted, size_t host, int *info), \
    (handle, params, jobu, jobvt, m, n, atype, a, lda, stype, s, utype, u, ldu, vtype, vt, ldvt, compute, work, \
      device, hosted, host, info)) \
  CUSOLVER_ORGQR(X, cusolverDnSorgqr, float) \
  CUSOLVER_ORGQR(X, cusolverDnDorgqr, double) \
  CUSOLVER_ORGQR(X, cusolverDnCungqr, halo_c64) \
  CUSOLVER_ORGQR(X, cusolverDnZungqr, halo_c128)

#define FIELD(name, result, params, args) result(*name) params;
typedef struct {
  CUSOLVER_LIST(FIELD)
} cusolver_table;
#undef FIELD

#define UNPACK(...) __VA_ARGS__
#define FORWARD(name, result, params, args) \
  static inline result halo_##name(const cusolver_table *t, UNPACK params) { return t->name args; }
CUSOLVER_LIST(FORWARD)
#undef FORWARD
#undef UNPACK

// halo_cusolver_load makes a table of the functions of lib. It returns null, and in missing the name of what lib lacks
// or null if there is no memory. The table stays as long as the process.
cusolver_table *halo_cusolver_load(void *lib, const char **missing);

// halo_cusolver_status is the name of a status.
const char *halo_cusolver_status(unsigned status);

// The routines, in the order of cusolver.go.
enum { HALO_POTRF, HALO_GETRF, HALO_GEQRF, HALO_ORGQR, HALO_SYEVD, HALO_GESVD };

// A handle on one device, for one stream at a time.
typedef struct {
  const cusolver_table *t;
  halo_cusolver handle;
  halo_cusolver_params params;
} halo_cusolver_handle;

// halo_cusolver_open makes a handle for the context that is current; out is null if that fails.
unsigned halo_cusolver_open(const cusolver_table *t, halo_cusolver_handle **out);

// halo_cusolver_close frees it.
unsigned halo_cusolver_close(halo_cusolver_handle *h);

// What is to be done with matrices m by n, column-major and without gaps.
typedef struct {
  int64_t routine, type, m, n, k, upper, vectors;
} halo_cusolver_problem;

// halo_cusolver_work gives the bytes of work space that p takes on the device and on the host.
unsigned halo_cusolver_work(const halo_cusolver_handle *h, const halo_cusolver_problem *p, size_t *device,
                            size_t *host);

// Arrays on the device, or the bytes from one of a batch to the next.
typedef struct {
  uint64_t a, vector, u, vt, info;
} halo_cusolver_arrays;

// halo_cusolver_run enqueues p for each of a batch. The work space at work has so many bytes on the device; that on the
// host is the call's own.
unsigned halo_cusolver_run(const halo_cusolver_handle *h, const halo_cusolver_problem *p, struct CUstream_st *stream,
                           int64_t batch, const halo_cusolver_arrays *at, const halo_cusolver_arrays *step,
                           uint64_t work, size_t device, size_t host);

#endif
