/* The part of cuBLASLt that we call: NVIDIA's cublasLt.h, versions 12 and 13. One row a function:
 *   X(symbol, result, (parameters), (arguments))
 * A status is an unsigned, as are the enumerations without negative values. The list makes the table and its
 * loader, so it is the only place to edit. scripts/check-headers.sh compares with the vendor's headers; only there
 * those come first and give the types. */
#ifndef HALO_CUBLASLT_H
#define HALO_CUBLASLT_H

#include <stddef.h>
#include <stdint.h>

#include "../cuda/call.h"

typedef struct cublasLtContext *halo_lt;
struct CUstream_st;

// The values that we give.
#define CUBLASLT_VALUES(X) \
  X(CUBLASLT_MATMUL_DESC_TRANSA, 3) \
  X(CUBLASLT_MATMUL_DESC_TRANSB, 4) \
  X(CUBLASLT_MATMUL_DESC_EPILOGUE, 7) \
  X(CUBLASLT_MATMUL_DESC_BIAS_POINTER, 8) \
  X(CUBLASLT_EPILOGUE_BIAS, 4) \
  X(CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, 5) \
  X(CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, 6) \
  X(CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, 1) \
  X(CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK, 3) \
  X(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, 5) \
  X(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, 8) \
  X(CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE, 2) \
  X(CUBLAS_COMPUTE_32F, 68) \
  X(CUBLAS_COMPUTE_32F_FAST_TF32, 77) \
  X(CUBLAS_STATUS_NOT_SUPPORTED, 15) \
  X(CUDA_R_32F, 0) \
  X(CUDA_R_16F, 2) \
  X(CUDA_R_16BF, 14)

#ifdef CUBLAS_VER_MAJOR
typedef cublasLtMatmulDesc_t halo_lt_desc;
typedef cublasLtMatrixLayout_t halo_lt_layout;
typedef cublasLtMatmulPreference_t halo_lt_preference;
typedef cublasLtMatmulAlgo_t halo_lt_algorithm;
typedef cublasLtMatmulHeuristicResult_t halo_lt_choice;
#define SAME(name, value) _Static_assert(name == value, #name);
CUBLASLT_VALUES(SAME)
#undef SAME
_Static_assert(sizeof(halo_lt_algorithm) == 64 && sizeof(halo_lt_choice) == 96 &&
               offsetof(halo_lt_choice, workspaceSize) == 64 && offsetof(halo_lt_choice, state) == 72, "the choice");
#else
typedef struct halo_lt_desc_ *halo_lt_desc;
typedef struct halo_lt_layout_ *halo_lt_layout;
typedef struct halo_lt_preference_ *halo_lt_preference;
typedef struct {
  uint64_t data[8];
} halo_lt_algorithm;
typedef struct {
  halo_lt_algorithm algo;
  size_t workspaceSize;
  unsigned state;
  float wavesCount;
  int reserved[4];
} halo_lt_choice;
#endif

#define CUBLASLT_LIST(X) \
  X(cublasLtGetVersion, size_t, (void), ()) \
  X(cublasLtGetStatusName, const char *, (unsigned status), (status)) \
  X(cublasLtCreate, unsigned, (halo_lt *handle), (handle)) \
  X(cublasLtDestroy, unsigned, (halo_lt handle), (handle)) \
  X(cublasLtMatmulDescCreate, unsigned, (halo_lt_desc *desc, unsigned compute, unsigned scale), \
    (desc, compute, scale)) \
  X(cublasLtMatmulDescDestroy, unsigned, (halo_lt_desc desc), (desc)) \
  X(cublasLtMatmulDescSetAttribute, unsigned, (halo_lt_desc desc, unsigned what, const void *value, size_t bytes), \
    (desc, what, value, bytes)) \
  X(cublasLtMatrixLayoutCreate, unsigned, (halo_lt_layout *layout, unsigned type, uint64_t rows, uint64_t columns, \
      int64_t ld), (layout, type, rows, columns, ld)) \
  X(cublasLtMatrixLayoutDestroy, unsigned, (halo_lt_layout layout), (layout)) \
  X(cublasLtMatrixLayoutSetAttribute, unsigned, (halo_lt_layout layout, unsigned what, const void *value, \
      size_t bytes), (layout, what, value, bytes)) \
  X(cublasLtMatmulPreferenceCreate, unsigned, (halo_lt_preference *preference), (preference)) \
  X(cublasLtMatmulPreferenceDestroy, unsigned, (halo_lt_preference preference), (preference)) \
  X(cublasLtMatmulPreferenceSetAttribute, unsigned, (halo_lt_preference preference, unsigned what, const void *value, \
      size_t bytes), (preference, what, value, bytes)) \
  X(cublasLtMatmulAlgoGetHeuristic, unsigned, (halo_lt handle, halo_lt_desc desc, halo_lt_layout a, halo_lt_layout b, \
      halo_lt_layout c, halo_lt_layout d, halo_lt_preference preference, int wanted, halo_lt_choice *choices, \
      int *found), (handle, desc, a, b, c, d, preference, wanted, choices, found)) \
  X(cublasLtMatmulAlgoCheck, unsigned, (halo_lt handle, halo_lt_desc desc, halo_lt_layout a, halo_lt_layout b, \
      halo_lt_layout c, halo_lt_layout d, const halo_lt_algorithm *algorithm, halo_lt_choice *choice), \
    (handle, desc, a, b, c, d, algorithm, choice)) \
  X(cublasLtMatmul, unsigned, (halo_lt handle, halo_lt_desc desc, const void *alpha, const void *a, \
      halo_lt_layout alayout, const void *b, halo_lt_layout blayout, const void *beta, const void *c, \
      halo_lt_layout clayout, void *d, halo_lt_layout dlayout, const halo_lt_algorithm *algorithm, void *work, \
      size_t bytes, struct CUstream_st *stream), \
    (handle, desc, alpha, a, alayout, b, blayout, beta, c, clayout, d, dlayout, algorithm, work, bytes, stream))

#define FIELD(name, result, params, args) result(*name) params;
typedef struct {
  CUBLASLT_LIST(FIELD)
} cublaslt_table;
#undef FIELD

static inline size_t halo_cublasLtGetVersion(const cublaslt_table *t) { return t->cublasLtGetVersion(); }
static inline const char *halo_cublasLtGetStatusName(const cublaslt_table *t, unsigned status) {
  return t->cublasLtGetStatusName(status);
}
static inline unsigned halo_cublasLtCreate(const cublaslt_table *t, halo_lt *handle) {
  return t->cublasLtCreate(handle);
}
static inline unsigned halo_cublasLtDestroy(const cublaslt_table *t, halo_lt handle) {
  return t->cublasLtDestroy(handle);
}


// halo_cublaslt_load makes a table of the functions of lib. It returns null, and in missing the name of what lib lacks
// or null if there is no memory. The table stays as long as the process.
cublaslt_table *halo_cublaslt_load(void *lib, const char **missing);

// One matrix, column-major: its type, its rows and columns in memory, the distance of columns, and that of the matrices
// of a batch, in elements.
typedef struct {
  int64_t type, rows, columns, ld, stride;
} halo_cublaslt_matrix;

// A product of matrices, maybe plus a bias, a number for each row of the result. Its words are the addresses of a, b,
// d, of the bias if there is one, and of the workspace.
typedef struct halo_cublaslt_product halo_cublaslt_product;

// What a product is: d = a b, plus a bias if that is not 0.
typedef struct {
  halo_cublaslt_matrix a, b, d;
  int64_t transa, transb, batch, compute, bias;
} halo_cublaslt_shape;

// A way to do a product: as the library writes it down, and the bytes of workspace that it takes.
enum { HALO_WAY_WORDS = 8 };
typedef struct {
  uint64_t algorithm[HALO_WAY_WORDS];
  int64_t bytes;
} halo_cublaslt_way;

// halo_cublaslt_open describes a product, for the context that is current; out is null if that fails. A way has to be
// taken before it is enqueued.
unsigned halo_cublaslt_open(const cublaslt_table *t, halo_lt handle, const halo_cublaslt_shape *shape,
                            halo_cublaslt_product **out);

// halo_cublaslt_ways lists what the library proposes with at most so many bytes of workspace, its first choice first:
// found of at most so many as there is room for.
unsigned halo_cublaslt_ways(const halo_cublaslt_product *p, int64_t most, halo_cublaslt_way *ways, int room,
                            int *found);

// halo_cublaslt_check asks whether a way that was written down does the product here, and sets its bytes.
unsigned halo_cublaslt_check(const halo_cublaslt_product *p, halo_cublaslt_way *way);

// halo_cublaslt_take has the product done in a way from now on. It must not be under way.
void halo_cublaslt_take(halo_cublaslt_product *p, const halo_cublaslt_way *way);

// halo_cublaslt_close frees it.
void halo_cublaslt_close(halo_cublaslt_product *p);

#endif
