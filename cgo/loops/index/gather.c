//go:build linux
#pragma GCC optimize("O3")
#include "ask.h"
#include "level.h"

#include <string.h>

typedef struct {
  const index_gather *g;
  halo_run *run;
  const move_axis *axes;
} gathering;

// Results of so many bytes go past the caches.
enum { PAST_BYTES = 1 << 22 };

// take gathers n single elements from index vector first on, whose vectors have one entry.
static void take(const gathering *x, int64_t first, int64_t n) {
  const index_plan *p = &x->g->plan;
  char *d = HALO_AT(x->run, x->g->dst);
  const char *s = HALO_AT(x->run, x->g->src);
  const index_take of = halo_index_level(p->isa)->takes[p->type][x->g->log_width];
  const int past = p->count << x->g->log_width >= PAST_BYTES;
  for (int64_t done = 0; done < n;) {
    const index_stretch a = halo_index_stretch(p, x->run, first + done, n - done);
    of(d, s, a, *index_entries(p), past);
    done += a.n;
  }
  halo_drain(past);
}

#define ELEMENTS(BYTES)                                                                                      \
  for (int64_t k = 0; k < n; k++) memcpy(d + p.windowed[k], s + p.operand[k], BYTES);                        \
  return;

// elements gathers n single elements from index vector first on.
static void elements(const gathering *x, int64_t first, int64_t n) {
  char *d = HALO_AT(x->run, x->g->dst);
  const char *s = HALO_AT(x->run, x->g->src);
  index_places p;
  halo_index_places(&x->g->plan, x->run, first, n, 1, p.windowed, p.operand);
  switch (x->g->log_width) {
  case 0: ELEMENTS(1)
  case 1: ELEMENTS(2)
  case 2: ELEMENTS(4)
  case 3: ELEMENTS(8)
  }
  ELEMENTS(16)
}

// line_bytes is how many bytes a line of a window takes.
static int64_t line_bytes(const gathering *x) {
  const move_axis a = x->axes[x->g->axes - 1];
  return (a.n - 1) * a.src + ((int64_t)1 << x->g->log_width);
}

// row_bytes is how many bytes a window has that lies as one piece in both arrays; 0 if it does not.
static int64_t row_bytes(const gathering *x) {
  int64_t bytes = (int64_t)1 << x->g->log_width;
  for (int64_t k = x->g->axes - 1; k >= 0; k--) {
    const move_axis a = x->axes[k];
    if (a.n != 1 && (a.dst != bytes || a.src != bytes)) return 0;
    bytes *= a.n;
  }
  return bytes;
}

#define ROWS(BYTES)                                                                                          \
  for (int64_t k = 0; k < n; k++) {                                                                          \
    ask(s, p->operand, k, n, BYTES);                                                                         \
    memcpy(d + p->windowed[k], s + p->operand[k], BYTES);                                                    \
  }                                                                                                          \
  return;

// rows gathers n windows that are one piece each: the usual sizes without a call.
static void rows(char *d, const char *s, const index_places *p, int64_t n, int64_t bytes) {
  switch (bytes) {
  case 8: ROWS(8)
  case 12: ROWS(12)
  case 16: ROWS(16)
  case 32: ROWS(32)
  case 64: ROWS(64)
  case 128: ROWS(128)
  case 256: ROWS(256)
  }
  ROWS(bytes)
}

// Longer windows than this are copied by loops of vectors.
enum { ROW_BYTES = 2048 };

static void windows(const gathering *x, int64_t first, int64_t n) {
  char *d = HALO_AT(x->run, x->g->dst);
  const char *s = HALO_AT(x->run, x->g->src);
  const int64_t bytes = line_bytes(x), row = row_bytes(x);
  index_places p;
  halo_index_places(&x->g->plan, x->run, first, n, 1, p.windowed, p.operand);
  if (row && row <= ROW_BYTES) {
    rows(d, s, &p, n, row);
    return;
  }
  for (int64_t k = 0; k < n; k++) {
    ask(s, p.operand, k, n, bytes);
    move_count(x->g->loop, d + p.windowed[k], s + p.operand[k], x->axes, x->g->axes);
  }
}

static void gather_task(void *arg, int64_t i) {
  const gathering *x = arg;
  const int64_t count = x->g->plan.count, end = (i + 1) * x->g->part < count ? (i + 1) * x->g->part : count;
  if (x->g->element && x->g->plan.entries == 1) {
    take(x, i * x->g->part, end - i * x->g->part);
    return;
  }
  for (int64_t k = i * x->g->part; k < end; k += INDEX_BLOCK) {
    const int64_t n = end - k < INDEX_BLOCK ? end - k : INDEX_BLOCK;
    if (x->g->element) elements(x, k, n);
    else windows(x, k, n);
  }
}

// window_task moves a part of one window.
static void window_task(void *arg, int64_t i) {
  const gathering *x = arg;
  index_places p;
  halo_index_places(&x->g->plan, x->run, i / x->g->tasks, 1, 1, p.windowed, p.operand);
  move_part(x->g->loop, (char *)HALO_AT(x->run, x->g->dst) + p.windowed[0],
            (char *)HALO_AT(x->run, x->g->src) + p.operand[0], x->axes, x->g->axes, i % x->g->tasks);
}

void halo_gather(const halo_record *head, halo_run *run) {
  const index_gather *g = (const index_gather *)head;
  gathering x = {g, run, index_end(&g->plan)};
  const int64_t tasks = (g->plan.count + g->part - 1) / g->part;
  if (g->tasks > 1) run->parallel(run, g->plan.count * g->tasks, window_task, &x);
  else if (tasks > 1) run->parallel(run, tasks, gather_task, &x);
  else if (tasks == 1) gather_task(&x, 0);
}

// ---- windows across one another

typedef struct {
  const index_columns *c;
  halo_run *run;
  const index_axis *axes;
  int64_t *table;
} columns;

static void table_task(void *arg, int64_t i) {
  const columns *x = arg;
  const int64_t first = i * INDEX_BLOCK, rest = x->c->plan.count - first;
  const int64_t n = rest < INDEX_BLOCK ? rest : INDEX_BLOCK;
  halo_index_places(&x->c->plan, x->run, first, n, 1, NULL, x->table + first);
}

#define THROUGH(BYTES)                                                                                       \
  for (int64_t i = 0; i < a.n; i++) memcpy(d + i * a.dst, s + i * a.src + t[i * a.table], BYTES);            \
  return;
#define STRAIGHT(BYTES)                                                                                      \
  for (int64_t i = 0; i < a.n; i++) memcpy(d + i * a.dst, s + i * a.src, BYTES);                             \
  return;

// line moves elements along one axis.
static void line(char *d, const char *s, const int64_t *t, index_axis a, int64_t log_width) {
  if (a.table) {
    switch (log_width) {
    case 0: THROUGH(1)
    case 1: THROUGH(2)
    case 2: THROUGH(4)
    case 3: THROUGH(8)
    }
    THROUGH(16)
  }
  s += *t;
  if (a.dst == a.src && a.dst == 1 << log_width) {
    memcpy(d, s, a.n << log_width);
    return;
  }
  switch (log_width) {
  case 0: STRAIGHT(1)
  case 1: STRAIGHT(2)
  case 2: STRAIGHT(4)
  case 3: STRAIGHT(8)
  }
  STRAIGHT(16)
}

// box goes through axes.
static void box(const index_axis *axes, int64_t rank, int64_t log_width, char *d, const char *s, const int64_t *t) {
  if (rank == 1) {
    line(d, s, t, *axes, log_width);
    return;
  }
  for (int64_t i = 0; i < axes->n; i++, d += axes->dst, s += axes->src, t += axes->table)
    box(axes + 1, rank - 1, log_width, d, s, t);
}

static void column_task(void *arg, int64_t i) {
  const columns *x = arg;
  char *d = HALO_AT(x->run, x->c->dst);
  const char *s = HALO_AT(x->run, x->c->src);
  const int64_t *t = x->table;
  index_axis axes[MOVE_MAX_AXES];
  for (int64_t k = x->c->axes - 1; k >= 0; k--) {
    index_axis a = x->axes[k];
    const int64_t parts = (a.n + a.part - 1) / a.part, first = i % parts * a.part;
    i /= parts;
    d += first * a.dst, s += first * a.src, t += first * a.table;
    a.n = a.n - first < a.part ? a.n - first : a.part;
    axes[k] = a;
  }
  box(axes, x->c->axes, x->c->log_width, d, s, t);
}

void halo_gather_columns(const halo_record *head, halo_run *run) {
  const index_columns *c = (const index_columns *)head;
  columns x = {c, run, index_end(&c->plan), HALO_AT(run, c->table)};
  run->parallel(run, (c->plan.count + INDEX_BLOCK - 1) / INDEX_BLOCK, table_task, &x);
  if (!*run->cancel) run->parallel(run, c->tasks, column_task, &x);
}
