//go:build linux

// siblings.c: reductions of one space in one pass.
#pragma GCC optimize("O3")
#include "siblings.h"
#include "pieces.h"
#include "streams.h"

#include <alloca.h>
#include <string.h>

enum { BLOCK = 4096 }; // accumulators of a task that begins or ends them

typedef struct {
  const halo_siblings_record *r;
  const halo_sibling *list;
  halo_pieces *values; // 0: there is no program
  halo_run *run;
  int64_t row, rows; // the space is so many rows of so many places
} job;

// tile is what is taken at once: rows from row on, n places of each from col on.
typedef struct {
  int64_t row, rows, col, n;
} tile;

// worker is what a task has of its own.
typedef struct {
  const job *j;
  int64_t chunk, strip;
  halo_piece_room *room;
  char *temps[HALO_MAX_TEMPS];
} worker;

static int64_t copies(const job *j, const halo_sibling *s) {
  return (s->by_chunk ? j->r->chunks : 1) * (s->by_strip ? j->r->strips : 1);
}

// accumulators are those of copy number k.
static char *accumulators(const job *j, const halo_sibling *s, int64_t k) {
  return (char *)HALO_AT(j->run, s->acc) + k * s->results * s->ops->acc_bytes;
}

// result_of is the result into which the first place of a row goes.
static int64_t result_of(const job *j, const halo_sibling *s, int64_t row) {
  int64_t at = 0;
  for (int64_t d = j->r->rank - 2; d >= 0 && row > 0; row /= j->r->dims[d], d--)
    at += row % j->r->dims[d] * s->strides[d];
  return at;
}

// take brings the tile of a reduction's value, whose rows are stride elements apart, into its accumulators.
static void take(const worker *w, const halo_sibling *s, const tile *t, const char *x, int64_t stride) {
  const halo_siblings_record *r = w->j->r;
  const halo_plain_ops *o = s->ops;
  const int64_t along = r->rank > 1 ? s->strides[r->rank - 2] : 0, across = r->rank ? s->strides[r->rank - 1] : 0;
  const int64_t copy = (s->by_chunk ? w->chunk * (s->by_strip ? r->strips : 1) : 0) + (s->by_strip ? w->strip : 0);
  char *acc = accumulators(w->j, s, copy) + (result_of(w->j, s, t->row) + across * t->col) * o->acc_bytes;
  if (across && !along) {
    halo_plain_cols(o, x, stride, t->rows, t->n, acc);
  } else if (!across && along == 1 && t->n < 32 && stride == t->n) {
    o->rows(x, t->n, t->rows, acc);
  } else if (!across && !along && stride == t->n) {
    o->row(x, t->rows * t->n, acc);
  } else {
    for (int64_t k = 0; k < t->rows; k++, x += stride * o->x_bytes, acc += along * o->acc_bytes)
      across ? o->cols(x, stride, 1, t->n, acc) : o->row(x, t->n, acc);
  }
}

// compute makes a tile of the values: in one piece if that has whole rows.
static void compute(worker *w, const tile *t) {
  const int64_t row = w->j->row, first = t->row * row + t->col, pieces = t->n == row ? 1 : t->rows;
  const int64_t n = t->rows / pieces * t->n;
  for (int64_t k = 0; k < pieces; k++) {
    char *to[HALO_MAX_TEMPS];
    for (int64_t i = 0; i < w->j->r->temps; i++)
      to[i] = w->temps[i] + k * n * halo_temp_bytes(w->j->values, i);
    halo_piece(w->j->values, w->room, first + k * row, n, to);
  }
}

static void sweep(worker *w, const tile *t) {
  const job *j = w->j;
  if (j->values)
    compute(w, t);
  for (int64_t i = 0; i < j->r->siblings; i++) {
    const halo_sibling *s = &j->list[i];
    if (s->temp)
      take(w, s, t, w->temps[s->temp - 1], t->n);
    else
      take(w, s, t, (char *)HALO_AT(j->run, s->x) + (t->row * j->row + t->col) * s->ops->x_bytes, j->row);
  }
}

static void task(void *arg, int64_t number) {
  const job *j = arg;
  const halo_siblings_record *r = j->r;
  worker w = {.j = j, .chunk = number / r->strips, .strip = number % r->strips};
  if (j->values) {
    w.room = alloca(halo_piece_room_bytes(j->values));
    halo_piece_begin(j->values, w.room);
    for (int64_t i = 0; i < r->temps; i++)
      w.temps[i] = halo_aligned(alloca(r->rows * r->cols * halo_temp_bytes(j->values, i) + 64));
  }
  const int64_t each = r->rank > 1 ? j->rows / r->dims[0] : 1, line = r->rank > 1 ? r->dims[r->rank - 2] : 1;
  const int64_t left = j->rows - w.chunk * r->chunk * each, some = r->chunk * each;
  const int64_t first = w.strip * r->strip, last = j->row - first < r->strip ? j->row : first + r->strip;
  tile t = {.row = j->rows - left};
  for (int64_t end = t.row + (left < some ? left : some); t.row < end && !*j->run->cancel; t.row += t.rows) {
    t.rows = line - t.row % line < r->rows ? line - t.row % line : r->rows;
    t.rows = end - t.row < t.rows ? end - t.row : t.rows;
    for (t.col = first; t.col < last && !*j->run->cancel; t.col += t.n) {
      t.n = last - t.col < r->cols ? last - t.col : r->cols;
      sweep(&w, &t);
    }
  }
}

// block_size is that of blocks, which have the accumulators of whole results.
static int64_t block_size(const job *j) { return BLOCK / j->r->each * j->r->each; }

// block_of finds the reduction to which block i of the blocks of all belongs, and the first of its accumulators.
static const halo_sibling *block_of(const job *j, int64_t i, int with_copies, int64_t *first, int64_t *n) {
  const int64_t size = block_size(j);
  for (const halo_sibling *s = j->list;; s++) {
    const int64_t all = s->results * (with_copies ? copies(j, s) : 1), blocks = (all + size - 1) / size;
    if (i < blocks) {
      *first = i * size;
      *n = all - *first < size ? all - *first : size;
      return s;
    }
    i -= blocks;
  }
}

static int64_t blocks(const job *j, int with_copies) {
  const int64_t size = block_size(j);
  int64_t n = 0;
  for (int64_t i = 0; i < j->r->siblings; i++)
    n += (j->list[i].results * (with_copies ? copies(j, &j->list[i]) : 1) + size - 1) / size;
  return n;
}

// begin makes a block of accumulators those of nothing.
static void begin(void *arg, int64_t i) {
  const job *j = arg;
  int64_t first, n;
  const halo_sibling *s = block_of(j, i, 1, &first, &n);
  s->ops->start(accumulators(j, s, 0) + first * s->ops->acc_bytes, n);
}

// finish makes a block of results of all copies of their accumulators.
static void finish(void *arg, int64_t i) {
  const job *j = arg;
  int64_t first, n;
  const halo_sibling *s = block_of(j, i, 0, &first, &n);
  const halo_plain_ops *o = s->ops;
  const int64_t all = copies(j, s), at = first * o->acc_bytes, each = j->r->each;
  for (int64_t apart = 1; apart < all; apart *= 2)
    for (int64_t c = 0; c + apart < all; c += 2 * apart)
      o->merge(accumulators(j, s, c) + at, accumulators(j, s, c + apart) + at, n);
  if (each > 1)
    o->gather(accumulators(j, s, 0) + at, each, n / each);
  o->finish(accumulators(j, s, 0) + at, HALO_AT(j->run, s->init),
            (char *)HALO_AT(j->run, s->out) + first / each * o->out_bytes, n / each, (int32_t)s->bits);
}

void halo_siblings(const halo_record *record, halo_run *run) {
  const halo_siblings_record *r = (const halo_siblings_record *)record;
  const halo_sibling *list = (const halo_sibling *)(r + 1);
  job j = {r, list, .run = run, .row = r->rank ? r->dims[r->rank - 1] : 1, .rows = 1};
  for (int64_t d = 0; d < r->rank - 1; d++)
    j.rows *= r->dims[d];
  halo_pieces values;
  if (r->values) {
    values = halo_pieces_of((const halo_pipeline_record *)(list + r->siblings), run, (int32_t)r->temps);
    j.values = &values;
  }
  halo_spread(run, &j, blocks(&j, 1), begin);
  if (j.rows * j.row > 0 && !*run->cancel)
    halo_spread(run, &j, r->chunks * r->strips, task);
  if (!*run->cancel)
    halo_spread(run, &j, blocks(&j, 0), finish);
}
