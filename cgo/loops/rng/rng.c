//go:build linux
#include <string.h>

#include "rng.h"

// In the order of run.ISA.
static const rng_table *const tables[] = {
#if defined(__x86_64__)
    &halo_rng_base, &halo_rng_avx2, &halo_rng_avx512, &halo_rng_base,
#else
    &halo_rng_base, &halo_rng_base, &halo_rng_base, &halo_rng_base,
#endif
};

enum {
  TASK = 1 << 15, // blocks of a task
  TILE = 256,     // blocks made at a time where words do not go to their places at once
};

typedef struct {
  const rng_record *r;
  const rng_table *t;
  char *bits;
  uint64_t key, low, high;
  int64_t blocks;
} rng_job;

static int64_t min(int64_t a, int64_t b) { return a < b ? a : b; }

// store puts the low bytes of words at every step-th element from at on.
static void store(const rng_job *j, int64_t at, int64_t step, const uint32_t *x, int64_t n) {
  if (j->r->width == 4) {
    uint32_t *d = (uint32_t *)j->bits + at;
    for (int64_t i = 0; i < n; i++) d[i * step] = x[i];
  } else if (j->r->width == 2) {
    uint16_t *d = (uint16_t *)j->bits + at;
    for (int64_t i = 0; i < n; i++) d[i * step] = (uint16_t)x[i];
  } else {
    uint8_t *d = (uint8_t *)j->bits + at;
    for (int64_t i = 0; i < n; i++) d[i * step] = (uint8_t)x[i];
  }
}

// neighbours makes n blocks from b on whose words are neighbours at row 2*row of [outer, size].
static void neighbours(const rng_job *j, int64_t b, int64_t n, int64_t outer, int64_t row) {
  const rng_record *r = j->r;
  const int64_t at = outer * r->size + 2 * row, second = min(n, (r->size - 2 * row) / 2);
  uint32_t x0[TILE], x1[TILE];
  if (r->width == 4 && second > 0) j->t->pairs((uint32_t *)j->bits + at, second, j->key, j->low + b);
  for (int64_t i = r->width == 4 ? second : 0; i < n; i += TILE) {
    const int64_t some = min(n - i, TILE);
    j->t->rows(x0, x1, some, j->key, j->low + b + i);
    store(j, at + 2 * i, 2, x0, some);
    store(j, at + 2 * i + 1, 2, x1, min(some, second - i < 0 ? 0 : second - i));
  }
}

// lines makes n blocks from b on whose words are inner apart, the first ones at element at.
static void lines(const rng_job *j, int64_t b, int64_t n, int64_t at, int64_t has_second) {
  const rng_record *r = j->r;
  uint32_t *d = (uint32_t *)j->bits + at, x0[TILE], x1[TILE];
  if (r->width == 4 && has_second) {
    j->t->rows(d, d + r->inner, n, j->key, j->low + b);
    return;
  }
  for (int64_t i = 0; i < n; i += TILE) {
    const int64_t some = min(n - i, TILE);
    j->t->rows(x0, x1, some, j->key, j->low + b + i);
    store(j, at + i, 1, x0, some);
    if (has_second) store(j, at + i + r->inner, 1, x1, some);
  }
}

static void threefry_task(void *arg, int64_t task) {
  const rng_job *j = arg;
  const rng_record *r = j->r;
  const int64_t half = (r->size + 1) / 2, end = min((task + 1) * TASK, j->blocks);
  for (int64_t b = task * TASK, n; b < end; b += n) {
    const int64_t in = b % r->inner, row = b / r->inner % half, outer = b / r->inner / half;
    if (r->inner == 1) {
      n = min(end - b, half - row);
      neighbours(j, b, n, outer, row);
    } else {
      n = min(end - b, r->inner - in);
      lines(j, b, n, (outer * r->size + 2 * row) * r->inner + in, 2 * row + 1 < r->size);
    }
  }
}

// part makes n blocks of Philox from b on; the last may be cut.
static void part(const rng_job *j, int64_t b, int64_t n) {
  const rng_record *r = j->r;
  uint32_t x[4 * TILE];
  const uint64_t low = j->low + b, high = j->high + (low < j->low);
  if (r->width == 4 && 4 * (b + n) <= r->size) {
    j->t->philox((uint32_t *)j->bits + 4 * b, n, j->key, low, high);
    return;
  }
  for (int64_t i = 0; i < n; i += TILE) {
    const int64_t some = min(n - i, TILE);
    j->t->philox(x, some, j->key, low + i, high);
    store(j, 4 * (b + i), 1, x, min(4 * some, r->size - 4 * (b + i)));
  }
}

static void philox_task(void *arg, int64_t task) {
  const rng_job *j = arg;
  const int64_t end = min((task + 1) * TASK, j->blocks);
  for (int64_t b = task * TASK, n; b < end; b += n) {
    const uint64_t left = -(j->low + (uint64_t)b); // blocks until the low half overflows, 0 for all
    n = end - b;
    if (left && left < (uint64_t)n) n = (int64_t)left;
    if (n > 1 && 4 * (b + n) > j->r->size) n--; // the last one alone
    part(j, b, n);
  }
}

static rng_job job(const rng_record *r, halo_run *run) {
  return (rng_job){.r = r, .t = tables[r->isa], .bits = HALO_AT(run, r->bits)};
}

void halo_threefry(const halo_record *head, halo_run *run) {
  const rng_record *r = (const rng_record *)head;
  const uint64_t *state = HALO_AT(run, r->state);
  uint64_t *after = HALO_AT(run, r->after);
  rng_job j = job(r, run);
  j.key = state[0], j.low = state[1];
  j.blocks = r->outer * ((r->size + 1) / 2) * r->inner;
  after[0] = j.key, after[1] = j.low + (uint64_t)j.blocks;
  run->parallel(run, (j.blocks + TASK - 1) / TASK, threefry_task, &j);
}

void halo_philox(const halo_record *head, halo_run *run) {
  const rng_record *r = (const rng_record *)head;
  const uint64_t *state = HALO_AT(run, r->state);
  uint64_t *after = HALO_AT(run, r->after);
  rng_job j = job(r, run);
  j.key = state[0], j.low = state[1], j.high = state[r->words == 3 ? 2 : 0];
  j.blocks = (r->size + 3) / 4;
  const uint64_t low = j.low + (uint64_t)j.blocks;
  after[0] = j.key, after[1] = low;
  if (r->words == 3) after[2] = j.high + (low < j.low);
  run->parallel(run, (j.blocks + TASK - 1) / TASK, philox_task, &j);
}
