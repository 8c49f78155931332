//go:build linux

#include "segment.h"

#include "mode.h"

#include <stdlib.h>
#include <string.h>

char *const halo_cancelled = "cancelled", *const halo_wordless = "failed";

// run_all runs a segment's records until one fails or the run is cancelled.
static void run_all(const halo_segment *s, halo_run *run) {
  const char *p = s->records, *end = p + s->bytes;
  while (p < end) {
    if (__builtin_expect(*run->cancel != 0, 0) && run->status == HALO_OK)
      run->status = HALO_CANCELLED;
    if (__builtin_expect(run->status != HALO_OK, 0))
      return;
    const halo_record *r = (const halo_record *)p;
    r->fn(r, run);
    p += r->bytes;
  }
}

char *halo_segment_run(uintptr_t segment, uintptr_t base, uintptr_t cancel, int32_t threads, int32_t mode) {
  halo_run run;
  run.base = (char *const *)base;
  run.cancel = (const volatile uint32_t *)cancel;
  run.parallel = halo_parallel;
  run.threads = threads;
  run.counted = 0;
  run.status = HALO_OK;
  if (!(mode & HALO_MODE_BRIEF))
    halo_enter(&run);
  const int flush = mode & HALO_MODE_FLUSH;
  const uint64_t before = flush ? halo_mode() : 0;
  if (flush)
    halo_set_mode(before | HALO_FLUSH);
  run_all((const halo_segment *)segment, &run);
  if (flush)
    halo_set_mode(before);
  if (run.counted)
    halo_leave();
  if (run.status == HALO_OK && *run.cancel != 0)
    run.status = HALO_CANCELLED; // the last record may have left work out
  if (__builtin_expect(run.status == HALO_OK, 1))
    return 0;
  if (run.status == HALO_CANCELLED)
    return halo_cancelled;
  char *message = strdup(run.message);
  return message ? message : halo_wordless;
}

enum { PIECE = 1 << 20 }; // bytes that one task copies

typedef struct {
  char *dst;
  const char *src;
  int64_t bytes;
} copy_args;

static void copy_task(void *arg, int64_t i) {
  const copy_args *a = arg;
  int64_t from = i * PIECE, n = a->bytes - from;
  memcpy(a->dst + from, a->src + from, n < PIECE ? n : PIECE);
}

// halo_copy copies bytes; equal addresses mean that there is nothing to do.
void halo_copy(const halo_record *r, halo_run *run) {
  const halo_copy_record *c = (const halo_copy_record *)r;
  copy_args a = {HALO_AT(run, c->dst), HALO_AT(run, c->src), c->bytes};
  if (a.dst == a.src || a.bytes == 0)
    return;
  if (a.bytes <= PIECE)
    memcpy(a.dst, a.src, a.bytes);
  else
    run->parallel(run, (a.bytes + PIECE - 1) / PIECE, copy_task, &a);
}

static int stopped(const halo_run *run) { return run->status != HALO_OK || *run->cancel != 0; }

// halo_while runs the condition, and while the byte that it leaves at pred is not 0, the body and the condition.
void halo_while(const halo_record *r, halo_run *run) {
  const halo_while_record *w = (const halo_while_record *)r;
  for (;;) {
    run_all(w->condition, run);
    if (stopped(run) || !*(const volatile unsigned char *)HALO_AT(run, w->pred))
      return;
    run_all(w->body, run);
  }
}

void halo_repeat(const halo_record *r, halo_run *run) {
  const halo_repeat_record *w = (const halo_repeat_record *)r;
  for (int64_t i = 0; i < w->times && !stopped(run); i++)
    run_all(w->body, run);
}

static void put(void *at, uint64_t v, int64_t bytes) {
  const uint8_t v1 = v;
  const uint16_t v2 = v;
  const uint32_t v4 = v;
  switch (bytes) {
  case 1:
    memcpy(at, &v1, 1);
    return;
  case 2:
    memcpy(at, &v2, 2);
    return;
  case 4:
    memcpy(at, &v4, 4);
    return;
  }
  memcpy(at, &v, 8);
}

// halo_count writes the count before each round: the body may have left something else there.
void halo_count(const halo_record *r, halo_run *run) {
  const halo_count_record *w = (const halo_count_record *)r;
  uint64_t v = w->first;
  for (int64_t i = 0; i < w->times && !stopped(run); i++, v += w->step) {
    put(HALO_AT(run, w->at), v, w->bytes);
    run_all(w->body, run);
  }
  if (w->wanted)
    put(HALO_AT(run, w->at), v, w->bytes);
}

// halo_conditional runs one branch: the last if the selector is out of range.
void halo_conditional(const halo_record *r, halo_run *run) {
  const halo_conditional_record *c = (const halo_conditional_record *)r;
  const void *p = HALO_AT(run, c->selector);
  int64_t i = c->is_pred ? *(const unsigned char *)p == 0 : *(const int32_t *)p;
  if (i < 0 || i >= c->branches)
    i = c->branches - 1;
  run_all(c->branch[i], run);
}
