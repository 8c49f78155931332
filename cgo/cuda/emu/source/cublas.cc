// The part of cuBLAS that is called. Sizes, distances, types, factors and the workspace are looked at.
#include <limits>

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

#define COUNT() \
  if (const unsigned status = asked("cublas", EXECUTION_FAILED)) return status

inline float conjugate(float v) { return v; }
inline double conjugate(double v) { return v; }
template <class T> std::complex<T> conjugate(std::complex<T> v) { return std::conj(v); }
inline bool finite(double v) { return std::isfinite(v); }
template <class T> bool finite(std::complex<T> v) { return finite(v.real()) && finite(v.imag()); }

// Triangular systems, column-major.
template <class T> struct Triangle {
  bool right, upper, unit;
  unsigned op;
  int64_t m, n;
  const T *a;
  int64_t lda;
  T *b;
  int64_t ldb;
  int64_t order() const { return right ? n : m; }
  // at is element (i, j) of op(a).
  T at(int64_t i, int64_t j) const {
    if (op == 0) return a[j * lda + i];
    return op == 1 ? a[i * lda + j] : conjugate(a[i * lda + j]);
  }
  // x is element i of the unknowns with number k. x op(a) = b is op(a)^T x^T = b^T.
  T &x(int64_t i, int64_t k) const { return right ? b[i * ldb + k] : b[k * ldb + i]; }
  T coefficient(int64_t i, int64_t j) const { return right ? at(j, i) : at(i, j); }
  void substitute(int64_t k, bool down) const {
    for (int64_t q = 0; q < order(); q++) {
      const int64_t i = down ? q : order() - 1 - q;
      T v = x(i, k);
      for (int64_t j = down ? 0 : i + 1; j < (down ? i : order()); j++) v -= coefficient(i, j) * x(j, k);
      x(i, k) = unit ? v : v / coefficient(i, i);
    }
  }
  void solve() const {
    const int64_t count = right ? m : n;
    const bool lower = upper == (op != 0), down = lower != right;
    bool ok = true;
    for (int64_t k = 0; k < count; k++)
      for (int64_t i = 0; i < order(); i++) ok = ok && finite(x(i, k));
    for (int64_t k = 0; k < count; k++) substitute(k, down);
    if (ok) return;
    // What is not finite spreads as far as it may: a library may multiply by inverses of blocks.
    for (int64_t k = 0; k < count; k++)
      for (int64_t i = 0; i < order(); i++) x(i, k) = std::numeric_limits<double>::quiet_NaN();
  }
};

template <class T>
unsigned trsm(Handle *h, unsigned side, unsigned fill, unsigned op, unsigned diagonal, int64_t m, int64_t n,
              const T *alpha, const T *a, int64_t lda, T *b, int64_t ldb) {
  COUNT();
  if (!h->stream) return NOT_INIT;
  const int64_t order = side ? n : m;
  if (m < 1 || n < 1 || lda < order || ldb < m || side > 1 || fill > 1 || op > 2 || diagonal > 1) return INVALID;
  if (*alpha != T(1)) return UNSUPPORTED; // others are not emulated
  void *const workspace = h->workspace;
  const size_t bytes = h->bytes;
  const Triangle<T> t = {side == 1, fill == 1, diagonal == 1, op, m, n, a, lda, b, ldb};
  const Work work = [=]() -> unsigned {
    Triangle<T> q = t;
    q.a = static_cast<const T *>(reach(a, size_t((order - 1) * lda + order) * sizeof(T), "the triangle"));
    q.b = static_cast<T *>(reach(b, size_t((n - 1) * ldb + m) * sizeof(T), "the unknowns"));
    if (!q.a || !q.b || (bytes && !reach(workspace, bytes, "the workspace"))) return ILLEGAL_ADDRESS;
    if (bytes) memset(workspace, 0xff, bytes);
    q.solve();
    return SUCCESS;
  };
  return driver()->submit(h->stream, "cublasTrsm", &work) ? unsigned(EXECUTION_FAILED) : 0;
}

} // namespace

#define TRSM(name, T) \
  API unsigned name(Handle *h, unsigned side, unsigned fill, unsigned op, unsigned diagonal, int64_t m, int64_t n, \
                    const T *alpha, const T *a, int64_t lda, T *b, int64_t ldb) { \
    return trsm<T>(h, side, fill, op, diagonal, m, n, alpha, a, lda, b, ldb); \
  }
TRSM(cublasStrsm_v2_64, float)
TRSM(cublasDtrsm_v2_64, double)
TRSM(cublasCtrsm_v2_64, std::complex<float>)
TRSM(cublasZtrsm_v2_64, std::complex<double>)

API unsigned cublasCreate_v2(Handle **h) {
  COUNT();
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
  COUNT();
  h->mode = mode;
  return 0;
}
API unsigned cublasSetStream_v2(Handle *h, CUstream_st *s) {
  COUNT();
  h->stream = s;
  h->workspace = nullptr; // as the library does
  h->bytes = 0;
  return 0;
}
API unsigned cublasSetWorkspace_v2(Handle *h, void *memory, size_t bytes) {
  COUNT();
  if (reinterpret_cast<uintptr_t>(memory) % 256) return INVALID;
  h->workspace = memory;
  h->bytes = bytes;
  return 0;
}
API unsigned cublasGemmStridedBatchedEx_64(Handle *h, unsigned ta, unsigned tb, int64_t m, int64_t n, int64_t k,
    const void *alpha, const void *a, unsigned atype, int64_t lda, long long stridea, const void *b, unsigned btype,
    int64_t ldb, long long strideb, const void *beta, void *c, unsigned ctype, int64_t ldc, long long stridec,
    int64_t batch, unsigned compute, int algorithm) {
  COUNT();
  if (!h->stream) return NOT_INIT;
  if (m < 1 || n < 1 || k < 1 || batch < 1 || ta > 1 || tb > 1) return INVALID;
  if (lda < (ta ? k : m) || ldb < (tb ? n : k) || ldc < m) return INVALID;
  if (atype != btype || !allowed(int(compute), int(atype), int(ctype))) return UNSUPPORTED;
  const uintptr_t places = reinterpret_cast<uintptr_t>(a) | reinterpret_cast<uintptr_t>(b);
  // Bytes are taken of any sizes where both lie along the sum; else an H100 refuses a quarter, by no rule that is told.
  if (compute == SUM_S32 && (lda % 4 || ldb % 4 || places % 4)) return UNSUPPORTED;
  if (compute == SUM_S32 && !(ta && !tb) && (lda % 16 || ldb % 16)) return UNSUPPORTED;
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
