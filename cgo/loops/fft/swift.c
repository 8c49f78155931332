//go:build linux
#include "swift.h"

// In the order of run.ISA.
static const swift_loops *const tables[] = {
#if defined(__x86_64__)
    halo_swift_base, halo_swift_avx2, halo_swift_avx512, halo_swift_base,
#else
    halo_swift_base, halo_swift_base, halo_swift_base, halo_swift_base,
#endif
};

static const swift_loops *loops_of(const swift_record *r) { return &tables[r->isa][r->wide != 0]; }

static int64_t groups(int64_t lines, const swift_loops *l) { return (lines + l->lanes - 1) / l->lanes; }

// all is how many groups of columns or of short lines there are, or lines, or parts of the phase of a long line.
static int64_t all(const swift_job *j, const swift_loops *l) {
  const swift_record *r = j->r;
  if (r->shared_bytes) return l->parts(j);
  if (r->together) return groups(r->outer, l);
  return r->inner ? r->outer * groups(r->inner, l) : r->outer;
}

static void task(void *arg, int64_t i) {
  const swift_job *j = arg;
  const swift_record *r = j->r;
  const swift_loops *l = loops_of(r);
  halo_fft_cancel = j->run->cancel;
  char *work = j->work + r->shared_bytes + i * r->work_bytes;
  const int64_t count = all(j, l), first = i * count / r->tasks, end = (i + 1) * count / r->tasks;
  if (!r->shared_bytes && !r->inner && !r->together) {
    l->lines(j, work, first, end);
    halo_drain(r->staged != 0);
    return;
  }
  for (int64_t k = first; k < end && !STOPPED; k++)
    if (r->shared_bytes)
      l->part(j, work, k);
    else if (r->together)
      l->short_lines(j, work, k * l->lanes);
    else
      l->columns(j, work, k / groups(r->inner, l), k % groups(r->inner, l) * l->lanes);
}

void halo_swift(const halo_record *head, halo_run *run) {
  const swift_record *r = (const swift_record *)head;
  swift_job j = {.r = r, .run = run, .data = HALO_AT(run, r->plan), .src = HALO_AT(run, r->src)};
  j.dst = HALO_AT(run, r->dst), j.work = HALO_AT(run, r->work);
  if (!r->shared_bytes) {
    run->parallel(run, r->tasks, task, &j);
    return;
  }
  for (j.line = 0; j.line < r->outer; j.line++)
    for (j.phase = 0; j.phase < SWIFT_PHASES; j.phase++)
      if (all(&j, loops_of(r)) > 0) run->parallel(run, r->tasks, task, &j);
}
