/* The part of cuBLAS that we call: NVIDIA's cublas_v2.h, versions 12 and 13. One row a function:
 *   X(symbol, result, (parameters), (arguments))
 * A status is an unsigned, as are the enumerations without negative values. The list makes the table, its loader and
 * the forwards, so it is the only place to edit. scripts/check-headers.sh compares with the vendor's headers. */
#ifndef HALO_CUBLAS_H
#define HALO_CUBLAS_H

#include <stddef.h>
#include <stdint.h>

#include "../cuda/call.h"
#include "../cuda/complex.h"

typedef struct cublasContext *halo_cublas;
struct CUstream_st;

#define CUBLAS_TRSM(X, name, T) \
  X(name, unsigned, (halo_cublas handle, unsigned side, unsigned fill, unsigned op, unsigned diagonal, int64_t m, \
      int64_t n, const T *alpha, const T *a, int64_t lda, T *b, int64_t ldb), \
    (handle, side, fill, op, diagonal, m, n, alpha, a, lda, b, ldb))

#define CUBLAS_LIST(X) \
  X(cublasCreate_v2, unsigned, (halo_cublas *handle), (handle)) \
  X(cublasDestroy_v2, unsigned, (halo_cublas handle), (handle)) \
  X(cublasGetStatusName, const char *, (unsigned status), (status)) \
  X(cublasSetMathMode, unsigned, (halo_cublas handle, unsigned mode), (handle, mode)) \
  X(cublasSetStream_v2, unsigned, (halo_cublas handle, struct CUstream_st *stream), (handle, stream)) \
  X(cublasSetWorkspace_v2, unsigned, (halo_cublas handle, void *memory, size_t bytes), (handle, memory, bytes)) \
  X(cublasGemmStridedBatchedEx_64, unsigned, (halo_cublas handle, unsigned transa, unsigned transb, int64_t m, \
      int64_t n, int64_t k, const void *alpha, const void *a, unsigned atype, int64_t lda, long long stridea, \
      const void *b, unsigned btype, int64_t ldb, long long strideb, const void *beta, void *c, unsigned ctype, \
      int64_t ldc, long long stridec, int64_t batch, unsigned compute, int algorithm), \
    (handle, transa, transb, m, n, k, alpha, a, atype, lda, stridea, b, btype, ldb, strideb, beta, c, ctype, ldc, \
      stridec, batch, compute, algorithm)) \
  CUBLAS_TRSM(X, cublasStrsm_v2_64, float) \
  CUBLAS_TRSM(X, cublasDtrsm_v2_64, double) \
  CUBLAS_TRSM(X, cublasCtrsm_v2_64, halo_c64) \
  CUBLAS_TRSM(X, cublasZtrsm_v2_64, halo_c128)

#define FIELD(name, result, params, args) result(*name) params;
typedef struct {
  CUBLAS_LIST(FIELD)
} cublas_table;
#undef FIELD

#define UNPACK(...) __VA_ARGS__
#define FORWARD(name, result, params, args) \
  static inline result halo_##name(const cublas_table *t, UNPACK params) { return t->name args; }
CUBLAS_LIST(FORWARD)
#undef FORWARD
#undef UNPACK

// halo_cublas_load makes a table of the functions of lib. It returns null, and in missing the name of what lib lacks or
// null if there is no memory. The table stays as long as the process.
cublas_table *halo_cublas_load(void *lib, const char **missing);

// A handle and the lock of its stream and workspace.
typedef struct halo_cublas_handle halo_cublas_handle;

// halo_cublas_open makes a handle for the context that is current; out is null if that fails.
unsigned halo_cublas_open(const cublas_table *t, halo_cublas_handle **out);

// halo_cublas_close frees it.
unsigned halo_cublas_close(halo_cublas_handle *h);

// One matrix: its type, the distance of columns, and that of the matrices of a batch, in elements.
typedef struct {
  int64_t type, ld, stride;
} halo_cublas_matrix;

// A product of matrices. Its words are the addresses of a, b, c and of the workspace, and the workspace's bytes.
typedef struct {
  halo_cuda_call call; // first
  halo_cublas_handle *handle;
  int64_t m, n, k, batch, transa, transb, compute;
  halo_cublas_matrix a, b, c;
  double one[2], zero[2]; // in the type of sums
} halo_cublas_gemm;

// Triangular systems op(a) x = b, or x op(a) = b. Its words are the addresses of a, of x, which has b before, of the
// workspace, and the workspace's bytes.
typedef struct {
  halo_cuda_call call; // first
  halo_cublas_handle *handle;
  int64_t type, m, k, batch, right, upper, unit, op;
} halo_cublas_trsm;

// halo_cublas_start_trsm makes x ready to be called.
void halo_cublas_start_trsm(halo_cublas_trsm *x);

// halo_cublas_start makes g ready to be called.
void halo_cublas_start(halo_cublas_gemm *g);

#endif
