/* The kernels of one instruction set and one type, T. */

typedef T NAME(vec) __attribute__((vector_size(VB)));
typedef T NAME(anywhere) __attribute__((vector_size(VB), aligned(sizeof(T)), may_alias));
enum { NAME(LANES) = VB / sizeof(T), NAME(COLUMNS) = 2 * NAME(LANES) };
#define vec NAME(vec)
#define LANES NAME(LANES)
#define COLUMNS NAME(COLUMNS)

#include "../run/cross_impl.h"

/* pack_across brings some lines, of which neighbours in memory are terms, to squares of vectors and transposes them. */
INLINE void NAME(pack_across)(const int some, const int width, T *to, const T *from, int64_t terms, int64_t line) {
  int64_t p = 0;
  for (; p + LANES <= terms; p += LANES) {
    vec r[LANES] = {{0}};
#pragma GCC unroll 16
    for (int i = 0; i < some; i++) r[i] = *(const NAME(anywhere) *)(from + i * line + p);
    NAME(cross)(r);
#pragma GCC unroll 16
    for (int q = 0; q < LANES; q++) memcpy(to + (p + q) * width, &r[q], some * sizeof(T));
  }
  for (; p < terms; p++)
    for (int i = 0; i < some; i++) to[p * width + i] = from[i * line + p];
}

/* pack writes width numbers a term; those behind lines are 0. */
INLINE void NAME(pack)(const int width, T *to, const T *from, int64_t lines, int64_t terms, int64_t line,
                       int64_t term) {
  if (lines == width && line == 1) {
    for (int64_t p = 0; p < terms; p++) memcpy(to + p * width, from + p * term, width * sizeof(T));
    return;
  }
  if (lines == width && term == 1) {
    int i = 0;
    for (; i + LANES <= width; i += LANES) NAME(pack_across)(LANES, width, to + i, from + i * line, terms, line);
    if (i < width) NAME(pack_across)(width % LANES, width, to + i, from + i * line, terms, line);
    return;
  }
  memset(to, 0, width * terms * sizeof(T));
  for (int64_t p = 0; p < terms; p++)
    for (int64_t i = 0; i < lines; i++) to[p * width + i] = from[i * line + p * term];
}

static void NAME(pack_rows)(void *to, const void *from, int64_t lines, int64_t terms, int64_t line, int64_t term) {
  NAME(pack)(ROWS, to, from, lines, terms, line, term);
}

static void NAME(pack_columns)(void *to, const void *from, int64_t lines, int64_t terms, int64_t line, int64_t term) {
  NAME(pack)(COLUMNS, to, from, lines, terms, line, term);
}

/* part brings the rows and columns that count from a whole tile to c. */
static void NAME(part)(const T *tile, T *c, int64_t row_c, int64_t rows, int64_t columns, int first) {
  for (int64_t i = 0; i < rows; i++)
    for (int64_t j = 0; j < columns; j++)
      c[i * row_c + j] = first ? tile[i * COLUMNS + j] : c[i * row_c + j] + tile[i * COLUMNS + j];
}

static void NAME(tile)(const void *lhs, const void *rhs, void *out, int64_t terms, int64_t row_c, int64_t rows,
                       int64_t columns, int first) {
  const T *a = lhs, *b = rhs;
  T *c = out;
  vec s[ROWS][2];
#pragma GCC unroll 16
  for (int i = 0; i < ROWS; i++) {
    s[i][0] = s[i][1] = (vec){0};
    if (i < rows) __builtin_prefetch(c + i * row_c, 1), __builtin_prefetch(c + i * row_c + columns - 1, 1);
  }
  for (int64_t p = 0; p < terms; p++, a += ROWS, b += COLUMNS) {
    __builtin_prefetch(a + 32 * ROWS);
    __builtin_prefetch(b + 16 * COLUMNS), __builtin_prefetch(b + 16 * COLUMNS + LANES);
    const vec left = *(const NAME(anywhere) *)b, right = *(const NAME(anywhere) *)(b + LANES);
#pragma GCC unroll 16
    for (int i = 0; i < ROWS; i++) {
      s[i][0] += a[i] * left;
      s[i][1] += a[i] * right;
    }
  }
  if (rows < ROWS || columns < COLUMNS) {
    T whole[ROWS * COLUMNS];
    memcpy(whole, s, sizeof whole);
    NAME(part)(whole, c, row_c, rows, columns, first);
    return;
  }
#pragma GCC unroll 16
  for (int i = 0; i < ROWS; i++, c += row_c) {
    if (!first) s[i][0] += *(NAME(anywhere) *)c, s[i][1] += *(NAME(anywhere) *)(c + LANES);
    *(NAME(anywhere) *)c = s[i][0];
    *(NAME(anywhere) *)(c + LANES) = s[i][1];
  }
}

#undef vec
#undef LANES
#undef COLUMNS
