//go:build linux

#include "gemm.h"
#include "sizes.h"

#include <pthread.h>
#include <stdlib.h>

int halo_walk_offsets(const halo_walk *w, int64_t from, int64_t n, int64_t *out) {
  int64_t index[GEMM_STEPS], at = 0;
  int contiguous = 1;
  for (int64_t d = w->steps - 1; d >= 0; d--) {
    index[d] = from % w->step[d].n;
    from /= w->step[d].n;
    at += index[d] * w->step[d].stride;
  }
  for (int64_t i = 0; i < n; i++) {
    out[i] = at;
    contiguous &= i == 0 || at == out[i - 1] + 1;
    for (int64_t d = w->steps - 1; d >= 0; d--) {
      at += w->step[d].stride;
      if (++index[d] < w->step[d].n) break;
      at -= index[d] * w->step[d].stride;
      index[d] = 0;
    }
  }
  return contiguous;
}

/* Each thread has scratch memory for a tile, freed when the thread ends. */
enum { SCRATCH = 8 * (GEMM_ROWS * (GEMM_COLUMNS + GEMM_CHUNK) + (GEMM_CHUNK + 8) * GEMM_COLUMNS + 16 * GEMM_LONG) };

static pthread_key_t key;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void make_key(void) { pthread_key_create(&key, free); }

static char *scratch(void) {
  pthread_once(&once, make_key);
  char *s = pthread_getspecific(key);
  if (!s && (s = aligned_alloc(64, SCRATCH))) pthread_setspecific(key, s);
  return s;
}

static const halo_gemm_kernel *kernel_of(const halo_gemm_record *r) {
#if defined(__x86_64__)
  if (r->isa == 2) return &halo_gemm_avx512[r->sum];
  if (r->isa == 1) return &halo_gemm_avx2[r->sum];
#endif
  return &halo_gemm_base[r->sum];
}

typedef struct {
  const halo_gemm_record *record;
  halo_run *run;
} work;

static void task(void *arg, int64_t i) {
  const work *w = arg;
  const halo_gemm_record *r = w->record;
  const halo_gemm_kernel *kernel = kernel_of(r);
  const void *lhs = HALO_AT(w->run, r->lhs), *rhs = HALO_AT(w->run, r->rhs);
  void *out = HALO_AT(w->run, r->out);
  char *s = scratch();
  if (!s) {
    halo_fail(w->run, "out of memory");
    return;
  }
  if (r->lanes) {
    kernel->lanes(r, s, lhs, rhs, out, i * r->tile_m, least(r->tile_m, r->m - i * r->tile_m));
    return;
  }
  int64_t down = (r->m + r->tile_m - 1) / r->tile_m, across = (r->n + r->tile_n - 1) / r->tile_n;
  int64_t end = least((i + 1) * r->per_task, r->b * down * across);
  for (int64_t t = i * r->per_task; t < end && !*w->run->cancel; t++) {
    halo_gemm_tile tile = {t / (down * across), t / across % down * r->tile_m, 0, t % across * r->tile_n, 0,
                           w->run->cancel};
    tile.m = least(r->tile_m, r->m - tile.i);
    tile.n = least(r->tile_n, r->n - tile.j);
    kernel->tile(r, s, lhs, rhs, out, tile);
  }
}

void halo_gemm(const halo_record *record, halo_run *run) {
  work w = {(const halo_gemm_record *)record, run};
  const halo_gemm_record *r = w.record;
  int64_t down = (r->m + r->tile_m - 1) / r->tile_m, across = (r->n + r->tile_n - 1) / r->tile_n;
  int64_t tasks = r->lanes ? down : (r->b * down * across + r->per_task - 1) / r->per_task;
  if (tasks == 1)
    task(&w, 0);
  else
    run->parallel(run, tasks, task, &w);
}
