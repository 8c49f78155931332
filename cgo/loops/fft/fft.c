//go:build linux
#include "plan.h"

// In the order of run.ISA.
static const fft_table *const tables[] = {
#if defined(__x86_64__)
    &halo_fft_base, &halo_fft_avx2, &halo_fft_avx512, &halo_fft_base,
#else
    &halo_fft_base, &halo_fft_base, &halo_fft_base, &halo_fft_base,
#endif
};

typedef struct {
  const fft_record *r;
  halo_run *run;
  const char *data, *src;
  char *dst, *work;
  fft_loop loop;
  int64_t across, groups; // groups of lanes for each o, 0 if they go on across it; and all of them
} fft_job;

__thread const volatile uint32_t *halo_fft_cancel;

static void task(void *arg, int64_t i) {
  const fft_job *j = arg;
  const fft_record *r = j->r;
  halo_fft_cancel = j->run->cancel;
  const int64_t end = (i + 1) * j->groups / r->tasks;
  char *work = j->work + i * r->work_bytes;
  for (int64_t g = i * j->groups / r->tasks; g < end && !STOPPED; g++) {
    int64_t first = g * r->lanes, left = r->outer * r->inner - first;
    if (j->across) {
      const int64_t column = g % j->across * r->lanes;
      first = g / j->across * r->inner + column, left = r->inner - column;
    }
    j->loop(r, j->data, j->dst, j->src, work, first, left < r->lanes ? left : r->lanes);
  }
}

void halo_fft(const halo_record *head, halo_run *run) {
  const fft_record *r = (const fft_record *)head;
  const fft_table *t = r->lanes == 1 ? &halo_fft_one : tables[r->isa];
  fft_job j = {.r = r, .run = run, .data = HALO_AT(run, r->plan), .src = HALO_AT(run, r->src)};
  j.dst = HALO_AT(run, r->dst), j.work = HALO_AT(run, r->work);
  j.loop = r->wide ? t->f64 : t->f32;
  if (r->inner >= r->lanes) j.across = (r->inner + r->lanes - 1) / r->lanes;
  j.groups = j.across ? r->outer * j.across : (r->outer * r->inner + r->lanes - 1) / r->lanes;
  run->parallel(run, r->tasks, task, &j);
}
