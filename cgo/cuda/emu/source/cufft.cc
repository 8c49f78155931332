// The part of cuFFT that is called: in f64, and for f32 in f32, but for lengths with large factors. Sizes, distances, alignment and the work area are looked at, which is the
// caller's; what gives real numbers overwrites what it takes, and gives NaN where that is no spectrum of real numbers.
#include <cmath>
#include <complex>
#include <map>

#include "fourier.h"
#include "library.h"

namespace {

enum : unsigned {
  INVALID_PLAN = 1, BAD_VALUE = 4, EXEC_FAILED = 6, INVALID_SIZE = 8, UNALIGNED = 9, NO_WORKSPACE = 13
};
enum Type : unsigned { R2C = 0x2a, C2R = 0x2c, C2C = 0x29, D2Z = 0x6a, Z2D = 0x6c, Z2Z = 0x69 };
typedef std::complex<double> number;

#define COUNT() \
  if (const unsigned status = asked("cufft", EXEC_FAILED)) return status

// What is on one side of a transform.
struct Side {
  bool real;
  long long embed[3], stride, step;
  // at is where element i of transform b is, with its coordinates in dims; -1 beyond what is stored.
  long long at(int rank, const long long *dims, long long b, long long i) const {
    long long place = 0, scale = 1, last = -1;
    for (int d = rank - 1; d >= 0; d--) {
      const long long k = i % dims[d];
      i /= dims[d];
      if (last < 0) last = k;
      place += k * scale;
      scale *= embed[d];
    }
    return last < embed[rank - 1] ? b * step + place * stride : -1;
  }
};

struct Plan : Held {
  bool own_area = false, made = false;
  int rank = 0;
  long long n[3], batch = 0;
  unsigned type = 0;
  Side in, out;
  CUstream_st *stream = nullptr;
  void *work = nullptr;
  size_t bytes = 0;
  bool wide() const { return type == D2Z || type == Z2D || type == Z2Z; }
  long long count() const {
    long long c = 1;
    for (int d = 0; d < rank; d++) c *= n[d];
    return c;
  }
};

std::mutex plans_lock;
std::map<int, Plan> plans;
int next_plan = 1;

// find_plan holds the lock of plans.
Plan *find_plan(int id) {
  const auto it = plans.find(id);
  return it == plans.end() ? nullptr : &it->second;
}

#define PLAN(id) \
  COUNT(); \
  const std::lock_guard<std::mutex> guard(plans_lock); \
  Plan *const p = find_plan(id); \
  if (!p) return INVALID_PLAN

// line transforms n numbers that are step apart: by the least factor of n first.
void line(number *x, long long n, long long step, int sign) {
  if (n == 1) return;
  long long f = 2;
  while (n % f && f * f <= n) f++;
  if (n % f) f = n;
  const long long m = n / f;
  for (long long r = 0; r < f; r++) line(x + r * step, m, f * step, sign);
  std::vector<number> out(size_t(n), 0);
  for (long long k = 0; k < n; k++)
    for (long long r = 0; r < f; r++) {
      const double turn = double(r * k % n) / double(n);
      out[size_t(k)] += x[(r + k % m * f) * step] * std::polar(1.0, sign * 2 * M_PI * turn);
    }
  for (long long k = 0; k < n; k++) x[k * step] = out[size_t(k)];
}

// all transforms all dimensions of x, whose last dimension varies fastest.
void all(const Plan &p, std::vector<number> &x, int sign) {
  long long inner = 1;
  for (int d = p.rank - 1; d >= 0; d--) {
    for (long long i = 0; i < (long long)x.size(); i++)
      if (i / inner % p.n[d] == 0) line(&x[size_t(i)], p.n[d], inner, sign);
    inner *= p.n[d];
  }
}

// reals transforms the rows of x, whose numbers are f32: reals to the first half of a spectrum or, not forward, back.
void reals(const Plan &p, std::vector<number> &x, bool forward) {
  const size_t n = size_t(p.n[p.rank - 1]);
  std::vector<float> row(n);
  for (size_t at = 0; at < x.size(); at += n) {
    if (forward)
      for (size_t k = 0; k < n; k++) row[k] = float(x[at + k].real());
    for (size_t k = 0; k < n && !forward; k++)
      row[k] = float(k % 2 ? x[at + (k + 1) / 2].real() : k ? x[at + k / 2].imag() : x[at].real());
    fourier::real(row, forward);
    if (!forward)
      for (size_t k = 0; k < n; k++) x[at + k] = double(row[k]);
    for (size_t k = 0; k <= n / 2 && forward; k++)
      x[at + k] = number(double(row[k ? 2 * k - 1 : 0]), k && 2 * k < n ? double(row[2 * k]) : 0);
  }
}

// complexes transforms dimension d of x, whose numbers are f32.
void complexes(const Plan &p, std::vector<number> &x, int d, bool forward) {
  size_t inner = 1, n = size_t(p.n[d]);
  for (int i = d + 1; i < p.rank; i++) inner *= size_t(p.n[i]);
  fourier::Pairs line(n);
  for (size_t at = 0; at < x.size(); at++) {
    if (at / inner % n) continue;
    for (size_t k = 0; k < n; k++) {
      const number v = x[at + k * inner];
      line[k] = {float(v.real()), float(v.imag())};
    }
    fourier::complex(line, forward);
    for (size_t k = 0; k < n; k++) x[at + k * inner] = number(double(line[k].re), double(line[k].im));
  }
}

// narrow transforms all dimensions of x in f32; false if that is not done. Complex numbers that lie apart are the outer
// dimensions of what becomes reals, which go the other way round.
bool narrow(const Plan &p, std::vector<number> &x, int sign) {
  const int last = p.rank - 1;
  const bool some = p.in.real || p.out.real, forward = sign < 0, apart = !some && p.in.stride > 1;
  for (int d = 0; d < p.rank; d++)
    if (!fourier::does(p.n[d], some && d == last)) return false;
  if (p.in.real) reals(p, x, forward);
  for (int d = 0; d < last && some; d++) complexes(p, x, d, forward);
  for (int i = last; i >= 0 && !some; i--) complexes(p, x, apart ? last - i : i, forward);
  if (p.out.real) reals(p, x, forward);
  return true;
}

template <class R> number get(const void *at, bool real, long long i) {
  if (real) return static_cast<const R *>(at)[i];
  return number(static_cast<const std::complex<R> *>(at)[i]);
}
template <class R> void put(void *at, bool real, long long i, number v) {
  if (real) static_cast<R *>(at)[i] = R(v.real());
  else static_cast<std::complex<R> *>(at)[i] = std::complex<R>(R(v.real()), R(v.imag()));
}

// mirror is the number of the element that is the conjugate of i in a spectrum of real numbers.
long long mirror(const Plan &p, long long i) {
  long long at = 0, scale = 1;
  for (int d = p.rank - 1; d >= 0; d--) {
    at += (p.n[d] - i % p.n[d]) % p.n[d] * scale;
    i /= p.n[d];
    scale *= p.n[d];
  }
  return at;
}

// completed makes the whole of the half of a spectrum, and NaN of what is none of real numbers.
void completed(const Plan &p, std::vector<number> &x, const std::vector<bool> &stored) {
  for (size_t i = 0; i < x.size(); i++) {
    const size_t j = size_t(mirror(p, (long long)i));
    if (!stored[i]) x[i] = std::conj(x[j]);
    else if (stored[j] && std::abs(x[i] - std::conj(x[j])) > 1e-4 * std::abs(x[i])) x[i] = NAN;
  }
}

template <class R> void run(const Plan &p, void *in, void *out, int sign) {
  const size_t n = size_t(p.count());
  for (long long b = 0; b < p.batch; b++) {
    std::vector<number> x(n);
    std::vector<bool> stored(n);
    for (size_t i = 0; i < n; i++) {
      const long long at = p.in.at(p.rank, p.n, b, (long long)i);
      if ((stored[i] = at >= 0)) x[i] = get<R>(in, p.in.real, at);
    }
    if (p.out.real) completed(p, x, stored);
    if (p.wide() || !narrow(p, x, sign)) all(p, x, sign);
    for (size_t i = 0; i < n; i++) {
      const long long at = p.out.at(p.rank, p.n, b, (long long)i);
      if (at >= 0) put<R>(out, p.out.real, at, x[i]);
    }
  }
}

// extent is how many bytes a side takes.
size_t extent(const Plan &p, const Side &s) {
  long long last = 0;
  for (long long i = 0; i < p.count(); i++) last = std::max(last, s.at(p.rank, p.n, p.batch - 1, i));
  return size_t(last + 1) * (p.wide() ? 8 : 4) * (s.real ? 1 : 2);
}

unsigned execute(int id, unsigned type, void *in, void *out, int sign) {
  PLAN(id);
  if (!p->made || p->type != type || !p->stream) return INVALID_PLAN;
  if (!p->work || uintptr_t(p->work) % 256) return NO_WORKSPACE;
  const size_t complex = p->wide() ? 16 : 8;
  if (uintptr_t(in) % complex || uintptr_t(out) % complex) return UNALIGNED;
  if (in == out) return BAD_VALUE; // nobody does it
  const Plan q = *p;
  const Work work = [=]() -> unsigned {
    const size_t taken = extent(q, q.in);
    if (!reach(in, taken, "what is transformed") || !reach(out, extent(q, q.out), "a transform") ||
        !reach(q.work, q.bytes, "the work area"))
      return ILLEGAL_ADDRESS;
    memset(q.work, 0xff, q.bytes);
    q.wide() ? run<double>(q, in, out, sign) : run<float>(q, in, out, sign);
    if (q.out.real) memset(in, 0xff, taken);
    return SUCCESS;
  };
  return driver()->submit(p->stream, "cufftExec", &work) ? unsigned(EXEC_FAILED) : 0;
}

} // namespace

API unsigned cufftGetVersion(int *version) {
  COUNT();
  *version = version_of("cufft", 11200);
  return 0;
}
API unsigned cufftCreate(int *plan) {
  COUNT();
  if (!driver()) return INVALID_PLAN;
  const std::lock_guard<std::mutex> guard(plans_lock);
  *plan = next_plan++;
  plans[*plan].own_area = true;
  return 0;
}
API unsigned cufftDestroy(int plan) {
  const std::lock_guard<std::mutex> guard(plans_lock);
  return plans.erase(plan) ? 0 : unsigned(INVALID_PLAN);
}
API unsigned cufftSetAutoAllocation(int plan, int on) {
  PLAN(plan);
  p->own_area = on;
  return 0;
}
API unsigned cufftMakePlanMany64(int plan, int rank, long long *n, long long *inembed, long long istride,
                                 long long idist, long long *onembed, long long ostride, long long odist,
                                 unsigned type, long long batch, size_t *bytes) {
  PLAN(plan);
  if (p->own_area || p->made) return INVALID_PLAN;
  if (rank < 1 || rank > 3 || batch < 1 || istride < 1 || ostride < 1) return BAD_VALUE;
  p->rank = rank, p->type = type, p->batch = batch;
  p->in = {type == R2C || type == D2Z, {}, istride, idist};
  p->out = {type == C2R || type == Z2D, {}, ostride, odist};
  for (int d = 0; d < rank; d++) {
    if (n[d] < 1) return INVALID_SIZE;
    p->n[d] = n[d], p->in.embed[d] = inembed[d], p->out.embed[d] = onembed[d];
    const long long half = d == rank - 1 ? n[d] / 2 + 1 : n[d];
    if (inembed[d] != (p->out.real ? half : n[d]) || onembed[d] != (p->in.real ? half : n[d])) return INVALID_SIZE;
  }
  p->bytes = *bytes = size_t(p->count() * batch % 1000) * 8 + 24; // a size that nobody would guess
  p->made = true;
  return 0;
}
API unsigned cufftSetStream(int plan, CUstream_st *stream) {
  PLAN(plan);
  p->stream = stream;
  return 0;
}
API unsigned cufftSetWorkArea(int plan, void *work) {
  PLAN(plan);
  p->work = work;
  return 0;
}

API unsigned cufftExecC2C(int plan, void *in, void *out, int sign) { return execute(plan, C2C, in, out, sign); }
API unsigned cufftExecZ2Z(int plan, void *in, void *out, int sign) { return execute(plan, Z2Z, in, out, sign); }
API unsigned cufftExecR2C(int plan, void *in, void *out) { return execute(plan, R2C, in, out, -1); }
API unsigned cufftExecD2Z(int plan, void *in, void *out) { return execute(plan, D2Z, in, out, -1); }
API unsigned cufftExecC2R(int plan, void *in, void *out) { return execute(plan, C2R, in, out, 1); }
API unsigned cufftExecZ2D(int plan, void *in, void *out) { return execute(plan, Z2D, in, out, 1); }
