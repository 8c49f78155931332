/* The tiles of one instruction set, one type T of sums and vectors of VB bytes. */

typedef T NAME(sums) __attribute__((vector_size(VB)));
typedef T NAME(in_memory) __attribute__((vector_size(VB), aligned(sizeof(T)), may_alias));
enum { NAME(WIDTH) = VB / sizeof(T) };
#define LANES NAME(WIDTH)

/* part brings the rows and columns that count from a whole tile to c. */
static void NAME(part)(const T *tile, T *c, int64_t row_c, int64_t rows, int64_t columns, int first) {
  for (int64_t i = 0; i < rows; i++)
    for (int64_t j = 0; j < columns; j++)
      c[i * row_c + j] = first ? tile[i * 2 * LANES + j] : c[i * row_c + j] + tile[i * 2 * LANES + j];
}

/* some is a tile of so many rows and vectors of columns. Rows are a panel's or, if near, where they lie: at a +
 * row[i], their terms side by side. ahead is asked for meanwhile, a line for each word. */
INLINE void NAME(some)(const int height, const int vectors, const int near, const T *a, const int64_t *row,
                       const T *b, const char *ahead, T *c, int64_t words, int64_t row_c, int64_t rows, int64_t columns,
                       int first) {
  NAME(sums) s[ROWS][2] = {{{0}}};
  const T *line[ROWS];
#pragma GCC unroll 16
  for (int i = 0; i < height; i++) {
    line[i] = near ? a + row[i < rows ? i : rows - 1] : a; /* what is no row is the last once more */
    if (i < rows) __builtin_prefetch(c + i * row_c, 0, 2), __builtin_prefetch(c + i * row_c + columns - 1, 0, 2);
  }
  for (int64_t p = 0; p < words; p++, a += ROWS, b += 2 * LANES) {
    if (!near) __builtin_prefetch(a + 32 * ROWS);
    if (near) __builtin_prefetch(ahead + p * 64, 0, 2);
    NAME(sums) right[2];
#pragma GCC unroll 2
    for (int v = 0; v < vectors; v++) {
      __builtin_prefetch(b + 64 * LANES + v * LANES);
      right[v] = *(const NAME(in_memory) *)(b + v * LANES);
    }
#pragma GCC unroll 16
    for (int i = 0; i < height; i++)
#pragma GCC unroll 2
      for (int v = 0; v < vectors; v++) s[i][v] += (near ? line[i][p] : a[i]) * right[v];
  }
  if (rows < height || columns < vectors * LANES) {
    T whole[ROWS * 2 * LANES];
    memcpy(whole, s, sizeof whole);
    NAME(part)(whole, c, row_c, rows, columns, first);
    return;
  }
#pragma GCC unroll 16
  for (int i = 0; i < height; i++, c += row_c)
#pragma GCC unroll 2
    for (int v = 0; v < vectors; v++) {
      NAME(in_memory) *to = (NAME(in_memory) *)(c + v * LANES);
      if (!first) s[i][v] += *to;
      *to = s[i][v];
    }
}

/* tile leaves out whole thirds of rows and halves of columns that do not count; so does near. */
#define SOME(near, thirds, vectors)                                                                                    \
  NAME(some)(thirds * ROWS / 3, vectors, near, a, row, b, ahead, c, words, row_c, rows, columns, first)
#define TILE(near)                                                                                                     \
  const int half = columns <= LANES;                                                                                   \
  if (rows * 3 <= ROWS)                                                                                                \
    half ? SOME(near, 1, 1) : SOME(near, 1, 2);                                                                        \
  else if (rows * 3 <= 2 * ROWS)                                                                                       \
    half ? SOME(near, 2, 1) : SOME(near, 2, 2);                                                                        \
  else                                                                                                                 \
    half ? SOME(near, 3, 1) : SOME(near, 3, 2);

static void NAME(tile)(const void *a, const void *b, void *c, int64_t words, int64_t row_c, int64_t rows,
                       int64_t columns, int first) {
  const int64_t *row = 0;
  const char *ahead = 0;
  TILE(0)
}

static void NAME(near)(const void *a, const int64_t *row, const void *b, const void *ahead, void *c, int64_t words,
                       int64_t row_c, int64_t rows, int64_t columns, int first) {
  TILE(1)
}

#undef SOME
#undef TILE
#undef LANES
