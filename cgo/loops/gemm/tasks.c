//go:build linux

#include "tasks.h"

typedef struct {
  const halo_tasks_record *record;
  halo_run *run;
} work;

static void task(void *arg, int64_t i) {
  const work *w = arg;
  const char *first = (const char *)w->record;
  const char *at = first + w->record->start[i], *end = first + w->record->start[i + 1];
  while (at < end && !*w->run->cancel) {
    const halo_record *r = (const halo_record *)at;
    r->fn(r, w->run);
    at += r->bytes;
  }
}

void halo_tasks(const halo_record *record, halo_run *run) {
  work w = {(const halo_tasks_record *)record, run};
  if (w.record->tasks == 1)
    task(&w, 0);
  else
    run->parallel(run, w.record->tasks, task, &w);
}
