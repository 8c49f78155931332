//go:build linux
#include "cufft.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>

#define LOAD(name, result, params, args) \
  if (!(*(void **)&t->name = dlsym(lib, #name))) { \
    *missing = #name; \
    free(t); \
    return 0; \
  }

cufft_table *halo_cufft_load(void *lib, const char **missing) {
  *missing = 0;
  cufft_table *t = malloc(sizeof *t);
  if (!t) return 0;
  CUFFT_LIST(LOAD)
  return t;
}

#define NAME(name, value) {value, #name},
static const struct {
  unsigned status;
  const char *name;
} statuses[] = {CUFFT_STATUSES(NAME) CUFFT_STATUSES_11(NAME) CUFFT_STATUSES_12(NAME)};

const char *halo_cufft_status(unsigned status) {
  for (size_t i = 0; i < sizeof statuses / sizeof *statuses; i++)
    if (statuses[i].status == status) return statuses[i].name;
  return "a status without a name";
}

struct halo_cufft_plan {
  const cufft_table *t;
  halo_cufft plan;
  int64_t kind;
  pthread_mutex_t lock;
};

enum { ALLOC_FAILED = 2 };

static const unsigned types[HALO_KINDS] = {0x29, 0x2a, 0x2c, 0x69, 0x6a, 0x6c}; // C2C, R2C, C2R, Z2Z, D2Z, Z2D

static unsigned make(const cufft_table *t, halo_cufft plan, halo_cufft_shape *s, size_t *bytes) {
  const unsigned status = t->cufftSetAutoAllocation(plan, 0);
  if (status) return status;
  return t->cufftMakePlanMany64(plan, (int)s->rank, s->n, s->in_embed, s->stride, s->in_step, s->out_embed, s->stride,
                                s->out_step, types[s->kind], s->batch, bytes);
}

unsigned halo_cufft_open(const cufft_table *t, halo_cufft_shape *shape, halo_cufft_plan **out, size_t *bytes) {
  *out = 0;
  halo_cufft_plan *p = calloc(1, sizeof *p);
  if (!p) return ALLOC_FAILED;
  p->t = t;
  p->kind = shape->kind;
  unsigned status = t->cufftCreate(&p->plan);
  if (!status && (status = make(t, p->plan, shape, bytes))) t->cufftDestroy(p->plan);
  if (status) {
    free(p);
    return status;
  }
  pthread_mutex_init(&p->lock, 0);
  *out = p;
  return 0;
}

unsigned halo_cufft_close(halo_cufft_plan *p) {
  const unsigned status = p->t->cufftDestroy(p->plan);
  pthread_mutex_destroy(&p->lock);
  free(p);
  return status;
}

static unsigned c2c(const cufft_table *t, halo_cufft p, void *in, void *out, int sign) {
  return t->cufftExecC2C(p, in, out, sign);
}
static unsigned r2c(const cufft_table *t, halo_cufft p, void *in, void *out, int sign) {
  (void)sign;
  return t->cufftExecR2C(p, in, out);
}
static unsigned c2r(const cufft_table *t, halo_cufft p, void *in, void *out, int sign) {
  (void)sign;
  return t->cufftExecC2R(p, in, out);
}
static unsigned z2z(const cufft_table *t, halo_cufft p, void *in, void *out, int sign) {
  return t->cufftExecZ2Z(p, in, out, sign);
}
static unsigned d2z(const cufft_table *t, halo_cufft p, void *in, void *out, int sign) {
  (void)sign;
  return t->cufftExecD2Z(p, in, out);
}
static unsigned z2d(const cufft_table *t, halo_cufft p, void *in, void *out, int sign) {
  (void)sign;
  return t->cufftExecZ2D(p, in, out);
}

static unsigned (*const executors[HALO_KINDS])(const cufft_table *, halo_cufft, void *, void *, int) = {
  [HALO_C2C] = c2c, [HALO_R2C] = r2c, [HALO_C2R] = c2r, [HALO_Z2Z] = z2z, [HALO_D2Z] = d2z, [HALO_Z2D] = z2d,
};

static void *place(unsigned long long at, int64_t step, int64_t i) {
  return (void *)(uintptr_t)(at + (unsigned long long)step * (unsigned long long)i);
}

static unsigned transform(const halo_cufft_transform *x, void *stream, const unsigned long long *w) {
  const halo_cufft_plan *p = x->plan;
  unsigned status = p->t->cufftSetStream(p->plan, stream);
  if (!status) status = p->t->cufftSetWorkArea(p->plan, place((w[2] + 255) / 256 * 256, 0, 0));
  for (int64_t i = 0; i < x->count && !status; i++)
    status = executors[p->kind](p->t, p->plan, place(w[0], x->in_bytes, i), place(w[1], x->out_bytes, i), (int)x->sign);
  return status;
}

static unsigned run(const halo_cuda_call *call, void *stream, const unsigned long long *words) {
  const halo_cufft_transform *x = (const halo_cufft_transform *)call;
  pthread_mutex_lock(&x->plan->lock);
  const unsigned status = transform(x, stream, words);
  pthread_mutex_unlock(&x->plan->lock);
  return status;
}

void halo_cufft_start(halo_cufft_transform *x) { x->call.run = run; }
