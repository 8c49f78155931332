// The part of cuBLAS that is called. Sizes, distances, types, factors and the workspace are looked at.
#include "products.h"

namespace {

enum : unsigned { NOT_INIT = 1, INVALID = 7, EXECUTION_FAILED = 13, UNSUPPORTED = 15 };
enum : unsigned { TF32_MODE = 3, WIDE_SUMS = 16 };
enum { DEFAULT_ALGORITHM = -1 };

struct Handle : Held {
  unsigned mode = 0;
  CUstream_st *stream = nullptr;
  void *workspace = nullptr;
  size_t bytes = 0;
};

} // namespace

API unsigned cublasCreate_v2(Handle **h) {
  if (!driver()) return NOT_INIT;
  *h = new Handle;
  return 0;
}
API unsigned cublasDestroy_v2(Handle *h) {
  delete h;
  return 0;
}
API const char *cublasGetStatusName(unsigned status) {
  switch (status) {
  case 0: return "CUBLAS_STATUS_SUCCESS";
  case NOT_INIT: return "CUBLAS_STATUS_NOT_INITIALIZED";
  case INVALID: return "CUBLAS_STATUS_INVALID_VALUE";
  case EXECUTION_FAILED: return "CUBLAS_STATUS_EXECUTION_FAILED";
  case UNSUPPORTED: return "CUBLAS_STATUS_NOT_SUPPORTED";
  }
  return "CUBLAS_STATUS_INTERNAL_ERROR";
}
API unsigned cublasSetMathMode(Handle *h, unsigned mode) {
  h->mode = mode;
  return 0;
}
API unsigned cublasSetStream_v2(Handle *h, CUstream_st *s) {
  h->stream = s;
  h->workspace = nullptr; // as the library does
  h->bytes = 0;
  return 0;
}
API unsigned cublasSetWorkspace_v2(Handle *h, void *memory, size_t bytes) {
  if (reinterpret_cast<uintptr_t>(memory) % 256) return INVALID;
  h->workspace = memory;
  h->bytes = bytes;
  return 0;
}
API unsigned cublasGemmStridedBatchedEx_64(Handle *h, unsigned ta, unsigned tb, int64_t m, int64_t n, int64_t k,
    const void *alpha, const void *a, unsigned atype, int64_t lda, long long stridea, const void *b, unsigned btype,
    int64_t ldb, long long strideb, const void *beta, void *c, unsigned ctype, int64_t ldc, long long stridec,
    int64_t batch, unsigned compute, int algorithm) {
  if (!h->stream) return NOT_INIT;
  if (m < 1 || n < 1 || k < 1 || batch < 1 || ta > 1 || tb > 1) return INVALID;
  if (lda < (ta ? k : m) || ldb < (tb ? n : k) || ldc < m) return INVALID;
  if (atype != btype || !allowed(int(compute), int(atype), int(ctype))) return UNSUPPORTED;
  const uintptr_t places = reinterpret_cast<uintptr_t>(a) | reinterpret_cast<uintptr_t>(b);
  if (compute == SUM_S32 && (lda % 4 || ldb % 4 || places % 4)) return UNSUPPORTED;
  if (algorithm != DEFAULT_ALGORITHM) return UNSUPPORTED;
  void *const workspace = h->workspace;
  const size_t bytes = h->bytes;
  const bool tf32 = compute == SUM_TF32 || (compute == SUM_F32 && atype == F32 && (h->mode & 15) == TF32_MODE);
  const bool wide = h->mode & WIDE_SUMS || (atype != F16 && atype != BF16);
  const Product p = {ta == 1, tb == 1, m, n, k, batch, {int(atype), lda, stridea, nullptr},
    {int(btype), ldb, strideb, nullptr}, {int(ctype), ldc, stridec, nullptr}, int(compute),
    {tf32, wide ? F32 : int(atype)}, nullptr};
  if (!p.is(alpha, 1) || !p.is(beta, 0)) return UNSUPPORTED; // others are not emulated
  const Work work = [=]() -> unsigned {
    Product q = p;
    if (!place(&q.a, a, ta ? k : m, ta ? m : k, batch) ||
        !place(&q.b, b, tb ? n : k, tb ? k : n, batch) || !place(&q.c, c, m, n, batch) ||
        (bytes && !reach(workspace, bytes, "the workspace")))
      return ILLEGAL_ADDRESS;
    if (bytes) memset(workspace, 0xff, bytes); // it is the library's to write
    q.run_any();
    driver()->spend(10);
    return SUCCESS;
  };
  return driver()->submit(h->stream, "cublasGemmStridedBatchedEx", &work) ? EXECUTION_FAILED : 0;
}
