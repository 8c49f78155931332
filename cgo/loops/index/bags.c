//go:build linux
#pragma GCC optimize("O3")
#include "bags.h"

#include "ask.h"
#include "level.h"

typedef struct {
  const index_bags *b;
  halo_run *run;
} bagging;

static void bag_task(void *arg, int64_t i) {
  const bagging *x = arg;
  const index_bags *b = x->b;
  const int64_t bags = b->plan.count / b->bag, end = (i + 1) * b->part < bags ? (i + 1) * b->part : bags;
  const int64_t block = INDEX_BLOCK / b->bag;
  const __typeof__(halo_index_base.bag) bag = halo_index_level(b->plan.isa)->bag;
  const float init = *(const float *)HALO_AT(x->run, b->init);
  float *d = HALO_AT(x->run, b->dst);
  const char *src = HALO_AT(x->run, b->src);
  int64_t places[INDEX_BLOCK];
  for (int64_t k = i * b->part; k < end; k += block) {
    const int64_t n = end - k < block ? end - k : block;
    halo_index_places(&b->plan, x->run, k * b->bag, n * b->bag, 1, NULL, places);
    for (int64_t j = 0; j < BAG_FAR && j < n * b->bag; j++) ask_far(src + places[j], 4 * b->row);
    for (int64_t j = 0; j < n; j++)
      bag(d + (k + j) * b->row, src, b->row, places + j * b->bag, b->bag, (n - j) * b->bag, init);
  }
}

void halo_bags(const halo_record *head, halo_run *run) {
  const index_bags *b = (const index_bags *)head;
  bagging x = {b, run};
  const int64_t tasks = (b->plan.count / b->bag + b->part - 1) / b->part;
  if (tasks > 1) run->parallel(run, tasks, bag_task, &x);
  else if (tasks == 1) bag_task(&x, 0);
}
