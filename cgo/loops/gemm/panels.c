//go:build linux

#include "panels.h"
#include "sizes.h"

#include <string.h>

/* So many panels of rows are multiplied by a panel of columns before the next one. If they are packed or copied, they
 * are in memory of the task; those that are copied begin so many bytes further apart than they are long, so that they
 * do not fall on the same places of the first cache. So many words are multiplied at once. */
enum { ROW_PANELS = 4, MOST_ROWS = 12, APART = 64, MOST_WORDS = 512, LINE = 64, STEP = 16, WANTED = 3 };
enum { NEARBY = 1 << 19 };

/* asked is memory that is asked for ahead: so many bytes that still are to be. */
typedef struct {
  const char *at;
  int64_t bytes;
} asked;

/* seen is what windows see of the rows of a tile: their runs, of so many words, none if they see none of what is made
 * now, and where their sums go. */
typedef struct {
  int64_t runs, words, where[HALO_WINDOWS_ROWS];
  halo_windows_run run[HALO_WINDOWS_TAPS];
} seen;

typedef struct {
  const halo_panels_record *record;
  const halo_packed_kernel *kernel;
  const char *a, *panels;
  char *c;
  int64_t first, words; /* of the sums, that are made now */
  char *rows;           /* memory for packed ones */
  asked wanted[WANTED];
  int64_t step; /* how far they go with each word */
  const char *bias, *more;
  const float *zero; /* of windows */
  const int64_t *table;
  const halo_window *window;
  seen *seen;
} work;

int64_t halo_panels_bytes(int64_t isa, int64_t kind, int64_t n, int64_t k) {
  const halo_packed_kernel *kernel = halo_packed_kernel_of(isa, kind);
  return pieces(n, kernel->columns) * kernel->columns * k * kernel->bytes;
}

void halo_panels_pack(int64_t isa, int64_t kind, void *to, const void *b, int64_t n, int64_t k, int64_t row_b,
                      int64_t column_b) {
  const halo_packed_kernel *kernel = halo_packed_kernel_of(isa, kind);
  const int64_t line = column_b * kernel->element, term = row_b * kernel->element, panel = kernel->columns;
  const int64_t some = line < term ? 8 : k; /* of neighbouring lines, few terms of all panels at a time */
  for (int64_t p = 0; p < k; p += some)
    for (int64_t j = 0; j < n; j += panel)
      kernel->pack_columns((char *)to + (j * k + p * panel) * kernel->bytes, (const char *)b + j * line + p * term,
                           least(panel, n - j), least(some, k - p), line, term);
}

/* pack_rows packs some rows from row x on. */
static void pack_rows(const work *w, int64_t x, int64_t rows) {
  const halo_panels_record *r = w->record;
  const halo_packed_kernel *k = w->kernel;
  const int64_t line = r->row_a * k->element, term = r->column_a * k->element;
  for (int64_t i = 0; i < rows; i += k->rows)
    k->pack_rows(w->rows + i * w->words * k->bytes, w->a + (x + i) * line + w->first * term, least(k->rows, rows - i),
                 w->words, line, term);
}

/* copy_rows copies some rows from row x on. */
static void copy_rows(const work *w, int64_t x, int64_t rows) {
  const int64_t bytes = w->kernel->bytes, line = w->words * bytes;
  for (int64_t i = 0; i < rows; i++)
    memcpy(w->rows + i * (line + APART), w->a + ((x + i) * w->record->row_a + w->first) * bytes, line);
}

/* rows is some rows as a tile takes them: where the first begins, and how many elements they are apart. Those of
 * windows are not there. */
struct rows {
  const char *at;
  int64_t apart;
};

/* find_windows finds what windows see of n places from row x on, and copies it if it should lie elsewhere. */
static void find_windows(const work *w, int64_t x, int64_t n) {
  const halo_windows *s = &w->record->windows;
  const int64_t *tap = w->table, words = least(w->words, s->run), height = w->kernel->rows;
  for (int64_t i = 0, tile = 0; i < n; i += height, tile++) {
    const int64_t rows = least(height, n - i), line = words + APART / (int64_t)sizeof(float);
    seen *t = w->seen + tile;
    for (int64_t j = 0; j < rows; j++) t->where[j] = w->window[x + i + j].c;
    t->runs = halo_windows_tile(w->window + x + i, tap, (const float *)w->a, w->zero, rows, w->first / s->run,
                                w->words / words, w->first % s->run, words * w->kernel->columns * w->kernel->bytes,
                                t->run);
    t->words = halo_windows_see(w->window + x + i, rows, w->first / s->run, w->words / words) ? words : 0;
    for (int64_t j = 0; s->copied && j < HALO_WINDOWS_ROWS; j++)
      t->run->a[j] = memcpy((float *)w->rows + (i + least(j, rows - 1)) * line, t->run->a[j], words * sizeof(float));
  }
}

/* rows_of makes some rows from row x on ready. */
static struct rows rows_of(const work *w, int64_t x, int64_t n) {
  const halo_panels_record *r = w->record;
  const int64_t bytes = w->kernel->bytes;
  switch (r->rows) {
  case PANELS_NEAR:
    return (struct rows){w->a + (x * r->row_a + w->first) * bytes, r->row_a};
  case PANELS_COPIED:
    copy_rows(w, x, n);
    return (struct rows){w->rows, w->words + APART / bytes};
  case PANELS_WINDOWS:
    find_windows(w, x, n);
    return (struct rows){0};
  }
  pack_rows(w, x, n);
  return (struct rows){w->rows, w->words};
}

/* panel_of is the panel of columns from column j of a group on, at some term. */
static const char *panel_of(const work *w, int64_t group, int64_t j, int64_t term) {
  const halo_panels_record *r = w->record;
  return w->panels + group * r->group_panels + (j * r->k + term * w->kernel->columns) * w->kernel->bytes;
}

/* after is the panel of columns that is wanted after one. */
static const char *after(const work *w, int64_t group, int64_t j) {
  const halo_panels_record *r = w->record;
  const int64_t next = j + w->kernel->columns, term = w->first + w->words;
  if (next < r->n) return panel_of(w, group, next, w->first);
  if (group + 1 < r->groups) return panel_of(w, group + 1, 0, w->first);
  return panel_of(w, 0, 0, term < r->k ? term : 0);
}

/* ahead says what tile number of some rows, from row x on, asks for. Each panel of columns is read from far for the
 * first rows alone, whose tiles ask for the next one, each for a part. Tiles of later rows ask for what is wanted of
 * the rows behind. */
static void ahead(work *w, int64_t x, int64_t number, int64_t group, int64_t j, halo_packed_besides *b) {
  const int64_t tiles = least(pieces(w->record->m, w->kernel->rows), ROW_PANELS);
  if (x == 0) {
    b->step = 2 * LINE / (tiles > 1 ? tiles : 2);
    b->ahead = after(w, group, j) + number * w->words * b->step;
    return;
  }
  for (asked *next = w->wanted; next < w->wanted + WANTED; next++)
    if (next->bytes > 0) {
      b->ahead = next->at, b->step = w->step;
      next->at += w->words * w->step, next->bytes -= w->words * w->step;
      return;
    }
}

/* behind_of is what is read of n rows from row x on, if nothing of them has been read. */
static asked behind_of(const work *w, int64_t x, int64_t n) {
  const halo_panels_record *r = w->record;
  const int64_t bytes = w->kernel->bytes;
  if (n <= 0 || w->first > 0) return (asked){0};
  if (r->rows != PANELS_WINDOWS) return (asked){w->a + x * r->row_a * bytes, n * r->row_a * bytes};
  const int64_t *last = w->table + r->windows.taps - 1, span = w->window[x + n - 1].at - w->window[x].at;
  const char *at = (const char *)((const float *)w->a + w->window[x].at + *last);
  return (asked){at, span < 0 ? 0 : (span + r->windows.run) * bytes};
}

/* want says what the tiles of n rows from row x on ask for: the rows behind and, if their elements are all side by
 * side, those of c and of what is added; and at what rate, so that all are there in time. */
static void want(work *w, int64_t x, int64_t n) {
  const halo_panels_record *r = w->record;
  const halo_packed_kernel *k = w->kernel;
  const int64_t rows = least(n, r->m - x - n), row = r->row_c * k->bytes;
  const int64_t behind = r->n == r->row_c && w->first + w->words == r->k ? rows * row : 0;
  const int64_t tiles = pieces(n, k->rows) * pieces(r->n, k->columns) * r->groups;
  w->wanted[0] = behind_of(w, x + n, rows);
  const int64_t next = rows <= 0 ? 0 : w->window ? w->window[x + n].c * k->bytes : (x + n) * row;
  w->wanted[1] = (asked){w->more + next, w->more ? behind : 0};
  w->wanted[2] = (asked){w->c + next, behind};
  w->step = least(pieces(w->wanted[0].bytes + w->wanted[1].bytes + behind, tiles * w->words * STEP) * STEP, LINE);
}

/* end says how sums end that have all their terms, from some column and place on. */
static void end(const work *w, int64_t column, int64_t place, halo_packed_besides *b) {
  const halo_panels_record *r = w->record;
  const int64_t bytes = w->kernel->bytes;
  if (w->first + w->words < r->k) return;
  b->floor = (r->ends & PANELS_FLOOR) != 0;
  b->most = r->ends & PANELS_CAP ? r->most : 0;
  b->bias = w->bias ? w->bias + column * bytes : 0;
  b->more = w->more ? w->more + place * bytes : 0;
}

/* multiply_tile does the product of a panel of n rows, from row i of some on, which is row x + i of all, and of the
 * panel of columns from column j of a group on. */
static void multiply_tile(work *w, const struct rows *some, int64_t x, int64_t i, int64_t n, int64_t group, int64_t j) {
  const halo_panels_record *r = w->record;
  const halo_packed_kernel *k = w->kernel;
  const int64_t columns = least(k->columns, r->n - j), bytes = k->bytes;
  const int64_t column = group * r->group_c + j, first = w->first == 0;
  const int64_t place = w->window ? column : (x + i) * r->row_c + column;
  const char *a = some->at + i * some->apart * bytes, *panel = panel_of(w, group, j, w->first);
  if (r->rows == PANELS_PACKED) {
    k->tile(a, panel, w->c + place * bytes, w->words, r->row_c, n, columns, first);
    return;
  }
  halo_packed_besides besides = {.ahead = panel};
  ahead(w, x, i / k->rows, group, j, &besides);
  end(w, column, place, &besides);
  if (!w->window) {
    k->near(a, some->apart, panel, w->c + place * bytes, w->words, r->row_c, n, columns, first, &besides);
    return;
  }
  const seen *s = w->seen + i / k->rows;
  k->runs(s->run, s->runs, s->where, panel, w->c + place * bytes, s->words, n, columns, first, &besides);
}

/* tall is how many rows the next tile has, of so many that are left. Two rows have too few sums to be made at once: if
 * that is what a whole tile leaves, and rows lie by themselves, both have two thirds. */
static int64_t tall(const work *w, int64_t left) {
  const int64_t rows = w->kernel->rows, third = rows / 3, kind = w->record->rows;
  const int even = third < 4 && (kind == PANELS_NEAR || kind == PANELS_COPIED) && left > rows && left <= rows + third;
  return least(even ? 2 * third : rows, left);
}

/* is_near says whether the panels that a piece reads stay in so many bytes of the second cache, or come there fast. */
static int is_near(const work *w, int64_t bytes) {
  const halo_panels_record *r = w->record;
  return r->n * r->groups * r->k * w->kernel->bytes <= bytes;
}

/* by_block says whether n rows from row x on are multiplied as a block: if they are two tiles of few, or one of gates,
 * whose panels are not far, for they were read the round before; or if there is little to ask for, since panels are
 * near, or were read for the rows before. */
static int by_block(const work *w, int64_t x, int64_t n) {
  const int64_t kind = w->record->rows, rows = w->kernel->rows;
  if (!w->kernel->block || (kind != PANELS_NEAR && kind != PANELS_COPIED)) return 0;
  if (n > rows ? n <= rows / 3 * 4 : n <= rows / 3 * 2 && w->record->groups > 1 && is_near(w, 8 * NEARBY)) return 1;
  return is_near(w, x > 0 ? NEARBY : NEARBY / 2);
}

/* multiply_block does the products of n rows from row x on and of so many panels of columns of a group. */
static void multiply_block(const work *w, const struct rows *some, int64_t x, int64_t n, int64_t group,
                           int64_t panels) {
  const halo_panels_record *r = w->record;
  const halo_packed_kernel *k = w->kernel;
  const int64_t column = group * r->group_c, place = x * r->row_c + column;
  halo_packed_besides besides = {.ahead = is_near(w, NEARBY) ? 0 : w->panels};
  end(w, column, place, &besides);
  k->block(some->at, some->apart, panel_of(w, group, 0, w->first), k->columns * r->k, w->c + place * k->bytes,
           w->words, r->row_c, n, panels, w->first == 0, &besides);
}

/* multiply_rows does the products of n rows from row x on. */
static void multiply_rows(work *w, int64_t x, int64_t n) {
  const halo_panels_record *r = w->record;
  const halo_packed_kernel *k = w->kernel;
  const struct rows rows = rows_of(w, x, n);
  const int64_t panels = by_block(w, x, n) ? r->n / k->columns : 0;
  want(w, x, n);
  for (int64_t g = 0; g < r->groups; g++) {
    if (panels) multiply_block(w, &rows, x, n, g, panels);
    for (int64_t j = panels * k->columns; j < r->n; j += k->columns)
      for (int64_t i = 0, height; i < n; i += height) {
        height = tall(w, n - i);
        multiply_tile(w, &rows, x, i, height, g, j);
      }
  }
}

/* most_words is how many terms are made at once: all if there are few rows, else so many that rows stay in the nearest
 * caches. */
static int64_t most_words(const halo_panels_record *r, const halo_packed_kernel *k) {
  if (r->rows == PANELS_WINDOWS) return halo_windows_most(&r->windows);
  const int64_t blocks = r->rows == PANELS_NEAR && r->m <= k->rows ? 1 : pieces(r->k, MOST_WORDS);
  return least(pieces(pieces(r->k, blocks), 16) * 16, r->k);
}

/* words_of is how many terms are made next, most at most: those of whole taps or of a part of one, if there are any. */
static int64_t words_of(const work *w, int64_t most) {
  const int64_t run = w->record->rows == PANELS_WINDOWS ? w->record->windows.run : 0;
  return least(most, most < run ? run - w->first % run : w->record->k - w->first);
}

void halo_panels(const halo_record *record, halo_run *run) {
  const halo_panels_record *r = (const halo_panels_record *)record;
  const halo_packed_kernel *k = halo_packed_kernel_of(r->isa, r->kind);
  char rows[ROW_PANELS * MOST_ROWS * (MOST_WORDS * sizeof(float) + APART)] __attribute__((aligned(64)));
  seen seen[ROW_PANELS];
  work w = {.record = r, .kernel = k, .a = HALO_AT(run, r->a), .panels = HALO_AT(run, r->panels),
            .c = HALO_AT(run, r->c), .rows = rows, .seen = seen};
  if (r->ends & PANELS_BIAS) w.bias = HALO_AT(run, r->bias);
  if (r->ends & PANELS_MORE) w.more = HALO_AT(run, r->more);
  if (r->rows == PANELS_WINDOWS) {
    w.zero = HALO_AT(run, r->windows.zero), w.table = HALO_AT(run, r->windows.table);
    w.window = (const halo_window *)(w.table + r->windows.taps);
  }
  const int64_t some = k->rows * (ROW_PANELS * (int64_t)sizeof(float) / k->bytes), most = most_words(r, k);
  for (; w.first < r->k; w.first += w.words) {
    w.words = words_of(&w, most);
    for (int64_t x = 0; x < r->m && !*run->cancel; x += some) multiply_rows(&w, x, least(some, r->m - x));
  }
}
