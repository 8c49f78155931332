//go:build linux
#include "fftw.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

fftw_table halo_fftw;

#define LOAD(name, result, params, args) \
  if (!(*(void **)&halo_fftw.name = dlsym(lib, #name))) return #name;

const char *halo_fftw_load(void *lib, int wide) {
  if (wide) {
    FFTW_PRECISION(LOAD, fftw, double)
  } else {
    FFTW_PRECISION(LOAD, fftwf, float)
  }
  return 0;
}

// sizes are how many reals a row has before and after.
static void sizes(const fftw_problem *p, int64_t *in, int64_t *out) {
  *in = *out = 2 * p->n;
  if (p->kind == FFTW_R2C_KIND) *in = p->n, *out = 2 * (p->n / 2 + 1);
  if (p->kind == FFTW_C2R_KIND) *in = 2 * (p->n / 2 + 1), *out = p->n;
}

enum { UNALIGNED = 2, PRESERVE_INPUT = 16, ESTIMATE = 64, MEASURE = 0, FORWARD = -1, BACKWARD = 1 };

#define PLAN(p, T) \
  switch (q->kind) { \
  case FFTW_R2C_KIND: return halo_fftw.p##_plan_guru64_dft_r2c(1, &dim, 1, &many, (T *)in, (T(*)[2])out, flags); \
  case FFTW_C2R_KIND: return halo_fftw.p##_plan_guru64_dft_c2r(1, &dim, 1, &many, (T(*)[2])in, (T *)out, flags); \
  default: \
    return halo_fftw.p##_plan_guru64_dft(1, &dim, 1, &many, (T(*)[2])in, (T(*)[2])out, \
                                         q->kind == FFTW_FORWARD_KIND ? FORWARD : BACKWARD, flags); \
  }

static void *plan(const fftw_problem *q, void *in, void *out, unsigned flags) {
  int64_t from, to;
  sizes(q, &from, &to);
  const halo_fftw_dim dim = {q->n, 1, 1};
  halo_fftw_dim many = {q->rows, q->kind == FFTW_R2C_KIND ? from : from / 2, q->kind == FFTW_C2R_KIND ? to : to / 2};
  if (q->wide) {
    PLAN(fftw, double)
  }
  PLAN(fftwf, float)
}

void *halo_fftw_plan(const fftw_problem *q, int unaligned, double seconds) {
  int64_t from, to;
  sizes(q, &from, &to);
  const int64_t bytes = q->wide ? 8 : 4;
  void *in = aligned_alloc(64, (from * q->rows * bytes + 63) & ~63);
  void *out = aligned_alloc(64, (to * q->rows * bytes + 63) & ~63);
  void *p = 0;
  if (in && out) {
    const unsigned flags = PRESERVE_INPUT | (unaligned ? UNALIGNED : 0) | (seconds > 0 ? MEASURE : ESTIMATE);
    if (seconds > 0) {
      memset(in, 0, from * q->rows * bytes);
      (q->wide ? halo_fftw.fftw_set_timelimit : halo_fftw.fftwf_set_timelimit)(seconds);
    }
    p = plan(q, in, out, flags);
  }
  free(in), free(out);
  return p;
}

int halo_fftw_export(int wide, const char *file) {
  return (wide ? halo_fftw.fftw_export_wisdom_to_filename : halo_fftw.fftwf_export_wisdom_to_filename)(file);
}

int halo_fftw_import(int wide, const char *file) {
  return (wide ? halo_fftw.fftw_import_wisdom_from_filename : halo_fftw.fftwf_import_wisdom_from_filename)(file);
}

typedef struct {
  const fftw_record *r;
  halo_run *run;
  char *dst, *src;
} fftw_job;

#define EXECUTE(p, T) \
  { \
    const int odd = halo_fftw.p##_alignment_of((T *)src) || halo_fftw.p##_alignment_of((T *)dst); \
    switch (q->kind) { \
    case FFTW_R2C_KIND: halo_fftw.p##_execute_dft_r2c(plans[odd], (T *)src, (T(*)[2])dst); break; \
    case FFTW_C2R_KIND: halo_fftw.p##_execute_dft_c2r(plans[odd], (T(*)[2])src, (T *)dst); break; \
    default: halo_fftw.p##_execute_dft(plans[odd], (T(*)[2])src, (T(*)[2])dst); \
    } \
    if (r->scale != 1) \
      for (int64_t k = 0; k < rows * to; k++) ((T *)dst)[k] *= (T)r->scale; \
  }

static void task(void *arg, int64_t i) {
  const fftw_job *j = arg;
  const fftw_record *r = j->r;
  const fftw_problem *q = &r->whole;
  if (*j->run->cancel) return;
  int64_t from, to;
  sizes(q, &from, &to);
  const int64_t bytes = q->wide ? 8 : 4, first = i * r->chunk;
  const int64_t rows = q->rows - first < r->chunk ? q->rows - first : r->chunk;
  void *const *plans = rows < r->chunk ? r->last : r->plans;
  char *src = j->src + first * from * bytes, *dst = j->dst + first * to * bytes;
  if (q->wide) EXECUTE(fftw, double) else EXECUTE(fftwf, float)
}

void halo_fftw_record(const halo_record *head, halo_run *run) {
  const fftw_record *r = (const fftw_record *)head;
  fftw_job j = {r, run, HALO_AT(run, r->dst), HALO_AT(run, r->src)};
  run->parallel(run, r->tasks, task, &j);
}
