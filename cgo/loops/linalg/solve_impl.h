/* Triangular solves of one instruction set and one type, with the macros of linalg_impl.h. Matrices are lower ones
 * here: the others are read from their end. */

typedef T NAME(sides) __attribute__((vector_size(VB), aligned(sizeof(T)), may_alias));

/* form is how some reads a: neighbours in a column and in a row are so far apart. */
typedef struct {
  int64_t row, column, terms;
  int64_t square; /* solve what is behind the terms */
  int64_t unit;
} NAME(form);

/* some takes the product of rows of a and the terms that are known off as many unknowns, and solves their square on
 * the diagonal in registers. Whole vectors of right-hand sides are side by side for each unknown. */
INLINE void NAME(some)(const int vectors, const int rows, const NAME(form) *f, const T *a, const T *known, T *x) {
  enum { LANES = VB / sizeof(T) };
  const T *line[MR];
  NAME(sides) sum[MR][NV];
  const int64_t column = f->column, end = f->terms * column;
#pragma GCC unroll 8
  for (int r = 0; r < rows; r++) {
    line[r] = a + r * f->row;
#pragma GCC unroll 4
    for (int v = 0; v < vectors; v++) sum[r][v] = *(const NAME(sides) *)(x + (r * vectors + v) * LANES);
  }
  for (int64_t q = 0; q != end; q += column, known += vectors * LANES)
#pragma GCC unroll 8
    for (int r = 0; r < rows; r++) {
      const T y = line[r][q];
#pragma GCC unroll 4
      for (int v = 0; v < vectors; v++) sum[r][v] -= y * *(const NAME(sides) *)(known + v * LANES);
    }
#pragma GCC unroll 8
  for (int r = 0; r < rows; r++) {
    const T d = f->unit || !f->square ? 1 : line[r][end + r * column];
    const int safe = (d >= LEAST && d <= 1 / LEAST) || (-d >= LEAST && -d <= 1 / LEAST);
    const T inverse = 1 / d;
#pragma GCC unroll 4
    for (int v = 0; v < vectors; v++) {
      if (f->square)
#pragma GCC unroll 8
        for (int q = 0; q < r; q++) sum[r][v] -= line[r][end + q * column] * sum[q][v];
      if (safe)
        sum[r][v] *= inverse;
      else
        sum[r][v] /= d;
      *(NAME(sides) *)(x + (r * vectors + v) * LANES) = sum[r][v];
    }
  }
}

#define SOME(v, rows)                                                                           \
  static void NAME(some_##v##_##rows)(const NAME(form) *f, const T *a, const T *known, T *x) {  \
    NAME(some)(v, rows, f, a, known, x);                                                        \
  }
#define HEIGHTS(v) SOME(v, 1) SOME(v, 2) SOME(v, 3) SOME(v, 4) HIGHER(v)
#if MR == 6
#define HIGHER(v) SOME(v, 5) SOME(v, 6)
#else
#define HIGHER(v)
#endif
#if NV == 4
#define ALL HEIGHTS(1) HEIGHTS(2) HEIGHTS(3) HEIGHTS(4)
#else
#define ALL HEIGHTS(1) HEIGHTS(2)
#endif
ALL
#undef SOME
#define SOME(v, rows) [v - 1][rows - 1] = NAME(some_##v##_##rows),
static void (*const NAME(some_of)[NV][MR])(const NAME(form) *, const T *, const T *, T *) = {ALL};
#undef SOME
#undef ALL
#undef HIGHER
#undef HEIGHTS

/* place is where unknown i of side j is in b. */
INLINE int64_t NAME(place)(const halo_solve_record *r, int64_t i, int64_t j) {
  const int64_t unknown = r->lower ? i : r->m - 1 - i;
  return r->left ? unknown * r->k + j : j * r->m + unknown;
}

/* move copies some right-hand sides to s, with zeros behind them, or solutions back to x. */
static void NAME(move)(const halo_solve_record *r, T *s, const T *b, T *x, int64_t first, int64_t sides,
                       int64_t width) {
  for (int64_t i = 0; i < r->m; i++, s += width) {
    if (b) memset(s, 0, width * sizeof(T));
    for (int64_t j = 0; j < sides; j++) {
      const int64_t at = NAME(place)(r, i, first + j);
      if (b)
        s[j] = b[at];
      else
        x[at] = s[j];
    }
  }
}

/* take_off takes what all unknowns up to the first of x give off some rows, MR of them at a time. The elements of a
 * column of a are neighbours there, and a page apart from those of the next: so they are copied. */
static void NAME(take_off)(const NAME(form) *f, const T *a, int64_t known, int64_t rows, int64_t vectors,
                           const T *from, T *x) {
  enum { TERMS = 128 };
  T some[TERMS * SOLVE_TALL];
  NAME(form) g = {.row = 1, .column = SOLVE_TALL};
  for (int64_t p = 0; p < known; p += TERMS, from += TERMS * vectors * (VB / sizeof(T))) {
    g.terms = LEAST_OF(known - p, TERMS);
    for (int64_t q = 0; q < g.terms; q++) {
      const T *line = a + (p + q) * f->column;
      T *to = some + q * SOLVE_TALL;
      if (f->row == 1)
        memcpy(to, line, rows * sizeof(T));
      else
        for (int64_t r = 0; r < rows; r++) to[r] = line[-r];
    }
    for (int64_t r = 0, height; r < rows; r += height) {
      height = LEAST_OF(rows - r, MR);
      NAME(some_of)[vectors - 1][height - 1](&g, some + r, from, x + r * vectors * (VB / sizeof(T)));
    }
  }
}

/* columns solves for some vectors of right-hand sides. */
static void NAME(columns)(const halo_solve_record *r, NAME(form) f, const T *a, T *x, int64_t vectors, halo_run *run) {
  const int across = f.row == 1 || f.row == -1;
  const int64_t tall = across ? SOLVE_TALL : r->m, width = vectors * (VB / sizeof(T));
  f.square = 1;
  for (int64_t top = 0; top < r->m && !*run->cancel; top += tall) {
    const int64_t end = LEAST_OF(top + tall, r->m);
    if (top > 0) NAME(take_off)(&f, a + top * f.row, top, end - top, vectors, x, x + top * width);
    for (int64_t i = top, rows; i < end && !*run->cancel; i += rows) {
      rows = LEAST_OF(end - i, MR);
      f.terms = i - top;
      NAME(some_of)[vectors - 1][rows - 1](&f, a + i * f.row + top * f.column, x + top * width, x + i * width);
    }
  }
}

/* solve solves for some right-hand sides from a first one on, with scratch for whole vectors of them. */
static void NAME(solve)(const halo_solve_record *r, const void *a, const void *b, void *x, void *scratch, int64_t first,
                        int64_t sides, halo_run *run) {
  NAME(form) f = {.row = r->row_a, .column = r->column_a, .unit = r->unit};
  const T *begin = a;
  if (!r->lower) begin += (r->m - 1) * (f.row + f.column), f.row = -f.row, f.column = -f.column;
  for (int64_t end = first + sides, some; first < end; first += some) {
    some = LEAST_OF(end - first, NV * VB / (int64_t)sizeof(T));
    const int64_t vectors = (some * (int64_t)sizeof(T) + VB - 1) / VB, width = vectors * (VB / sizeof(T));
    NAME(move)(r, scratch, b, 0, first, some, width);
    NAME(columns)(r, f, begin, scratch, vectors, run);
    NAME(move)(r, scratch, 0, x, first, some, width);
  }
}
