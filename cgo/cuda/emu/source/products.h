// Products of column-major matrices in plain loops: sums are in the type that is asked for, in order. What a library is
// allowed to round is rounded.
#ifndef HALO_EMU_PRODUCTS_H
#define HALO_EMU_PRODUCTS_H

#include <cmath>
#include <complex>
#include <cstring>

#include "library.h"

namespace {

enum Type { F32, F64, F16, S8, C64, C128, S32 = 10, BF16 = 14 };
enum { SUM_F32 = 68, SUM_F64 = 70, SUM_S32 = 72, SUM_TF32 = 77 };

inline size_t size_of(int type) {
  switch (type) {
  case S8: return 1;
  case F16: case BF16: return 2;
  case F32: case S32: return 4;
  case F64: case C64: return 8;
  }
  return 16;
}

inline float from_half(uint16_t b) {
  const int e = b >> 10 & 31, m = b & 1023;
  const float v = e == 31 ? (m ? NAN : INFINITY) : e ? std::ldexp(1024.0f + m, e - 25) : std::ldexp(float(m), -24);
  return b >> 15 ? -v : v;
}
inline uint16_t to_half(double v) {
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
inline float from_bf16(uint16_t b) {
  const uint32_t w = uint32_t(b) << 16;
  float v;
  memcpy(&v, &w, 4);
  return v;
}
inline uint16_t to_bf16(float v) {
  uint32_t b;
  memcpy(&b, &v, 4);
  return v != v ? b >> 16 | 0x40 : (b + 0x7fff + (b >> 16 & 1)) >> 16;
}

// What a product may round.
struct Rounding {
  bool tf32; // operands
  int sums;  // F16 or BF16; F32 for none
};

inline float sum_as(const Rounding &r, float v) {
  if (r.sums == F16) return from_half(to_half(double(v)));
  return r.sums == BF16 ? from_bf16(to_bf16(v)) : v;
}
template <class T> T sum_as(const Rounding &, T v) { return v; }

inline float operand(const Rounding &r, float v) {
  uint32_t b;
  memcpy(&b, &v, 4);
  if (!r.tf32 || v != v) return v;
  b = (b + 0xfff + (b >> 13 & 1)) & ~0x1fffu; // 10 bits of fraction stay
  memcpy(&v, &b, 4);
  return v;
}
inline std::complex<float> operand(const Rounding &r, std::complex<float> v) {
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

inline float sum(float s, float x, float y) { return std::fmaf(x, y, s); }
inline double sum(double s, double x, double y) { return std::fma(x, y, s); }
inline int32_t sum(int32_t s, int32_t x, int32_t y) { return int32_t(uint32_t(s) + uint32_t(x) * uint32_t(y)); }
template <class T> std::complex<T> sum(std::complex<T> s, std::complex<T> x, std::complex<T> y) { return s + x * y; }

struct Product {
  bool ta, tb;
  int64_t m, n, k, batch;
  Matrix a, b, c;
  int compute;
  Rounding rounding;
  const void *bias;       // in c's type, a number for each row of c; null for none
  bool backwards = false; // sums begin with the last
  template <class T> void run() const {
    for (int64_t z = 0; z < batch; z++)
      for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < m; i++) {
          T s = 0;
          for (int64_t q = 0; q < k; q++) {
            const int64_t l = backwards ? k - 1 - q : q;
            s = sum_as(rounding, sum(s, x(a.get<T>(z * a.stride + (ta ? i * a.ld + l : l * a.ld + i))),
                                     x(b.get<T>(z * b.stride + (tb ? l * b.ld + j : j * b.ld + l)))));
          }
          c.put<T>(z * c.stride + j * c.ld + i, bias ? s + added<T>(i) : s);
        }
  }
  template <class T> T x(T v) const { return operand(rounding, v); }
  template <class T> T added(int64_t i) const {
    return Matrix{c.type, 0, 0, static_cast<char *>(const_cast<void *>(bias))}.template get<T>(i);
  }
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
inline bool allowed(int compute, int a, int c) {
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
inline bool place(Matrix *x, const void *at, int64_t rows, int64_t columns, int64_t batch) {
  const int64_t last = (batch - 1) * x->stride + (columns - 1) * x->ld + rows;
  x->at = static_cast<char *>(reach(at, size_t(last) * size_of(x->type), "a matrix"));
  return x->at;
}

} // namespace

#endif
