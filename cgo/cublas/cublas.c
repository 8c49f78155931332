//go:build linux
#include "cublas.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define LOAD(name, result, params, args) \
  if (!(*(void **)&t->name = dlsym(lib, #name))) { \
    *missing = #name; \
    free(t); \
    return 0; \
  }

cublas_table *halo_cublas_load(void *lib, const char **missing) {
  *missing = 0;
  cublas_table *t = malloc(sizeof *t);
  if (!t) return 0;
  CUBLAS_LIST(LOAD)
  return t;
}

struct halo_cublas_handle {
  const cublas_table *t;
  halo_cublas handle;
  pthread_mutex_t lock;
};

// Sums of narrow types are not kept in them on the way.
enum { ALLOC_FAILED = 3, WIDE_SUMS = 16, COMPUTE_64F = 70, COMPUTE_32I = 72, DEFAULT_ALGORITHM = -1 };

unsigned halo_cublas_open(const cublas_table *t, halo_cublas_handle **out) {
  *out = 0;
  halo_cublas_handle *h = calloc(1, sizeof *h);
  if (!h) return ALLOC_FAILED;
  h->t = t;
  unsigned status = t->cublasCreate_v2(&h->handle);
  if (!status && (status = t->cublasSetMathMode(h->handle, WIDE_SUMS))) t->cublasDestroy_v2(h->handle);
  if (status) {
    free(h);
    return status;
  }
  pthread_mutex_init(&h->lock, 0);
  *out = h;
  return 0;
}

unsigned halo_cublas_close(halo_cublas_handle *h) {
  const unsigned status = h->t->cublasDestroy_v2(h->handle);
  pthread_mutex_destroy(&h->lock);
  free(h);
  return status;
}

// prepare has the handle enqueue on stream, with a workspace of some bytes.
static unsigned prepare(const halo_cublas_handle *h, void *stream, unsigned long long work, unsigned long long bytes) {
  const unsigned long long at = (work + 255) / 256 * 256, skipped = at - work; // the library wants it aligned
  const unsigned status = h->t->cublasSetStream_v2(h->handle, stream);
  if (status || bytes <= skipped) return status;
  return h->t->cublasSetWorkspace_v2(h->handle, (void *)(uintptr_t)at, (size_t)(bytes - skipped));
}

static unsigned gemm(const halo_cublas_gemm *g, void *stream, const unsigned long long *w) {
  const cublas_table *t = g->handle->t;
  const halo_cublas h = g->handle->handle;
  const unsigned status = prepare(g->handle, stream, w[3], w[4]);
  if (status) return status;
  return t->cublasGemmStridedBatchedEx_64(
      h, (unsigned)g->transa, (unsigned)g->transb, g->m, g->n, g->k, g->one, (const void *)(uintptr_t)w[0],
      (unsigned)g->a.type, g->a.ld, g->a.stride, (const void *)(uintptr_t)w[1], (unsigned)g->b.type, g->b.ld,
      g->b.stride, g->zero, (void *)(uintptr_t)w[2], (unsigned)g->c.type, g->c.ld, g->c.stride, g->batch,
      (unsigned)g->compute, DEFAULT_ALGORITHM);
}

static unsigned run(const halo_cuda_call *call, void *stream, const unsigned long long *words) {
  const halo_cublas_gemm *g = (const halo_cublas_gemm *)call;
  pthread_mutex_lock(&g->handle->lock);
  const unsigned status = gemm(g, stream, words);
  pthread_mutex_unlock(&g->handle->lock);
  return status;
}

void halo_cublas_start(halo_cublas_gemm *g) {
  const float f = 1;
  const double d = 1;
  const int32_t i = 1;
  memset(g->one, 0, sizeof g->one);
  memset(g->zero, 0, sizeof g->zero);
  switch (g->compute) {
  case COMPUTE_64F: memcpy(g->one, &d, sizeof d); break;
  case COMPUTE_32I: memcpy(g->one, &i, sizeof i); break;
  default: memcpy(g->one, &f, sizeof f);
  }
  g->call.run = run;
}

enum { F32, F64, C64 = 4, C128 };

// one solves the systems of one matrix at a for what lies at b.
static unsigned one(const halo_cublas_trsm *x, const void *a, void *b) {
  static const halo_c64 c = {1, 0};
  static const halo_c128 z = {1, 0};
  static const float s = 1;
  static const double d = 1;
  const cublas_table *t = x->handle->t;
  const int64_t rows = x->right ? x->k : x->m, columns = x->right ? x->m : x->k;
#define SOLVE(name, factor) \
  t->name(x->handle->handle, (unsigned)x->right, (unsigned)x->upper, (unsigned)x->op, (unsigned)x->unit, rows, \
          columns, &factor, a, x->m, b, rows)
  switch (x->type) {
  case F32: return SOLVE(cublasStrsm_v2_64, s);
  case F64: return SOLVE(cublasDtrsm_v2_64, d);
  case C64: return SOLVE(cublasCtrsm_v2_64, c);
  }
  return SOLVE(cublasZtrsm_v2_64, z);
#undef SOLVE
}

static unsigned solve(const halo_cublas_trsm *x, void *stream, const unsigned long long *w) {
  const unsigned long long bytes = x->type == F32 ? 4 : x->type == C128 ? 16 : 8;
  const unsigned long long m = (unsigned long long)x->m, k = (unsigned long long)x->k;
  unsigned status = prepare(x->handle, stream, w[2], w[3]);
  for (unsigned long long i = 0; i < (unsigned long long)x->batch && !status; i++)
    status = one(x, (const void *)(uintptr_t)(w[0] + i * m * m * bytes), (void *)(uintptr_t)(w[1] + i * m * k * bytes));
  return status;
}

static unsigned run_trsm(const halo_cuda_call *call, void *stream, const unsigned long long *words) {
  const halo_cublas_trsm *x = (const halo_cublas_trsm *)call;
  pthread_mutex_lock(&x->handle->lock);
  const unsigned status = solve(x, stream, words);
  pthread_mutex_unlock(&x->handle->lock);
  return status;
}

void halo_cublas_start_trsm(halo_cublas_trsm *x) { x->call.run = run_trsm; }
