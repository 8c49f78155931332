// The part of cuSOLVER that is called. Sizes, distances, types and both work spaces are looked at, which are as large
// as the library's own _bufferSize says; nothing of it is captured.
#include "library.h"
#include "solve.h"

namespace {

enum : unsigned { NOT_INIT = 1, INVALID = 3, EXECUTION = 6, UNSUPPORTED = 9 };
enum Type : unsigned { F32 = 0, F64 = 1, C64 = 4, C128 = 5 };

struct Handle : Held {
  CUstream_st *stream = nullptr;
};
struct Params : Held {};

size_t size_of(unsigned type) { return type == F32 ? 4 : type == C128 ? 16 : 8; }
unsigned part(unsigned type) { return type == C64 ? F32 : type == C128 ? F64 : type; }
bool known(unsigned type) { return type == F32 || type == F64 || type == C64 || type == C128; }

#define COUNT() \
  if (const unsigned status = asked("cusolver", EXECUTION)) return status

// What a call gets of work space.
struct Space {
  void *device;
  size_t device_bytes;
  void *host;
  size_t host_bytes;
};

// How much is wanted: sizes that nobody would guess.
size_t device_bytes(int64_t m, int64_t n, unsigned type) { return size_t(m + 7 * n + 3) * size_of(type); }
size_t host_bytes(int64_t m, int64_t n) { return size_t(m + n) + 5; }

bool enough(const Space &s, int64_t m, int64_t n, unsigned type) {
  if (s.device_bytes < device_bytes(m, n, type) || (uintptr_t(s.device) & 255)) return false;
  if (s.host_bytes < host_bytes(m, n) || !s.host) return false;
  memset(s.host, 0xff, s.host_bytes);
  return true;
}

// An array on the device that a call reads or writes.
struct Array {
  const char *name;
  const void *at;
  size_t bytes;
};

// later enqueues f after it has looked at arrays and overwritten the work space.
unsigned later(Handle *h, const Space &s, std::vector<Array> arrays, std::function<void()> f) {
  if (!h->stream) return NOT_INIT;
  const Work work = [=]() -> unsigned {
    for (const Array &a : arrays)
      if (!reach(a.at, a.bytes, a.name)) return ILLEGAL_ADDRESS;
    if (s.device_bytes && !reach(s.device, s.device_bytes, "the work space")) return ILLEGAL_ADDRESS;
    if (s.device_bytes) memset(s.device, 0xff, s.device_bytes);
    f();
    return SUCCESS;
  };
  return driver()->enqueue(h->stream, &work) ? unsigned(EXECUTION) : 0;
}

template <class W, class T> solve::Matrix<W> get(const void *p, int64_t m, int64_t n, int64_t ld) {
  solve::Matrix<W> a(m, n);
  for (int64_t j = 0; j < n; j++)
    for (int64_t i = 0; i < m; i++) a(i, j) = static_cast<const T *>(p)[j * ld + i];
  return a;
}
template <class W, class T> void put(void *p, solve::Matrix<W> &a, int64_t ld) {
  for (int64_t j = 0; j < a.n; j++)
    for (int64_t i = 0; i < a.m; i++) static_cast<T *>(p)[j * ld + i] = T(a(i, j));
}
template <class T, class W> void put(void *p, const std::vector<W> &v) {
  for (size_t i = 0; i < v.size(); i++) static_cast<T *>(p)[i] = T(v[i]);
}

// in_type calls f with an element of the type, its real part, and a wide element.
template <class F> void in_type(unsigned type, F f) {
  switch (type) {
  case F32: return f(float(), float(), double());
  case F64: return f(double(), double(), double());
  case C64: return f(std::complex<float>(), float(), std::complex<double>());
  case C128: return f(std::complex<double>(), double(), std::complex<double>());
  }
}
#define TYPES(x, r, w) \
  [[maybe_unused]] typedef decltype(x) T; \
  [[maybe_unused]] typedef decltype(r) R; \
  [[maybe_unused]] typedef decltype(w) W

size_t matrix_bytes(int64_t rows, int64_t columns, int64_t ld, unsigned type) {
  return size_t((columns - 1) * ld + rows) * size_of(type);
}

unsigned checked(int64_t m, int64_t n, int64_t lda, unsigned type, unsigned compute) {
  if (!known(type) || type != compute) return UNSUPPORTED;
  return m < 1 || n < 1 || lda < m ? unsigned(INVALID) : 0;
}

unsigned sized(int64_t m, int64_t n, int64_t lda, unsigned type, unsigned compute, size_t *device, size_t *host) {
  COUNT();
  *device = device_bytes(m, n, type);
  *host = host_bytes(m, n);
  return checked(m, n, lda, type, compute);
}

unsigned orgqr(Handle *h, unsigned type, int m, int n, int k, void *a, int lda, const void *tau, void *work,
               int elements, int *info) {
  COUNT();
  if (m < 1 || n < 1 || n > m || k < 0 || k > n || lda < m) return INVALID;
  const size_t bytes = size_t(elements) * size_of(type);
  if (bytes < device_bytes(m, n, type)) return INVALID;
  return later(h, {work, bytes, nullptr, 0}, {{"a matrix", a, matrix_bytes(m, n, lda, type)},
    {"tau", tau, size_t(k) * size_of(type)}, {"info", info, 4}}, [=]() {
    in_type(type, [=](auto x, auto r, auto w) {
      TYPES(x, r, w);
      auto q = get<W, T>(a, m, n, lda);
      const T *const t = static_cast<const T *>(tau);
      solve::orgqr(q, std::vector<W>(t, t + k));
      put<W, T>(a, q, lda);
      *info = 0;
    });
  });
}

} // namespace

API unsigned cusolverGetVersion(int *version) {
  COUNT();
  *version = version_of("cusolver", 11603);
  return 0;
}
API unsigned cusolverDnCreate(Handle **h) {
  COUNT();
  if (!driver()) return NOT_INIT;
  *h = new Handle;
  return 0;
}
API unsigned cusolverDnDestroy(Handle *h) {
  delete h;
  return 0;
}
API unsigned cusolverDnCreateParams(Params **p) {
  COUNT();
  *p = new Params;
  return 0;
}
API unsigned cusolverDnDestroyParams(Params *p) {
  delete p;
  return 0;
}
API unsigned cusolverDnSetStream(Handle *h, CUstream_st *s) {
  COUNT();
  h->stream = s;
  return 0;
}

API unsigned cusolverDnXpotrf_bufferSize(Handle *, Params *, unsigned, int64_t n, unsigned type, const void *,
                                         int64_t lda, unsigned compute, size_t *device, size_t *host) {
  return sized(n, n, lda, type, compute, device, host);
}
API unsigned cusolverDnXpotrf(Handle *h, Params *, unsigned uplo, int64_t n, unsigned type, void *a, int64_t lda,
                              unsigned compute, void *work, size_t device, void *hosted, size_t host, int *info) {
  COUNT();
  const Space s = {work, device, hosted, host};
  if (const unsigned status = checked(n, n, lda, type, compute)) return status;
  if (uplo > 1 || !enough(s, n, n, type)) return INVALID;
  return later(h, s, {{"a matrix", a, matrix_bytes(n, n, lda, type)}, {"info", info, 4}}, [=]() {
    in_type(type, [=](auto x, auto r, auto w) {
      TYPES(x, r, w);
      auto l = get<W, T>(a, n, n, lda);
      *info = solve::potrf(l, uplo == 1);
      put<W, T>(a, l, lda);
    });
  });
}

API unsigned cusolverDnXgetrf_bufferSize(Handle *, Params *, int64_t m, int64_t n, unsigned type, const void *,
                                         int64_t lda, unsigned compute, size_t *device, size_t *host) {
  return sized(m, n, lda, type, compute, device, host);
}
API unsigned cusolverDnXgetrf(Handle *h, Params *, int64_t m, int64_t n, unsigned type, void *a, int64_t lda,
                              int64_t *pivots, unsigned compute, void *work, size_t device, void *hosted, size_t host,
                              int *info) {
  COUNT();
  const Space s = {work, device, hosted, host};
  if (const unsigned status = checked(m, n, lda, type, compute)) return status;
  if (!enough(s, m, n, type)) return INVALID;
  return later(h, s, {{"a matrix", a, matrix_bytes(m, n, lda, type)},
    {"pivots", pivots, size_t(std::min(m, n)) * 8}, {"info", info, 4}}, [=]() {
    in_type(type, [=](auto x, auto r, auto w) {
      TYPES(x, r, w);
      auto lu = get<W, T>(a, m, n, lda);
      std::vector<int64_t> p;
      *info = solve::getrf(lu, p);
      put<W, T>(a, lu, lda);
      put<int64_t>(pivots, p);
    });
  });
}

API unsigned cusolverDnXgeqrf_bufferSize(Handle *, Params *, int64_t m, int64_t n, unsigned type, const void *,
                                         int64_t lda, unsigned, const void *, unsigned compute, size_t *device,
                                         size_t *host) {
  return sized(m, n, lda, type, compute, device, host);
}
API unsigned cusolverDnXgeqrf(Handle *h, Params *, int64_t m, int64_t n, unsigned type, void *a, int64_t lda,
                              unsigned tautype, void *tau, unsigned compute, void *work, size_t device, void *hosted,
                              size_t host, int *info) {
  COUNT();
  const Space s = {work, device, hosted, host};
  if (const unsigned status = checked(m, n, lda, type, compute)) return status;
  if (tautype != type || !enough(s, m, n, type)) return INVALID;
  return later(h, s, {{"a matrix", a, matrix_bytes(m, n, lda, type)},
    {"tau", tau, size_t(std::min(m, n)) * size_of(type)}, {"info", info, 4}}, [=]() {
    in_type(type, [=](auto x, auto r, auto w) {
      TYPES(x, r, w);
      auto q = get<W, T>(a, m, n, lda);
      std::vector<W> t;
      solve::geqrf(q, t);
      put<W, T>(a, q, lda);
      put<T>(tau, t);
      *info = 0;
    });
  });
}

API unsigned cusolverDnXsyevd_bufferSize(Handle *, Params *, unsigned, unsigned, int64_t n, unsigned type,
                                         const void *, int64_t lda, unsigned wtype, const void *, unsigned compute,
                                         size_t *device, size_t *host) {
  if (wtype != part(type)) return UNSUPPORTED;
  return sized(n, n, lda, type, compute, device, host);
}
API unsigned cusolverDnXsyevd(Handle *h, Params *, unsigned job, unsigned uplo, int64_t n, unsigned type, void *a,
                              int64_t lda, unsigned wtype, void *values, unsigned compute, void *work, size_t device,
                              void *hosted, size_t host, int *info) {
  COUNT();
  const Space s = {work, device, hosted, host};
  if (const unsigned status = checked(n, n, lda, type, compute)) return status;
  if (wtype != part(type) || uplo > 1 || job > 1 || !enough(s, n, n, type)) return INVALID;
  return later(h, s, {{"a matrix", a, matrix_bytes(n, n, lda, type)},
    {"eigenvalues", values, size_t(n) * size_of(wtype)}, {"info", info, 4}}, [=]() {
    in_type(type, [=](auto x, auto r, auto w) {
      TYPES(x, r, w);
      auto v = get<W, T>(a, n, n, lda);
      std::vector<double> found;
      solve::syevd(v, uplo == 1, found);
      put<W, T>(a, v, lda);
      put<R>(values, found);
      *info = 0;
    });
  });
}

API unsigned cusolverDnXgesvd_bufferSize(Handle *, Params *, signed char, signed char, int64_t m, int64_t n,
                                         unsigned type, const void *, int64_t lda, unsigned stype, const void *,
                                         unsigned utype, const void *, int64_t, unsigned vtype, const void *, int64_t,
                                         unsigned compute, size_t *device, size_t *host) {
  if (stype != part(type) || utype != type || vtype != type) return UNSUPPORTED;
  return sized(m, n, lda, type, compute, device, host);
}
API unsigned cusolverDnXgesvd(Handle *h, Params *, signed char jobu, signed char jobvt, int64_t m, int64_t n,
                              unsigned type, void *a, int64_t lda, unsigned stype, void *values, unsigned utype,
                              void *u, int64_t ldu, unsigned vtype, void *vt, int64_t ldvt, unsigned compute,
                              void *work, size_t device, void *hosted, size_t host, int *info) {
  COUNT();
  const Space s = {work, device, hosted, host};
  if (const unsigned status = checked(m, n, lda, type, compute)) return status;
  if (m < n || jobu != jobvt || !strchr("ASN", jobu) || ldu < m || ldvt < n || !enough(s, m, n, type)) return INVALID;
  if (stype != part(type) || utype != type || vtype != type) return INVALID;
  const int64_t columns = jobu == 'A' ? m : n;
  std::vector<Array> arrays = {{"a matrix", a, matrix_bytes(m, n, lda, type)},
    {"singular values", values, size_t(n) * size_of(stype)}, {"info", info, 4}};
  if (jobu != 'N') {
    arrays.push_back({"u", u, matrix_bytes(m, columns, ldu, type)});
    arrays.push_back({"vt", vt, matrix_bytes(n, n, ldvt, type)});
  }
  return later(h, s, arrays, [=]() {
    in_type(type, [=](auto x, auto r, auto w) {
      TYPES(x, r, w);
      auto q = get<W, T>(a, m, n, lda);
      std::vector<double> found;
      solve::Matrix<W> left(m, columns), right(n, n);
      solve::gesvd(q, found, left, right);
      memset(a, 0xff, matrix_bytes(m, n, lda, type)); // it is lost
      put<R>(values, found);
      if (jobu != 'N') put<W, T>(u, left, ldu), put<W, T>(vt, right, ldvt);
      *info = 0;
    });
  });
}

#define ORGQR(name, T, type) \
  API unsigned name##_bufferSize(Handle *, int m, int n, int, const T *, int, const T *, int *elements) { \
    COUNT(); \
    *elements = int(device_bytes(m, n, type) / sizeof(T)); \
    return 0; \
  } \
  API unsigned name(Handle *h, int m, int n, int k, T *a, int lda, const T *tau, T *work, int elements, int *info) { \
    return orgqr(h, type, m, n, k, a, lda, tau, work, elements, info); \
  }
ORGQR(cusolverDnSorgqr, float, F32)
ORGQR(cusolverDnDorgqr, double, F64)
ORGQR(cusolverDnCungqr, std::complex<float>, C64)
ORGQR(cusolverDnZungqr, std::complex<double>, C128)
