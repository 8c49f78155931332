//go:build linux
#include "cublaslt.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>

#define LOAD(name, result, params, args) \
  if (!(*(void **)&t->name = dlsym(lib, #name))) { \
    *missing = #name; \
    free(t); \
    return 0; \
  }

cublaslt_table *halo_cublaslt_load(void *lib, const char **missing) {
  *missing = 0;
  cublaslt_table *t = malloc(sizeof *t);
  if (!t) return 0;
  CUBLASLT_LIST(LOAD)
  return t;
}

#define VALUE(name, value) name = value,
enum { CUBLASLT_VALUES(VALUE) ALLOC_FAILED = 3 };

struct halo_cublaslt_product {
  halo_cuda_call call; // first
  const cublaslt_table *t;
  halo_lt handle;
  halo_lt_desc desc;
  halo_lt_layout a, b, d;
  halo_lt_algorithm algorithm;
  size_t bytes;
  pthread_mutex_t lock; // of the bias in desc
};

static unsigned layout(halo_cublaslt_product *p, halo_lt_layout *out, const halo_cublaslt_matrix *m, int64_t batch) {
  const int32_t count = (int32_t)batch;
  unsigned status = p->t->cublasLtMatrixLayoutCreate(out, (unsigned)m->type, (uint64_t)m->rows, (uint64_t)m->columns,
                                                     m->ld);
  if (!status)
    status = p->t->cublasLtMatrixLayoutSetAttribute(*out, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &count, sizeof count);
  if (!status)
    status = p->t->cublasLtMatrixLayoutSetAttribute(*out, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, &m->stride,
                                                    sizeof m->stride);
  return status;
}

static unsigned set(halo_cublaslt_product *p, unsigned what, const void *value, size_t bytes) {
  return p->t->cublasLtMatmulDescSetAttribute(p->desc, what, value, bytes);
}

static unsigned describe(halo_cublaslt_product *p, const halo_cublaslt_shape *s) {
  const int32_t transa = (int32_t)s->transa, transb = (int32_t)s->transb;
  const uint32_t epilogue = CUBLASLT_EPILOGUE_BIAS;
  const void *const somewhere = (const void *)(uintptr_t)64; // the choice looks at its alignment alone
  unsigned status = p->t->cublasLtMatmulDescCreate(&p->desc, (unsigned)s->compute, CUDA_R_32F);
  if (!status) status = set(p, CUBLASLT_MATMUL_DESC_TRANSA, &transa, sizeof transa);
  if (!status) status = set(p, CUBLASLT_MATMUL_DESC_TRANSB, &transb, sizeof transb);
  if (!status) status = set(p, CUBLASLT_MATMUL_DESC_EPILOGUE, &epilogue, sizeof epilogue);
  if (!status) status = set(p, CUBLASLT_MATMUL_DESC_BIAS_POINTER, &somewhere, sizeof somewhere);
  if (!status) status = layout(p, &p->a, &s->a, s->batch);
  if (!status) status = layout(p, &p->b, &s->b, s->batch);
  if (!status) status = layout(p, &p->d, &s->d, s->batch);
  return status;
}

// choose takes the library's first choice among what needs no more workspace than there may be. Arrays of programs are
// aligned to 64 bytes.
static unsigned choose(halo_cublaslt_product *p, size_t most) {
  const uint32_t aligned = 64;
  halo_lt_preference preference;
  unsigned status = p->t->cublasLtMatmulPreferenceCreate(&preference);
  if (status) return status;
  status = p->t->cublasLtMatmulPreferenceSetAttribute(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &most,
                                                      sizeof most);
  for (unsigned what = CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES;
       what <= CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES && !status; what++)
    status = p->t->cublasLtMatmulPreferenceSetAttribute(preference, what, &aligned, sizeof aligned);
  halo_lt_choice choice = {.state = CUBLAS_STATUS_NOT_SUPPORTED};
  int found = 0;
  if (!status)
    status = p->t->cublasLtMatmulAlgoGetHeuristic(p->handle, p->desc, p->a, p->b, p->d, p->d, preference, 1, &choice,
                                                  &found);
  p->t->cublasLtMatmulPreferenceDestroy(preference);
  if (status) return status;
  if (!found) return CUBLAS_STATUS_NOT_SUPPORTED;
  p->algorithm = choice.algo;
  p->bytes = choice.workspaceSize;
  return choice.state;
}

static unsigned multiply(const halo_cublaslt_product *p, void *stream, const unsigned long long *w) {
  const float one = 1, zero = 0;
  const void *const bias = (const void *)(uintptr_t)w[3];
  const unsigned status = p->t->cublasLtMatmulDescSetAttribute(p->desc, CUBLASLT_MATMUL_DESC_BIAS_POINTER, &bias,
                                                               sizeof bias);
  if (status) return status;
  void *const d = (void *)(uintptr_t)w[2], *const work = (void *)(uintptr_t)((w[4] + 255) / 256 * 256);
  return p->t->cublasLtMatmul(p->handle, p->desc, &one, (const void *)(uintptr_t)w[0], p->a,
                              (const void *)(uintptr_t)w[1], p->b, &zero, d, p->d, d, p->d, &p->algorithm, work,
                              p->bytes, stream);
}

static unsigned run(const halo_cuda_call *call, void *stream, const unsigned long long *words) {
  halo_cublaslt_product *p = (halo_cublaslt_product *)(uintptr_t)call;
  pthread_mutex_lock(&p->lock);
  const unsigned status = multiply(p, stream, words);
  pthread_mutex_unlock(&p->lock);
  return status;
}

void halo_cublaslt_close(halo_cublaslt_product *p) {
  if (p->desc) p->t->cublasLtMatmulDescDestroy(p->desc);
  halo_lt_layout layouts[] = {p->a, p->b, p->d};
  for (int i = 0; i < 3; i++)
    if (layouts[i]) p->t->cublasLtMatrixLayoutDestroy(layouts[i]);
  pthread_mutex_destroy(&p->lock);
  free(p);
}

unsigned halo_cublaslt_open(const cublaslt_table *t, halo_lt handle, const halo_cublaslt_shape *shape, size_t most,
                            halo_cublaslt_product **out, size_t *bytes) {
  *out = 0;
  halo_cublaslt_product *p = calloc(1, sizeof *p);
  if (!p) return ALLOC_FAILED;
  p->call.run = run;
  p->t = t;
  p->handle = handle;
  pthread_mutex_init(&p->lock, 0);
  unsigned status = describe(p, shape);
  if (!status) status = choose(p, most);
  if (status) {
    halo_cublaslt_close(p);
    return status;
  }
  *bytes = p->bytes;
  *out = p;
  return 0;
}
