//go:build linux

#include "batch.h"

static const halo_batch_kernel *kernel_of(const halo_batch_record *r) {
#if defined(__x86_64__)
  if (r->isa == 2) return &halo_batch_avx512[r->wide];
  if (r->isa == 1) return &halo_batch_avx2[r->wide];
#endif
  return &halo_batch_base[r->wide];
}

typedef struct {
  const halo_batch_record *record;
  halo_run *run;
} work;

static void task(void *arg, int64_t i) {
  const work *w = arg;
  const halo_batch_record *r = w->record;
  const halo_batch_kernel *kernel = kernel_of(r);
  const int64_t each = r->per_task * kernel->most, end = (i + 1) * each < r->batch ? (i + 1) * each : r->batch;
  for (int64_t at = i * each; at < end && !*w->run->cancel; at += kernel->most)
    kernel->some(r, w->run, at, end - at < kernel->most ? end - at : kernel->most);
}

void halo_batch(const halo_record *record, halo_run *run) {
  work w = {(const halo_batch_record *)record, run};
  const int64_t each = w.record->per_task * kernel_of(w.record)->most, tasks = (w.record->batch + each - 1) / each;
  if (tasks == 1)
    task(&w, 0);
  else if (tasks > 1)
    run->parallel(run, tasks, task, &w);
}
