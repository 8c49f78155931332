//go:build linux

#include "plain.h"

enum { BATCH = 1024, BLOCK = 4096 }; // accumulators on a task's stack, and of a merge

typedef struct {
  const halo_plain *p;
  halo_run *run;
  int64_t kept, rows, width;
} plain_task;

static const char *element(const plain_task *t, int64_t at) {
  return (const char *)HALO_AT(t->run, t->p->x) + at * t->p->ops->x_bytes;
}

// finish makes results of n accumulators, the first of which is number from.
static void finish(const plain_task *t, void *acc, int64_t from, int64_t n) {
  const halo_plain *p = t->p;
  const halo_plain_ops *o = p->ops;
  if (p->each > 1)
    o->gather(acc, p->each, n / p->each);
  char *out = (char *)HALO_AT(t->run, p->out) + from / p->each * o->out_bytes;
  o->finish(acc, HALO_AT(t->run, p->init), out, n / p->each, (int32_t)p->bits);
}

// deliver brings n accumulators of chunk c to the results of those from to on, or to scratch.
static void deliver(const plain_task *t, void *acc, int64_t c, int64_t to, int64_t n) {
  const halo_plain *p = t->p;
  const halo_plain_ops *o = p->ops;
  if (p->chunks == 1) {
    finish(t, acc, to, n);
    return;
  }
  char *scratch = HALO_AT(t->run, p->scratch);
  memcpy(scratch + (c * t->kept * t->width + to) * o->acc_bytes, acc, (size_t)(n * o->acc_bytes));
}

// chunk_of says which of all rows or elements chunk c has.
static int64_t chunk_of(const halo_plain *p, int64_t c, int64_t all, int64_t *n) {
  int64_t first = c * p->chunk;
  *n = all - first < p->chunk ? all - first : p->chunk;
  return first;
}

// far_rows takes most of n rows from number k on into accumulators, four that are far from one another at a time, and
// returns how many.
static int64_t far_rows(const plain_task *t, int64_t k, int64_t n, char *acc) {
  const halo_plain *p = t->p;
  const halo_plain_ops *o = p->ops;
  const int64_t some = n / 4;
  if (!o->four || t->rows > 1 || p->chunks > 1 || p->kept != 1 || p->axes[0].stride != p->run ||
      p->run < HALO_FOUR_LEAST || n * p->run * o->x_bytes < HALO_FAR_BYTES)
    return 0;
  for (int64_t j = 0; j < some; j++)
    o->four(element(t, (k + j) * p->run), some * p->run, p->run, acc + j * o->acc_bytes, some);
  return 4 * some;
}

// kept_places reduces runs into the results of kept places first to end-1.
static void kept_places(const plain_task *t, int64_t first, int64_t end, int64_t c) {
  const halo_plain *p = t->p;
  const halo_plain_ops *o = p->ops;
  const halo_axis *reduced = p->axes + p->kept;
  _Alignas(64) char acc[BATCH * 8];
  for (int64_t k = first; k < end && !*t->run->cancel; k += BATCH) {
    int64_t n = end - k < BATCH ? end - k : BATCH, rows, from;
    o->start(acc, n);
    if (t->rows == 1 && p->chunks == 1 && p->run < 32 && p->kept == 1 && p->axes[0].stride == p->run) {
      o->rows(element(t, k * p->run), p->run, n, acc);
      deliver(t, acc, c, k, n);
      continue;
    }
    for (int64_t j = far_rows(t, k, n, acc); j < n; j++) {
      int64_t at = halo_place(p->axes, p->kept, k + j);
      if (t->rows == 1) {
        from = chunk_of(p, c, p->run, &rows);
        o->row(element(t, at + from), rows, acc + j * o->acc_bytes);
        continue;
      }
      from = chunk_of(p, c, t->rows, &rows);
      for (int64_t r = from; r < from + rows; r++)
        o->row(element(t, at + halo_place(reduced, p->reduced, r)), p->run, acc + j * o->acc_bytes);
    }
    deliver(t, acc, c, k, n);
  }
}

// strip_of reduces rows into results first to first+n-1 of a kept place.
static void strip_of(const plain_task *t, int64_t k, int64_t first, int64_t n, int64_t c) {
  const halo_plain *p = t->p;
  const halo_plain_ops *o = p->ops;
  const halo_axis *reduced = p->axes + p->kept;
  halo_axis last = p->reduced ? reduced[p->reduced - 1] : (halo_axis){1, 0};
  _Alignas(64) char acc[HALO_STRIP * 8];
  int64_t rows, r = chunk_of(p, c, t->rows, &rows), end = r + rows, at = halo_place(p->axes, p->kept, k) + first;
  o->start(acc, n);
  while (r < end && !*t->run->cancel) {
    int64_t some = last.n - r % last.n < end - r ? last.n - r % last.n : end - r;
    int64_t from = at + halo_place(reduced, p->reduced, r);
    halo_plain_cols(o, element(t, from), last.stride, some, n, acc);
    r += some;
  }
  deliver(t, acc, c, k * t->width + first, n);
}

static void task(void *arg, int64_t i) {
  const plain_task *t = arg;
  const halo_plain *p = t->p;
  int64_t c = i % p->chunks, strip = i / p->chunks % p->strips, k = i / p->chunks / p->strips * p->grain;
  if (p->run_reduced) {
    kept_places(t, k, k + p->grain < t->kept ? k + p->grain : t->kept, c);
    return;
  }
  int64_t first = strip * p->strip, n = t->width - first < p->strip ? t->width - first : p->strip;
  for (int64_t end = k + p->grain; k < end && k < t->kept && !*t->run->cancel; k++)
    strip_of(t, k, first, n, c);
}

// block is how many accumulators are merged at once: those of whole results.
static int64_t block(const halo_plain *p) { return BLOCK / p->each * p->each; }

// merge brings the chunks' accumulators of a block together, in pairs.
static void merge(void *arg, int64_t i) {
  const plain_task *t = arg;
  const halo_plain *p = t->p;
  const halo_plain_ops *o = p->ops;
  int64_t all = t->kept * t->width, first = i * block(p), n = all - first < block(p) ? all - first : block(p);
  char *acc = (char *)HALO_AT(t->run, p->scratch) + first * o->acc_bytes;
  for (int64_t apart = 1; apart < p->chunks; apart *= 2)
    for (int64_t c = 0; c + apart < p->chunks; c += 2 * apart)
      o->merge(acc + c * all * o->acc_bytes, acc + (c + apart) * all * o->acc_bytes, n);
  finish(t, acc, first, n);
}

static void tasks(halo_run *run, int64_t n, halo_task f, void *arg) {
  if (n == 1)
    f(arg, 0);
  else if (n > 1)
    run->parallel(run, n, f, arg);
}

void halo_plain_record(const halo_record *r, halo_run *run) {
  const halo_plain *p = (const halo_plain *)r;
  plain_task t = {p, run, halo_places(p->axes, p->kept), halo_places(p->axes + p->kept, p->reduced),
                  p->run_reduced ? 1 : p->run};
  if (t.kept * t.width == 0)
    return;
  tasks(run, (t.kept + p->grain - 1) / p->grain * p->strips * p->chunks, task, &t);
  if (p->chunks > 1 && !*run->cancel)
    tasks(run, (t.kept * t.width + block(p) - 1) / block(p), merge, &t);
}

const halo_plain_ops *halo_plain_find(int32_t level, int32_t op, int32_t type) {
#if defined(__x86_64__)
  const halo_plain_table *tables[] = {&halo_plain_base, &halo_plain_avx2, &halo_plain_avx512};
  const halo_plain_ops *o = &(*tables[level < 3 ? level : 0])[op][type];
#else
  (void)level;
  const halo_plain_ops *o = &halo_plain_base[op][type];
#endif
  return o->start ? o : NULL;
}

const halo_pool_table *halo_pool_find(int32_t level) {
#if defined(__x86_64__)
  const halo_pool_table *tables[] = {&halo_pool_base, &halo_pool_avx2, &halo_pool_avx512};
  return tables[level < 3 ? level : 0];
#else
  (void)level;
  return &halo_pool_base;
#endif
}
