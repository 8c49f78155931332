// The part of cuDNN that is called: convolutions by graphs of operations. Of the ways that it proposes, most compute
// something else, or need too much, and give NaN: who takes one of them has not looked at what they say of themselves.
// Of the others one gives other bits each time and one other numbers, which shows when they run alone.
#include <algorithm>

#include "cudnngraph.h"

namespace {

struct Handle : Held {
  CUstream_st *stream = nullptr;
};

// A way to do a convolution, with what it says of itself; the others are not faithful.
struct Way {
  int note; // -1 for none
  enum { FINE, REFUSED, LARGE, UNSTEADY, WRONG } end;
  double ms;
};
const Way ways[] = {{0, Way::FINE, 1}, {1, Way::FINE, 1}, {2, Way::FINE, 1}, {3, Way::FINE, 1}, {4, Way::FINE, 1},
                    {5, Way::FINE, 1}, {7, Way::FINE, 1}, {10, Way::FINE, 1}, {-1, Way::REFUSED, 1},
                    {-1, Way::LARGE, 1}, {9, Way::FINE, 4}, {-1, Way::UNSTEADY, 2}, {-1, Way::WRONG, 2},
                    {9, Way::FINE, 3}};
// Tensor cores round f32 to TF32; ways from FAITHFUL on round nothing.
enum { WAYS = sizeof ways / sizeof *ways, TENSOR_CORE = 0, FAITHFUL = 10, COPIES = 6 };

#define COUNT() \
  if (const unsigned status = asked("cudnn", EXECUTION_FAILED)) return status

const Desc *last_of(const Desc *graph) {
  const Values &list = (*graph)[801];
  return list.at<const Desc *>(list.count() - 1);
}

const Desc *convolution_of(const Desc *graph) { return (*graph)[801].at<const Desc *>(0); }

// result_of is the array that is computed.
Array result_of(const Desc *graph) {
  const Desc *last = last_of(graph);
  if (last->kind == SUM) return array(last->of(753));
  return last->kind == FORWARD ? conv(last).y : last->kind == BACKWARD_DATA ? conv(last).x : conv(last).w;
}

// supported reports whether there are ways for a graph: what the library's documents list, and of layouts those that
// have features last, or space.
bool supported(const Desc *graph) {
  const Conv c = conv(convolution_of(graph));
  const int type = c.x.m.type;
  const bool wide = type == F64 && c.sum == F64;
  if (c.w.m.type != type || (!wide && (c.sum != F32 || (type != F32 && type != F16 && type != BF16)))) return false;
  const int64_t sums = (*graph)[801].count() - 1;
  if (sums > 2 || (sums && type != F32)) return false;
  for (int64_t i = 1; i <= sums; i++) { // an array like the result before a number for each feature, never alone
    const Array b = array((*graph)[801].at<const Desc *>(i)->of(752)), y = result_of(graph);
    const bool whole = std::equal(b.dims, b.dims + DIMS, y.dims);
    const bool feature = b.size() == y.dims[1] && b.dims[1] == y.dims[1];
    if (b.m.type != F32 || (i < sums ? !whole || !std::equal(b.strides, b.strides + DIMS, y.strides) : !feature))
      return false;
  }
  if (result_of(graph).m.type != type) return false;
  for (int last = 0; last < 2; last++)
    if (c.x.packed(last) && c.w.packed(last) && c.y.packed(last) && result_of(graph).packed(last)) return true;
  return false;
}

// wanted is the workspace of a graph: a size that nobody would guess.
int64_t wanted(const Desc *graph) {
  const Conv c = conv(convolution_of(graph));
  return (c.y.size() + 3 * c.w.size()) % 509 + 16;
}

// proposed is the number of ways of a mode: dilated windows are found by mode B alone, groups by the last mode.
int proposed(const Desc *heuristics) {
  const Desc *graph = heuristics->of(201);
  const Conv c = conv(convolution_of(graph));
  if (!supported(graph)) return 0;
  const bool dilated = c.dilation[SPACE - 1] > 1, groups = c.x.dims[1] != c.w.dims[1];
  switch (heuristics->number(200)) {
  case 3: return dilated || groups ? FAITHFUL : WAYS;
  case 1: return groups ? FAITHFUL : WAYS;
  }
  return COPIES * FAITHFUL + WAYS - FAITHFUL;
}

// takes reports whether a way's numbers are those of a convolution.
bool takes(int way) { return way >= FAITHFUL || way == TENSOR_CORE; }

// spoil makes of results what a way does that is not as it says.
template <class T> void spoil(std::vector<T> *v, int way) {
  static long runs;
  const bool other = ways[way].end == Way::UNSTEADY && ++runs % 2;
  for (T &x : *v) x = ways[way].end == Way::WRONG ? x * 2 : other ? x * T(1.5) : x;
}

// The sums of a convolution, in memory's order of what is computed. Products are rounded, as the evaluator has it; a GPU
// rounds a product and a sum at once.
template <class T> std::vector<T> sums(const Conv &c, const Rounding &r) {
  const Array &to = c.kind == FORWARD ? c.y : c.kind == BACKWARD_DATA ? c.x : c.w;
  std::vector<T> out(size_t(to.size()));
  const int64_t channels = c.w.dims[1], features = c.w.dims[0] / (c.x.dims[1] / channels), *y = c.y.dims, *w = c.w.dims;
  int64_t at[3 + 2 * SPACE]; // batch, output feature, input feature, places of y, places of w
  const int64_t sizes[3 + 2 * SPACE] = {y[0], y[1], channels, y[2], y[3], y[4], w[2], w[3], w[4]};
  int64_t all = 1;
  for (int64_t n : sizes) all *= n;
  for (int64_t i = 0; i < all; i++) {
    int64_t rest = i;
    for (int k = 2 + 2 * SPACE; k >= 0; k--) at[k] = rest % sizes[k], rest /= sizes[k];
    int64_t px = at[0] * c.x.strides[0] + (at[1] / features * channels + at[2]) * c.x.strides[1];
    int64_t pw = at[1] * c.w.strides[0] + at[2] * c.w.strides[1], py = at[0] * c.y.strides[0] + at[1] * c.y.strides[1];
    bool inside = true;
    for (int k = 0; k < SPACE; k++) {
      const int64_t place = at[3 + k] * c.stride[k] - c.pre[k] + at[3 + SPACE + k] * c.dilation[k];
      inside = inside && place >= 0 && place < c.x.dims[2 + k];
      px += place * c.x.strides[2 + k];
      pw += at[3 + SPACE + k] * c.w.strides[2 + k];
      py += at[3 + k] * c.y.strides[2 + k];
    }
    if (!inside) continue;
    switch (c.kind) {
    case FORWARD: out[py] += operand(r, c.x.m.get<T>(px)) * operand(r, c.w.m.get<T>(pw)); break;
    case BACKWARD_DATA: out[px] += operand(r, c.w.m.get<T>(pw)) * operand(r, c.y.m.get<T>(py)); break;
    default: out[pw] += operand(r, c.x.m.get<T>(px)) * operand(r, c.y.m.get<T>(py));
    }
  }
  return out;
}

// spoilt reports whether zeros that a convolution pads with, or spreads its elements by, may be multiplied by infinities
// or NaN: then nothing is promised of its numbers.
bool spoilt(const Conv &c) {
  bool zeros = c.kind == BACKWARD_DATA, bad = false;
  for (int i = 0; i < SPACE; i++) zeros = zeros || c.pre[i] || c.post[i];
  const Array &by = c.kind == BACKWARD_FILTER ? c.y : c.w;
  for (int64_t i = 0; zeros && i < by.size(); i++) bad = bad || !std::isfinite(by.m.get<double>(i));
  return bad;
}

// What is added to a result, one after the other.
typedef std::vector<Array> Added;

// each calls f with the place of every element of a, and that in b, where sizes of one are stretched.
template <class F> void each(const Array &a, const Array &b, F f) {
  int64_t all = 1;
  for (int64_t n : a.dims) all *= n;
  for (int64_t i = 0; i < all; i++) {
    int64_t rest = i, pa = 0, pb = 0;
    for (int k = DIMS - 1; k >= 0; k--) {
      const int64_t at = rest % a.dims[k];
      rest /= a.dims[k];
      pa += at * a.strides[k];
      pb += b.dims[k] == 1 ? 0 : at * b.strides[k];
    }
    f(pa, pb);
  }
}

template <class T> void compute(const Conv &c, const Array &to, const Added &add, int way) {
  const bool faithful = takes(way) && !spoilt(c);
  std::vector<T> v = sums<T>(c, {way == TENSOR_CORE && c.x.m.type == F32, F32});
  spoil(&v, way);
  for (const Array &b : add) each(to, b, [&](int64_t i, int64_t j) { v[size_t(i)] += b.m.template get<T>(j); });
  each(to, to, [&](int64_t i, int64_t) { to.m.put<T>(i, faithful ? v[size_t(i)] : T(NAN)); });
}

// What a pack says of an array, null if nothing.
void *place(const Desc *pack, const Array &a) {
  for (int64_t i = 0; i < (*pack)[1000].count(); i++)
    if ((*pack)[1000].at<int64_t>(i) == a.number) return (*pack)[1001].at<void *>(i);
  return nullptr;
}

bool located(const Desc *pack, Array *a) {
  a->m.at = a->in_memory ? static_cast<char *>(place(pack, *a)) : nullptr;
  return !a->in_memory || (a->m.at && uintptr_t(a->m.at) % uintptr_t(a->aligned) == 0);
}

bool reached(Array *a) {
  if (a->in_memory) a->m.at = static_cast<char *>(reach(a->m.at, size_t(a->size()) * size_of(a->m.type), "an array"));
  return !a->in_memory || a->m.at;
}

unsigned fill(Desc *d, const Desc *graph, int way) {
  if (!d || d->final || (d->kind != CONFIG && d->kind != ENGINE)) return BAD_PARAM;
  d->graph = graph, d->way = way, d->final = true;
  return 0;
}

// results fills configurations with the ways of a mode, of which the last may have each that is not faithful some times.
unsigned results(const Desc *d, int64_t most, int64_t *count, void *values) {
  *count = proposed(d);
  const int64_t copies = *count > WAYS ? COPIES : 1, rest = copies * FAITHFUL;
  for (int64_t i = 0; i < *count && i < most; i++) {
    const int way = int(i < rest ? i / copies : FAITHFUL + i - rest);
    if (const unsigned status = fill(static_cast<Desc **>(values)[i], d->of(201), way)) return status;
  }
  return 0;
}

} // namespace

API size_t cudnnGetVersion() { return size_t(version_of("cudnn", 91002)); }
API size_t cudnnGetCudartVersion() { return 12040; }
API const char *cudnnGetErrorString(unsigned status) {
  switch (status) {
  case 0: return "CUDNN_STATUS_SUCCESS";
  case NOT_INIT: return "CUDNN_STATUS_NOT_INITIALIZED";
  case BAD_PARAM: return "CUDNN_STATUS_BAD_PARAM";
  case UNSUPPORTED: return "CUDNN_STATUS_NOT_SUPPORTED";
  case EXECUTION_FAILED: return "CUDNN_STATUS_EXECUTION_FAILED";
  }
  return "CUDNN_STATUS_INTERNAL_ERROR";
}
API void cudnnGetLastErrorString(char *said, size_t most) {
  strncpy(said, "this is the emulator", most);
  said[most - 1] = 0;
}
API unsigned cudnnCreate(Handle **h) {
  COUNT();
  if (!driver()) return NOT_INIT;
  *h = new Handle;
  return 0;
}
API unsigned cudnnDestroy(Handle *h) {
  delete h;
  return 0;
}
API unsigned cudnnSetStream(Handle *h, CUstream_st *stream) {
  COUNT();
  h->stream = stream;
  return 0;
}
API unsigned cudnnBackendCreateDescriptor(unsigned kind, Desc **d) {
  COUNT();
  if (kind >= KINDS) return UNSUPPORTED;
  *d = new Desc;
  (*d)->kind = kind;
  return 0;
}
API unsigned cudnnBackendDestroyDescriptor(Desc *d) {
  delete d;
  return 0;
}
API unsigned cudnnBackendSetAttribute(Desc *d, unsigned name, unsigned type, int64_t count, const void *values) {
  COUNT();
  return d->set(name, type, count, values);
}
API unsigned cudnnBackendFinalize(Desc *d) {
  COUNT();
  if (const unsigned status = d->finalize()) return status;
  if (d->kind != PLAN) return 0;
  d->graph = d->of(401)->graph, d->way = d->of(401)->way;
  return ways[d->way].end == Way::REFUSED ? UNSUPPORTED : 0u;
}
API unsigned cudnnBackendGetAttribute(Desc *d, unsigned name, unsigned type, int64_t most, int64_t *count,
                                      void *values) {
  COUNT();
  if (!d->final || most < 0 || (most > 0 && !values)) return BAD_PARAM;
  if (d->kind == HEURISTICS && name == 202 && type == DESCRIPTOR) return results(d, most, count, values);
  *count = 1;
  if (d->kind == CONFIG && name == 300 && type == DESCRIPTOR)
    return fill(*static_cast<Desc **>(values), d->graph, d->way);
  if (d->kind == PLAN && name == 402 && type == INT64) {
    *static_cast<int64_t *>(values) = ways[d->way].end == Way::LARGE ? int64_t(1) << 40 : wanted(d->graph);
    return 0;
  }
  if (d->kind == ENGINE && name == 1000 + NUMBER && type == INT64) {
    *static_cast<int64_t *>(values) = d->way;
    return 0;
  }
  if (d->kind != ENGINE || name != 1000 + NOTES || type != NOTE) return BAD_PARAM;
  *count = ways[d->way].note >= 0;
  if (*count) *static_cast<int *>(values) = ways[d->way].note;
  return 0;
}
API unsigned cudnnBackendExecute(Handle *h, Desc *plan, Desc *pack) {
  COUNT();
  if (!h->stream || !ready(plan, PLAN) || !ready(pack, PACK)) return BAD_PARAM;
  Conv c = conv(convolution_of(plan->graph));
  Array to = result_of(plan->graph);
  const Values &list = (*plan->graph)[801];
  Added add;
  bool found = true;
  for (int64_t i = 1; i < list.count(); i++) {
    add.push_back(array(list.at<const Desc *>(i)->of(752)));
    found = found && located(pack, &add.back());
  }
  void *work = pack->get<void *>(1003);
  const int64_t bytes = wanted(plan->graph), arrays = 2 + list.count();
  if (!located(pack, &c.x) || !located(pack, &c.w) || !located(pack, &c.y) || !located(pack, &to) ||
      !found || (*pack)[1000].count() != arrays || uintptr_t(work) % 16)
    return BAD_PARAM;
  const int way = plan->way;
  const Work run = [=]() -> unsigned {
    Conv k = c;
    Array t = to;
    Added a = add;
    for (Array &b : a)
      if (!reached(&b)) return ILLEGAL_ADDRESS;
    if (!reached(&k.x) || !reached(&k.w) || !reached(&k.y) || !reached(&t) ||
        !reach(work, size_t(bytes), "the workspace"))
      return ILLEGAL_ADDRESS;
    memset(work, 0xff, size_t(bytes)); // it is the library's to write
    k.sum == F64 ? compute<double>(k, t, a, way) : compute<float>(k, t, a, way);
    driver()->spend(ways[way].ms * (k.w.dims[0] % 2 ? 10 : 1)); // products are faster then
    return SUCCESS;
  };
  return driver()->submit(h->stream, "cudnnBackendExecute", &run) ? EXECUTION_FAILED : 0u;
}
