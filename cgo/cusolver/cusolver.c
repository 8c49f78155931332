//go:build linux
#include "cusolver.h"

#include <dlfcn.h>
#include <stdlib.h>

#define LOAD(name, result, params, args) \
  if (!(*(void **)&t->name = dlsym(lib, #name))) { \
    *missing = #name; \
    free(t); \
    return 0; \
  }

cusolver_table *halo_cusolver_load(void *lib, const char **missing) {
  *missing = 0;
  cusolver_table *t = malloc(sizeof *t);
  if (!t) return 0;
  CUSOLVER_LIST(LOAD)
  return t;
}

#define NAME(name, value) {value, #name},
static const struct {
  unsigned status;
  const char *name;
} statuses[] = {CUSOLVER_STATUSES(NAME)};

const char *halo_cusolver_status(unsigned status) {
  for (size_t i = 0; i < sizeof statuses / sizeof *statuses; i++)
    if (statuses[i].status == status) return statuses[i].name;
  return "a status without a name";
}

enum { ALLOC_FAILED = 2, R_32F = 0, R_64F = 1, C_32F = 4, C_64F = 5 };

unsigned halo_cusolver_open(const cusolver_table *t, halo_cusolver_handle **out) {
  *out = 0;
  halo_cusolver_handle *h = calloc(1, sizeof *h);
  if (!h) return ALLOC_FAILED;
  h->t = t;
  unsigned status = t->cusolverDnCreate(&h->handle);
  if (!status && (status = t->cusolverDnCreateParams(&h->params))) t->cusolverDnDestroy(h->handle);
  if (status) free(h);
  else *out = h;
  return status;
}

unsigned halo_cusolver_close(halo_cusolver_handle *h) {
  const unsigned params = h->t->cusolverDnDestroyParams(h->params), handle = h->t->cusolverDnDestroy(h->handle);
  free(h);
  return params ? params : handle;
}

typedef const halo_cusolver_handle handle;
typedef const halo_cusolver_problem problem;

// The work space, and arrays by their addresses.
typedef struct {
  void *a, *vector, *u, *vt;
  int *info;
  void *work, *hosted;
  size_t device, host;
} memory;

static unsigned type(problem *p) { return (unsigned)p->type; }

// part is the type of real parts.
static unsigned part(problem *p) { return p->type == C_32F ? R_32F : p->type == C_64F ? R_64F : (unsigned)p->type; }

static unsigned potrf_work(handle *h, problem *p, memory *w) {
  return h->t->cusolverDnXpotrf_bufferSize(h->handle, h->params, (unsigned)p->upper, p->n, type(p), 0, p->n, type(p),
                                           &w->device, &w->host);
}
static unsigned potrf(handle *h, problem *p, memory *w) {
  return h->t->cusolverDnXpotrf(h->handle, h->params, (unsigned)p->upper, p->n, type(p), w->a, p->n, type(p), w->work,
                                w->device, w->hosted, w->host, w->info);
}

static unsigned getrf_work(handle *h, problem *p, memory *w) {
  return h->t->cusolverDnXgetrf_bufferSize(h->handle, h->params, p->m, p->n, type(p), 0, p->m, type(p), &w->device,
                                           &w->host);
}
static unsigned getrf(handle *h, problem *p, memory *w) {
  return h->t->cusolverDnXgetrf(h->handle, h->params, p->m, p->n, type(p), w->a, p->m, w->vector, type(p), w->work,
                                w->device, w->hosted, w->host, w->info);
}

static unsigned geqrf_work(handle *h, problem *p, memory *w) {
  return h->t->cusolverDnXgeqrf_bufferSize(h->handle, h->params, p->m, p->n, type(p), 0, p->m, type(p), 0, type(p),
                                           &w->device, &w->host);
}
static unsigned geqrf(handle *h, problem *p, memory *w) {
  return h->t->cusolverDnXgeqrf(h->handle, h->params, p->m, p->n, type(p), w->a, p->m, type(p), w->vector, type(p),
                                w->work, w->device, w->hosted, w->host, w->info);
}

// orgqr has 32-bit sizes, which cusolver.go has looked at, and counts work space in elements.
#define ORGQR(letter, name, T) \
  static unsigned letter##_work(handle *h, problem *p, memory *w) { \
    int n = 0; \
    const unsigned status = \
        h->t->name##_bufferSize(h->handle, (int)p->m, (int)p->n, (int)p->k, 0, (int)p->m, 0, &n); \
    w->device = (size_t)n * sizeof(T); \
    return status; \
  } \
  static unsigned letter(handle *h, problem *p, memory *w) { \
    return h->t->name(h->handle, (int)p->m, (int)p->n, (int)p->k, w->a, (int)p->m, w->vector, w->work, \
                      (int)(w->device / sizeof(T)), w->info); \
  }
ORGQR(sorgqr, cusolverDnSorgqr, float)
ORGQR(dorgqr, cusolverDnDorgqr, double)
ORGQR(cungqr, cusolverDnCungqr, halo_c64)
ORGQR(zungqr, cusolverDnZungqr, halo_c128)

static unsigned orgqr_work(handle *h, problem *p, memory *w) {
  switch (p->type) {
  case R_32F: return sorgqr_work(h, p, w);
  case R_64F: return dorgqr_work(h, p, w);
  case C_32F: return cungqr_work(h, p, w);
  }
  return zungqr_work(h, p, w);
}
static unsigned orgqr(handle *h, problem *p, memory *w) {
  switch (p->type) {
  case R_32F: return sorgqr(h, p, w);
  case R_64F: return dorgqr(h, p, w);
  case C_32F: return cungqr(h, p, w);
  }
  return zungqr(h, p, w);
}

static unsigned syevd_work(handle *h, problem *p, memory *w) {
  return h->t->cusolverDnXsyevd_bufferSize(h->handle, h->params, p->vectors != 'N', (unsigned)p->upper, p->n, type(p),
                                           0, p->n, part(p), 0, type(p), &w->device, &w->host);
}
static unsigned syevd(handle *h, problem *p, memory *w) {
  return h->t->cusolverDnXsyevd(h->handle, h->params, p->vectors != 'N', (unsigned)p->upper, p->n, type(p), w->a, p->n,
                                part(p), w->vector, type(p), w->work, w->device, w->hosted, w->host, w->info);
}

// There are no fewer rows than columns, so that VT has n rows whether all vectors are wanted or the first.
static unsigned gesvd_work(handle *h, problem *p, memory *w) {
  const signed char job = (signed char)p->vectors;
  return h->t->cusolverDnXgesvd_bufferSize(h->handle, h->params, job, job, p->m, p->n, type(p), 0, p->m, part(p), 0,
                                           type(p), 0, p->m, type(p), 0, p->n, type(p), &w->device, &w->host);
}
static unsigned gesvd(handle *h, problem *p, memory *w) {
  const signed char job = (signed char)p->vectors;
  return h->t->cusolverDnXgesvd(h->handle, h->params, job, job, p->m, p->n, type(p), w->a, p->m, part(p), w->vector,
                                type(p), w->u, p->m, type(p), w->vt, p->n, type(p), w->work, w->device, w->hosted,
                                w->host, w->info);
}

static const struct {
  unsigned (*work)(handle *, problem *, memory *), (*run)(handle *, problem *, memory *);
} routines[] = {
  [HALO_POTRF] = {potrf_work, potrf}, [HALO_GETRF] = {getrf_work, getrf}, [HALO_GEQRF] = {geqrf_work, geqrf},
  [HALO_ORGQR] = {orgqr_work, orgqr}, [HALO_SYEVD] = {syevd_work, syevd}, [HALO_GESVD] = {gesvd_work, gesvd},
};

unsigned halo_cusolver_work(handle *h, problem *p, size_t *device, size_t *host) {
  memory w = {0};
  const unsigned status = routines[p->routine].work(h, p, &w);
  *device = w.device;
  *host = w.host;
  return status;
}

static void *place(uint64_t at, uint64_t step, int64_t i) { return (void *)(uintptr_t)(at + step * (uint64_t)i); }

unsigned halo_cusolver_run(handle *h, problem *p, struct CUstream_st *stream, int64_t batch,
                           const halo_cusolver_arrays *at, const halo_cusolver_arrays *step, uint64_t work,
                           size_t device, size_t host) {
  memory w = {.work = (void *)(uintptr_t)work, .device = device, .host = host};
  if (host && !(w.hosted = malloc(host))) return ALLOC_FAILED;
  unsigned status = h->t->cusolverDnSetStream(h->handle, stream);
  for (int64_t i = 0; i < batch && !status; i++) {
    w.a = place(at->a, step->a, i);
    w.vector = place(at->vector, step->vector, i);
    w.u = place(at->u, step->u, i);
    w.vt = place(at->vt, step->vt, i);
    w.info = place(at->info, step->info, i);
    status = routines[p->routine].run(h, p, &w);
  }
  free(w.hosted);
  return status;
}
