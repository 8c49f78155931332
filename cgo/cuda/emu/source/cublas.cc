// The part of cuBLAS that is called, in plain loops. Sizes, distances, types, factors and the workspace are looked at;
// sums are in the type that is asked for, in order. What the library is allowed to round, it rounds.
#include <cmath>
#include <complex>
#include <cstring>

#include "library.h"

namespace {

enum : unsigned { NOT_INIT = 1, INVALID = 7, EXECUTION_FAILED = 13, UNSUPPORTED = 15 };
enum Type { F32, F64, F16, S8, C64, C128, S32 = 10, BF16 = 14 };
enum { SUM_F32 = 68, SUM_F64 = 70, SUM_S32 = 72, SUM_TF32 = 77 };
enum : unsigned { TF32_MODE = 3, WIDE_SUMS = 16 };
enum { DEFAULT_ALGORITHM = -1 };

struct Handle {
  unsigned mode = 0;
  CUstream_st *stream = nullptr;
  void *workspace = nullptr;
  size_t bytes = 0;
};

size_t size_of(int type) {
  switch (type) {
  case S8: return 1;
  case F16: case BF16: return 2;
  case F32: case S32: return 4;
  case F64: case C64: return 8;
  }
  return 16;
}

float from_half(uint16_t b) {
  const int e = b >> 10 & 31, m = b & 1023;
  const float v = e == 31 ? (m ? NAN : INFINITY) : e ? std::ldexp(1024.0f + m, e - 25) : std::ldexp(float(m), -24);
  return b >> 15 ? -v : v;
}
uint16_t to_half(double v) {
  const uint16_t sign = std::signbit(v) << 15;
  v = std::fabs(v);
  if (v != v) return sign | 0x7e00;
  int e;
  std::frexp(v, &e);
  if (e < -13) e = -13;
  const double r = std::nearbyint(std::ldexp(v, 11 - e)); // 11 bits before the point
  if (r == 0) return sign;
  if (e > 16 || std::ldexp(r, e - 11) >= 65520) return sign | 0x7c00;
  return sign | uint16_t(r + (e + 13) * 1024.0);
}
float from_bf16(uint16_t b) {
  const uint32_t w = uint32_t(b) << 16;
  float v;
  memcpy(&v, &w, 4);
  return v;
}
uint16_t to_bf16(float v) {
  uint32_t b;
  memcpy(&b, &v, 4);
  return v != v ? b >> 16 | 0x40 : (b + 0x7fff + (b >> 16 & 1)) >> 16;
}

// What a product may round.
struct Rounding {
  bool tf32; // operands
  int sums;  // F16 or BF16; F32 for none
};

float sum_as(const Rounding &r, float v) {
  if (r.sums == F16) return from_half(to_half(double(v)));
  return r.sums == BF16 ? from_bf16(to_bf16(v)) : v;
}
template <class T> T sum_as(const Rounding &, T v) { return v; }

float operand(const Rounding &r, float v) {
  uint32_t b;
  memcpy(&b, &v, 4);
  if (!r.tf32 || v != v) return v;
  b = (b + 0xfff + (b >> 13 & 1)) & ~0x1fffu; // 10 bits of fraction stay
  memcpy(&v, &b, 4);
  return v;
}
std::complex<float> operand(const Rounding &r, std::complex<float> v) {
  return {operand(r, v.real()), operand(r, v.imag())};
}
template <class T> T operand(const Rounding &, T v) { return v; }

struct Matrix {
  int type;
  int64_t ld, stride;
  char *at;
  template <class T> T get(int64_t i) const {
    switch (type) {
    case F32: return T(reinterpret_cast<float *>(at)[i]);
    case F64: return T(reinterpret_cast<double *>(at)[i]);
    case F16: return T(from_half(reinterpret_cast<uint16_t *>(at)[i]));
    case BF16: return T(from_bf16(reinterpret_cast<uint16_t *>(at)[i]));
    case S8: return T(reinterpret_cast<int8_t *>(at)[i]);
    }
    return T(reinterpret_cast<int32_t *>(at)[i]);
  }
  template <class T> void put(int64_t i, T v) const {
    switch (type) {
    case F32: reinterpret_cast<float *>(at)[i] = float(v); break;
    case F64: reinterpret_cast<double *>(at)[i] = double(v); break;
    case F16: reinterpret_cast<uint16_t *>(at)[i] = to_half(double(v)); break;
    case BF16: reinterpret_cast<uint16_t *>(at)[i] = to_bf16(float(v)); break;
    case S32: reinterpret_cast<int32_t *>(at)[i] = int32_t(v); break;
    }
  }
};
template <> std::complex<float> Matrix::get(int64_t i) const { return reinterpret_cast<std::complex<float> *>(at)[i]; }
template <> std::complex<double> Matrix::get(int64_t i) const {
  return reinterpret_cast<std::complex<double> *>(at)[i];
}
template <> void Matrix::put(int64_t i, std::complex<float> v) const {
  reinterpret_cast<std::complex<float> *>(at)[i] = v;
}
template <> void Matrix::put(int64_t i, std::complex<double> v) const {
  reinterpret_cast<std::complex<double> *>(at)[i] = v;
}

float sum(float s, float x, float y) { return std::fmaf(x, y, s); }
double sum(double s, double x, double y) { return std::fma(x, y, s); }
int32_t sum(int32_t s, int32_t x, int32_t y) { return int32_t(uint32_t(s) + uint32_t(x) * uint32_t(y)); }
template <class T> std::complex<T> sum(std::complex<T> s, std::complex<T> x, std::complex<T> y) { return s + x * y; }

struct Product {
  bool ta, tb;
  int64_t m, n, k, batch;
  Matrix a, b, c;
  int compute;
  Rounding rounding;
  template <class T> void run() const {
    for (int64_t z = 0; z < batch; z++)
      for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < m; i++) {
          T s = 0;
          for (int64_t l = 0; l < k; l++)
            s = sum_as(rounding, sum(s, x(a.get<T>(z * a.stride + (ta ? i * a.ld + l : l * a.ld + i))),
                                     x(b.get<T>(z * b.stride + (tb ? l * b.ld + j : j * b.ld + l)))));
          c.put<T>(z * c.stride + j * c.ld + i, s);
        }
  }
  template <class T> T x(T v) const { return operand(rounding, v); }
  // in_type calls f with a value of the type of sums.
  template <class F> auto in_type(F f) const {
    if (c.type == C64) return f(std::complex<float>());
    if (c.type == C128) return f(std::complex<double>());
    if (compute == SUM_F64) return f(double());
    if (compute == SUM_S32) return f(int32_t());
    return f(float());
  }
  void run_any() const {
    in_type([this](auto v) { run<decltype(v)>(); });
  }
  // is reports whether the factor at p, in the type of sums, is n.
  bool is(const void *p, int n) const {
    return in_type([=](auto v) {
      memcpy(&v, p, sizeof v);
      return v == decltype(v)(n);
    });
  }
};

// The types that the library's documentation lists for a type of sums.
bool allowed(int compute, int a, int c) {
  switch (compute) {
  case SUM_F32:
    return (a == c && (a == F32 || a == F16 || a == BF16 || a == C64)) || ((a == F16 || a == BF16) && c == F32);
  case SUM_TF32: return a == c && (a == F32 || a == C64);
  case SUM_F64: return a == c && (a == F64 || a == C128);
  case SUM_S32: return a == S8 && c == S32;
  }
  return false;
}

// place finds a matrix of rows by columns in memory, batch of them.
bool place(Matrix *x, const void *at, int64_t rows, int64_t columns, int64_t batch) {
  const int64_t last = (batch - 1) * x->stride + (columns - 1) * x->ld + rows;
  x->at = static_cast<char *>(reach(at, size_t(last) * size_of(x->type), "a matrix"));
  return x->at;
}

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
    {tf32, wide ? F32 : int(atype)}};
  if (!p.is(alpha, 1) || !p.is(beta, 0)) return UNSUPPORTED; // others are not emulated
  const Work work = [=]() -> unsigned {
    Product q = p;
    if (!place(&q.a, a, ta ? k : m, ta ? m : k, batch) ||
        !place(&q.b, b, tb ? n : k, tb ? k : n, batch) || !place(&q.c, c, m, n, batch) ||
        (bytes && !reach(workspace, bytes, "the workspace")))
      return ILLEGAL_ADDRESS;
    if (bytes) memset(workspace, 0xff, bytes); // it is the library's to write
    q.run_any();
    return SUCCESS;
  };
  return driver()->submit(h->stream, "cublasGemmStridedBatchedEx", &work) ? EXECUTION_FAILED : 0;
}
