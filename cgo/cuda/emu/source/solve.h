// Factorizations and decompositions of column-major matrices, in plain loops and wide numbers, with LAPACK's
// conventions. T is double or std::complex<double>.
#ifndef HALO_EMU_SOLVE_H
#define HALO_EMU_SOLVE_H

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

namespace solve {

inline double conj(double v) { return v; }
inline std::complex<double> conj(std::complex<double> v) { return std::conj(v); }
inline double size(double v) { return std::fabs(v); }
inline double size(std::complex<double> v) { return std::fabs(v.real()) + std::fabs(v.imag()); }

template <class T> struct Matrix {
  int64_t m, n;
  std::vector<T> v;
  Matrix(int64_t m, int64_t n) : m(m), n(n), v(size_t(m * n)) {}
  T &operator()(int64_t i, int64_t j) { return v[size_t(j * m + i)]; }
  double norm(int64_t j, int64_t from = 0) {
    double s = 0;
    for (int64_t i = from; i < m; i++) s += std::norm((*this)(i, j));
    return std::sqrt(s);
  }
};

// potrf replaces the upper or lower triangle by its factor; it returns the first column that is not positive, from 1.
template <class T> int potrf(Matrix<T> &a, bool upper) {
  const int64_t n = a.n;
  auto at = [&](int64_t i, int64_t j) -> T & { return upper ? a(j, i) : a(i, j); }; // conjugate if upper
  for (int64_t j = 0; j < n; j++) {
    double d = std::real(at(j, j));
    for (int64_t k = 0; k < j; k++) d -= std::norm(at(j, k));
    if (!(d > 0)) return int(j + 1);
    at(j, j) = std::sqrt(d);
    for (int64_t i = j + 1; i < n; i++) {
      T s = at(i, j);
      for (int64_t k = 0; k < j; k++) s -= at(i, k) * conj(at(j, k));
      at(i, j) = s / std::sqrt(d);
    }
  }
  return 0;
}

// getrf exchanges rows, counted from 1, and returns the first pivot that is zero, from 1.
template <class T> int getrf(Matrix<T> &a, std::vector<int64_t> &pivots) {
  int info = 0;
  for (int64_t j = 0; j < std::min(a.m, a.n); j++) {
    int64_t p = j;
    for (int64_t i = j + 1; i < a.m; i++)
      if (size(a(i, j)) > size(a(p, j))) p = i;
    pivots.push_back(p + 1);
    if (a(p, j) == T(0)) {
      if (!info) info = int(j + 1);
      continue;
    }
    for (int64_t k = 0; k < a.n; k++) std::swap(a(j, k), a(p, k));
    for (int64_t i = j + 1; i < a.m; i++) {
      const T f = a(i, j) /= a(j, j);
      for (int64_t k = j + 1; k < a.n; k++) a(i, k) -= f * a(j, k);
    }
  }
  return info;
}

// reflect applies I - f v v^H to the columns of a from column from on; v is column j of r below a one in row j.
template <class T> void reflect(Matrix<T> &a, int64_t from, Matrix<T> &r, int64_t j, T f) {
  for (int64_t k = from; k < a.n; k++) {
    T s = a(j, k);
    for (int64_t i = j + 1; i < a.m; i++) s += conj(r(i, j)) * a(i, k);
    s *= f;
    a(j, k) -= s;
    for (int64_t i = j + 1; i < a.m; i++) a(i, k) -= s * r(i, j);
  }
}

template <class T> void geqrf(Matrix<T> &a, std::vector<T> &tau) {
  for (int64_t j = 0; j < std::min(a.m, a.n); j++) {
    const T alpha = a(j, j);
    if (a.norm(j, j + 1) == 0 && std::imag(alpha) == 0) {
      tau.push_back(0);
      continue;
    }
    const double beta = std::signbit(std::real(alpha)) ? a.norm(j, j) : -a.norm(j, j);
    tau.push_back((beta - alpha) / beta);
    for (int64_t i = j + 1; i < a.m; i++) a(i, j) /= alpha - beta;
    reflect(a, j + 1, a, j, conj(tau.back()));
    a(j, j) = beta;
  }
}

// orgqr replaces reflectors by the first columns of their product.
template <class T> void orgqr(Matrix<T> &a, const std::vector<T> &tau) {
  Matrix<T> q(a.m, a.n);
  for (int64_t j = 0; j < a.n; j++) q(j, j) = 1;
  for (int64_t j = int64_t(tau.size()) - 1; j >= 0; j--) reflect(q, 0, a, j, tau[size_t(j)]);
  a = q;
}

// rotate makes columns p and q of a orthogonal or, of v, follows: x, y become c x - s conj(e) y and s e x + c y.
template <class T> void rotate(Matrix<T> &a, int64_t p, int64_t q, double c, double s, T e) {
  for (int64_t i = 0; i < a.m; i++) {
    const T x = a(i, p), y = a(i, q);
    a(i, p) = c * x - s * conj(e) * y;
    a(i, q) = s * e * x + c * y;
  }
}

// sorted returns the numbers of values in order.
inline std::vector<size_t> sorted(const std::vector<double> &w, bool falling) {
  std::vector<size_t> order(w.size());
  std::iota(order.begin(), order.end(), size_t(0));
  std::stable_sort(order.begin(), order.end(), [&](size_t i, size_t j) { return falling ? w[i] > w[j] : w[i] < w[j]; });
  return order;
}

template <class T> void pick(Matrix<T> &a, std::vector<double> &w, bool falling) {
  const Matrix<T> old = a;
  const std::vector<double> values = w;
  const std::vector<size_t> order = sorted(w, falling);
  for (size_t j = 0; j < order.size(); j++) {
    w[j] = values[order[j]];
    std::copy_n(old.v.begin() + int64_t(order[j]) * a.m, a.m, a.v.begin() + int64_t(j) * a.m);
  }
}

// turn is the angle by which a pair of columns is rotated whose product is g, and whose squares are x and y.
inline std::pair<double, double> turn(double x, double y, double g) {
  const double z = (y - x) / (2 * g), t = (z >= 0 ? 1 : -1) / (std::fabs(z) + std::sqrt(1 + z * z));
  const double c = 1 / std::sqrt(1 + t * t);
  return {c, c * t};
}

// jacobi makes the columns of a orthogonal and has v follow.
template <class T> void jacobi(Matrix<T> &a, Matrix<T> &v) {
  for (int sweep = 0; sweep < 60; sweep++) {
    bool done = true;
    for (int64_t p = 0; p < a.n; p++)
      for (int64_t q = p + 1; q < a.n; q++) {
        T g = 0;
        for (int64_t i = 0; i < a.m; i++) g += conj(a(i, p)) * a(i, q);
        const double x = a.norm(p), y = a.norm(q), r = std::abs(g);
        if (r <= 1e-15 * x * y || r == 0) continue;
        done = false;
        const auto [c, s] = turn(x * x, y * y, r);
        rotate(a, p, q, c, s, g / r);
        rotate(v, p, q, c, s, g / r);
      }
    if (done) return;
  }
}

// complete makes the columns of u from column j on orthogonal to those before and of length one.
template <class T> void complete(Matrix<T> &u, int64_t j) {
  for (int64_t unit = 0; j < u.n && unit < u.m; unit++) {
    for (int64_t i = 0; i < u.m; i++) u(i, j) = i == unit ? 1 : 0;
    for (int again = 0; again < 2; again++)
      for (int64_t k = 0; k < j; k++) {
        T g = 0;
        for (int64_t i = 0; i < u.m; i++) g += conj(u(i, k)) * u(i, j);
        for (int64_t i = 0; i < u.m; i++) u(i, j) -= g * u(i, k);
      }
    const double r = u.norm(j);
    if (r < 0.1 / std::sqrt(double(u.m))) continue;
    for (int64_t i = 0; i < u.m; i++) u(i, j) /= r;
    j++;
  }
}

// gesvd gives the singular values of a, falling, the vectors u, of which there are as many as it has columns, and vt.
template <class T> void gesvd(Matrix<T> a, std::vector<double> &s, Matrix<T> &u, Matrix<T> &vt) {
  const int64_t n = a.n;
  Matrix<T> v(n, n);
  for (int64_t j = 0; j < n; j++) v(j, j) = 1;
  jacobi(a, v);
  for (int64_t j = 0; j < n; j++) s.push_back(a.norm(j));
  std::vector<double> again = s;
  pick(a, s, true);
  pick(v, again, true);
  int64_t rank = 0;
  while (rank < n && s[size_t(rank)] > 1e-14 * s[0]) rank++;
  for (int64_t j = 0; j < rank; j++)
    for (int64_t i = 0; i < a.m; i++) u(i, j) = a(i, j) / s[size_t(j)];
  complete(u, rank);
  for (int64_t j = 0; j < n; j++)
    for (int64_t i = 0; i < n; i++) vt(j, i) = conj(v(i, j));
}

// syevd replaces a Hermitian matrix, of which one triangle counts, by its eigenvectors; the values rise.
template <class T> void syevd(Matrix<T> &a, bool upper, std::vector<double> &w) {
  const int64_t n = a.n;
  double shift = 0;
  for (int64_t j = 0; j < n; j++) {
    a(j, j) = std::real(a(j, j));
    for (int64_t i = j + 1; i < n; i++) upper ? a(i, j) = conj(a(j, i)) : a(j, i) = conj(a(i, j));
  }
  for (int64_t j = 0; j < n; j++) {
    double row = 0;
    for (int64_t i = 0; i < n; i++) row += std::abs(a(i, j));
    shift = std::max(shift, row);
  }
  Matrix<T> v(n, n);
  for (int64_t j = 0; j < n; j++) v(j, j) = 1, a(j, j) += 2 * shift; // all values are positive then, and singular
  jacobi(a, v);
  for (int64_t j = 0; j < n; j++) w.push_back(a.norm(j) - 2 * shift);
  pick(v, w, false);
  a = v;
}

} // namespace solve

#endif
