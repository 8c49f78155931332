// The part of cuBLASLt that is called: products, and those plus a bias. There are several ways to do one, whose bits
// and times differ. A way holds for the shape that it was proposed for alone, and takes its workspace.
#include <map>

#include "products.h"

namespace {

enum : unsigned { NOT_INIT = 1, INVALID = 7, EXECUTION_FAILED = 13, UNSUPPORTED = 15 };
enum { TRANSA = 3, TRANSB = 4, EPILOGUE = 7, BIAS_POINTER = 8, BIAS = 4 };
enum { BATCH_COUNT = 5, BATCH_OFFSET = 6, MAX_WORKSPACE = 1, PARTS = 3, MIN_ALIGNMENT_A = 5 };
enum { NO_EPILOGUE = 1, PARTS_AS_RESULT = 4 };

struct Handle : Held {};
struct Desc : Held {
  unsigned compute;
  int32_t transa = 0, transb = 0;
  uint32_t epilogue = NO_EPILOGUE;
  const void *bias = nullptr;
};
struct Layout : Held {
  int type;
  uint64_t rows, columns;
  int64_t ld, stride = 0;
  int32_t batch = 1;
  Matrix matrix() const { return {type, ld, stride, nullptr}; }
};
struct Preference : Held {
  size_t most = 0;
  uint32_t parts = 7;
  uint32_t aligned[4] = {256, 256, 256, 256};
};
struct Algorithm {
  uint64_t data[8];
};
struct Choice {
  Algorithm algo;
  size_t bytes;
  unsigned state;
  float waves;
  int reserved[4];
};

#define COUNT() \
  if (const unsigned status = asked("cublasLt", EXECUTION_FAILED)) return status

// take reads an attribute of the size that it has.
template <class T> bool take(T *to, const void *value, size_t bytes) {
  if (bytes != sizeof(T)) return false;
  memcpy(to, value, bytes);
  return true;
}

// mark is what an algorithm remembers of what it was chosen for.
uint64_t mark(const Desc &d, const Layout &a, const Layout &b, const Layout &c) {
  uint64_t h = d.compute * 4 + uint64_t(d.transa) * 2 + uint64_t(d.transb);
  for (const Layout *l : {&a, &b, &c})
    for (uint64_t v : {uint64_t(l->type), l->rows, l->columns, uint64_t(l->ld), uint64_t(l->stride),
                       uint64_t(l->batch)})
      h = h * 1099511628211u + v;
  return h;
}

bool fits(const Layout &l) { return l.ld >= int64_t(l.rows) && l.rows && l.columns && l.batch > 0; }

// The ways, as they are proposed. All but some sum in order.
enum What { IN_ORDER, REFUSED, IMPOSSIBLE, BACKWARDS, NOT_THE_SAME, NARROW };
struct Way {
  What what;
  double ms; // its time
};
const Way ways[] = {{IN_ORDER, 9}, {REFUSED, 3}, {IN_ORDER, 7}, {IMPOSSIBLE, 1}, {BACKWARDS, 2}, {IN_ORDER, 6},
  {NOT_THE_SAME, 1}, {IN_ORDER, 5}, {IN_ORDER, 8}, {IN_ORDER, 1}};
const Way narrow = {NARROW, 1}; // proposed first to those who do not refuse it
enum : uint64_t { WAYS = sizeof ways / sizeof *ways };
inline const Way &way_of(const Algorithm &a) { return a.data[1] < WAYS ? ways[a.data[1]] : narrow; }

// wanted is the workspace of a product: a size that nobody would guess.
size_t wanted(const Layout &d, uint64_t way) { return size_t((d.rows + 3 * d.columns + 7 * way) % 509) + 16; }

// checked says whether the shapes go together.
unsigned checked(const Desc &desc, const Layout &a, const Layout &b, const Layout &d) {
  const uint64_t k = desc.transa ? a.rows : a.columns;
  if (!fits(a) || !fits(b) || !fits(d) || a.batch != d.batch || b.batch != d.batch) return INVALID;
  if ((desc.transa ? a.columns : a.rows) != d.rows || (desc.transb ? b.rows : b.columns) != d.columns ||
      (desc.transb ? b.columns : b.rows) != k)
    return INVALID;
  if (a.type != b.type || !allowed(int(desc.compute), a.type, d.type) || d.type == C64) return UNSUPPORTED;
  return desc.epilogue == BIAS || desc.epilogue == NO_EPILOGUE ? 0 : unsigned(UNSUPPORTED); // others are not emulated
}

// next reports whether sums go backwards this time, for a way that is not the same each time.
bool next() {
  static std::mutex lock;
  static bool odd;
  const std::lock_guard<std::mutex> guard(lock);
  odd = !odd;
  return !odd;
}

} // namespace

API size_t cublasLtGetVersion() { return size_t(version_of("cublasLt", 120401)); }
API const char *cublasLtGetStatusName(unsigned status) {
  switch (status) {
  case 0: return "CUBLAS_STATUS_SUCCESS";
  case NOT_INIT: return "CUBLAS_STATUS_NOT_INITIALIZED";
  case INVALID: return "CUBLAS_STATUS_INVALID_VALUE";
  case EXECUTION_FAILED: return "CUBLAS_STATUS_EXECUTION_FAILED";
  case UNSUPPORTED: return "CUBLAS_STATUS_NOT_SUPPORTED";
  }
  return "CUBLAS_STATUS_INTERNAL_ERROR";
}
API unsigned cublasLtCreate(Handle **h) {
  COUNT();
  if (!driver()) return NOT_INIT;
  *h = new Handle;
  return 0;
}
API unsigned cublasLtDestroy(Handle *h) {
  delete h;
  return 0;
}
API unsigned cublasLtMatmulDescCreate(Desc **d, unsigned compute, unsigned scale) {
  COUNT();
  if (scale != F32) return UNSUPPORTED;
  *d = new Desc;
  (*d)->compute = compute;
  return 0;
}
API unsigned cublasLtMatmulDescDestroy(Desc *d) {
  delete d;
  return 0;
}
API unsigned cublasLtMatmulDescSetAttribute(Desc *d, unsigned what, const void *value, size_t bytes) {
  COUNT();
  bool ok = false;
  switch (what) {
  case TRANSA: ok = take(&d->transa, value, bytes); break;
  case TRANSB: ok = take(&d->transb, value, bytes); break;
  case EPILOGUE: ok = take(&d->epilogue, value, bytes); break;
  case BIAS_POINTER: ok = take(&d->bias, value, bytes); break;
  }
  return ok ? 0 : unsigned(INVALID);
}
API unsigned cublasLtMatrixLayoutCreate(Layout **l, unsigned type, uint64_t rows, uint64_t columns, int64_t ld) {
  COUNT();
  *l = new Layout{{}, int(type), rows, columns, ld};
  return 0;
}
API unsigned cublasLtMatrixLayoutDestroy(Layout *l) {
  delete l;
  return 0;
}
API unsigned cublasLtMatrixLayoutSetAttribute(Layout *l, unsigned what, const void *value, size_t bytes) {
  COUNT();
  const bool ok = what == BATCH_COUNT ? take(&l->batch, value, bytes)
                                      : what == BATCH_OFFSET && take(&l->stride, value, bytes);
  return ok ? 0 : unsigned(INVALID);
}
API unsigned cublasLtMatmulPreferenceCreate(Preference **p) {
  COUNT();
  *p = new Preference;
  return 0;
}
API unsigned cublasLtMatmulPreferenceDestroy(Preference *p) {
  delete p;
  return 0;
}
API unsigned cublasLtMatmulPreferenceSetAttribute(Preference *p, unsigned what, const void *value, size_t bytes) {
  COUNT();
  if (what == MAX_WORKSPACE) return take(&p->most, value, bytes) ? 0 : unsigned(INVALID);
  if (what == PARTS) return take(&p->parts, value, bytes) ? 0 : unsigned(INVALID);
  if (what < MIN_ALIGNMENT_A || what > MIN_ALIGNMENT_A + 3) return INVALID;
  return take(&p->aligned[what - MIN_ALIGNMENT_A], value, bytes) ? 0 : unsigned(INVALID);
}
API unsigned cublasLtMatmulAlgoGetHeuristic(Handle *, Desc *desc, Layout *a, Layout *b, Layout *c, Layout *d,
                                            Preference *p, int many, Choice *choices, int *found) {
  COUNT();
  *found = 0;
  if (many < 1 || c != d) return INVALID;
  if (const unsigned status = checked(*desc, *a, *b, *d)) return status;
  for (uint32_t n : p->aligned)
    if (n > 64) return UNSUPPORTED; // arrays of programs are not
  const uint64_t marked = mark(*desc, *a, *b, *d);
  if (p->parts & PARTS_AS_RESULT) choices[(*found)++] = {{{marked, WAYS}}, 0, 0, 1, {}};
  for (uint64_t w = 0; w < WAYS && *found < many; w++)
    if (wanted(*d, w) <= p->most)
      choices[(*found)++] = {{{marked, w}}, wanted(*d, w), ways[w].what == IMPOSSIBLE ? unsigned(UNSUPPORTED) : 0, 1, {}};
  return *found ? 0 : unsigned(UNSUPPORTED);
}
API unsigned cublasLtMatmulAlgoCheck(Handle *, Desc *desc, Layout *a, Layout *b, Layout *c, Layout *d,
                                     const Algorithm *algorithm, Choice *choice) {
  COUNT();
  if (const unsigned status = checked(*desc, *a, *b, *d)) return status;
  const uint64_t w = algorithm->data[1];
  if (c != d || w >= WAYS || algorithm->data[0] != mark(*desc, *a, *b, *d)) return INVALID;
  choice->bytes = wanted(*d, w);
  choice->state = 0;
  return 0;
}
API unsigned cublasLtMatmul(Handle *, Desc *desc, const void *alpha, const void *a, Layout *al, const void *b,
                            Layout *bl, const void *beta, const void *c, Layout *cl, void *d, Layout *dl,
                            const Algorithm *algorithm, void *workspace, size_t bytes, CUstream_st *stream) {
  COUNT();
  if (const unsigned status = checked(*desc, *al, *bl, *dl)) return status;
  if (!stream || c != d || cl != dl || algorithm->data[0] != mark(*desc, *al, *bl, *dl)) return INVALID;
  const uint64_t number = algorithm->data[1];
  const Way &way = way_of(*algorithm);
  if (way.what == REFUSED || way.what == IMPOSSIBLE) return UNSUPPORTED;
  const void *const bias = desc->epilogue == BIAS ? desc->bias : nullptr;
  const uintptr_t places = uintptr_t(a) | uintptr_t(b) | uintptr_t(d) | uintptr_t(bias);
  if (places % 64 || uintptr_t(workspace) % 256 || (way.what != NARROW && bytes < wanted(*dl, number))) return INVALID;
  const bool backwards = way.what == BACKWARDS || (way.what == NOT_THE_SAME && next());
  const Product p = {desc->transa == 1, desc->transb == 1, int64_t(dl->rows), int64_t(dl->columns),
    int64_t(desc->transa ? al->rows : al->columns), dl->batch, al->matrix(), bl->matrix(), dl->matrix(),
    int(desc->compute), {desc->compute == SUM_TF32, way.what == NARROW ? dl->type : F32}, bias, backwards};
  if (!p.is(alpha, 1) || !p.is(beta, 0)) return UNSUPPORTED;
  const Layout la = *al, lb = *bl;
  const double ms = way.ms * (p.batch > 1 ? 3 : 1); // cuBLAS is faster then
  const Work work = [=]() -> unsigned {
    Product q = p;
    if (!place(&q.a, a, int64_t(la.rows), int64_t(la.columns), p.batch) ||
        !place(&q.b, b, int64_t(lb.rows), int64_t(lb.columns), p.batch) || !place(&q.c, d, p.m, p.n, p.batch) ||
        (p.bias && !reach(p.bias, size_t(p.m) * size_of(p.c.type), "the bias")) ||
        !reach(workspace, bytes, "the workspace"))
      return ILLEGAL_ADDRESS;
    memset(workspace, 0xff, bytes); // it is the library's to write
    q.run_any();
    driver()->spend(ms);
    return SUCCESS;
  };
  return driver()->submit(stream, "cublasLtMatmul", &work) ? unsigned(EXECUTION_FAILED) : 0;
}
