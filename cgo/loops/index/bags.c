//go:build linux
#pragma GCC optimize("O3")
#include "bags.h"

typedef struct {
  const index_bags *b;
  halo_run *run;
} bagging;

// Sums are rounded term by term, in the order of the windows.
static void first(float *restrict d, const float *restrict s, float init, int64_t n) {
  for (int64_t i = 0; i < n; i++) d[i] = init + s[i];
}

static void one(float *restrict d, const float *restrict s, int64_t n) {
  for (int64_t i = 0; i < n; i++) d[i] += s[i];
}

static void four(float *restrict d, const float *const *s, int64_t n) {
  const float *s0 = s[0], *s1 = s[1], *s2 = s[2], *s3 = s[3];
#pragma GCC ivdep
  for (int64_t i = 0; i < n; i++) d[i] = (((d[i] + s0[i]) + s1[i]) + s2[i]) + s3[i];
}

enum { AHEAD = 8, LINES = 8 }; // windows that are fetched ahead, and how much of each

static void fetch(const char *s, int64_t bytes) {
  for (int64_t at = 0; at < bytes && at < 64 * LINES; at += 64) __builtin_prefetch(s + at);
}

// sum makes one row of the n windows at places; more places follow.
static void sum(const index_bags *b, const char *s, const int64_t *places, int64_t more, float init, float *d) {
  const float *rows[4];
  first(d, (const float *)(s + places[0]), init, b->row);
  int64_t k = 1;
  for (; k + 4 <= b->bag; k += 4) {
    for (int64_t j = 0; j < 4; j++) {
      rows[j] = (const float *)(s + places[k + j]);
      if (k + j + AHEAD < more) fetch(s + places[k + j + AHEAD], 4 * b->row);
    }
    four(d, rows, b->row);
  }
  for (; k < b->bag; k++) one(d, (const float *)(s + places[k]), b->row);
}

static void bag_task(void *arg, int64_t i) {
  const bagging *x = arg;
  const index_bags *b = x->b;
  const int64_t bags = b->plan.count / b->bag, end = (i + 1) * b->part < bags ? (i + 1) * b->part : bags;
  const int64_t block = INDEX_BLOCK / b->bag;
  const float init = *(const float *)HALO_AT(x->run, b->init);
  float *d = HALO_AT(x->run, b->dst);
  int64_t places[INDEX_BLOCK];
  for (int64_t k = i * b->part; k < end; k += block) {
    const int64_t n = end - k < block ? end - k : block;
    halo_index_places(&b->plan, x->run, k * b->bag, n * b->bag, 1, NULL, places);
    for (int64_t j = 0; j < n; j++)
      sum(b, HALO_AT(x->run, b->src), places + j * b->bag, (n - j) * b->bag, init, d + (k + j) * b->row);
  }
}

void halo_bags(const halo_record *head, halo_run *run) {
  const index_bags *b = (const index_bags *)head;
  bagging x = {b, run};
  const int64_t tasks = (b->plan.count / b->bag + b->part - 1) / b->part;
  if (tasks > 1) run->parallel(run, tasks, bag_task, &x);
  else if (tasks == 1) bag_task(&x, 0);
}
