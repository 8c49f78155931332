// The descriptors of cuDNN's graphs of operations: which attributes there are, of which types and how many elements,
// and what must hold when one is finalized.
#ifndef HALO_EMU_CUDNNGRAPH_H
#define HALO_EMU_CUDNNGRAPH_H

#include <vector>

#include "products.h"

namespace {

enum : unsigned { NOT_INIT = 1001, BAD_PARAM = 2000, UNSUPPORTED = 3000, EXECUTION_FAILED = 5000 };
enum Kind : unsigned {
  POINTWISE = 0, CONVOLUTION = 1, ENGINE = 2, CONFIG = 3, HEURISTICS = 4, PLAN = 5, FORWARD = 10, BACKWARD_FILTER = 11,
  BACKWARD_DATA = 12, SUM = 13, GRAPH = 15, PACK = 16, TENSOR = 17, KINDS = 18
};
enum Of : unsigned {
  HANDLE = 0, DATA_TYPE = 1, BOOLEAN = 2, INT64 = 3, FLOAT = 4, DOUBLE = 5, VOID_PTR = 6, MODE = 7, HEURISTIC = 8,
  NOTE = 11, POINTWISE_MODE = 14, DESCRIPTOR = 15
};
enum { SPACE = 3, DIMS = 2 + SPACE, NUMBER = 301, NOTES = 303 };

inline size_t bytes_of(unsigned of) {
  switch (of) {
  case BOOLEAN: return 1;
  case DATA_TYPE: case FLOAT: case MODE: case HEURISTIC: case NOTE: case POINTWISE_MODE: return 4;
  }
  return 8;
}

// An attribute: its name is the first for its descriptor plus a number. What is not wanted has a default.
struct Row {
  unsigned kind, name, of;
  int64_t least, most;
  bool wanted;
};
const Row rows[] = {
  {POINTWISE, 0, POINTWISE_MODE, 1, 1, true}, {POINTWISE, 1, DATA_TYPE, 1, 1, true},
  {CONVOLUTION, 100, DATA_TYPE, 1, 1, true}, {CONVOLUTION, 101, MODE, 1, 1, true},
  {CONVOLUTION, 102, INT64, 1, SPACE, true}, {CONVOLUTION, 103, INT64, 1, SPACE, true},
  {CONVOLUTION, 104, INT64, 1, SPACE, true}, {CONVOLUTION, 105, INT64, 1, SPACE, true},
  {CONVOLUTION, 106, INT64, 1, 1, true},
  {HEURISTICS, 200, HEURISTIC, 1, 1, true}, {HEURISTICS, 201, DESCRIPTOR, 1, 1, true},
  {PLAN, 400, HANDLE, 1, 1, true}, {PLAN, 401, DESCRIPTOR, 1, 1, true},
  {FORWARD, 700, FLOAT, 1, 1, true}, {FORWARD, 701, FLOAT, 1, 1, true}, {FORWARD, 702, DESCRIPTOR, 1, 1, true},
  {FORWARD, 703, DESCRIPTOR, 1, 1, true}, {FORWARD, 704, DESCRIPTOR, 1, 1, true},
  {FORWARD, 705, DESCRIPTOR, 1, 1, true},
  {BACKWARD_DATA, 706, FLOAT, 1, 1, true}, {BACKWARD_DATA, 707, FLOAT, 1, 1, true},
  {BACKWARD_DATA, 708, DESCRIPTOR, 1, 1, true}, {BACKWARD_DATA, 709, DESCRIPTOR, 1, 1, true},
  {BACKWARD_DATA, 710, DESCRIPTOR, 1, 1, true}, {BACKWARD_DATA, 711, DESCRIPTOR, 1, 1, true},
  {BACKWARD_FILTER, 712, FLOAT, 1, 1, true}, {BACKWARD_FILTER, 713, FLOAT, 1, 1, true},
  {BACKWARD_FILTER, 714, DESCRIPTOR, 1, 1, true}, {BACKWARD_FILTER, 715, DESCRIPTOR, 1, 1, true},
  {BACKWARD_FILTER, 716, DESCRIPTOR, 1, 1, true}, {BACKWARD_FILTER, 717, DESCRIPTOR, 1, 1, true},
  {SUM, 750, DESCRIPTOR, 1, 1, true}, {SUM, 751, DESCRIPTOR, 1, 1, true}, {SUM, 752, DESCRIPTOR, 1, 1, true},
  {SUM, 753, DESCRIPTOR, 1, 1, true},
  {GRAPH, 800, HANDLE, 1, 1, true}, {GRAPH, 801, DESCRIPTOR, 1, 8, true},
  {TENSOR, 900, INT64, 1, 1, true}, {TENSOR, 901, DATA_TYPE, 1, 1, true}, {TENSOR, 902, INT64, 3, DIMS, true},
  {TENSOR, 903, INT64, 3, DIMS, true}, {TENSOR, 906, INT64, 1, 1, true}, {TENSOR, 907, BOOLEAN, 1, 1, false},
  {PACK, 1000, INT64, 1, 8, true}, {PACK, 1001, VOID_PTR, 1, 8, true}, {PACK, 1003, VOID_PTR, 1, 1, true},
};

struct Values {
  unsigned of;
  std::vector<char> data;
  int64_t count() const { return int64_t(data.size() / bytes_of(of)); }
  template <class T> T at(int64_t i = 0) const {
    T v;
    memcpy(&v, data.data() + i * int64_t(sizeof v), sizeof v);
    return v;
  }
};

struct Desc : Held {
  unsigned kind = KINDS;
  bool final = false;
  std::map<unsigned, Values> values;
  // Of ways to compute, engines and plans:
  const Desc *graph = nullptr;
  int way = 0;

  const Values &operator[](unsigned name) const { return values.at(name); }
  template <class T> T get(unsigned name) const { return values.at(name).at<T>(); }
  int number(unsigned name) const { return get<int>(name); }
  const Desc *of(unsigned name) const { return get<const Desc *>(name); }

  unsigned set(unsigned name, unsigned type, int64_t count, const void *from) {
    for (const Row &r : rows) {
      if (r.kind != kind || r.name != name) continue;
      const bool fits = type == r.of || (r.of == FLOAT && type == DOUBLE);
      if (final || !fits || count < r.least || count > r.most || !from) return BAD_PARAM;
      const char *p = static_cast<const char *>(from);
      values[name] = {type, std::vector<char>(p, p + count * int64_t(bytes_of(type)))};
      return 0;
    }
    return BAD_PARAM;
  }
  unsigned finalize();
};

inline bool ready(const Desc *d, unsigned kind) { return d && d->kind == kind && d->final; }

// An array: space is filled up with ones at its beginning.
struct Array {
  int64_t number, dims[DIMS], strides[DIMS];
  bool in_memory;
  int64_t aligned;
  Matrix m;
  int64_t size() const { // from the first element to the last
    int64_t n = 1;
    for (int i = 0; i < DIMS; i++) n += (dims[i] - 1) * strides[i];
    return n;
  }
  // packed reports whether features lie together, or else whether space does.
  bool packed(bool features_last) const {
    static const int orders[2][DIMS] = {{4, 3, 2, 1, 0}, {1, 4, 3, 2, 0}};
    int64_t n = 1;
    for (int d : orders[features_last]) {
      if (dims[d] != 1 && strides[d] != n) return false;
      n *= dims[d];
    }
    return true;
  }
};

inline Array array(const Desc *d) {
  Array a = {};
  const int rank = int((*d)[902].count());
  for (int i = 0; i < DIMS; i++) a.dims[i] = 1;
  for (int i = 0; i < rank; i++) {
    const int to = i < 2 ? i : DIMS - rank + i;
    a.dims[to] = (*d)[902].at<int64_t>(i);
    a.strides[to] = (*d)[903].at<int64_t>(i);
  }
  a.number = d->get<int64_t>(906);
  a.aligned = d->get<int64_t>(900);
  a.in_memory = !d->values.count(907) || !d->get<char>(907);
  a.m.type = d->number(901) == 9 ? int(BF16) : d->number(901);
  return a;
}

// A convolution: y of x with w.
struct Conv {
  unsigned kind;
  Array x, w, y;
  int64_t stride[SPACE], dilation[SPACE], pre[SPACE], post[SPACE];
  int sum;
};

inline void spread(int64_t *to, const Values &v, int64_t fill) {
  const int n = int(v.count());
  for (int i = 0; i < SPACE; i++) to[i] = i < SPACE - n ? fill : v.at<int64_t>(i - (SPACE - n));
}

inline Conv conv(const Desc *d) {
  const unsigned first = d->kind == FORWARD ? 700 : d->kind == BACKWARD_DATA ? 706 : 712;
  const Desc *window = d->of(first + 2);
  Conv c = {d->kind, {}, array(d->of(first + 3)), {}, {}, {}, {}, {}, window->number(100)};
  const Array a = array(d->of(first + 4)), b = array(d->of(first + 5));
  c.x = a, c.y = b;
  spread(c.dilation, (*window)[102], 1);
  spread(c.stride, (*window)[103], 1);
  spread(c.post, (*window)[104], 0);
  spread(c.pre, (*window)[105], 0);
  return c;
}

// fits reports whether the sizes make a convolution.
inline bool fits(const Conv &c) {
  const int64_t *x = c.x.dims, *w = c.w.dims, *y = c.y.dims;
  if (x[0] != y[0] || x[1] % w[1] || y[1] != w[0] || w[0] % (x[1] / w[1])) return false;
  for (int i = 0; i < SPACE; i++) {
    const int64_t room = x[2 + i] + c.pre[i] + c.post[i] - c.dilation[i] * (w[2 + i] - 1) - 1;
    if (room < 0 || y[2 + i] != room / c.stride[i] + 1) return false;
  }
  return true;
}

inline bool valid_tensor(const Desc &d) {
  const int64_t rank = d[902].count(), aligned = d.get<int64_t>(900);
  bool ok = rank == d[903].count() && aligned > 0 && !(aligned & (aligned - 1)) && d.get<int64_t>(906);
  for (int64_t i = 0; i < rank && ok; i++) ok = d[902].at<int64_t>(i) > 0 && d[903].at<int64_t>(i) > 0;
  return ok;
}

inline bool valid_window(const Desc &d) {
  const int64_t rank = d.get<int64_t>(106);
  bool ok = d.number(101) == 0 || d.number(101) == 1;
  for (unsigned name : {102u, 103u, 104u, 105u}) {
    ok = ok && d[name].count() == rank;
    for (int64_t i = 0; i < rank && ok; i++) ok = d[name].at<int64_t>(i) >= (name < 104 ? 1 : 0);
  }
  return ok;
}

inline bool valid_convolution(const Desc &d) {
  const unsigned first = d.kind == FORWARD ? 700 : d.kind == BACKWARD_DATA ? 706 : 712;
  const Desc *window = d.of(first + 2);
  if (!ready(window, CONVOLUTION)) return false;
  const bool wide = window->number(100) == F64;
  for (unsigned name = first; name < first + 2; name++) {
    const double want = name == first;
    const Values &v = d[name];
    if (v.of != (wide ? DOUBLE : FLOAT) || (wide ? v.at<double>() : double(v.at<float>())) != want) return false;
  }
  for (unsigned name = first + 3; name < first + 6; name++)
    if (!ready(d.of(name), TENSOR) || (*d.of(name))[902].count() != window->get<int64_t>(106) + 2) return false;
  return fits(conv(&d));
}

// valid_sum wants y of x's sizes, and of b those or one.
inline bool valid_sum(const Desc &d) {
  for (unsigned name : {751u, 752u, 753u})
    if (!ready(d.of(name), TENSOR)) return false;
  const Array x = array(d.of(751)), b = array(d.of(752)), y = array(d.of(753));
  bool ok = ready(d.of(750), POINTWISE);
  for (int i = 0; i < DIMS; i++) ok = ok && x.dims[i] == y.dims[i] && (b.dims[i] == y.dims[i] || b.dims[i] == 1);
  return ok;
}

inline bool is_convolution(const Desc *d) {
  return ready(d, FORWARD) || ready(d, BACKWARD_DATA) || ready(d, BACKWARD_FILTER);
}

// valid_graph wants a convolution and sums, each of what was before it, with the last alone in memory.
inline bool valid_graph(const Desc &d) {
  const Values &list = d[801];
  const Desc *before = list.at<const Desc *>(0);
  if (!d.get<void *>(800) || !is_convolution(before)) return false;
  const unsigned results[] = {705, 715, 710}; // y, dw, dx
  const Desc *result = before->of(results[before->kind - FORWARD]);
  for (int64_t i = 1; i < list.count(); i++) {
    const Desc *sum = list.at<const Desc *>(i);
    if (before->kind != FORWARD && i == 1) return false;
    if (!ready(sum, SUM) || sum->of(751) != result || array(result).in_memory) return false;
    result = sum->of(753);
  }
  return array(result).in_memory;
}

inline unsigned Desc::finalize() {
  for (const Row &r : rows)
    if (r.kind == kind && r.wanted && !values.count(r.name)) return BAD_PARAM;
  bool ok = !final;
  switch (kind) {
  case TENSOR: ok = ok && valid_tensor(*this); break;
  case CONVOLUTION: ok = ok && valid_window(*this); break;
  case FORWARD: case BACKWARD_DATA: case BACKWARD_FILTER: ok = ok && valid_convolution(*this); break;
  case SUM: ok = ok && valid_sum(*this); break;
  case GRAPH: ok = ok && valid_graph(*this); break;
  case HEURISTICS: ok = ok && ready(of(201), GRAPH); break;
  case PLAN: ok = ok && get<void *>(400) && ready(of(401), CONFIG); break;
  case PACK: ok = ok && (*this)[1000].count() == (*this)[1001].count(); break;
  case ENGINE: case CONFIG: ok = false; break; // these come from others
  }
  final = ok;
  return ok ? 0 : unsigned(BAD_PARAM);
}

} // namespace

#endif
