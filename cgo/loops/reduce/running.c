//go:build linux

#include "running.h"

typedef struct {
  const halo_running *r;
  halo_run *run;
} running_task;

// part is a strip of a chunk: n elements, or rows, from first on, in the direction of the running.
typedef struct {
  int64_t at, n, m, step; // at: the position of the first element in memory
} part;

static part part_of(const halo_running *r, int64_t outer, int64_t strip, int64_t chunk) {
  int64_t first = chunk * r->chunk, n = r->n - first < r->chunk ? r->n - first : r->chunk, j = strip * r->strip;
  int64_t row = r->reverse ? r->n - 1 - first : first;
  return (part){(outer * r->n + row) * r->inner + j, n, r->inner - j < r->strip ? r->inner - j : r->strip,
                r->reverse ? -r->inner : r->inner};
}

static char *carries(const running_task *t, int64_t outer, int64_t strip, int64_t chunk) {
  const halo_running *r = t->r;
  int64_t place = (chunk * r->outer + outer) * r->inner + strip * r->strip;
  return (char *)HALO_AT(t->run, r->scratch) + place * r->ops->acc_bytes;
}

// begin makes accumulators of the init value: those of nothing with it as the only element.
static void begin(const running_task *t, char *acc, int64_t m) {
  const halo_running *r = t->r;
  r->ops->start(acc, m);
  for (int64_t j = 0; j < m; j++)
    r->ops->row(HALO_AT(t->run, r->init), 1, acc + j * r->ops->acc_bytes);
}

// total takes a part's elements into accumulators, in the order of memory.
static void total(const running_task *t, part p, char *acc) {
  const halo_running *r = t->r;
  int64_t low = p.step < 0 ? p.at + (p.n - 1) * p.step : p.at;
  const char *x = (const char *)HALO_AT(t->run, r->x) + low * r->ops->x_bytes;
  if (r->inner == 1)
    r->ops->row(x, p.n, acc);
  else
    r->ops->cols(x, r->inner, p.n, p.m, acc);
}

// run_part writes a part's results.
static void run_part(const running_task *t, part p, char *acc) {
  const halo_running *r = t->r;
  const char *x = (const char *)HALO_AT(t->run, r->x) + p.at * r->ops->x_bytes;
  char *out = (char *)HALO_AT(t->run, r->out) + p.at * r->ops->out_bytes;
  if (r->inner == 1)
    r->running->line(x, out, p.n, p.step, acc);
  else
    r->running->rows(x, out, p.n, p.step, p.m, acc);
}

// whole does all of some outer places, or of a strip of one.
static void whole(void *arg, int64_t i) {
  const running_task *t = arg;
  const halo_running *r = t->r;
  _Alignas(64) char acc[HALO_RUNNING_STRIP * 8];
  int64_t strip = i % r->strips, first = i / r->strips * r->grain;
  for (int64_t o = first; o < first + r->grain && o < r->outer && !*t->run->cancel; o++) {
    part p = part_of(r, o, strip, 0);
    begin(t, acc, p.m);
    run_part(t, p, acc);
  }
}

static void chunk_total(void *arg, int64_t i) {
  const running_task *t = arg;
  const halo_running *r = t->r;
  int64_t chunk = i % r->chunks, strip = i / r->chunks % r->strips, outer = i / r->chunks / r->strips;
  part p = part_of(r, outer, strip, chunk);
  char *acc = carries(t, outer, strip, chunk);
  r->ops->start(acc, p.m);
  total(t, p, acc);
}

static void chunk_run(void *arg, int64_t i) {
  const running_task *t = arg;
  const halo_running *r = t->r;
  int64_t chunk = i % r->chunks, strip = i / r->chunks % r->strips, outer = i / r->chunks / r->strips;
  run_part(t, part_of(r, outer, strip, chunk), carries(t, outer, strip, chunk));
}

// carry makes the chunks' totals what comes before each.
static void carry(const running_task *t) {
  const halo_running *r = t->r;
  _Alignas(64) char before[HALO_RUNNING_STRIP * 8], own[HALO_RUNNING_STRIP * 8];
  for (int64_t o = 0; o < r->outer; o++)
    for (int64_t s = 0; s < r->strips; s++) {
      int64_t m = part_of(r, o, s, 0).m;
      size_t bytes = (size_t)(m * r->ops->acc_bytes);
      begin(t, before, m);
      for (int64_t c = 0; c < r->chunks; c++) {
        char *acc = carries(t, o, s, c);
        memcpy(own, acc, bytes);
        memcpy(acc, before, bytes);
        r->ops->merge(before, own, m);
      }
    }
}

// in_turn does the chunks of a strip of an outer place one after the other.
static void in_turn(const running_task *t, int64_t i) {
  const halo_running *r = t->r;
  _Alignas(64) char before[HALO_RUNNING_STRIP * 8], own[HALO_RUNNING_STRIP * 8], acc[HALO_RUNNING_STRIP * 8];
  int64_t strip = i % r->strips, outer = i / r->strips;
  begin(t, before, part_of(r, outer, strip, 0).m);
  for (int64_t c = 0; c < r->chunks && !*t->run->cancel; c++) {
    part p = part_of(r, outer, strip, c);
    r->ops->start(own, p.m);
    total(t, p, own);
    memcpy(acc, before, (size_t)(p.m * r->ops->acc_bytes));
    run_part(t, p, acc);
    r->ops->merge(before, own, p.m);
  }
}

void halo_running_record(const halo_record *record, halo_run *run) {
  const halo_running *r = (const halo_running *)record;
  running_task t = {r, run};
  int64_t places = (r->outer + r->grain - 1) / r->grain * r->strips;
  if (r->outer * r->n * r->inner == 0)
    return;
  if (r->chunks == 1) {
    if (places == 1)
      whole(&t, 0);
    else
      run->parallel(run, places, whole, &t);
    return;
  }
  if (run->threads == 1) { // the same steps, each chunk while it is in the cache
    for (int64_t i = 0; i < places && !*run->cancel; i++)
      in_turn(&t, i);
    return;
  }
  run->parallel(run, places * r->chunks, chunk_total, &t);
  if (*run->cancel)
    return;
  carry(&t);
  run->parallel(run, places * r->chunks, chunk_run, &t);
}

const halo_running_ops *halo_running_find(int32_t level, int32_t op, int32_t type) {
#if defined(__x86_64__)
  const halo_running_table *tables[] = {&halo_running_base, &halo_running_avx2, &halo_running_avx512};
  const halo_running_ops *o = &(*tables[level < 3 ? level : 0])[op][type];
#else
  (void)level;
  const halo_running_ops *o = &halo_running_base[op][type];
#endif
  return o->line ? o : NULL;
}
