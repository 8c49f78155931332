//go:build linux
#include "cublaslt.h"

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

cublaslt_table *halo_cublaslt_load(void *lib, const char **missing) {
  *missing = 0;
  cublaslt_table *t = malloc(sizeof *t);
  if (!t) return 0;
  CUBLASLT_LIST(LOAD)
  return t;
}

#define VALUE(name, value) name = value,
enum { CUBLASLT_VALUES(VALUE) ALLOC_FAILED = 3 };
_Static_assert(sizeof(halo_lt_algorithm) == sizeof(uint64_t) * HALO_WAY_WORDS, "a way");

struct halo_cublaslt_product {
  halo_cuda_call call; // first
  const cublaslt_table *t;
  halo_lt handle;
  halo_lt_desc desc;
  halo_lt_layout a, b, d;
  int bias;
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

// add_bias says that there is one.
static unsigned add_bias(halo_cublaslt_product *p) {
  const uint32_t epilogue = CUBLASLT_EPILOGUE_BIAS;
  const void *const somewhere = (const void *)(uintptr_t)64; // the choice looks at its alignment alone
  const unsigned status = set(p, CUBLASLT_MATMUL_DESC_EPILOGUE, &epilogue, sizeof epilogue);
  return status ? status : set(p, CUBLASLT_MATMUL_DESC_BIAS_POINTER, &somewhere, sizeof somewhere);
}

static unsigned describe(halo_cublaslt_product *p, const halo_cublaslt_shape *s) {
  const int32_t transa = (int32_t)s->transa, transb = (int32_t)s->transb;
  unsigned status = p->t->cublasLtMatmulDescCreate(&p->desc, (unsigned)s->compute, CUDA_R_32F);
  if (!status) status = set(p, CUBLASLT_MATMUL_DESC_TRANSA, &transa, sizeof transa);
  if (!status) status = set(p, CUBLASLT_MATMUL_DESC_TRANSB, &transb, sizeof transb);
  if (!status && p->bias) status = add_bias(p);
  if (!status) status = layout(p, &p->a, &s->a, s->batch);
  if (!status) status = layout(p, &p->b, &s->b, s->batch);
  if (!status) status = layout(p, &p->d, &s->d, s->batch);
  return status;
}

// prefer says what the library may choose from: what takes no more workspace than there may be, and, where a sum is
// cut into parts, keeps these in the type of sums and adds them up in a step of its own, in order. Arrays of programs
// are aligned to 64 bytes.
static unsigned prefer(const cublaslt_table *t, halo_lt_preference preference, size_t most) {
  const uint32_t aligned = 64, parts = CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE;
  unsigned status = t->cublasLtMatmulPreferenceSetAttribute(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &most,
                                                            sizeof most);
  if (!status)
    status = t->cublasLtMatmulPreferenceSetAttribute(preference, CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK, &parts,
                                                     sizeof parts);
  for (unsigned what = CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES;
       what <= CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES && !status; what++)
    status = t->cublasLtMatmulPreferenceSetAttribute(preference, what, &aligned, sizeof aligned);
  return status;
}

enum { MOST_WAYS = 8 };

// propose has the library fill in choices.
static unsigned propose(const halo_cublaslt_product *p, size_t most, halo_lt_choice *choices, int wanted, int *found) {
  halo_lt_preference preference;
  unsigned status = p->t->cublasLtMatmulPreferenceCreate(&preference);
  if (status) return status;
  status = prefer(p->t, preference, most);
  if (!status)
    status = p->t->cublasLtMatmulAlgoGetHeuristic(p->handle, p->desc, p->a, p->b, p->d, p->d, preference, wanted,
                                                  choices, found);
  p->t->cublasLtMatmulPreferenceDestroy(preference);
  return status;
}

unsigned halo_cublaslt_ways(const halo_cublaslt_product *p, int64_t most, halo_cublaslt_way *ways, int room,
                            int *found) {
  halo_lt_choice choices[MOST_WAYS];
  int proposed = 0;
  *found = 0;
  const unsigned status = propose(p, (size_t)most, choices, room < MOST_WAYS ? room : MOST_WAYS, &proposed);
  if (status) return status;
  for (int i = 0; i < proposed; i++) {
    if (choices[i].state) continue;
    memcpy(ways[*found].algorithm, &choices[i].algo, sizeof choices[i].algo);
    ways[(*found)++].bytes = (int64_t)choices[i].workspaceSize;
  }
  return *found ? 0 : CUBLAS_STATUS_NOT_SUPPORTED;
}

unsigned halo_cublaslt_check(const halo_cublaslt_product *p, halo_cublaslt_way *way) {
  halo_lt_algorithm algorithm;
  halo_lt_choice choice = {.state = CUBLAS_STATUS_NOT_SUPPORTED};
  memcpy(&algorithm, way->algorithm, sizeof algorithm);
  const unsigned status = p->t->cublasLtMatmulAlgoCheck(p->handle, p->desc, p->a, p->b, p->d, p->d, &algorithm,
                                                        &choice);
  way->bytes = (int64_t)choice.workspaceSize;
  return status;
}

void halo_cublaslt_take(halo_cublaslt_product *p, const halo_cublaslt_way *way) {
  memcpy(&p->algorithm, way->algorithm, sizeof p->algorithm);
  p->bytes = (size_t)way->bytes;
}

static unsigned multiply(const halo_cublaslt_product *p, void *stream, const unsigned long long *w) {
  const float one = 1, zero = 0;
  const void *const bias = (const void *)(uintptr_t)w[3];
  if (p->bias) {
    const unsigned status = p->t->cublasLtMatmulDescSetAttribute(p->desc, CUBLASLT_MATMUL_DESC_BIAS_POINTER, &bias,
                                                                 sizeof bias);
    if (status) return status;
  }
  void *const d = (void *)(uintptr_t)w[2], *const work = (void *)(uintptr_t)((w[p->bias ? 4 : 3] + 255) / 256 * 256);
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

unsigned halo_cublaslt_open(const cublaslt_table *t, halo_lt handle, const halo_cublaslt_shape *shape,
                            halo_cublaslt_product **out) {
  *out = 0;
  halo_cublaslt_product *p = calloc(1, sizeof *p);
  if (!p) return ALLOC_FAILED;
  p->call.run = run;
  p->t = t;
  p->handle = handle;
  p->bias = shape->bias != 0;
  pthread_mutex_init(&p->lock, 0);
  const unsigned status = describe(p, shape);
  if (status) {
    halo_cublaslt_close(p);
    return status;
  }
  *out = p;
  return 0;
}
