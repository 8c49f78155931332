/* The tiles of one instruction set, one type T of sums and vectors of VB bytes. */

typedef T NAME(sums) __attribute__((vector_size(VB)));
typedef __typeof__((NAME(sums)){0} <= 0) NAME(bits);
typedef T NAME(in_memory) __attribute__((vector_size(VB), aligned(sizeof(T)), may_alias));
enum { NAME(WIDTH) = VB / sizeof(T) };
#define LANES NAME(WIDTH)

/* cap is most where s is more. NaN stays. */
INLINE NAME(sums) NAME(cap)(NAME(sums) s, T most) {
  const NAME(bits) over = s > most;
  return (NAME(sums))((NAME(bits))s & ~over | (NAME(bits))(most - (NAME(sums)){0}) & over);
}

/* part brings the rows and columns that count from a whole tile to c, and ends those sums if besides says so. */
static void NAME(part)(const T *tile, T *c, const int64_t *where, int64_t row_c, int64_t rows, int64_t columns,
                       int first, const halo_packed_besides *besides) {
  const T *bias = besides ? besides->bias : 0, *more = besides ? besides->more : 0;
  for (int64_t i = 0; i < rows; i++)
    for (int64_t j = 0; j < columns; j++) {
      const int64_t at = (where ? where[i] : i * row_c) + j;
      T s = tile[i * 2 * LANES + j];
      if (!first) s = c[at] + s;
      if (bias) s += bias[j];
      if (more) s += more[at];
      if (besides && besides->floor && s <= 0) s = 0;
      c[at] = besides && besides->most && s > besides->most ? (T)besides->most : s;
    }
}

/* term adds to the sums of a tile the products of a term, number p. */
INLINE void NAME(term)(const int height, const int vectors, const int how, const T *a, const halo_windows_run *place,
                       const T *const *line, int64_t apart, const T *b, int64_t p, NAME(sums) (*s)[2]) {
  NAME(sums) right[2];
#pragma GCC unroll 2
  for (int v = 0; v < vectors; v++) {
    if (VB != 32 && v * VB % 64 == 0) __builtin_prefetch(b + 64 * LANES + v * LANES);
    right[v] = *(const NAME(in_memory) *)(b + v * LANES);
  }
#pragma GCC unroll 16
  for (int i = 0; i < height; i++) {
    const T *const from = how == RUNS && i >= NEAREST ? ((const T *volatile const *)place->a)[i] : line[i];
    const NAME(sums) left = (how == PANEL ? a[i] : from[how == APART ? i % 4 * apart + p : p]) - (NAME(sums)){0};
#pragma GCC unroll 2
    for (int v = 0; v < vectors; v++) MULTIPLY_ADD(s[i][v], left, right[v]);
  }
}

/* some is a tile of so many rows and vectors of columns. How says which rows: a panel's; or those whose runs of words
 * are at place, and whose sums go to where; or such as are apart elements apart, which takes fewer registers for
 * addresses. The terms of the latter two are side by side, and there is besides. */
INLINE void NAME(some)(const int height, const int vectors, const int how, const T *a, const halo_windows_run *place,
                       int64_t runs, const int64_t *where, int64_t apart, const T *b, T *c, int64_t words,
                       int64_t row_c, int64_t rows, int64_t columns, int first, const halo_packed_besides *besides) {
  NAME(sums) s[ROWS][2] = {{{0}}};
  const T *line[ROWS], *bias = how ? besides->bias : 0, *more = how ? besides->more : 0;
  const char *ahead = how ? besides->ahead : 0;
  const int64_t step = how ? besides->step : 0;
  const T *const panel = b;
#pragma GCC unroll 16
  for (int i = 0; i < height; i++) {
    line[i] = how == APART ? a + i / 4 * 4 * apart : a;
    const int64_t at = how == RUNS ? i < rows ? where[i] : 0 : i * row_c;
    if (i < rows) __builtin_prefetch(c + at, 0, 2), __builtin_prefetch(c + at + columns - 1, 0, 2);
    if (more && i < rows) __builtin_prefetch(more + at), __builtin_prefetch(more + at + columns - 1);
  }
  do {
    if (how == RUNS) {
#pragma GCC unroll 16
      for (int i = 0; i < height; i++) line[i] = place->a[i];
      b = (const T *)((const char *)panel + place->b);
    }
    int64_t p = 0;
    for (; p + TOGETHER <= words; p += TOGETHER, a += TOGETHER * ROWS, b += TOGETHER * 2 * LANES) {
      if (!how && VB != 32) __builtin_prefetch(a + 32 * ROWS);
#pragma GCC unroll 4
      for (int q = 0; q < TOGETHER; q++) {
        if (how) __builtin_prefetch(ahead + q * step, 0, 2);
        NAME(term)(height, vectors, how, a + q * ROWS, place, line, apart, b + q * 2 * LANES, p + q, s);
        if (TOGETHER > 1) __asm__ volatile("" ::: "memory"); /* else terms are mixed, and sums go round by memory */
      }
      if (how) ahead += TOGETHER * step;
    }
    for (; TOGETHER > 1 && p < words; p++, a += ROWS, b += 2 * LANES) {
      if (how) __builtin_prefetch(ahead, 0, 2), ahead += step;
      NAME(term)(height, vectors, how, a, place, line, apart, b, p, s);
    }
    place++;
  } while (how == RUNS && --runs);
  if (rows < height && !PARTED || columns < vectors * LANES) {
    T whole[ROWS * 2 * LANES];
#pragma GCC unroll 16
    for (int i = 0; i < height; i++)
#pragma GCC unroll 2
      for (int v = 0; v < vectors; v++) *(NAME(in_memory) *)(whole + (i * 2 + v) * LANES) = s[i][v];
    NAME(part)(whole, c, how == RUNS ? where : 0, row_c, rows, columns, first, besides);
    return;
  }
#define EACH(...)                                                                                                      \
  _Pragma("GCC unroll 16") for (int i = 0; i < height; i++) if (!PARTED || i < rows)                                   \
      _Pragma("GCC unroll 2") for (int v = 0; v < vectors; v++) __VA_ARGS__;
#define AT(p) *(NAME(in_memory) *)((p) + (how == RUNS ? where[i] : i * row_c) + v * LANES)
  if (!first) EACH(s[i][v] += AT(c))
  if (bias) EACH(s[i][v] += *(const NAME(in_memory) *)(bias + v * LANES))
  if (more) EACH(s[i][v] += AT(more))
  if (how && besides->floor) EACH(s[i][v] = (NAME(sums))((NAME(bits))s[i][v] & ~(s[i][v] <= 0)))
  if (how && besides->most) EACH(s[i][v] = NAME(cap)(s[i][v], besides->most))
  EACH(AT(c) = s[i][v])
#undef EACH
#undef AT
}

/* tile leaves out whole thirds of rows and halves of columns that do not count; so do near and runs. */
#define SOME(how, thirds, vectors)                                                                                     \
  NAME(some)(thirds * ROWS / 3, vectors, how, a, place, runs, where, apart, b, c, words, row_c, rows, columns,         \
             first, besides)
#define TILE(how)                                                                                                      \
  const int half = columns <= LANES;                                                                                   \
  if (rows * 3 <= ROWS)                                                                                                \
    half ? SOME(how, 1, 1) : SOME(how, 1, 2);                                                                          \
  else if (rows * 3 <= 2 * ROWS)                                                                                       \
    half ? SOME(how, 2, 1) : SOME(how, 2, 2);                                                                          \
  else                                                                                                                 \
    half ? SOME(how, 3, 1) : SOME(how, 3, 2);

static void NAME(tile)(const void *a, const void *b, void *c, int64_t words, int64_t row_c, int64_t rows,
                       int64_t columns, int first) {
  const halo_windows_run *const place = 0;
  const int64_t *const where = 0, apart = 0, runs = 1;
  const halo_packed_besides *besides = 0;
  TILE(PANEL)
}

static void NAME(runs)(const halo_windows_run *place, int64_t runs, const int64_t *where, const void *b, void *c,
                       int64_t words, int64_t rows, int64_t columns, int first, const halo_packed_besides *besides) {
  const T *const a = 0;
  const int64_t apart = 0, row_c = 0;
  TILE(RUNS)
}

static void NAME(near)(const void *a, int64_t apart, const void *b, void *c, int64_t words, int64_t row_c, int64_t rows,
                       int64_t columns, int first, const halo_packed_besides *besides) {
  int64_t where[ROWS];
  if (rows * 3 % ROWS == 0) {
    const halo_windows_run *const place = 0;
    const int64_t runs = 1;
    TILE(APART)
    return;
  }
  halo_windows_run run = {.b = 0}; /* what is no row is the last once more */
  for (int64_t i = 0; i < ROWS; i++) {
    const int64_t row = i < rows ? i : rows - 1;
    run.a[i] = (const T *)a + row * apart, where[i] = row * row_c;
  }
  NAME(runs)(&run, 1, where, b, c, words, rows, columns, first, besides);
}

#ifdef BLOCKS
#include "packed_block.h"
#endif

#undef SOME
#undef TILE
#undef LANES
