/* The kernels of one instruction set, one type, T, and vectors of VB bytes. NARROWER does what has fewer columns than a
 * vector has places, if there are narrower ones. */

#if VB == WIDEST && defined(WIDE)
#define VECTORS 4
#define EACH FOUR
#define MOST_ROWS rows_of_four
#else
#define VECTORS 2
#define EACH TWO
#define MOST_ROWS rows_of_two
#endif
#include "packed_squares.h"

typedef T NAME(in_memory) __attribute__((vector_size(VB), aligned(sizeof(T)), may_alias));
#define vec NAME(vec)
#define LANES NAME(LANES)
#define SIDE NAME(SIDE)
#define AT(p) (*(NAME(in_memory) *)(p))

/* tile is some rows and vectors of the result. */
INLINE void NAME(tile)(const int vectors, const int rows, const form *f, const T *a, const T *b, T *c) {
  vec s[ROWS][VECTORS] = {{{0}}};
  const T *row[ROWS];
#pragma GCC unroll 8
  for (int i = 0; i < rows; i++) row[i] = a + i * f->row_a;
  const int64_t last = f->last, column_a = f->column_a, row_b = f->row_b, end = f->k * column_a;
  for (int64_t q = 0; q != end; q += column_a, b += row_b) {
    vec right[VECTORS];
#pragma GCC unroll 4
    for (int v = 0; v < vectors; v++) right[v] = AT((T *)b + (v < vectors - 1 ? v * LANES : last));
#pragma GCC unroll 8
    for (int i = 0; i < rows; i++) {
      const T x = row[i][q];
#pragma GCC unroll 4
      for (int v = 0; v < vectors; v++) s[i][v] += x * right[v];
    }
  }
#pragma GCC unroll 8
  for (int i = 0; i < rows; i++, c += f->row_c) {
    if (!f->first) /* all before one is stored: the last two may overlap */
#pragma GCC unroll 4
      for (int v = 0; v < vectors; v++) s[i][v] += AT(c + (v < vectors - 1 ? v * LANES : last));
#pragma GCC unroll 4
    for (int v = 0; v < vectors; v++) AT(c + (v < vectors - 1 ? v * LANES : last)) = s[i][v];
  }
}

#define TILE(v, rows)                                                                        \
  static void NAME(tile_##v##_##rows)(const form *f, const T *a, const T *b, T *c) {         \
    NAME(tile)(v, rows, f, a, b, c);                                                         \
  }
EACH(TILE)
#undef TILE

typedef void NAME(tiler)(const form *f, const T *a, const T *b, T *c);
#define TILE(v, rows) [v - 1][rows - 1] = NAME(tile_##v##_##rows),
static NAME(tiler) *const NAME(tiles)[VECTORS][ROWS] = {EACH(TILE)};
#undef TILE

/* rows multiplies all rows by some vectors of columns, as evenly as can be. */
static void NAME(rows)(const form *f, int64_t m, int64_t vectors, const T *a, const T *b, T *c) {
  const int64_t most = MOST_ROWS[vectors - 1], count = (m + most - 1) / most;
  for (int64_t i = 0, t = 0, some; t < count; t++, i += some) {
    some = m / count + (t < m % count);
    ask(f->next, some);
    NAME(tiles)[vectors - 1][some - 1](f, a + i * f->row_a, b, c + i * f->row_c);
  }
}

#ifndef NARROWER
/* few is rows where a row of the result is less than a vector. */
static void NAME(few)(const form *f, int64_t m, int64_t n, const T *a, const T *b, T *c) {
  T here[ROWS * LANES];
  form g = *f;
  g.first = 1, g.row_c = LANES;
  for (int64_t i = 0; i < m; i += ROWS) {
    const int64_t some = least(m - i, ROWS);
    NAME(rows)(&g, some, 1, a + i * f->row_a, b, here);
    for (int64_t x = 0; x < some; x++)
      for (int64_t j = 0; j < n; j++) {
        T *to = c + (i + x) * f->row_c + j;
        *to = f->first ? here[x * LANES + j] : *to + here[x * LANES + j];
      }
  }
}
#endif

/* turn packs terms of lines that lie side by side in memory, width of them. Of less than a vector, what is not there is
 * a number: what memory held before may be denormal, and slow. */
static void NAME(turn)(T *to, const T *from, int64_t line, int64_t lines, int64_t width, int64_t terms) {
  int64_t p = 0;
  for (; p + LANES <= terms; p += LANES)
    for (int64_t i = 0; i < width; i += SIDE) {
      vec r[SIDE];
#pragma GCC unroll 4
      for (int j = 0; j < SIDE; j++) r[j] = AT((T *)from + least(i + j, lines - 1) * line + p);
      NAME(squares)(r);
#pragma GCC unroll 16
      for (int l = 0; l < LANES / SIDE; l++)
#pragma GCC unroll 4
        for (int j = 0; j < SIDE; j++)
          memcpy(to + (p + l * SIDE + j) * width + i, (NAME(quarter) *)&r[j] + l, sizeof(NAME(quarter)));
    }
  for (; p < terms; p++)
    for (int64_t i = 0; i < (lines < LANES ? width : lines); i++)
      to[p * width + i] = i < lines ? from[i * line + p] : 0;
}

/* pack brings terms of some lines of rhs, columns of the product, side by side. */
static void NAME(pack)(const halo_blas_record *r, T *to, const T *from, int64_t lines, int64_t width, int64_t terms) {
  if (r->transpose_b) {
    NAME(turn)(to, from, r->ldb, lines, width, terms);
    return;
  }
  for (int64_t p = 0; p < terms; p++, from += r->ldb, to += width)
    if (lines < LANES) {
      memcpy(to, from, lines * sizeof(T));
      memset(to + lines, 0, (width - lines) * sizeof(T));
    } else {
      for (int64_t j = 0; j < lines; j += LANES) {
        const int64_t at = least(j, lines - LANES);
        AT(to + at) = AT((T *)from + at);
      }
    }
}

/* packed multiplies by some vectors of columns, n at most, which it packs first. */
static void NAME(packed)(const halo_blas_record *r, form f, int64_t m, int64_t n, int64_t vectors, const T *a,
                         const T *b, T *c) {
  T panel[TERMS * VECTORS * LANES] __attribute__((aligned(64)));
  const int64_t width = vectors * LANES, lines = least(n, width);
  f.row_b = width, f.last = n < LANES ? 0 : lines - LANES;
  for (int64_t p = 0; p < r->k; p += TERMS) {
    f.k = least(TERMS, r->k - p), f.first = p == 0;
    NAME(pack)(r, panel, b + p * (r->transpose_b ? 1 : r->ldb), lines, width, f.k);
    const T *left = a + p * f.column_a;
#ifndef NARROWER
    if (n < LANES) {
      NAME(few)(&f, m, n, left, panel, c);
      continue;
    }
#endif
    NAME(rows)(&f, m, vectors, left, panel, c);
  }
}

static void NAME(piece)(const halo_blas_record *r, halo_run *run, int64_t m, int64_t n, const void *a, const void *b,
                        void *c) {
#ifdef NARROWER
  if (n < LANES) {
    NARROWER(r, run, m, n, a, b, c);
    return;
  }
#endif
  (void)run;
  const int64_t vectors = (n + LANES - 1) / LANES, panels = (vectors + VECTORS - 1) / VECTORS;
  const int stays = m <= ROWS || r->k * r->ldb * (int64_t)sizeof(T) <= STAYS;
  const halo_blas_piece *p = r->piece, *q = p + (r->pieces > 1);
  wanted next[2] = {behind(r, a, q->a - p->a), behind(r, b, q->b - p->b)};
  form f = {.k = r->k, .row_a = r->transpose_a ? 1 : r->lda, .column_a = r->transpose_a ? r->lda : 1, .row_b = r->ldb,
            .row_c = r->ldc, .first = 1, .next = next};
  for (int64_t j = 0, t = 0, some; t < panels; t++, j += some * LANES) {
    some = vectors / panels + (t < vectors % panels);
    if (r->transpose_b || n < LANES || !stays) {
      const int64_t from = n < some * LANES ? 0 : least(j, n - some * LANES); /* the last may overlap */
      NAME(packed)(r, f, m, n, some, a, (const T *)b + from * (r->transpose_b ? r->ldb : 1), (T *)c + from);
      continue;
    }
    f.last = least(j + (some - 1) * LANES, n - LANES) - j;
    NAME(rows)(&f, m, some, a, (const T *)b + j, (T *)c + j);
  }
}

#undef vec
#undef LANES
#undef SIDE
#undef AT
#undef VECTORS
#undef EACH
#undef MOST_ROWS
