//go:build linux

#include "packed.h"
#include "sizes.h"

/* A task packs so many panels of columns by so many words. Or it multiplies as many panels of rows, which it packs, as
 * have enough to do and leave tasks for many threads, by some columns: half of them at most, unless they are few, since
 * two threads, which the pool has begin at both ends, each read what they packed themselves then. A thread alone packs
 * its rows once for up to TASK_COLUMNS columns. */
enum {
  PACK_PANELS = 8,
  PACK_WORDS = 128,
  LEAST_COLUMNS = 256,
  TASK_COLUMNS = 2048,
  TASK_PANELS = 4,
  MOST_WORK = 13000000, /* rows by columns by words */
  LEAST_WORK = 800000,
  ALONE_WORK = 3000000,
  FEW_TASKS = 30
};

/* Bytes of a task's packed rows. */
enum { TASK_BYTES = TASK_PANELS * 12 * (PACKED_WORDS + 1) * 4 };

typedef struct {
  const halo_packed_record *record;
  const halo_packed_kernel *kernel;
  halo_run *run;
  int64_t first, terms, words; /* of the sums, that are packed now */
  int64_t rows, columns;       /* of a task */
} work;

static int64_t whole(int64_t n, int64_t size) { return pieces(n, size) * size; }

#if defined(__x86_64__)
/* pairs says whether to multiply bf16 in pairs. The instruction does half of the products that one of f32 does in the
 * same time where it is not AMD's. */
static int pairs(void) { return __builtin_cpu_supports("avx512bf16") && __builtin_cpu_is("amd"); }
#endif

const halo_packed_kernel *halo_packed_kernel_of(int64_t isa, int64_t kind) {
#if defined(__x86_64__)
  if (kind >= PACKED_FLOATS && isa == 2 && __builtin_cpu_supports("avx512vnni"))
    return &halo_packed_vnni[kind - PACKED_FLOATS];
  if (kind >= PACKED_FLOATS) return isa == 1 || isa == 2 ? &halo_packed_s16[kind - PACKED_FLOATS] : 0;
  if (isa == 2 && kind == PACKED_BF16 && pairs()) return &halo_packed_bf16;
  if (isa == 2) return &halo_packed_avx512[kind];
  if (isa == 1) return &halo_packed_avx2[kind];
#endif
  (void)isa;
  return kind < PACKED_FLOATS ? &halo_packed_base[kind] : 0;
}

int halo_packed_knows(int64_t isa, int64_t kind) { return halo_packed_kernel_of(isa, kind) != 0; }

int halo_packed_widens(int64_t isa, int64_t kind) {
  const halo_packed_kernel *k = halo_packed_kernel_of(isa, kind);
  return k && k->element < k->bytes && k->terms == 1;
}

/* Bytes of the packed panels of all columns, and of the sums that must be kept until they are rounded. */
static int64_t columns_bytes(const halo_packed_kernel *k, int64_t columns, int64_t terms) {
  return whole(whole(columns, k->columns) * least(pieces(terms, k->terms), PACKED_WORDS) * k->bytes, 64);
}
static int64_t sums_bytes(const halo_packed_kernel *k, int64_t rounding, int64_t m, int64_t n, int64_t terms) {
  return rounding && terms > PACKED_WORDS * k->terms ? whole(m * n * k->bytes, 64) : 0;
}

int64_t halo_packed_bytes(int64_t isa, int64_t kind, int64_t rounding, int64_t places, int64_t m, int64_t n,
                          int64_t k) {
  const halo_packed_kernel *kernel = halo_packed_kernel_of(isa, kind);
  return places * (columns_bytes(kernel, n, k) + sums_bytes(kernel, rounding, m, n, k));
}

static char *packed_columns(const work *w, int64_t place) {
  const halo_packed_record *r = w->record;
  return (char *)HALO_AT(w->run, r->packed) + place * columns_bytes(w->kernel, r->n, r->k);
}

/* kept_sums is where the sums of a place are kept until they are rounded. */
static char *kept_sums(const work *w, int64_t place) {
  const halo_packed_record *r = w->record;
  return packed_columns(w, r->places) + place * sums_bytes(w->kernel, r->rounding, r->m, r->n, r->k);
}

/* side is some lines of an operand: where they begin, how many bytes lines and terms are apart, and the packer of
 * panels of so many, which begin after head. */
typedef struct {
  const char *from;
  int64_t lines, line, term, panel, head;
  halo_packer *pack;
} side;

static side rows_of(const work *w, int64_t place, int64_t first) {
  const halo_packed_record *r = w->record;
  const halo_packed_kernel *k = w->kernel;
  const int64_t line = r->row_a * k->element, term = r->column_a * k->element;
  return (side){(const char *)HALO_AT(w->run, r->a) + r->place[place].a + first * line + w->first * term,
                least(w->rows, r->m - first), line, term, k->rows, k->head ? 1 : 0, k->pack_rows};
}

static side columns_of(const work *w, int64_t place, int64_t first, int64_t columns) {
  const halo_packed_record *r = w->record;
  const halo_packed_kernel *k = w->kernel;
  const int64_t line = r->column_b * k->element, term = r->row_b * k->element;
  return (side){(const char *)HALO_AT(w->run, r->b) + r->place[place].b + first * line + w->first * term,
                least(columns, r->n - first), line, term, k->columns, 0, k->pack_columns};
}

/* pack packs some words of all lines of a side. If lines are neighbours, few words at a time of all panels. */
static void pack(const work *w, const side *s, char *to, int64_t begin, int64_t end) {
  const halo_packed_kernel *k = w->kernel;
  const int64_t some = s->line < s->term ? 8 : PACKED_WORDS;
  for (int64_t p = begin; p < end; p += some)
    for (int64_t i = 0; i < s->lines; i += s->panel)
      s->pack(to + (i * (w->words + s->head) + (p + s->head) * s->panel) * k->bytes,
              s->from + i * s->line + p * k->terms * s->term, least(s->panel, s->lines - i),
              least(least(some, end - p) * k->terms, w->terms - p * k->terms), s->line, s->term);
}

static int64_t packers(const work *w) {
  return pieces(w->record->n, PACK_PANELS * w->kernel->columns) * pieces(w->words, PACK_WORDS);
}

static void pack_task(void *arg, int64_t i) {
  const work *w = arg;
  if (*w->run->cancel) return;
  const int64_t each = packers(w), place = i / each, down = pieces(w->words, PACK_WORDS),
                columns = PACK_PANELS * w->kernel->columns, first = i % each / down * columns,
                begin = i % down * PACK_WORDS;
  const side s = columns_of(w, place, first, columns);
  pack(w, &s, packed_columns(w, place) + first * w->words * w->kernel->bytes, begin,
       least(begin + PACK_WORDS, w->words));
}

/* pack_rows packs the rows of a task, and the heads of their panels. */
static void pack_rows(const work *w, const side *s, char *to) {
  const halo_packed_kernel *k = w->kernel;
  pack(w, s, to, 0, w->words);
  for (int64_t i = 0; k->head && i < s->lines; i += s->panel) k->head(to + i * (w->words + 1) * k->bytes, w->words);
}

/* multiply_tile does the product of two panels whose first row and column are x and y. What is rounded is summed
 * elsewhere first: beside the others, if there are more words to come, else here. */
static void multiply_tile(const work *w, int64_t place, const void *a, const void *b, int64_t x, int64_t y) {
  const halo_packed_record *r = w->record;
  const halo_packed_kernel *k = w->kernel;
  const int64_t rows = least(k->rows, r->m - x), columns = least(k->columns, r->n - y);
  const int first = w->first == 0, last = w->first + w->terms == r->k;
  char *c = (char *)HALO_AT(w->run, r->c) + r->place[place].c;
  if (!r->rounding) {
    k->tile(a, b, c + (x * r->row_c + y) * k->bytes, w->words, r->row_c, rows, columns, first);
    return;
  }
  float here[12 * 32];
  const int one = first && last;
  const int64_t row = one ? k->columns : r->n;
  void *sums = one ? (char *)here : kept_sums(w, place) + (x * r->n + y) * k->bytes;
  k->tile(a, b, sums, w->words, row, rows, columns, first);
  if (!last) return;
  const halo_packed_kernel *floats = halo_packed_kernel_of(r->isa, PACKED_F32);
  floats->round[r->rounding](c + (x * r->row_c + y) * 2, sums, r->row_c, row, rows, columns);
}

static int64_t tasks(const work *w) { return pieces(w->record->m, w->rows) * pieces(w->record->n, w->columns); }

static void multiply_task(void *arg, int64_t i) {
  const work *w = arg;
  const halo_packed_record *r = w->record;
  const halo_packed_kernel *k = w->kernel;
  if (*w->run->cancel) return;
  const int64_t each = tasks(w), place = i / each, down = pieces(r->m, w->rows), x = i % each % down * w->rows,
                y = i % each / down * w->columns, end = least(y + w->columns, r->n);
  char rows[TASK_BYTES] __attribute__((aligned(64)));
  const side s = rows_of(w, place, x);
  pack_rows(w, &s, rows);
  for (int64_t j = y; j < end; j += k->columns)
    for (int64_t l = 0; l < s.lines; l += s.panel)
      multiply_tile(w, place, rows + l * (w->words + s.head) * k->bytes,
                    packed_columns(w, place) + j * w->words * k->bytes, x + l, j);
}

/* is_large says whether a task should be less: for its memory, or for other threads, as it is long or few are there. */
static int is_large(const work *w, int64_t words) {
  const int64_t products = w->rows * w->columns * words;
  if (w->rows * (words + 1) * w->kernel->bytes > TASK_BYTES) return 1;
  if (w->run->threads == 1) return 0;
  return products > MOST_WORK || products > LEAST_WORK && w->record->places * tasks(w) < FEW_TASKS;
}

/* divide says how many rows and columns a task has. Whatever it says, tiles and their sums are the same. */
static void divide(work *w) {
  const halo_packed_record *r = w->record;
  const halo_packed_kernel *k = w->kernel;
  const int64_t words = least(pieces(r->k, k->terms), PACKED_WORDS);
  const int64_t sides = w->run->threads > 1 && r->n >= 2 * LEAST_COLUMNS ? 2 : 1;
  w->columns = whole(pieces(r->n, pieces(r->n, TASK_COLUMNS) * sides), k->columns);
  w->rows = TASK_PANELS * k->rows;
  while (w->rows > k->rows && is_large(w, words)) w->rows /= 2;
}

/* each does tasks: by itself if they are not worth a second thread. */
static void each(work *w, int64_t tasks, halo_task task) {
  const halo_packed_record *r = w->record;
  if (r->places * r->m * r->n * w->words > ALONE_WORK)
    w->run->parallel(w->run, tasks, task, w);
  else
    for (int64_t i = 0; i < tasks; i++) task(w, i);
}

void halo_packed(const halo_record *record, halo_run *run) {
  const halo_packed_record *r = (const halo_packed_record *)record;
  const halo_packed_kernel *k = halo_packed_kernel_of(r->isa, r->kind);
  work w = {.record = r, .kernel = k, .run = run};
  divide(&w);
  for (; w.first < r->k && !*run->cancel; w.first += w.terms) {
    w.terms = least(PACKED_WORDS * k->terms, r->k - w.first);
    w.words = pieces(w.terms, k->terms);
    each(&w, r->places * packers(&w), pack_task);
    each(&w, r->places * tasks(&w), multiply_task);
  }
}
