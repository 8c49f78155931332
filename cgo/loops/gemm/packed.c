//go:build linux

#include "packed.h"

/* Panels of rows and of columns in a task. */
enum { TASK_ROWS = 4, TASK_COLUMNS = 16 };

typedef struct {
  const halo_packed_record *record;
  const halo_packed_kernel *kernel;
  halo_run *run;
  int64_t first, terms; /* of the sums, that are packed now */
} work;

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t pieces(int64_t n, int64_t size) { return (n + size - 1) / size; }
static int64_t whole(int64_t n, int64_t size) { return pieces(n, size) * size; }

static const halo_packed_kernel *kernel_of(int64_t isa, int64_t type) {
#if defined(__x86_64__)
  if (isa == 2) return &halo_packed_avx512[type];
  if (isa == 1) return &halo_packed_avx2[type];
#endif
  (void)isa;
  return &halo_packed_base[type];
}

/* lines_bytes are the bytes of the packed panels of n rows, or columns. */
static int64_t lines_bytes(const halo_packed_kernel *kernel, int64_t panel, int64_t n, int64_t k) {
  return whole(whole(n, panel) * least(k, PACKED_TERMS) * kernel->bytes, 64);
}

int64_t halo_packed_bytes(int64_t isa, int64_t type, int64_t places, int64_t m, int64_t n, int64_t k) {
  const halo_packed_kernel *kernel = kernel_of(isa, type);
  return places * (lines_bytes(kernel, kernel->rows, m, k) + lines_bytes(kernel, kernel->columns, n, k));
}

/* side is one operand: how its matrix lies, and its panels. */
typedef struct {
  const char *from;
  char *to;
  int64_t lines, line, term, panel, panels;
  void (*pack)(void *to, const void *from, int64_t lines, int64_t terms, int64_t line, int64_t term);
} side;

static side rows_of(const work *w, int64_t place) {
  const halo_packed_record *r = w->record;
  const halo_packed_kernel *kernel = w->kernel;
  char *packed = HALO_AT(w->run, r->packed);
  return (side){(const char *)HALO_AT(w->run, r->a) + r->place[place].a,
                packed + place * lines_bytes(kernel, kernel->rows, r->m, r->k),
                r->m, r->row_a, r->column_a, kernel->rows, TASK_ROWS, kernel->pack_rows};
}

static side columns_of(const work *w, int64_t place) {
  const halo_packed_record *r = w->record;
  const halo_packed_kernel *kernel = w->kernel;
  char *packed = (char *)HALO_AT(w->run, r->packed) + r->places * lines_bytes(kernel, kernel->rows, r->m, r->k);
  return (side){(const char *)HALO_AT(w->run, r->b) + r->place[place].b,
                packed + place * lines_bytes(kernel, kernel->columns, r->n, r->k),
                r->n, r->column_b, r->row_b, kernel->columns, TASK_COLUMNS, kernel->pack_columns};
}

static int64_t packers(const side *s) { return pieces(s->lines, s->panel * s->panels); }

/* pack_some packs the panels of one task, some terms of all before the next: neighbours in memory are read together. */
static void pack_some(const work *w, const side *s, int64_t task) {
  const int64_t bytes = w->kernel->bytes, from = task * s->panel * s->panels,
                to = least(from + s->panel * s->panels, s->lines);
  enum { SOME = 256 };
  for (int64_t p = 0; p < w->terms; p += SOME)
    for (int64_t i = from; i < to; i += s->panel)
      s->pack(s->to + (i * w->terms + p * s->panel) * bytes,
              s->from + (i * s->line + (w->first + p) * s->term) * bytes, least(s->panel, s->lines - i),
              least(SOME, w->terms - p), s->line, s->term);
}

static void pack_task(void *arg, int64_t i) {
  const work *w = arg;
  if (*w->run->cancel) return;
  side rows = rows_of(w, 0), columns = columns_of(w, 0);
  const int64_t down = packers(&rows), each = down + packers(&columns), place = i / each, task = i % each;
  rows = rows_of(w, place), columns = columns_of(w, place);
  if (task < down)
    pack_some(w, &rows, task);
  else
    pack_some(w, &columns, task - down);
}

/* multiply does a task: some panels of rows, from i on, by some of columns, from j on. */
static void multiply(const work *w, int64_t place, int64_t i, int64_t j) {
  const halo_packed_record *r = w->record;
  const halo_packed_kernel *kernel = w->kernel;
  const side rows = rows_of(w, place), columns = columns_of(w, place);
  const int64_t bytes = kernel->bytes, down = least(i + rows.panel * rows.panels, r->m),
                across = least(j + columns.panel * columns.panels, r->n);
  char *c = (char *)HALO_AT(w->run, r->c) + r->place[place].c;
  for (int64_t y = j; y < across; y += columns.panel)
    for (int64_t x = i; x < down; x += rows.panel)
      kernel->tile(rows.to + x * w->terms * bytes, columns.to + y * w->terms * bytes, c + (x * r->row_c + y) * bytes,
                   w->terms, r->row_c, least(rows.panel, r->m - x), least(columns.panel, r->n - y), w->first == 0);
}

static void multiply_task(void *arg, int64_t task) {
  const work *w = arg;
  const int64_t rows = w->kernel->rows * TASK_ROWS, columns = w->kernel->columns * TASK_COLUMNS;
  const int64_t down = pieces(w->record->m, rows), across = pieces(w->record->n, columns);
  if (!*w->run->cancel) multiply(w, task / (down * across), task / across % down * rows, task % across * columns);
}

static void run_packed(const halo_record *record, halo_run *run, const halo_packed_kernel *kernel) {
  work w = {(const halo_packed_record *)record, kernel, run, 0, 0};
  const halo_packed_record *r = w.record;
  const side rows = rows_of(&w, 0), columns = columns_of(&w, 0);
  for (; w.first < r->k && !*run->cancel; w.first += w.terms) {
    w.terms = least(PACKED_TERMS, r->k - w.first);
    run->parallel(run, r->places * (packers(&rows) + packers(&columns)), pack_task, &w);
    run->parallel(run, r->places * packers(&rows) * packers(&columns), multiply_task, &w);
  }
}

#define RECORD(level, type, i) \
  static void level##_##type(const halo_record *r, halo_run *run) { run_packed(r, run, &halo_packed_##level[i]); }
#define RECORDS(level) RECORD(level, f32, 0) RECORD(level, f64, 1)

RECORDS(base)
#if defined(__x86_64__)
RECORDS(avx2)
RECORDS(avx512)
#endif

void *halo_packed_of(int64_t isa, int64_t type) {
#if defined(__x86_64__)
  if (isa == 2) return (void *)(type ? avx512_f64 : avx512_f32);
  if (isa == 1) return (void *)(type ? avx2_f64 : avx2_f32);
#endif
  (void)isa;
  return (void *)(type ? base_f64 : base_f32);
}
